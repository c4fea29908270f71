"""Values from the words of a command line, read by the index; anything else is refused in one sentence."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from irassay.errors import InputError, option_flag
from irassay.prose import did_you_mean, name_list

ArgumentRecord = Mapping[str, Any]  # an argument as the index holds it
PARTS = ("input", "setting", "view", "envelope")
SWITCHES = ("flag", "switch")  # kinds of options without a value
NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")
NUMBER_TYPES = {"whole": int, "number": float, "wholes": int, "numbers": float}


def parsed_values(command: str, entry: Mapping[str, Any], words: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The values on a command line, by part and name of the argument; arguments that were not given are absent."""
    options, free = _options_and_free_words(command, entry["arguments"], words)
    by_part: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for argument, texts in [*options, *_placed_words(command, entry["arguments"], free)]:
        name, values_of_part = argument["name"], by_part[argument["part"]]
        values = tuple(text if isinstance(text, bool) else _parsed_value(argument, text) for text in texts)
        values_of_part[name] = values_of_part.get(name, ()) + values if argument.get("repeats") else values[0]
    return by_part


def _options_and_free_words(
    command: str, arguments: Sequence[ArgumentRecord], words: Sequence[str]
) -> tuple[list[tuple[ArgumentRecord, list[Any]]], list[str]]:
    """The options, each with its value, and the words that belong to no option; both may be interleaved."""
    by_flag = {
        option_flag(each["name"]): each for each in reversed(arguments) if each.get("flags")
    }  # as Python spells it
    by_flag |= {flag: argument for argument in arguments for flag in argument.get("flags", ())}
    options: list[tuple[ArgumentRecord, list[Any]]] = []
    free: list[str] = []
    earlier: dict[tuple[str, str], str] = {}  # the text of options that may be given only once, by part and name
    greedy: ArgumentRecord | None = None  # the option that takes every word up to the next option
    further: list[int] = []  # places among the options of what it took after its first word
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word == "--":
            return options, [*free, *rest]
        if not _is_option(word, by_flag):
            if greedy is not None:
                further.append(len(options))
                options.append((greedy, [word]))
            else:
                free.append(word)
            continue
        flag, text = _flag_and_text(word, by_flag, rest)
        if flag not in by_flag:
            _refuse_word(command, word, arguments)
        argument = by_flag[flag]
        name, kind, key = argument["name"], argument["kind"], (argument["part"], argument["name"])
        greedy = argument if argument.get("greedy") else None
        if kind in SWITCHES:
            if text is not None:
                raise InputError(f"{flag} takes no value; leave out ={text}.", argument=name)
            value: Any = kind == "flag" or not flag.startswith("--no-")
            text = flag
        else:
            value = text = text if text is not None else rest.popleft() if rest else "--"
            if value == "--":
                raise InputError(f"{flag} needs a value after it.", argument=name)
        if key in earlier and (kind not in SWITCHES or earlier[key] != text):
            both = f"{earlier[key]!r} and {text!r}"
            raise InputError(f"{argument['flags'][0]} is given twice, {both}; give it once.", argument=name)
        if not argument.get("repeats") and kind != "flag":
            earlier[key] = text
        options.append((argument, [value]))
    missing = sum(bool(each.get("required")) and not each.get("flags") for each in arguments) - len(free)
    if 0 < missing <= len(further):  # a greedy option took the words of required arguments, which came last
        free += [options[n][1][0] for n in further[-missing:]]
        options = [option for n, option in enumerate(options) if n not in further[-missing:]]
    return options, free


def _flag_and_text(word: str, by_flag: Mapping[str, ArgumentRecord], rest: deque[str]) -> tuple[str, str | None]:
    """The flag in a word, and the value that is joined to it, if any; further short flags go back to the rest."""
    flag, equals, text = word.partition("=")
    if flag in by_flag or word[:2] not in by_flag:
        return flag, text if equals else None
    flag, text = word[:2], word[2:].removeprefix("=")  # -mAP, -m=AP, -qm AP
    if by_flag[flag]["kind"] not in SWITCHES:
        return flag, text
    rest.appendleft(f"-{text}")
    return flag, None


