"""Axioms: the counts of the paper, the oracles, and the sentences about violations."""

import csv
import itertools
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.axioms.checks import CHECKS
from irassay.meta.axioms.closure import lowest_reachable_scores, relation_graph
from irassay.meta.axioms.enumerated_scores import full_scores, tolerance, tree_scores
from irassay.meta.axioms.exact_scores import exact_score, exact_scores
from irassay.meta.axioms.feasibility import scorable_metrics
from irassay.meta.axioms.induction import Forest, relations
from irassay.meta.axioms.method import GROUPS, axioms
from irassay.meta.axioms.relations import AXIOMS, Axiom, Pairs, axiom, named_axiom
from irassay.meta.axioms.witness import distinct_pairs
from irassay.metrics.grammar import parse
from irassay.parallel import context
from irassay.rankings.enumeration import Space, Strings
from irassay.results import load
from irassay.views.formats import view_text
from irassay.views.view import view_of
from tests.golden.axiom_table import COLUMNS, MORE, TABLE, built_in, table

THREE = ("relevance", "irrelevance", "redundancy")
# TREC Web, TREC Dynamic Domain and the ad hoc set of albahem2018.
PAPER = """ACT AP_IA CT nCT RR P@5 P@10 nDCG@5 nDCG@10 AP StRecall@5 StRecall@10 StRecall@20 P_IA@5 P_IA@10 P_IA@20
alpha_DCG@5 alpha_DCG@10 alpha_DCG@20 alpha_nDCG@5 alpha_nDCG@10 alpha_nDCG@20 ERR_IA@5 ERR_IA@10 ERR_IA@20
nERR_IA@5 nERR_IA@10 nERR_IA@20 NRBP nNRBP""".split()


