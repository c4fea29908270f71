"""The view of a claim: one sentence, and four short answers on what it depends on."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from irassay.meta.claim import Claim
from irassay.prose import percent_text
from irassay.views.dominance import pair_sentences
from irassay.views.fragility import TESTS, changes_sentence, limit_sentence, range_phrase
from irassay.views.multiverse import curve, joint_sentence
from irassay.views.phrases import p_phrase
from irassay.views.view import Cell, Table, View, view_of

PARTS = ("dominance", "fragility", "multiverse", "ties")


@dataclass(frozen=True)
class Tile:
    """What a claim depends on in one respect."""

    part: str  # which of the four analyses
    about: str  # in a word or two
    figure: str  # the answer, in a few characters
    label: str  # what the figure is
    sentences: tuple[str, ...]


def view(result: Claim) -> View:
    """Whether the claim holds, and what it depends on."""
    tiles = claim_tiles(result)
    rows = tuple((tile.about, tile.figure, tile.label) for tile in tiles)
    table = Table("answers", ("depends on", "answer", "what it is"), rows)
    tables = (table, *(_part_table(result, name) for name in PARTS))
    charts = (("multiverse", partial(curve, result.multiverse, marks=False)),)
    sentences = (headline(result), *(sentence for tile in tiles for sentence in tile.sentences))
    cite = tuple(key for name in PARTS for key in getattr(result, name).citations)
    return View(claim_title(result), sentences, (_summary_table(result), *tables), result.notes, charts, cite)


def claim_title(result: Claim) -> str:
    """The claim."""
    return f"Claim: {result.system} beats {result.other} by {result.metric}"


def headline(result: Claim) -> str:
    """Whether the claim holds."""
    pair = result.pair
    worse = pair.p < result.fragility.alpha and pair.difference < 0
    verb = "significantly better" if result.holds else "significantly worse" if worse else "not significantly better"
    tested = f"{pair.difference:+.4f}, {p_phrase(pair.p)}, {TESTS[result.fragility.test]}"
    return f"{result.system} is {verb} than {result.other} by {result.metric} ({tested})."


def claim_tiles(result: Claim) -> tuple[Tile, ...]:
    """The four answers, from the numbers of the four analyses."""
    return (_user_tile(result), _judgement_tile(result), _analysis_tile(result), _tie_tile(result))


def _user_tile(result: Claim) -> Tile:
    found = result.dominance
    pair, way = found.direction(result.system, result.other)
    sentences = pair_sentences(found, result.system, result.other)
    if found.dominates[pair].all():
        figure, label = "no user", "finds a difference"
    elif found.dominates[pair, 1 - way]:
        figure, label = "no user", f"prefers {result.system}"
    elif found.dominates[pair, way]:
        figure = "every user"
        label = "agrees, significantly" if found.significant[pair, way] else "agrees on the means; not significant"
    else:
        figure, label = f"rank {int(found.worst_k[pair, way])}", f"a user who stops there prefers {result.other}"
    return Tile("dominance", "the user", figure, label, sentences)


def _judgement_tile(result: Claim) -> Tile:
    pair = result.pair
    if not result.holds:
        sentence = f"{result.system} is not significantly better, so there is nothing to undo."
        return Tile("fragility", "judgements", "–", "nothing to undo", (sentence,))
    if pair.changes is None:
        return Tile("fragility", "judgements", "none", "found that undo it", (changes_sentence(pair),))
    exactly = "" if pair.exactly else "≤ "
    label = "changed judgement undoes it" if pair.changes == 1 else "changed judgements undo it"
    more = [limit_sentence(pair.limit)] if pair.limit else []
    if result.fragility.assessors:
        more.append(f"Of simulated assessors, {percent_text(pair.undone, 0)} undo it; {range_phrase(pair)}.")
    return Tile("fragility", "judgements", f"{exactly}{pair.changes}", label, (changes_sentence(pair), *more))


def _analysis_tile(result: Claim) -> Tile:
    found = result.multiverse
    significant = int(found.significant.sum())
    return Tile(
        "multiverse",
        "the analysis",
        f"{significant:,} of {found.p.size:,}",
        f"analyses find {result.system} significantly better",
        (joint_sentence(found, result.system),),
    )


def _tie_tile(result: Claim) -> Tile:
    found = result.ties
    if not found.tied.any():
        return Tile("ties", "tied results", "none", "in these lists", ("No list has tied results.",))
    low, high = _tie_ends(result)
    if high - low <= 1e-10:
        sentence = "The order of tied results does not move the difference."
        return Tile("ties", "tied results", "no effect", "on the difference", (sentence,))
    changes = bool(found.could_change(*found.ends)[0, 0])
    sampled = bool(found.sampled[0])
    what = (
        "could reverse the order" if changes else "did not change the order" if sampled else "cannot change the order"
    )
    orders = "the orders that were tried" if sampled else "all their orders"
    if f"{low:+.4f}" == f"{high:+.4f}":
        sentence = f"Tied results {what}: over {orders} the difference changes by less than 0.0001."
        return Tile("ties", "tied results", f"{low:+.4f}", f"difference over {orders}", (sentence,))
    sentence = f"Tied results {what}: over {orders} the difference is {low:+.4f} to {high:+.4f}."
    return Tile("ties", "tied results", f"{low:+.4f} to {high:+.4f}", f"difference over {orders}", (sentence,))


def _tie_ends(result: Claim) -> tuple[float, float]:
    """The least and the largest difference over all orders of tied results, the system of the claim minus the other."""
    least, largest = (float(each[0, 0]) for each in result.ties.ends)
    ends = (least, largest) if result.ties.systems[0] == result.system else (-largest, -least)
    return ends if result.ties.higher_is_better[0] else (-ends[1], -ends[0])


def _summary_table(result: Claim) -> Table:
    pair = result.pair
    row: tuple[Cell, ...] = (
        *(result.system, result.other, result.metric, pair.difference, float(pair.t[0]), pair.p),
        "yes" if result.holds else "no",
    )
    columns = ("system", "other", "metric", "difference", "t", "p", "holds")
    return Table("claim", columns, (row,), "The claim", p_columns=("p",), main=True, detail=True)


def _part_table(result: Claim, name: str) -> Table:
    """The main numbers of one analysis, for machines and with --full."""
    part, pair = getattr(result, name), result.pair
    columns: dict[str, Any]
    if name == "fragility":
        columns = {
            "changes": pair.changes, "exactly": "yes" if pair.exactly else "no", "at least": pair.at_least,
            "topics": pair.topics, "probability undone": pair.undone, "probability reversed": pair.reversed,
            "undone low": pair.undone_range[0], "undone high": pair.undone_range[1],
        }  # fmt: skip
    elif name == "multiverse":
        columns = {
            "specifications": part.p.size, "ahead": part.ahead * len(part.tests),
            "significant": int(part.significant.sum()), **{f"p: {key}": p for key, p in part.joint.items()},
        }  # fmt: skip
    elif name == "ties":
        low, high = _tie_ends(result)
        changes = bool(part.could_change(*part.ends)[0, 0])
        columns = {"tied lists": int(np.sum(part.tied)), "least": low, "largest": high}
        columns |= {"could change": "yes" if changes else "no"}
    else:
        whole = next(table for table in view_of(part, labels=False).tables if "worst k" in table.columns)
        row = next(each for each in whole.rows if each[:2] == (result.system, result.other))
        columns = dict(zip(whole.columns[2:], row[2:], strict=True))
    return Table(name, tuple(columns), (tuple(columns.values()),), name.capitalize(), detail=True)
