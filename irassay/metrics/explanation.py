"""How a metric gets its score: the curves of the user model, and the contribution of each rank."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument, as_found
from irassay.method import method
from irassay.metrics.cwl import Browsing, aggregated_gain, stopping_probability
from irassay.metrics.grammar import parse
from irassay.metrics.labels import typed_labels
from irassay.metrics.metric import Metric
from irassay.rankings.batch import MAX_RANK, Rankings
from irassay.rankings.pool import Pool
from irassay.results import Result
from irassay.settings import Option, Settings


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """A metric applied to one ranking. Curves are NaN if the metric is not a user model, and gains if it has none."""

    saved_as: ClassVar[str] = "explanation"

    metric: Metric
    score: float
    items: tuple[str, ...]  # [rank] the ranking as given, then ·
    gain: Floats  # [rank] of the grade; NaN if the score does not come from such gains
    cost: Floats  # [rank]
    C: Floats  # [rank] probability of continuing
    W: Floats  # [rank] share of attention
    L: Floats  # [rank] probability of stopping
    discount: Floats  # [rank] what a unit of gain at this rank adds (jiang2016, equation 8)
    earned: Floats  # [rank] contribution to the score; with `past` they sum to it
    expected_depth: float  # V+
    still_there: float  # probability of continuing past the last rank that was followed
    name: str = field(init=False)  # of the metric

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", str(self.metric))

    @property
    def is_model(self) -> bool:
        """Whether the metric is a user model, with curves."""
        return not np.isnan(self.C).all()

    @property
    def residual(self) -> Floats:
        """[rank] the attention past each rank."""
        return np.maximum(1 - self.W.cumsum(), 0.0).round(15)

    @property
    def past(self) -> float:
        """The contribution of ranks past those shown."""
        return self.score - float(self.earned.sum())


def explained_ranking(
    metric: str | Metric,
    ranking: Any,
    pool: str | None,
    max_grade: float | None,
    lengths: str | Sequence[float] | None,
) -> tuple[Metric, str, Rankings, tuple[str, ...]]:
    """The metric and the ranking that are explained, as text, as a batch of one, and its results."""
    metric = parse(metric)
    if ranking is None:
        ranking = "ab,x,a,b" if "aspects" in metric.meaning.needs else "1,0,2,0,0,1"
    if isinstance(ranking, Mapping) or not isinstance(ranking, Iterable) or getattr(ranking, "ndim", 1) != 1:
        text = f"A ranking must be text such as 1,0,2, or a list of grades; found {as_found(ranking)}."
        raise InputError(text, argument="ranking")
    ranking = ranking if isinstance(ranking, str) else list(ranking)
    if not (ranking.strip() if isinstance(ranking, str) else ranking):
        raise InputError("A ranking must have at least one result, as in 1,0,2; found none.", argument="ranking")
    if not isinstance(ranking, str):
        ranking = ",".join(as_found(each) if not isinstance(each, str) else each for each in ranking)
    r, items = parsed_ranking(ranking, pool, max_grade)
    if lengths is not None:
        r = with_lengths(r, lengths)
    elif metric.needs - r.carries - {"pool"} == {"lengths"}:
        example = argument("lengths", metavar=",".join(["300"] * len(items)))
        raise InputError(f"{metric} needs the length of each result; give them from the top: ", example, ".")
    if "aspects" in metric.needs - r.carries:
        text = f"{metric} needs the aspects of each result, such as ab,x,a; found {as_found(ranking)}."
        raise InputError(text, argument="ranking")
    metric.check_carried(r)
    return metric, ranking, r, items


def check_explained(metric: Any, ranking: Any, pool: Any, max_grade: Any, lengths: Any) -> None:
    """Refuses an unknown metric, and text that is not a ranking."""
    explained_ranking(metric, ranking, pool, max_grade, lengths)


@method(
    "What does a metric model, and how does a ranking earn its score?",
    path="explain",
    check=check_explained,
    without_options="jobs",
    examples=('irassay explain "INST(T=2.25)" 1,0,2,0,0,1', "irassay explain alpha_nDCG@5 ab,x,a --pool ab,a,b"),
)
def explain(
    metric: Annotated[str | Metric, Option("A metric such as INST(T=2.25).", metavar="METRIC")],
    ranking: Annotated[
        str | Any,
        Option("Grades from the top (1,0,2) or aspects (ab,x,a).", metavar="RANKING", shown="1,0,2,0,0,1 or ab,x,a,b"),
    ] = None,
    *,
    pool: Annotated[str | None, "All judged documents, in the same notation; default: those in the ranking."] = None,
    max_grade: Annotated[float | None, Option("Top of the judging scale.", shown="largest grade given")] = None,
    lengths: Annotated[
        str | Sequence[float] | None,
        Option("Length of each result from the top, for metrics that need it: 300,50,1200.", metavar="LENGTHS"),
    ] = None,
    ranks: Annotated[int, Option("Ranks to show, even past the end of the ranking.", low=1, high=MAX_RANK)] = 10,
) -> Explanation:
    """Show what a metric models, and how a ranking gets its score, rank by rank."""
    labels = typed_labels([metric])
    metric, ranking, r, items = explained_ranking(metric, ranking, pool, max_grade, lengths)
    inputs = {"metric": str(metric), "ranking": ranking} | ({"labels": labels} if labels else {})
    return replace(explanation(metric, r, items, ranks), settings=Settings("explain", {}, inputs))


def explanation(metric: Metric, r: Rankings, items: tuple[str, ...], ranks: int) -> Explanation:
    """The explanation of a metric's score of the one ranking of a batch, whose results are these items."""
    score = float(metric.score(r)[0])
    if not metric.is_model and metric.meaning.kind != "stop_model":
        return _by_prefix(metric, r, items, score)
    model = _followed_browsing(metric, metric.seen(r), max(ranks, len(items)))
    depth = min(model.C.shape[1], max(ranks, len(items)))
    total = float(model.expected_depth()[0])
    discount, earned = _rank_rates(metric, model)
    first = slice(0, depth)
    return Explanation(
        metric=metric,
        score=score,
        items=(*items, *["·"] * depth)[:depth],
        gain=model.r.gain[0, first],
        cost=model.r.cost[0, first],
        C=model.C[0, first],
        W=model.V[0, first] / total if np.isfinite(total) else np.full(depth, np.nan),
        L=stopping_probability(model.C)[0, first],
        discount=discount[0, first],
        earned=earned[0, first],
        expected_depth=total,
        still_there=model.still_there(),
    )


