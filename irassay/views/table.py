"""The view of comparisons as a paper's results table: systems by metrics, with a caption that states the test."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from irassay.arrays import TIE, Bools, Floats, Ints
from irassay.domains import Domain
from irassay.errors import argument
from irassay.meta.comparison import Comparisons
from irassay.meta.comparison_by_metric import Comparison
from irassay.notes import Note, joined_over_metrics
from irassay.prose import capitalised, count_phrase
from irassay.settings import Option
from irassay.stats.paired_test import equivalent_test
from irassay.views.comparison_notes import actual_test, against_means_sentences, skew_warnings
from irassay.views.comparison_tables import label_ranges
from irassay.views.methods import methods_paragraph
from irassay.views.phrases import all_names, test_description
from irassay.views.table_columns import column_table
from irassay.views.view import Table, View

LABEL = Domain("text", pattern=r"[\w:.+/ -]*", example="tab:main")
MAX_SUPERSCRIPTED_SYSTEMS = 20  # systems; with more, superscripts of the systems beaten are too long to read


def view(
    result: Comparisons,
    *,
    digits: Annotated[int, Option("Decimals in tables for people.", low=0, high=15)] = 3,
    methods: Annotated[bool, "Also print a methods paragraph for a paper."] = False,
    label: Annotated[
        str, Option("Label of the LaTeX table, such as tab:main.", pattern=LABEL.pattern, example=LABEL.example)
    ] = "",
) -> View:
    """Systems by metrics, the best of each in bold, with marks for significance; LaTeX underlines the second best."""
    LABEL.check(argument("label"), label)
    text, tested = caption(result), [one for one in result.by_metric if len(one.p)]
    notes = [*result.notes]
    for one in tested:
        notes += one.test.notes(one.alpha, one.correction != "none", one.metric, intervals=False)
        notes += skew_warnings(one, one.metric, actual_test(one))
        notes += [Note(f"{one.metric}: {text}", caveat=True) for text in against_means_sentences(one)]
    if _is_crowded(result):
        notes.append(
            f"{len(result.systems)} systems are too many for superscripts that name the systems beaten; irassay "
            f"compare lists every pair, and {argument('baseline', metavar='RUN')} marks differences from one system"
        )
    cite = dict.fromkeys(equivalent_test(one.test.test, one.family).cite for one in tested)
    return View(
        "Systems by metrics",
        (text,),
        (replace(paper_table(result, digits, caption(result, underlined=True)), label=label),),
        joined_over_metrics(notes),
        cite=tuple(filter(None, cite)),
        methods=methods_paragraph(result, intervals=False) if methods and len(result.by_metric[0].p) else "",
    )


def _is_crowded(result: Comparisons) -> bool:
    return result.by_metric[0].baseline is None and len(result.systems) > MAX_SUPERSCRIPTED_SYSTEMS


def paper_table(result: Comparisons, digits: int, caption: str) -> Table:
    """[system] best first by the first metric: values with bold and superscripts.

    For machines: plain columns, and the systems in the order given.
    """
    tests, systems = result.by_metric, result.systems
    order = np.argsort(-_upward_values(tests[0]), kind="stable")
    numbers = range(1, len(systems) + 1)
    numbered = tests[0].baseline is None and len(systems) > 1 and not _is_crowded(result)
    columns: dict[str, Any] = {"#": [*map(str, numbers)]} if numbered else {}
    columns["system"] = [systems[s] for s in order]
    first = len(columns)
    machine: dict[str, Any] = {"row": list(numbers), "system": systems}
    marks: set[tuple[int, int]] = set()
    underlined: set[tuple[int, int]] = set()
    raised: dict[tuple[int, int], str] = {}
    for m, one in enumerate(tests):
        columns[one.metric if one.higher_is_better else f"{one.metric} ↓"] = one.aggregate[order]
        best = has_best_value(one)
        signs = superscripts(one, _is_crowded(result), order)
        marks |= {(int(row), first + m) for row in np.flatnonzero(best[order])} if len(systems) > 1 else set()
        underlined |= {(int(row), first + m) for row in np.flatnonzero(has_second_best_value(one, best)[order])}
        raised |= {(row, first + m): sign for row, sign in enumerate(signs) if sign}
        machine |= machine_columns(one, best)
    counts = [one.over_topics == "sum" and not (one.aggregate % 1).any() for one in tests]
    decimals = (*[0] * first, *(0 if is_count else digits for is_count in counts))
    return column_table(
        "table", columns, digits=decimals, marks=frozenset(marks), underlined=frozenset(underlined), raised=raised,
        caption=caption, stars=True, machine=column_table("table", machine),
    )  # fmt: skip


def _upward_values(one: Comparison) -> Floats:
    """[system] its values, negated if lower is better."""
    return one.aggregate if one.higher_is_better else -one.aggregate


def has_best_value(one: Comparison) -> Bools:
    """[system] whether it has the best value of the metric, ties included."""
    values = _upward_values(one)
    return np.asarray(values >= values.max() - TIE * max(float(np.ptp(values)), 1e-300))


def has_second_best_value(one: Comparison, best: Bools) -> Bools:
    """[system] whether it has the best value after that of the best systems, ties included; none of two systems."""
    values = np.where(best, -np.inf, one.aggregate if one.higher_is_better else -one.aggregate)
    if len(values) < 3 or best.all():
        return np.zeros(len(values), dtype=np.bool_)
    return np.asarray(values >= values.max() - TIE * max(float(np.ptp(one.aggregate)), 1e-300))


def superscripts(one: Comparison, crowded: bool, order: Ints) -> list[str]:
    """[row] ▲ or ▼ against a baseline, else the rows of systems beaten; if crowded, ° if as good as the best.

    `order` has the system of each row.
    """
    if not len(one.p):  # nothing was tested
        return [""] * len(one.systems)
    verdicts = one.verdicts()
    if one.baseline is not None:
        return [("", "▲", "▼")[sign] for sign in verdicts[order, one.systems.index(one.baseline)]]
    if crowded:
        return ["°" if is_close else "" for is_close in (verdicts[has_best_value(one)] == 0).any(axis=0)[order]]
    labels = [str(row + 1) for row in range(len(order))]
    return [label_ranges(labels, np.flatnonzero(row > 0).tolist()) for row in verdicts[np.ix_(order, order)]]


def machine_columns(one: Comparison, best: Bools) -> dict[str, Any]:
    """The columns of a metric: its value, whether that is the best, and what is significant."""
    name = one.metric
    columns: dict[str, Any] = {name: one.aggregate, f"{name} best": ["yes" if yes else "no" for yes in best]}
    if one.baseline is None and not len(one.p):
        return columns | {f"{name} beats": [""] * len(one.systems)}
    verdicts = one.verdicts()
    if one.baseline is None:
        return columns | {f"{name} beats": [" ".join(str(s + 1) for s in np.flatnonzero(row > 0)) for row in verdicts]}
    base = one.systems.index(one.baseline)
    by_system = dict(zip(one.test.i.tolist(), one.p.tolist(), strict=True))
    p = [by_system.get(system) for system in range(len(one.systems))]
    words = [("", "better", "worse")[sign] for sign in verdicts[:, base]]
    return columns | {f"{name} against {one.baseline}": words, f"{name} corrected p": p}


def caption(result: Comparisons, underlined: bool = False) -> str:
    """The caption: what the values are, over how many topics, and the test with its correction and level."""
    tests = result.by_metric
    one, several = tests[0], len(result.systems) > 1
    values = f"{_values(tests)} over {count_phrase(one.test.topics, 'topic')}"
    second = " and the second best underlined" if underlined and len(result.systems) > 2 else ""
    sentences = [f"{values}, the best in bold{second}." if several else f"{values}."]
    if lower := [each.metric for each in tests if not each.higher_is_better]:
        sentences.append(f"For {all_names(lower)} (↓) lower is better.")
    if not len(one.p):
        why = "one topic" if several else "one system"
        return " ".join([*sentences, f"Nothing is tested, because there is only {why}."])
    procedure = test_description(one.test, one.correction, one.family, one.alpha)
    if one.baseline is not None:
        marks = f"▲ and ▼ mark values significantly better and worse than {one.baseline}"
    elif _is_crowded(result):
        marks = "° marks values that do not differ significantly from the best"
    else:
        marks = "Superscripts are the numbers of the systems that a system is significantly better than"
    united = "all metrics are one family" if one.family > len(one.p) else "each metric is tested separately"
    sentences.append(f"{marks} ({procedure}{f'; {united}' if len(tests) > 1 else ''}).")
    if geometric := [each.metric for each in tests if each.over_topics == "geometric"]:
        sentences.append(f"For {all_names(geometric)} the test compares arithmetic means.")
    return " ".join(sentences)


def _values(tests: tuple[Comparison, ...]) -> str:
    """The kinds of values in the columns: means, sums over topics or geometric means."""
    kinds = {"mean": "mean", "sum": "sum of", "geometric": "geometric mean of"}
    names = {word: [one.metric for one in tests if one.over_topics == kind] for kind, word in kinds.items()}
    text = ", ".join(f"{word} {all_names(metrics)}" for word, metrics in names.items() if metrics)
    return capitalised(text)
