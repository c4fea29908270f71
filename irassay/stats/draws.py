"""Resamples of topics and of systems: drawn in blocks that depend on the seed alone, or all there are.

A block is a matrix of numbers drawn from its own generator, seeded with the seed and the block's place. So
every metric sees the same resamples, in every order of work, and a longer series begins with the shorter one.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import numpy as np

from irassay.arrays import Floats, Ints

TRIALS = 512  # resamples of topics in a block
Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Block:
    """Some of the resamples: which, and how many."""

    place: int
    start: int
    size: int


@dataclass(frozen=True)
class Draws(Generic[Drawn]):
    """A series of resamples: its blocks, how many resamples in all, and whether these are all there are."""

    blocks: list[Block]
    trials: int
    exact: bool
    draw: Callable[[Block], Drawn]


def blocks(trials: int, size: int) -> list[Block]:
    """The resamples 0 to trials - 1, `size` to a block."""
    return [Block(n, s, min(size, trials - s)) for n, s in enumerate(range(0, trials, size))]


def generator(seed: int, block: Block) -> np.random.Generator:
    """The block's own source of random numbers."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block.place,)))


def signs(topics: int, trials: int, seed: int, whole: bool = False) -> Draws[Floats]:
    """[topic, trial] random signs, one a topic; all of them where half of 2^T is no more than `trials`.

    Half is enough where turning all signs round gives the same statistic, as it does an absolute one; otherwise the
    `whole` 2^T are tried, where they are no more than `trials`.

    >>> signs(3, 4, seed=0).draw(Block(0, 0, 4)).T
    array([[ 1.,  1.,  1.],
           [ 1., -1.,  1.],
           [ 1.,  1., -1.],
           [ 1., -1., -1.]])
    """
    free = topics if whole else topics - 1  # signs that vary
    exact = free <= math.log2(trials)

    total = 2**free if exact else trials
    draw = partial(_enumerated_signs, topics, free) if exact else partial(_random_signs, topics, seed)
    return Draws(blocks(total, TRIALS), total, exact, draw)


def _enumerated_signs(topics: int, free: int, block: Block) -> Floats:
    number = np.arange(block.start, block.start + block.size)
    bit = number >> np.arange(free - topics, free)[:, None].clip(0) & 1
    bit[: topics - free] = 0
    return (1.0 - 2.0 * bit).astype(np.float64)


def _random_signs(topics: int, seed: int, block: Block) -> Floats:
    bit = generator(seed, block).integers(0, 2, size=(topics, block.size), dtype=np.int8)
    return 1.0 - 2.0 * bit.astype(np.float64)


def repeats(topics: int, trials: int, seed: int) -> Draws[Floats]:
    """[topic, trial] how often each topic is drawn when as many topics as there are are drawn with replacement."""
    return Draws(blocks(trials, TRIALS), trials, False, partial(_random_repeats, topics, seed))


def _random_repeats(topics: int, seed: int, block: Block) -> Floats:
    topic = generator(seed, block).integers(0, topics, size=(topics, block.size))
    cell = topic * block.size + np.arange(block.size)
    count = np.bincount(cell.ravel(), minlength=topics * block.size)
    return count.reshape(topics, block.size).astype(np.float64)


def shuffles(topics: int, systems: int, trials: int, seed: int) -> Draws[Ints]:
    """[trial, topic, system] orders of the systems, one a topic; all of them where (K!)^(T-1) is no more than `trials`.

    The first topic need not be shuffled: the same order in every topic leaves the range of the means as it is.
    """
    orders = math.factorial(systems) if systems <= 8 else math.inf
    exact = (topics - 1) * math.log(orders) <= math.log(trials)
    size = max(1, (1 << 19) // (topics * systems))
    total = int(orders) ** (topics - 1) if exact else trials
    draw = partial(_enumerated_orders if exact else _random_orders, topics, systems, seed)
    return Draws(blocks(total, size), total, exact, draw)


def _enumerated_orders(topics: int, systems: int, seed: int, block: Block) -> Ints:
    orders = math.factorial(systems)
    table = np.array(list(itertools.permutations(range(systems))))
    number = np.arange(block.start, block.start + block.size)[:, None]
    digit = number // orders ** np.arange(-1, topics - 1).clip(0) % orders
    digit[:, 0] = 0
    return table[digit]


def _random_orders(topics: int, systems: int, seed: int, block: Block) -> Ints:
    # Sorting random keys that carry the system's number in their lowest bits: as argsort, but several times faster.
    low = np.uint64((1 << (systems - 1).bit_length()) - 1)
    shape = (block.size, topics, systems)
    key = generator(seed, block).bit_generator.random_raw(math.prod(shape)).reshape(shape)
    key &= ~low
    key |= np.arange(systems, dtype=np.uint64)
    key.sort(axis=2)
    key &= low
    return key.view(np.int64)
