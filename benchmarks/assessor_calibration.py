"""Whether the share of simulated assessors who undo a claim in `meta fragility` is that of further real ones.

Run `python benchmarks/assessor_calibration.py [CLAIMS]`. A collection has two runs, a truth, and assessors who differ
from the truth and from each other. Claims that are significant by the first assessor are kept; the second one is given
with --other, and 60 further ones decide what is true. Runs differ by a fixed amount in some designs, and by an amount
that is drawn for each collection in others. Assessors have a view of relevance of their own, or confuse grades with
probabilities that depend on the grade, or on who returned the document. Shares are shown by design, and by bins of the
predicted share.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from scipy.stats import t as t_distribution

import irassay as ia
from irassay.arrays import Floats, Ints
from irassay.stats.influence import paired_t

DOCUMENTS, RESULTS, FURTHER, TRIES = 40, 20, 60, 40
BINS = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.01])


@dataclass(frozen=True)
class Design:
    """Latent relevance is normal; a run sorts by a noisy view of it, and an assessor cuts one into grades."""

    metric: str
    topics: int
    lead: float  # of the first run, in how well it sees relevance; its spread if it is drawn
    drawn: bool = True
    relevant: tuple[float, ...] = (0.3,)  # the share of documents of grade 1, 2, … or better
    noise: float = 0.7  # of an assessor's view
    leniency: float = 0.0  # the spread of an assessor's shift on a topic
    missed: float = 0.0  # relevant documents that an assessor takes for not relevant
    unlike: float = 0.5  # the spread of topics
    errors: tuple[float, float] | None = None  # instead of a view: a grade one too low if relevant, else one too high
    favour: float = 1.0  # errors that count for the run that alone returns a document, over those that count against


GRADED = (0.4, 0.2, 0.07)
DESIGNS = {
    "P@10, 25 topics": Design("P@10", 25, 0.6),
    "P@10, 25 topics, equally far apart": Design("P@10", 25, 0.35, drawn=False),
    "P@10, 50 topics, few relevant, misses": Design("P@10", 50, 0.6, relevant=(0.1,), missed=0.3),
    "P@10, 50 topics, lenient or strict by topic": Design("P@10", 50, 0.6, leniency=0.7),
    "nDCG@10, 25 topics, four grades": Design("nDCG@10", 25, 0.6, relevant=GRADED),
    "nDCG@10, 25 topics, four grades, equally far apart": Design("nDCG@10", 25, 0.35, drawn=False, relevant=GRADED),
    "nDCG@10, 50 topics, three grades, poor assessors": Design("nDCG@10", 50, 0.6, relevant=(0.3, 0.1), noise=1.5),
    "nDCG@10, 50 topics, four grades, leniency, misses": Design(
        "nDCG@10", 50, 0.6, relevant=GRADED, leniency=0.5, missed=0.2
    ),
    "nDCG@10, 25 topics, two grades, good assessors": Design("nDCG@10", 25, 0.6, noise=0.3),
    "nDCG@10, 25 topics that differ much": Design("nDCG@10", 25, 0.6, relevant=GRADED, unlike=1.5),
    "AP, 25 topics": Design("AP", 25, 0.6),
    "AP, 50 topics, few relevant": Design("AP", 50, 0.6, relevant=(0.1,)),
    "AP, 50 topics, leniency, equally far apart": Design("AP", 50, 0.25, drawn=False, leniency=0.5),
    "P@10, 25 topics, one claim in six significant": Design("P@10", 25, 0.15, drawn=False),
    "nDCG@10, 25 topics, one claim in four significant": Design("nDCG@10", 25, 0.15, drawn=False, relevant=GRADED),
    "AP, 50 topics, one claim in four significant": Design("AP", 50, 0.12, drawn=False),
    "P@10, 50 topics, confusions": Design("P@10", 50, 0.6, errors=(0.4, 0.1)),
    "nDCG@10, 25 topics, four grades, confusions": Design("nDCG@10", 25, 0.6, relevant=GRADED, errors=(0.3, 0.1)),
    "P@10, 25 topics, confusions, few significant": Design("P@10", 25, 0.2, drawn=False, errors=(0.3, 0.1)),
    "P@10, 30 topics, confusions favour the first run": Design("P@10", 30, 0.2, errors=(0.3, 0.1), favour=1.3),
    "nDCG@10, 50 topics, confusions favour the other": Design(
        "nDCG@10", 50, 0.6, relevant=GRADED, errors=(0.3, 0.1), favour=0.6
    ),
}


def drawn_collection(rng: np.random.Generator, design: Design) -> tuple[Ints, Ints]:
    """[run, topic, rank] documents, and [assessor, topic, document] grades."""
    shape = (design.topics, DOCUMENTS)
    relevance = rng.normal(size=shape)
    lead = abs(rng.normal()) * design.lead if design.drawn else design.lead
    sight = np.array([0.6 + lead, 0.6])[:, None, None]
    ranked = np.argsort(-(sight * relevance + rng.normal(size=(2, *shape))), axis=2)[:, :, :RESULTS]
    seen = relevance + design.unlike * rng.normal(size=(design.topics, 1))
    if design.errors is not None:
        return ranked, confused_grades(rng, design, seen, ranked)
    view = seen + design.noise * rng.normal(size=(2 + FURTHER, *shape))
    view += design.leniency * rng.normal(size=(2 + FURTHER, design.topics, 1))
    view[rng.random(view.shape) < design.missed] = -np.inf
    spread = np.sqrt(1 + design.unlike**2 + design.noise**2 + design.leniency**2)
    return ranked, np.sum([view > spread * norm.isf(share) for share in design.relevant], axis=0)


def confused_grades(rng: np.random.Generator, design: Design, seen: Floats, ranked: Ints) -> Ints:
    """[assessor, topic, document] grades that assessors confuse with the next lower or higher one."""
    limits = np.sqrt(1 + design.unlike**2) * norm.isf(design.relevant)
    truth = (seen[..., None] > limits).sum(axis=2)
    returned = np.zeros((2, *truth.shape), dtype=np.bool_)
    np.put_along_axis(returned, ranked[:, :, :10], True, axis=2)
    alone = design.favour ** (returned[0] * 1.0 - returned[1])  # documents that only one run returns
    low, high = design.errors or (0.0, 0.0)
    drawn = rng.random((2 + FURTHER, *truth.shape))
    wrong = np.where(truth > 0, -1 * (drawn < low / alone), drawn < high * alone)
    return truth + wrong


def run_scores(metric: str, grade: Ints, ranked: Ints) -> Floats:
    """[assessor, topic] the scores of one run [topic, rank] by judgements [assessor, topic, document]."""
    found = np.take_along_axis(grade, ranked[None], axis=2).astype(np.float64)
    if metric == "P@10":
        return (found[..., :10] > 0).mean(axis=2)
    if metric == "nDCG@10":
        discount = 1 / np.log2(np.arange(2, 12))
        ideal = (-np.sort(-grade, axis=2)[..., :10] * discount).sum(axis=2)
        return (found[..., :10] * discount).sum(axis=2) / np.where(ideal > 0, ideal, 1)
    precision = (found > 0).cumsum(axis=2) / np.arange(1, RESULTS + 1)
    return (precision * (found > 0)).sum(axis=2) / np.maximum(1, (grade > 0).sum(axis=2))


def outcomes(design: Design, ranked: Ints, grade: Ints) -> tuple[float, float, float, float] | None:
    """The predicted and the true share who undo a claim, and who reverse it; None if it is not significant."""
    d = run_scores(design.metric, grade, ranked[0]) - run_scores(design.metric, grade, ranked[1])
    critical = float(t_distribution.isf(0.025, design.topics - 1))
    if not paired_t(d[0]) > critical:
        return None
    own, other = (
        {f"t{n:02}": {f"d{k}": int(g) for k, g in enumerate(topic)} for n, topic in enumerate(one)} for one in grade[:2]
    )
    runs = {
        f"run{r}": {f"t{n:02}": {f"d{k}": -rank for rank, k in enumerate(topic)} for n, topic in enumerate(run)}
        for r, run in enumerate(ranked)
    }
    scale = max(3, int(grade.max()))
    pair = ia.meta.fragility(runs, own, [design.metric], max_grade=scale, other=other, assessors=200).pairs[0]
    if abs(pair.difference - d[0].mean()) > 1e-9:
        raise AssertionError(f"{pair.difference} is not {d[0].mean()}")
    undone = paired_t(d[2:]) <= critical
    return pair.undone, float(undone.mean()), pair.reversed, float((d[2:].mean(axis=1) < 0).mean())


def design_outcomes(design: Design, claims: int) -> Iterator[tuple[float, float, float, float]]:
    """The outcomes of some significant claims."""
    rng = np.random.default_rng([27, design.topics])
    found = 0
    for _ in range(TRIES * claims):
        outcome = outcomes(design, *drawn_collection(rng, design))
        if outcome is not None:
            yield outcome
            found += 1
        if found == claims:
            return


def main(claims: int = 100) -> None:
    """Prints one row for each design, and one for each bin of shares."""
    print("| design | claims | undone: predicted, true | rms error | reversed: predicted, true |")
    print("|---|---|---|---|---|")
    every = []
    for name, design in DESIGNS.items():
        found = np.array([*design_outcomes(design, claims)])
        every.append(found)
        error = np.sqrt(((found[:, 0] - found[:, 1]) ** 2).mean())
        undone, true, turned, truly = found.mean(axis=0)
        row = f"{undone:.1%}, {true:.1%} | {error:.1%} | {turned:.1%}, {truly:.1%}"
        print(f"| {name} | {len(found)} | {row} |", flush=True)
    both = np.concatenate(every)
    place = np.digitize(both[:, 0], BINS)
    print("\n| predicted share | claims | predicted, true |\n|---|---|---|")
    for n in np.unique(place):
        some = both[place == n]
        ends = f"{BINS[n - 1]:.0%} to {min(1, BINS[n]):.0%}"
        print(f"| {ends} | {len(some)} | {some[:, 0].mean():.1%}, {some[:, 1].mean():.1%} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
