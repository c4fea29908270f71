"""The view of two score tables: how many values differ, the conventions that explain them, and what is left."""

from dataclasses import replace

import numpy as np

from irassay.errors import argument
from irassay.meta.diff.method import Diff
from irassay.prose import capitalised, count_phrase, first_few
from irassay.views.phrases import count_are
from irassay.views.table_columns import column_table
from irassay.views.view import Table, View

MAX_NAMED_CONVENTIONS = 3  # conventions in sentences, and names in a cell
MAX_RUNS = 5  # that are named if only they differ
MAX_ROWS = 20  # unexplained values shown to people


def view(result: Diff) -> View:
    """Where two tables differ, and why."""
    tables = (convention_table(result), unexplained_table(result), metric_table(result))
    return View(
        f"{result.first} and {result.second}", tuple(_sentences(result)), tables, (*result.notes, *_notes(result))
    )


def _sentences(result: Diff) -> list[str]:
    differing, left = int(result.differs.sum()), len(result.unexplained)
    if not differing:
        return [f"{result.first} and {result.second} agree on all {count_phrase(result.compared, 'value')}."]
    metric, largest = result.ranked()[0]
    sentences = [f"{differing:,} of {count_phrase(result.compared, 'value')} differ."]
    if alone := int((result.differs & np.isnan(result.values).any(axis=0)).sum()):
        some = f"{alone:,} of them {'is' if alone == 1 else 'are'}"
        sentences.append(f"{some if alone < differing else 'All of them are'} in one of the tables only.")
    sentences += [f"The largest difference is {largest:.4g} ({metric})."] if largest else []
    if named := result.conventions:
        share = "all of them" if not left else f"{differing - left:,}"
        sentences.append(f"{count_phrase(len(named), 'convention')} explain{'s' * (len(named) == 1)} {share}.")
    for each in named[:MAX_NAMED_CONVENTIONS]:
        where = "" if set(each.metrics) == set(result.metrics) else f" ({first_few(each.metrics, 3)})"
        name = capitalised(each.name)
        sentences.append(f"{name}{where}: {each.first} ({result.first}) or {each.second} ({result.second}).")
    if left:
        sentences.append(f"{count_are(left, 'value')} unexplained.")
    if left and not result.rescored:
        sentences.append(
            f"To find out why, give the judgements and runs with {argument('qrels')} and {argument('runs')}."
        )
    return sentences


def _notes(result: Diff) -> list[str]:
    if not result.rescored:
        return ["values were compared, not computed again: there are no runs"]
    return [
        "a difference is explained if both values come out when the lists are scored again, each by its conventions"
    ]


def convention_table(result: Diff) -> Table:
    """A row for each convention in which the tables differ; machines get all names."""

    def table(limit: int | None) -> Table:
        rows = result.conventions
        columns = {
            "convention": [each.name for each in rows],
            "first": [each.first for each in rows],
            "second": [each.second for each in rows],
            "metrics": [_all_or_few(each.metrics, result.metrics, limit) for each in rows],
            "runs": [_all_or_few(each.runs, _differing_runs(result, each.metrics), limit) for each in rows],
            "values": [each.values for each in rows],
        }
        return column_table("conventions", columns, "Conventions that differ", main=True, detail=not rows)

    return replace(table(MAX_NAMED_CONVENTIONS), machine=table(None))


def _all_or_few(names: tuple[str, ...], every: tuple[str, ...], limit: int | None) -> str:
    return "all" if set(names) == set(every) else first_few(names, limit or len(names))


def _differing_runs(result: Diff, metrics: tuple[str, ...]) -> tuple[str, ...]:
    """The runs with a difference under some of the metrics; all runs if these are few."""
    inside = [m for m, metric in enumerate(result.metrics) if metric in metrics]
    runs = tuple(result.systems[s] for s in np.flatnonzero(result.differs[:, :, inside].any(axis=(1, 2))))
    return runs if len(runs) > MAX_RUNS else result.systems


def unexplained_table(result: Diff) -> Table:
    """A row for each value that no convention explains."""
    rows = result.unexplained
    names = ("run", "metric", "topic", "first", "second")
    columns = {name: [row[n] for row in rows] for n, name in enumerate(names)}
    columns["difference"] = [row[4] - row[3] for row in rows]
    return column_table("unexplained", columns, "Unexplained values", max_rows=MAX_ROWS, detail=not rows)


def metric_table(result: Diff) -> Table:
    """A row for each metric: how many values differ, and by how much."""
    known = (~np.isnan(result.values)).any(axis=0)
    with np.errstate(invalid="ignore"):
        mean = np.nan_to_num((result.values[1] - result.values[0]) * result.differs).sum(axis=(0, 1))
    number = result.differs.sum(axis=(0, 1))
    columns = {
        "metric": result.metrics,
        "values": known.sum(axis=(0, 1)),
        "differ": number,
        "explained": (result.differs & result.explained).sum(axis=(0, 1)),
        "largest difference": result.largest(),
        "mean of those": mean / np.maximum(number, 1),
    }
    return column_table("metrics", columns, "Differences by metric")
