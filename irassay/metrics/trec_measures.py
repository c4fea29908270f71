"""The measures of trec_eval in the order it prints them: names, parameters, sets, and our metrics for each."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from irassay.declarations import index
from irassay.errors import InputError
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.prose import did_you_mean

CUTS = "5,10,15,20,30,100,200,500,1000"
TENTHS = "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0"
FIFTHS = "0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0"
# In the order of printing: name, kind, and for 'cut' and 'level' the default cutoffs.
# one: a number; count: a whole number; total: only in the summary; gains, numbers: parameters that the name shows.
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
    "prefs_num_prefs_poss": ("count", ""), "prefs_num_prefs_ful": ("count", ""),
    "prefs_num_prefs_ful_ret": ("count", ""), "prefs_simp": ("one", ""), "prefs_pair": ("one", ""),
    "prefs_avgjg": ("one", ""), "prefs_avgjg_Rnonrel": ("one", ""), "prefs_simp_ret": ("one", ""),
    "prefs_pair_ret": ("one", ""), "prefs_avgjg_ret": ("one", ""), "prefs_avgjg_Rnonrel_ret": ("one", ""),
    "prefs_simp_imp": ("one", ""), "prefs_pair_imp": ("one", ""), "prefs_avgjg_imp": ("one", ""),
    "yaap": ("one", ""), "rbp": ("gains", ""), "rbp_resid": ("one", ""), "unj": ("cut", "5,10,20"),
}  # fmt: skip
OFFICIAL = tuple(MEASURES)[:12]
PREFERENCE_MEASURES = tuple(name for name in MEASURES if name.startswith("prefs_"))  # with -R prefs or qrels_prefs
NICKNAMES = {
    "official": OFFICIAL,
    "all_trec": tuple(name for name in MEASURES if name not in ("dcg", "ideal_dcg", "yaap", *PREFERENCE_MEASURES)),
    "set": (*OFFICIAL[:5], "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_prefs": (*OFFICIAL[:2], *PREFERENCE_MEASURES),
    "prefs": (*OFFICIAL[:2], *PREFERENCE_MEASURES[:6]),
}
ONLY_PRINTED = ("runid", "relstring", "yaap", "ideal_dcg")  # not available as metrics
SHORT = {
    "rbp": "rbp=RBP(p=0.9)",
    "11pt_avg": "11pt_avg=11pt_avg",
    "set_F": "set_F=set_F",
    **{name: f"{name}={name}" for name in PREFERENCE_MEASURES},
}  # under the names that trec_eval prints
GROUP_MEASURES = {
    "map_avgjg": "map",
    "P_avgjg": "P",
    "Rprec_mult_avgjg": "Rprec_mult",
}  # averaged over groups of judges
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def measure_names() -> list[str]:
    """The measures in the order of printing: those of trec_eval, then others that metrics declare under `trec_eval`."""
    declared = (name for entry in index()["metrics"].values() for name in entry.get("trec_eval", ()))
    return list(dict.fromkeys([*MEASURES, *declared]))


def metrics_in_set(nickname: str) -> list[str]:
    """The metric strings of a set of measures, without those that are only printed.

    >>> metrics_in_set("set")[-3:]
    ['set_relative_P', 'set_map', 'set_F=set_F']
    """
    strings: list[str] = []
    for name in (name for name in NICKNAMES[nickname] if name not in ONLY_PRINTED):
        kind, default_cutoffs = MEASURES[name]
        if kind == "level":  # with the short names that trec_eval prints
            strings += [f"{name}_{float(cut):.2f}={name}_{cut}" for cut in default_cutoffs.split(",")]
        else:
            strings += (
                [f"{name}_{cut}" for cut in default_cutoffs.split(",")] if default_cutoffs else [SHORT.get(name, name)]
            )
    return strings


@dataclass(frozen=True)
class Line:
    """One line of output for a topic and for the summary: its name, its kind, and how its value is computed."""

    name: str
    kind: str  # total, count, one, or string
    metrics: tuple[Metric, ...] = ()  # whose mean is its value
    special: str = ""  # the measure, if no metric of ours covers it
    numbers: tuple[float, ...] = ()


def requested_measures(measures: Iterable[str], preferences: bool = False) -> dict[str, str]:
    """The requested measures with their parameters; a repeated measure has the first parameters given for it."""
    requested: dict[str, str] = {}
    for text in measures or ("prefs" if preferences else "official",):
        name, dot, params = text.partition(".")
        if name in (*GROUP_MEASURES, "qrels_jg"):
            raise InputError(f"trec_eval -m {name}: averages over groups of judges, so it needs -R qrels_jg.")
        if name not in NICKNAMES and name not in measure_names():
            base, _, number = name.rpartition("_")  # the name of a printed line
            hint = f"did you mean {base}.{number}?" if base in MEASURES and NUMBER.fullmatch(number) else ""
            hint = hint or did_you_mean(name, [*NICKNAMES, *measure_names()])
            raise InputError(f"trec_eval: illegal measure '{name}'{f'; {hint}' if hint else ''}")
        if dot and not params:
            raise InputError(f"trec_eval: parameters missing after '{name}.'; expected, for example, P.10.")
        for one in NICKNAMES.get(name, (name,)):
            requested[one] = requested.get(one, "") or (params if one == name else "")
        of_preferences = {one in PREFERENCE_MEASURES for one in requested if one not in OFFICIAL[:2]}
        if preferences and False in of_preferences:
            expected = "all_prefs, prefs, or one of those"
            raise InputError(f"trec_eval -m {name}: not a measure of preferences (-R prefs); use {expected}.")
        if True in of_preferences and not preferences:
            raise InputError(f"trec_eval -m {name}: measures preferences, so it needs -R prefs or -R qrels_prefs.")
    return requested


def ignored_parameters(measures: Iterable[str]) -> list[str]:
    """The measures whose parameters count for nothing, because the same measure came before with others.

    >>> ignored_parameters(["set_F.2", "P.5", "set_F.0.5", "P"])
    ['set_F.0.5']
    """
    first: dict[str, str] = {}
    ignored = []
    for text in measures:
        name, _, params = text.partition(".")
        if params and first.setdefault(name, params) != params:
            ignored.append(text)
    return ignored


def group_lines(measures: Iterable[str]) -> list[Line]:
    """The lines of measures that are averaged over groups of judges, in the order of printing."""
    known, requested = ("runid", "num_q", *GROUP_MEASURES), dict[str, str]()
    for text in measures or ("qrels_jg",):
        name, _, params = text.partition(".")
        if name not in (*known, "qrels_jg"):
            expected = f"qrels_jg, or {', '.join(GROUP_MEASURES)}"
            raise InputError(f"trec_eval -m {name}: not a measure of groups of judges (-R qrels_jg); use {expected}.")
        for one in known if name == "qrels_jg" else (name,):
            requested[one] = requested.get(one, "") or params
    lines = []
    for name in (name for name in known if name in requested):
        base = GROUP_MEASURES.get(name, name)
        plain = lines_of(base, requested[name], 1, 0)
        lines += [replace(line, name=line.name.replace(base, name, 1)) for line in plain]
    return lines


def parsed_numbers(name: str, text: str) -> list[float]:
    """The numbers in a measure's parameters."""
    parts = text.split(",") if text else []
    if odd := next((part for part in parts if not NUMBER.fullmatch(part)), None):
        raise InputError(f"trec_eval -m {name}.{text}: expected numbers separated by commas; found {odd}.")
    return [float(part) for part in parts]