def _by_prefix(metric: Metric, r: Rankings, items: tuple[str, ...], score: float) -> Explanation:
    """The explanation of a metric that is no user model: what each result adds to the score of those before it."""
    prefixes = [float(metric.score(r.top(i))[0]) for i in range(1, r.depth + 1)]
    view, nan = metric.seen(r).to_depth(r.depth), np.full(r.depth, np.nan)
    added = np.diff([0.0, *prefixes])
    gain = view.gain[0] if _has_gains(metric) else nan
    return Explanation(metric, score, items, gain, view.cost[0], nan, nan, nan, nan, added, np.nan, 0.0)


def _has_gains(metric: Metric) -> bool:
    """Whether a metric that is no user model scores results by the gain of their grade, and not by aspects or turns."""
    return not metric.params.keys().isdisjoint({"gain", "rel", "h"}) and "aspects" not in metric.meaning.needs


def _followed_browsing(metric: Metric, view: Rankings, depth: int) -> Browsing:
    """The metric's user model on these rankings, followed at least to `depth` if it continues past the list."""
    if metric.is_model:
        open_end = metric.params["end"] in ("infinite", "leak") and metric.params["horizon"] is None
        return metric.browse(view.to_depth(depth) if open_end else view)
    L = metric.stopping(view)
    V = 1 - (L.cumsum(axis=1) - L)
    return Browsing(np.divide(V - L, V, out=np.zeros_like(V), where=V > 0).clip(0.0, 1.0), view, None)


