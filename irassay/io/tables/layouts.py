"""Scores written in the table formats of other tools."""

import csv
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TextIO

import numpy as np

from irassay.argument_types import checks_arguments
from irassay.errors import InputError
from irassay.io.tables.matrix import CORNER
from irassay.scores import Scores
from irassay.writing import text_file

TREC_EVAL_NAMES = {  # trec_eval's names of metrics without a cutoff
    "AP": "map", "RR": "recip_rank", "nDCG": "ndcg", "P": "set_P", "R": "set_recall", "SetF": "set_F",
    "SetF(dialect='trec_eval')": "set_F",
    "SetAP": "set_map", "RelP": "set_relative_P", "NumQ": "num_q", "NumRet": "num_ret", "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret", "NumNonrelRet": "num_nonrel_judged_ret", "GMAP": "gm_map", "GMbpref": "gm_bpref",
    "nDCG_rel": "ndcg_rel",
}  # fmt: skip
TREC_EVAL_CUT_NAMES = {  # and with a cutoff
    "AP": "map_cut", "nDCG": "ndcg_cut", "P": "P", "R": "recall", "Success": "success", "RelP": "relative_P",
    "Unj": "unj",
}  # fmt: skip
Row = tuple[str, str, str, float]  # run, metric, topic, value
TableWriter = Callable[[Scores, TextIO, bool], None]


@checks_arguments
def write_scores(scores: Scores, dialect: str, file: str | Path | TextIO, by_topic: bool = True) -> None:
    """Writes a table of every score and, if the format has rows for them, the means; or only the means.

    Numbers keep full precision, and missing scores are left out. A table holds one collection; in the format
    ir_measures one run, named by the file; and in the format wide one metric.
    """
    if dialect not in WRITERS:
        raise InputError(found=f"unknown score table format '{dialect}'", expected=f"one of {', '.join(WRITERS)}")
    write, forbidden = WRITERS[dialect]
    _check_writable(scores, dialect, forbidden)
    if isinstance(file, str | Path):
        with nullcontext(sys.stdout) if str(file) == "-" else text_file(file) as out:
            write(scores, out, by_topic)
    else:
        write(scores, file, by_topic)


def _check_writable(scores: Scores, dialect: str, forbidden: str) -> None:
    if len(set(scores.collection)) > 1:
        several = ", ".join(dict.fromkeys(scores.collection))
        raise InputError(f"A table holds one collection, but there are several ({several}); write them one by one.")
    if (dialect == "ir_measures" and len(scores.systems) > 1) or (dialect == "wide" and len(scores.metrics) != 1):
        one, option = ("run", "--run") if dialect == "ir_measures" else ("metric", "-m")
        raise InputError(f"A table in the format {dialect} holds one {one}; choose it with {option}.")
    for kind, names in (("run", scores.systems), ("metric", scores.metrics), ("topic", scores.topics)):
        for name in names:
            if name != name.strip() or not name or re.search(forbidden, name):
                found = f"The {kind} '{name}' cannot be written in the format {dialect}"
                raise InputError(f"{found}, because it is empty or has blanks; rename it, or write another format.")
    for name in scores.metrics:
        if re.match(r"runid$|relstring", name):
            raise InputError(f"A metric is called '{name}', which is reserved for text; rename it.")


def _score_rows(scores: Scores, by_topic: bool, means: bool = True) -> Iterator[Row]:
    """Every score of a run, then its means."""
    parts = [(scores.topics, scores.values)] if by_topic else []  # names, [system, topic, metric]
    parts += [(("all",), scores.means()[:, None])] if means or not by_topic else []
    for s, run in enumerate(scores.systems):
        for names, values in parts:
            for topic, line in zip(names, values[s].tolist(), strict=True):
                for metric, value in zip(scores.metrics, line, strict=True):
                    if value == value:
                        yield run, metric, topic, value


def _printed_number(metric: str, value: float) -> str:
    """A number as trec_eval prints it: counts without decimals, others in full."""
    return str(int(value)) if metric.startswith("num_") and value.is_integer() else repr(value)


