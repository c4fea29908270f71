"""The two systems of a claim: the claim is that the first is better than the second."""

from collections.abc import Sequence

from irassay.errors import InputError
from irassay.meta.system_lookup import named_pair
from irassay.scores import Scores


def claimed_pair(scores: Scores, pair: Sequence[str]) -> tuple[int, int] | None:
    """The numbers of the two systems given as a pair, or of the only two in their order; None if there are more."""
    if len(scores.systems) < 2:
        count = f"{len(scores.systems)} (the same run given twice counts once)"
        raise InputError(f"A claim is about two systems; found {count}. Give two runs.")
    names = named_pair(scores, pair)
    if names is None:
        return (0, 1) if len(scores.systems) == 2 else None
    return scores.systems.index(names[0]), scores.systems.index(names[1])
