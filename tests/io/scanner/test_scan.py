"""The scanner against the general reader: the same numbers, names, notes and messages, whatever the files."""

import gzip
import locale
import math
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from ctypes import addressof, c_double
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.io import scan
from irassay.io.lines import parsed_number
from irassay.judging import scanned_runs as scanner
from irassay.judging.policy import JudgingPolicy
from irassay.scoring.score import score
from tests.support.processes import python_output

METRICS = ("AP", "nDCG@10", "RR", "P@5", "bpref", "RBP")
HERE = Path(__file__).parent
needs_library = pytest.mark.skipif(scan.library() is None, reason="the scanner is not compiled, or turned off")


def answer(runs: Any, qrels: Any, metrics: Any, **policies: Any) -> Any:
    """All that a user sees: scores to the last bit, names, notes; or the message."""
    try:
        found = score(runs, qrels, metrics, **policies)
    except InputError as problem:
        return str(problem)
    return found.values.tobytes(), found.systems, found.topics, tuple(map(str, found.notes))


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    """Asserts that both ways have one answer, and says whether the scanner had it."""

    def compare(runs: Any, qrels: Any, metrics: Any = METRICS, **policies: Any) -> bool:
        asked: list[str] = []
        general = scanner.ScannedRuns.general.func
        with monkeypatch.context() as patch:
            watched = property(lambda self: (asked.append("general"), general(self))[1])
            patch.setattr(scanner.ScannedRuns, "general", watched)
            patch.setattr(scanner, "_from_general", lambda *given: asked.append("pool"))
            fast = answer(runs, qrels, metrics, **policies)
        pooled = answer(runs, qrels, metrics, **policies)
        with monkeypatch.context() as patch:
            patch.setattr(scanner, "library", lambda: None)
            slow = answer(runs, qrels, metrics, **policies)
        assert fast == slow
        assert pooled == slow
        return not asked

    return compare


def written(folder: Path, name: str, lines: list[str]) -> Path:
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / name


def clean(folder: Path, tag: str = "tag", topics: int = 5) -> tuple[Path, Path]:
    rng = random.Random(topics)
    docs = [f"FT9{i:05d}" for i in range(60)]
    qrels = [f"{t} 0 {d} {rng.choice('0012')}" for t in range(topics) for d in rng.sample(docs, 20)]
    run = [
        f"{t} Q0 {d} {i} {30 - i / 7:.4f} {tag}"
        for t in range(topics)
        for i, d in enumerate(rng.sample(docs, rng.randrange(3, 40)))
    ]
    return written(folder, "qrels", qrels), written(folder, f"run-{tag}", run)


def odd_files(rng: random.Random) -> tuple[bytes, bytes]:
    """Judgements and a run with, now and then, something odd."""

    def doc() -> str:
        i = rng.randrange(40)
        kinds = [f"d{i}", f"FT9{i:05d}-{i % 3}", "x" * (1 + i), f"é{i % 5}", f"a\x01{i % 4}"]
        return rng.choice(kinds[:2] if plain else kinds)

    plain = rng.random() < 0.7
    topics = [str(t) for t in rng.sample(range(1, 9), rng.randrange(1, 5))]
    column = ["0", "1"] if rng.random() < 0.15 else ["0"]
    qrels = [
        f"{t} {rng.choice(column)} {d} {rng.choice(['0', '1', '2', '-1', '0.5'])}"
        for t in topics
        for d in sorted({doc() for _ in range(rng.randrange(1, 25))})
    ]
    rng.shuffle(qrels) if rng.random() < 0.1 else None
    qrels += [qrels[0]] * (rng.random() < 0.05)
    gap = rng.choice(" \t")
    run = []
    for t in [*topics, "77"] if rng.random() < 0.2 else topics:
        docs = sorted({doc() for _ in range(rng.randrange(1, 40))}, key=lambda _: rng.random())
        docs += docs[:1] * (rng.random() < 0.08)
        close = [rng.uniform(0, 9), rng.randrange(5), round(rng.uniform(0, 2), 1), 1 + rng.random() * 1e-8]
        scores = [rng.choice(close) + (rng.random() < 0.5) for _ in docs]
        scores = sorted(scores, reverse=True) if rng.random() < 0.5 else scores
        for i, (d, s) in enumerate(zip(docs, scores, strict=True)):
            score = rng.choice([repr(s), f"{s:.6f}", f"{s:.3g}", f"{s:.25f}"])
            run.append(gap.join([t, "Q0", d, str(i + 1), score, "tag"]))
        run = run if rng.random() < 0.9 else run[: -len(docs)]
    rng.shuffle(run) if rng.random() < 0.08 else None
    if run and rng.random() < 0.35:
        i = rng.randrange(len(run))
        line, fields = run[i], run[i].split(gap)
        score = rng.choice(["nan", "inf", "1e999", "abc", "1_0", "--1", "", "+.5", "5.", "1e-400"])
        odd = [gap.join([*fields[:4], score, "tag"]), gap.join(fields[:5]), f"# {line}", f" {line}  ", "", line + "\r"]
        odd += [line.replace("tag", "t\x00g"), line.replace("tag", "other"), line + gap + "more"]
        run[i] = rng.choice([*odd, line.replace(gap, gap * 2), line.replace("Q0", "", 1)])
    end = rng.choice(["\n", "\n", "\n", "\r\n"])
    data = (end.join(run) + (end if rng.random() < 0.8 else "")).encode()
    data = data.replace(b"tag", b"t\xff", 1) if rng.random() < 0.03 else data
    data = b"\xef\xbb\xbf" + data if rng.random() < 0.03 else data
    data = data.replace(b"\n", b"\n\xef\xbb\xbf", 1) if rng.random() < 0.03 else data
    data = data.replace(rng.choice([b"tag", b"\n", b" "]), b"\r", 1) if rng.random() < 0.05 else data
    return ("\n".join(qrels) + "\n").encode(), data


