"""The topics of a simulated collection: what is relevant to what degree, about which aspect, and how hard to find."""

from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats, Ints

PARTS = ("topics", "systems", "answers", "sessions")  # each draws from its own stream
MOST_ASPECTS = 6
WORTH = np.array([0.0, 0.9, 1.4, 1.9])  # by grade: what relevance adds to the score of a system of quality 1


def draws(seed: int, part: str) -> np.random.Generator:
    """Random numbers for one part of the collection; only uniform ones are asked of it, whose stream is fixed."""
    return np.random.Generator(np.random.PCG64([seed, PARTS.index(part)]))


def uniform(rng: np.random.Generator, low: float, high: float, *shape: int) -> Floats:
    """Numbers from low to high, each as likely as any other."""
    return low + (high - low) * rng.random(shape)


def normal(rng: np.random.Generator, *shape: int) -> Floats:
    """Standard normal numbers, by the transform of Box and Muller."""
    return np.sqrt(-2 * np.log1p(-rng.random(shape))) * np.cos(2 * np.pi * rng.random(shape))


def numbered(letter: str, count: int) -> tuple[str, ...]:
    """Names from 1 on, all of one length so that they sort as they count.

    >>> numbered("T", 10)[-2:]
    ('T09', 'T10')
    """
    width = len(str(count))
    return tuple(f"{letter}{i:0{width}}" for i in range(1, count + 1))


@dataclass(frozen=True, eq=False)
class Topics:
    """For every topic the documents that a system may return for it: the candidates, by ascending document number."""

    doc: Ints  # [t, d] document number
    grade: Ints  # [t, d] 0 to 3
    main: Ints  # [t, d] the aspect that the document is about, or seems to be about
    aspects: Ints  # [t, d, a] grade by aspect
    known: Ints  # [t] how many aspects the topic has
    ease: Floats  # [t] how well relevance shows
    lure: Floats  # [t, d] how good the document looks to every system, relevant or not
    words: Ints  # [document] length

    @property
    def worth(self) -> Floats:
        """[t, d] what relevance adds to the score that a system of quality 1 gives."""
        return WORTH[self.grade]


def subject_matter(seed: int, topics: int, candidates: int) -> Topics:
    """Topics of uneven size, ease and wealth, with three to six aspects of which the first are the most popular."""
    rng = draws(seed, "topics")
    shape = topics, candidates
    each = max(1, topics // 2)  # one document out of every so many is a candidate, so topics share some
    doc = np.arange(candidates) * each + (rng.random(shape) * each).astype(np.int64)
    found = np.clip(np.rint(np.exp(3.3 + 0.7 * normal(rng, topics))), 5, candidates // 4)  # [t] relevant documents
    relevant = np.argsort(np.argsort(rng.random(shape), axis=1), axis=1) < found[:, None]
    rich, drawn = uniform(rng, 0.15, 0.6, topics, 1), rng.random(shape)
    grade: Ints = np.where(relevant, 1 + (drawn < rich).astype(np.int64) + (drawn < rich / 3), 0)
    known = 3 + (rng.random(topics) * (MOST_ASPECTS - 2)).astype(np.int64)
    share = popularity(known)  # [t, a]
    main = np.where(relevant, _drawn(share, rng.random(shape)), _drawn(popularity(known, 0.8), rng.random(shape)))
    favour = np.take_along_axis(share, main, axis=1) / share[:, :1]  # [t, d] 1 for the most popular aspect
    lure = 1.0 * favour + 0.7 * normal(rng, *shape)
    words = np.maximum(20, np.rint(np.exp(6.0 + 0.8 * normal(rng, candidates * each)))).astype(np.int64)
    ease = np.clip(1 + 0.35 * normal(rng, topics), 0.3, 1.8)
    return Topics(doc, grade, main, _by_aspect(rng, grade, main, known), known, ease, lure, words)


def popularity(known: Ints, slope: float = 1.5) -> Floats:
    """[t, a] the share of documents that are about each aspect: 1, 1/2^slope, 1/3^slope, … made to sum to 1.

    >>> popularity(np.array([3])).round(2)
    array([[0.65, 0.23, 0.12, 0.  , 0.  , 0.  ]])
    """
    aspect = np.arange(MOST_ASPECTS)
    share = (aspect < known[:, None]) / (aspect + 1.0) ** slope
    return np.asarray(share / share.sum(axis=1, keepdims=True))


def _drawn(share: Floats, number: Floats) -> Ints:
    """[t, d] an aspect for each number from 0 to 1, as often as its share [t, a] says."""
    below = share.cumsum(axis=1)[:, None, :-1] <= number[:, :, None]
    last = np.count_nonzero(share, axis=1) - 1
    return np.minimum(below.sum(axis=2), last[:, None])


def _by_aspect(rng: np.random.Generator, grade: Ints, main: Ints, known: Ints) -> Ints:
    """[t, d, a] the grade for the main aspect, and for three documents in ten a lower one for another aspect."""
    step = 1 + (rng.random(grade.shape) * (known - 1)[:, None]).astype(np.int64)
    second = np.where((rng.random(grade.shape) < 0.3) & (grade > 0), np.maximum(grade - 1, 1), 0)
    aspects = np.zeros((*grade.shape, MOST_ASPECTS), dtype=np.int64)
    np.put_along_axis(aspects, ((main + step) % known[:, None])[:, :, None], second[:, :, None], axis=2)
    np.put_along_axis(aspects, main[:, :, None], grade[:, :, None], axis=2)
    return aspects
