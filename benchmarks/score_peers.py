"""Times files to scores, for irassay and the tools that users know, on collections of two shapes.

    python benchmarks/score_peers.py --peers PYTHON

PYTHON is an interpreter that has pytrec-eval-terrier, ir-measures, cwl-eval and ranx. The files are made up, with a
fixed seed: TREC-8-shaped (129 runs, 50 topics, 1,000 results, about 1,700 judged documents a topic) and
MS MARCO-shaped (one run, 6,980 topics, 1,000 results, about 1.1 judged documents a topic). Every tool computes AP,
nDCG@10, P@10, RR and RBP (p = 0.8; pytrec_eval has no RBP) from the files, in a process of its own, start-up included;
the tools take turns, and medians count. ranx compiles itself on its first use: that turn is not counted. The physical
floor stands beside: reading the runs from the page cache, and scanning them without laying anything out or scoring.
--trec-eval BINARY adds trec_eval, which has no RBP and prints four decimals. A third shape is nDCG@10 of one small run
(50 topics, 100 results) by the command line, `irassay score QRELS RUN -m nDCG@10`, from a cold shell.

What is printed are the tables of README.md; how each turn went, and how busy the machine is, goes to standard error.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

IRASSAY = """
import json, sys, irassay
metrics = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)"]
scores = irassay.score(sys.argv[2], sys.argv[1], metrics)
means = scores.values.mean(axis=1)
print(json.dumps({run: means[i].tolist() for i, run in enumerate(scores.systems)}))
"""

JUDGED = """
import sys
from irassay.judging.scanned_runs import judged_lists
from irassay.judging.policy import JudgingPolicy
for judged in judged_lists(sys.argv[2], sys.argv[1], JudgingPolicy()):
    judged.rankings
print("{}")
"""

GENERAL = "import os; os.environ['IRASSAY_NATIVE'] = '0'\n" + IRASSAY

READ = """
import os, sys
for name in sorted(os.listdir(sys.argv[2])):
    with open(os.path.join(sys.argv[2], name), "rb", buffering=0) as file:
        while file.read(1 << 23):
            pass
print("{}")
"""

SCAN = """
import sys
from irassay.judging.scanned_runs import judged_lists
from irassay.judging.policy import JudgingPolicy
runs = judged_lists(sys.argv[2], sys.argv[1], JudgingPolicy())
assert all(list(runs.parts(number)) for number in range(len(runs)))
print("{}")
"""

COMMAND = """
import sys
from irassay.cli import command
sys.argv = ["irassay", "score", sys.argv[1], sys.argv[2], "-m", "nDCG@10"]
command()
"""

TREC_EVAL = """
import json, os, subprocess, sys
names = ["map", "ndcg_cut_10", "P_10", "recip_rank"]
asked = [word for m in ("map", "ndcg_cut.10", "P.10", "recip_rank") for word in ("-m", m)]
means = {}
for name in sorted(os.listdir(sys.argv[2])):
    command = [BINARY, "-c", *asked, sys.argv[1], os.path.join(sys.argv[2], name)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = {measure: value for measure, topic, value in map(str.split, lines)}
    means[name] = [float(found[m]) for m in names]
print(json.dumps(means))
"""

PYTREC_EVAL = """
import json, os, sys, pytrec_eval
names = ["map", "ndcg_cut_10", "P_10", "recip_rank"]
with open(sys.argv[1]) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(names))
means = {}
for name in sorted(os.listdir(sys.argv[2])):
    with open(os.path.join(sys.argv[2], name)) as file:
        scores = evaluator.evaluate(pytrec_eval.parse_run(file)).values()
    means[name] = [sum(topic[m] for topic in scores) / len(scores) for m in names]
print(json.dumps(means))
"""

IR_MEASURES = """
import json, os, sys, ir_measures
from ir_measures import AP, RBP, RR, P, nDCG
names = [AP, nDCG @ 10, P @ 10, RR, RBP(p=0.8, rel=1)]
evaluator = ir_measures.evaluator(names, ir_measures.read_trec_qrels(sys.argv[1]))
means = {}
for name in sorted(os.listdir(sys.argv[2])):
    scores = evaluator.calc_aggregate(ir_measures.read_trec_run(os.path.join(sys.argv[2], name)))
    means[name] = [scores[m] for m in names]
print(json.dumps(means))
"""

RANX = """
import json, os, sys, ranx
names = ["map", "ndcg@10", "precision@10", "mrr", "rbp.80"]
qrels = ranx.Qrels.from_file(sys.argv[1], kind="trec")
means = {}
for name in sorted(os.listdir(sys.argv[2])):
    run = ranx.Run.from_file(os.path.join(sys.argv[2], name), kind="trec")
    scores = ranx.evaluate(qrels, run, names)
    means[name] = [float(scores[m]) for m in names]
