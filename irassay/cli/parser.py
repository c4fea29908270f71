"""Parsers made from the index: what is given, by name; everything else is refused with one sentence."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from irassay.errors import InputError
from irassay.prose import did_you_mean

Packed = Mapping[str, Any]  # an argument as the index holds it
PARTS = ("input", "setting", "view", "envelope")
NUMBER = {"whole": int, "number": float}


def given(command: str, entry: Mapping[str, Any], words: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What the words on the command line say, by part and name of the argument; what was not given is not there."""
    joined = list(_joined(entry["arguments"], words))
    _refuse_repeated(entry["arguments"], joined)
    known = plain(entry["arguments"], joined)
    if known is None:
        from irassay.cli.argparser import parser_of

        space, unknown = parser_of(command, entry).parse_known_intermixed_args(joined)
        for word in unknown:
            _refuse(command, word, entry["arguments"])
        known = vars(space)
    found: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for argument in entry["arguments"]:
        if key_of(argument) not in known:
            continue
        value = known[key_of(argument)]
        if argument["kind"] not in ("flag", "switch"):
            several = isinstance(value, list)
            if argument.get("flags") and several and ([] in value or not value):  # argparse reads `--save --` so
                raise InputError(f"{argument['flags'][0]} needs a value")
            read = [_value(argument, text) for text in (value if several else [value])]
            value = tuple(read) if several else read[0]
        if value != () or argument.get("flags"):
            found[argument["part"]][argument["name"]] = value
    return found


def plain(arguments: Sequence[Packed], words: Sequence[str]) -> dict[str, Any] | None:
    """What plain words say, by argument; None where argparse, which takes longer to import, has to look at them."""
    by_flag = {flag: argument for argument in arguments for flag in argument.get("flags", ())}
    found: dict[str, Any] = {}
    free: list[str] = []
    for word in words:
        if not word.startswith("-") or word == "-":
            free.append(word)
            continue
        flag, equals, text = word.partition("=")
        argument = by_flag.get(flag)
        if argument is None or (argument["kind"] in ("flag", "switch")) == bool(equals) or text == "--":
            return None
        key = key_of(argument)
        value = text if equals else argument["kind"] == "flag" or not flag.startswith("--no-")
        found[key] = [*found.get(key, ()), value] if argument.get("repeats") else value
    places = [argument for argument in arguments if not argument.get("flags")]
    needed = [int(argument.get("required", False)) for argument in places]
    for i, argument in enumerate(places):
        most = len(free) if argument.get("repeats") else 1
        take = max(min(len(free) - sum(needed[i + 1 :]), most), 0)
        mine, free = free[:take], free[take:]
        if len(mine) < needed[i]:
            return None
        if mine:
            found[key_of(argument)] = mine if argument.get("repeats") else mine[0]
    return None if free else found


def _joined(arguments: Sequence[Packed], words: Sequence[str]) -> Any:
    """The words with every option and its value in one, so that a value may begin with a dash."""
    takes = {
        flag: a["flags"][0] for a in arguments for flag in a.get("flags", ()) if a["kind"] not in ("flag", "switch")
    }
    greedy = {flag for a in arguments if a.get("greedy") for flag in a["flags"]}
    rest, before = iter(words), ""
    for word in rest:
        if word.startswith("-") and len(word) > 1:
            before = word.split("=")[0]
        elif before in greedy:
            yield f"{takes[before]}={word}"
            continue
        if word == "--":
            yield from (word, *rest)
            return
        short = next((f for f in takes if len(f) == 2 and word.startswith(f) and len(word) > 2), None)
        if word in takes:
            value = next(rest, None)
            if value is None:
                raise InputError(f"{word} needs a value after it")
            yield f"{takes[word]}={value}"
        elif short:
            yield f"{takes[short]}={word[2:].removeprefix('=')}"
        else:
            yield word


def _refuse_repeated(arguments: Sequence[Packed], joined: Sequence[str]) -> None:
    """Says which option is given more than once though it has one value; flags may be, unless they contradict."""
    single = {flag: a for a in arguments if not a.get("repeats") for flag in a.get("flags", ())}
    before: dict[str, str] = {}
    for word in joined[: joined.index("--") if "--" in joined else None]:
        flag, equals, text = word.partition("=")
        argument = single.get(flag)
        if argument is None or argument["kind"] == "flag":
            continue
        key, shown = key_of(argument), text if equals else flag
        if key in before and (equals or before[key] != flag):
            raise InputError(f"{argument['flags'][0]} is given twice, {before[key]!r} and {shown!r}; give it once")
        before[key] = shown


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
