"""Expected Utility: the worth of what a user learns from passages, minus the cost of reading documents."""

from typing import Annotated

import numpy as np

from irassay.arrays import Floats, share
from irassay.metrics.decorators import metric
from irassay.metrics.parameters import NOT_NEGATIVE, PROBABILITY
from irassay.rankings.batch import Rankings
from irassay.rankings.passages import Passages
from irassay.rankings.turns import PAGE, in_turns, rank_in_turn, value_at_turns

CITE = ("yang2009", "yang2017")
NEEDS = "passages turns lengths"
Decay = Annotated[float, PROBABILITY, "Worth of a nugget each further time it is met, relative to the time before."]
ReadingCost = Annotated[float, NOT_NEGATIVE, "Cost of reading a word."]
Leaving = Annotated[float, PROBABILITY, "Probability of stopping after each document of a list."]


def repeated_worth(times: Floats, gamma: float) -> Floats:
    """The worth of meeting a nugget this many times, each worth gamma times the one before."""
    return (1 - gamma**times) / (1 - gamma)


def learned_worth(r: Rankings, gamma: float, p: float, k: int | None) -> Floats:
    """[n] the rating of each nugget times the expected novelty of meeting it."""
    passages, nuggets = r.passages, r.passages.nuggets
    counts = in_turns(r, k) & (passages.document >= 0) & ~passages.repeated
    row, column = np.nonzero(counts)
    reached = np.broadcast_to((1 - p) ** (rank_in_turn(r) - 1), counts.shape)[row, column]
    cell = passages.topic[row] * nuggets.discounted.shape[1] + passages.document[row, column]
    count = nuggets.start[cell + 1] - nuggets.start[cell]
    entry = np.repeat(nuggets.start[cell] - (count.cumsum() - count), count) + np.arange(count.sum())
    width = nuggets.rating.shape[1]
    met: Floats = np.bincount(
        np.repeat(row, count) * width + nuggets.nugget[entry],
        weights=np.repeat(reached, count) * nuggets.times[entry],
        minlength=len(r) * width,
    ).astype(np.float64)
    worth = nuggets.rating[passages.topic] * repeated_worth(met.reshape(len(r), width), gamma)
    return np.asarray(worth.sum(axis=1))


def words_read(r: Rankings, p: float, k: int | None) -> Floats:
    """[n] the expected number of words read; as in the jig, nobody stops at a document of unknown length."""
    inside, rank = in_turns(r, k), np.broadcast_to(rank_in_turn(r), (len(r), r.depth))
    sized = inside & ~np.isnan(r.words) & ~r.passages.repeated
    words = np.where(sized, r.words, 0.0)
    total = words.cumsum(axis=1)
    column = np.arange(r.depth)
    before = np.pad(total, [(0, 0), (1, 0)])[np.arange(len(r))[:, None], column - rank.astype(np.int64) + 1]
    ends = np.ones_like(inside)  # the last result of its turn
    ends[:, :-1] = (rank[:, 1:] == 1) | ~inside[:, 1:]
    stop = (1 - p) ** (rank - 1) * np.where(ends, 1.0, p)
    return np.asarray(np.where(sized, stop * (total - before), 0.0).sum(axis=1))


def net_utility(r: Rankings, gamma: float, a: float, p: float, k: int | None) -> Floats:
    """[n] the worth of what is learned, minus the cost of reading."""
    return learned_worth(r, gamma, p, k) - a * words_read(r, p, k)


@metric(
    "EU", cite=CITE, takes={}, needs=NEEDS, low=-np.inf, high=np.inf, starts_at_zero=False, uses="lengths",
    formula=r"\text{EU} &= \sum_{\nu} x_\nu \, \frac{1 - \gamma^{\mu_\nu}}{1 - \gamma} - a \sum_{q=1}^{k} "
    r"\sum_{i=1}^{n_q} P_{qi} \sum_{j=1}^{i} l_{qj} \\ "
    r"\mu_\nu &= \sum_{(q, i) \ni \nu} (1-p)^{i-1} \qquad P_{qi} = (1-p)^{i-1} p^{[i < n_q]}",
)  # fmt: skip
def EU(r: Rankings, gamma: Decay = 0.5, a: ReadingCost = 0.001, p: Leaving = 0.5, k: int | None = None) -> Floats:
    """The worth of what is learned in the first k iterations, minus a cost of a per word read.

    A reader stops after each document with probability p; a nugget is worth gamma times as much each time it is met
    again. A document of unknown length costs nothing, and nobody stops at it.
    """
    return net_utility(r, gamma, a, p, k)


@metric(
    "nEU", cite=CITE, takes={}, needs=NEEDS, low=-np.inf, high=np.inf, starts_at_zero=False, uses="lengths",
    formula=r"\text{nEU} &= \frac{\text{EU} - \text{EU}_{\min}}{\text{EU}_{\max} - \text{EU}_{\min}} \\ "
    r"\text{EU}_{\min} &= - a \sum_{j=1}^{c} (1-p)^{i_j - 1} \, l^{\downarrow}_j \\ "
    r"\text{EU}_{\max} &= \sum_{\nu} x_\nu \, \frac{1 - \gamma^{\mu^*_\nu}}{1 - \gamma} "
    r"- a \sum_{j=1}^{c} (1-p)^{i_j - 1} \, l^{\uparrow}_j \\ "
    r"\mu^*_\nu &= \sum_{j=1}^{d_\nu} (1-p)^{(j - 1) \bmod 5} \\ "
    r"i_j &= \min \left\{ i \le 5 : j \le \sum_{h=1}^{i} (k - [h - 1 > c \bmod 5]) \right\}",
)  # fmt: skip
def nEU(r: Rankings, gamma: Decay = 0.5, a: ReadingCost = 0.001, p: Leaving = 0.5, k: int | None = None) -> Floats:
    """Expected Utility, rescaled so that the lowest and highest possible in k iterations of five documents are 0 and 1.

    The bounds are the jig's, and rough: nothing learned from the longest documents of the collection, and everything
    learned from the shortest. Scores may lie slightly outside.
    """
    passages = r.passages
    low = value_at_turns(r, k, lambda turns: -a * words_of(passages.lengths[::-1], turns, p), passages.topic)
    cost = value_at_turns(r, k, lambda turns: a * words_of(passages.lengths, turns, p), passages.topic)
    worth = value_at_turns(r, k, lambda turns: total_worth(passages, turns, gamma, p), passages.topic)
    return share(net_utility(r, gamma, a, p, k) - low, worth - cost - low)


def total_worth(passages: Passages, turns: int, gamma: float, p: float) -> Floats:
    """[t] the worth of meeting each nugget in all its documents, ranked as high as five per turn allow."""
    nuggets = passages.nuggets
    documents = np.minimum(nuggets.documents, PAGE * turns)
    reached = (1 - p) ** np.arange(PAGE)
    pages, rest = np.divmod(documents, PAGE)
    met = pages * reached.sum() + np.concatenate([[0.0], reached.cumsum()])[rest]
    return np.asarray((nuggets.rating * repeated_worth(met, gamma)).sum(axis=1))


def words_of(lengths: Floats, turns: int, p: float) -> Floats:
    """[] the words read of a collection's first documents, with the very first at the top of each list.

    The jig leaves the lower ranks of the last list empty unless the collection has too few documents.
    """
    documents = min(len(lengths), PAGE * turns)
    lists = np.where(np.arange(PAGE) <= documents % PAGE, turns, turns - 1)
    rank = np.repeat(np.arange(PAGE), lists)[:documents]
    return np.asarray(lengths[: len(rank)] @ (1 - p) ** rank)
