"""Tables 1 to 3 and Figure 1 as printed by Chen and Sakai (2023): `figures.toml`, with types."""

from typing import Any, NamedTuple

from irassay.papers.published import figures
from irassay.papers.reproduction import Kind

FIGURES = figures("chen2023")
MODELS: tuple[str, ...] = tuple(FIGURES["models"])
AGGREGATIONS: list[str] = FIGURES["aggregations"]
CONSTANT: list[str] = FIGURES["constant"]  # with the aggregation ERR, Table 1
CANONICAL = {model: "ERR" if model == "ERR" else "ERG" for model in MODELS}
TABLE_2: dict[str, dict[str, float]] = FIGURES["table_2"]
FOLDERS: dict[str, dict[str, Any]] = FIGURES["folders"]
TABLE_3: dict[str, dict[str, dict[str, float]]] = FIGURES["table_3"]


def taus(collection: str) -> dict[str, dict[tuple[str, str], float]]:
    """tau of every two aggregations, in both orders, under each browsing model that is legible.

    >>> taus("TR19DL")["RBP"]["FIN", "ERG"]
    0.954
    """
    order = ("ETG", "ERG", "AVG", "MAX", "FIN", "PE", "ERR")
    by_model: dict[str, dict[tuple[str, str], float]] = {}
    for model, text in FIGURES["tau"].get(collection, {}).items():
        rows = [[int(value) / 1000 for value in row.split()] for row in text.split(", ")]
        pairs = {(order[i], order[i + 1 + j]): value for i, row in enumerate(rows) for j, value in enumerate(row)}
        by_model[model] = {**pairs, **{(b, a): value for (a, b), value in pairs.items()}}
    return by_model


class PrintedTau(NamedTuple):
    """A printed tau with the ends of its interval, and how it was read."""

    model: str
    collection: str
    tau: float
    low: float | None  # None: illegible
    high: float | None
    kind: Kind

    @property
    def text(self) -> str | None:
        """The interval as printed; None if illegible."""
        return None if self.low is None or self.high is None else f"({self.low:.3f}, {self.high:.3f})"


def intervals() -> list[PrintedTau]:
    """Every distinct tau of a panel with its interval.

    >>> intervals()[0].text
    '(0.684, 0.855)'
    """
    rows = []
    for panel in FIGURES["intervals"]:
        for triple in panel["figures"].split(","):
            tau, *ends = triple.split()
            low, high = (None if end == "?" else int(end) / 1000 for end in ends)
            kind: Kind = "illegible" if low is None else "read to fit" if tau.startswith("~") else "printed"
            rows.append(PrintedTau(panel["model"], panel["collection"], int(tau.lstrip("~")) / 1000, low, high, kind))
    return rows