print(json.dumps(means))
"""

PEERS = {"pytrec_eval (no RBP)": PYTREC_EVAL, "ir_measures": IR_MEASURES, "ranx": RANX}
SMALL = {  # nDCG@10 alone
    "pytrec_eval": PYTREC_EVAL.replace('["map", "ndcg_cut_10", "P_10", "recip_rank"]', '["ndcg_cut_10"]'),
    "ir_measures": IR_MEASURES.replace("[AP, nDCG @ 10, P @ 10, RR, RBP(p=0.8, rel=1)]", "[nDCG @ 10]"),
    "ranx": RANX.replace('["map", "ndcg@10", "precision@10", "mrr", "rbp.80"]', '["ndcg@10"]').replace(
        "float(scores[m])", "float(scores)"
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", help="an interpreter that has the other tools")
    parser.add_argument("--trec-eval", type=Path, help="the binary of trec_eval, compiled with -O3")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--shape", choices=list(SHAPES), help="only this one")
    parser.add_argument("--only", nargs="+", default=[], help="beside irassay, only tools whose names begin so")
    options = parser.parse_args()
    tools = {
        "irassay": IRASSAY,
        "irassay, files to Rankings": JUDGED,
        "irassay, scanner off": GENERAL,
        "read only": READ,
        "read and scan only": SCAN,
    }
    if options.trec_eval:
        tools["trec_eval (no RBP)"] = TREC_EVAL.replace("BINARY", repr(str(options.trec_eval)))
    busy()
    with tempfile.TemporaryDirectory() as folder:
        for shape, (make, title) in SHAPES.items():
            if options.shape not in (None, shape):
                continue
            one = shape == "small"
            chosen = {name: (sys.executable, code) for name, code in ({"irassay": COMMAND} if one else tools).items()}
            if options.peers:
                chosen |= {name: (options.peers, code) for name, code in (SMALL if one else PEERS).items()}
            if options.only:
                chosen = {name: tool for name, tool in chosen.items() if name.startswith(("irassay", *options.only))}
            qrels, runs = make(Path(folder) / shape)
            report(title, measured(chosen, qrels, runs, options.turns * (4 if one else 1)))


def trec8(folder: Path) -> tuple[Path, Path]:
    """129 runs that find, each in its own way, the best of 4,000 documents a topic; 1,700 of these are judged."""
    rng = np.random.default_rng(8)
    runs = folder / "runs"
    runs.mkdir(parents=True)
    docs = np.array([f"{source}{i:06d}-{i % 7919:04d}" for i, source in enumerate(["FT", "LA", "FBIS"] * 70_000)])
    worth = rng.gamma(0.7, 1.0, (50, 4000))  # [topic, candidate]
    candidates = np.array([rng.choice(len(docs), 4000, replace=False) for _ in range(50)])
    with (folder / "qrels.txt").open("w") as file:
        for t in range(50):
            judged = np.sort(np.argsort(-worth[t] - rng.gumbel(0, 0.5, 4000))[:1700])
            relevant = worth[t][judged] > np.sort(worth[t])[-95]
            lines = zip(docs[candidates[t][judged]].tolist(), relevant.tolist(), strict=True)
            file.writelines(f"{401 + t} 0 {doc} {int(grade)}\n" for doc, grade in lines)
    for system in range(129):
        noise = rng.uniform(0.3, 2.0)
        with (runs / f"run{system:03d}").open("w") as file:
            for t in range(50):
                best = np.argsort(-worth[t] - rng.gumbel(0, noise, 4000))[:1000]
                write(file, 401 + t, docs[candidates[t][best]], falling(rng), f"run{system:03d}", " ")
    return folder / "qrels.txt", runs


def msmarco(folder: Path) -> tuple[Path, Path]:
    """One run over 6,980 topics that finds most of the few judged passages."""
    rng = np.random.default_rng(80)
    runs = folder / "runs"
    runs.mkdir(parents=True)
    topics = np.sort(rng.choice(1_100_000, 6980, replace=False)).tolist()
    with (folder / "qrels.txt").open("w") as qrels, (runs / "bm25").open("w") as file:
        for topic in topics:
            found = rng.choice(8_841_823, 1000, replace=False).astype(str)
            write(file, topic, found, falling(rng), "bm25", "\t")
            for rank in sorted({int(rank) for rank in rng.pareto(0.4, 1 + int(rng.random() < 0.1))}):
                doc = found[rank] if rank < 1000 else str(9_000_000 + rank)
                qrels.write(f"{topic}\t0\t{doc}\t1\n")
    return folder / "qrels.txt", runs


def small(folder: Path) -> tuple[Path, Path]:
    """One run of 50 topics and 100 results."""
    rng = np.random.default_rng(5)
    runs = folder / "runs"
    runs.mkdir(parents=True)
    with (folder / "qrels.txt").open("w") as qrels, (runs / "bm25").open("w") as file:
        for topic in range(1, 51):
            found = rng.choice(1000, 100, replace=False).astype(str)
            write(file, topic, found, falling(rng)[:100], "bm25", " ")
            qrels.writelines(f"{topic} 0 {doc} {rng.integers(0, 2)}\n" for doc in found[::3])
    return folder / "qrels.txt", runs


def falling(rng: np.random.Generator) -> np.ndarray:
    """[1000] scores without ties, in single precision too."""
    return 60 - np.cumsum(0.001 + rng.exponential(0.02, 1000))


def write(file, topic, docs, scores, tag, gap) -> None:
    lines = enumerate(zip(docs.tolist(), scores.tolist(), strict=True), 1)
    file.writelines(f"{topic}{gap}Q0{gap}{d}{gap}{rank}{gap}{s:.6f}{gap}{tag}\n" for rank, (d, s) in lines)


SHAPES = {
    "TREC-8": (trec8, "129 runs × 50 topics × 1,000 results"),
    "MS MARCO": (msmarco, "1 run × 6,980 topics × 1,000 results"),
    "small": (small, "one small run, 50 topics × 100 results, from a cold shell"),
}


def measured(tools, qrels: Path, runs: Path, turns: int) -> dict[str, tuple[float, float, float, dict]]:
    """Of each tool the median seconds and CPU seconds, the most memory in MB, and what it computed.

    Tools take turns, each turn beginning with another one; one that fails is said to and left out.
    """
    taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in tools}
    computed: dict[str, dict] = {}
    for turn in range(-1, turns):
        names = list(taken)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            if turn < 0 and name != "ranx":
                continue
            try:
                *costs, computed[name] = once(*tools[name], qrels, runs)
            except (OSError, ValueError, subprocess.SubprocessError) as problem:
                print(f"{name} is left out: {problem}", file=sys.stderr)
                del taken[name]
                continue
            print("{}: {:.2f} s, {:.2f} CPU s, {:.0f} MB".format(name, *costs), file=sys.stderr)
            if turn >= 0:
                taken[name].append(tuple(costs))
    medians = {name: np.median(costs, axis=0)[:2].tolist() for name, costs in taken.items()}
    return {name: (*medians[name], max(c[2] for c in costs), computed[name]) for name, costs in taken.items()}


def once(python: str, code: str, qrels: Path, runs: Path) -> tuple[float, float, float, dict]:
    """Seconds, CPU seconds (of its children too) and MB of one process, and what it printed."""
    begin = time.perf_counter()
    child = subprocess.Popen([python, "-c", code, str(qrels), str(runs)], stdout=subprocess.PIPE)
    output = child.stdout.read()
    child.stdout.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if child.returncode:
        raise ValueError(f"{python} ended with status {child.returncode}")
    found = json.loads(output) if output.startswith(b"{") else {}
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, found


def busy() -> None:
    """Says how busy the machine is; where it is, CPU seconds are worth more than seconds."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"Load of the last 1, 5 and 15 minutes on {os.cpu_count()} cores: {load}.", file=sys.stderr)


def report(title: str, found: dict[str, tuple[float, float, float, dict]]) -> None:
    """Prints a table of medians, as README.md has it."""
    ours, our_cpu, _, scores = found["irassay"]
    columns = "seconds | times | CPU seconds | times | peak MB | largest difference of a mean"
    print(f"\n| {title} | {columns} |")
    print("|---|---|---|---|---|---|---|")
    for name, (seconds, cpu, memory, means) in found.items():
        same = means.keys() & scores.keys()
        gaps = [abs(a - b) for run in same for a, b in zip(means[run], scores[run], strict=False)]
        gap = f"{max(gaps):.1e}" if gaps else ""
        times = f"{seconds:.2f} | {seconds / ours:.1f} | {cpu:.2f} | {cpu / our_cpu:.1f}"
        print(f"| {name} | {times} | {memory:,.0f} | {gap} |", flush=True)


if __name__ == "__main__":
    main()
