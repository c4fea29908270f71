"""What `irassay judges` says, on simulated judges whose truth is known: how often it is wrong.

python benchmarks/judge_statements.py [--studies 300] [--seed 0] [--labels FOLDER] [--only equal,intervals,gap]

Equal judges: how often some judge is said to be behind another, and how often some judge is said to be lenient. The
intervals of kappa and alpha: how often they contain the value of very many topics, and how often those of the jackknife
with Student's t alone do, without Fisher's scale and with all topics alike. The safe gap: how often some pair of
systems further apart than it is reversed on fresh topics. With a folder of label sets (the reference is `human*`), also
two of these on published labels: judges made equal by shuffling the sets within each topic, also if topics are left out
and counted by their documents; and the safe gap of simulated systems, from half of the topics, on the other half.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.meta.judges.agreement import (
    SCALES,
    GradeTables,
    judge_selection,
    leniency_fields,
    overall_alpha,
    reference_tables,
)
from irassay.meta.judges.conclusions import largest_reversed_gap, safe_gap
from irassay.meta.judges.labels import Labels, label_sets
from irassay.stats.jackknife import DeleteOne, halved_means
from irassay.stats.selection import Selection, selection

ALPHA, GRADES, SYSTEMS = 0.05, 4, 20
TOPICS_OF_TRUTH = 4000


@dataclass(frozen=True)
class Design:
    """How labels are made: documents of a topic, shares of grades, and how hard topics are."""

    fewest: int = 30
    most: int = 120
    grades: tuple[float, ...] = (6, 3, 2, 1)  # of a Dirichlet distribution
    hard: float = 0.0  # mean of the logit of an error, and its standard deviations over topics and judges of a topic
    of_topics: float = 0.7
    of_judges: float = 0.5


USUAL = Design()
DESIGNS = {
    "30 to 120 documents": USUAL,
    "8 to 400 documents": Design(8, 400),
    "the highest grade rare": Design(grades=(8, 3, 1, 0.4), hard=-0.5),
    "good judges": Design(grades=(5, 2, 2, 1), hard=-2.2, of_topics=0.8),
    "10 to 30 documents": Design(10, 30, (4, 2, 1, 1), -0.5),
    "unlike topics": Design(40, 400, (1.2, 0.6, 0.5, 0.4), -0.3, 1.2, 0.8),
}


def study(rng: np.random.Generator, judges: int, topics: int, design: Design = USUAL) -> Labels:
    """Labels of a reference and of judges that are equally good.

    Topics differ in how hard they are for all judges, and each judge has topics that it finds hard or grades high or
    low. An error gives the higher or the lower grade of two other documents of the topic, so that no judge is lenient.
    """
    if design.most <= 5 * design.fewest:
        number = rng.integers(design.fewest, design.most + 1, topics)
    else:  # as many small topics as large ones
        number = np.exp(rng.uniform(np.log(design.fewest), np.log(design.most + 1), topics)).astype(np.int64)
    topic = np.repeat(np.arange(topics), number)
    shape = judges, len(topic)
    share = rng.dirichlet(design.grades, topics)  # [topic, grade]
    human = (rng.random(len(topic))[:, None] > np.cumsum(share, axis=1)[topic, :-1]).sum(axis=1)
    hard = design.hard + rng.normal(0, design.of_topics, topics) + rng.normal(0, design.of_judges, (judges, topics))
    start = np.concatenate([[0], np.cumsum(number)[:-1]])
    one, two = (human[start[topic] + (rng.random(shape) * number[topic]).astype(int)] for _ in range(2))
    high = (rng.random((judges, topics)) < 0.5)[:, topic]
    wrong = rng.random(shape) < (1 / (1 + np.exp(-hard)))[:, topic]
    return label_arrays(
        topic, np.vstack([human, np.where(wrong, np.where(high, np.maximum(one, two), np.minimum(one, two)), human)])
    )


def label_arrays(topic: Ints, given: Ints) -> Labels:
    """Labels from arrays, the reference first; every judge judged every document."""
    zeros = np.zeros(len(given), dtype=np.int64)
    names, topics = (
        tuple(f"{kind}{n}" for n in range(size)) for kind, size in (("j", len(given)), ("t", topic[-1] + 1))
    )
    grades = np.arange(float(GRADES))
    return Labels(names, topics, topic, grades, given, tuple(grades.tolist()), zeros, zeros, (), {})


def selection_errors(rng: np.random.Generator, judges: int, topics: int, studies: int) -> tuple[float, float]:
    """The shares of studies of equal judges with a judge behind another, and with a lenient or strict judge."""
    behind, lenient = np.zeros(studies), np.zeros(studies)
    for n in range(studies):
        labels = study(rng, judges, topics)
        chosen = judge_selection(reference_tables(labels), "kappa", ALPHA, n, labels.judges[1:])
        behind[n] = chosen.behind.any()
        lenient[n] = (leniency_fields(labels, ALPHA)["leniency_p"] < ALPHA).any()
    return float(behind.mean()), float(lenient.mean())


def coverage(
    rng: np.random.Generator, topics: int, studies: int, design: Design
) -> tuple[dict[str, float], Floats, Floats]:
    """The share of studies whose interval contains the value of very many topics, for each statistic.

    Also [statistic] the same by Student's t alone, and the ratio of the mean widths.
    """
    many = study(rng, 3, TOPICS_OF_TRUTH, design)
    truths = reference_tables(many).statistics().mean(axis=0), overall_alpha(many).estimate
    inside, width = (np.zeros((2, sum(map(len, truths)))) for _ in range(2))
    for _ in range(studies):
        labels = study(rng, 3, topics, design)
        tables = reference_tables(labels)
        estimates = tables.estimates(), overall_alpha(labels)
        found = [_inside_and_width(each, truth) for each, truth in zip(estimates, truths, strict=True)]
        inside += np.concatenate([part[0] for part in found], axis=1)
        width += np.concatenate([part[1] for part in found], axis=1)
    names = (*tables.names, *(f"{scale} of all" for scale in SCALES))
    shares, plain = inside / studies
    return dict(zip(names, shares.tolist(), strict=True)), plain, width[0] / width[1]


def _inside_and_width(each: DeleteOne, truth: Floats) -> tuple[Floats, Floats]:
    """[2, statistic] whether intervals contain the truth, and their widths, as reported and by Student's t alone."""
    intervals = each.correlation_interval(ALPHA), replace(each, size=None).interval(ALPHA)
    by_judge = [
        (((low <= truth) & (truth <= high)).astype(float), np.nan_to_num(high - low)) for low, high in intervals
    ]
    inside, width = (
        np.stack([part.reshape(-1, len(truth)).mean(axis=0) for part in parts]) for parts in zip(*by_judge, strict=True)
    )
    return inside, width


