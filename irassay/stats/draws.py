"""Resamples of topics and of systems: drawn in blocks that depend only on the seed, or enumerated.

A block is a matrix drawn from its own generator, which is seeded with the seed and the block's place. So every metric
sees the same resamples, in whatever order the work is done, and a longer series begins with the shorter one.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.parallel import check_cancelled

BLOCK_TRIALS = 512  # resamples of topics in a block
ELEMENTS = 1 << 21  # numbers in one temporary array: 16 MB
PART_TOPICS = 128  # topics whose signs are in memory at once if there are many; a multiple of 8
SIGN_OF_BYTE = np.where(np.arange(256) < 128, 1.0, -1.0)
Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Block:
    """Consecutive resamples of a series."""

    place: int
    start: int
    size: int


@dataclass(frozen=True)
class Draws(Generic[Drawn]):
    """A series of resamples, in blocks."""

    blocks: list[Block]
    trials: int
    exact: bool  # all possible resamples, enumerated
    draw: Callable[[Block], Drawn]
    parts: Callable[[Block], Iterator[tuple[slice, Drawn]]] | None = None  # if there are many topics: some at a time


def resampled_topic_sums(rows: Floats, draws: Draws[Floats], block: Block) -> Floats:
    """[row, trial] the sums of rows [row, topic] over topics weighted by the draws [topic, trial] of a block.

    >>> resampled_topic_sums(np.array([[1.0, 2.0, 4.0]]), signs(3, 4, seed=0), Block(0, 0, 4))
    array([[ 7.,  3., -1., -5.]])
    """
    if draws.parts is None:
        return rows @ draws.draw(block)
    sums = np.zeros((len(rows), block.size))
    for topics, weight in draws.parts(block):
        sums += rows[:, topics] @ weight
    return sums


def slices(total: int, size: int) -> Iterator[slice]:
    """Consecutive slices of 0 to total - 1, at most `size` long and at least 1; checks for cancelling before each.

    >>> list(slices(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(1, size)
    for start in range(0, total, size):
        check_cancelled()
        yield slice(start, min(start + size, total))


def blocks(trials: int, size: int) -> list[Block]:
    """The resamples 0 to trials - 1, `size` to a block."""
    return [Block(n, part.start, part.stop - part.start) for n, part in enumerate(slices(trials, size))]


def generator(seed: int, block: Block) -> np.random.Generator:
    """The block's own source of random numbers."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block.place,)))


def name_codes(names: Sequence[str]) -> Ints:
    """[unit] the place of each unit's name among all names, sorted: draws by name do not depend on the input's order.

    >>> name_codes(["b", "a", "b"])
    array([1, 0, 1])
    """
    place = {name: i for i, name in enumerate(sorted(set(names)))}
    return np.array([place[name] for name in names], dtype=np.int64)


def signs(topics: int, trials: int, seed: int, one_sided: bool = False) -> Draws[Floats]:
    """[topic, trial] random signs, one per topic; enumerated where that takes at most `trials`.

    A two-sided statistic does not change when all signs are flipped, so half of the 2^T choices are enough for it.

    >>> signs(3, 4, seed=0).draw(Block(0, 0, 4)).T
    array([[ 1.,  1.,  1.],
           [ 1., -1.,  1.],
           [ 1.,  1., -1.],
           [ 1., -1., -1.]])
    """
    free = topics if one_sided else topics - 1  # signs that vary
    exact = free <= math.log2(trials)
    total = 2**free if exact else trials
    draw = partial(_enumerated_signs, topics, free) if exact else partial(_random_signs, topics, seed)
    parts = partial(_sign_parts, topics, seed) if not exact and topics * BLOCK_TRIALS > ELEMENTS else None
    return Draws(blocks(total, BLOCK_TRIALS), total, exact, draw, parts)


def _enumerated_signs(topics: int, free: int, block: Block) -> Floats:
    number = np.arange(block.start, block.start + block.size)
    bit = number >> np.arange(free - topics, free)[:, None].clip(0) & 1
    bit[: topics - free] = 0
    return (1.0 - 2.0 * bit).astype(np.float64)


def _random_signs(topics: int, seed: int, block: Block) -> Floats:
    return SIGN_OF_BYTE[_random_bytes(generator(seed, block), topics, block.size)]


def _sign_parts(topics: int, seed: int, block: Block) -> Iterator[tuple[slice, Floats]]:
    """Some topics at a time, and their signs [topic, trial], which are valid until the next ones."""
    rng, room = generator(seed, block), np.empty((PART_TOPICS, block.size))
    for part in slices(topics, PART_TOPICS):
        byte = _random_bytes(rng, part.stop - part.start, block.size)
        yield part, np.take(SIGN_OF_BYTE, byte, out=room[: len(byte)], mode="clip")


def _random_bytes(rng: np.random.Generator, topics: int, trials: int) -> NDArray[np.uint8]:
    """[topic, trial] random bytes; the highest bits are what `rng.integers(0, 2, dtype=np.int8)` gives, but faster."""
    words = rng.bit_generator.random_raw(-(-topics * trials // 8)).astype("<u8", copy=False)
    return words.view(np.uint8)[: topics * trials].reshape(topics, trials)


def repeats(topics: int, trials: int, seed: int) -> Draws[Floats]:
    """[topic, trial] how often each topic is drawn in a sample of the same size, drawn with replacement."""
    parts = partial(_repeat_parts, topics, seed) if topics * BLOCK_TRIALS > ELEMENTS else None
    return Draws(blocks(trials, BLOCK_TRIALS), trials, False, partial(_random_repeats, topics, seed), parts)


def _random_repeats(topics: int, seed: int, block: Block) -> Floats:
    topic = generator(seed, block).integers(0, topics, size=(topics, block.size))
    cell = topic * block.size + np.arange(block.size)
    count = np.bincount(cell.ravel(), minlength=topics * block.size)
    return count.reshape(topics, block.size).astype(np.float64)


def _repeat_parts(topics: int, seed: int, block: Block) -> Iterator[tuple[slice, Floats]]:
    """Some topics at a time, and how often each is drawn [topic, trial]; counted in small integers."""
    rng, count = generator(seed, block), np.zeros(topics * block.size, dtype=np.uint16)
    for part in slices(topics, PART_TOPICS):
        topic = rng.integers(0, topics, size=(part.stop - part.start, block.size))
        np.add.at(count, (topic * block.size + np.arange(block.size)).ravel(), np.uint16(1))
    for part in slices(topics, PART_TOPICS):
        yield part, count[part.start * block.size : part.stop * block.size].reshape(-1, block.size).astype(np.float64)


def shuffles(topics: int, systems: int, trials: int, seed: int) -> Draws[Ints]:
    """[trial, topic, system] orders of the systems, one per topic; enumerated where (K!)^(T-1) is at most `trials`.

    The first topic need not be shuffled: the same order in every topic does not change the range of the means.
    """
    orders = math.factorial(systems) if systems <= 8 else math.inf
    exact = (topics - 1) * math.log(orders) <= math.log(trials)
    size = max(1, (1 << 19) // (topics * systems))
    total = int(orders) ** (topics - 1) if exact else trials
    draw = partial(_enumerated_orders, topics, systems) if exact else partial(_random_orders, topics, systems, seed)
    return Draws(blocks(total, size), total, exact, draw)


def _enumerated_orders(topics: int, systems: int, block: Block) -> Ints:
    orders = math.factorial(systems)
    table = np.array(list(itertools.permutations(range(systems))))
    number = np.arange(block.start, block.start + block.size)[:, None]
    digit = number // orders ** np.arange(-1, topics - 1).clip(0) % orders
    digit[:, 0] = 0
    return table[digit]


def _random_orders(topics: int, systems: int, seed: int, block: Block) -> Ints:
    # Sorts random keys that carry the system's number in their lowest bits: like argsort, but several times faster.
    low = np.uint64((1 << (systems - 1).bit_length()) - 1)
    shape = (block.size, topics, systems)
    key = generator(seed, block).bit_generator.random_raw(math.prod(shape)).reshape(shape)
    key &= ~low
    key |= np.arange(systems, dtype=np.uint64)
    key.sort(axis=2)
    key &= low
    return key.view(np.int64)
