"""Names of systems, topics and metrics: checked, and found in any spelling."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from numbers import Real

import numpy as np

from irassay.errors import InputError, as_found
from irassay.prose import did_you_mean


def checked_names(kind: str, values: Iterable[object]) -> tuple[str, ...]:
    """The names of systems, topics or metrics as text; numbers may be names too."""
    if isinstance(values, bytes) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) != 1:
        raise InputError(f"{kind} must be several names, such as ('a', 'b'); found {as_found(values)}.")
    names = tuple(values)
    if odd := [name for name in names if not (isinstance(name, str | Real) or hasattr(name, "__metric__"))]:
        raise InputError(f"{kind} must be names; found {as_found(odd[0])}.")
    return tuple(name if isinstance(name, str) else str(name) for name in names)


def positions(kind: str, names: Sequence[Hashable], requested: Iterable[Hashable]) -> list[int]:
    """The position of each requested name among the names."""
    place = {name: i for i, name in enumerate(names)}
    places = []
    for name in requested:
        spelling = name if name in place or kind != "metric" else canonical_spelling(name)
        if spelling not in place:
            examples = ", ".join(map(quoted_name, names[:10])) + (", …" if len(names) > 10 else "")
            hint = did_you_mean(str(name), [other for other in names if isinstance(other, str)])
            there = f"{hint} There" if hint else "there"
            raise InputError(f"There is no {kind} {quoted_name(name)}; {there} are: {examples}.")
        places.append(place[spelling])
    return places


def matching_metric(name: str, known: Sequence[str]) -> str | None:
    """The known metric that a name stands for in any spelling: ours, a paper's, or with parameters in another order."""
    from irassay.metrics.grids import PUBLISHED_NAMES

    published = PUBLISHED_NAMES.get(name, name)
    for spelling in (name, published, f"{published}@10", *(other for other in known if other.lower() == name.lower())):
        if spelling in known:
            return spelling
    canonical = canonical_spelling(name)
    return next((other for other in known if canonical_spelling(other) == canonical), None)


def plain_metric(name: str) -> str:
    """A metric without what may be set for all metrics at once: the level of relevance, and leaving out the unjudged.

    >>> plain_metric("P(rel=2)@10"), plain_metric("mine")
    ('P@10', 'mine')
    """
    from irassay.metrics.grammar import parse

    try:
        metric = parse(name)
    except InputError:
        return name
    left_out = {"rel", "judged_only", *metric.meaning.implies.get("rel", ())}
    return str(replace(metric, given=tuple(each for each in metric.given if each[0] not in left_out)))


def canonical_spelling(name: Hashable) -> Hashable:
    """The canonical string of a metric; the name itself if it is not one of ours."""
    from irassay.metrics.grammar import parse

    try:
        return str(parse(str(name)))
    except InputError:
        return name


def quoted_name(name: Hashable) -> str:
    """A name in quotes, for a topic with its collection if it has one."""
    return "'" + ("/".join(filter(None, name)) if isinstance(name, tuple) else str(name)) + "'"


def has_repeats(names: Sequence[Hashable]) -> bool:
    """Whether a name occurs twice; for a million names, hashes take a quarter of the memory of a set."""
    hashes = np.sort(np.fromiter(map(hash, names), np.int64, len(names)))
    return bool((hashes[1:] == hashes[:-1]).any()) and len(set(names)) < len(names)
