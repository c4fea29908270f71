"""Every format of runs and judgements by a sample, the same run and judgements wherever they can be; packed files."""

import bz2
import gzip
import io
import json
import lzma

import numpy as np
import polars as pl


def packed(data: bytes, ending: str) -> bytes:
    """Text as packed by gz, bz2, xz or zst."""
    if ending == "zst":
        stream, lines = io.BytesIO(), pl.DataFrame({"line": data.decode().splitlines()})
        lines.write_csv(stream, include_header=False, compression="zstd", quote_style="never", separator="\x1f")
        return stream.getvalue()
    return {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[ending](data)


def rows(precise: bool = True) -> tuple[list[tuple[str, str, int, float]], list[tuple[str, str, int]]]:
    """Results (topic, document, rank, score) and judgements (topic, document, grade); some scores are tied."""
    rng = np.random.default_rng(7)
    run, qrels = [], []
    for topic in ("q1", "q2", "30", "4"):
        docs = [f"d{i}" for i in rng.permutation(60)]
        score = np.sort(rng.standard_normal(40) * 10.0 ** rng.integers(-12, 12))[::-1]
        if precise:
            score[5:8] = score[5]
        run += [(topic, doc, rank, float(s)) for rank, (doc, s) in enumerate(zip(docs[:40], score, strict=True), 1)]
        qrels += [(topic, doc, int(grade)) for doc, grade in zip(docs[::2], rng.integers(0, 4, 30), strict=True)]
    return run, qrels


def nested(triples: list[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for topic, doc, value in triples:
        found.setdefault(topic, {})[doc] = value
    return found


def parquet(columns: dict[str, list[object]]) -> bytes:
    stream = io.BytesIO()
    pl.DataFrame(columns).write_parquet(stream)
    return stream.getvalue()


RUN, QRELS = rows()
SCORED = [(t, d, s) for t, d, _, s in RUN]
RUNS: dict[str, tuple[str, bytes]] = {
    "trec": ("trec", "".join(f"{t} Q0 {d} {r} {s!r} x\n" for t, d, r, s in RUN).encode()),
    "scored": ("scored", "".join(f"{t}\t{d}\t{s!r}\n" for t, d, s in SCORED).encode()),
    "beir": ("csv", b"query-id\tcorpus-id\tscore\n" + "".join(f"{t}\t{d}\t{s!r}\n" for t, d, s in SCORED).encode()),
    "csv": ("csv", b"rank,Score,docno,qid,text\n" + "".join(f'{r},{s!r},{d},{t},"a, b"\n' for t, d, r, s in RUN).encode()),
    "blanks": ("csv", b"# by hand\n\nqid docno  score\n" + "".join(f"{t}  {d} {s!r} \n" for t, d, s in SCORED).encode()),
    "json": ("json", json.dumps(nested(SCORED), indent=1).encode()),
    "records": ("json", json.dumps([{"q_id": t, "doc_id": d, "score": s} for t, d, s in SCORED]).encode()),
    "jsonl": ("jsonl", "".join(json.dumps({"qid": t, "pid": d, "score": s}) + "\n" for t, d, s in SCORED).encode()),
    "jsonl-odd": (
        "jsonl",
        "\n".join(json.dumps({"query_id": int(t) if t.isdigit() else t, "docid": d, "score": str(s)}) for t, d, s in SCORED)
        .replace("\n", "\n\n", 1)
        .encode(),
    ),
    "parquet": ("parquet", parquet({"q_id": [t for t, _, _ in SCORED], "doc_id": [d for _, d, _ in SCORED], "score": [s for _, _, s in SCORED]})),
}  # fmt: skip
JUDGEMENTS: dict[str, tuple[str, bytes]] = {
    "trec": ("trec", "".join(f"{t} 0 {d} {g}\n" for t, d, g in QRELS).encode()),
    "three": ("msmarco", "".join(f"{t}\t{d}\t{g}\n" for t, d, g in QRELS).encode()),
    "beir": ("csv", b"query-id\tcorpus-id\tscore\r\n" + "".join(f"{t}\t{d}\t{g}\r\n" for t, d, g in QRELS).encode()),
    "csv": ("csv", b"topic,docid,relevance\n" + "".join(f"{t},{d},{g}\n" for t, d, g in QRELS).encode()),
    "json": ("json", json.dumps(nested(QRELS)).encode()),  # type: ignore[arg-type]
    "jsonl": ("jsonl", "".join(json.dumps({"qid": t, "docno": d, "label": g}) + "\n" for t, d, g in QRELS).encode()),
    "parquet": ("parquet", parquet({"qid": [t for t, _, _ in QRELS], "docno": [d for _, d, _ in QRELS], "rel": [g for _, _, g in QRELS]})),
}  # fmt: skip
OTHERS: dict[str, tuple[bytes, bytes]] = {  # runs and judgements of formats that are judged in ways of their own
    "dd": (b"1\t0\td1\t3\n1\t1\td2\t2\n2\t0\td1\t1\n", b"1\t1.1\td1\tp1\t2\n2\t2.1\td1\tp1\t4\n"),
    "session": (b"s\t1\t1\td1\ns\t2\t1\td2\n", b"s d1 1\ns d2 0\n"),
}