def _rank_rates(metric: Metric, model: Browsing) -> tuple[Floats, Floats]:
    """[1, depth] what a unit of gain at each rank adds to the score, and what the gain there does add."""
    r, V, L, A = model.r, model.V, model.L, metric.params["A"] or "AVG"
    if A in ("ERG", "ETG"):
        attention = (V * r.cost).sum(axis=1) + r.past_cost * model.past_total() if A == "ERG" else 1.0
        return V / attention, V / attention * r.gain
    earned = L * aggregated_gain(r, A, metric.params["beta"])
    if A in ("AVG", "FIN"):
        return model.gain_weights(A), earned
    return L / r.total_cost if A == "ERR" else np.full_like(L, np.nan), earned  # MAX and PE: it depends on other gains


def parsed_ranking(
    ranking: str, pool: str | None = None, max_grade: float | None = None
) -> tuple[Rankings, tuple[str, ...]]:
    """The batch of one ranking that a text describes, and its items.

    >>> r, items = parsed_ranking("ab,x,a")
    >>> r.aspects[0].tolist(), items
    ([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]], ('ab', 'x', 'a'))
    """
    items = tuple(ranking.replace(",", " ").split())
    pooled = tuple(pool.replace(",", " ").split()) if pool else ()
    if any(item.isalpha() for item in (*items, *pooled)):
        return _by_aspect(items, pooled, max_grade), items
    try:
        grades, judged = [float(item) for item in items], [float(item) for item in pooled]
    except ValueError:
        text = "is not a ranking; write grades from the top, as 1,0,2, or aspects, as ab,x,a with x for none."
        raise InputError(f"'{ranking}' {text}", argument="ranking") from None
    missing = [grade for grade in set(grades) if grade > 0 and judged and grades.count(grade) > judged.count(grade)]
    if missing:
        text = f"The ranking has more results of grade {max(missing):g} than the pool; add them to "
        raise InputError(text, argument("pool"), ".", argument="pool")
    r = Rankings.of([grades], best=[judged] if judged else None, max_grade=max_grade)
    return replace(r, carries=frozenset({"turns"})), items


def with_lengths(r: Rankings, lengths: str | Sequence[float]) -> Rankings:
    """The one ranking of a batch with the length of each result; ranks past it have the mean length."""
    try:
        parts = lengths.replace(",", " ").split() if isinstance(lengths, str) else list(lengths)
        words = np.array([[float(part) for part in parts]])
    except (TypeError, ValueError):
        words = np.full((1, 1), np.nan)
    if words.shape != (1, r.depth) or not (np.isfinite(words) & (words >= 0)).all():
        example = ",".join(["300"] * r.depth)
        expected = f" must be one number of 0 or more for each of {r.depth} results, such as {example}"
        raise InputError(argument("lengths"), expected, f"; found {as_found(lengths)}.", argument="lengths")
    return replace(r, words=words, past_words=float(words.mean()), carries=r.carries | {"lengths"})


def _by_aspect(items: tuple[str, ...], pooled: tuple[str, ...], max_grade: float | None) -> Rankings:
    if not all(item.isalpha() for item in (*items, *pooled)):
        raise InputError(
            f"'{','.join(items)}' mixes grades and aspects; write either 1,0,2 or ab,x,a.", argument="ranking"
        )
    names = sorted({letter for item in (*items, *pooled) for letter in item if letter != "x"})

    def covered(words: tuple[str, ...]) -> Floats:
        return np.array([[[name in word for name in names] for word in words]], float).reshape(
            1, len(words), len(names)
        )

    judged = covered(pooled or items)
    weights = np.full((1, len(names)), 1 / max(1, len(names)))
    base = Pool(judged.max(axis=2, initial=0.0), np.array([judged.shape[1]]), judged, weights)
    r = Rankings.of(covered(items).max(axis=2, initial=0.0), max_grade=max_grade)
    return replace(r, aspects=covered(items), pool=base, carries=frozenset({"aspects", "turns", "weights"}))
