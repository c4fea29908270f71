"""Thirty-five judges of 4,423 documents of 25 topics, compared again on 100 halves of the topics: seconds.

python benchmarks/judges_speed.py
"""

import time

import numpy as np

import irassay as ia

JUDGES, DOCUMENTS, TOPICS = 35, 4_423, 25


def label_sets() -> list[dict[str, dict[str, float]]]:
    """Label sets: the reference, then judges that repeat its grade in half of the documents."""
    rng = np.random.default_rng(0)
    topic, human = np.sort(rng.integers(0, TOPICS, DOCUMENTS)), rng.integers(0, 4, DOCUMENTS)
    rows = [
        human,
        *(np.where(rng.random(DOCUMENTS) < 0.5, human, rng.integers(0, 4, DOCUMENTS)) for _ in range(JUDGES)),
    ]
    return [
        {f"t{t}": {f"d{d}": float(row[d]) for d in np.flatnonzero(topic == t)} for t in range(TOPICS)} for row in rows
    ]


def main() -> None:
    """Prints the median of five runs."""
    human, *others = label_sets()
    named = {f"judge {j}": labels for j, labels in enumerate(others)}
    ia.judges(human, named)
    took = []
    for _ in range(5):
        start = time.perf_counter()
        ia.judges(human, named)
        took.append(time.perf_counter() - start)
    print(
        f"{JUDGES} judges, {DOCUMENTS:,} labels, 100 halves of the topics: {np.median(took):.2f} s, all parts included"
    )


if __name__ == "__main__":
    main()
