"""`irassay trec_eval`: the options and the output of trec_eval 10, flag for flag.

Where trec_eval reads uninitialised memory there is no output to follow: rbp divides gains by the topic's largest, and a
judged topic that the run does not answer is passed over without -c.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from getopt import GetoptError, gnu_getopt
from pathlib import Path

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.io.sources import Source
from irassay.judging.judged import Judged
from irassay.judging.policy import JudgingPolicy
from irassay.judging.runs import RunFile, judged_runs
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Pool
from irassay.scores import LEAST
from irassay.scoring.columns import Columns
from irassay.scoring.levels import at_level

USAGE = """Usage: trec_eval [-h] [-q] {-m measure}* trec_rel_file trec_top_file
   -h: Give full help information, including other options
   -q: In addition to summary evaluation, give evaluation for each query
   -m: calculate and print measures indicated by 'measure'
       ('-m all_qrels' prints all qrels measures, '-m official' is default)
"""
HELP = """irassay trec_eval [OPTIONS] QRELS RUN

Prints what trec_eval 10 prints. RUN may be - for standard input; both may be packed.

  -q          also every topic          -n        without the summary
  -m MEASURE  a measure, NAME.PARAMS, or official, all_trec, set; may be repeated
  -c          average over all judged topics, those without results too
  -l NUM      least grade that counts as relevant (1)
  -M NUM      only the first NUM results of a topic
  -J          only judged results       -N NUM    documents in the collection
  -Z FILE     z-scores, by the means and deviations of FILE: topic measure mean deviation
  -D, -o, -R qrels, -T trec_results     are taken and change nothing; -D 1.TOPIC evaluates one topic
  -v          version
