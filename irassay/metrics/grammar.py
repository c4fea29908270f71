"""Metric strings: NAME(key=value,…)@cutoff, as in ir_measures, and the names that other tools use."""

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from importlib import import_module
from threading import Lock
from typing import Any

from irassay.declarations import index
from irassay.errors import InputError, as_found
from irassay.installed import load_installed
from irassay.metrics.aliases import Meaning, known_aliases, number_parameter
from irassay.metrics.catalogue import FAMILIES
from irassay.metrics.metric import METRICS, Metric
from irassay.prose import closest_names

WITH_NUMBER = re.compile(r"([^@()]*?[^@()_.\d])[_.]?([_.]\d+|[_.]\d*\.\d+)")
MEASURE_SETS = ("official", "all_trec", "set", "all_prefs", "prefs")  # of trec_eval's measures
MAX_LENGTH = 10_000  # characters, enough for a table of gains by grade
ALIASED = re.compile(r"\s*([^\s=(@,]+)\s*=\s*([^=\s].*)", re.DOTALL)  # a metric under another name: 'user=INST(T=2)'
SEPARATORS = re.compile(r"[,;\s]+")

_ORDER_LOCK = Lock()  # metrics are missing for a moment while the catalogue is sorted


def catalogue() -> dict[str, Metric]:
    """Every metric by name, family by family, with users' own and those of installed packages last."""
    for family in FAMILIES:
        import_module(family)
    load_installed("metrics")
    place = {family: i for i, family in enumerate(FAMILIES)}
    with _ORDER_LOCK:
        order = sorted(METRICS.values(), key=lambda each: place.get(each.declaration.function.__module__, len(place)))
        if order != list(METRICS.values()):  # a later family was imported first
            METRICS.update({each.name: METRICS.pop(each.name) for each in order})
    return METRICS


def _find_metric(name: str) -> Metric | None:
    """The metric with this name, or None; only its family is imported."""
    where = index()["metrics"]
    if name not in METRICS and name in where:
        import_module(where[name]["module"])
    return METRICS.get(name) or catalogue().get(name)


def parse(text: str | Metric) -> Metric:
    """The metric that a string stands for; `name=metric` gives it a name for people.

    >>> parse("RBP(p=.80)@10").label, parse("user=INST(T=2)").label
    ('RBP(p=0.8)@10', 'user')
    >>> str(parse("RBP(p=.80)@10")), str(parse("ndcg_cut_10")), str(parse("INST(A='MAX', T=2)"))
    ('RBP@10', 'nDCG@10', "INST(T=2.0,A='MAX')")
    """
    if isinstance(text, Metric):
        return text
    if isinstance(own := getattr(text, "irassay_metric", None), Metric):  # a measure of interop.ir_measures
        return own
    if type(text).__module__.partition(".")[0] == "ir_measures":  # whose grammar this is
        text = str(text)
    if not isinstance(text, str):
        raise InputError(f"{as_found(text)} is not a metric; write it as text, such as 'nDCG@10'.")
    if len(text) > MAX_LENGTH:
        raise InputError(f"{_quoted(text)} has {len(text):,} characters, too many for a metric such as 'nDCG@10'.")
    alias, text = alias_and_metric(text)
    if alias:
        aliased = parse(text)
        _refuse_name_of_another_metric(alias, aliased)
        return aliased.with_alias(alias)
    given, known = text, index()["metrics"].keys() | METRICS.keys()
    text, implied = _with_readable_name(_number_as_parameter(text.strip(), known))
    name, params, cutoff = _parsed_parts(text)
    name, more = _our_name(name, known)
    name, params, cutoff = _in_our_terms(name, {**implied, **more, **params}, cutoff)
    metric = _find_metric(name)
    if metric is None and not METRICS.keys() <= known:  # an installed package was loaded
        return parse(given)
    if metric is None:
        _refuse_trec_names(name)
        hint = _hint(text, name) or "`irassay metrics` lists them all."
        raise InputError(f"{_quoted(text)}: there is no metric {_quoted(name)[1:-1]}; {hint}", code="no-metric")
    metric = metric(**params) if params else metric
    return metric if cutoff is None else metric @ cutoff


def metric_or_none(text: str) -> Metric | None:
    """The metric that a string stands for; None if it is not one of ours."""
    try:
        return parse(text)
    except InputError:
        return None


def _hint(text: str, name: str) -> str:
    """The question "did you mean …?" for metrics; with a cutoff if the name ends in a number."""
    known = {name: name for name in (*index()["metrics"], *METRICS)}
    word = name.rstrip("0123456789")
    if word != name and (ours := _our_name(word, known)[0]) in known:
        return f"did you mean {ours}@{name[len(word) :]}?"
    known |= {alias: ours for alias, (ours, _) in known_aliases().items() if alias.isascii() and alias.isidentifier()}
    names = list(dict.fromkeys(known[other] for other in closest_names(name, known, limit=len(known))))[:3]
    suggestions = [text.replace(name, other, 1) if name in text else other for other in names]
    return f"did you mean {' or '.join(suggestions)}?" if names else ""


