"""What holds of every metric of the catalogue; exceptions are declared on the metric."""

import contextlib
import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import irassay
from irassay.domains import Domain
from irassay.errors import InputError
from irassay.metrics.cwl import AGGREGATIONS, ENDS
from irassay.metrics.declaration import Declaration
from irassay.metrics.grammar import catalogue, parse
from irassay.metrics.metric import Metric
from irassay.metrics.parameters import Parameter
from irassay.metrics.trec_measures import MEASURES, ONLY_PRINTED
from irassay.rankings.batch import Rankings
from irassay.rankings.pool import Pool
from irassay.views.scores import scenario_notes

TOP = 2
CARRIED = frozenset({"aspects", "turns", "lengths", "weights", "costs"})
EVERY = list(catalogue().values())
SCORABLE = [m for m in EVERY if m.declaration.needs <= CARRIED | {"pool"}]  # other tests bring passages and preferences


def aggregated(metric: Metric) -> list[Metric]:
    """A user model under each aggregation that it can have a value for."""
    found = [metric(A=A) for A in AGGREGATIONS] if metric.is_model or metric.declaration.with_A else [metric]
    return [m(end="stop") if m.meaning.endless and m.params["A"] == "ERG" else m for m in found]


MODELS = [m for metric in EVERY if metric.is_model or metric.declaration.with_A for m in aggregated(metric)]
OPEN = [m for m in MODELS if m.params["end"] == "infinite" and not m.meaning.sized]
MONOTONE = [m for metric in SCORABLE for m in aggregated(metric) if m.monotone]
BOUNDED = [m for metric in SCORABLE for m in aggregated(metric) if m.bounded()]
LINEAR = [m for metric in SCORABLE for m in aggregated(metric) if m.linear]
FROM_NOTHING = [m for m in SCORABLE if m.declaration.starts_at_zero]


def each(name: str, metrics: list[Metric]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(name, metrics, ids=str)


def every_ranking(depth: int = 4, pool: int = 6) -> Rankings:
    """Every list of grades 0, 1, 2 of one length, over a pool of judged documents, with all that metrics may need."""
    grades = np.array(list(itertools.product(range(TOP + 1), repeat=depth)), dtype=float)
    offered = np.tile(np.repeat([2.0, 1.0, 0.0], pool), (len(grades), 1))
    r = Rankings.of(grades, best=offered, max_grade=TOP)
    words = np.tile([300.0, 50.0, 1200.0, 10.0], depth // 4 + 1)[None, :depth]
    return replace(r, words=words, past_words=390.0, carries=CARRIED)


@each("metric", SCORABLE)
def test_scores_stay_within_the_declared_range(metric: Metric) -> None:
    r = every_ranking()
    for m in aggregated(metric):
        low, high = m.range
        scores = m.score(r)
        assert scores.min() >= low - 1e-12
        assert scores.max() <= high + 1e-12


@each("metric", SCORABLE)
def test_scores_that_are_said_to_be_counts_are_whole_numbers(metric: Metric) -> None:
    if metric.meaning.counts:
        assert (metric.score(every_ranking()) % 1 == 0).all()
    assert metric.meaning.counts or metric.meaning.over_topics != "sum"


@each("metric", FROM_NOTHING)
def test_finding_nothing_scores_nothing(metric: Metric) -> None:
    r = every_ranking()
    nothing = r[np.flatnonzero(r.grade.max(axis=1) == 0)]
    assert metric.score(nothing).tolist() == [0.0]


@each("metric", SCORABLE)
def test_a_batch_scores_as_its_rows_do(metric: Metric) -> None:
    r = every_ranking()
    for m in aggregated(metric):
        some = np.arange(0, len(r), 7)
        alone = np.concatenate([m.score(r[i : i + 1]) for i in some])
        assert np.allclose(m.score(r)[some], alone, rtol=0, atol=1e-13)


@each("metric", SCORABLE)
def test_an_empty_list_has_a_finite_score(metric: Metric) -> None:
    r = every_ranking().top(1)
    empty = replace(
        r, grade=np.zeros_like(r.grade), judged=np.zeros_like(r.judged), retrieved=np.zeros_like(r.retrieved)
    )
    empty = replace(empty, aspects=np.zeros_like(r.aspects))
    for m in aggregated(metric):
        assert np.isfinite(m.score(empty)).all()
        if metric.is_model:
            assert not m(end="list").score(empty).any()


def upgraded(r: Rankings) -> tuple[np.ndarray, np.ndarray]:
    """Rows of every_ranking and, for each, the row with one grade one higher."""
    depth = r.depth
    weight = (TOP + 1) ** np.arange(depth - 1, -1, -1)
    number = (r.grade @ weight).astype(int)
    assert (number == np.arange(len(r))).all()
    pairs = [(number[r.grade[:, i] < TOP], number[r.grade[:, i] < TOP] + weight[i]) for i in range(depth)]
    return np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])


