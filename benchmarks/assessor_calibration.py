"""Whether the share of simulated assessors who undo a claim in `meta fragility` is that of further real ones.

Run `python benchmarks/assessor_calibration.py [COLLECTIONS]`. Each collection has two runs of ten documents, a truth,
and assessors who see relevant documents with one probability and others with another. Claims that are significant by
the first assessor are kept; the second one is given with --other, and 60 further ones decide what is true.
"""

import sys

import numpy as np
from scipy.stats import ttest_rel

import irassay as ia
from irassay.arrays import Bools

RESULTS, FURTHER = 10, 60
SETTINGS = {  # topics; share relevant of either run; judged relevant if relevant, and if not; spread of topics (logit)
    "25 topics, .6 and .5 relevant": (25, 0.6, 0.5, 0.75, 0.1, 0.0),
    "25 topics, .65 and .5": (25, 0.65, 0.5, 0.75, 0.1, 0.0),
    "25 topics, .7 and .5": (25, 0.7, 0.5, 0.75, 0.1, 0.0),
    "25 topics, .8 and .5": (25, 0.8, 0.5, 0.75, 0.1, 0.0),
    "15 topics, .7 and .5": (15, 0.7, 0.5, 0.8, 0.05, 0.0),
    "50 topics, .6 and .5": (50, 0.6, 0.5, 0.75, 0.1, 0.0),
    "50 topics, .75 and .5, poor assessors": (50, 0.75, 0.5, 0.6, 0.2, 0.0),
    "25 topics that differ, .75 and .5": (25, 0.75, 0.5, 0.75, 0.1, 1.0),
}


def judgements(
    rng: np.random.Generator, topics: int, first: float, second: float, seen: float, alarm: float, spread: float
) -> Bools:
    """[assessor, run, topic, document] who judges what relevant."""
    easy = spread * rng.normal(size=(topics, 1))
    odds = np.array([first / (1 - first), second / (1 - second)])[:, None, None] * np.exp(easy)
    truth = rng.random((2, topics, RESULTS)) < odds / (1 + odds)
    return rng.random((2 + FURTHER, *truth.shape)) < np.where(truth, seen, alarm)


def outcomes(judged: Bools) -> tuple[float, float, float, float] | None:
    """The predicted and the true share who undo a claim, and who reverse it; None if it is not significant."""
    means = judged.mean(axis=3)
    t, p = ttest_rel(means[:, 0], means[:, 1], axis=1)
    if not (t[0] > 0 and p[0] < 0.05):
        return None
    own, other = (
        {f"t{n}": {f"{r}{d}": int(one[r, n, d]) for r in range(2) for d in range(RESULTS)} for n in range(one.shape[1])}
        for one in judged[:2]
    )
    runs = {f"run{r}": {topic: {f"{r}{d}": -d for d in range(RESULTS)} for topic in own} for r in range(2)}
    pair = ia.meta.fragility(runs, own, ["P@10"], max_grade=1, other=other, assessors=200).pairs[0]
    undone = ~((t[2:] > 0) & (p[2:] < 0.05))
    return pair.undone, float(undone.mean()), pair.reversed, float((t[2:] < 0).mean())


def main(collections: int = 60) -> None:
    """Prints one row for each setting."""
    print("| setting | claims | undone: predicted, true | rms error | reversed: predicted, true |")
    print("|---|---|---|---|---|")
    for name, setting in SETTINGS.items():
        rng = np.random.default_rng(27)
        drawn = (outcomes(judgements(rng, *setting)) for _ in range(collections))
        found = np.array([each for each in drawn if each is not None])
        error = np.sqrt(((found[:, 0] - found[:, 1]) ** 2).mean())
        undone, true, turned, truly = found.mean(axis=0)
        row = f"{undone:.1%}, {true:.1%} | {error:.1%} | {turned:.1%}, {truly:.1%}"
        print(f"| {name} | {len(found)} | {row} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
