"""`irassay trec_eval`: the options and the output of trec_eval 10, flag for flag.

Checked line by line against its source. Where trec_eval reads uninitialised memory there is no output to follow: here
rbp divides gains by the topic's largest gain, and a judged topic that the run does not answer is skipped without -c.
Other differences: gains by grade are sorted exactly (trec_eval treats two that differ by less than 1 as equal, so its
ideal list may be in the wrong order); a grade such as .5 is not truncated to 0; the runid of a compressed run is that
of its first line; an unreadable number is refused, not read as 0, and so is an option that is given twice; every error
is one sentence with status 2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.cli.output import print_message
from irassay.cli.trec_eval_values import (
    ResultSettings,
    line_values,
    replace_by_z_scores,
    set_special_values,
    set_values_without_results,
)
from irassay.errors import InputError, argument
from irassay.io.input_files import open_inputs
from irassay.io.sources import Source
from irassay.io.trec import Qrels
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.policy import PREFERENCES
from irassay.judging.runs import RunByRun, RunFile, judged_runs
from irassay.method import method
from irassay.metrics.trec_measures import (
    NUMBER,
    Line,
    group_lines,
    ignored_parameters,
    lines_of,
    measure_names,
    parsed_numbers,
    requested_measures,
)
from irassay.prose import name_list
from irassay.settings import Option

MEASURES = Option(
    "NAME or NAME.PARAMS, or official, all_trec, set, all_prefs or prefs; may be repeated.",
    "--measure",
    "-m",
    shown="official",
)
COMPLETE = Option("Average over all judged topics, even without results.", "--complete_rel_info_wanted", "-c")
FIRST_RESULTS = Option(
    "Use only the first N results of each topic.", "--Max_retrieved_per_topic", "-M", metavar="N", low=0
)
Z_SCORES = Option("Print z-scores, from a file: topic measure mean deviation.", "--Zscore", "-Z", metavar="FILE")
DEBUG = Option("1.TOPIC evaluates one topic; prints nothing more.", "--Debug_level", "-D", metavar="LEVEL")
QRELS_FORMAT = Option(
    "Format of QRELS; in qrels_jg and qrels_prefs column 2 is a group of judges; prefs: topic group subgroup document "
    "level.",
    "--Rel_info_format",
    "-R",
)
RUN_FORMAT = Option("Format of RUN.", "--Results_format", "-T")
OLD_FORMAT = Option("Accepted for compatibility; has no effect.", "--Output_old_results_format", "-o")


@method(
    "Print trec_eval 10's output for a run.",
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
    qrels: Annotated[str, Option("Judgements, compressed or not.", metavar="QRELS", files=True)] = "",
    run: Annotated[str, Option("Run, or - for standard input.", metavar="RUN", files=True)] = "",
    *,
    measures: Annotated[tuple[str, ...], MEASURES] = (),
    by_topic: Annotated[bool, Option("Also print every topic.", "--query_eval_wanted", "-q")] = False,
    no_summary: Annotated[bool, Option("Do not print the summary.", "--nosummary", "-n")] = False,
    complete: Annotated[bool, COMPLETE] = False,
    level: Annotated[int, Option("Lowest grade that counts as relevant.", "--level_for_rel", "-l", low=1)] = 1,
    most: Annotated[int | None, FIRST_RESULTS] = None,
    judged_only: Annotated[bool, Option("Use only judged results.", "--Judged_docs_only", "-J")] = False,
    documents: Annotated[int, Option("Size of the collection, for utility.", "--Number_docs_in_coll", "-N")] = 0,
    zscores: Annotated[Path | None, Z_SCORES] = None,
    debug: Annotated[str, DEBUG] = "",
    rel_info_format: Annotated[Literal["qrels", "qrels_jg", "prefs", "qrels_prefs"], QRELS_FORMAT] = "qrels",
    results_format: Annotated[Literal["trec_results"], RUN_FORMAT] = "trec_results",
    version: Annotated[bool, Option("Print the version of trec_eval that this follows.", "--version", "-v")] = False,
    old_format: Annotated[bool, OLD_FORMAT] = False,
) -> str:
    """Print trec_eval 10's output for a run.

    -R qrels_jg -m qrels_jg averages map, P and Rprec_mult over the groups of judges in column 2. -R prefs -m all_prefs
    counts the preferences between documents that the run meets; -R qrels_prefs takes them from the grades of qrels.
    """
    if version:
        return "trec_eval version 10.0 (irassay)\n"
    if not qrels or not run:
        raise InputError("Give judgements and one run (", argument("qrels"), " ", argument("run"), ").")
    if ignored := ignored_parameters(measures):
        why = "as in trec_eval, only the first parameters of a measure count; run it again for the others"
        print_message(f"note: left out {name_list(ignored)}; {why}")
    results = ResultSettings(complete, level, most, judged_only)
    if rel_info_format == "qrels_jg":
        if zscores is not None or debug:
            left_out = argument("zscores" if zscores is not None else "debug")
            raise InputError(
                left_out, " is not available with ", argument("rel_info_format", "qrels_jg"), "; leave it out."
            )
        return _output_over_groups(group_lines(measures), qrels, run, results, by_topic, not no_summary)
    compares = rel_info_format in PREFERENCES
    requested = requested_measures(measures, compares)
    policy = results.policy
    if compares:  # only there trec_eval orders equal scores by ascending id
        policy = replace(policy, qrels_format=rel_info_format, ties="docid-asc")
    source = judged_runs([run], qrels, policy)
    if len(source.runs) > 1:
        raise InputError(f"trec_eval takes one run, but {run} has {len(source.runs)}; irassay score takes several.")
    judged, answered = results.judged_run(source)
    max_grade = int(judged.batches[0].max_grade)
    in_order = [name for name in measure_names() if name in requested]
    lines = [line for name in in_order for line in lines_of(name, requested[name], max_grade, documents)]
    values = _topic_values(lines, source, judged, answered, results, None if compares else documents)
    if zscores is not None:
        replace_by_z_scores(values, lines, judged.topics, Path(zscores))
    order = sorted(np.flatnonzero(answered | complete).tolist(), key=lambda t: judged.topics[t].encode())
    if only := debug.partition(".")[2]:
        order = [t for t in order if judged.topics[t] == only]
    if not order:
        raise _no_common_topic(run, qrels)
    output: list[str] = []
    if by_topic:
        strings = _grade_strings(judged, requested.get("relstring", ""), judged_only)
        output += (text for t in order for text in _topic_lines(lines, values[t], judged.topics[t], strings.get(t, "")))
    if complete and "num_rel" in requested:  # trec_eval's total then counts every grade above 0, whatever the level
        column = [line.name for line in lines].index("num_rel")
        for group in source.pool.groups:
            values[group.topics, column] = ((group.pool.grade > 0) & group.pool.listed).sum(axis=1)
    if not no_summary:
        output += _summary_lines(lines, values[order], _run_tag(source))
    return "".join(output)


def _topic_values(
    lines: Sequence[Line],
    source: RunByRun,
    judged: JudgedRun,
    answered: Bools,
    results: ResultSettings,
    documents: int | None,
) -> Floats:
    """[topic, line] the values; `documents` is the size of the collection, None if preferences are counted."""
    counts = () if documents is None else ("NumRet", "NumRel")
    values = line_values(lines, judged, results, counts)
    for group in source.pool.groups:
        part = values[group.topics]
        set_special_values(part, lines, group.pool, judged.batches[0].max_grade, results.level)
        values[group.topics] = part
    if documents is None:
        return values
    values, retrieved, relevant = values[:, :-2], values[:, -2], values[:, -1]
    set_values_without_results(values, lines, retrieved, relevant, answered | results.judged_only, documents)
    return values


def _output_over_groups(
    lines: Sequence[Line], qrels: str, run: str, results: ResultSettings, by_topic: bool, summary: bool
) -> str:
    """The output with values averaged over the groups of judges of each topic, which column 2 of the qrels names."""
    (source,), judgements = open_inputs([run], qrels)
    frame = Qrels.of(judgements).frame
    by_group: dict[str, list[Floats]] = {}
    tag = ""
    for group in sorted(frame["subtopic"].unique().to_list()):
        part = Qrels.of(frame.filter(frame["subtopic"] == group).drop("subtopic"), qrels)
        runs = judged_runs([source], part, results.policy)
        judged, answered = results.judged_run(runs)
        values = line_values(lines, judged, results)
        for t in np.flatnonzero(answered | results.complete).tolist():
            by_group.setdefault(judged.topics[t], []).append(values[t])
        tag = _run_tag(runs)
    if not by_group:
        raise _no_common_topic(run, qrels)
    topics = sorted(by_group, key=str.encode)
    means = np.array([np.mean(by_group[topic], axis=0) for topic in topics])
    output = [text for t, topic in enumerate(topics) for text in _topic_lines(lines, means[t], topic, "")]
    return "".join([*(output if by_topic else []), *(_summary_lines(lines, means, tag) if summary else [])])


def _no_common_topic(run: str, qrels: str) -> InputError:
    """The error that there is nothing to evaluate."""
    return InputError(f"No topic has both results in {run} and judgements in {qrels}.")


def _run_tag(source: RunByRun) -> str:
    """The tag on the last line of the run, or, if it is compressed or has none there, that of its first line."""
    first = source.runs[0]
    if not isinstance(first, RunFile):
        return first.name
    if not isinstance(first.given, Source):
        return first.tag
    fields = first.given.ending(1 << 16).rstrip().rpartition(b"\n")[2].split()
    has_tag = len(fields) > 5 and NUMBER.fullmatch(fields[4].decode("latin-1"))
    return fields[5].decode(errors="replace") if has_tag else first.tag


def _grade_strings(judged: JudgedRun, params: str, judged_only: bool) -> dict[int, str]:
    """The first grades of each topic, one character each: - if not in the pool, . if not judged."""
    length, strings = max(0, int(parsed_numbers("relstring", params or "10")[0])), {}
    for r, topics in zip(judged.batches, judged.topic, strict=True):
        for grade, pooled, size, topic in zip(r.grade, r.judged, r.retrieved, topics, strict=True):
            marks = [
                "-" if not in_pool else "." if value < 0 else ">" if value > 9 else str(int(value))
                for value, in_pool in zip(grade[:size], pooled[:size], strict=True)
            ]
            strings[int(topic)] = "".join([m for m in marks if not judged_only or m not in "-."][:length])
    return strings


def _topic_lines(lines: Sequence[Line], values: Floats, topic: str, marks: str) -> Iterator[str]:
    for line, value in zip(lines, values, strict=True):
        if line.kind == "string":
            yield _output_line(line.name, topic, f"'{marks}'")
        elif line.kind != "total":
            yield _output_line(line.name, topic, _number_text(value, line.kind))


def _summary_lines(lines: Sequence[Line], values: Floats, tag: str) -> Iterator[str]:
    for i, line in enumerate(lines):
        if line.special == "runid":
            yield _output_line(line.name, "all", tag)
        elif line.metrics:
            over = line.metrics[0].meaning.over_topics
            total = float(np.add.accumulate(values[:, i])[-1])
            value = total if over == "sum" else total / len(values)
            kind = "count" if over == "sum" else line.kind
            yield _output_line(
                line.name, "all", _number_text(float(np.exp(value)) if over == "geometric" else value, kind)
            )


def _output_line(name: str, topic: str, value: str) -> str:
    return f"{name:<22}\t{topic}\t{value}\n"


def _number_text(value: float, kind: str) -> str:
    if np.isnan(value):
        return "  -nan"  # as C prints 0/0
    return f"{int(value)}" if kind == "count" else f"{value:6.4f}"
