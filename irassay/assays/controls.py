"""Controls: scores that cannot measure quality, and the true quality if known."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np

from irassay.arrays import Floats
from irassay.scores import Scores

HASHES = 20
HASH, CONSTANT, TRUTH = "control hash", "control constant", "control truth"


def controls(scores: Scores, truth: Mapping[str, float] | None = None) -> Scores:
    """The controls as scores: 20 hashes of topic and system, a constant per system plus noise, and the truth if known.

    A hash ranks systems by chance. The constant orders them the same way on every topic, whatever they return.
    """
    hashes = np.stack([hash_scores(str(n), scores) for n in range(HASHES)], axis=2)
    place = np.argsort(np.argsort(_uniform([f"constant {system}" for system in scores.systems])))
    noise = hash_scores("noise", scores) - 0.5
    constant = (place[:, None] + 0.5 + noise / 2) / len(scores.systems)
    values = np.concatenate([hashes, constant[:, :, None]], axis=2)
    names: tuple[str, ...] = (*(f"{HASH} {n + 1}" for n in range(HASHES)), CONSTANT)
    if truth is not None:
        true = np.array([truth[system] for system in scores.systems])[:, None, None]
        values = np.concatenate([values, np.broadcast_to(true, (*values.shape[:2], 1))], axis=2)
        names = (*names, TRUTH)
    return Scores(values, scores.systems, scores.topics, names, collection=scores.collection)


def hash_scores(seed: str, scores: Scores) -> Floats:
    """[system, topic] numbers from 0 to 1 that depend only on the seed and the names of topic and system."""
    words = ["\n".join((seed, *key, system)) for system in scores.systems for key in scores.keys]
    return _uniform(words).reshape(len(scores.systems), len(scores.topics))


def _uniform(words: Sequence[str]) -> Floats:
    """[word] its hash as a number from 0 to 1, the same on every machine."""
    digests = b"".join(blake2b(word.encode(), digest_size=8).digest() for word in words)
    return np.frombuffer(digests, dtype=">u8").astype(np.float64) / 2.0**64


def with_mean_hash(values: Floats) -> Floats:
    """[..., control] the mean of the hashes, then the other controls, from values [..., hashes and others]."""
    return np.concatenate([values[..., :HASHES].mean(axis=-1, keepdims=True), values[..., HASHES:]], axis=-1)
