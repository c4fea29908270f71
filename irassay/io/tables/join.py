"""One cube of scores out of several."""

from collections.abc import Sequence

import numpy as np

from irassay.errors import InputError
from irassay.scores import Scores, positions, shown


def join(parts: Sequence[Scores]) -> Scores:
    """All that several Scores say, in one cube: other systems, topics or metrics, or all of them.

    >>> import numpy as np
    >>> AP = Scores(np.array([[[0.5]]]), ("A",), ("1",), ("AP",))
    >>> RR = Scores(np.array([[[1.0]]]), ("A",), ("1",), ("RR",))
    >>> join([AP, RR]).values.tolist()
    [[[0.5, 1.0]]]
    """
    systems = tuple(dict.fromkeys(name for part in parts for name in part.systems))
    keys = tuple(dict.fromkeys(key for part in parts for key in part.keys))
    direction: dict[str, bool] = {}
    for part in parts:
        for metric, up in zip(part.metrics, part.higher_is_better, strict=True):
            if direction.setdefault(metric, up) != up:
                raise InputError(f"{metric} is a cost in one table and a benefit in another.")
    metrics = tuple(direction)
    values = np.full((len(systems), len(keys), len(metrics)), np.nan)
    for part in parts:
        s = positions("system", systems, part.systems)
        t = positions("topic", keys, part.keys)
        m = positions("metric", metrics, part.metrics)
        place = np.ix_(s, t, m)
        before = values[place]
        clash = (before != part.values) & ~np.isnan(before) & ~np.isnan(part.values)
        if clash.any():
            i, j, k = np.argwhere(clash)[0]
            raise InputError(
                f"{part.systems[i]} has two scores on topic {shown(part.keys[j])} under {part.metrics[k]}, "
                f"{before[i, j, k]} and {part.values[i, j, k]}; name the two collections or runs apart."
            )
        values[place] = np.where(np.isnan(part.values), before, part.values)
    return Scores(
        values,
        systems,
        tuple(topic for _, topic in keys),
        metrics,
        tuple(direction.values()),
        tuple(collection for collection, _ in keys),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )
