"""Labels of metrics: laws over random sets, by reading the metric back from what a person sees."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.vendor.pretty import for_type_by_name

import irassay as ia
from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.metrics.aliases import known_aliases
from irassay.metrics.grammar import catalogue, metric_or_none, parse
from irassay.metrics.grids import GRIDS, Grid
from irassay.metrics.labels import MetricLabels, metric_labels
from irassay.metrics.metric import Metric
from irassay.metrics.trec_measures import measure_names
from tests.support.runs import dynamic_run, session_run

VALUES = {  # of parameters that many metrics have
    "p": (0.5, 0.8, 0.95),
    "T": (1, 2, 2.25),
    "A": ("MAX", "ERG", "AVG"),
    "rel": (1, 2),
    "gain": ("linear", "exp", "binary", (0, 0.5, 1)),
    "end": ("stop", "list"),
    "judged_only": (True, False),
    "effort": ("time", (0.25, 1, 1)),
    "max_grade": (2, 3.5),
    "horizon": (10, 1000),
    "unit": ("iteration",),
    "dialect": ("jiang", "cwl"),
}
# Otherwise hypothesis prints every field of its declaration, and the warning that this is long hides what failed.
for_type_by_name(Metric.__module__, Metric.__name__, lambda metric, printer, _: printer.text(repr(metric)))


@st.composite
def some_metrics(draw: st.DrawFn) -> list[Metric]:
    """Metrics of few names, with parameters of all kinds, a few of them typed though they are the default."""
    known = catalogue()
    few = draw(st.lists(st.sampled_from(sorted(known)), min_size=1, max_size=3, unique=True))
    found: dict[Metric, Metric] = {}
    for name in draw(st.lists(st.sampled_from(few), min_size=1, max_size=12)):
        metric = known[name]
        for key in draw(st.lists(st.sampled_from(sorted(VALUES)), max_size=4, unique=True)):
            if (name, key) == ("RBP", "rel"):  # which in a string also makes gains binary, as in ir_measures
                continue
            try:
                metric = metric(**{key: draw(st.sampled_from(VALUES[key]))})
            except InputError:
                continue
        cutoff = draw(st.sampled_from((None, 5, 10)))
        metric = metric if cutoff is None else metric @ cutoff
        found.setdefault(metric, metric)
    return list(found.values())


def shown(metrics: list[Metric]) -> tuple[MetricLabels, list[str]]:
    found = metric_labels([str(m) for m in metrics], {str(m): m.label for m in metrics if m.label != str(m)})
    return found, [found.labels.get(str(m), str(m)) for m in metrics]


def read_back(label: str, shared: str) -> Metric:
    """The metric that a person makes of a label and of what the legend says of its name."""
    if "(" in label.split()[0]:
        return parse(label)
    first, *differ = label.split(" ")
    name, _, cutoff = first.partition("@")
    inside = [re.sub(r"^(\w+)=([a-zA-Z]\w*)$", r"\1='\2'", part) for part in differ]
    inside = [part.replace("'True'", "True").replace("'False'", "False").replace("'None'", "None") for part in inside]
    for statement in shared.split("; "):
        of, _, what = re.sub(" ha(s|ve) ", "\0", statement, count=1).partition("\0")
        inside += [what] if name in re.split(", | and ", of) else []
    return parse(f"{name.removesuffix('*')}({','.join(inside)})" + (f"@{cutoff}" if cutoff else ""))


@given(some_metrics())
def test_labels_differ_and_with_the_legend_they_determine_the_metric(metrics: list[Metric]) -> None:
    found, labels = shown(metrics)
    assert len(set(labels)) == len(labels)
    for metric, label in zip(metrics, labels, strict=True):
        assert read_back(label, found.shared) == metric, (label, found.shared)


@given(some_metrics())
def test_labels_do_not_depend_on_the_order_of_metrics(metrics: list[Metric]) -> None:
    assert shown(metrics)[0].labels == shown(metrics[::-1])[0].labels


@given(some_metrics())
def test_metrics_of_one_name_show_no_parameter_that_all_of_them_share(metrics: list[Metric]) -> None:
    for one, other in combinations(zip(metrics, shown(metrics)[1], strict=True), 2):
        if one[0].name == other[0].name and len([m for m in metrics if m.name == one[0].name]) == 2:
            assert not {*one[1].split()[1:]} & {*other[1].split()[1:]}


@pytest.mark.parametrize("grid", GRIDS.values(), ids=list(GRIDS))
def test_names_of_a_grid_are_short(grid: Grid) -> None:
    _, labels = shown([parse(metric) for metric in grid.metrics])
    assert len(set(labels)) == len(labels) and max(map(len, labels)) <= 33


@pytest.mark.parametrize("grid", GRIDS.values(), ids=list(GRIDS))
def test_a_label_that_is_a_known_name_has_the_scores_of_that_metric(grid: Grid) -> None:
    metrics = [metric for metric in grid.metrics if "passages" not in parse(metric).needs]  # simulated runs have none
    grid_scores = scores_on_simulated_runs(grid, metrics)
    labels = metric_labels(grid.metrics).labels
    known = {*catalogue(), *known_aliases(), *measure_names()}
    for m, metric in enumerate(metrics):
        label = labels.get(metric, metric)
        if metric_or_none(label):  # as a user would type it
            typed = scores_on_simulated_runs(grid, [label])
            np.testing.assert_allclose(typed[:, :, 0], grid_scores[:, :, m], rtol=0, atol=1e-12, err_msg=label)
        else:  # a star, or every parameter that makes it another metric
            has_star = "*" in label
            assert label not in known and (has_star or str(read_back(label, "")) == metric), label
            assert not has_star or metric_or_none(label.split()[0]) is None, label


def scores_on_simulated_runs(grid: Grid, metrics: list[str]) -> Floats:
    """[system, topic, metric] Scores of runs of the kind that a grid is for, with grades 0 to 2."""
    made = ia.simulate(seed=1, topics=6, systems=3)
    runs, judged = list(made.runs), made.diversity_qrels if grid.name == "dynamic" else made.qrels
    if grid.name != "cwla":  # each topic with two queries or iterations of five results
        turns = {"effort": session_run, "dynamic": dynamic_run}[grid.name]
        docs = dict(made.runs[0].frame.group_by("topic", maintain_order=True).agg("doc").iter_rows())
        runs = [turns({topic: [found[:5], found[5:10]] for topic, found in docs.items()})]
    qrels = replace(judged, frame=judged.frame.with_columns(pl.col("grade").clip(upper_bound=2)))
    settings = {"lengths": made.lengths, "qrels_format": "subtopic" if grid.name == "dynamic" else "trec"}
    return ia.score(runs, qrels, metrics, **settings).values


def test_an_alias_stays_out_of_the_family_and_the_legend_names_its_metric() -> None:
    found = metric_labels(
        ["INST(T=2.25,A='MAX')", "INST(T=2.0,A='MAX')", "INST(T=3.0,A='MAX')"], {"INST(T=2.25,A='MAX')": "user"}
    )
    assert list(found.labels.values()) == ["user", "INST* T=2", "INST* T=3"]
    assert found.legend == "INST* has A='MAX'; user is INST(T=2.25,A='MAX')"


def test_names_of_other_tools_and_names_that_would_clash_stay_as_they_are() -> None:
    assert metric_labels(["map", "P_10", "mystery(x=1)"]) == MetricLabels()
    assert metric_labels(["RBP", "RBP(p=0.8)"]).labels == {}  # one metric in two spellings, in a table of another tool
    assert metric_labels(["RBP", "RR"], {"RBP": "RR"}).labels == {}
    taken = metric_labels(["INST(A='MAX')", "INST(T=2.0,A='MAX')", "RR"], {"RR": "INST* T=2"})
    assert taken.labels == {"RR": "INST* T=2"} and taken.legend == "INST* T=2 is RR"  # others keep their names
