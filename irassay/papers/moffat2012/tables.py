"""The tables of moffat2012 as printed, and what its short names of metrics stand for: `figures.toml`, with types."""

import numpy as np

from irassay.arrays import Floats
from irassay.papers.published import DataFile, figures

FIGURES = figures("moffat2012")
MATRICES: dict[str, DataFile] = FIGURES["files"]
NAMES = tuple(FIGURES["names"])  # rows and columns of Tables 1 and 2
ADAPTIVE: list[str] = FIGURES["adaptive"]  # rows of Tables 4 and 5
COMPARED: list[str] = FIGURES["compared"]  # their columns
METRICS: dict[str, str] = FIGURES["metrics"]
SYSTEMS: dict[str, int] = FIGURES["systems"]
PAIRS: dict[str, int] = FIGURES["pairs"]
FIGURE_2C: list[int] = FIGURES["figure_2c"]  # ranks of the relevant documents
TOPICS = {"TREC-8": range(401, 451), "TREC-10": range(501, 551)}
TABLES = {"TREC-8": ("1", "4"), "TREC-10": ("2", "5")}  # compared by nine metrics, and by adaptive INSQ


def typed(text: str) -> Floats:
    """[row, column] a table typed as it is printed; a dash is no figure.

    >>> typed("1.5 -\\n2 3").tolist()
    [[1.5, nan], [2.0, 3.0]]
    """
    return np.array([[np.nan if word == "-" else float(word) for word in line.split()] for line in text.splitlines()])


PART_A, PART_B, ADAPTIVE_A, ADAPTIVE_B = (
    {collection: typed(text) for collection, text in FIGURES[table].items()}
    for table in ("part_a", "part_b", "adaptive_a", "adaptive_b")
)
