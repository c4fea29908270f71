"""The words of a command line, read by what the index says: values by name; all else is refused in one sentence."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from irassay.errors import InputError
from irassay.prose import did_you_mean

Packed = Mapping[str, Any]  # an argument as the index holds it
PARTS = ("input", "setting", "view", "envelope")
SWITCHES = ("flag", "switch")  # kinds of options without a value
NEGATIVE = re.compile(r"-\d+|-\d*\.\d+")
NUMBER = {"whole": int, "number": float}


def given(command: str, entry: Mapping[str, Any], words: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What the words on the command line say, by part and name of the argument; what was not given is not there."""
    options, free = _sorted_words(command, entry["arguments"], words)
    found: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for argument, texts in [*options, *_placed(command, entry["arguments"], free)]:
        several, known = argument.get("repeats"), found[argument["part"]]
        values = tuple(text if isinstance(text, bool) else _value(argument, text) for text in texts)
        known[argument["name"]] = known.get(argument["name"], ()) + values if several else values[0]
    return found


def _sorted_words(
    command: str, arguments: Sequence[Packed], words: Sequence[str]
) -> tuple[list[tuple[Packed, list[Any]]], list[str]]:
    """The options, each with its value, and the words that stand for themselves; both may be interleaved."""
    by_flag = {flag: argument for argument in arguments for flag in argument.get("flags", ())}
    options: list[tuple[Packed, list[Any]]] = []
    free: list[str] = []
    before: dict[str, str] = {}  # what options that are given once were given as
    greedy: Packed | None = None  # the option that takes every word up to the next option
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word == "--":
            return options, [*free, *rest]
        if not _is_option(word, by_flag):
            if greedy is not None:
                options.append((greedy, [word]))
            else:
                free.append(word)
            continue
        flag, equals, text = word.partition("=")
        if flag not in by_flag and word[:2] in by_flag:  # -mAP, -m=AP, -qm AP
            flag, equals, text = word[:2], "=", word[2:].removeprefix("=")
            if by_flag[flag]["kind"] in SWITCHES:
                rest.appendleft(f"-{text}")
                equals = ""
        if flag not in by_flag:
            _refuse(command, word, arguments)
        argument = by_flag[flag]
        greedy = argument if argument.get("greedy") else None
        if argument["kind"] in SWITCHES:
            if equals:
                raise InputError(f"{flag} takes no value; leave out ={text}", argument=argument["name"])
            value: Any = argument["kind"] == "flag" or not flag.startswith("--no-")
            shown = flag
        else:
            value = shown = text if equals else rest.popleft() if rest else "--"
            if value == "--":
                raise InputError(f"{flag} needs a value after it", argument=argument["name"])
        key = key_of(argument)
        if key in before and (argument["kind"] not in SWITCHES or before[key] != shown):
            twice = f"{argument['flags'][0]} is given twice, {before[key]!r} and {shown!r}; give it once"
            raise InputError(twice, argument=argument["name"])
        if not argument.get("repeats") and argument["kind"] != "flag":
            before[key] = shown
        options.append((argument, [value]))
    return options, free


def _is_option(word: str, by_flag: Mapping[str, Packed]) -> bool:
    """Whether a word names an option: `-` is standard input, and -1 and `-a b` are values."""
    if not word.startswith("-") or word == "-":
        return False
    return word.partition("=")[0] in by_flag or word[:2] in by_flag or not (" " in word or NEGATIVE.fullmatch(word))


def _placed(command: str, arguments: Sequence[Packed], free: Sequence[str]) -> Iterator[tuple[Packed, list[str]]]:
    """The words that stand for themselves, by the place that each has."""
    places = [argument for argument in arguments if not argument.get("flags")]
    needed = [argument for argument in places if argument.get("required")]
    if len(free) < len(needed):
        lacking = ", ".join(map(_name, needed[len(free) :]))
        raise InputError(
            f"the following arguments are required: {lacking}; irassay {command} --help lists what it takes"
        )
    left, spare = list(free), len(free) - len(needed)  # words beyond those that each place needs
    for argument in places:
        required = int(argument in needed)
        take = required + (spare if argument.get("repeats") else min(spare, 1 - required))
        spare -= take - required
        if take:
            yield argument, left[:take]
        left = left[take:]
    if left:
        _refuse(command, left[0], arguments)


def _value(argument: Packed, text: str) -> Any:
    """A value in its own type, or one sentence on what was expected."""
    from irassay.domains import Domain  # help does without it

    kind, name = argument["kind"], _name(argument)
    if kind == "choice":
        return Domain("word", words=tuple(argument["choices"])).check(name, text)
    if kind in ("numbers", "wholes"):
        read = float if kind == "numbers" else int
        try:
            return tuple(read(part) for part in text.split(","))
        except ValueError:
            what = "numbers" if kind == "numbers" else "whole numbers"
            raise InputError(f"{name} {text}: {what} separated by commas are expected, such as 0.01,0.05") from None
    if kind in NUMBER:
        try:
            value = NUMBER[kind](text)
        except ValueError:
            raise Domain.unpacked(argument).refusal(name, text) from None
        return Domain.unpacked(argument).check(name, value)
    return text


def key_of(argument: Packed) -> str:
    """The name of an argument among all of a command."""
    return f"{argument['part']}:{argument['name']}"


def _name(argument: Packed) -> str:
    return str(argument["flags"][0]) if argument.get("flags") else str(argument.get("metavar") or argument["name"])


def _takers(flag: str) -> list[str]:
    """The commands that take an option, those of meta last."""
    from irassay.declarations import index

    found = [
        name
        for name, entry in index()["commands"].items()
        if any(flag in argument.get("flags", ()) for argument in entry["arguments"])
    ]
    return sorted(found, key=lambda name: name.startswith("meta "))


def _refuse(command: str, word: str, arguments: Sequence[Packed]) -> NoReturn:
    flag = word.split("=")[0]
    if not flag.startswith("-"):
        raise InputError(f"irassay {command} does not know what to do with {word}; irassay {command} --help lists all")
    known = [f for a in arguments for f in a.get("flags", ()) if f.startswith("--")]
    others = _takers(flag)
    hint = did_you_mean(flag, known, f"irassay {command} --help lists its options")
    if others:
        hint = f"irassay {' and '.join(others[:3])} {'does' if len(others) == 1 else 'do'}"
    raise InputError(f"irassay {command} takes no {flag}; {hint}")
