"""Words of messages: places, counts, lists of names, and what a mistyped word may mean."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

# Control characters, marks that change the direction of text, unpaired surrogates, and non-characters.
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
LONGEST_COMPARED = 100  # letters; comparing longer names letter by letter would take seconds
# Other words for some names, without punctuation; a suggestion is made only if the name is a possible one.
SYNONYMS = {
    "fdr": "bh", "benjaminihochberg": "bh", "benjaminiyekutieli": "by", "evaluate": "score",
    "eval": "score trec_eval", "level": "--alpha alpha", "significance": "--alpha alpha", "out": "--output output",
    "tex": "latex", "s": "Success",
}  # fmt: skip


def location(name: str, line: int) -> str:
    """A place in a file, as compilers write it; line 0 means the whole file.

    >>> location("runs/a.txt", 7)
    'runs/a.txt:7'
    """
    return f"{name}:{line}" if line else name


def count_phrase(number: int, noun: str) -> str:
    """A number with its noun, in the plural if needed.

    >>> count_phrase(1, "topic"), count_phrase(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent_text(share: float, digits: int = 1) -> str:
    """A share in per cent, which is 0 or 100 % only if it is exactly that.

    >>> percent_text(0.5), percent_text(1.0), percent_text(0.9997), percent_text(0.005, digits=0)
    ('50.0%', '100%', 'over 99.9%', 'under 1%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    least = 10.0 ** -(digits + 2)
    if 0 < share <= least / 2:
        return f"under {least:.{digits}%}"
    if 1 - least / 2 <= share < 1:
        return f"over {1 - least:.{digits}%}"
    return f"{share:.{digits}%}"


def capitalised(text: str) -> str:
    """The text with a capital first letter and the others as they are, such as those of AP."""
    return text[:1].upper() + text[1:]


def level_text(alpha: float) -> str:
    """The level of an interval.

    >>> level_text(0.05), level_text(0.001)
    ('95%', '99.9%')
    """
    return f"{100 * (1 - alpha):.10g}%"


def first_few(names: Sequence[str], limit: int = 5) -> str:
    """The first names, and how many more there are.

    >>> first_few(["401", "402", "403"], 2)
    '401, 402 and 1 more'
    """
    rest = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(f"{name}" for name in names[:limit]) + rest


def name_list(names: Sequence[str], limit: int = 4) -> str:
    """The names as part of a sentence, or the first of them and how many more there are.

    >>> name_list(["AP"]), name_list(["AP", "RR"]), name_list(["AP", "RR", "P@10"]), name_list(["AP", "RR", "P@10"], 2)
    ('AP', 'AP and RR', 'AP, RR and P@10', 'AP, RR and 1 more')
    """
    if len(names) > limit:
        return first_few(names, limit)
    return " and ".join(filter(None, (first_few(names[:-1], limit), first_few(names[-1:]))))


def agreeing_clause(names: str, one: bool, phrase: str, sure: bool = True) -> str:
    """Names and a phrase that agrees with them."""
    are, have = "may be" if not sure else "is" if one else "are", "has" if one else "have"
    return f"{names} {phrase.format(s='s' if one else '', are=are, have=have, may='' if sure else 'may ')}"


def visible_text(text: str, keep: str = "") -> str:
    r"""The text with escapes for characters that a terminal or a picture would act on or fail on.

    >>> visible_text("bm25" + chr(27) + "[31m"), visible_text("a" + chr(10) + "b", keep=chr(10))
    ('bm25\\x1b[31m', 'a\nb')
    """
    return UNPRINTABLE.sub(lambda match: match[0] if match[0] in keep else _escape(match[0]), f"{text}")


def encodable(text: str) -> str:
    r"""The text as UTF-8 can encode it: an unpaired surrogate, as in a file name of another encoding, is an escape.

    >>> encodable("a" + chr(0xDCFF)), encodable("é")
    ('a\\udcff', 'é')
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _escape(letter: str) -> str:
    return f"\\x{ord(letter):02x}" if ord(letter) < 256 else f"\\u{ord(letter):04x}"


def escaped_json(text: str, ascii_only: bool = False) -> str:
    r"""JSON with escapes for characters that a terminal would act on; with ascii_only, for all but ASCII.

    >>> escaped_json('"' + chr(0x9b) + 'é"'), escaped_json('"é"', ascii_only=True)
    ('"\\u009bé"', '"\\u00e9"')
    """
    pattern = re.compile("[\x7f-\U0010ffff]") if ascii_only else UNPRINTABLE
    return pattern.sub(lambda match: match[0] if match[0] < " " else json.dumps(match[0])[1:-1], text)


def wrapped_for_terminal(text: str, stream: TextIO | None = None) -> str:
    """The text with its lines wrapped to the terminal, if standard error (or the stream) is one."""
    import sys

    if not (stream or sys.stderr).isatty():
        return text
    import shutil

    columns = shutil.get_terminal_size().columns
    return "\n".join("\n".join(wrapped_lines(line, columns, cut=False)) for line in text.split("\n"))


def display_width(text: str) -> int:
    """The number of terminal columns a text takes: wide characters, such as Chinese ones and emoji, take two.

    >>> display_width("bm25"), display_width("検索")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    unseen = ("Mn", "Me", "Cf")  # combining marks and joiners
    return sum(0 if category(letter) in unseen else 1 + (east_asian_width(letter) in "WF") for letter in text)


def padded_text(text: str, columns: int, right: bool = False) -> str:
    """The text padded with spaces to this many columns; `right` puts them before it."""
    spaces = " " * (columns - display_width(text))
    return spaces + text if right else text + spaces


def wrapped_lines(text: str, columns: int, cut: bool = True) -> list[str]:
    """The lines of a text wrapped at spaces to this many columns; `cut` also breaks longer words.

    >>> wrapped_lines("検索 run of 2024", 6)
    ['検索', 'run of', '2024']
    """
    if text.isascii():
        from textwrap import wrap

        return wrap(text, columns, break_on_hyphens=False, break_long_words=cut)
    lines = [""]
    for word in text.split():
        if display_width(lines[-1]) + display_width(word) + bool(lines[-1]) <= columns:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
        else:
            lines += _pieces(word, columns) if cut else [word]
    return [line for line in lines if line]


def _pieces(word: str, columns: int) -> list[str]:
    """The word in pieces of at most this many columns."""
    pieces = [""]
    for letter in word:
        if display_width(pieces[-1] + letter) > columns:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def closest_names(word: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known names closest to a word, if any is close: the best one, and those as good.

    A letter left out, added, changed or swapped with its neighbour counts as one edit; case and punctuation do not
    count. A name is also close if it begins with the word, or the word with it, or if the word is a part of it.

    >>> closest_names("dncg", ["nDCG", "DCG", "AP"]), closest_names("RPB", ["RBU", "RBP"])
    (['nDCG'], ['RBP'])
    >>> closest_names("eval", ["score", "trec_eval"])
    ['score', 'trec_eval']
    >>> closest_names("fdr", ["holm", "bh"]), closest_names("foo", ["AP"])
    (['bh'], [])
    """
    letters, known = _letters(word), list(known)
    if synonyms := [name for name in SYNONYMS.get(letters, "").split() if name in known]:
        return synonyms
    allowed = min(len(letters), LONGEST_COMPARED) // 5 + (len(letters) > 2)
    candidates = []
    for place, name in enumerate(known):
        other = _letters(name)
        longest = max(len(letters), len(other))
        edits = longest if longest > LONGEST_COMPARED else _edit_distance(letters, other)
        begins = min(len(letters), len(other)) > 3 and (letters.startswith(other) or other.startswith(letters))
        is_part = len(letters) > 3 and letters in map(_letters, re.split(r"[\W_]+", name))
        is_anagram = 0 < edits < 3 and sorted(letters) == sorted(other)
        cost = edits - 0.5 if is_anagram else 1.5 if edits > 1 and (begins or is_part) else edits
        if cost <= max(allowed, 1.5 * (begins or is_part or is_anagram)):
            candidates.append((cost, edits, place, name))
    candidates.sort()
    return list(dict.fromkeys(name for cost, _, _, name in candidates if cost == candidates[0][0]))[:limit]


def add_aliases(aliases: Mapping[str, str]) -> None:
    """Lets `closest_names` understand other names of something that is declared elsewhere."""
    for alias, name in aliases.items():
        names = (*SYNONYMS.get(_letters(alias), "").split(), name)
        SYNONYMS[_letters(alias)] = " ".join(dict.fromkeys(names))


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The question "did you mean …?"; `otherwise` if no known name is close.

    >>> did_you_mean("tuky", ["t", "tukey"]), did_you_mean("x", ["t"], "there is t")
    ('did you mean tukey?', 'there is t')
    """
    names = closest_names(word, known)
    return f"did you mean {' or '.join(names)}?" if names else otherwise


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def _edit_distance(one: str, other: str) -> int:
    """The number of letters to leave out, add, change, or swap with their neighbour, to turn one into the other.

    >>> _edit_distance("scroe", "score"), _edit_distance("ngcd", "ndcg"), _edit_distance("", "ap")
    (1, 2, 2)
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            distance = min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                distance = min(distance, before[j - 2] + 1)
            row.append(distance)
        before, last = last, row
    return last[-1]