def scores(rng: np.random.Generator, quality: Floats, topics: int, noise: float) -> tuple[Floats, Floats]:
    """[system, topic, 1] by the reference and by a judge, which adds noise of its own and a bias for each system."""
    bias = 0.15 * noise * np.sin(np.arange(len(quality)))
    one = quality[:, None] + rng.normal(0, 0.15, topics) + rng.normal(0, 0.15, (len(quality), topics))
    two = one + bias[:, None] + rng.normal(0, noise, one.shape)
    return one[:, :, None], two[:, :, None]


def reversals(one: Floats, two: Floats, fresh_one: Floats, fresh_two: Floats) -> tuple[bool, float]:
    """Whether a pair beyond the safe gap of some topics is reversed on fresh ones, and the share of pairs beyond it."""
    gap = float(safe_gap(*halved_means(0, one, two))[0])
    means = fresh_two[:, :, 0].mean(axis=1)
    i, j = np.triu_indices(len(means), k=1)
    reversed_gap = float(largest_reversed_gap(fresh_one[:, :, 0].mean(axis=1), means))
    return reversed_gap > gap, float((np.abs(means[i] - means[j]) > gap).mean())


def simulated_gaps(rng: np.random.Generator, topics: int, noise: float, studies: int) -> tuple[float, float]:
    """The share of studies with a reversal on as many fresh topics, and the mean share of pairs beyond the gap."""
    found = []
    for _ in range(studies):
        quality = rng.normal(0.4, 0.08, SYSTEMS)
        found.append(reversals(*scores(rng, quality, topics, noise), *scores(rng, quality, topics, noise)))
    return tuple(np.mean(found, axis=0).tolist())


def ranked_lists(rng: np.random.Generator, labels: Labels, judge: int) -> tuple[Floats, Floats]:
    """[system, topic, 1] DCG@10 by the reference and by a judge, of simulated systems that know grades with noise."""
    grade = np.clip(labels.grades[labels.given[[0, judge]]], 0, labels.scale[-1])
    noise = np.linspace(1.0, 4.0, SYSTEMS)[rng.permutation(SYSTEMS)]
    seen = grade[0] + noise[:, None] * rng.normal(0, 1, (SYSTEMS, len(labels.topic)))
    weight = 1 / np.log2(np.arange(10) + 2)
    out = np.zeros((2, SYSTEMS, len(labels.topics)))
    for t, documents in enumerate(labels.documents):
        top = documents[np.argsort(-seen[:, documents], axis=1)[:, :10]]  # [system, rank]
        out[:, :, t] = grade[:, top] @ weight[: top.shape[1]]
    return out[0][:, :, None], out[1][:, :, None]


def gaps_by_labels(rng: np.random.Generator, folder: Path, studies: int) -> Iterator[tuple[str, float, float]]:
    """Each judge of a folder: the share of splits with a reversal, and of pairs beyond the gap."""
    labels = label_sets(next(folder.glob("human*")), folder)
    for judge in range(1, len(labels.judges)):
        found = []
        for _ in range(studies):
            one, two = ranked_lists(rng, labels, judge)
            half = rng.permutation(len(labels.topics)) < len(labels.topics) // 2
            found.append(reversals(one[:, half], two[:, half], one[:, ~half], two[:, ~half]))
        yield labels.judges[judge], *np.mean(found, axis=0).tolist()