"""
CUTS = "5,10,15,20,30,100,200,500,1000"
TENTHS = "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0"
FIFTHS = "0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0"
# In the order of printing: name, kind, and for 'cut' and 'level' the cutoffs of old.
# one: a number; count: a whole number; total: in the summary only; gains, numbers: parameters that the name shows.
MEASURES = {
    "runid": ("total", ""), "num_q": ("total", ""), "num_ret": ("count", ""), "num_rel": ("count", ""),
    "num_rel_ret": ("count", ""), "map": ("one", ""), "gm_map": ("total", ""), "Rprec": ("one", ""),
    "bpref": ("one", ""), "recip_rank": ("one", ""), "iprec_at_recall": ("level", TENTHS), "P": ("cut", CUTS),
    "relstring": ("string", ""), "recall": ("cut", CUTS), "infAP": ("one", ""), "gm_bpref": ("total", ""),
    "Rprec_mult": ("level", FIFTHS), "utility": ("numbers", ""), "11pt_avg": ("numbers", ""), "binG": ("one", ""),
    "G": ("gains", ""), "dcg": ("gains", ""), "ideal_dcg": ("gains", ""), "ndcg": ("gains", ""),
    "ndcg_rel": ("gains", ""), "Rndcg": ("gains", ""), "ndcg_cut": ("cut", CUTS), "map_cut": ("cut", CUTS),
    "relative_P": ("cut", CUTS), "success": ("cut", "1,5,10"), "set_P": ("one", ""), "set_relative_P": ("one", ""),
    "set_recall": ("one", ""), "set_map": ("one", ""), "set_F": ("numbers", ""), "num_nonrel_judged_ret": ("count", ""),
    "yaap": ("one", ""), "rbp": ("gains", ""), "rbp_resid": ("one", ""), "unj": ("cut", "5,10,20"),
}  # fmt: skip
OFFICIAL = list(MEASURES)[:12]
NICKNAMES = {
    "official": OFFICIAL,
    "all_trec": [name for name in MEASURES if name not in ("dcg", "ideal_dcg", "yaap")],
    "set": [*OFFICIAL[:5], "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"],
}
LONG = [
    "help", "version", "query_eval_wanted", "measure=", "complete_rel_info_wanted", "level_for_rel=", "nosummary",
    "Debug_level=", "Judged_docs_only", "Number_docs_in_coll=", "Max_retrieved_per_topic=", "Rel_info_format=",
    "Results_format=", "Output_old_results_format=", "Zscore=",
]  # fmt: skip
SHORT = {name.rstrip("="): f"-{letter}" for name, letter in zip(LONG, "hvqmclnDJNMRToZ", strict=True)}
MISSING = -1000000.0  # the z-score of what has no mean and deviation


@dataclass(frozen=True)
class Line:
    """One line that is printed of a topic, and of the summary: its name, its kind, and how its value comes about."""

    name: str
    kind: str  # total, count, one, or string
    metric: Metric | None = None
    special: str = ""  # rbp, yaap, ideal_dcg, relstring, runid


@dataclass
class Options:
    """What was asked for on the command line."""

    flags: dict[str, str] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)  # measure to its parameters


def trec_eval(words: Sequence[str]) -> int:
    """Prints what trec_eval prints of a run: the exit status."""
    try:
        found, places = gnu_getopt(list(words), "hvqm:cl:nD:JN:M:R:T:oZ:", LONG)
    except GetoptError:
        return _stop(USAGE, 1)
    options = Options()
    for flag, value in found:
        flag = SHORT.get(flag.lstrip("-"), flag)
        if flag != "-m":
            options.flags[flag] = value
            continue
        name, dot, params = value.partition(".")
        if name not in NICKNAMES and name not in MEASURES:
            return _stop(f"trec_eval: illegal measure '{name}'\n", 1)
        if dot and not params:
            return _stop(f"trec_eval: improper measure in parameter '{name}'\n", 1)
        options.asked |= {one: options.asked.get(one, "") for one in NICKNAMES.get(name, [name])}
        if dot:
            options.asked[name] = params
    if "-h" in options.flags:
        sys.stdout.write(HELP)
        return 0
    if "-v" in options.flags:
        return _stop("trec_eval version 10.0 (irassay)\n", 0)
    if len(places) != 2:
        return _stop(USAGE, 1)
    for flag, only in (("-R", "qrels"), ("-T", "trec_results")):
        if options.flags.get(flag, only) != only:
            raise InputError(f"trec_eval {flag} {options.flags[flag]}: only {only} is read here")
    options.asked = options.asked or dict.fromkeys(OFFICIAL, "")
    return _evaluate(places[0], places[1], options)


def _stop(text: str, status: int) -> int:
    sys.stderr.write(text)
    return status


def _evaluate(qrels: str, run: str, options: Options) -> int:
    flags = options.flags
    depth = int(flags["-M"]) if "-M" in flags else None
    policy = JudgingPolicy(missing="zero" if "-c" in flags else "skip", depth=depth)
    source = judged_runs([run], qrels, policy)
    first = source.runs[0]
    judged = next(source.apart())
    top = int(judged.batches[0].max_grade)
    lines = [
        line for name in MEASURES if name in options.asked for line in _lines(name, options.asked[name], top, flags)
    ]
    scored = [line.metric for line in lines if line.metric is not None]
    level, condensed = float(flags.get("-l", 1)), "-J" in flags
    metrics = [at_level(metric, level, always=True)(judged_only=condensed) for metric in scored]
    values = np.full((len(judged.topics), len(lines)), np.nan)
    if metrics:
        columns = Columns(metrics)
        lists, earned, _ = next(columns.of_runs([judged]))
        found, _ = columns.scores(lists, earned, policy.missing, "zero")
        values[:, [i for i, line in enumerate(lines) if line.metric is not None]] = found
    strings = _strings(judged, options.asked.get("relstring", ""), condensed)
    there = _answered(judged) | ("-c" in flags)
    order = [t for t in sorted(range(len(judged.topics)), key=lambda t: judged.topics[t].encode()) if there[t]]
    if only := flags.get("-D", "").partition(".")[2]:
        order = [t for t in order if judged.topics[t] == only]
    if not order:
        return _stop("trec_eval: No queries with both results and relevance info\n", 7)
    for group in source.pool.groups:
        part = values[group.topics]
        _adjust(part, lines, group.pool, judged.batches[0].max_grade, level)
        values[group.topics] = part
    if "-Z" in flags:
        _to_z(values, lines, judged.topics, Path(flags["-Z"]))
    tag = first.tag if isinstance(first, RunFile) else first.name
    out = list(_printed(lines, values, strings, judged.topics, order, tag, flags))
    sys.stdout.write("".join(out))
    return 0


def _lines(name: str, params: str, top: int, flags: dict[str, str]) -> Iterator[Line]:
    """The lines of a measure with its parameters, in the order of printing."""
    kind, usual = MEASURES[name]
    if name in ("runid", "relstring", "yaap", "rbp", "ideal_dcg"):
        shown = f"{name}_{params}" if params else name
        p = dict(pair.split("=", 1) for pair in params.split(",") if "=" in pair).get("p", "0.9")
        inner = {"yaap": "AP", "rbp": f"RBP(p={p})", "ideal_dcg": "DCG"}.get(name)
        yield Line(shown, "one" if inner else kind, parse(inner) if inner else None, name)
    elif kind in ("cut", "level"):
        cuts = sorted({float(cut) for cut in (params or usual).split(",")})
        for cut in cuts:
            printed = f"{name}_{int(cut)}" if kind == "cut" else f"{name}_{cut:3.2f}"
            metric = parse(f"{name}_{int(cut)}") if kind == "cut" else parse(f"{name}_{cut}")
            yield Line(printed, "one", metric)
    elif kind == "gains" and params:
        table = {int(grade): float(gain) for grade, gain in (pair.split("=", 1) for pair in params.split(","))}
        if table.get(0, 0.0) != 0 or min(table.values()) < 0:
            raise InputError(f"trec_eval -m {name}.{params}: gains below 0, and a gain of grade 0, are not taken here")
        gains = tuple(table.get(grade, float(grade)) for grade in range(top + 1))
        yield Line(f"{name}_{params}", "one", parse(name)(gain=gains))
    elif kind == "numbers":
        yield Line(f"{name}_{params}" if params else name, "one", _with_numbers(name, params, flags))
    else:
        yield Line(name, "one" if kind == "gains" else kind, parse(name))


def _with_numbers(name: str, params: str, flags: dict[str, str]) -> Metric:
    metric = parse(name)
    numbers = [float(number) for number in params.split(",") if number]
    if name == "utility":
        worth = dict(zip("abcd", numbers, strict=False)) if len(numbers) == 4 else {}
        return metric(**worth, N=int(flags.get("-N", 0)))
    if name == "set_F" and numbers:
        return metric(beta=numbers[0])
    if numbers:
        raise InputError(f"trec_eval -m {name}.{params}: other levels of recall are not taken here")
    return metric


def _answered(judged: Judged) -> np.ndarray:
    there = np.zeros(len(judged.topics), dtype=bool)
    for r, topic in zip(judged.batches, judged.topic, strict=True):
        there[topic[r.retrieved > 0]] = True
    return there


def _strings(judged: Judged, params: str, condensed: bool) -> dict[int, str]:
    """The first grades of each topic, a character each: - for what is not in the pool, . for what was not judged."""
    length, found = int(float(params or 10)), {}
    for r, topics in zip(judged.batches, judged.topic, strict=True):
        for grade, pooled, size, topic in zip(r.grade, r.judged, r.retrieved, topics, strict=True):
            marks = [
                "-" if not known else "." if value < 0 else ">" if value > 9 else str(int(value))
                for value, known in zip(grade[:size], pooled[:size], strict=True)
            ]
            found[int(topic)] = "".join([m for m in marks if not condensed or m not in "-."][:length])
    return found


def _adjust(values: Floats, lines: Sequence[Line], pool: Pool, max_grade: float, level: float) -> None:
    """Puts in what no metric of ours says: logarithms for geometric means, and the measures marked special."""
    known = ((pool.grade >= level) & pool.listed).sum(axis=1)
    best = np.where(pool.listed, pool.grade, 0.0).max(axis=1, initial=0.0)
    for i, line in enumerate(lines):
        if line.metric is not None and line.metric.meaning.over_topics == "geometric":
            values[:, i] = np.log(np.maximum(values[:, i], LEAST))
        elif line.special == "rbp":
            values[:, i] *= max_grade / np.maximum(best, 1.0)
        elif line.special == "yaap":
            total = values[:, i] * known
            values[:, i] = np.log((1 + total) / (1 + known - total))
        elif line.special == "ideal_dcg":
            gains = -np.sort(-np.where(pool.listed, np.maximum(pool.grade, 0.0), 0.0), axis=1)
            values[:, i] = (gains / np.log2(np.arange(gains.shape[1]) + 2)).sum(axis=1)


def _to_z(values: Floats, lines: Sequence[Line], topics: Sequence[str], path: Path) -> None:
    """Puts deviations from the means of a file in the place of values, in standard deviations."""
    known = {}
    for row in Source(path).text().splitlines():
        if len(parts := row.split()) == 4:
            known[parts[0], parts[1]] = float(parts[2]), float(parts[3])
    for t, topic in enumerate(topics):
        for i, line in enumerate(lines):
            mean, deviation = known.get((topic, line.name), (np.nan, 0.0))
            same = 0.0 if values[t, i] == mean else MISSING
            values[t, i] = (values[t, i] - mean) / deviation if deviation else same


def _printed(
    lines: Sequence[Line],
    values: Floats,
    strings: dict[int, str],
    topics: Sequence[str],
    order: Sequence[int],
    tag: str,
    flags: dict[str, str],
) -> Iterator[str]:
    """The lines of every topic where that is asked for, then those of the summary."""

    def line(name: str, topic: str, value: str) -> str:
        return f"{name:<22}\t{topic}\t{value}\n"

    for t in order if "-q" in flags else ():
        for i, one in enumerate(lines):
            if one.kind == "string":
                yield line(one.name, topics[t], f"'{strings.get(t, '')}'")
            elif one.kind != "total":
                yield line(one.name, topics[t], _number(values[t, i], one.kind))
    for i, one in enumerate(lines if "-n" not in flags else ()):
        if one.special == "runid":
            yield line(one.name, "all", tag)
        elif one.metric is not None:
            over = one.metric.meaning.over_topics
            total = float(np.add.accumulate(values[order, i])[-1])
            value = total if over == "sum" else total / len(order)
            kind = "count" if over == "sum" else one.kind
            yield line(one.name, "all", _number(float(np.exp(value)) if over == "geometric" else value, kind))


def _number(value: float, kind: str) -> str:
    return f"{int(value)}" if kind == "count" else f"{value:6.4f}"