def of(space: Space, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    pairs = list(relations(space, [named_axiom(name) for name in names]))
    return tuple(np.concatenate(side) for side in zip(*pairs, strict=True))  # type: ignore[return-value]


# ---------------------------------------------------------------- the paper


def test_table_1_of_the_paper() -> None:
    found = axioms(PAPER)
    assert found.cases[0, :, 0].tolist() == [59_046, 29_523, 2_026]
    assert found.cases[0, :, 1].tolist() == [59_048, 29_524, 2_026]
    broken = {m: found.violations[i, :, 0].tolist() for i, m in enumerate(found.metrics) if not found.all_hold[i]}
    assert broken == {"ACT": [0, 29_496, 0], "AP_IA": [0, 0, 2_026]}


def test_as_fractions_the_counts_are_the_same() -> None:
    found = axioms(["ACT", "AP_IA", "CT", "nDCG@10"], exact=True)
    assert found.exact == (True, True, True, False)
    assert found.violations[:, :, 0].tolist() == [[0, 29_496, 0], [0, 0, 2_026], [0, 0, 0], [0, 0, 0]]


def test_the_27_cases_in_which_act_does_not_rise() -> None:
    space = Space.of(2, 10)
    score = full_scores([parse("ACT")], space)[0]
    worse, better = of(space, ("irrelevance",))
    held = better[(better > 0) & ~(score[worse] > score[better] + tolerance(score))]
    texts = {space.text(i) for i in held}
    assert texts == {"x" * j for j in range(1, 10)} | {r + "x" * j for r in "ab" for j in range(9)}


def test_worked_examples_of_the_paper() -> None:
    space = Space.of(2, 4, pool=5)
    act, ap = tree_scores(parse("ACT"), space), tree_scores(parse("AP_IA"), space)
    assert [round(act[space.index(text)], 4) for text in ("ab", "abx")] == [0.0750, 0.0833]
    assert ap[space.index("axxa")] == pytest.approx(0.150, abs=1e-12)
    assert ap[space.index("axxb")] == pytest.approx(0.125, abs=1e-12)


def test_five_judged_documents_an_aspect() -> None:
    assert axioms(["AP_IA"], pool=5).count("AP_IA", "redundancy") == (1_254, 2_026)
    assert axioms(["AP_IA"], pool=5, exact=True).count("AP_IA", "redundancy") == (1_254, 2_026)


def test_with_one_aspect() -> None:
    found = axioms(["ACT", "AP_IA"], aspects=1)
    assert found.count("ACT", "irrelevance")[0] > 0
    assert found.count("AP_IA", "redundancy") == (0, 0)
    assert found.all_hold == (False, True)
    assert any("Redundancy has no cases" in sentence for sentence in view_of(found).sentences)


# ---------------------------------------------------------------- counts of cases


@pytest.mark.parametrize(("m", "h"), [(1, 4), (2, 3), (2, 5), (2, 8), (3, 4), (4, 3)])
def test_cases_are_as_many_as_the_closed_forms_say(m: int, h: int) -> None:
    q, space = m + 1, Space.of(m, h)
    lengths = range(1, h + 1)

    def sigma(length: int, seen: int) -> int:
        return sum((-1) ** (seen - j) * math.comb(seen, j) * (j + 1) ** length for j in range(seen + 1))

    expected = {
        "relevance": q**h - q,
        "irrelevance": (q**h - q) // m,
        "redundancy": sum(math.comb(m, u) * sigma(n, u) * u * (m - u) for n in range(1, h) for u in range(m + 1)),
        "priority": sum((n - 1) * m * q ** (n - 2) for n in lengths if n > 1),
        "swap": sum(math.comb(n, 2) * m * q ** (n - 2) for n in lengths if n > 1),
        "replacement": sum(n * m * q ** (n - 1) for n in lengths),
        "top_heaviness": sum(math.comb(n - 2, 2) * m * q ** (n - 4) for n in lengths if n > 3),
        "monotonicity": (q**h - q) // m * q,
    }
    found = axioms(["P"], axioms=tuple(expected), aspects=m, depth=h, induction=False)
    assert found.cases[0, :, 0].tolist() == list(expected.values())
    assert space.size == (q ** (h + 1) - 1) // m


def test_cases_with_two_aspects_at_depth_8_and_10() -> None:
    names = ("priority", "swap", "replacement", "top_heaviness", "monotonicity")
    eight = axioms(["RR"], axioms=names, depth=8, induction=False).cases[0, :, 0]
    assert eight.tolist() == [14_216, 54_128, 49_208, 3_098, 9_837]
    ten = axioms(["RR"], axioms=names, depth=10, induction=False).cases[0, :, 0]
    assert ten.tolist() == [167_306, 802_082, 560_966, 54_128, 88_569]


def test_cases_with_three_grades() -> None:
    found = axioms(["RBP"], axioms=("priority", "replacement", "top_heaviness"), grades=2, depth=5)
    assert found.space.aspects == 1 and found.cases[0, :, 0].tolist() == [426, 1_094, 30]
    assert found.all_hold == (True,)


# ---------------------------------------------------------------- induction


def test_closure_counts_of_the_oracle(oracles: Path) -> None:
    known = json.loads((oracles / "meta/axioms/counts.json").read_text())
    for key, counts in known.items():
        if key.startswith("m="):
            m, h = (int(part[2:]) for part in key.split(","))
            space = Space.of(m, h)
            closure = Forest(space, [named_axiom(name) for name in THREE]).relation_counts()
            direct = [sum(len(w) for w, _ in relations(space, [named_axiom(name)])) for name in THREE]
            assert space.size == counts["nodes"]
            assert direct == [counts["including_empty"][kind] for kind in ("rel", "irr", "red")]
            for empty, side in enumerate(("excluding_empty", "including_empty")):
                assert closure[empty] == counts[side]["proper_closure"]


def test_violations_of_the_closure_of_the_oracle(oracles: Path) -> None:
    known = json.loads((oracles / "meta/axioms/counts.json").read_text())["violations_m2_h10_excluding_empty"]
    for exact in (False, True):
        found = axioms(["ACT", "AP_IA"], exact=exact).induced
        assert found is not None
        assert found.cases.tolist() == [763_270, 765_323]
        for m, name in enumerate(("ACT", "AP-IA")):
            expected = known[name]["exact_rational"]
            assert found.broken[m, 0] == expected["induced_only"]
            assert found.closure_broken[m, 0] == expected["proper_closure"]
    assert found.broken[:, 0].tolist() == [51_844, 4_866]


def test_every_relation_of_the_oracle(oracles: Path) -> None:
    space = Space.of(2, 3)
    with (oracles / "meta/axioms/relations_m2_h3.csv").open() as lines:
        rows = [
            (r["worse"].replace("<empty>", "∅"), r["better"].replace("<empty>", "∅"), r["kind"])
            for r in csv.DictReader(lines)
        ]
    for kind, name in (("rel", "relevance"), ("irr", "irrelevance"), ("red", "redundancy")):
        worse, better = of(space, (name,))
        ours = {(space.text(w), space.text(b)) for w, b in zip(worse, better, strict=True)}
        assert ours == {(w, b) for w, b, k in rows if k == kind}
    reach = lowest_reachable_scores(relation_graph(space.size, *of(space, THREE)), np.arange(space.size))
    assert len(rows) == Forest(space, [named_axiom(name) for name in THREE]).relation_counts()[1]
    for w, b, _ in rows:
        assert reach[space.index(w)] <= space.index(b)


SMALL = [Space.of(1, 5), Space.of(2, 4), Space.of(3, 3), Space.of(2, 3, multi_aspect=True), Space.of(1, 4, grades=2)]
SUBSETS = [names for size in (1, 2, 3) for names in itertools.combinations(THREE, size)]


@pytest.mark.parametrize("space", SMALL, ids=lambda s: f"{s.aspects}-{s.depth}-{s.q}")
@pytest.mark.parametrize("names", SUBSETS, ids="+".join)
def test_closed_form_bits_and_brute_force_agree(space: Space, names: tuple[str, ...]) -> None:
    worse, better = (
        of(space, names)
        if any(True for _ in relations(space, [named_axiom(n) for n in names]))
        else (np.zeros(0, int),) * 2
    )
    scores = np.random.default_rng(3).integers(0, 6, space.size).astype(float)
    forest, bits = Forest(space, [named_axiom(name) for name in names]), relation_graph(space.size, worse, better)
    follows = brute_force(space.size, worse, better)
    broken = follows & (scores[:, None] > scores[None] + 1e-9)
    for known in (forest, bits):
        assert known.relation_counts().tolist() == [follows[1:, 1:].sum(), follows.sum()]
        assert known.violation_counts(scores, 1e-9).tolist() == [broken[1:, 1:].sum(), broken.sum()]
    assert forest.widest_violation(scores, 1e-9) == bits.widest_violation(scores, 1e-9)


def test_axioms_that_contradict_each_other_form_cycles() -> None:
    space = Space.of(2, 4)
    worse, better = of(space, ("monotonicity", "irrelevance", "swap", "replacement"))
    scores = np.random.default_rng(4).integers(0, 6, space.size).astype(float)
    follows = brute_force(space.size, worse, better)
    broken = follows & (scores[:, None] > scores[None] + 1e-9)
    bits = relation_graph(space.size, worse, better)
    assert bits.group_count < space.size
    assert bits.relation_counts().tolist() == [follows[1:, 1:].sum(), follows.sum()]
    assert bits.violation_counts(scores, 1e-9).tolist() == [broken[1:, 1:].sum(), broken.sum()]


def brute_force(nodes: int, worse: np.ndarray, better: np.ndarray) -> np.ndarray:
    """[node, node] what follows, by multiplying the relation with itself until nothing is new."""
    follows = np.zeros((nodes, nodes), dtype=np.float32)
    follows[worse, better] = 1
    while True:
        more = ((follows + follows @ follows) > 0).astype(np.float32)
        if (more == follows).all():
            np.fill_diagonal(more, 0)
            return more.astype(bool)
        follows = more


def test_what_breaks_no_stated_relation_breaks_none_that_follows() -> None:
    found = axioms(["RBP", "alpha_nDCG", "StRecall", "RBU", "ACT"], axioms=(*THREE, "swap"), depth=5)
    assert found.induced is not None
    stated, following = found.induced.direct_broken[:, 1] > 0, found.induced.closure_broken[:, 1] > 0
    assert stated.tolist() == following.tolist() == [False, False, False, True, True]


# ---------------------------------------------------------------- fractions

RULES = """P P@3 R AP AP@3 RR Rprec Success@2 ERR RBP RBP(p=0.95)@4 StRecall StRecall@2 P_IA P_IA@3 AP_IA ERR_IA@5
NRBP NRBP(alpha=0.2,beta=0.8) RBU RBU(p=0.99,e=0.05) CT ACT ACT(gamma=0.9,MH=1.0) nCT nCT(gamma=0.3,MH=2.0)@2""".split()


@pytest.mark.parametrize("text", RULES)
@pytest.mark.parametrize(
    "space",
    [Space.of(2, 5), Space.of(2, 5, pool=2), Space.of(3, 3, weights=(5, 3, 2)), Space.of(2, 3, multi_aspect=True)],
    ids=["plain", "small pool", "weights", "several aspects"],
)
def test_fractions_are_the_metric_itself(text: str, space: Space) -> None:
    asked = parse(text)
    exact, scores = exact_scores(asked, space), full_scores([asked], space)[0]
    assert exact is not None
    assert exact.floats == pytest.approx(scores, abs=1e-12)
    for index in range(0, space.size, 17):
        one = exact_score(asked, space, space.decoded(index))
        assert one == Fraction(int(exact.numerator[index]), exact.denominator)


def test_fractions_too_long_for_machine_integers() -> None:
    space, asked = Space.of(1, 9), parse("RBP(p=0.987654321)")
    exact = exact_scores(asked, space)
    assert exact is not None and exact.numerator.dtype == object
    assert exact.floats == pytest.approx(full_scores([asked], space)[0], abs=1e-12)
    found = axioms([asked], aspects=1, depth=9, exact=True)
    assert found.exact == (True,) and found.all_hold == (True,)


@pytest.mark.parametrize("text", ["nDCG@5", "INST", "RBP(A='MAX')", "ERR_IA", "alpha_nDCG@5"])
def test_metrics_without_a_rule_stay_in_floating_point(text: str) -> None:
    assert exact_scores(parse(text), Space.of(2, 4)) is None


# ---------------------------------------------------------------- witnesses


def test_the_smallest_violation_in_words() -> None:
    found = axioms(["ACT", "AP_IA"], witnesses=3, depth=5)
    act, ap = found.witness("ACT", "irrelevance"), found.witness("AP_IA", "redundancy")
    assert act is not None and (act.worse, act.better) == ("aax", "aa")
    assert (act.worse_exact, act.better_exact) == (Fraction(1, 15), Fraction(1, 16))
    assert act.margin == pytest.approx(1 / 15 - 1 / 16)
    assert act.sentence == (
        "A result that is not relevant, added at the end, should not raise the score. "
        "But ACT scores aax at 0.0667 (= 1/15) and aa at 0.0625 (= 1/16)."
    )
    assert ap is not None and (ap.worse, ap.better) == ("aa", "ab")
    assert [(w.worse, w.better) for w in found.witnesses if w.metric == "ACT"] == [
        ("aax", "aa"),
        ("abx", "ab"),
        ("xax", "xa"),
    ]


def test_no_two_witnesses_differ_only_in_names() -> None:
    space = Space.of(3, 3)
    pairs = [(space.index("cca"), space.index("ccb")), (space.index("aab"), space.index("aac")), (1, 2)]
    assert distinct_pairs(space, pairs, 10) == [pairs[0], pairs[2]]
    uneven = Space.of(3, 3, weights=(3, 2, 1))
    assert distinct_pairs(uneven, pairs, 10) == pairs


def test_no_violation_of_the_paper_is_shorter_than_the_witness() -> None:
    found = axioms(["RBU", "AP(A='ERG')"], axioms=(*THREE, "replacement"), depth=6)
    space = found.space
    for witness in found.witnesses:
        s = tree_scores(parse(witness.metric), space)
        worse, better = of(space, (witness.axiom.name,))
        bad = (s[worse] > s[better] + tolerance(s)) & (worse > 0) & (better > 0)
        longest = [
            max(len(space.decoded(w)), len(space.decoded(b))) for w, b in zip(worse[bad], better[bad], strict=True)
        ]
        assert min(longest) == max(len(witness.worse), len(witness.better))
        assert witness.worse_score - witness.better_score == witness.margin > 0


# ---------------------------------------------------------------- more axioms


def test_strict_variants_count_ties() -> None:
    found = axioms(["P@3", "RBP"], axioms=("strict_irrelevance", "strict-priority", "priority"), aspects=1, depth=5)
    assert [a.name for a in found.axioms] == ["strict_irrelevance", "strict_priority", "priority"]
    assert found.violations[:, :, 0].tolist()[1] == [30, 0, 0]  # to RBP a list cut short is as good
    assert found.count("P@3", "strict_priority")[0] > 0 == found.count("P@3", "priority")[0]
    tie = found.witness("P@3", "strict_priority")
    assert tie is not None and "should raise the score. But P@3 scores both xa and ax at 0.3333" in tie.sentence


def test_axioms_about_the_first_k_results_use_the_cutoff_of_the_metric() -> None:
    found = axioms(["P@2", "P@4", "RBP"], axioms=("convergence", "top_weightedness"), aspects=1, depth=5)
    cases = found.cases[:, 0, 0].tolist()
    assert cases[0] < cases[1] < cases[2]
    assert found.violations[:, 0, 0].tolist() == [0, 0, 0]
    assert found.violations[:, 1, 0].tolist()[2] == 0 and (found.violations[:2, 1, 0] == found.cases[:2, 1, 0]).all()


def test_graded_relevance_finds_the_catalogue_s_counterexamples() -> None:
    found = axioms(["BPM", "INST(T=2.25,A='MAX')", "NERR8@4", "RBP"], axioms=("replacement",), grades=2, depth=4)
    assert found.all_hold == (False, False, True, True)
    space = found.space
    bpm = tree_scores(parse("BPM"), space)
    assert bpm[space.index("1,0,0,2")] == pytest.approx(0.375) and bpm[space.index("1,0,1,2")] == pytest.approx(1 / 3)
    witness = found.witness("INST(T=2.25,A='MAX')", "replacement")
    assert witness is not None and witness.worse_score > witness.better_score


def test_ap_breaks_top_heaviness_from_depth_8() -> None:
    assert axioms(["AP"], axioms=("top_heaviness",), aspects=1, depth=7).all_hold == (True,)
    found = axioms(["AP"], axioms=("top_heaviness",), aspects=1, depth=8, pool=5, witnesses=9)
    pairs = {(w.worse, w.better): (w.worse_score * 5, w.better_score * 5) for w in found.witnesses}
    assert pairs["xxxxxaax", "xxxxaxxa"] == pytest.approx((0.452381, 0.45), abs=1e-6)


def test_weights_restrict_redundancy_to_aspects_that_weigh_no_less() -> None:
    found = axioms(["IA(metric='RR')", "AP_IA"], weights=(0.7, 0.3), depth=6)
    even = axioms(["IA(metric='RR')", "AP_IA"], depth=6)
    assert found.cases[0, 2, 0] * 2 == even.cases[0, 2, 0]
    assert found.count("IA(metric='RR')", "redundancy")[0] == 0


def test_documents_about_several_aspects() -> None:
    found = axioms(["alpha_nDCG", "ACT"], multi_aspect=True, depth=5)
    assert found.space.q == 4 and found.cases[0, 0, 0] == 4**5 - 4
    assert found.count("ACT", "irrelevance")[0] > 0 and found.all_hold[0]


@pytest.fixture
def front() -> Iterator[Axiom]:
    @axiom("front", cite="me2026")
    def front(s: Strings) -> Iterator[Pairs]:
        """The first result should count at least as much as the second."""
        if s.length >= 2:
            rows = s.below(0, 1)
            yield s.index[rows], s.exchanged(0, 1)[rows]

    yield front
    del AXIOMS["front"]


def test_a_user_defined_axiom(front: Axiom) -> None:
    found = axioms(["RR", "P@5"], axioms=("front", "strict_front"), aspects=1, depth=4)
    assert found.violations[:, :, 0].tolist() == [[0, 0], [0, 7]]
    assert "me2026" in found.cite
    with pytest.raises(InputError, match="already"):
        axiom("front")(front.relation)


def test_an_axiom_that_yields_no_valid_ranking_is_refused() -> None:
    def beyond(s: Strings) -> Iterator[Pairs]:
        """Nothing."""
        yield s.index, s.then(0)

    wrong = Axiom("beyond", "beyond", beyond)
    with pytest.raises(InputError, match="more than 2 results"):
        list(wrong.pairs(Space.of(1, 2).strings(2)))


def mistaken(relation: object) -> str:
    wrong = Axiom("mine", "mine", relation)  # type: ignore[arg-type]
    with pytest.raises(InputError) as told:
        list(wrong.pairs(Space.of(1, 2).strings(1)))
    return str(told.value)


def test_mistakes_in_a_user_defined_axiom_name_file_and_line() -> None:
    def materialized_runs(s: Strings) -> Iterator[object]:
        """Nothing should be."""
        for ranking in s:  # type: ignore[var-annotated]
            yield ranking, ranking

    def strings(s: Strings) -> Iterator[object]:
        """Nothing should be."""
        yield "ab", "ba"

    def masks(s: Strings) -> Iterator[object]:
        """Nothing should be."""
        yield s.index, s.letters[:, 0] == 0

    def crash(s: Strings) -> Iterator[object]:
        """Nothing should be."""
        yield s.index, s.nowhere  # type: ignore[attr-defined]

    assert "test_axioms.py, line" in mistaken(materialized_runs) and "one by one" in mistaken(materialized_runs)
    assert "yields a tuple of 'ab' and 'ba'; expected (worse, better)" in mistaken(strings)
    assert "an array of bool" in mistaken(masks) and "test_axioms.py, line" in mistaken(masks)
    assert "mine: AttributeError" in mistaken(crash)


EXAMPLE = Path(__file__).parents[2] / "examples" / "eager.py"
DOCS = Path(__file__).parents[2] / "docs" / "axioms.md"


def test_the_example_of_the_documentation_runs_from_the_command_line() -> None:
    assert EXAMPLE.read_text(encoding="utf-8").split('"""\n\n', 1)[1] in DOCS.read_text(encoding="utf-8")
    command = [sys.executable, "-m", "irassay", "axioms", "-m", "RR", "-m", "P@2", "--depth", "4", "--jobs", "1"]
    command += ["-p", "eager", "-p", "strict_eager", "--define", str(EXAMPLE), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "None of 2 metrics breaks any of these: eager, strict eager" in done.stdout


def test_the_documentation_lists_every_axiom_check_and_group() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for one in (*AXIOMS.values(), *CHECKS.values()):
        assert f"| `{one.name}` | {one.summary} | {' '.join(one.cite)} |" in text, one.name
    for group, names in GROUPS.items():
        assert f"| `{group}`" in text and ", ".join(f"`{name}`" for name in names) in text


def test_one_metric_and_one_axiom_may_be_plain_strings() -> None:
    one = axioms("ACT", axioms="irrelevance", depth=3)
    assert one.count("ACT", "irrelevance") == axioms(["ACT"], axioms=["irrelevance"], depth=3).count(
        "ACT", "irrelevance"
    )


# ---------------------------------------------------------------- named checks


def verdicts(metrics: list[str], names: tuple[str, ...], **options: int) -> dict[tuple[str, str], bool | None]:
    found = axioms(metrics, axioms=names, **{"aspects": 1, "depth": 6} | options)
    return {(v.metric, v.check.name): v.finding.holds for v in found.verdicts}


def test_numeric_checks() -> None:
    asked = ["P@5", "RBP", "AP", "nDCG@5", "R@3", "DCG", "alpha_nDCG@5", "Rprec", "StRecall@5", "bpref", "Q", "nERR"]
    found = verdicts(asked, ("boundedness", "localisation", "completeness", "realisability"))
    local = {metric for (metric, name), holds in found.items() if name == "localisation" and holds}
    assert local == {"P@5", "RBP", "DCG", "StRecall@5"}
    assert not found["DCG", "boundedness"] and found["P@5", "boundedness"]
    assert all(holds for (_, name), holds in found.items() if name == "completeness")
    reached = {metric for (metric, name), holds in found.items() if name == "realisability" and holds}
    assert reached == {"AP", "nDCG@5", "Rprec", "StRecall@5", "bpref", "Q", "nERR"}
    assert found["DCG", "realisability"] is None


def test_findings_of_checks_say_what_was_judged() -> None:
    found = axioms(["AP", "RR", "P@5"], axioms=("localisation", "realisability"), aspects=1, grades=2, depth=6)
    sentences = {(v.metric, v.check.name): v.finding.sentence for v in found.verdicts}
    pools = "at 0.08333 if 6 documents of each grade are relevant, and at 0.5 if 1 is."
    assert sentences["AP", "localisation"] == f"AP scores the ranking 1 {pools}"
    assert sentences["RR", "localisation"].endswith("whether 1, 6 or 12 documents of each grade are relevant.")
    assert sentences["P@5", "realisability"].startswith(
        "If 1 document of each grade is relevant, no ranking of up to 5 results"
    )


def test_a_cutoff_deeper_than_the_enumeration_cannot_be_realised_or_not() -> None:
    assert verdicts(["P@10"], ("realisability",)) == {("P@10", "realisability"): None}


def test_design_goals_of_user_models() -> None:
    asked = ["P@10", "RBP(p=0.73)", "RBP(p=0.95)", "INSQ", "aINSQ", "INST", "RR", "AP", "P"]
    found = verdicts(asked, ("moffat2012",))
    goals = GROUPS["moffat2012"]
    table = {metric: tuple(found[metric, goal] for goal in goals) for metric in asked}
    assert table == {
        "P@10": (True, False, False, False, False),
        "RBP(p=0.73)": (True, False, True, False, False),
        "RBP(p=0.95)": (True, True, True, False, False),
        "INSQ": (True, True, True, False, True),
        "aINSQ": (True, True, True, True, True),
        "INST": (True, True, True, True, True),
        "RR": (True, False, True, True, False),
        "AP": (False, None, None, None, None),
        "P": (True, False, True, False, False),
    }


def test_thresholds() -> None:
    found = axioms(["P@10", "RR", "AP"], axioms=("deepness", "closeness"), aspects=1, depth=10)
    findings = {(v.metric, v.check.name): v.finding for v in found.verdicts}
    assert findings["P@10", "deepness"].holds is False and "up to n = 5" in findings["P@10", "closeness"].sentence
    assert "from n = 1 on" in findings["RR", "deepness"].sentence and findings["RR", "closeness"].holds is False
    assert findings["AP", "closeness"].holds is True


# ---------------------------------------------------------------- samples


def test_a_sample_finds_what_lies_deeper_and_says_that_it_is_one() -> None:
    found = axioms(
        ["AP", "ACT", "RBP"], axioms=("top_heaviness", "irrelevance"), aspects=1, depth=40, sample=600, seed=2
    )
    assert found.sampled == 600 and found.induced is None
    assert found.count("ACT", "irrelevance")[0] > 0 and found.count("RBP", "irrelevance")[0] == 0
    witness = found.witness("AP", "top_heaviness")
    assert witness is not None and len(witness.worse) < 15  # taken apart until nothing can go
    assert witness.worse_score > witness.better_score
    seen = view_of(found)
    assert seen.sentences[1].startswith("Tested on a sample") and any(
        "may still be violations" in note for note in seen.notes
    )
    with context(jobs=3):
        again = axioms(
            ["AP", "ACT", "RBP"], axioms=("top_heaviness", "irrelevance"), aspects=1, depth=40, sample=600, seed=2
        )
    assert again.cases.tolist() == found.cases.tolist() and again.witnesses == found.witnesses


def test_witnesses_of_a_sample_go_by_the_first_aspects() -> None:
    for seed in range(4):
        found = axioms(["ACT", "AP_IA"], axioms=("irrelevance", "redundancy"), depth=20, sample=300, seed=seed)
        assert found.witnesses and all(w.worse.strip("x")[0] == "a" for w in found.witnesses)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("metrics", "options", "words"),
    [
        (["AP"], {"axioms": ["relevence"]}, "did you mean relevance"),
        (["AP"], {"axioms": ["fairness"]}, r"there are relevance, .* moffat2012 \(docs/axioms.md\)"),
        (
            ["AP"],
            {"depth": 40},
            r"18,236,498,188,585,393,201 rankings of up to 40 .* years; lower the depth to 15 .*sample=",
        ),
        (["TotTime"], {}, "TotTime needs document lengths"),
        (["EU"], {}, "EU needs document lengths and passages"),
        (["TBG"], {}, "TBG needs document lengths, which an enumerated ranking does not have; leave it out$"),
        (["GP"], {}, "a probability for each grade"),
        ([], {}, "nothing to test"),
        (["AP"], {"axioms": []}, "nothing to test"),
        (["AP"], {"witnesses": -1}, "witnesses"),
        (["AP"], {"aspects": 5}, "aspects must be .* found 5"),
        (["AP"], {"depth": 0}, "depth must be .* found 0"),
        (["AP"], {"grades": 10}, "grades must be .* found 10"),
        (["AP"], {"pool": 0}, "pool must be a whole number from 1 to 100,000; found 0"),
        (["AP"], {"sample": 0}, "sample must be .* found 0"),
        (
            ["AP"],
            {"sample": 5, "axioms": ["boundedness"]},
            "needs every ranking, not a sample; leave out sample, or boundedness",
        ),
        (["nope"], {}, "there is no metric nope"),
    ],
)
def test_bad_questions_are_answered_in_words(metrics: list[str], options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        axioms(metrics, **options)  # type: ignore[arg-type]


def test_an_axiom_needs_a_docstring_and_a_name() -> None:
    def no_pairs(s: Strings) -> list[Pairs]:
        """Nothing should be."""
        return []

    with pytest.raises(InputError, match="docstring"):
        axiom("wordless")(lambda s: [])
    for name in ("two words", "strict_one"):
        with pytest.raises(InputError, match="cannot be"):
            axiom(name)(no_pairs)


# ---------------------------------------------------------------- the whole catalogue


@pytest.fixture(scope="module")
def golden() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def test_the_whole_catalogue(golden: list[dict[str, str]]) -> None:
    ours = [dict(zip(COLUMNS, row, strict=True)) for row in table()]
    exact = ("metric", "property", "cases", "violations", "worse", "better", "sentence")
    assert [[row[name] for name in exact] for row in ours] == [[row[name] for name in exact] for row in golden]
    for name in ("worse_score", "better_score"):
        assert [float(r[name] or 0) for r in ours] == pytest.approx([float(r[name] or 0) for r in golden], abs=1e-9)


def test_the_golden_table_leaves_no_metric_out(golden: list[dict[str, str]]) -> None:
    assert {parse(row["metric"]).name for row in golden} == set(built_in())
    assert {str(parse(metric)) for metric in MORE} <= {row["metric"] for row in golden}


def test_what_is_declared_monotone_is_monotone(golden: list[dict[str, str]]) -> None:
    for row in golden:
        if row["property"] == "replacement" and parse(row["metric"]).monotone:
            assert row["violations"] == "0", row["metric"]


# ---------------------------------------------------------------- the view


def test_the_view_says_counts_and_examples_in_every_format() -> None:
    found = axioms(["ACT", "AP_IA", "RBP"], axioms=("albahem2018", "boundedness"), depth=4, exact=True)
    seen = view_of(found)
    assert seen.sentences[0].startswith("2 of 3 metrics break some of these: ")
    assert seen.sentences[1] == "Tested on all 121 rankings of up to 4 results with 2 aspects."
    assert any(s.startswith("ACT breaks irrelevance monotonicity in 30 of 39 cases. A result") for s in seen.sentences)
    assert seen.sentences[-1] == "RBP breaks none of those tested."
    assert [table.name for table in seen.tables] == ["violations", "properties", "induced", "witnesses", "checks"]
    assert all(view_text(seen, form) for form in ("tsv", "csv", "json", "latex", "markdown"))
    results = json.loads(view_text(seen, "json"))["results"]
    assert results["properties"][1]["violations"] == 30 and results["witnesses"][0]["worse"] == "aax"
    assert "albahem2018" in seen.cite


def test_pictures_show_violations_in_red() -> None:
    found = axioms(["ACT", "AP_IA"], depth=3)
    charts = dict(view_of(found).charts)
    assert set(charts) == {"violations", "tree_relevance", "tree_irrelevance", "tree_redundancy", "tree_all"}
    red = {name: json.dumps(chart().to_dict()).count("#D50000") for name, chart in charts.items()}
    assert red["tree_relevance"] == 0 < red["tree_irrelevance"] and red["tree_redundancy"] > 0 < red["tree_all"]


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    with context(progress=lambda doing: lambda done, total: told.append((done, total))):
        axioms(["ACT", "RBP"], depth=5)
    assert told[-1] == (1000, 1000) and told == sorted(told)


def test_metrics_that_do_not_fit_together_give_the_same_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = axioms(["ACT", "AP_IA", "RBU"], axioms=(*THREE, "boundedness"), depth=5)
    monkeypatch.setattr("irassay.meta.axioms.method.SCORES_IN_MEMORY", 500)
    with context(jobs=2):
        parts = axioms(["ACT", "AP_IA", "RBU"], axioms=(*THREE, "boundedness"), depth=5)
    assert parts.violations.tolist() == whole.violations.tolist() and parts.witnesses == whole.witnesses
    assert parts.induced is not None and whole.induced is not None
    assert parts.induced.closure_broken.tolist() == whole.induced.closure_broken.tolist()
    assert len(parts.verdicts) == 3


def test_every_axiom_and_check_has_a_sentence_and_a_source() -> None:
    for one in (*AXIOMS.values(), *CHECKS.values()):
        assert one.summary.endswith(".") and one.cite, one.name


def test_a_refusal_says_which_inputs_are_missing() -> None:
    asked = ["AP", "EU", "TBG", "TBG(dialect='cwl')", "RBP(effort='words')", "IA(metric='U')", "GP"]
    possible, refused = scorable_metrics([parse(metric) for metric in asked], Space.of(2, 2))
    assert [str(metric) for metric in possible] == ["AP", "TBG(dialect='cwl')"]
    assert {str(refusal.metric): refusal.missing_inputs for refusal in refused} == {
        "EU": ("lengths", "passages"),
        "TBG": ("lengths",),
        "RBP(effort='words')": ("lengths",),
        "IA(metric='U')": ("lengths",),
        "GP": (),
    }
    assert refused[-1].sentence.startswith("GP cannot score enumerated rankings: h=(0.4,0.6) must have")


# ---------------------------------------------------------------- spellings of 0.1.0, and what is recorded


def test_the_former_spelling_of_the_keyword_works_and_the_new_one_is_recorded() -> None:
    former: Any = {"properties": ["swap"]}
    old, new = axioms("RR", depth=3, **former), axioms("RR", depth=3, axioms=["swap"])
    assert old.settings == new.settings and old.settings.axioms == ("swap",)
    assert old.settings.properties == old.settings["properties"] == ("swap",)
    assert old.properties == old.axioms and old.provenance()["parameters"]["properties"] == ["swap"]
    with pytest.raises(InputError, match="both axioms and properties"):
        axioms("RR", axioms=["swap"], **former)


def test_files_keep_the_names_of_0_1_0(tmp_path: Path) -> None:
    axioms(["AP_IA"], depth=3).save(tmp_path / "a.json")
    saved = json.loads((tmp_path / "a.json").read_text())["saved"]
    assert saved["properties"][0] == {"axiom": "relevance"} and saved["induced"]["properties"][0] == "relevance"
    assert "axioms" not in saved and load(tmp_path / "a.json").axioms == axioms(["AP_IA"], depth=3).axioms


@pytest.mark.parametrize("option", ["--axiom", "--property", "-p"])
def test_the_option_has_several_spellings(option: str) -> None:
    command = [sys.executable, "-m", "irassay", "axioms", "-m", "RR,P@2", "--depth", "3", option, "swap"]
    done = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert answer["parameters"]["properties"] == ["swap"]
    assert [(row["metric"], row["property"]) for row in answer["results"]["properties"]] == [
        ("RR", "swap"),
        ("P@2", "swap"),
    ]


def test_metrics_may_be_separated_by_commas() -> None:
    assert axioms("AP,nDCG@10", depth=3).metrics == axioms(["AP", "nDCG@10"], depth=3).metrics == ("AP", "nDCG@10")
    assert axioms(["RBP(p=0.5,gain='exp'),RR"], depth=2).metrics == ("RBP(p=0.5,gain='exp')", "RR")


def test_settings_do_not_change_with_the_list_of_the_caller_nor_by_saving(tmp_path: Path) -> None:
    asked = ["AP", "RR"]
    found = axioms(asked, depth=3)
    asked.append("P@10")
    found.save(tmp_path / "a.json")
    assert found.settings.inputs == {"metrics": ("AP", "RR")} == load(tmp_path / "a.json").settings.inputs


def test_the_sentence_names_only_what_is_broken():
    from irassay.meta.axioms.method import axioms

    found = axioms(["AP_IA", "RBP"], axioms=("relevance", "redundancy", "boundedness"), depth=3)
    first = found.view().sentences[0]
    assert first.endswith("1 of 2 metrics breaks redundancy.")
    kept = axioms(["RBP"], axioms=("relevance", "swap"), depth=3)
    assert kept.view().sentences[0].endswith("RBP breaks none of these: relevance monotonicity, swap.")
