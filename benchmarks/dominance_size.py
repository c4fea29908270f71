"""How often `meta dominance` falsely certifies a pair that is equal at one rank, with Holm's correction.

Run `python benchmarks/dominance_size.py [STUDIES] [MOST]`. Two halves of the systems gain the same on average down to
one rank. Below it the first half is far better, so that only this rank keeps a false certificate away. Shown is the
share of studies with at least one false certificate, of STUDIES studies of two systems; of S systems there are 2/S
times as many. MOST replaces COUNTED_SYSTEMS. Judged documents are those that some system returns, and no two systems
share one.
"""

import sys
from collections.abc import Callable
from functools import partial

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.stats import every_user

ALPHA, BELOW = 0.05, 3
CELLS = [(2, 25), (2, 30), (2, 50), (6, 30), (12, 25), (20, 50), (40, 50)]  # systems and topics
Halves = tuple[Ints, Ints]  # [system, topic, rank] the gains of both halves, down to the rank at which they are equal


def first_results(rng: np.random.Generator, half: int, topics: int, *kinds: tuple[float, int]) -> Halves:
    """One result: each half has a gain with a probability."""
    one, two = (size * (rng.random((half, topics, 1)) < chance) for chance, size in kinds)
    return one, two


def failed_lists(rng: np.random.Generator, half: int, topics: int, lost: float, results: int, found: float) -> Halves:
    """The first half finds more, but nothing on the topics that are lost, where the other half does as usual."""
    one = found_results(rng, half, topics, results, results * found / (1 - lost))
    one[rng.random((half, topics)) < lost] = 0
    return one, (rng.random((half, topics, results)) < found).astype(np.int64)


def perfect_lists(rng: np.random.Generator, half: int, topics: int, lost: float, results: int, gain: int) -> Halves:
    """The other half has nothing but results of one gain on rare topics, and nothing at all on others."""
    two = np.broadcast_to(gain * (rng.random((half, topics, 1)) < lost), (half, topics, results))
    return found_results(rng, half, topics, results, gain * lost * results), two


def swapped_lists(rng: np.random.Generator, half: int, topics: int, lost: float, results: int, found: float) -> Halves:
    """On rare topics, the same for all systems, the other half is perfect and the first half finds nothing."""
    away = rng.random(topics) < lost
    one = found_results(rng, half, topics, results, results * found + results * lost / (1 - lost))
    two = (rng.random((half, topics, results)) < found).astype(np.int64)
    one[:, away], two[:, away] = 0, 1
    return one, two


def found_results(rng: np.random.Generator, half: int, topics: int, results: int, expected: float) -> Ints:
    """[system, topic, rank] results of gain 1, so many on average: half spread evenly, the others at the top."""
    chance = np.full(results, expected / results / 2)
    for k in range(results):
        chance[k] += min(1 - chance[k], expected - chance.sum())
    return (rng.random((half, topics, results)) < chance).astype(np.int64)


Draw = Callable[[np.random.Generator, int, int], Halves]
DESIGNS: dict[str, tuple[int, Draw]] = {  # the top gain in the judgements, returned or not, and what is drawn
    "gain 1 on 50 % of topics, both": (1, lambda *a: first_results(*a, (0.5, 1), (0.5, 1))),
    "gain 1 on 15 %, both": (1, lambda *a: first_results(*a, (0.15, 1), (0.15, 1))),
    "gain 1 on 80 % against gain 2 on 40 %": (2, lambda *a: first_results(*a, (0.8, 1), (0.4, 2))),
    "gain 1 on 80 % against gain 4 on 20 %": (4, lambda *a: first_results(*a, (0.8, 1), (0.2, 4))),
    "gain 1 on 50 % against gain 8 on 6 %": (8, lambda *a: first_results(*a, (0.5, 1), (0.5 / 8, 8))),
    "gain 1 on 90 % against gain 15 on 6 %": (15, lambda *a: first_results(*a, (0.9, 1), (0.06, 15))),
    "gain 4 on 20 % against gain 1 on 80 %": (4, lambda *a: first_results(*a, (0.2, 4), (0.8, 1))),
    "fails on 10 % of topics, 5 results": (1, partial(failed_lists, lost=0.1, results=5, found=0.5)),
    "fails on 6 %, 10 results": (1, partial(failed_lists, lost=0.06, results=10, found=0.8)),
    "perfect on 3 %, 10 results": (1, partial(perfect_lists, lost=0.03, results=10, gain=1)),
    "perfect on 6 %, 5 results": (1, partial(perfect_lists, lost=0.06, results=5, gain=1)),
    "perfect on 10 %, 5 results": (1, partial(perfect_lists, lost=0.1, results=5, gain=1)),
    "perfect on 15 %, 5 results": (1, partial(perfect_lists, lost=0.15, results=5, gain=1)),
    "perfect on 6 %, 5 results of gain 3": (3, partial(perfect_lists, lost=0.06, results=5, gain=3)),
    "one fails, the other is perfect on 6 %, 10 results": (1, partial(swapped_lists, lost=0.06, results=10, found=0.6)),
    "one fails, the other is perfect on 10 %, 5 results": (1, partial(swapped_lists, lost=0.1, results=5, found=0.3)),
}


def ideal_curve(gain: Ints) -> Floats:
    """[rank] the mean gain cumulated over ranks of the best documents that the systems [system, topic, rank] return."""
    pooled = -np.sort(-gain.swapaxes(0, 1).reshape(gain.shape[1], -1), axis=1)[:, : gain.shape[2]]
    return pooled.mean(axis=0).cumsum()


def false_certificates(design: str, systems: int, topics: int, studies: int) -> float:
    """The share of studies with a significant certificate of a system of the first half over one of the second."""
    seed = [list(DESIGNS).index(design), systems, topics]
    rng, half, found = np.random.default_rng(seed), systems // 2, 0
    first, second = np.triu_indices(systems, k=1)
    equal, (top, draw) = (first < half) & (second >= half), DESIGNS[design]
    for _ in range(studies):
        halves = draw(rng, half, topics)
        below = top * (rng.random((2, half, topics, BELOW)) < np.array([0.95, 0.05])[:, None, None, None])
        gain = np.concatenate([np.concatenate(half, axis=2) for half in zip(halves, below, strict=True)])
        curves = every_user.pair_curves(gain.cumsum(axis=2), ALPHA, top, ideal_curve(gain))
        corrected = every_user.holm_of_certificates(curves.p, curves.rare_loss_p, ALPHA)
        found += bool((corrected[equal, 0] < ALPHA).any())
    return found / studies


def main(studies: int = 1000, most: int = every_user.COUNTED_SYSTEMS) -> None:
    """Prints one row for each design."""
    every_user.COUNTED_SYSTEMS = most
    print("| down to the rank | " + " | ".join(f"{s} systems, {t} topics" for s, t in CELLS) + " |")
    print("|---|" + "---|" * len(CELLS))
    for name in DESIGNS:
        shares = (false_certificates(name, s, t, 2 * studies // s) for s, t in CELLS)
        print(f"| {name} | " + " | ".join(f"{share:.1%}" for share in shares) + " |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