def shuffled_errors(
    rng: np.random.Generator, labels: Labels, judges: int, topics: int, studies: int
) -> tuple[float, float]:
    """The shares of studies with a judge behind another, of sets shuffled in each topic.

    By what topics add to kappa, as reported, and with each topic left out and counted by its documents.
    """
    tables, errors = reference_tables(labels), np.zeros((studies, 2))
    names = tuple(map(str, range(judges)))
    for n in range(studies):
        drawn = rng.permutation(len(tables.counts))[:topics]
        counts = np.stack([tables.counts[t][rng.permutation(tables.counts.shape[1])[:judges]] for t in drawn])
        made = replace(tables, counts=counts)
        chosen = judge_selection(made, "kappa", ALPHA, n, names, 999), left_out_selection(made, n)
        errors[n] = [each.behind.any() for each in chosen]
    reported, left_out = errors.mean(axis=0).tolist()
    return reported, left_out


def left_out_selection(tables: GradeTables, seed: int) -> Selection:
    """The judges compared by kappa with each topic left out, and counted by its documents."""
    each, number = tables.estimates(), tables.counts.sum(axis=(2, 3))
    weight = number / number.mean(axis=0)
    return selection(each.estimate[:, 0], each.without[:, :, 0], ALPHA, seed, trials=999, weight=weight)


def rare_errors(rng: np.random.Generator, judges: int, topics: int, studies: int) -> tuple[float, float]:
    """As `shuffled_errors`, of simulated judges: one document in ten is relevant, and most of these in few topics."""
    errors = np.zeros((studies, 2))
    for n in range(studies):
        topic = np.repeat(np.arange(topics), rng.integers(20, 61, topics))
        human = (rng.random(len(topic)) < rng.beta(0.2, 1.8, topics)[topic]).astype(np.int64)
        wrong = rng.random((judges, len(topic))) < np.where(human, 0.5, 0.06)
        labels = label_arrays(topic, np.vstack([human, np.where(wrong, 1 - human, human)]))
        tables = reference_tables(labels)
        chosen = judge_selection(tables, "kappa", ALPHA, n, labels.judges[1:], 999), left_out_selection(tables, n)
        errors[n] = [each.behind.any() for each in chosen]
    reported, left_out = errors.mean(axis=0).tolist()
    return reported, left_out


def main() -> None:
    """Prints every rate with its setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--only", default="equal,intervals,gap")
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    if "equal" in given.only:
        print(f"{given.studies} studies each; equal judges: some judge behind another, some judge lenient or strict")
        for judges, topics in ((2, 10), (2, 25), (10, 10), (10, 25), (10, 50), (20, 10), (20, 25), (20, 50)):
            behind, lenient = selection_errors(rng, judges, topics, given.studies)
            print(f"{judges:3d} judges, {topics} topics: {behind:.1%}, {lenient:.1%}", flush=True)
        print("relevant documents rare, and in few topics: some judge behind another; if topics are left out instead")
        for judges, topics in ((2, 10), (10, 10), (10, 25), (20, 50)):
            reported, left_out = rare_errors(rng, judges, topics, given.studies)
            print(f"{judges:3d} judges, {topics} topics: {reported:.1%}, {left_out:.1%}", flush=True)
    if "intervals" in given.only:
        print("95 % intervals: share that contains the value of very many topics")
        for name, design in DESIGNS.items():
            for topics in (10, 25):
                shares, plain, wider = coverage(rng, topics, given.studies, design)
                cells = ", ".join(f"{statistic} {share:.1%}" for statistic, share in shares.items())
                alone = (
                    f"{plain.min():.1%} to {plain.max():.1%} by t alone, {wider.min():.2f} to {wider.max():.2f} as wide"
                )
                print(f"{name}, {topics:3d} topics: {min(shares.values()):.1%} to {max(shares.values()):.1%} ({alone})")
                print(f"    {cells}", flush=True)
    if "gap" in given.only:
        print(f"safe gap of {SYSTEMS} systems: studies with a reversal on fresh topics, pairs beyond the gap")
        for topics in (10, 25, 50):
            for noise in (0.05, 0.15, 0.3):
                wrong, beyond = simulated_gaps(rng, topics, noise, given.studies)
                print(f"{topics:3d} topics, judge's noise {noise:g}: {wrong:.1%}, {beyond:.0%}", flush=True)
    if given.labels:
        labels = label_sets(next(given.labels.glob("human*")), given.labels)
        print("published labels shuffled within topics: some judge behind another; if topics are left out instead")
        for judges, topics in ((2, 25), (10, 12), (10, 25), (20, 25)):
            reported, left_out = shuffled_errors(rng, labels, judges, topics, given.studies)
            print(f"{judges:3d} judges, {topics} topics: {reported:.1%}, {left_out:.1%}", flush=True)
        print("the safe gap by published labels, from half of the topics on the other half")
        for judge, wrong, beyond in gaps_by_labels(rng, given.labels, given.studies // 5):
            print(f"{judge}: {wrong:.1%}, {beyond:.0%}", flush=True)


if __name__ == "__main__":
    main()
