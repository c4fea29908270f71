"""The printed tables of moffat2012, and the metrics that its short names stand for: `figures.toml`, with types."""

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
TABLES = {"TREC-8": ("1", "4"), "TREC-10": ("2", "5")}  # the tables that compare nine metrics, and adaptive INSQ


def parsed_table(text: str) -> Floats:
    """[row, column] A table written as it is printed; a dash is a missing figure.

    >>> parsed_table("1.5 -\\n2 3").tolist()
    [[1.5, nan], [2.0, 3.0]]
    """
    return np.array([[np.nan if word == "-" else float(word) for word in line.split()] for line in text.splitlines()])


PART_A, PART_B, ADAPTIVE_A, ADAPTIVE_B = (
    {collection: parsed_table(text) for collection, text in FIGURES[table].items()}
    for table in ("part_a", "part_b", "adaptive_a", "adaptive_b")
)