@each("metric", MONOTONE)
def test_declared_monotone_means_monotone(metric: Metric) -> None:
    r = every_ranking()
    worse, better = upgraded(r)
    scores = metric.score(r)
    assert (scores[better] - scores[worse]).min() >= -1e-12


@each("metric", BOUNDED)
def test_bounds_hold_whatever_the_missing_judgements_say(metric: Metric) -> None:
    r = every_ranking()
    unjudged = np.array([False, True, False, True])
    seen = replace(r, grade=np.where(unjudged, 0.0, r.grade), judged=np.tile(~unjudged, (len(r), 1)))
    for m in (metric, metric @ 3):
        worst, best = m.bounds(seen)
        assert (worst <= m.score(r) + 1e-12).all()
        assert (m.score(r) <= best + 1e-12).all()


def variants(metric: Metric) -> list[Metric]:
    """A metric whole and cut, and a user model with every end."""
    found = [metric, metric @ 1, metric @ 3, metric @ 6]
    if metric.is_model:
        found += [m(end=end) for m in found for end in ENDS if end != m.params["end"]] + [metric(horizon=6)]
    return found


def only(r: Rankings, ranks: np.ndarray) -> Rankings:
    """The same lists with nothing found but at some ranks."""
    grade = np.where(ranks, r.grade, 0.0)
    return replace(r, grade=grade, aspects=grade[:, :, None])


@each("metric", SCORABLE)
def test_declared_linear_means_that_gains_of_single_results_add_up_and_the_others_do_not(metric: Metric) -> None:
    r = every_ranking()
    even = np.arange(r.depth) % 2 == 0
    for m in aggregated(metric):
        for one in variants(m) if m.linear else [m]:
            apart = one.score(r) - one.score(only(r, even)) - one.score(only(r, ~even))
            adds_up = bool(np.abs(apart).max() < 1e-12)
            assert adds_up or not m.linear
        nothing = not m.score(r).any()
        plain = m.monotone and not m.meaning.needs and m.meaning.higher_is_better
        assert m.linear or nothing or not (adds_up and plain), f"{m} adds up, and does not say so"


@each("metric", LINEAR)
def test_weights_are_what_gains_count_in_lists_of_any_length(metric: Metric) -> None:
    r = every_ranking(5)
    length = np.arange(len(r)) % 6
    inside = np.arange(5) < length[:, None]
    r = replace(only(r, inside), judged=inside, retrieved=length)
    for m in variants(metric):
        total = (m.weights(r) * m.seen(r).to_depth(5).gain[:, :5]).sum(axis=1)
        if m.meaning.normalised:
            total *= m.score(r).max() / max(total.max(), 1e-300)  # the ideal is the same for all
        assert np.allclose(total, m.score(r), rtol=0, atol=1e-12), str(m)


def with_unjudged(depth: int, best: Sequence[float] = (2.0, 1.0, 1.0, 0.0)) -> tuple[np.ndarray, Rankings]:
    """Every list of grades -1 to 2 and of unjudged results, which are NaN here, over a pool with further documents."""
    marks = np.array(list(itertools.product((np.nan, -1.0, 0.0, 1.0, 2.0), repeat=depth)))
    judged = ~np.isnan(marks)
    grade = np.where(judged, marks, 0.0)
    r = Rankings.of(grade, best=np.tile(best, (len(marks), 1)), max_grade=TOP, judged=judged)
    return grade, r


SWAP_MONOTONE = [m for metric in SCORABLE for m in dict.fromkeys([metric, *aggregated(metric)]) if m.swap_monotone]


