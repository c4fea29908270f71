"""How messages write places, counts and lists of names."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

# Control characters of all kinds, marks that turn the direction of text, halves of characters, and non-characters.
UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
# What else the field calls some names, without signs; those are offered that are among what may be meant.
ELSEWHERE = {
    "fdr": "bh", "benjaminihochberg": "bh", "benjaminiyekutieli": "by", "evaluate": "score",
    "eval": "score trec_eval", "level": "--alpha alpha", "significance": "--alpha alpha", "out": "--output output",
    "tex": "latex", "s": "Success",
}  # fmt: skip


def at(name: str, line: int) -> str:
    """A place in a file, as compilers write it; line 0 is the whole file.

    >>> at("runs/a.txt", 7)
    'runs/a.txt:7'
    """
    return f"{name}:{line}" if line else name


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "topic"), counted(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def some(names: Sequence[str], most: int = 5) -> str:
    """The first of the names, and how many more there are.

    >>> some(["401", "402", "403"], 2)
    '401, 402 and 1 more'
    """
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(f"{name}" for name in names[:most]) + rest


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names as a sentence has them: the first of them, and how many more there are.

    >>> listed(["AP"]), listed(["AP", "RR"]), listed(["AP", "RR", "P@10"]), listed(["AP", "RR", "P@10"], 2)
    ('AP', 'AP and RR', 'AP, RR and P@10', 'AP, RR and 1 more')
    """
    if len(names) > most:
        return some(names, most)
    return " and ".join(filter(None, (some(names[:-1], most), some(names[-1:]))))


def visible(text: str, keep: str = "") -> str:
    r"""Text for people, in which what a terminal or a picture would obey or choke on is seen as an escape.

    >>> visible("bm25" + chr(27) + "[31m"), visible("a" + chr(10) + "b", keep=chr(10))
    ('bm25\\x1b[31m', 'a\nb')
    """
    return UNSEEN.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), f"{text}")


def whole(text: str) -> str:
    r"""Text as UTF-8 can hold it: half of a character, as from a file's name of another encoding, is an escape.

    >>> whole("a" + chr(0xDCFF)), whole("é")
    ('a\\udcff', 'é')
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _escape(letter: str) -> str:
    return f"\\x{ord(letter):02x}" if ord(letter) < 256 else f"\\u{ord(letter):04x}"


def escaped_json(text: str, ascii_only: bool = False) -> str:
    r"""JSON in which no string holds what a terminal would obey; with ascii_only, nothing beyond ASCII either.

    >>> escaped_json('"' + chr(0x9b) + 'é"'), escaped_json('"é"', ascii_only=True)
    ('"\\u009bé"', '"\\u00e9"')
    """
    pattern = re.compile("[\x7f-\U0010ffff]") if ascii_only else UNSEEN
    return pattern.sub(lambda found: found[0] if found[0] < " " else json.dumps(found[0])[1:-1], text)


def in_window(text: str, stream: TextIO | None = None) -> str:
    """Text for people on standard error, or elsewhere: each of its lines folded to the window, where there is one."""
    import sys

    if not (stream or sys.stderr).isatty():
        return text
    import shutil

    columns = shutil.get_terminal_size().columns
    return "\n".join("\n".join(folded(line, columns, cut=False)) for line in text.split("\n"))


def width(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters, such as Chinese ones and emoji, take two.

    >>> width("bm25"), width("検索")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    unseen = ("Mn", "Me", "Cf")  # marks on the letter before, and what only joins letters
    return sum(0 if category(letter) in unseen else 1 + (east_asian_width(letter) in "WF") for letter in text)


def padded(text: str, columns: int, right: bool = False) -> str:
    """A text with spaces after it, or before it to stand on the right, so that it takes so many columns."""
    space = " " * (columns - width(text))
    return space + text if right else text + space


def folded(text: str, columns: int, cut: bool = True) -> list[str]:
    """The lines of a text that is folded at spaces to so many columns; longer words are cut if asked.

    >>> folded("検索 run of 2024", 6)
    ['検索', 'run of', '2024']
    """
    if text.isascii():
        from textwrap import wrap

        return wrap(text, columns, break_on_hyphens=False, break_long_words=cut)
    lines = [""]
    for word in text.split():
        if width(lines[-1]) + width(word) + bool(lines[-1]) <= columns:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
        else:
            lines += _pieces(word, columns) if cut else [word]
    return [line for line in lines if line]


def _pieces(word: str, columns: int) -> list[str]:
    """The pieces of a word, each of so many columns at most."""
    pieces = [""]
    for letter in word:
        if width(pieces[-1] + letter) > columns:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def meant(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that are nearest to a word, if any is near: the best, and those as good.

    Letters left out, added, changed or swapped with their neighbour count one each; case and signs do not count. Names
    that begin with the word, or it with them, are near, and so are those of which it is a part.

    >>> meant("dncg", ["nDCG", "DCG", "AP"]), meant("RPB", ["RBU", "RBP"]), meant("eval", ["score", "trec_eval"])
    (['nDCG'], ['RBP'], ['score', 'trec_eval'])
    >>> meant("fdr", ["holm", "bh"]), meant("foo", ["AP"])
    (['bh'], [])
    """
    asked, known = _bare(word), list(known)
    if named := [name for name in ELSEWHERE.get(asked, "").split() if name in known]:
        return named
    room = len(asked) // 5 + (len(asked) > 2)
    found = []
    for place, name in enumerate(known):
        other = _bare(name)
        steps = _steps(asked, other)
        begins = min(len(asked), len(other)) > 3 and (asked.startswith(other) or other.startswith(asked))
        part = len(asked) > 3 and asked in map(_bare, re.split(r"[\W_]+", name))
        turned = 0 < steps < 3 and sorted(asked) == sorted(other)
        cost = steps - 0.5 if turned else 1.5 if steps > 1 and (begins or part) else steps
        if cost <= max(room, 1.5 * (begins or part or turned)):
            found.append((cost, steps, place, name))
    found.sort()
    return list(dict.fromkeys(name for cost, _, _, name in found if cost == found[0][0]))[:most]


def add_aliases(aliases: Mapping[str, str]) -> None:
    """Has `meant` understand other names of something that is declared elsewhere."""
    ELSEWHERE.update({_bare(alias): name for alias, name in aliases.items()})


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """A question that names what may have been meant, or something else where nothing is near.

    >>> did_you_mean("tuky", ["t", "tukey"]), did_you_mean("x", ["t"], "there is t")
    ('did you mean tukey?', 'there is t')
    """
    near = meant(word, known)
    return f"did you mean {' or '.join(near)}?" if near else otherwise


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def _steps(one: str, other: str) -> int:
    """How many letters must be left out, added, changed, or swapped with their neighbour, to make one the other.

    >>> _steps("scroe", "score"), _steps("ngcd", "ndcg"), _steps("", "ap")
    (1, 2, 2)
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            least = min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, last = last, row
    return last[-1]
