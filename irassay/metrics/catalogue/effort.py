"""Metrics based on time spent or text read."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats, share
from irassay.errors import InputError
from irassay.metrics.cwl import Browsing, browse
from irassay.metrics.decorators import PLAIN_PARAMETERS, metric
from irassay.metrics.parameters import FRACTION, POSITIVE, one_of
from irassay.metrics.tails import Geometric, Linear
from irassay.rankings.batch import Rankings
from irassay.rankings.effort import JIANG_SECONDS
from irassay.rankings.gain import by_grade

# Smucker & Clarke 2012: seconds per summary, word and document; probabilities of a click and of a save.
SUMMARY, PER_WORD, PER_DOCUMENT = 4.4, 0.018, 7.8
CLICK_RELEVANT, CLICK_OTHER, SAVE_RELEVANT = 0.64, 0.39, 0.77
# jiang2016, Table 2, by grade 0, 1, 2.
JIANG_CLICK, JIANG_SAVE = (0.26, 0.50, 0.55), (0.0, 0.2, 0.8)
# Sakai & Dou 2013, not verified against the paper: characters of a snippet, share of a relevant document read.
SNIPPET, READ = 200.0, 0.2

Dialect = Annotated[
    str,
    one_of("original", "jiang", "cwl"),
    "Where time or text comes from: document lengths (original), grades as in jiang2016 (jiang), or costs (cwl).",
]


def used_files(params: Mapping[str, Any]) -> str:
    """Document lengths in the original dialect, costs in that of cwl_eval."""
    return {"original": "lengths", "cwl": "costs"}.get(params["dialect"], "")


def seconds(r: Rankings) -> Floats:
    """[n, depth] the expected time per result: its summary, and reading it if it is opened."""
    opened = np.where(r.relevant, CLICK_RELEVANT, CLICK_OTHER)
    return SUMMARY + opened * (PER_WORD * r.known_words() + PER_DOCUMENT)


def jiang_values(r: Rankings, table: tuple[float, ...]) -> Floats:
    """[n, depth] a table of jiang2016 looked up by grade."""
    if r.max_grade != 2:
        raise InputError(f"dialect='jiang' is defined for grades 0 to 2; found grades up to {r.max_grade:g}.")
    return by_grade(np.maximum(r.grade, 0.0), table, 2, "jiang2016")


def cost_before(cost: Floats) -> Floats:
    """[n|1, depth] the cost spent before each rank."""
    return cost.cumsum(axis=1) - cost


@metric(
    "TBG", cite=("smucker2012", "jiang2016"), high=np.inf, uses=used_files,
    formula=r"\text{TBG} &= \sum_{i} 0.64 \cdot \text{P\_save} \cdot b_i \, 2^{-t_i / h} \\ "
    r"t_i &= \sum_{j < i} \left( 4.4 + (0.39 + 0.25 \, b_j) (0.018 \, l_j + 7.8) \right)",
)  # fmt: skip
def TBG(
    r: Rankings,
    dialect: Dialect = "original",
    h: Annotated[
        float | None, POSITIVE, "Seconds, or cost, until half of the users have left; 224, or 31 for jiang."
    ] = None,
    P_save: Annotated[
        float | None,
        FRACTION,
        "Probability of saving an opened relevant result, 0.77; for jiang one of grade 1, 0.2 (of grade 2, 0.8).",
    ] = None,
    A: str = "ERG",
    beta: float = 0.5,
    horizon: int | None = None,
) -> Floats:
    """Half of the users leave every h seconds; a result is worth the probability that it is opened and saved.

    Time comes from document lengths ('original'), from grades ('jiang'), or from costs ('cwl': a rate, not a sum).
    """
    half = h if h is not None else 31.0 if dialect == "jiang" else 224.0
    if dialect == "cwl":
        if P_save is not None:
            raise InputError("TBG(dialect='cwl') has no probability of saving; leave out P_save.")
        return browse(
            r,
            lambda batch: np.broadcast_to(0.5 ** (batch.cost / half), batch.grade.shape),
            lambda batch: Geometric(np.array([0.5 ** (batch.past_cost / half)])),
            horizon=horizon,
        ).score(A, beta)
    if dialect == "jiang":
        none, one, two = JIANG_SAVE
        save = (none, one if P_save is None else P_save, two)
        gain, time = jiang_values(r, JIANG_CLICK) * jiang_values(r, save), jiang_values(r, JIANG_SECONDS)
    else:
        save_relevant = SAVE_RELEVANT if P_save is None else P_save
        gain, time = np.where(r.relevant, CLICK_RELEVANT * save_relevant, 0.0), seconds(r)
    return (gain * 0.5 ** (cost_before(time) / half) * r.inside).sum(axis=1)


@metric(
    "U", cite=("sakai2013", "jiang2016"), takes=PLAIN_PARAMETERS | {"gain": "exp"}, high=np.inf, uses=used_files,
    unchecked="the constants of dialect='original': a snippet of 200 characters, a fifth of a relevant document read, "
    "and L = 132,000",
    empty_list="an empty list scores 0, because nothing is read; the bounds of a topic without results are 0 and the "
    "score of the top grade at every rank up to the cutoff, and without a cutoff there are none",
    formula=r"\text{U} = \sum_{i} g_i \max \left( 0, 1 - \frac{t_i}{L} \right) \qquad t_i = "
    r"\sum_{j \le i} \left( 200 + 0.2 \, b_j \cdot \text{chars} \cdot l_j \right)",
)  # fmt: skip
def U(
    r: Rankings,
    dialect: Dialect = "original",
    L: Annotated[float | None, POSITIVE, "Characters, or cost, after which results are worth nothing."] = None,
    T: Annotated[float, POSITIVE, "Seconds after which results are worth nothing, for dialect='jiang'."] = 99.0,
    A: str = "ERG",
    beta: float = 0.5,
    horizon: int | None = None,
    chars: Annotated[float, POSITIVE, "Characters in one unit of the document lengths; about 6 for words."] = 1.0,
) -> Floats:
    """The worth of a result falls linearly with the text read, or time spent, so far.

    Text comes from document lengths ('original'), time from grades ('jiang'), or costs ('cwl'). Text is counted in
    characters; `chars` is the number of characters per unit of length: 1 if lengths are in characters, about 6 if they
    are in English words.
    """
    if dialect == "cwl":
        return by_start(r, 1000.0 if L is None else L, horizon).score(A, beta)
    if dialect == "jiang":
        spent, limit = jiang_values(r, JIANG_SECONDS).cumsum(axis=1), T
    else:
        spent = (SNIPPET + READ * r.relevant * chars * r.known_words()).cumsum(axis=1)
        limit = 132000.0 if L is None else L
    return (r.gain * np.maximum(0.0, 1 - spent / limit) * r.inside).sum(axis=1)


def by_start(r: Rankings, L: float, horizon: int | None) -> Browsing:
    """A user whose probability of examining a result falls linearly with the cost spent before it."""

    def continuation(batch: Rankings) -> Floats:
        here = np.maximum(0.0, 1 - cost_before(batch.cost) / L)
        after = np.maximum(0.0, 1 - batch.cost.cumsum(axis=1) / L)
        if horizon is not None:  # cwl_eval gives the last rank no weight
            here, after = here.copy(), after.copy()
            here[:, -1] = after[:, -2:] = 0.0
        return np.broadcast_to(share(after, here), batch.grade.shape)

    def tail(batch: Rankings) -> Linear:
        left = np.maximum(0.0, 1 - batch.cost.sum(axis=1) / L)
        return Linear(np.broadcast_to(left, len(batch)), batch.past_cost / L)

    return browse(r, continuation, tail, horizon=horizon)