def is_swap_monotone(metric: Metric) -> bool:
    """Whether a better result moved up never lowers a score, and an equal one never changes it."""
    depth = 4
    grade, r = with_unjudged(depth)
    number = np.arange(len(r))
    score = metric.score(r)
    for i in range(depth - 1):  # the row with ranks i and i + 1 exchanged
        high, low = 5 ** (depth - 1 - i), 5 ** (depth - 2 - i)
        upper, lower = number // high % 5, number // low % 5
        swapped = number + (lower - upper) * high + (upper - lower) * low
        gain = np.maximum(grade[:, i + 1], 0) - np.maximum(grade[:, i], 0)
        change = score[swapped] - score
        if change[gain > 0].min() < -1e-12 or np.abs(change[gain == 0]).max() > 1e-12:
            return False
    return True


@each("metric", SWAP_MONOTONE)
def test_declared_swap_monotone_means_that_a_better_result_moved_up_never_hurts(metric: Metric) -> None:
    for m in (metric, metric @ 1, metric @ 3) if not metric.meaning.cutoff_is else (metric,):
        assert is_swap_monotone(m), str(m)


@each("text", ["DCG(gain=(0,2,1))", "Unj@3", "Judged@3", "BPM", "P(A='FIN')@3"])
def test_a_metric_that_were_falsely_declared_swap_monotone_would_be_found(text: str) -> None:
    assert not is_swap_monotone(parse(text))


def test_which_metrics_are_swap_monotone() -> None:
    assert {"AP", "nDCG", "DCG", "RR", "ERR", "RBP", "P", "R", "bpref", "Q"} <= {m.name for m in SWAP_MONOTONE}
    for metric in (parse("RBP(A='FIN')"), parse("DCG(gain=(0,2,1))@3"), parse("RBP(effort=(1,1,2))")):
        assert not metric.swap_monotone
    assert not {m.name for m in SWAP_MONOTONE} & {"U", "TBG", "alpha_nDCG", "ERR_IA", "BPM", "P_plus", "Judged"}


STATIC = [m for metric in SCORABLE for one in aggregated(metric) for m in variants(one) if m.static]


def gains_and_scores(metric: Metric) -> tuple[np.ndarray, np.ndarray]:
    """[list, rank], [list] the gains and scores of lists with unjudged results, of all lengths, on two topics."""
    gains, scores = [], []
    for best in ((2.0, 1.0, 1.0, 0.0), (2.0, 2.0, 1.0, 1.0, 1.0, 0.0)):
        _, r = with_unjudged(4, best)
        length = np.arange(len(r)) % 7 % 5
        inside = np.arange(4) < length[:, None]
        r = replace(only(r, inside), judged=r.judged & inside, retrieved=length)
        gains.append(metric.seen(r).to_depth(4).gain[:, :4])
        scores.append(metric.score(r))
    return np.concatenate(gains), np.concatenate(scores)


def is_static(metric: Metric) -> bool:
    """Whether scores are sums of gains with one weight by rank, which never grows, for all lists and topics."""
    gain, score = gains_and_scores(metric)
    weights = np.linalg.lstsq(gain, score, rcond=None)[0]
    fits = np.allclose(gain @ weights, score, rtol=0, atol=1e-12)
    return bool(fits and (weights >= -1e-12).all() and (np.diff(weights) <= 1e-12).all())


@each("metric", STATIC)
def test_declared_static_means_weights_that_never_grow_and_are_the_same_for_all_lists(metric: Metric) -> None:
    assert is_static(metric)


@each("text", ["nDCG@3", "R@3", "Rprec", "SetF@3", "AP@3", "ERR@3", "RBP_resid", "INST", "P(A='FIN')@3"])
def test_a_metric_that_were_falsely_declared_static_would_be_found(text: str) -> None:
    assert not is_static(parse(text))


def test_which_metrics_are_static() -> None:
    assert {m.name for m in STATIC} == {"P", "GP", "SDCG", "SET", "RBP", "GRBP", "INSQ", "DCG", "Hits", "NumRelRet"}
    for text in ("nDCG@10", "AP", "RR", "ERR", "INST", "R@10", "P", "RBP(end='list')", "RBP(p='@p')", "P(A='FIN')@5"):
        assert not parse(text).static, text


