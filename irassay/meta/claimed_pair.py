"""The two systems of a claim: the first is said to be better than the second."""

from collections.abc import Sequence

from irassay.errors import InputError, argument
from irassay.meta.system_lookup import system_by_name
from irassay.scores import Scores


def claimed_pair(scores: Scores, pair: Sequence[str]) -> tuple[int, int] | None:
    """The numbers of the two systems given as a pair, or of the only two in their order; None if there are more."""
    if len(scores.systems) < 2:
        count = f"{len(scores.systems)} (the same run given twice counts once)"
        raise InputError(f"A claim is about two systems; found {count}. Give two runs.")
    if not pair:
        return (0, 1) if len(scores.systems) == 2 else None
    if len(pair) == 1 and pair[0] not in scores.systems:  # such as A,B
        pair = [name.strip() for name in pair[0].split(",")]
    names = [system_by_name(scores, name, "one of the pair") for name in pair]
    if len(names) != 2 or names[0] == names[1]:
        raise InputError(argument("pair", ",".join(pair)), ": give two different runs, separated by a comma.")
    return scores.systems.index(names[0]), scores.systems.index(names[1])