def is_count(name: str) -> bool:
    """Whether scores of this metric are counts; False for metrics of other tools.

    >>> is_count("NumRel"), is_count("Hits@10[best]"), is_count("P@10"), is_count("mystery")
    (True, True, False, False)
    """
    metric = metric_or_none(name.partition("[")[0])
    return metric is not None and metric.meaning.counts


def alias_and_metric(text: str) -> tuple[str, str]:
    """The alias in a metric string, or '', and the metric.

    >>> alias_and_metric("user=INST(T=2)"), alias_and_metric("INST(T=2)")
    (('user', 'INST(T=2)'), ('', 'INST(T=2)'))
    """
    match = ALIASED.fullmatch(text)
    return (match[1], match[2]) if match else ("", text)


def parse_each(texts: Iterable[str | Metric] | str | Metric) -> list[Metric]:
    """The metrics that strings stand for; each string may be a list, separated by commas or spaces.

    >>> [str(m) for m in parse_each(["mrr@10, precision@10", "ndcg_cut.10,20 RBP(p=.9, gain='exp') @ 10"])]
    ['RR@10', 'P@10', 'nDCG@10', 'nDCG@20', "RBP(p=0.9,gain='exp')@10"]
    """
    given = [texts] if isinstance(texts, str | Metric) else texts
    if not isinstance(given, Iterable) or getattr(given, "ndim", 1) == 0:
        raise InputError(f"Metrics must be strings such as 'nDCG@10', one or several; found {as_found(given)}.")
    return [parse(one) for text in given for one in (metric_strings(text) if isinstance(text, str) else [text])]


def metric_strings(text: str) -> list[str]:
    """The metric strings of a list, split at commas and spaces that are not inside a metric.

    A bare number goes with the name before it: 'P.5,10' is P.5 and P.10. A set of trec_eval stands for its measures.

    >>> len(metric_strings("official")), metric_strings("official")[:6]
    (29, ['num_q', 'num_ret', 'num_rel', 'num_rel_ret', 'map', 'gm_map'])
    """
    text = re.sub(r"\s*@\s*", "@", text.strip())
    text = re.sub(r"\s+\(", "(", text)
    parts, depth, quote = [""], 0, ""
    for letter in text:
        quote = "" if letter == quote else quote or (letter if letter in "'\"" else "")
        depth += 0 if quote else (letter in "([{") - (letter in ")]}")
        if depth <= 0 and not quote and SEPARATORS.match(letter):
            parts.append("")
        else:
            parts[-1] += letter
    strings: list[str] = []
    for part in filter(None, parts):
        stem = re.fullmatch(r"(.*[._@])[\d.]+", strings[-1]) if strings and re.fullmatch(r"[\d.]+", part) else None
        if part in MEASURE_SETS:
            from irassay.metrics.trec_measures import metrics_in_set

            strings += metrics_in_set(part)
        else:
            strings.append(stem[1] + part if stem else part)
    return strings or [text]


def _refuse_name_of_another_metric(alias: str, metric: Metric) -> None:
    """Raises the error for an alias that is known as another metric, unless trec_eval prints this one under it."""
    known_metric = metric_or_none(alias)
    if known_metric is not None and known_metric != metric:
        from irassay.metrics.trec_measures import SHORT

        if SHORT.get(alias) != f"{alias}={metric}":
            raise InputError(f"{_quoted(alias)} means {known_metric}; give {metric} another name.")


def _refuse_trec_names(name: str) -> None:
    """Raises the error for measures of trec_eval that are not metrics, with where to get them."""
    from irassay.metrics.trec_measures import GROUP_MEASURES, ONLY_PRINTED

    if name in ONLY_PRINTED:
        raise InputError(f"{name} is not available as a metric; run `irassay trec_eval -q -m {name} QRELS RUN`.")
    if name in (*GROUP_MEASURES, "qrels_jg"):
        command = f"`irassay trec_eval -q -R qrels_jg -m {name} QRELS RUN`"
        raise InputError(f"{name} averages over groups of judges, and is not available as a metric; run {command}.")
    if name in MEASURE_SETS:
        raise InputError(f"{name} is a set of metrics, but one is needed; `irassay score -m {name}` scores them all.")


def _quoted(text: str) -> str:
    """The text in quotes, shortened if it is long."""
    return f"'{text}'" if len(text) <= 100 else f"'{text[:100]}…'"


