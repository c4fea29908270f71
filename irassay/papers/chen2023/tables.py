"""Tables 1 to 3 and Figure 1 as printed by Chen and Sakai (2023): `figures.toml`, with types."""

from irassay.papers.published import figures

FIGURES = figures("chen2023")
MODELS: tuple[str, ...] = tuple(FIGURES["models"])
AGGREGATIONS: list[str] = FIGURES["aggregations"]
CONSTANT: list[str] = FIGURES["constant"]  # with the aggregation ERR, Table 1
CANONICAL = {model: "ERR" if model == "ERR" else "ERG" for model in MODELS}
COLLECTIONS = {name: tuple(sizes) for name, sizes in FIGURES["collections"].items()}  # runs and topics
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


def intervals() -> list[tuple[str, str, float, float | None, float | None]]:
    """Every distinct tau of a panel: browsing model, collection, tau, and the ends of its interval if legible.

    >>> intervals()[0]
    ('Precision', 'WWW3', 0.784, 0.684, 0.855)
    """
    rows = []
    for panel in FIGURES["intervals"]:
        for triple in panel["figures"].split(","):
            tau, *ends = triple.split()
            low, high = (None if end == "?" else int(end) / 1000 for end in ends)
            rows.append((panel["model"], panel["collection"], int(tau) / 1000, low, high))
    return rows