def _line_writer(header: str, line: Callable[[str, str, str, float], str]) -> TableWriter:
    """A writer of a header, if there is one, and of one line for each score."""

    def write(scores: Scores, out: TextIO, by_topic: bool) -> None:
        out.write(header)
        out.writelines(line(*row) + "\n" for row in _score_rows(scores, by_topic))

    return write


def _write_csv(scores: Scores, out: TextIO, by_topic: bool) -> None:
    table = csv.writer(out, lineterminator="\n")
    table.writerow(("run", "metric", "topic", "value"))
    table.writerows((r, m, t, repr(v)) for r, m, t, v in _score_rows(scores, by_topic))


def measure_name(metric: str) -> str:
    """trec_eval's name of a metric; the metric's own name if it has none.

    >>> measure_name("nDCG@10"), measure_name("AP"), measure_name("RBP(p=0.95)")
    ('ndcg_cut_10', 'map', 'RBP(p=0.95)')
    """
    name, _, cutoff = metric.partition("@")
    if cutoff:
        return f"{TREC_EVAL_CUT_NAMES[name]}_{cutoff}" if name in TREC_EVAL_CUT_NAMES else metric
    return TREC_EVAL_NAMES.get(name, metric)


def _write_trec_eval(scores: Scores, out: TextIO, by_topic: bool) -> None:
    for run in scores.systems:
        has_name = False
        for _, m, t, v in _score_rows(scores.select(systems=[run]), by_topic):
            if t == "all" and not has_name:
                out.write(f"{'runid':<22}\tall\t{run}\n")
                has_name = True
            out.write(f"{m:<22}\t{t}\t{_printed_number(m, v)}\n")


def _record_line(run: str, metric: str, topic: str, value: float) -> str:
    return json.dumps({"run_id": run, "topic_id": topic, "measure": metric, "value": value}, ensure_ascii=False)


def _write_pyterrier(scores: Scores, out: TextIO, by_topic: bool) -> None:
    table = csv.writer(out, lineterminator="\n")
    if by_topic:
        table.writerow(("name", "qid", "measure", "value"))
        table.writerows((r, t, m, repr(v)) for r, m, t, v in _score_rows(scores, by_topic, means=False))
    else:
        table.writerow(("name", *scores.metrics))
        table.writerows(
            (run, *map(_cell_text, row)) for run, row in zip(scores.systems, scores.means().tolist(), strict=True)
        )


def _write_wide(scores: Scores, out: TextIO, by_topic: bool) -> None:
    table = csv.writer(out, delimiter="\t", lineterminator="\n")
    table.writerow((CORNER + scores.metrics[0], *scores.systems))
    values = scores.values[:, :, 0] if by_topic else scores.means()  # [system, topic], or [system, 1]
    names = scores.topics if by_topic else ("all",)
    table.writerows((name, *map(_cell_text, row)) for name, row in zip(names, values.T.tolist(), strict=True))


def _cell_text(value: float) -> str:
    return "" if np.isnan(value) else repr(value)


WRITERS: dict[str, tuple[TableWriter, str]] = {  # with a pattern of what names must not contain
    "irassay": (_line_writer("run\tmetric\ttopic\tvalue\n", lambda r, m, t, v: f"{r}\t{m}\t{t}\t{v!r}"), r"[\t\r\n]"),
    "csv": (_write_csv, r"[\r\n]"),
    "trec_eval": (_write_trec_eval, r"\s"),
    "tot": (_line_writer("", lambda r, m, t, v: f"{r}\t{m}\t{t}\t{_printed_number(m, v)}"), r"\s"),
    "ir_measures": (_line_writer("", lambda r, m, t, v: f"{t}\t{m}\t{v!r}"), r"[\t\r\n]"),
    "autojudge": (_line_writer("", _record_line), r"[\r\n]"),
    "pyterrier": (_write_pyterrier, r"[\r\n]"),
    "wide": (_write_wide, r"[\t\r\n]"),
}
