"""The same numbers to the last bit, whatever the workers, threads, hash seed, locale, and order of runs and lines."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from irassay.simulation import simulate

ROOT = Path(__file__).parents[2]
METRICS = ["-m", "AP", "-m", "nDCG@10", "-m", "RBP(p=0.8)", "-m", "ERR"]
COMMANDS = {
    "score": ["score", *METRICS, "--by-topic"],
    "bounds": ["score", *METRICS, "--bounds"],
    "compare": ["compare", *METRICS[:4], "--trials", "500"],
    "tests": ["compare", "-m", "AP", "--test", "bootstrap", "--trials", "500", "--correct", "holm"],
    "discrimination": ["meta", "discrimination", *METRICS, "--test", "permutation", "--trials", "300"],
    "consistency": ["meta", "consistency", *METRICS, "--splits", "50"],
    "similarity": ["meta", "similarity", *METRICS],
    "robustness": ["meta", "robustness", *METRICS[:4], "--thin", "0.5", "--repeats", "2", "--test", "t"],
}
THREADS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
AROUND: dict[str, dict[str, str]] = {
    "hash seed, one thread, Turkish": {
        "PYTHONHASHSEED": "1",
        **dict.fromkeys(THREADS, "1"),
        "LC_ALL": "tr_TR.UTF-8",
        "LANG": "tr_TR.UTF-8",
        "LANGUAGE": "tr",
    },
    "another hash seed, three threads, plain C, another time zone": {
        "PYTHONHASHSEED": "4242",
        **dict.fromkeys(THREADS, "3"),
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "TZ": "Pacific/Chatham",
    },
}
SEVERAL = """
import sys
from irassay.cli.program import run
for words in open(sys.argv[1], encoding="utf-8").read().split("\\0"):
    status = run(words.split("\\n"))
    assert not status, (status, words)
    print("====", flush=True)
"""


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgements and runs with ties, written topic by topic, and once more with their lines shuffled."""
    folder = tmp_path_factory.mktemp("collection")
    made = simulate(seed=3, topics=12, systems=5)
    rng = random.Random(1)
    qrels = [f"{t} 0 {d} {g:g}\n" for t, d, g in made.qrels.frame.select("topic", "doc", "grade").iter_rows()]
    runs = {}
    for run in made.runs:
        rows = run.frame.select("topic", "doc", "score").iter_rows()
        runs[run.name] = [f"{t} Q0 {d} {i} {round(s, 1)} {run.name}\n" for i, (t, d, s) in enumerate(rows)]
    order = {topic: place for place, topic in enumerate(made.qrels.topics)}
    for name in ("plain", "shuffled", "other topics first"):
        (folder / name).mkdir()
        for file, lines in {"qrels": qrels, **runs}.items():
            (folder / name / file).write_text("".join(lines))
            rng.shuffle(lines)
            lines.sort(key=lambda line: order[line.split()[0]], reverse=name == "shuffled")
    return folder


def printed(
    folder: Path,
    scratch: Path,
    *,
    first: int | None = None,
    jobs: int = 1,
    backwards: bool = False,
    env: dict[str, str] | None = None,
) -> list[str]:
    """What each command, or each of the first ones, prints as TSV."""
    names = sorted((p.name for p in folder.iterdir() if p.name != "qrels"), reverse=backwards)
    words = [
        "\n".join([*command, "qrels", *names, "--format", "tsv", "--quiet", "--jobs", str(jobs)])
        for command in list(COMMANDS.values())[:first]
    ]
    listed = scratch / "commands"
    listed.write_text("\0".join(words), encoding="utf-8")
    around = {k: v for k, v in os.environ.items() if k != "PYTHONHASHSEED"} | {"PYTHONPATH": str(ROOT)} | (env or {})
    done = subprocess.run(
        [sys.executable, "-c", SEVERAL, str(listed)],
        cwd=folder,
        env=around,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("====\n")[:-1]


@pytest.fixture(scope="module")
def usual(collection: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return printed(collection / "plain", tmp_path_factory.mktemp("usual"))


@pytest.mark.parametrize("name", AROUND)
def test_what_is_around_changes_nothing(collection: Path, usual: list[str], tmp_path: Path, name: str) -> None:
    assert printed(collection / "plain", tmp_path, env=AROUND[name]) == usual


def test_the_number_of_workers_changes_nothing(collection: Path, usual: list[str], tmp_path: Path) -> None:
    assert printed(collection / "plain", tmp_path, jobs=3) == usual


def test_the_order_of_lines_changes_nothing(collection: Path, usual: list[str], tmp_path: Path) -> None:
    for name, one, other in zip(COMMANDS, usual, printed(collection / "shuffled", tmp_path), strict=True):
        assert other == one, name


def test_the_order_of_topics_changes_no_score(collection: Path, usual: list[str], tmp_path: Path) -> None:
    """Every topic's score to the last bit; means are added up in the order of topics, as trec_eval does."""
    one, other = (
        {tuple(words): float(value) for *words, value in (line.split("\t") for line in text.splitlines()[1:])}
        for text in (usual[0], printed(collection / "other topics first", tmp_path, first=1)[0])
    )
    means = {key for key in one if key[2] == "all"}
    assert {k: v for k, v in one.items() if k not in means} == {k: v for k, v in other.items() if k not in means}
    assert means and all(other[key] == pytest.approx(one[key], rel=1e-14) for key in means)


def test_the_order_of_runs_changes_no_score(collection: Path, usual: list[str], tmp_path: Path) -> None:
    """Scores to the last bit; pairs of systems are turned round, so that their differences change sign."""
    turned = printed(collection / "plain", tmp_path, backwards=True, first=2)
    for name, one, other in zip(COMMANDS, usual, turned, strict=False):
        assert sorted(other.splitlines()) == sorted(one.splitlines()), name