@each("text", ["INST(T=0.3)", "INST(T=0.4,A='ERR')", "IFT(T=0.1,b1=5,R1=3,part='gain',A='ETG')"])
def test_bounds_are_not_claimed_where_a_better_grade_lowers_the_score(text: str) -> None:
    r = every_ranking()
    worse, better = upgraded(r)
    scores = parse(text).score(r)
    assert (scores[better] - scores[worse]).min() < -1e-3
    assert not parse(text).bounded()


@each(
    "text", ["INST(T=0.5)", "INST(T=0.5,A='ERR')", "INST(T=2.25,A='FIN')", "IFT(T=0.1,A='ETG')", "IFT(T=6,part='gain')"]
)
def test_bounds_are_claimed_with_parameters_that_allow_it(text: str) -> None:
    r = every_ranking()
    worse, better = upgraded(r)
    scores = parse(text).score(r)
    assert parse(text).bounded()
    assert (scores[better] - scores[worse]).min() >= -1e-12


def test_with_costs_models_have_no_bounds() -> None:
    """A place past the list is charged the dearest cost, and a result there may be cheaper."""
    run, qrels = {"1": {"a": 2.0}}, {"1": {"a": 1, "b": 1}}
    frame = pl.DataFrame({"topic": ["1"], "doc": ["a"], "score": [2.0], "kind": ["ad"]})
    plain = irassay.score(run, qrels, ["INST", "Success@10"], bounds=True)
    costly = irassay.score(frame, qrels, ["INST", "Success@10"], bounds=True, costs={"ad": 3.0})
    past = "[best] treats ranks past the end of a list, up to the cutoff, as unjudged results"
    assert scenario_notes(plain) == ("[worst] and [best] are bounds for INST and Success@10", past)
    assert scenario_notes(costly) == (
        "[worst] and [best] are bounds for Success@10",
        "[worst] and [best] are no bounds for INST; other judgements could go beyond them",
        past,
    )


@each("model", MODELS)
def test_unit_effort_changes_nothing(model: Metric) -> None:
    r = every_ranking()
    for end in ENDS:
        if not (model.meaning.endless and model.params["A"] == "ERG" and end in ("infinite", "leak")):
            m = model(end=end) @ 3
            assert np.allclose(m(effort=(1, 1, 1)).score(r), m.score(r), rtol=0, atol=1e-13)


@each("model", OPEN)
def test_results_of_no_gain_at_the_end_change_nothing(model: Metric) -> None:
    r = every_ranking()
    longer = replace(r.to_depth(9), retrieved=np.full(len(r), 9))
    assert np.allclose(model.score(longer), model.score(r), rtol=0, atol=1e-12)


@each("model", [m for m in OPEN if m.meaning.tail is not None])
def test_a_closed_tail_is_what_following_the_model_gives(model: Metric) -> None:
    r = every_ranking(3)[np.array([0, 5, 13, 26])]
    near, far = model.score(r), model.score(r.to_depth(200_000))
    assert np.allclose(near, far, rtol=0, atol=1e-11)


@each("metric", EVERY)
def test_its_string_says_which_metric_it_is(metric: Metric) -> None:
    for m in [*aggregated(metric), metric @ 7, metric(judged_only=True) @ 3]:
        assert parse(str(m)) == m
        assert str(parse(str(m))) == str(m)


@each("metric", EVERY)
def test_it_says_in_a_sentence_what_it_does_and_where_it_comes_from(metric: Metric) -> None:
    assert metric.declaration.summary.endswith(".")
    entries = (Path(irassay.__file__).parent / "references.bib").read_text(encoding="utf-8")
    keys = set(re.findall(r"@\w+\{(\w+),", entries))
    assert metric.declaration.cite
    assert set(metric.declaration.cite) <= keys


def test_every_work_is_cited_once() -> None:
    entries = (Path(irassay.__file__).parent / "references.bib").read_text(encoding="utf-8")
    keys = re.findall(r"@\w+\{(\w+),", entries)
    assert len(keys) == len(set(keys))


