"""The view of scores: a table of means, or one row per value for machines."""

import csv
from collections.abc import Iterable, Iterator
from importlib import import_module
from io import TextIOWrapper
from itertools import compress, repeat
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TextIO

import numpy as np

from irassay.metrics.grammar import parse
from irassay.notes import Note
from irassay.prose import count_phrase, name_list
from irassay.scores import TOPICS_AT_A_TIME, Scores
from irassay.scoring.columns import TIE_ENDS
from irassay.settings import Option
from irassay.views.table_columns import formula_as_text, rows, whole_counts
from irassay.views.view import Cell, Table, View, reordered_table
from irassay.writing import binary_file

LONG_COLUMNS = ("run", "metric", "topic", "value")


def view(
    scores: Scores,
    *,
    by_topic: Annotated[bool, "Also show every topic."] = False,
    digits: Annotated[int, Option("Decimals in tables for people.", low=0, high=15)] = 4,
    output: Annotated[
        Path | None,
        Option(
            "Write means, with --by-topic every value, one per row, to FILE.tsv, .csv or .parquet instead.",
            short="-o",
            panel="Output",
        ),
    ] = None,
    long: bool = False,
) -> View:
    """Means of every run; with `by_topic` also every topic; `long` gives one row per value, which go to `output`."""
    if long:
        table = long_table(scores, by_topic)
    else:
        table = by_topic_table(scores, digits) if by_topic else means_table(scores, digits)
    sentence = f"{count_phrase(len(scores.systems), 'run')}, {count_phrase(len(scores.topics), 'topic')}."
    charts = (("means", lambda: import_module("irassay.views.means_chart").means_chart(scores)),)  # slow to import
    return View("Scores", (sentence,), (table,), (*scores.notes, *scenario_notes(scores), *_tie_notes(scores)), charts)


def scenario_notes(scores: Scores) -> tuple[str, ...]:
    """Notes on the meaning of [worst] and [best] scores."""
    with_scenarios = [name.removesuffix("[best]") for name in scores.metrics if name.endswith("[best]")]
    bound = [name for name in with_scenarios if parse(name).bounded(scores.has_costs)]
    other = [name for name in with_scenarios if name not in bound]
    notes: list[str] = []
    if bound:
        notes.append(f"[worst] and [best] are bounds for {name_list(bound, len(bound))}")
    if other:
        names = name_list(other, len(other))
        text = f"[worst] and [best] are no bounds for {names}; other judgements could go beyond them"
        notes.append(Note(text, caveat=True))
    if any(parse(name).size for name in with_scenarios):
        notes.append("[best] treats ranks past the end of a list, up to the cutoff, as unjudged results")
    others = [name for name in scores.metrics if name not in with_scenarios and "[" not in name]
    if with_scenarios and others:
        verb = "measures" if len(others) == 1 else "measure"
        notes.append(
            f"neither is given for {name_list(others, len(others))}, which {verb} how much is judged or retrieved"
        )
    return tuple(notes)


def _tie_notes(scores: Scores) -> tuple[str, ...]:
    """A note on the meaning of ranges over tied results, if there are any."""
    text = f"{', '.join(TIE_ENDS)}: over all orders of results with equal scores, one chosen for every list"
    return (text,) if any(name.endswith(TIE_ENDS) for name in scores.metrics) else ()


def means_table(scores: Scores, digits: int) -> Table:
    """[run] means by metric, the best run by the first metric first, the best of each metric in bold."""
    means = scores.means()
    marks = set()
    for m, up in enumerate(scores.higher_is_better):
        column = means[:, m] if up else -means[:, m]
        if len(scores.systems) > 1 and not np.isnan(column).all():
            best = np.nanmax(column)
            marks |= {(int(s), m + 1) for s in np.flatnonzero(column >= best - scores.noise()[m])}
    lines = rows(scores.systems, *_shown_means(scores))
    table = Table("means", ("run", *scores.metrics), lines, digits=digits, marks=frozenset(marks))
    if not scores.metrics:
        return table
    first = means[:, 0] if scores.higher_is_better[0] else -means[:, 0]
    return reordered_table(table, np.argsort(-first, kind="stable").tolist())  # NaN is last


