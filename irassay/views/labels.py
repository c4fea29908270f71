"""Names beside the points of a scatter plot, put where they hide neither points nor each other."""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Bools, Floats

LETTER = 0.5  # mean width of a letter, in font sizes
POINT = 6.0  # half the width of a point, in pixels
ROUND = np.array([(1, -1), (1, 0), (1, 1), (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1)], dtype=np.float64)
RINGS = (1.0, 1.6)  # how far from the point, in multiples of the usual distance


def placed(
    at: Floats, names: Sequence[str], size: tuple[float, float], others: Floats | None = None, font: float = 10
) -> tuple[Floats, Bools]:
    """[point, 2] how far the middle of each name lies from its point, in pixels; [point] false where there is no room.

    `at` are the points that have names, in pixels from the top left of a frame of this size; `others` have none.

    >>> placed(np.array([[10.0, 50.0], [12.0, 50.0]]), ["first", "second"], (200.0, 100.0))[1].tolist()
    [True, True]
    """
    points = at if others is None else np.concatenate([at, others])
    taken = np.concatenate([points - POINT, points + POINT], axis=1)  # [box, left top right bottom]
    offset, shown = np.zeros_like(at), np.zeros(len(at), dtype=np.bool_)
    for i, name in enumerate(names):
        half = np.array([LETTER * font * len(name) / 2, font * 0.6])
        step = np.concatenate([ROUND * ring for ring in RINGS])
        shift = np.sign(step) * half + step * (POINT + 1)  # [candidate, 2]
        box = np.concatenate([at[i] + shift - half, at[i] + shift + half], axis=1)
        inside = (box[:, 0] >= 0) & (box[:, 1] >= 0) & (box[:, 2] <= size[0]) & (box[:, 3] <= size[1])
        free = inside & ~_overlap(box, taken).any(axis=1)
        if free.any():
            best = int(np.argmax(free))
            offset[i], shown[i] = shift[best], True
            taken = np.concatenate([taken, box[best : best + 1]])
    return offset, shown


def _overlap(one: Floats, other: Floats) -> Bools:
    """[box, box] whether two boxes overlap."""
    a, b = one[:, None], other[None]
    apart = (a[..., 2] <= b[..., 0]) | (b[..., 2] <= a[..., 0]) | (a[..., 3] <= b[..., 1]) | (b[..., 3] <= a[..., 1])
    return ~apart
