"""Coverage of simultaneous intervals by human and model judgements together, beside those by people alone.

    python -m benchmarks.prediction_powered_coverage [--repeats 1000] [--labels DIR]

Simulated judges from useless to perfect on normal and skewed scores, at 10, 25 and 50 human-judged topics and four
times as many further ones; with --labels, real pairs of human and model labels (topics drawn with replacement from a
folder with human.txt.gz), systems being random weightings of documents. Printed: the share of repetitions in which
every difference lies in its interval, for both methods on the same draws, and the median ratio of widths.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from irassay.arrays import Floats
from irassay.meta.judges.labels import label_sets
from irassay.stats.prediction_powered import prediction_powered

SYSTEMS, TRIALS, ALPHA, TIMES = 15, 999, 0.05, 4
Draw = Callable[[np.random.Generator, int], tuple[Floats, Floats, Floats]]  # human, model [s, t], true means [s]


def simulated(kind: str, correlation: float) -> Draw:
    """Scores of systems a standard deviation apart, and a model whose deviations correlate with the human ones."""

    def draw(rng: np.random.Generator, topics: int) -> tuple[Floats, Floats, Floats]:
        shape = (SYSTEMS, topics)
        noise, other = (
            rng.normal(size=shape) if kind == "normal" else rng.exponential(size=shape) - 1 for _ in range(2)
        )
        model = correlation * noise + np.sqrt(1 - correlation**2) * other
        true = np.arange(SYSTEMS) / 5.0
        difficulty = rng.normal(size=(1, topics))
        return true[:, None] + difficulty + noise, 0.5 * true[:, None] + 0.3 + difficulty + model, true

    return draw


def real(folder: Path, judge: str) -> Draw:
    """Mean grades of the documents that each of fixed random systems returns, by people and by a model, by topic."""
    labels = label_sets(folder / "human.txt.gz", folder / f"{judge}.gz")
    value = labels.grades[labels.given]  # [judge, document]
    rng = np.random.default_rng(0)
    found = np.empty((2, SYSTEMS, len(labels.topics)))
    for t in range(len(labels.topics)):
        own = value[:, labels.topic == t]
        for s in range(SYSTEMS):
            taste = own[0] * (0.1 + 0.05 * s) + rng.normal(size=own.shape[1])
            found[:, s, t] = own[:, np.argsort(-taste)[:10]].mean(axis=1)

    def draw(rng: np.random.Generator, topics: int) -> tuple[Floats, Floats, Floats]:
        at = rng.integers(0, found.shape[2], size=topics)
        return found[0][:, at], found[1][:, at], found[0].mean(axis=1)

    return draw


def covered(draw: Draw, topics: int, repeats: int, seed: int) -> tuple[float, float, float, float]:
    """Simultaneous coverage by both and by people alone, the median ratio of widths, the mean weight."""
    i, j = np.triu_indices(SYSTEMS, k=1)
    held = np.zeros((repeats, 2))
    ratio, weight = np.empty(repeats), np.empty(repeats)
    for n in range(repeats):
        rng = np.random.default_rng((seed, n))
        human, model, true = draw(rng, (1 + TIMES) * topics)
        given = human[:, :topics], model[:, :topics], model[:, topics:]
        widths = []
        alone = prediction_powered(*given, i, j, weight=0.0, trials=TRIALS, seed=n)
        both = prediction_powered(*given, i, j, alone=alone, trials=TRIALS, seed=n)
        for k, found in enumerate((both, alone)):
            low, high = found.interval(ALPHA)
            held[n, k] = ((low <= true[i] - true[j]) & (true[i] - true[j] <= high)).all()
            widths.append(high - low)
        weight[n], ratio[n] = both.weight, np.median(widths[0] / widths[1])
    return (*held.mean(axis=0).tolist(), float(np.median(ratio)), float(weight.mean()))


def main() -> None:
    """Prints a line for each judge and number of topics."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--labels", type=Path)
    asked = parser.parse_args()
    cases: dict[str, Draw] = {
        f"{kind}, correlation {c:g}": simulated(kind, c)
        for kind in ("normal", "exponential")
        for c in (0.0, 0.5, 0.8, 1.0)
    }
    if asked.labels:
        for judge in ("h2oloo-fewself", "Olz-gpt4o", "TREMA-rubric0"):
            cases[f"labels of {judge}"] = real(asked.labels, judge)
    print(f"{'judge':34}{'topics':>7}{'both':>8}{'human':>8}{'width':>8}{'lambda':>8}")
    for seed, (name, draw) in enumerate(cases.items()):
        for topics in (10, 25, 50):
            both, human, ratio, weight = covered(draw, topics, asked.repeats, seed)
            print(f"{name:34}{topics:7}{both:8.3f}{human:8.3f}{ratio:8.3f}{weight:8.3f}", flush=True)


if __name__ == "__main__":
    main()
