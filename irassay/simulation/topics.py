"""The topics of a simulated collection: relevance grades, aspects, and how hard documents are to find."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints

STREAMS = ("topics", "systems", "answers", "sessions")  # one stream of random numbers for each part
MAX_ASPECTS = 6
SCORE_BY_GRADE = np.array([0.0, 0.9, 1.4, 1.9])  # what relevance adds to the scores of a system of quality 1


def random_stream(seed: int, part: str) -> np.random.Generator:
    """A random generator for one part of the collection.

    Only uniform numbers are drawn from it, because numpy keeps their stream the same in every version.
    """
    return np.random.Generator(np.random.PCG64([seed, STREAMS.index(part)]))


def uniform(rng: np.random.Generator, low: float, high: float, *shape: int) -> Floats:
    """Uniform random numbers from low to high."""
    return low + (high - low) * rng.random(shape)


def normal(rng: np.random.Generator, *shape: int) -> Floats:
    """Standard normal random numbers, by the Box-Muller transform."""
    return np.sqrt(-2 * np.log1p(-rng.random(shape))) * np.cos(2 * np.pi * rng.random(shape))


def numbered_names(letter: str, count: int) -> tuple[str, ...]:
    """Names numbered from 1, all of the same length so that they sort by number.

    >>> numbered_names("T", 10)[-2:]
    ('T09', 'T10')
    """
    width = len(str(count))
    return tuple(f"{letter}{i:0{width}}" for i in range(1, count + 1))


@dataclass(frozen=True, eq=False)
class SimulatedTopics:
    """The candidates of each topic, the documents that a system may return for it, by ascending document number."""

    doc: Ints  # [t, d] document number
    grade: Ints  # [t, d] 0 to 3
    main_aspect: Ints  # [t, d] the aspect that the document is, or seems to be, about
    aspects: Ints  # [t, d, a] grade by aspect
    aspect_count: Ints  # [t]
    ease: Floats  # [t] how easily systems recognise relevance
    appeal: Floats  # [t, d] how good the document looks to every system, relevant or not
    words: Ints  # [document] length
    topic_name: pl.Series  # [t]
    doc_name: pl.Series  # [document]

    def candidate_names(self, topic: Ints, candidate: Ints) -> pl.Series:
        """The document names of candidates of topics, both given by number."""
        return self.doc_name.gather(self.doc[topic, candidate])

    @property
    def relevance_score(self) -> Floats:
        """[t, d] What relevance adds to the scores of a system of quality 1."""
        return SCORE_BY_GRADE[self.grade]


def simulated_topics(seed: int, topics: int, candidates: int) -> SimulatedTopics:
    """Topics that differ in ease and in their numbers of relevant documents, with three to six aspects each."""
    rng = random_stream(seed, "topics")
    shape = topics, candidates
    stride = max(1, topics // 2)  # one candidate among this many documents, so that topics share some
    doc = np.arange(candidates) * stride + (rng.random(shape) * stride).astype(np.int64)
    relevant_count = np.clip(np.rint(np.exp(3.3 + 0.7 * normal(rng, topics))), 5, candidates // 4)  # [t]
    relevant = np.argsort(np.argsort(rng.random(shape), axis=1), axis=1) < relevant_count[:, None]
    high_share, draw = uniform(rng, 0.15, 0.6, topics, 1), rng.random(shape)
    grade: Ints = np.where(relevant, 1 + (draw < high_share).astype(np.int64) + (draw < high_share / 3), 0)
    aspect_count = 3 + (rng.random(topics) * (MAX_ASPECTS - 2)).astype(np.int64)
    share = aspect_shares(aspect_count)  # [t, a]
    main_if_relevant = _drawn_aspects(share, rng.random(shape))
    main_otherwise = _drawn_aspects(aspect_shares(aspect_count, 0.8), rng.random(shape))
    main_aspect = np.where(relevant, main_if_relevant, main_otherwise)
    popularity = np.take_along_axis(share, main_aspect, axis=1) / share[:, :1]  # [t, d] 1 for the most popular aspect
    appeal = 1.0 * popularity + 0.7 * normal(rng, *shape)
    words = np.maximum(20, np.rint(np.exp(6.0 + 0.8 * normal(rng, candidates * stride)))).astype(np.int64)
    ease = np.clip(1 + 0.35 * normal(rng, topics), 0.3, 1.8)
    aspects = _aspect_grades(rng, grade, main_aspect, aspect_count)
    topic_name = pl.Series([f"{101 + t}" for t in range(topics)])
    doc_name = pl.Series(numbered_names("D", len(words)))
    return SimulatedTopics(doc, grade, main_aspect, aspects, aspect_count, ease, appeal, words, topic_name, doc_name)


def aspect_shares(aspect_count: Ints, slope: float = 1.5) -> Floats:
    """[t, a] The share of documents about each aspect: proportional to 1, 1/2^slope, 1/3^slope, …

    >>> aspect_shares(np.array([3])).round(2)
    array([[0.65, 0.23, 0.12, 0.  , 0.  , 0.  ]])
    """
    aspect = np.arange(MAX_ASPECTS)
    share = (aspect < aspect_count[:, None]) / (aspect + 1.0) ** slope
    return np.asarray(share / share.sum(axis=1, keepdims=True))


def _drawn_aspects(share: Floats, number: Floats) -> Ints:
    """[t, d] An aspect for each uniform number from 0 to 1, with its share [t, a] as probability."""
    below = share.cumsum(axis=1)[:, None, :-1] <= number[:, :, None]
    last = np.count_nonzero(share, axis=1) - 1
    return np.minimum(below.sum(axis=2), last[:, None])


def _aspect_grades(rng: np.random.Generator, grade: Ints, main_aspect: Ints, aspect_count: Ints) -> Ints:
    """[t, d, a] The grade for the main aspect; three documents in ten have a lower one for another aspect too."""
    step = 1 + (rng.random(grade.shape) * (aspect_count - 1)[:, None]).astype(np.int64)
    second = np.where((rng.random(grade.shape) < 0.3) & (grade > 0), np.maximum(grade - 1, 1), 0)
    aspects = np.zeros((*grade.shape, MAX_ASPECTS), dtype=np.int64)
    np.put_along_axis(aspects, ((main_aspect + step) % aspect_count[:, None])[:, :, None], second[:, :, None], axis=2)
    np.put_along_axis(aspects, main_aspect[:, :, None], grade[:, :, None], axis=2)
    return aspects
