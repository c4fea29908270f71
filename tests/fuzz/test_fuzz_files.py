"""Whatever is done to a file, InputError is all that comes out; the seeds are the crashes that there were."""

import gzip
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import irassay as ia
from irassay.io.detection import READERS, reader_of
from irassay.io.dynamic import read_dynamic_run
from irassay.io.passage_qrels import read_passage_qrels
from irassay.io.reader import Reader
from irassay.io.sessions import read_sessions
from irassay.io.sidefiles import read_lengths
from irassay.io.sources import Source
from irassay.io.trec import read_qrels, read_run
from tests.support.formats import JUDGEMENTS, OTHERS, RUNS, parquet
from tests.support.fuzz import TIMES

RUN = "".join(f"{t} Q0 d{d} {d} {9 - d}.5 tag\n" for t in (1, 2) for d in range(1, 5))
XML = (
    '<?xml version="1.0" encoding="UTF-8"?><trecdd><domain id="1"><topic id="DD-1" name="n"></topic></domain></trecdd>'
)
SAMPLES = [  # of every format, by its name
    *((name, "read_run", data) for name, data in RUNS.values()),
    *((name, "read_judgements", data) for name, data in JUDGEMENTS.values()),
    *((name, "read_run", run) for name, (run, _) in OTHERS.items()),
    *((name, "read_judgements", judgements) for name, (_, judgements) in OTHERS.items()),
]
OTHER_FILES: list[tuple[Callable[[Any], Any], str]] = [
    (read_passage_qrels, XML),
    (read_lengths, "d1 5\nd2 7\n"),
    (read_lengths, '{"d1": 5, "d2": 7}'),
    (ia.read_scores, "run\tmetric\ttopic\tvalue\na\tAP\t1\t0.5\nb\tAP\t1\t0.25\n"),
    (ia.read_scores, '{"run_id": "a", "topic_id": "1", "measure": "AP", "value": 0.5}\n'),
    (ia.load, '{"saved": {"result": "scores", "fields": {}}}'),
]
BYTES = (9,) if TIMES < 1000 else range(256)
BITS = [
    b"\r",
    b"\xef\xbb\xbf",
    b"\0",
    b"\xff",
    b'"',
    b"9" * 400,
    b"9" * 5000,
    b"1e300",
    b"-",
    b"nan",
    b"\n",
    b"\t",
    b"[" * 5000,
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_damaged_file_of_every_format_is_a_sentence(tmp_path: Path, reader: Reader) -> None:
    samples = [(getattr(reader, role), data) for name, role, data in SAMPLES if name == reader.name]
    assert samples
    for read, data in samples:
        damage(tmp_path, lambda path, read=read: read(Source(path)), data)
        damage(tmp_path, read_any, data)


def read_any(path: Path) -> None:
    """Reads a file as what it looks like."""
    for role in ("run", "judgements"):
        source = Source(path)
        with suppress(ia.InputError):
            reader = reader_of(source, role)
            (reader.read_run if role == "run" else reader.read_judgements)(source)


@pytest.mark.parametrize(("read", "text"), OTHER_FILES, ids=lambda value: getattr(value, "__name__", "of"))
def test_a_damaged_file_is_a_sentence(tmp_path: Path, read: Callable[[Any], Any], text: str) -> None:
    damage(tmp_path, read, text.encode())


def damage(tmp_path: Path, read: Callable[[Path], Any], sample: bytes) -> None:
    """Reads files that are like a sample but for a few bytes, or cut off; all that they may raise is InputError."""
    rng = random.Random(sample)
    for turn in range(TIMES):
        data = bytearray(sample)
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(data) + 1)
            end = min(len(data), place + rng.choice([0, 0, 1, 5]))
            data[place:end] = rng.choice(BITS)
        packed = gzip.compress(data)
        path = tmp_path / f"file{turn}"
        path.write_bytes(data if turn % 5 else packed[: rng.randrange(2, len(packed) + 1)])
        try:
            read(path)
        except ia.InputError:
            continue


