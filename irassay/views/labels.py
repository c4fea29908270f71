"""Labels beside the points of a scatter plot, where they hide neither points nor each other."""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Bools, Floats

LETTER_WIDTH = 0.5  # mean, in font sizes
POINT_RADIUS = 6.0  # in pixels
DIRECTIONS = np.array([(1, -1), (1, 0), (1, 1), (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1)], dtype=np.float64)
DISTANCES = (1.0, 1.6)  # from the point, in multiples of the default


def label_offsets(
    labelled: Floats, names: Sequence[str], size: tuple[float, float], others: Floats | None = None, font: float = 10
) -> tuple[Floats, Bools]:
    """[point, 2] offset of the centre of each label from its point, in pixels; [point] false if there is no room.

    `labelled` are the points with labels, in pixels from the top left of a frame of this size; `others` have none.

    >>> label_offsets(np.array([[10.0, 50.0], [12.0, 50.0]]), ["first", "second"], (200.0, 100.0))[1].tolist()
    [True, True]
    """
    points = labelled if others is None else np.concatenate([labelled, others])
    occupied = np.concatenate([points - POINT_RADIUS, points + POINT_RADIUS], axis=1)  # [box, left top right bottom]
    offset, has_room = np.zeros_like(labelled), np.zeros(len(labelled), dtype=np.bool_)
    step = np.concatenate([DIRECTIONS * distance for distance in DISTANCES])
    for i, name in enumerate(names):
        half = np.array([LETTER_WIDTH * font * len(name) / 2, font * 0.6])
        shift = np.sign(step) * half + step * (POINT_RADIUS + 1)  # [candidate, 2]
        box = np.concatenate([labelled[i] + shift - half, labelled[i] + shift + half], axis=1)
        inside = (box[:, :2] >= 0).all(axis=1) & (box[:, 2:] <= size).all(axis=1)
        free = inside & ~_overlap(box, occupied).any(axis=1)
        if free.any():
            best = int(np.argmax(free))
            offset[i], has_room[i] = shift[best], True
            occupied = np.concatenate([occupied, box[best : best + 1]])
    return offset, has_room


def _overlap(one: Floats, other: Floats) -> Bools:
    """[box, box] whether two boxes overlap."""
    a, b = one[:, None], other[None]
    return np.asarray(((a[..., 2:] > b[..., :2]) & (b[..., 2:] > a[..., :2])).all(axis=-1))