def test_unjudged_results_can_be_left_out_of_every_metric() -> None:
    r = every_ranking()
    gap = np.array([True, False, True, True])
    holed = replace(r, judged=np.tile(gap, (len(r), 1)), grade=np.where(gap, r.grade, 0.0))
    short = Rankings.of(r.grade[:, gap], best=r.pool.grade, max_grade=TOP)
    for name in ("AP", "nDCG@3", "RBP", "INST", "bpref", "P@2"):
        assert np.allclose(parse(name)(judged_only=True).score(holed), parse(name).score(short))


def test_pools_are_shared_and_ideals_computed_once() -> None:
    calls = []
    pool = Pool(np.array([[1.0]]), np.array([1]), np.array([[[1.0]]]), np.ones((1, 1)))
    for _ in range(3):
        pool.once("key", lambda: calls.append(1))
    assert len(calls) == 1


@each("model", MODELS)
def test_a_batch_of_other_lengths_changes_no_score_under_any_end(model: Metric) -> None:
    r = every_ranking(2)
    for end in ENDS:
        if not (model.meaning.endless and model.params["A"] == "ERG" and end in ("infinite", "leak")):
            m = model(end=end) @ 6
            assert np.allclose(m.score(r.to_depth(9)), m.score(r), rtol=0, atol=1e-12), end


@pytest.mark.parametrize("text", ["RBP(A='ERR',end='list')@9", "P(end='list')@9", "INSQ(A='AVG',end='list')@9"])
def test_judging_more_makes_no_list_longer(text: str) -> None:
    r = every_ranking(2)
    worst, best = parse(text).bounds(r)
    assert np.array_equal(worst, best)


def values_of(metric: Metric, key: str) -> list[object]:
    """Values that a parameter may have, by trying some of every kind."""
    tried = [0, 1, 2, 3, 0.1, 0.5, 2.5, True, "linear", "exp", "binary", "list", "stop", "MAX", "ETG", "up", "nearest"]
    tried += ["jk", "log2", "iteration", "document", "total", (0.2, 0.8), (0, 0.4, 1), (1, 1), None]
    found = []
    for value in tried:
        with contextlib.suppress(InputError):
            metric(**{key: value})
            found.append(value)
    return found


@each("metric", EVERY)
def test_one_object_one_meaning_in_python_and_as_a_string(metric: Metric) -> None:
    tried = 0
    for key in metric.meaning.defaults:
        for value in values_of(metric, key):
            changed_metric = metric(**{key: value})
            for m in (changed_metric, *(() if key == metric.meaning.cutoff_is else (changed_metric @ 3,))):
                assert parse(str(m)) == m and parse(str(m)).params == m.params, m
                assert parse(m.label) == m, m.label
                tried += 1
            assert parse(f"{metric.name}({key}={value!r})") == changed_metric, (key, value)
            if "gain" in metric.meaning.defaults and key != "gain":
                for gain in ("linear", "binary"):
                    both = metric(gain=gain, **{key: value})
                    assert parse(str(both)).params == both.params, both
    assert tried


def readings(metric: Metric) -> list[Declaration]:
    """What a metric's name stands for: one declaration, or two where it has another reading with A."""
    return [each for each in (metric.declaration, metric.declaration.with_A) if each is not None]


PARAMETERS = [
    pytest.param(m, p, id=f"{m.name}-{p.name}") for m in EVERY for d in readings(m) for p in d.parameters.values()
]


@pytest.mark.parametrize(("metric", "parameter"), PARAMETERS)
def test_every_parameter_has_a_sentence_and_a_domain_that_holds_its_default(
    metric: Metric, parameter: Parameter
) -> None:
    domain = parameter.domain
    assert parameter.sentence.endswith(".") and not parameter.sentence[0].islower()
    assert domain.kind != "any" and (parameter.default is None or domain.holds(parameter.default))
    assert (domain.low is None) or (domain.high is None) or domain.low < domain.high
    assert Domain.unpacked(domain.packed()) == domain


