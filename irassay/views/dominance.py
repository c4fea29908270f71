"""The view of dominance: which systems beat which for every user, who disagrees, and what the certificate covers."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from irassay.arrays import Bools, Ints
from irassay.meta.dominance import COVERED_UP_TO, Dominance
from irassay.prose import count_phrase, name_list, percent_text
from irassay.views.dominance_charts import dominance_matrix, hasse_diagram, pair_chart, pictured_pair
from irassay.views.phrases import all_names, p_phrase
from irassay.views.table_columns import column_table
from irassay.views.view import BRIEF_ROWS, PAIRS_SHOWN, Detail, Table, View

WORST_K = "worst k: rank where the system's lead per result is smallest"
WIN_COLUMNS = ("system", "other", "every gain map", "worst k", "corrected p", "significant")
BRIEF = ("system", "other", "dominates", "worst k", "p*", "corrected p", "significant")


def view(result: Dominance) -> View:
    """Which systems beat which for every user."""
    pair = pictured_pair(result)
    charts: list[Any] = [("pair", partial(pair_chart, result, *pair))]
    if len(result.systems) > 2:
        charts[:0] = [("order", partial(hasse_diagram, result)), ("matrix", partial(dominance_matrix, result))]
    sentences = pair_sentences(result, *pair) if len(result.systems) == 2 else _sentences(result)
    return View(
        "Dominance",
        (*sentences, *_coverage_sentences(result)),
        (_pairs_table(result), _summary_table(result), _coverage_table(result)),
        (*result.notes, *_notes(result)),
        tuple(charts),
    )


def pair_sentences(result: Dominance, system: str, other: str) -> tuple[str, ...]:
    """The answer for two systems, and the user who disagrees."""
    pair, way = result.direction(system, other)
    if result.dominates[pair].all():
        return (f"{system} and {other} have the same mean gain at every rank, so every user finds them equal.",)
    if result.dominates[pair, way]:
        return _certificate_sentences(result, pair, way)
    if result.dominates[pair, 1 - way]:
        return _certificate_sentences(result, pair, 1 - way)
    k, lead = int(result.worst_k[pair, way]), -float(result.worst_lead[pair, way])
    reader = f"a user who reads {'only the first result' if k == 1 else f'the first {k} results'}"
    ahead = result.lead(system, other)[-1] > 0
    start = f"{system} has more gain over all ranks, but {reader}" if ahead else reader.capitalize()
    disagrees = f"{start} gets {lead:.4f} more per result from {other}."
    return (f"Whether {system} or {other} is better depends on the user.", disagrees, *_crossing_sentence(result, pair))


def _certificate_sentences(result: Dominance, pair: int, way: int) -> tuple[str, ...]:
    """For whom the better system of a pair is better, and whether that is significant."""
    first, second = result.pairs
    better, worse = (result.systems[each[pair]] for each in ((first, second), (second, first))[way])
    beats = "beats" if result.worst_lead[pair, way] > 0 else "is at least as good as"
    gain = (
        (f"{better} is at least as good by every gain that does not fall with the grade.",)
        if result.every_gain[pair, way]
        else ()
    )
    certified = f"{better} {beats} {worse} for every user whose attention does not grow with rank."
    return (certified, _significance_sentence(result, pair, way), *gain, Detail(_depth_sentence(result)))


def _depth_sentence(result: Dominance) -> str:
    """How far users read."""
    return f"Only users who read at most {count_phrase(result.depth, 'result')} are considered."


def _significance_sentence(result: Dominance, pair: int, way: int) -> str:
    """Whether a certificate is significant, and for whom if not for all."""
    p = f"corrected {p_phrase(float(result.corrected_p[pair, way]))}"
    if result.significant[pair, way]:
        return f"This is significant for all of these users at once ({p})."
    if result.significant_elsewhere[pair, way]:
        ranks = result.not_shown[pair]
        return (
            "This is significant only for users whose attention does not drop after "
            f"{'rank' if ranks.isdigit() else 'ranks'} {ranks}, where too few topics differ."
        )
    topics = count_phrase(result.topics, "topic")
    return f"On these {topics} this is not significant for all of these users at once ({p})."


def _crossing_sentence(result: Dominance, pair: int) -> tuple[str, ...]:
    """Where RBP and INSQ change sides."""
    p, T = float(result.p_star[pair]), float(result.T_star[pair])
    found = [f"RBP at p = {p:.3f}"] * (p == p) + [f"INSQ at T = {T:.2f}"] * (T == T)
    if not found:
        return ("RBP orders the two systems alike at all values of p that were tried, and INSQ at all values of T.",)
    gain = "" if result.gain == "linear" else f", with {result.gain} gain"
    return (f"The order changes for {all_names(found)}{gain}.",)


def _sentences(result: Dominance) -> tuple[str, ...]:
    """The answer for several systems."""
    certified, total = int(result.dominates.any(axis=1).sum()), len(result.p)
    significant = int(result.significant.any(axis=1).sum())
    are = f"{f'{significant:,}' if significant else 'None'} of these pairs {'is' if significant < 2 else 'are'}"
    wins = result.matrix(result.dominates & ~result.dominates.all(axis=1, keepdims=True))
    best = [result.systems[s] for s in result.order if not wins[:, s].any()]
    topics = count_phrase(result.topics, "topic")
    return (
        f"Every user whose attention does not grow with rank agrees on {certified:,} of {total:,} pairs of systems.",
        f"{are} significant at {result.alpha:g} (intersection-union test, Holm).",
        f"No system beats {best[0]} for every user."
        if len(best) == 1
        else f"No system beats any of these for every user: {name_list(best)}.",
        _depth_sentence(result),
        Detail(f"They agree on {percent_text(result.share_certified)} of the pairs, on {topics}."),
        Detail(f"For every gain map as well: {int(result.every_gain.any(axis=1).sum()):,} pairs."),
        Detail(f"For every convex attention: {int(result.every_convex.any(axis=1).sum()):,} pairs."),
    )  # fmt: skip


def _coverage_sentences(result: Dominance) -> tuple[str, ...]:
    """Which of the named metrics a certificate covers."""
    named = [name for name in result.named_metrics if result.covers.get(name) == "no"]
    if not named:
        return ()
    verb = "is" if len(named) == 1 else "are"
    return (
        Detail(f"{name_list(named)} {verb} not covered, because the weight of a rank depends on topic or results."),
    )


def _yes(values: Bools) -> Any:
    return np.where(values, "yes", "no")


def _pairs_table(result: Dominance) -> Table:
    """One row for each directed pair, best systems first."""
    first, second = result.pairs
    names = np.array(result.systems, dtype=object)
    both = {name: getattr(result, name).T.ravel() for name in ("worst_k", "worst_lead")}
    columns: dict[str, Any] = {
        "system": names[np.concatenate([first, second])],
        "other": names[np.concatenate([second, first])],
        "dominates": _yes(result.dominates.T.ravel()),
        "every gain map": _yes(result.every_gain.T.ravel()),
        "every convex attention": _yes(result.every_convex.T.ravel()),
        "worst k": both["worst_k"],
        "lead at worst k": both["worst_lead"],
        "p*": np.tile(result.p_star, 2),
        "T*": np.tile(result.T_star, 2),
        "p": result.p.T.ravel(),
        "corrected p": result.corrected_p.T.ravel(),
        "significant": _yes(result.significant.T.ravel()),
        "gain p": result.gain_p.T.ravel(),
        "gain corrected p": result.corrected_gain_p.T.ravel(),
        "ranks not shown": np.tile(np.array(result.not_shown, dtype=object), 2),
        "p of other ranks": result.p_elsewhere.T.ravel(),
        "corrected p of other ranks": result.corrected_p_elsewhere.T.ravel(),
    }
    place = np.argsort(result.order)
    order = np.lexsort((place[np.concatenate([second, first])], place[np.concatenate([first, second])]))
    digits = tuple(3 if name in ("p*", "T*") else 4 for name in columns)
    p_columns = tuple(name for name in columns if name == "p" or " p" in name or name.startswith("p "))
    title = f"System against other, best systems first; {WORST_K}"
    title += "; p*: the p of RBP at which the order changes" * bool(np.isfinite(result.p_star).any())
    more = {"max_rows": PAIRS_SHOWN, "main": True, "brief": BRIEF, "digits": digits, "p_columns": p_columns}
    table = column_table("dominance", columns, title, order, **more)
    return table if len(result.p) <= BRIEF_ROWS else replace(table, **_brief_form(result, columns, order))


def _brief_form(result: Dominance, columns: Mapping[str, Any], order: Ints) -> dict[str, Any]:
    """What a terminal shows of many pairs: certificates, or if there are none, the pairs closest to one."""
    certified = (columns["dominates"] == "yes")[order]
    from_alpha = np.abs(columns["corrected p"] - result.alpha)[order]
    if certified.any():
        rows = np.lexsort((from_alpha, ~certified))[: min(certified.sum(), BRIEF_ROWS)]
        about = f"Pairs that every user agrees on, closest to the decision first; {WORST_K}"
        names: tuple[str, ...] = WIN_COLUMNS
    else:
        rows = np.argsort(-columns["lead at worst k"][order], kind="stable")[:BRIEF_ROWS]
        about = f"Pairs on which users disagree, those closest to agreement first; {WORST_K}"
        names = ("system", "other", "worst k", "lead at worst k", "p*")
    return {"brief_rows": tuple(rows.tolist()), "brief": names, "plain_title": about}


def _summary_table(result: Dominance) -> Table:
    """How many pairs each kind of certificate orders."""
    kinds = {
        "share certified": result.dominates,
        "share certified for every gain map": result.every_gain,
        "share certified for every convex attention": result.every_convex,
        "share significant": result.significant,
    }
    shares = [float(directed.any(axis=1).mean()) for directed in kinds.values()]
    return column_table(
        "summary", dict(zip(kinds, ([share] for share in shares), strict=True)), "Shares of pairs", detail=True
    )


def _coverage_table(result: Dominance) -> Table:
    """Which metrics a certificate covers."""
    columns = {"metric": list(result.covers), "covered by": list(result.covers.values())}
    return column_table("covered", columns, "Metrics that agree with a certificate", detail=True)


def _notes(result: Dominance) -> list[str]:
    """How it was computed."""
    pairs = len(result.systems) * (len(result.systems) - 1)
    return [
        f"dominates: at least the other's mean gain ({result.gain}) in the first k ranks, at every k up to "
        f"{result.depth}; every gain map: at least as many results of every grade or better, for grades "
        f"{', '.join(f'{grade:g}' for grade in result.grades)}.",
        "p: the largest over ranks, of Student's one-sided t and of sign flips (intersection-union), raised where rare "
        "large losses may be unseen. How large they may be is taken from all systems given, so p depends on them. "
        f"Corrected: by Holm over {pairs:,} directed pairs; significant: below {result.alpha:g}.",
        "worst k: where the system's lead in gain per result of the first k is smallest; p*, T*: the smallest p of RBP "
        f"and T of INSQ with {result.gain} gain at which the order changes. Ranks not shown: too few topics differ "
        "there for any significance.",
        f"covered by: the column that must say yes for a metric to agree; '{COVERED_UP_TO}': it reads further.",
    ]