def lines_of(name: str, params: str, max_grade: int, documents: int) -> Iterator[Line]:
    """The lines of a measure with its parameters, in the order of printing."""
    kind, default_cutoffs = MEASURES.get(name, ("cut" if params else "one", ""))
    printed_name = f"{name}_{params}" if params else name
    if kind in ("cut", "level"):
        cuts = sorted(parsed_numbers(name, params or default_cutoffs))
        cuts = [float(int(cut)) for cut in cuts] if kind == "cut" else cuts
        if len(set(cuts)) < len(cuts) or (kind == "cut" and cuts[0] < 1):
            raise InputError(f"trec_eval -m {name}.{params}: cutoffs must be above 0 and different.")
        for cut in cuts:
            printed, ours = (f"{int(cut)}",) * 2 if kind == "cut" else (f"{cut:3.2f}", f"{cut}")
            yield Line(f"{name}_{printed}", "one", (parse(f"{name}_{ours}"),), name, (cut,))
    elif kind == "gains":
        yield _with_gains(name, params, printed_name, max_grade)
    elif kind == "numbers":
        yield _with_numbers(name, params, printed_name, documents)
    elif name in ("runid", "relstring"):
        yield Line(printed_name if kind == "string" else name, kind, (), name)
    else:
        yield Line(name, kind, (parse("AP" if name == "yaap" else name),), name)


def _with_gains(name: str, params: str, printed_name: str, max_grade: int) -> Line:
    """The line of a measure whose parameters are gains by grade."""
    pairs = [pair.partition("=") for pair in params.split(",")] if params else []
    if any(not sign or not NUMBER.fullmatch(value) for _, sign, value in pairs):
        raise InputError(f"trec_eval -m {name}.{params}: expected pairs such as 1=1,2=3.")
    table = {int(grade): float(gain) for grade, _, gain in reversed(pairs) if grade.isdecimal()}  # the first one counts
    if name == "rbp":
        if table:
            raise InputError(f"trec_eval -m rbp.{params}: rbp takes p=0.8, but no gains.")
        p = next((float(value) for grade, _, value in pairs if grade == "p"), 0.9)
        return Line(printed_name, "one", (parse("RBP")(p=p),), name)
    if (
        table.get(0, 0.0) != 0
        or min(table.values(), default=0) < 0
        or not all(grade.isdecimal() for grade, _, _ in pairs)
    ):
        raise InputError(f"trec_eval -m {name}.{params}: gains must be 0 or more, and grades above 0.")
    gains = tuple(table.get(grade, float(grade)) for grade in range(max_grade + 1))
    metric = parse("DCG" if name == "ideal_dcg" else name)
    return Line(printed_name, "one", (metric(gain=gains) if params else metric,), name, gains)


def _with_numbers(name: str, params: str, printed_name: str, documents: int) -> Line:
    """The line of a measure whose parameters are plain numbers."""
    metric, numbers = parse(name), tuple(parsed_numbers(name, params))
    if name == "utility":
        if len(numbers) not in (0, 4):
            raise InputError(f"trec_eval -m utility.{params}: expected four coefficients, such as 1,-1,0,0.")
        worth = dict(zip("abcd", numbers, strict=False))
        return Line(printed_name, "one", (metric(**worth, N=documents),), name, numbers)
    if name == "set_F":
        return Line(printed_name, "one", (metric(beta=numbers[0]) if numbers else metric,), name)
    levels = tuple(parse(f"iprec_at_recall_{level}") for level in numbers)
    return Line(printed_name, "one", levels or (metric,), name, numbers or (0.0,))
