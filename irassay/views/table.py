"""The view of comparisons as the table of a paper: systems by metrics, with a caption that says all it rests on."""

from typing import Annotated, Any

import numpy as np

from irassay.arrays import TIE, Bools
from irassay.errors import argument
from irassay.meta.comparison import Comparisons
from irassay.meta.comparison_by_metric import Comparison
from irassay.prose import counted
from irassay.settings import Option
from irassay.stats.paired_test import amounts_to
from irassay.views.comparison import listed
from irassay.views.methods import methods_paragraph
from irassay.views.phrases import among, test_in_words
from irassay.views.view import Table, View, by_column

NAMED = 20  # systems; the numbers of those beaten are too many to read with more


def view(
    result: Comparisons,
    *,
    digits: Annotated[int, Option("Decimals in tables for people.", low=0, high=15)] = 3,
    methods: Annotated[bool, "Also the paragraph on methods that a paper needs."] = False,
) -> View:
    """Systems by metrics, the best of each in bold, and what is significant."""
    tests = result.by_metric
    said = caption(result)
    told = methods_paragraph(result, intervals=False) if methods and len(tests[0].p) else ""
    notes = [*result.notes, *(note for one in tests if len(one.p) for note in _on_test(one))]
    if _crowded(result):
        notes.append(
            f"superscripts that name those beaten would be too many for {len(result.systems)} systems; "
            f"irassay compare has every pair, {argument('baseline', shown='RUN')} marks what differs from one"
        )
    cite = dict.fromkeys(amounts_to(one.test.test, one.family).cite for one in tests if len(one.p))
    return View(
        "Systems by metrics",
        (said,),
        (paper_table(result, digits, said),),
        tuple(dict.fromkeys(notes)),
        cite=tuple(filter(None, cite)),
        methods=told,
    )


def _on_test(one: Comparison) -> list[str]:
    return one.test.notes(one.alpha, one.correction != "none", one.metric, intervals=False)


def _crowded(result: Comparisons) -> bool:
    return result.by_metric[0].baseline is None and len(result.systems) > NAMED


def paper_table(result: Comparisons, digits: int, caption: str) -> Table:
    """[system] in the order given: means by metric with bold and superscripts, and the same for machines."""
    tests, baseline = result.by_metric, result.by_metric[0].baseline
    systems = result.systems
    numbers = [str(row + 1) for row in range(len(systems))]
    numbered = baseline is None and len(systems) > 1 and not _crowded(result)
    columns: dict[str, Any] = {"#": numbers} if numbered else {}
    columns["system"] = systems
    first = len(columns)
    machine: dict[str, Any] = {"row": list(range(1, len(systems) + 1)), "system": systems}
    marks: set[tuple[int, int]] = set()
    raised: dict[tuple[int, int], str] = {}
    for m, one in enumerate(tests):
        columns[one.metric if one.higher_is_better else f"{one.metric} ↓"] = one.aggregate
        best = best_of(one)
        signs = superscripts(one, _crowded(result), numbers)
        marks |= {(int(s), first + m) for s in np.flatnonzero(best)} if len(systems) > 1 else set()
        raised |= {(s, first + m): sign for s, sign in enumerate(signs) if sign}
        machine |= for_machines(one, best)
    exact = by_column("table", machine)
    decimals = (*[0] * first, *(0 if _whole(one) else digits for one in tests))
    return by_column(
        "table", columns, digits=decimals, marks=frozenset(marks), raised=raised, caption=caption, stars=True,
        machine=exact,
    )  # fmt: skip


def _whole(one: Comparison) -> bool:
    """Whether the values are counts."""
    return one.over_topics == "sum" and bool((one.aggregate % 1 == 0).all())


def best_of(one: Comparison) -> Bools:
    """[system] whether it has the best value of the metric; ties all have."""
    values = one.aggregate if one.higher_is_better else -one.aggregate
    return np.asarray(values >= values.max() - TIE * max(float(np.ptp(values)), 1e-300))


def superscripts(one: Comparison, crowded: bool, numbers: list[str]) -> list[str]:
    """[system] ▲ or ▼ against a baseline; else the numbers of those it beats; of too many systems ° for the best."""
    if not len(one.p):  # nothing was tested
        return [""] * len(one.systems)
    verdicts = one.verdicts()
    if one.baseline is not None:
        against = verdicts[:, one.systems.index(one.baseline)]
        return [("", "▲", "▼")[sign] for sign in against]
    if crowded:
        return ["°" if sign == 0 else "" for sign in verdicts[int(one.order[0])]]
    return [listed(numbers, np.flatnonzero(row > 0).tolist()) for row in verdicts]


def for_machines(one: Comparison, best: Bools) -> dict[str, Any]:
    """The columns of a metric: its value, whether that is the best, and what is significant."""
    name = one.metric
    found: dict[str, Any] = {name: one.aggregate, f"{name} best": ["yes" if yes else "no" for yes in best]}
    if one.baseline is None and not len(one.p):
        return found | {f"{name} beats": [""] * len(one.systems)}
    verdicts = one.verdicts()
    if one.baseline is None:
        return found | {f"{name} beats": [" ".join(str(s + 1) for s in np.flatnonzero(row > 0)) for row in verdicts]}
    base = one.systems.index(one.baseline)
    p: list[float | None] = [None] * len(one.systems)
    for system, value in zip(one.test.i.tolist(), one.p.tolist(), strict=True):
        p[system] = value
    words = [("", "better", "worse")[sign] for sign in verdicts[:, base]]
    return found | {f"{name} against {one.baseline}": words, f"{name} corrected p": p}


def caption(result: Comparisons) -> str:
    """What the table shows: means over how many topics, by which test, corrected how, at which level."""
    tests = result.by_metric
    one = tests[0]
    several = len(result.systems) > 1
    said = [f"{_values(tests)} over {counted(one.test.topics, 'topic')}" + (", the best in bold." if several else ".")]
    lower = [each.metric for each in tests if not each.higher_is_better]
    if lower:
        said.append(f"Of {among(lower)} (↓) less is better.")
    geometric = [each.metric for each in tests if each.over_topics == "geometric"]
    if not len(one.p):
        why = "one system" if not several else "one topic"
        return " ".join([*said, f"Nothing is tested, for there is {why} only."])
    how = test_in_words(one.test, one.correction, one.family, one.alpha)
    if one.baseline is not None:
        marks = f"▲ and ▼ mark what is significantly better and worse than {one.baseline}"
    elif _crowded(result):
        marks = "° marks what is not significantly different from the best"
    else:
        marks = "Superscripts are the numbers of the rows that a system is significantly better than"
    united = "all metrics are one family" if one.family > len(one.p) else "each metric is tested by itself"
    each = f"; {united}" if len(tests) > 1 else ""
    said.append(f"{marks} ({how}{each}).")
    if geometric:
        said.append(f"The test of {among(geometric)} is of arithmetic means.")
    return " ".join(said)


def _values(tests: tuple[Comparison, ...]) -> str:
    """Which values the columns hold.

    Means, but for metrics that are summed over topics or have a geometric mean.
    """
    kinds = {"mean": "Mean", "sum": "sum of", "geometric": "geometric mean of"}
    found = []
    for kind, word in kinds.items():
        names = [one.metric for one in tests if one.over_topics == kind]
        found += [f"{word} {among(names)}"] if names else []
    text = ", ".join(found)
    return text[0].upper() + text[1:]
