"""Times files to diversity scores, for irassay and pyndeval, on the same files in one run.

    python benchmarks/diversity_peers.py --peers PYTHON

PYTHON is an interpreter that has pyndeval. The files are made up, with a fixed seed: 1,000 topics of 50 subtopics,
about 100 relevant documents a topic, each relevant to three subtopics or so, and several runs of 100 results a topic.
Both tools compute alpha-nDCG@20, ERR-IA@20 and subtopic recall at 20 from the files, in a process of its own, start-up
included; they take turns, and medians count. A second table has alpha-nDCG at depth 100, which
pyndeval does not offer, for three values of alpha.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from score_peers import busy, measured, report

TOPICS, SUBTOPICS, RELEVANT, OTHERS, DEPTH = 1000, 50, 100, 60, 100

IRASSAY = """
import json, sys, irassay
scores = irassay.score(sys.argv[2], sys.argv[1], METRICS, ties="docid-asc")
means = scores.values.mean(axis=1)
print(json.dumps({run: means[i].tolist() for i, run in enumerate(scores.systems)}))
"""
COMMON = '["alpha_nDCG@20", "ERR_IA@20", "StRecall@20"]'
DEEP = '[f"alpha_nDCG(alpha={alpha})@100" for alpha in (0.2, 0.5, 0.8)]'

PYNDEVAL = """
import json, os, sys, pyndeval
names = ["alpha-nDCG@20", "ERR-IA@20", "strec@20"]
with open(sys.argv[1]) as file:
    qrels = [(t, s, d, int(g)) for t, s, d, g in map(str.split, file)]
evaluator = pyndeval.RelevanceEvaluator(qrels, names)
means = {}
for name in sorted(os.listdir(sys.argv[2])):
    with open(os.path.join(sys.argv[2], name)) as file:
        run = [(t, d, float(s)) for t, _, d, _, s, _ in map(str.split, file)]
    scores = evaluator.evaluate(run).values()
    means[name] = [sum(topic[m] for topic in scores) / len(scores) for m in names]
print(json.dumps(means))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", help="an interpreter that has pyndeval")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    busy()
    with tempfile.TemporaryDirectory() as folder:
        qrels, runs = written(Path(folder), options.runs)
        ours = {"irassay": (sys.executable, IRASSAY.replace("METRICS", COMMON))}
        peers = {"pyndeval": (options.peers, PYNDEVAL)} if options.peers else {}
        shape = f"{options.runs} runs × {TOPICS:,} topics of {SUBTOPICS} subtopics × {DEPTH} results"
        report(shape, measured(ours | peers, qrels, runs, options.turns))
        deep = {"irassay": (sys.executable, IRASSAY.replace("METRICS", DEEP))}
        report(f"the same, three values of alpha to depth {DEPTH}", measured(deep, qrels, runs, options.turns))


def written(folder: Path, systems: int) -> tuple[Path, Path]:
    """Judgements, and runs that find, each with noise of its own, documents that are relevant to many subtopics."""
    rng = np.random.default_rng(50)
    (folder / "runs").mkdir()
    docs = np.array([f"clueweb09-en{i // 10_000:04d}-{i % 10_000:05d}" for i in range(200_000)])
    judged = RELEVANT + OTHERS
    offered, worth = [], []
    with (folder / "qrels.txt").open("w") as file:
        for topic in range(1, TOPICS + 1):
            found = rng.choice(len(docs), judged + 3 * DEPTH, replace=False)
            about = [rng.choice(SUBTOPICS, rng.integers(1, 6), replace=False) for _ in range(RELEVANT)]
            file.writelines(
                f"{topic} {subtopic + 1} {docs[doc]} {rng.integers(1, 4)}\n"
                for doc, subtopics in zip(found, about, strict=False)
                for subtopic in subtopics
            )
            file.writelines(f"{topic} 1 {docs[doc]} 0\n" for doc in found[RELEVANT:judged])
            offered.append(found)
            worth.append(np.r_[[len(subtopics) for subtopics in about], np.zeros(len(found) - RELEVANT)])
    for system in range(systems):
        tag = f"run{system}"
        with (folder / "runs" / tag).open("w") as file:
            for topic in range(TOPICS):
                best = np.argsort(-worth[topic] - rng.gumbel(0, 1 + system, len(worth[topic])))[:DEPTH]
                file.writelines(
                    f"{topic + 1} Q0 {docs[offered[topic][place]]} {rank} {100 - rank:.4f} {tag}\n"
                    for rank, place in enumerate(best, 1)
                )
    return folder / "qrels.txt", folder / "runs"


if __name__ == "__main__":
    main()
