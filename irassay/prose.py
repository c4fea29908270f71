"""How messages write places, counts and lists of names."""

from collections.abc import Sequence


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
    return ", ".join(names[:most]) + rest
