"""trec_eval's measures of preferences, whose loops over pairs of documents are those of `test_preferences`."""

from collections.abc import Mapping
from typing import Any

import polars as pl

import irassay as ia
from tests.metrics.formulas.rankings import transcribes
from tests.metrics.test_preferences import Judgement, by_loops, random_cases


def preferences(metrics: list[str]) -> tuple[ia.Scores, Mapping[str, Any]]:
    """Scores of lists by preferences between documents, and the judgements and runs by topic."""
    cases = {f"{t}": case for t, case in enumerate(random_cases(200))}
    rows = [(topic, *row) for topic, (judgements, _) in cases.items() for row in judgements]
    frame = pl.DataFrame(rows, schema=["topic", "subtopic", "subgroup", "doc", "grade"], orient="row")
    runs = {topic: run for topic, (_, run) in cases.items()}
    return ia.score({"run": runs}, frame, metrics, qrels_format="prefs"), cases


def value(case: tuple[list[Judgement], dict[str, float]], name: str) -> float:
    """A measure of one topic by plain loops."""
    judgements, run = case
    return by_loops(judgements, sorted(run, key=lambda doc: (-run[doc], doc)))[name]


@transcribes(preferences, "NumPrefs")
def NumPrefs(case: Any) -> float:
    return value(case, "prefs_num_prefs_poss")


@transcribes(preferences, "NumPrefsMet", "NumPrefsMet(pairs='both')")
def NumPrefsMet(case: Any, pairs: str = "all") -> float:
    return value(case, "prefs_num_prefs_ful" + ("_ret" if pairs == "both" else ""))


@transcribes(preferences, "Prefs", "Prefs(each='pair')", "Prefs(each='group')", "Prefs(pairs='any')")
def Prefs(case: Any, each: str = "preference", pairs: str = "all") -> float:
    measure = {"preference": "prefs_simp", "pair": "prefs_pair", "group": "prefs_avgjg"}[each]
    return value(case, measure + {"all": "", "any": "_imp", "both": "_ret"}[pairs])


@transcribes(preferences, "PrefsRnonrel", "PrefsRnonrel(pairs='both')")
def PrefsRnonrel(case: Any, pairs: str = "all") -> float:
    return value(case, "prefs_avgjg_Rnonrel" + ("_ret" if pairs == "both" else ""))
