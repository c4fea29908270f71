"""Tables 1 to 4 as printed by Albahem, Spina, Scholer and Cavedon (2019): `figures.toml`, with types."""

from irassay.papers.published import DataFile, figures

FIGURES = figures("albahem2019")
FILES: dict[str, DataFile] = FIGURES["files"]
COMPLEX: dict[str, str] = FIGURES["complex"]  # metrics by their names in the paper, with those in the authors' files
METRICS = tuple(COMPLEX)
SETS = {name: tuple(simple) for name, simple in FIGURES["sets"].items()}
OTHER_SETS = {name: tuple(simple) for name, simple in FIGURES["other_sets"].items()}
EFFORTS = {name: tuple(simple) for name, simple in FIGURES["efforts"].items()}
COLUMNS: list[str] = FIGURES["columns"]
TABLE_2: dict[str, str] = FIGURES["table_2"]
TABLE_3: dict[str, str] = FIGURES["table_3"]
TABLE_4: dict[str, list[str]] = FIGURES["table_4"]


def table_1(iteration: str) -> dict[tuple[str, str], str]:
    """The printed cells of Table 1 for every two metrics."""
    return {
        (name, METRICS[METRICS.index(name) + 1 + i]): text
        for name, row in FIGURES["table_1"][iteration].items()
        for i, text in enumerate(row)
    }


def ranks(table: dict[str, str], set_name: str, column: str) -> list[int]:
    """[metric] The printed ranks in one column.

    >>> ranks(TABLE_3, "Div", "10")
    [5, 6, 4, 2, 1, 3, 7]
    """
    block, place = list(SETS).index(set_name), COLUMNS.index(column)
    return [int(table[metric].split()[block][place]) for metric in METRICS]
