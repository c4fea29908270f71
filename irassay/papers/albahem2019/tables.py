"""What Albahem, Spina, Scholer and Cavedon (2019) print in their Tables 1 to 4: `figures.toml`, with types."""

from irassay.papers.published import DataFile, figures

FIGURES = figures("albahem2019")
FILES: dict[str, DataFile] = FIGURES["files"]
COMPLEX: dict[str, str] = FIGURES["complex"]  # the metrics as the paper and as the authors' files call them
METRICS = tuple(COMPLEX)
SETS = {name: tuple(simple) for name, simple in FIGURES["sets"].items()}
EFFORTS = {name: tuple(simple) for name, simple in FIGURES["efforts"].items()}
COLUMNS: list[str] = FIGURES["columns"]
TABLE_2: dict[str, str] = FIGURES["table_2"]
TABLE_3: dict[str, str] = FIGURES["table_3"]
TABLE_4: dict[str, list[str]] = FIGURES["table_4"]


def table_1(iteration: str) -> dict[tuple[str, str], str]:
    """Every two metrics as Table 1 prints them."""
    return {
        (name, METRICS[METRICS.index(name) + 1 + i]): text
        for name, row in FIGURES["table_1"][iteration].items()
        for i, text in enumerate(row)
    }


def ranks(table: dict[str, str], chosen: str, column: str) -> list[int]:
    """[metric] the ranks of one column.

    >>> ranks(TABLE_3, "Div", "10")
    [5, 6, 4, 2, 1, 3, 7]
    """
    block, place = list(SETS).index(chosen), COLUMNS.index(column)
    return [int(table[metric].split()[block][place]) for metric in METRICS]
