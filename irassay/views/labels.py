"""Labels beside the points of a scatter plot, where they hide neither points nor each other."""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Bools, Floats

WIDE, NARROW = set("ABCDEFGHKLMNOPQRSTUVWXYZmw@"), set("ijlftr.,:;'()[]| -I")  # letters
POINT_RADIUS = 6.0  # in pixels
DIRECTIONS = np.array([(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1)], dtype=np.float64)
NEARER = 1.3  # how many times further than from its own point a label should be from other points
DISTANCES = (1.0, 1.6)  # from the point, in multiples of the default


def label_offsets(
    labelled: Floats,
    names: Sequence[str],
    size: tuple[float, float],
    others: Floats | None = None,
    font: float = 10,
    crossed: Floats | None = None,
) -> tuple[Floats, Bools]:
    """[point, 2] offset of the centre of each label from its point, in pixels; [point] false if there is no room.

    `labelled` are the points with labels, in pixels from the top left of a frame of this size; `others` have none.
    A label is nearest to its own point, by far if possible; if possible, it hides no part of `crossed`: [box, left top
    right bottom].

    >>> label_offsets(np.array([[10.0, 50.0], [12.0, 50.0]]), ["first", "second"], (200.0, 100.0))[1].tolist()
    [True, True]
    """
    points = labelled if others is None else np.concatenate([labelled, others])
    occupied = np.concatenate([points - POINT_RADIUS, points + POINT_RADIUS], axis=1)  # [box, left top right bottom]
    offset, has_room = np.zeros_like(labelled), np.zeros(len(labelled), dtype=np.bool_)
    step = np.concatenate([DIRECTIONS * distance for distance in DISTANCES])
    for i, name in enumerate(names):
        half = np.array([label_width(name, font) / 2, font * 0.6])
        shift = np.sign(step) * half + step * (POINT_RADIUS + 1)  # [candidate, 2]
        box = np.concatenate([labelled[i] + shift - half, labelled[i] + shift + half], axis=1)
        inside = (box[:, :2] >= 0).all(axis=1) & (box[:, 2:] <= size).all(axis=1)
        gap = _distance(box, points)  # [candidate, point]
        own, rest = gap[:, i : i + 1], np.delete(gap, i, axis=1)
        free = inside & ~_overlap(box, occupied).any(axis=1) & (rest >= own - 0.5).all(axis=1)
        if free.any():
            clear = (rest > NEARER * own).all(axis=1)
            clear &= crossed is None or ~_overlap(box, crossed).any(axis=1)
            best = int(np.argmax(free * (1 + clear)))
            offset[i], has_room[i] = shift[best], True
            occupied = np.concatenate([occupied, box[best : best + 1]])
    return offset, has_room


def label_width(name: str, font: float) -> float:
    """About the width of a name in pixels."""
    return font * sum(0.75 if letter in WIDE else 0.32 if letter in NARROW else 0.56 for letter in name)


def _overlap(one: Floats, other: Floats) -> Bools:
    """[box, box] whether two boxes overlap."""
    a, b = one[:, None], other[None]
    return np.asarray(((a[..., 2:] > b[..., :2]) & (b[..., 2:] > a[..., :2])).all(axis=-1))


def _distance(boxes: Floats, points: Floats) -> Floats:
    """[box, point] the distance of each point from each box."""
    outside = np.maximum(boxes[:, None, :2] - points, points - boxes[:, None, 2:])
    return np.asarray(np.hypot(*np.moveaxis(np.maximum(outside, 0.0), 2, 0)))