def _our_name(name: str, known: Collection[str]) -> Meaning:
    """Our name for a name in any case, and the parameters it implies; the name itself if it is unknown."""
    aliases = known_aliases()
    if name in known or name in aliases:
        return (name, {}) if name in known else aliases[name]
    same: dict[str, Meaning] = {**{other: (other, {}) for other in known}, **aliases}
    matches = [same[other] for other in same if other.lower() == name.lower()]
    return matches[0] if matches and all(match == matches[0] for match in matches) else (name, {})


def _with_readable_name(text: str) -> Meaning:
    """The text with an alias that Python cannot parse (D#-nDCG) replaced by our name, and the parameters it implies."""
    head = re.match(r"[^@(]*", text)
    alias = head[0].strip() if head else ""
    if head is None or alias.isidentifier() or alias not in known_aliases():
        return text, {}
    name, implied = known_aliases()[alias]
    return name + text[head.end() :], implied


def _number_as_parameter(text: str, known: Collection[str]) -> str:
    """A metric string for a name with a number of trec_eval or ranx: P_10, ndcg_cut.10, rbp.95, IPrec@0.1."""
    level = re.fullmatch(r"(\w+)((?:\(.*\))?)@(\d*\.\d+)", text)  # of recall, as in ir_measures
    if level and number_parameter(_our_name(level[1], known)[0]) == "recall":
        return f"{level[1]}({', '.join(filter(None, [level[2][1:-1], 'recall=' + level[3]]))})"
    match = WITH_NUMBER.fullmatch(text)
    if text in known or text in known_aliases() or not match:
        return text
    name, number = match[1], match[2][1:]
    ours, _ = _our_name(name, known)
    if ours not in known:
        return text
    if parameter := number_parameter(ours):
        value = f"0.{number}" if parameter == "p" and number.isdigit() else number
        return f"{name}({parameter}={value})"
    return f"{name}@{number}" if number.isdigit() else text


def _parsed_parts(text: str) -> tuple[str, dict[str, Any], int | None]:
    cutoff = None
    try:
        if not text.strip()[:1].isidentifier():  # Python warns of words such as 1if
            raise SyntaxError
        tree: ast.expr = ast.parse(text, mode="eval").body
        if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.MatMult):
            cutoff = ast.literal_eval(tree.right)
            tree = tree.left
        if isinstance(tree, ast.Name):
            return tree.id, {}, cutoff
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.args:
            names = [keyword.arg for keyword in tree.keywords]
            if None not in names and len(set(names)) == len(names):
                values = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in tree.keywords}
                return tree.func.id, values, cutoff
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass
    first = re.match(r"\w+-[\w-]+", text)
    hint = _hint(text, first[0]) if first and len(text) < 80 else ""
    raise InputError(
        f"{_quoted(text)} is not a metric; {f'{hint} Write' if hint else 'write'} NAME, NAME@10, NAME(key=value) or "
        f"NAME(key=value)@10, with values such as 0.8, 'MAX' or (0,0.5,1).",
        code="not-a-metric",
    )


def _gain_table(by_grade: dict[int, float]) -> tuple[float, ...]:
    """Gains by grade as a table from grade 0; the gain of a grade that is not given is the grade itself."""
    if not all(isinstance(grade, int) and 0 <= grade <= 1000 for grade in by_grade):
        raise InputError("nDCG(gains=…): grades must be whole numbers from 0 to 1,000, as in {1: 3, 2: 7}.")
    return tuple(by_grade.get(grade, grade) for grade in range(max(by_grade, default=0) + 1))


def _in_our_terms(name: str, params: Mapping[str, Any], cutoff: int | None) -> tuple[str, dict[str, Any], int | None]:
    """The metric with the parameters of other tools translated into ours."""
    params = dict(params)
    if "max_rel" in params:
        params["max_grade"] = params.pop("max_rel")
    if "relative" in params and name == "P":
        name = "RelP" if params.pop("relative") else "P"
    if name == "NumRet" and "rel" in params:
        name = "NumRelRet"
    if "gains" in params and name == "nDCG" and isinstance(params["gains"], dict):
        params["gain"] = _gain_table(params.pop("gains"))
    if name in ("nDCG", "DCG") and "dcg" in params:
        spelling = params.pop("dcg")
        if spelling not in ("log2", "exp-log2"):
            raise InputError(f"{name}(dcg='{spelling}'): dcg must be 'log2' or 'exp-log2'.")
        if spelling == "exp-log2":
            params["gain"] = "exp"
    if name == "IFT" and isinstance(params.get("A"), int | float):
        params["A2"] = params.pop("A")
    if name == "NPV":
        rate = params.pop("rate", 0.1)
        if not isinstance(rate, int | float) or rate <= 0:
            raise InputError(f"NPV(rate={rate!r}): rate must be a number above 0.")
        return "RBP", params | {"p": 1 / (1 + rate)}, cutoff
    return name, params, cutoff