@pytest.mark.parametrize(
    ("read", "data", "message"),
    [
        (read_run, RUN.replace("\n", "\r"), ", line 1: found a carriage return without a line feed"),
        (read_run, RUN + RUN[:-1] + RUN, ", line 16: found 11 fields, but the first line has 6"),
        (read_qrels, "1 0 a 1\n1 0 b 11 0 c 1\n", ", line 2: found 7 fields, but the first line has 4"),
        (read_run, RUN + "\ufeff" + RUN, ", line 9: found a byte order mark inside the file"),
        (read_sessions, "s\t1000000000\t1\td1\n", "found the query 1000000000; expected at most 100,000"),
        (read_sessions, "s\t1\t" + "9" * 5000 + "\td1\n", "found the rank"),
        (
            read_dynamic_run,
            "1\t1000000000\td1\t3\n",
            "found the iteration 1e.09; expected a whole number from 0 to 100,000",
        ),
        (read_passage_qrels, XML.replace("UTF-8", "martian"), "unknown encoding"),
        (read_lengths, '{"d1": 5, "d1": 6}', "'d1' has two values"),
        (read_lengths, '{"d1": true}', "true is not a number"),
        (ia.read_scores, "run\tmetric\ttopic\tvalue\ra\tAP\t1\t0.5\r", "carriage return"),
        (
            ia.read_scores,
            '{"run_id": "a", "topic_id": "1", "measure": "AP", "value": ' + "[" * 100_000,
            "not a JSON object",
        ),
        (ia.read_run, '{"qid": "1", "docid": "a", "score": 1}\n' + "[" * 100_000, ", line 2: not valid JSON"),
        (ia.read_run, '{"qid": ' + "[" * 100_000, "not valid JSON|not JSON"),
        (ia.read_run, '{"1": {"a": 1' + "0" * 400 + "}}", "the score of document a of topic 1 is 1000.*finite number"),
        (
            ia.read_run,
            '[{"qid": "1", "docid": "a", "score": 1' + "0" * 400 + "}]",
            "the score in row 0 is 1000.*finite",
        ),
        (ia.read_run, r'{"1": {"a\ud800": 1.0}}', r"found \\ud800, an unpaired surrogate"),
        (ia.read_run, r'[{"qid": "1", "docid": "a\uDC00b", "score": 1}]', r"found \\uDC00, an unpaired surrogate"),
        (
            ia.read_run,
            '{"qid": "1", "docid": "a", "score": 1}\n' r'{"qid": "1", "docid": "\udfff", "score": 1}',
            "unpaired surrogate",
        ),
        (
            ia.read_scores,
            r'{"run_id": "a\ud800", "topic_id": "1", "measure": "AP", "value": 0.5}',
            "line 1: found .ud800",
        ),
        (ia.read_qrels, '{"1": {"a": 1' + "0" * 400 + "}}", "the grade of document a of topic 1 is 1000"),
    ],
)
def test_what_once_crashed_or_vanished_is_a_sentence(
    tmp_path: Path, read: Callable[[Any], Any], data: str, message: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data.encode())
    with pytest.raises(ia.InputError, match=message):
        read(path)


@pytest.mark.parametrize("byte", BYTES)
def test_a_parquet_file_with_one_wrong_byte_is_read_or_a_sentence(tmp_path: Path, byte: int) -> None:
    """A 9 makes the number of values of a page negative at three places, where polars 2.1 ends the process."""
    sample = parquet({"qid": ["1", "2"], "docid": ["a", "b"], "score": [1.0, 0.5]})
    for place in range(len(sample)):
        (tmp_path / "file").write_bytes(sample[:place] + bytes([byte]) + sample[place + 1 :])
        with suppress(ia.InputError):
            ia.read_run(tmp_path / "file")


@pytest.mark.parametrize(
    "array",
    [
        '{"array": [1, [2]], "kind": "<f8", "shape": [2]}',
        '{"array": [1, 2], "kind": "<f9", "shape": [2]}',
        '{"array": [1, 2], "kind": "<f8", "shape": [3]}',
        '{"array": [1, "x"], "kind": "<f8", "shape": [2]}',
        '{"array": [1]}',
        '{"pairs": [1]}',
    ],
)
def test_a_damaged_array_of_a_saved_result_is_a_sentence(tmp_path: Path, array: str) -> None:
    (tmp_path / "file").write_text(f'{{"saved": {array}}}')
    with pytest.raises(ia.InputError, match=r"file is damaged \(.*\); save the result again"):
        ia.load(tmp_path / "file")


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (ia.read_run, '{"1": {"?": 1.0}}'),
        (ia.read_run, '{"qid": "1", "docid": "?", "score": 1}\n' * 2),
        (ia.read_qrels, '{"1": {"?": 1}}'),
        (read_lengths, '{"?": 5}'),
    ],
)
def test_half_of_a_character_in_bytes_is_refused(tmp_path: Path, read: Callable[[Any], Any], text: str) -> None:
    """Python's JSON lets it pass, and polars cannot hold it."""
    (tmp_path / "file").write_bytes(text.encode().replace(b"?", b"a\xed\xa0\x80"))
    with pytest.raises(ia.InputError, match=r"found \\xed\\xa0\\x80, an unpaired surrogate"):
        read(tmp_path / "file")


def test_a_character_in_two_halves_and_a_backslash_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(r'{"1": {"\ud83d\ude00": 1.0, "a\\ud800": 0.5}}')
    assert ia.read_run(path).frame["doc"].to_list() == ["\U0001f600", r"a\ud800"]


def test_crlf_and_trailing_words_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(RUN.replace("\n", "\r\n").replace("7.5 tag", "7.5 tag and more").encode())
    assert read_run(path).frame.height == 8


@pytest.mark.parametrize(
    "metric", ["P@100000000", "GP(h=(1,))@100000000", "P(end='stop')@100000000", "P(A='AVG')@100000000"]
)
def test_a_far_cutoff_takes_no_room(metric: str) -> None:
    found = ia.score({"1": {"a": 1.0, "b": 0.5}}, {"1": {"b": 1}}, [metric]).values
    assert found.item() == pytest.approx(1e-8, rel=1e-12)


def test_a_far_cutoff_that_must_be_followed_is_refused() -> None:
    with pytest.raises(ia.InputError, match=r"SDCG@100000000: Ranks past the list are followed up to 1,000,000"):
        ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, ["SDCG@100000000"])
