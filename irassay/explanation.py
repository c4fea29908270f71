"""How a metric makes its score: the user model's curves, and what each rank of a ranking earns."""

from dataclasses import dataclass, replace

import numpy as np

from irassay.cwl import Browsing, examined, stops, taken_away
from irassay.errors import InputError
from irassay.gain import Floats
from irassay.instrument import Metric
from irassay.rankings import Pool, Rankings


@dataclass(frozen=True, eq=False)
class Explanation:
    """A metric at work on one ranking. Curves are NaN where the metric is not a user model."""

    metric: Metric
    score: float
    letters: tuple[str, ...]  # [depth] the ranking as it was given
    gain: Floats  # [depth]
    cost: Floats  # [depth]
    C: Floats  # [depth] probability of going on
    V: Floats  # [depth] probability of examining
    W: Floats  # [depth] share of attention
    L: Floats  # [depth] probability of stopping
    residual: Floats  # [depth] attention past this rank
    discount: Floats  # [depth] what a unit of gain at this rank adds (jiang2016, equation 8)
    earned: Floats  # [depth] adds up, with `past`, to the score
    past: float  # earned past the list
    expected_depth: float  # V+
    still_there: float  # probability of going on past the last rank that was followed

    @property
    def H(self) -> Floats:
        """[depth] the probability of stopping at a rank that is examined."""
        return 1 - self.C


def explain(
    metric: Metric, ranking: str, pool: str | None = None, max_grade: float | None = None, rows: int = 0
) -> Explanation:
    """How `metric` scores a ranking written as grades (1,0,2) or as aspects (ab,x,a).

    `pool` lists what was judged, likewise; without it, only what the ranking has. `rows` shows more ranks than the
    ranking has, through results of no gain.
    """
    r, letters = written(ranking, pool, max_grade)
    more = max(0, rows - len(letters))
    score = float(metric.score(r)[0])
    if metric.is_model or metric.meaning.kind == "stop_model":
        return _of_model(metric, r, letters, score, more)
    return _of_prefixes(metric, r, letters, score)


def _of_prefixes(metric: Metric, r: Rankings, letters: tuple[str, ...], score: float) -> Explanation:
    prefixes = [float(metric.score(r.top(i))[0]) for i in range(1, r.depth + 1)] if r.depth else []
    view = metric.seen(r).to_depth(r.depth)
    nan = np.full(r.depth, np.nan)
    earned = np.diff([0.0, *prefixes])
    gain = np.zeros(r.depth)
    gain[: view.depth] = view.gain[0, : r.depth]
    cost = np.broadcast_to(view.cost, view.gain.shape)[0, : r.depth]
    return Explanation(
        metric,
        score,
        letters,
        gain,
        cost,
        nan,
        nan,
        nan,
        nan,
        nan,
        nan,
        earned,
        score - float(earned.sum()),
        np.nan,
        np.nan,
    )


def _of_model(metric: Metric, r: Rankings, letters: tuple[str, ...], score: float, more: int) -> Explanation:
    params, view = metric.params, metric.seen(r)
    if metric.is_model:
        at_work = metric.browse(view.to_depth(len(letters) + more) if params["end"] in ("infinite", "leak") else view)
    else:
        L = metric.stopping(view)
        V = 1 - (L.cumsum(axis=1) - L)
        C = np.divide(V - L, V, out=np.zeros_like(V), where=V > 0)
        at_work = Browsing(C, view, None)
    seen, A, depth = at_work.r, params["A"] or "AVG", at_work.C.shape[1]
    C = np.broadcast_to(at_work.C, seen.gain.shape)
    V, L = examined(C), stops(C)
    total = float(at_work.expected_depth()[0])
    W = V / total if np.isfinite(total) else np.full_like(V, np.nan)
    cost = np.broadcast_to(seen.cost, V.shape)
    spent = cost.cumsum(axis=1)
    kept = 1.0 if at_work.kept is None else at_work.kept
    if A == "ERG":
        attention = (V * cost).sum(axis=1, keepdims=True) + seen.past_cost * at_work.past_total()
        discount = V / attention
        earned = discount * seen.gain
    elif A == "ETG":
        discount, earned = V, V * seen.gain
    else:
        earned = kept * L * taken_away(seen, A, params["beta"])
        share = kept * L / spent
        if A == "AVG":
            discount = np.flip(np.flip(share, axis=1).cumsum(axis=1), axis=1) + at_work.reciprocal_past()[:, None]
        else:
            discount = share if A == "ERR" else kept * L if A == "FIN" else np.full_like(L, np.nan)
    shown = max(len(letters), min(depth, len(letters) + more))
    names = (*letters, *["·"] * (shown - len(letters)))
    still = (
        0.0 if metric.meaning.tail is not None or params.get("end") in ("stop", "list") else float(C.prod(axis=1)[0])
    )
    return Explanation(
        metric,
        score,
        names[: min(shown, depth)] if depth < shown else names,
        *(array[0, :shown] for array in (seen.gain, cost, C, V, W, L)),
        residual=(1 - W.cumsum(axis=1))[0, :shown],
        discount=discount[0, :shown],
        earned=earned[0, :shown],
        past=score - float(earned[0, :shown].sum()),
        expected_depth=total,
        still_there=still,
    )


def written(ranking: str, pool: str | None = None, max_grade: float | None = None) -> tuple[Rankings, tuple[str, ...]]:
    """The batch of one that a written ranking stands for, and its items.

    >>> r, items = written("ab,x,a")
    >>> r.aspects[0].tolist(), items
    ([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]], ('ab', 'x', 'a'))
    """
    items, offered = _items(ranking), _items(pool) if pool else ()
    if not (by_aspect := any(item.isalpha() for item in (*items, *offered))):
        try:
            grades = [float(item) for item in items]
            judged = [float(item) for item in offered]
        except ValueError:
            raise InputError(
                f"'{ranking}' is not a ranking; write grades from the top, as 1,0,2, or aspects, as ab,x,a (x: no aspect)"
            ) from None
        missing = [g for g in grades if grades.count(g) > judged.count(g)] if judged and max(grades, default=0) else []
        if judged and any(g > 0 for g in missing):
            raise InputError(
                f"the ranking has more results of grade {max(missing):g} than the pool {pool}; add them to --pool"
            )
        r = Rankings.of([grades], best=[judged] if judged else None, max_grade=max_grade)
        return replace(r, carries=frozenset({"turns"})), items
    if not by_aspect or any(not item.isalpha() for item in (*items, *offered)):
        raise InputError(f"'{ranking}' mixes grades with aspects; write either 1,0,2 or ab,x,a")
    names = sorted({letter for item in (*items, *offered) for letter in item if letter != "x"})
    aspects = np.array([[[float(name in item) for name in names] for item in items]]).reshape(1, len(items), len(names))
    every = offered or items
    judged_aspects = np.array([[[float(name in item) for name in names] for item in every]]).reshape(
        1, len(every), len(names)
    )
    r = Rankings.of(aspects.max(axis=2, initial=0.0), max_grade=max_grade)
    grade = judged_aspects.max(axis=2, initial=0.0)
    base = Pool(grade, np.array([len(every)]), judged_aspects, np.full((1, len(names)), 1 / max(1, len(names))))
    return replace(r, aspects=aspects, pool=base, carries=frozenset({"aspects", "turns", "weights"})), items


def _items(text: str) -> tuple[str, ...]:
    return tuple(item for item in text.replace(",", " ").split())
