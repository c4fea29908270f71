"""The figures printed by Jiang and Allan (2016), and the folds of their experiment: `figures.toml`, with types."""

import numpy as np

from irassay.metrics.grids import grid
from irassay.papers.published import DataFile, figures

FIGURES = figures("jiang2016")
FILES: dict[str, DataFile] = FIGURES["files"]
TUNED: dict[str, float] = FIGURES["tuned"]
EFFORTS: list[str] = FIGURES["efforts"]
BLOCKS: dict[str, list[str]] = FIGURES["blocks"]
ADAPTIVE = tuple(name for block in BLOCKS.values() for name in block)
SINGLE: list[str] = FIGURES["single"]
FOLDS = np.array([[int(digit) for digit in partition] for partition in FIGURES["folds"]])  # [partition, session]


def metrics() -> dict[str, str]:
    """The metric of each row of Table 3, by its name in the paper, with the effort if there are three.

    >>> metrics()["GRBP, p = 0.6, e = 4"]
    "GRBP(p=0.6,effort=(0.25,1,1),end='list')@9"
    """
    adaptive_names = [f"{name}, {effort}" for effort in EFFORTS for name in ADAPTIVE]
    return dict(zip((*adaptive_names, *SINGLE), grid("effort").metrics, strict=True))