def beyond(domain: Domain) -> list[object]:
    """Values just outside a domain, and of other kinds."""
    lower = [] if domain.low is None else [domain.low if domain.open in ("low", "both") else domain.low - 1]
    higher = [] if domain.high is None else [domain.high if domain.open in ("high", "both") else domain.high + 1]
    numbers: list[object] = [*lower, *higher, *([] if domain.kind == "whole" else [np.nan, np.inf])]
    wrong: list[object] = [b"x", {}, object()]
    if domain.kind == "table":
        return [*wrong, 3, True, "neither", (), *((number,) for number in numbers)]
    if domain.kind in ("whole", "number"):
        return [*wrong, *numbers, "many", True, (1.0,)]
    return [*wrong, 3.5, (1.0,), *([] if domain.kind == "flag" else [True, "neither"])]


@pytest.mark.parametrize(("metric", "parameter"), PARAMETERS)
def test_every_domain_of_a_parameter_is_enforced(metric: Metric, parameter: Parameter) -> None:
    given = {"A": "MAX"} if parameter.name not in metric.declaration.parameters else {}
    for value in beyond(parameter.domain):
        if parameter.domain.kind == "metric" and value == "neither":
            continue  # said by the grammar of metrics
        with pytest.raises(InputError, match=re.escape(f"{metric.name}: {parameter.name} must be ")):
            metric(**given, **{parameter.name: value})
    for word in parameter.domain.words:
        assert metric(**given, **{parameter.name: word}).params[parameter.name] == word


def with_side_files(r: Rankings) -> dict[str, Rankings]:
    """The rankings as they are, under '', and with other lengths, costs and weights of three aspects."""
    aspects = np.stack([r.grade, np.roll(r.grade, 1, axis=1), np.where(r.grade[:, ::-1] > 1, 1.0, 0.0)], axis=2)
    pooled = np.stack([r.pool.grade, np.roll(r.pool.grade, 3, axis=1), np.where(r.pool.grade > 1, 1.0, 0.0)], axis=2)

    def pool(*weights: float) -> Pool:
        return Pool(r.pool.grade, r.pool.size, pooled, np.tile(weights, (len(r.pool.size), 1)))

    r = replace(r, aspects=aspects, pool=pool(1 / 3, 1 / 3, 1 / 3))
    return {
        "": r,
        "lengths": replace(r, words=np.array([[0.1, 0.2, 900.0, 0.3]]), past_words=0.2),
        "costs": replace(r, cost=np.array([[9.0, 2.0, 7.0, 5.0]]), past_cost=2.0),
        "weights": replace(r, pool=pool(0.5, 0.3, 0.2)),
    }


def with_other_parameters(metric: Metric) -> list[Metric]:
    """The metric under every aggregation, effort, dialect and other word, and inside those that take a metric."""
    found = aggregated(metric)
    for parameter in metric.declaration.parameters.values():
        for word in parameter.domain.words:
            found += [metric(**{parameter.name: word})] if parameter.name not in ("gain", "unit") else []
    if "effort" in metric.declaration.parameters:
        found += [m(effort=effort) for m in aggregated(metric) for effort in ("words", "time", (1, 2, 3))]
    if "metric" in metric.declaration.parameters:
        found += [metric(metric=inner) for inner in ("RBP", "nDCG", "TBG", "INST(effort='words')")]
    return [each for m in found for each in (m, m @ 3)]


@each("metric", SCORABLE)
def test_it_uses_the_side_files_that_it_declares_and_no_other(metric: Metric) -> None:
    given = with_side_files(every_ranking())
    for m in with_other_parameters(metric):
        try:
            before = m.score(given[""])
        except InputError:  # a combination that has no value
            continue
        changed = {name for name, other in given.items() if not np.array_equal(m.score(other), before)}
        assert m.uses == changed, m


def test_no_alias_stands_for_two_metrics() -> None:
    names = [(alias, m.name) for m in EVERY for alias in m.declaration.all_aliases]
    assert len({alias for alias, _ in names}) == len(names)
    assert not [alias for alias, name in names if alias in catalogue() and alias != name]
    for alias, name in names:
        assert parse(alias) == catalogue()[name](**catalogue()[name].declaration.all_aliases[alias])


def test_every_measure_of_trec_eval_is_declared_by_the_metric_that_computes_it() -> None:
    declared = {alias for m in EVERY for alias in m.declaration.trec_eval}
    # rbp is RBP with another p, and understood as RBP.
    assert declared >= {name for name in MEASURES if name not in ONLY_PRINTED and name != "rbp"}
