"""`irassay trec_eval`: the options and the output of trec_eval 10, flag for flag.

Checked line by line against its source. Where that reads uninitialised memory there is no output to follow: rbp divides
gains by the topic's largest, and a judged topic that the run does not answer is passed over without -c. Further
differences: gains by grade are sorted as they are (trec_eval takes two that differ by less than 1 for equal, so that
its perfect list may be in the wrong order); a grade such as .5 counts as it is, not cut off to 0; the runid of a packed
run is that of its first line; numbers that cannot be read are refused, not taken for 0, and so is an option with one
value that is given twice; whatever is wrong ends in one sentence and status 2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError
from irassay.io.reader import Input
from irassay.io.sources import Source
from irassay.judging.judged import Judged
from irassay.judging.policy import JudgingPolicy
from irassay.judging.runs import RunFile, judged_runs
from irassay.method import method
from irassay.metrics.grammar import parse
from irassay.metrics.trec_measures import MEASURES, NUMBER, Line, requested_measures, lines_of, parsed_numbers
from irassay.rankings.batch import Pool, Rankings
from irassay.scores import SMALLEST_SCORE
from irassay.scoring.columns import Columns
from irassay.scoring.levels import at_level
from irassay.settings import Option

MISSING = -1000000.0  # the z-score of what has no mean and deviation


@method(
    "What would trec_eval print? The same options, the same output.",
    "buckley2005",
    path="trec_eval",
    without_options="format plot save quiet define jobs",
    examples=(
        "irassay trec_eval qrels.txt runs/bm25",
        "irassay trec_eval -q -m map -m ndcg_cut.10,20 qrels.txt runs/bm25",
        "irassay trec_eval -c -l 2 -m all_trec qrels.txt runs/bm25",
    ),
)
def trec_eval(
    qrels: Annotated[str, Option("The judgements; packed ones too.", metavar="QRELS")] = "",
    run: Annotated[str, Option("The run; - for standard input.", metavar="RUN")] = "",
    *,
    measures: Annotated[
        tuple[str, ...],
        Option(
            "A measure, NAME.PARAMS, or a set of them: official, all_trec, set; may be repeated.",
            "--measure",
            "-m",
            shown="official",
        ),
    ] = (),
    by_topic: Annotated[bool, Option("Also every topic.", "--query_eval_wanted", "-q")] = False,
    no_summary: Annotated[bool, Option("Without the summary.", "--nosummary", "-n")] = False,
    complete: Annotated[
        bool,
        Option("Average over all judged topics, those without results too.", "--complete_rel_info_wanted", "-c"),
    ] = False,
    level: Annotated[int, Option("The least grade that counts as relevant.", "--level_for_rel", "-l", low=1)] = 1,
    most: Annotated[
        int | None,
        Option("Only the first results of a topic.", "--Max_retrieved_per_topic", "-M", metavar="N", low=0),
    ] = None,
    judged_only: Annotated[bool, Option("Only judged results.", "--Judged_docs_only", "-J")] = False,
    documents: Annotated[int, Option("Documents in the collection, for utility.", "--Number_docs_in_coll", "-N")] = 0,
    zscores: Annotated[
        Path | None,
        Option(
            "Print z-scores, by the means and deviations of a file: topic measure mean deviation.",
            "--Zscore",
            "-Z",
            metavar="FILE",
        ),
    ] = None,
    debug: Annotated[
        str, Option("1.TOPIC evaluates one topic; nothing more is printed.", "--Debug_level", "-D", metavar="LEVEL")
    ] = "",
    rel_info_format: Annotated[Literal["qrels"], Option("What QRELS is.", "--Rel_info_format", "-R")] = "qrels",
    results_format: Annotated[Literal["trec_results"], Option("What RUN is.", "--Results_format", "-T")] = (
        "trec_results"
    ),
    version: Annotated[bool, Option("Say which version of trec_eval this follows.", "--version", "-v")] = False,
    old_format: Annotated[bool, Option("Changes nothing, as in trec_eval.", "--Output_old_results_format", "-o")] = (
        False
    ),
) -> str:
    """Print what trec_eval 10 prints of a run.

    Measures of preferences (-m prefs, -R prefs) and of groups of judges (-m qrels_jg) are not computed.
    """
    if version:
        return "trec_eval version 10.0 (irassay)\n"
    if not qrels or not run:
        raise InputError("trec_eval is about judgements and one run; give both (QRELS RUN)")
    asked = requested_measures(measures)
    none = most == 0  # of the results counts, though topics with some are answered
    policy = JudgingPolicy(missing="zero" if complete or none else "skip", depth=1 if none else most)
    source = judged_runs([run], qrels, policy)
    if len(source.runs) > 1:
        raise InputError(f"trec_eval takes one run, and {run} has {len(source.runs)}; irassay score takes them all")
    first = source.runs[0]
    try:
        judged = next(source.apart())
    except InputError as problem:  # which may name options that are not trec_eval's
        raise InputError(str(problem).partition(", or say ")[0]) from None
    top = int(judged.batches[0].max_grade)
    lines = [line for name in MEASURES if name in asked for line in lines_of(name, asked[name], top, documents)]
    answered = _answered(judged)
    judged = replace(judged, batches=tuple(map(_emptied, judged.batches))) if none else judged
    values, kept, known = _values(lines, judged, policy, level, judged_only)
    for group in source.pool.groups:
        part = values[group.topics]
        _adjust(part, lines, group.pool, judged.batches[0].max_grade, level)
        values[group.topics] = part
    _as_with_no_results(values, lines, kept, known, answered | judged_only, documents)
    if zscores is not None:
        _to_z(values, lines, judged.topics, Path(zscores))
    order = sorted(np.flatnonzero(answered | complete).tolist(), key=lambda t: judged.topics[t].encode())
    if only := debug.partition(".")[2]:
        order = [t for t in order if judged.topics[t] == only]
    if not order:
        raise InputError(f"no topic has both results in {run} and judgements in {qrels}")
    tag = (_last_tag(first.given) or first.tag) if isinstance(first, RunFile) else first.name
    printed: list[str] = []
    if by_topic:
        strings = _strings(judged, asked.get("relstring", ""), judged_only)
        printed += (text for t in order for text in _of_topic(lines, values[t], judged.topics[t], strings.get(t, "")))
    if complete and "num_rel" in asked:  # trec_eval's total counts every grade above 0 then, whatever the level
        at = [line.name for line in lines].index("num_rel")
        for group in source.pool.groups:
            values[group.topics, at] = ((group.pool.grade > 0) & group.pool.listed).sum(axis=1)
    if not no_summary:
        printed += _summary(lines, values[order], tag)
    return "".join(printed)


def _values(
    lines: Sequence[Line], judged: Judged, policy: JudgingPolicy, level: int, judged_only: bool
) -> tuple[Floats, Floats, Floats]:
    """[topic, line] what metrics say, [topic] results that count, [topic] relevant documents."""
    asked = [*(metric for line in lines for metric in line.metrics), parse("NumRet"), parse("NumRel")]
    columns = Columns([at_level(metric, float(level), always=True)(judged_only=judged_only) for metric in asked])
    lists, earned, _ = next(columns.of_runs([judged]))
    found, _ = columns.scores(lists, earned, policy.missing, "zero")
    values, start = np.full((len(judged.topics), len(lines)), np.nan), 0
    for i, line in enumerate(lines):
        end = start + len(line.metrics)
        if line.metrics:
            values[:, i] = found[:, start:end].mean(axis=1)
        start = end
    return values, found[:, -2], found[:, -1]


def _last_tag(run: Input) -> str:
    """The tag on the last line of a run; nothing where it is packed, or no file."""
    if not isinstance(run, Source):
        return ""
    fields = run.ending(1 << 16).rstrip().rpartition(b"\n")[2].split()
    return (
        fields[5].decode(errors="replace") if len(fields) > 5 and NUMBER.fullmatch(fields[4].decode("latin-1")) else ""
    )


def _emptied(r: Rankings) -> Rankings:
    """The batch without any results."""
    return replace(
        r, grade=np.zeros_like(r.grade), judged=np.zeros_like(r.judged), retrieved=np.zeros_like(r.retrieved)
    )


def _answered(judged: Judged) -> Bools:
    there = np.zeros(len(judged.topics), dtype=bool)
    for r, topic in zip(judged.batches, judged.topic, strict=True):
        there[topic[r.retrieved > 0]] = True
    return there


def _strings(judged: Judged, params: str, judged_only: bool) -> dict[int, str]:
    """The first grades of each topic, a character each: - for what is not in the pool, . for what was not judged."""
    length, found = max(0, int(parsed_numbers("relstring", params or "10")[0])), {}
    for r, topics in zip(judged.batches, judged.topic, strict=True):
        for grade, pooled, size, topic in zip(r.grade, r.judged, r.retrieved, topics, strict=True):
            marks = [
                "-" if not known else "." if value < 0 else ">" if value > 9 else str(int(value))
                for value, known in zip(grade[:size], pooled[:size], strict=True)
            ]
            found[int(topic)] = "".join([m for m in marks if not judged_only or m not in "-."][:length])
    return found


def _adjust(values: Floats, lines: Sequence[Line], pool: Pool, max_grade: float, level: int) -> None:
    """Puts in what no metric of ours says: logarithms for geometric means, and the measures marked special."""
    known = ((pool.grade >= level) & pool.listed).sum(axis=1)
    best = np.where(pool.listed, pool.grade, 0.0).max(axis=1, initial=0.0)
    for i, line in enumerate(lines):
        if line.metrics and line.metrics[0].meaning.over_topics == "geometric":
            values[:, i] = np.log(np.maximum(values[:, i], SMALLEST_SCORE))
        elif line.special == "rbp":
            values[:, i] *= max_grade / np.maximum(best, 1.0)
        elif line.special == "yaap":
            total = values[:, i] * known
            values[:, i] = np.log((1 + total) / (1 + known - total))
        elif line.special == "ideal_dcg":
            worth = np.asarray(line.numbers)[np.maximum(pool.grade, 0).astype(np.int64)]
            gains = -np.sort(-np.where(pool.listed, worth, 0.0), axis=1)
            values[:, i] = (gains / np.log2(np.arange(gains.shape[1]) + 2)).sum(axis=1)


def _as_with_no_results(
    values: Floats, lines: Sequence[Line], kept: Floats, known: Floats, real: Bools, documents: int
) -> None:
    """Puts in what trec_eval says of topics without results that count.

    Interpolated precision is 0/0 there, where the level of recall is that of no document at all. A topic that -c adds
    has one unjudged result, which counts in a utility with coefficients; `real` is false there.
    """
    for i, line in enumerate(lines):
        if line.special in ("iprec_at_recall", "11pt_avg"):
            none = np.floor(np.outer(known, line.numbers) + 0.5).min(axis=1) == 0
            values[(kept == 0) & none & real, i] = np.nan
        elif line.special == "utility" and line.numbers:
            _, b, c, d = line.numbers
            extra = (~real).astype(np.float64)
            values[:, i] = np.where(kept > 0, values[:, i], b * extra + c * known + d * (documents - extra - known))


def _to_z(values: Floats, lines: Sequence[Line], topics: Sequence[str], path: Path) -> None:
    """Puts deviations from the means of a file in the place of values, in standard deviations."""
    told = {}
    for number, row in enumerate(Source(path).text().splitlines(), 1):
        parts = row.split()
        if len(parts) != 4 or not (NUMBER.fullmatch(parts[2]) and NUMBER.fullmatch(parts[3])):
            raise InputError(f"{path}:{number}: expected topic, measure, mean and deviation, and found {row!r}")
        told[parts[0], parts[1]] = float(parts[2]), float(parts[3])
    for t, topic in enumerate(topics):
        for i, line in enumerate(lines):
            mean, deviation = told.get((topic, line.name), (np.nan, 0.0))
            same = 0.0 if values[t, i] == mean else MISSING
            values[t, i] = (values[t, i] - mean) / deviation if deviation else same


def _of_topic(lines: Sequence[Line], values: Floats, topic: str, marks: str) -> Iterator[str]:
    for line, value in zip(lines, values, strict=True):
        if line.kind == "string":
            yield _line(line.name, topic, f"'{marks}'")
        elif line.kind != "total":
            yield _line(line.name, topic, _number(value, line.kind))


def _summary(lines: Sequence[Line], values: Floats, tag: str) -> Iterator[str]:
    for i, line in enumerate(lines):
        if line.special == "runid":
            yield _line(line.name, "all", tag)
        elif line.metrics:
            over = line.metrics[0].meaning.over_topics
            total = float(np.add.accumulate(values[:, i])[-1])
            value = total if over == "sum" else total / len(values)
            kind = "count" if over == "sum" else line.kind
            yield _line(line.name, "all", _number(float(np.exp(value)) if over == "geometric" else value, kind))


def _line(name: str, topic: str, value: str) -> str:
    return f"{name:<22}\t{topic}\t{value}\n"


def _number(value: float, kind: str) -> str:
    if np.isnan(value):
        return "  -nan"  # as C prints 0/0
    return f"{int(value)}" if kind == "count" else f"{value:6.4f}"