def _is_option(word: str, by_flag: Mapping[str, ArgumentRecord]) -> bool:
    """Whether a word names an option: `-` is standard input, and -1 and `-a b` are values."""
    if not word.startswith("-") or word == "-":
        return False
    is_value = " " in word or NEGATIVE_NUMBER.fullmatch(word)
    return word.partition("=")[0] in by_flag or word[:2] in by_flag or not is_value


def _placed_words(
    command: str, arguments: Sequence[ArgumentRecord], free: Sequence[str]
) -> Iterator[tuple[ArgumentRecord, list[str]]]:
    """The arguments without flags, each with the words at its place."""
    places = [argument for argument in arguments if not argument.get("flags")]
    required = [argument for argument in places if argument.get("required")]
    if len(free) < len(required):
        missing = ", ".join(map(_shown_name, required[len(free) :]))
        needs = "also needs" if free else "needs"
        raise InputError(f"irassay {command} {needs} {missing}; see irassay {command} --help.")
    rest, spare = list(free), len(free) - len(required)  # words beyond the one that each required place needs
    for argument in places:
        needed = int(argument in required)
        count = needed + (spare if argument.get("repeats") else min(spare, 1 - needed))
        spare -= count - needed
        if count:
            yield argument, rest[:count]
        rest = rest[count:]
    if rest:
        _refuse_word(command, rest[0], arguments)


def _parsed_value(argument: ArgumentRecord, text: str) -> Any:
    """A value in its own type; InputError says what was expected."""
    from irassay.domains import Domain  # help does without it

    kind, name = argument["kind"], _shown_name(argument)
    if kind == "choice" and not argument.get("choices_grow"):
        return Domain("word", words=tuple(argument["choices"])).check(name, text)
    if kind not in NUMBER_TYPES:
        return Domain.unpacked(argument).check(name, text) if argument.get("pattern") else text
    read = NUMBER_TYPES[kind]
    if kind in ("numbers", "wholes"):
        try:
            return tuple(read(part) for part in text.split(","))
        except ValueError:
            expected, example = ("numbers", "0.01,0.05") if read is float else ("whole numbers", "10,25,50")
            raise InputError(f"{name} {text}: expected {expected} separated by commas, such as {example}.") from None
    domain = Domain.unpacked(argument)
    try:
        value = read(text)
    except ValueError:
        raise domain.refusal(name, text) from None
    return domain.check(name, value)


def _shown_name(argument: ArgumentRecord) -> str:
    return str(argument["flags"][0]) if argument.get("flags") else str(argument.get("metavar") or argument["name"])


def _commands_with(flag: str) -> list[str]:
    """The commands that have an option, those of meta last."""
    from irassay.declarations import index

    commands = [
        name
        for name, entry in index()["commands"].items()
        if any(flag in argument.get("flags", ()) for argument in entry["arguments"])
    ]
    return sorted(commands, key=lambda name: name.startswith("meta "))


def _refuse_word(command: str, word: str, arguments: Sequence[ArgumentRecord]) -> NoReturn:
    flag, see_help = word.split("=")[0], f"see irassay {command} --help"
    if not flag.startswith("-"):
        files = [a["flags"][0] for a in arguments if a["part"] == "input" and a.get("metavar") in ("FILE", "TABLE")]
        by_place = any(not a.get("flags") for a in arguments)
        hint = see_help if by_place or not files else f"give files with {', '.join(files[:-1])} or {files[-1]}"
        raise InputError(f"Unexpected argument {word}; {hint}.")
    others = _commands_with(flag)
    if others:
        hint = f"irassay {name_list(others, 3)} {'has' if len(others) == 1 else 'have'} it."
    else:
        known_flags = [f for a in arguments for f in a.get("flags", ()) if f.startswith("--")]
        hint = did_you_mean(flag, known_flags) or f"{see_help}."
    raise InputError(f"irassay {command} has no option {flag}; {hint}")
