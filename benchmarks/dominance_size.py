"""How often `meta dominance` falsely certifies a pair that is equal at rank 1, with Holm's correction.

Run `python benchmarks/dominance_size.py [STUDIES]`. Half of the systems have one kind of result at rank 1, the others
another kind with the same mean; below rank 1 the first half is far better, so that only rank 1 keeps a false
certificate away. The share of studies with at least one significant false certificate is shown.
"""

import sys

import numpy as np

from irassay.arrays import Ints
from irassay.stats.every_user import holm_of_certificates, pair_curves

ALPHA, BELOW = 0.05, 3
Design = tuple[tuple[float, int], tuple[float, int]]  # probability and gain at rank 1 of either half
DESIGNS: dict[str, Design] = {
    "common first result": ((0.5, 1), (0.5, 1)),
    "rare first result": ((0.15, 1), (0.15, 1)),
    "very rare first result": ((0.05, 1), (0.05, 1)),
    "grade 1 against rare grade 2": ((0.8, 1), (0.4, 2)),
    "grade 1 against rare grade 3": ((0.8, 1), (0.8 / 3, 3)),
    "grade 1 against rare grade 4": ((0.8, 1), (0.2, 4)),
    "always grade 1 against rare grade 4": ((1.0, 1), (0.25, 4)),
    "gain 1 against rare gain 7": ((0.6, 1), (0.6 / 7, 7)),
    "gain 1 against rare gain 8": ((0.5, 1), (0.5 / 8, 8)),
    "rare grade 4 against grade 1": ((0.2, 4), (0.8, 1)),
}


def drawn_gains(rng: np.random.Generator, design: Design, systems: int, topics: int) -> Ints:
    """[system, topic, rank] gains of one study."""
    gain = (rng.random((systems, topics, 1 + BELOW)) < 0.05).astype(np.int64)
    half = systems // 2
    gain[:half, :, 1:] = 8 * (rng.random((half, topics, BELOW)) < 0.95)
    for some, (chance, size) in zip((slice(half), slice(half, None)), design, strict=True):
        gain[some, :, 0] = size * (rng.random(gain[some, :, 0].shape) < chance)
    return gain


def false_certificates(design: Design, systems: int, topics: int, studies: int) -> float:
    """The share of studies with a significant certificate of a system of the first half over one of the second."""
    rng, half, found = np.random.default_rng([systems, topics]), systems // 2, 0
    first, second = np.triu_indices(systems, k=1)
    equal = (first < half) & (second >= half)
    for _ in range(studies):
        gain, largest = drawn_gains(rng, design, systems, topics), max(size for _, size in design)
        curves = pair_curves(gain.cumsum(axis=2), ALPHA, largest)
        corrected = holm_of_certificates(curves.p, curves.rare_loss_p, ALPHA)
        found += bool((corrected[equal, 0] < ALPHA).any())
    return found / studies


def main(studies: int = 2000) -> None:
    """Prints one row for each design, with 2 to 20 systems and 25 and 50 topics."""
    cells = [(2, 25), (2, 50), (6, 50), (12, 50), (20, 25), (20, 50)]
    print("| at rank 1 | " + " | ".join(f"{s} systems, {t} topics" for s, t in cells) + " |")
    print("|---|" + "---|" * len(cells))
    for name, design in DESIGNS.items():
        shares = (false_certificates(design, *cell, studies) for cell in cells)
        print(f"| {name} | " + " | ".join(f"{share:.1%}" for share in shares) + " |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