@needs_library
@pytest.mark.parametrize("seed", range(8))
def test_odd_files_have_one_answer(
    seed: int, tmp_path: Path, both: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    policies: list[dict[str, Any]] = [{}, {}, {"missing": "skip"}, {"missing": "error"}, {"depth": 5}]
    policies += [{"ties": "docid-asc"}, {"on_duplicate": "first"}, {"max_grade": 2}, {"qrels_format": "subtopic"}]
    scanned = 0
    for turn in range(30):
        for name, data in zip(("q", "r"), odd_files(rng), strict=True):
            packed = rng.random() < 0.15
            (tmp_path / name).write_bytes(gzip.compress(data, 1) if packed else data)
        monkeypatch.setattr(scan, "CHUNK", rng.choice([64, 500, 8 << 20]))
        monkeypatch.setattr(scanner, "SMALL_RUN", rng.choice([0, 1 << 20]))
        policy = rng.choice(policies)
        try:
            scanned += both(tmp_path / "r", tmp_path / "q", **policy)
        except AssertionError:
            raise AssertionError(f"seed {seed}, turn {turn}, {policy}") from None
    assert 3 < scanned < 30


@needs_library
def test_clean_files_are_scanned(tmp_path: Path, both: Callable[..., bool]) -> None:
    qrels, run = clean(tmp_path)
    for policy in ({}, {"missing": "skip"}, {"depth": 3}, {"max_grade": 4}, {"qrels_format": "trec"}):
        assert both(run, qrels, **policy)
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(run.read_bytes()))
    assert both(packed, qrels)
    both(run, qrels, order="rank")
    assert not isinstance(scanner.judged_lists(run, qrels, JudgingPolicy("rank")), scanner.ScannedRuns)


@needs_library
def test_runs_are_called_by_their_files_or_by_their_tags(tmp_path: Path, both: Callable[..., bool]) -> None:
    qrels, run = clean(tmp_path)
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("a", "b.gz", "c"):
        shutil.copy(run, runs / name)
    (runs / "b.gz").write_bytes(gzip.compress(run.read_bytes()))
    shutil.copy(clean(tmp_path, "own")[1], runs / "d")
    assert both(runs, qrels) and both(runs, qrels, names="tag")
    assert score(runs, qrels, "AP").systems == ("a", "b", "c", "d")
    assert score(runs, qrels, "AP", names="tag").systems == ("a", "b", "c", "own")


@needs_library
def test_judgements_by_subtopic_are_scanned_against(tmp_path: Path, both: Callable[..., bool]) -> None:
    _, run = clean(tmp_path)
    rng = random.Random(3)
    lines = [
        f"{t} {s} FT9{d:05d} {rng.choice('012')}" for t in range(5) for s in (1, 2, 3) for d in rng.sample(range(60), 9)
    ]
    qrels = written(tmp_path, "diversity", lines)
    weights = written(tmp_path, "weights", [f"{t} {s} {s / 6}" for t in range(5) for s in (1, 2, 3)])
    assert both(run, qrels, ("alpha_nDCG@10", "AP_IA", "AP", "D_nDCG", "RBU"))
    assert not both(run, qrels, ("alpha_nDCG@10", "AP_IA"), weights=weights)
    assert both(run, qrels, "AP", qrels_format="subtopic")
    assert both(run, qrels, ("AP", "nDCG"))
    apart = written(
        tmp_path, "apart", [f"{t} {10**8 * t + s} FT9{s:05d} {s - 1}.5" for t in range(5) for s in range(9)]
    )
    assert both(run, apart, "AP_IA", qrels_format="subtopic")
    both(run, apart, "AP_IA")  # refused: no document is judged for two of them
    for odd in ("01", "a", "-1", "1234567890", "1"):  # another name, or a document judged for a subtopic twice
        both(run, written(tmp_path, "odd", [*lines, f"0 {odd} {lines[0].split()[2]} 3"]), ("AP_IA", "AP"))
    found = scanner.judged_lists(run, qrels, JudgingPolicy(), frozenset({"aspects"}))
    assert isinstance(found, scanner.ScannedRuns)
    (judged,) = found
    assert judged.rankings.aspects.shape[2] == 3