def _shown_means(scores: Scores) -> list[Any]:
    """[metric][system] the means; sums of counts as integers."""
    columns = zip(scores.means().T, scores.metrics, scores.over_topics, strict=True)
    return [whole_counts(mean, metric) if over == "sum" else mean for mean, metric, over in columns]


def by_topic_table(scores: Scores, digits: int) -> Table:
    """Every topic of every run, each run followed by its mean."""
    means = rows(*_shown_means(scores))
    lines: list[tuple[Cell, ...]] = []
    for s, system in enumerate(scores.systems):
        columns = (whole_counts(scores.values[s, :, m], metric) for m, metric in enumerate(scores.metrics))
        lines += rows([system] * len(scores.topics), scores.topics, *columns)
        lines.append((system, "all", *means[s]))
    return Table("scores", ("run", "topic", *scores.metrics), tuple(lines), digits=digits)


def long_table(scores: Scores, by_topic: bool) -> Table:
    """One row per value: run, metric, topic, value; the topic `all` has means."""
    lines = [line for stretch in long_rows(scores, by_topic) for line in stretch]
    return Table("scores", LONG_COLUMNS, tuple(lines), digits=6)


def long_rows(scores: Scores, by_topic: bool) -> Iterator[Iterable[tuple[str, str, str, float]]]:
    """The rows of the long table, in lazily made batches."""
    means, step = scores.means(), TOPICS_AT_A_TIME
    for s, system in enumerate(scores.systems):
        for m, metric in enumerate(scores.metrics):
            for start in range(0, len(scores.topics) if by_topic else 0, step):
                values = scores.values[s, start : start + step, m]
                topics, known = scores.topics[start : start + step], ~np.isnan(values)
                yield zip(repeat(system), repeat(metric), compress(topics, known), values[known].tolist(), strict=False)
            yield ((system, metric, "all", float(means[s, m])),)


def write_long(scores: Scores, by_topic: bool, form: str, out: TextIO, safe_csv: bool = False) -> None:
    """Write the long table as TSV or CSV, batch by batch, numbers in full precision."""
    writer = csv.writer(out, delimiter="\t" if form == "tsv" else ",", lineterminator="\n")
    writer.writerow(LONG_COLUMNS)
    for stretch in long_rows(scores, by_topic):
        rows_to_write = ((*map(formula_as_text, names), value) for *names, value in stretch) if safe_csv else stretch
        writer.writerows(rows_to_write)


def write_table(scores: Scores, by_topic: bool, path: Path, safe_csv: bool = False) -> None:
    """Write the long table to a file, as TSV, CSV or Parquet by its extension."""
    with binary_file(path) as out:
        if path.suffix == ".parquet":
            _write_parquet(scores, by_topic, out)
            return
        text = TextIOWrapper(out, encoding="utf-8", errors="backslashreplace", newline="")
        write_long(scores, by_topic, path.suffix[1:], text, safe_csv)
        text.flush()
        text.detach()


def _write_parquet(scores: Scores, by_topic: bool, out: BinaryIO) -> None:
    """Write the long table as Parquet, one metric of one run at a time."""
    import polars as pl

    means = scores.means()
    topics = pl.Series("topic", (*scores.topics, "all") if by_topic else ("all",), pl.String)
    names = pl.DataFrame({"topic": topics}).lazy()
    parts = []
    for s, system in enumerate(scores.systems):
        for m, metric in enumerate(scores.metrics):
            values = scores.values[s, :, m] if by_topic else np.zeros(0)
            value = pl.Series("value", np.append(values, means[s, m]))
            part = names.with_columns(value=value, run=pl.lit(system), metric=pl.lit(metric))
            part = part.filter(~pl.col("value").is_nan() | (pl.col("topic") == "all"))
            parts.append(part.select(LONG_COLUMNS))
    try:
        pl.concat(parts).sink_parquet(out)
    except pl.exceptions.ComputeError as error:  # polars' error for any problem with the file
        raise OSError(str(error).rpartition(": ")[2]) from None