@needs_library
def test_lists_of_very_different_lengths_are_not_padded(tmp_path: Path, both: Callable[..., bool]) -> None:
    qrels = written(tmp_path, "qrels", [f"{t} 0 d0 1" for t in range(1200)])
    run = [f"{t} Q0 d{i} 0 {-i} r" for t in range(1200) for i in range(9000 if t == 7 else 2)]
    assert both(written(tmp_path, "run", run), qrels)
    (judged,) = scanner.judged_lists(tmp_path / "run", qrels, JudgingPolicy())
    assert sum(r.grade.size for r in judged.batches) < 20_000


def test_without_the_library_the_general_reader_reads_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRASSAY_NATIVE", "0")
    assert scan.library.__wrapped__() is None
    monkeypatch.delenv("IRASSAY_NATIVE")
    monkeypatch.setattr(scan, "LIBRARY", tmp_path / "none.so")
    assert scan.library.__wrapped__() is None
    (tmp_path / "none.so").write_bytes(b"not a library")
    assert scan.library.__wrapped__() is None


def strings(rng: random.Random) -> Iterator[str]:
    for _ in range(4000):
        yield repr(rng.uniform(-100, 100))
        yield f"{rng.uniform(-50, 50):.{rng.randrange(0, 30)}f}"
        yield repr(struct.unpack("d", rng.randbytes(8))[0])
        yield "".join(rng.choice("0123456789.eE+-_xn") for _ in range(rng.randrange(1, 8)))
        yield f"{rng.randrange(10 ** rng.randrange(1, 25))}e{rng.randrange(-330, 310)}"
        yield f"{rng.randrange(10 ** rng.randrange(1, 8))}.{rng.randrange(10**8):08d}"[: rng.randrange(2, 17)]
    yield from ["inf", "nan", "1e400", "1e-400", "-0.0", "00012.500", "+1.5", ".5", "5.", "-.", "1e", "1e+", "0x10"]
    yield from ["9007199254740993", "9007199254740992.5", "1.7976931348623157e308", "9" * 40, "1" * 600]


def scanned_number(text: str) -> float | None:
    data, value = text.encode(), c_double()
    padded = np.frombuffer(data + b"\n" + b"9" * scan.PAD, np.uint8)
    return value.value if scan.library().number_at(padded.ctypes.data, len(data), addressof(value)) else None


@needs_library
def test_numbers_are_those_of_python() -> None:
    for text in strings(random.Random(5)):
        found, expected = scanned_number(text), parsed_number(text.encode())
        if len(text) > 500:
            assert found is None
            continue
        assert (found is None) == (expected is None), text
        if found is not None and expected is not None:
            assert found == expected and math.copysign(1, found) == math.copysign(1, expected), text


@needs_library
def test_numbers_have_a_point_in_every_language() -> None:
    before = locale.setlocale(locale.LC_NUMERIC)
    for name in ("de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"):
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
        except locale.Error:
            continue
        try:
            assert scanned_number("0.1234567890123456789012345") == 0.1234567890123456789012345
            assert scanned_number("1.5e-300") == 1.5e-300
        finally:
            locale.setlocale(locale.LC_NUMERIC, before)
        return
    pytest.skip("no locale with a decimal comma is installed")


def test_mutated_files_break_nothing_under_sanitisers(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no C compiler")
    options = ["-O1", "-g", "-std=gnu11", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    built = subprocess.run(
        [compiler, *options, HERE / "mutated.c", "-o", tmp_path / "mutated", "-lm"], capture_output=True
    )
    if built.returncode:
        pytest.skip("the compiler has no sanitisers: " + built.stderr.decode(errors="replace")[-200:])
    qrels, run = clean(tmp_path)
    lines = run.read_text().splitlines()
    extra = [f"{line.rsplit(' ', 1)[0]}{i:022d} {'t' * (i % 3)}tag" for i, line in enumerate(lines[::9])]
    run.write_text("\n".join(lines + extra) + "\n")
    for path in (run, clean(tmp_path, "plain")[1]):
        done = subprocess.run(
            [tmp_path / "mutated", qrels, path, "7", "3000"],
            capture_output=True,
            env={"ASAN_OPTIONS": "detect_leaks=0"},
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    assert int(done.stdout.split()[0]) > 300 and int(done.stdout.split()[2]) > 300


@needs_library
def test_a_small_run_is_scored_without_the_heavy_libraries(tmp_path: Path) -> None:
    qrels, run = clean(tmp_path)
    code = (
        f"import sys; sys.argv = ['irassay', 'score', {str(qrels)!r}, {str(run)!r}, '-m', 'nDCG@10']\n"
        "from irassay.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "heavy = {'polars', 'scipy', 'altair', 'rich', 'concurrent.futures', 'importlib.metadata'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    python_output(code)


def test_only_the_keys_of_tables_differ_between_processes() -> None:
    """So that ids cannot be chosen to fall into the same slot, which would make a search as long as the list."""
    code = "from irassay.io.scan import *; print(library().seeded_key(b'documents', 9), keys_of(b'ab', np.array([2])))"
    done = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(3)]
    seeded, fixed = zip(*(text.split(maxsplit=1) for text in done), strict=True)
    assert len(set(seeded)) == 3 and len(set(fixed)) == 1
