"""Metric strings: what they mean, how they are printed, and what is said of those that mean nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irassay as ia
from irassay.errors import InputError
from irassay.metrics.grammar import parse


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG@10", "nDCG@10"),
        ("RBP(p=.80)", "RBP"),
        ("RBP( p = 0.95 ) @ 10", "RBP(p=0.95)@10"),
        ("INST(A='MAX',T=2)", "INST(T=2.0,A='MAX')"),
        ("RBP(effort=[0.25, 1, 1.0],gain=(0,0.4,1.0),p=0.6)", "RBP(p=0.6,gain=(0,0.4,1),effort=(0.25,1,1))"),
        ("AP(A='AVG')", "AP(A='AVG')"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg", "nDCG"),
        ("recip_rank", "RR"),
        ("recall_1000", "R@1000"),
        ("set_P", "P"),
        ("success_5", "Success@5"),
        ("nDCG(dcg='exp-log2')@20", "nDCG(gain='exp')@20"),
        ("nDCG(dcg='log2')@20", "nDCG@20"),
        ("RBP(rel=1)", "RBP(gain='binary')"),
        ("RBP(p=0.95,rel=2)", "RBP(p=0.95,gain='binary',rel=2)"),
        ("INST(max_rel=3)", "INST(max_grade=3)"),
        ("MRR@10", "RR@10"),
        ("Bpref", "bpref"),
        ("NPV(rate=0.25)", "RBP"),
        ("IFT(A=0.3)", "IFT(A2=0.3)"),
        ("IFT(A='MAX')", "IFT(A='MAX')"),
        ("alpha-nDCG(alpha=0.9)@20", "alpha_nDCG(alpha=0.9)@20"),
        ("D#-nDCG@10", "Dsharp_nDCG@10"),
        ("strec@5", "StRecall@5"),
        ("INST(T='@T')", "INST(T='@T')"),
        ("AP(judged_only=True)", "AP(judged_only=True)"),
        ("mrr@10", "RR@10"),
        ("precision@10", "P@10"),
        ("hit@10", "Success@10"),
        ("P.10", "P@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("recall_100", "R@100"),
        ("f1@10", "SetF@10"),
        ("set_F", "SetF(dialect='trec_eval')"),
        ("set_F_0.5", "SetF(beta=0.5,dialect='trec_eval')"),
        ("set_F(beta=2)@10", "SetF(beta=2.0,dialect='trec_eval')@10"),
        ("r-precision", "Rprec"),
        ("rbp.95", "RBP(p=0.95)"),
        ("err@20", "ERR@20"),
        ("iprec_at_recall_0.10", "IPrec(recall=0.1,rounding='nearest')"),
        ("IPrec(rel=2)@0.1", "IPrec(recall=0.1,rel=2)"),
        ("11pt_avg", "AP11(rounding='nearest')"),
        ("SetP(relative=True)", "RelP"),
        ("nDCG(gains={1:2,2:5})@10", "nDCG(gain=(0,2,5))@10"),
        ("ndcg_burges@5", "nDCG(gain='exp')@5"),
        ("NCUrbP", "NCU(stop='rb',beta=0.0)"),
    ],
)
def test_strings_have_one_canonical_form(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nDCGG@10", "did you mean nDCG"),
        ("zzz", "`irassay metrics` lists them"),
        ("RBP(q=1)", "RBP has no parameter 'q'"),
        ("RBP(p=1.5)", "p must be a number above 0 and below 1"),
        ("RBP(p='high')", "p must be a number above 0 and below 1"),
        ("P(k=10)", "write P@10"),
        ("P(cutoff=10)", "write P@10"),
        ("P@0", "whole number above 0"),
        ("P@2.5", "whole number above 0"),
        ("P@-3", "whole number above 0"),
        ("RBP(0.8)", "is not a metric; write"),
        ("RBP(p=0.8", "is not a metric; write"),
        ("RBP(p=__import__('os'))", "is not a metric; write"),
        ("RBP(p=0.8,p=0.9)", "is not a metric; write"),
        ("RBP(**{})", "is not a metric; write"),
        ("", "is not a metric; write"),
        ("P@10@20", "is not a metric; write"),
        ("INST(A='SUM')", "A must be one of ERG"),
        ("RBP(end='later')", "end must be one of"),
        ("RBP(gain='cubic')", "gain must be one of"),
        ("RBP(gain=(0,-1))", "gain must be one of"),
        ("RBP(effort=(0,1,1))", "effort must be"),
        ("RBP(horizon=0)", "horizon must be a whole number of 1 or more"),
        ("nDCG(dcg='cubic')", "dcg must be 'log2' or 'exp-log2'"),
        ("BPM(dynamic=1)", "dynamic must be True or False"),
    ],
)
def test_what_means_nothing_is_refused_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(ia.InputError) as problem:
        parse(text)
    assert words in str(problem.value)


@given(st.text(max_size=40))
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        metric = parse(text)
    except ia.InputError:
        return
    assert parse(str(metric)) == metric


def test_python_and_command_line_write_metrics_alike() -> None:
    known = ia.catalogue()
    assert known["RBP"](p=0.95) @ 10 == parse("RBP(p=0.95)@10")
    assert known["RBP"](p=0.95)(A="MAX") == parse("RBP(A='MAX',p=0.95)")
    assert len({parse("RBP(p=0.5)"), parse("RBP(p=.50)")}) == 1


def test_one_string_may_hold_several_metrics() -> None:
    asked = "mrr@10, P.5,10 RBP(p=0.9, gain='exp') @ 10 INST(A='MAX',T=2)"
    found = ["RR@10", "P@5", "P@10", "RBP(p=0.9,gain='exp')@10", "INST(T=2.0,A='MAX')"]
    assert list(ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, asked).metrics) == found


def test_counts_are_added_up_and_gmap_is_a_geometric_mean() -> None:
    run, qrels = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}, {"1": {"b": 1}, "2": {"a": 1, "c": 1}, "3": {"a": 1}}
    scores = ia.score(run, qrels, ["NumQ", "NumRet", "NumRel", "NumRelRet", "GMAP", "AP"])
    counts, (geometric, mean) = scores.means()[0, :4].tolist(), scores.means()[0, 4:]
    assert counts == [3.0, 3.0, 4.0, 2.0]
    assert geometric == pytest.approx((0.5 * 0.5 * 1e-5) ** (1 / 3), rel=1e-12)
    assert mean == pytest.approx(1 / 3)


def test_sets_of_trec_eval_stand_for_their_metrics() -> None:
    from irassay.metrics.grammar import parse_each

    found = [str(metric) for metric in parse_each("official, nDCG@10")]
    assert found[:5] == ["NumQ", "NumRet", "NumRel", "NumRelRet", "AP"] and found[-2:] == ["P@1000", "nDCG@10"]
    assert len(parse_each("all_trec")) > 90 and "RBP(p=0.9)" in map(str, parse_each("all_trec"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("relstring", "irassay trec_eval -q -m relstring"),
        ("official", "a set of metrics"),
        ("all_prefs", "a set of metrics"),
        ("map_avgjg", "irassay trec_eval -q -R qrels_jg -m map_avgjg"),
        ("ndgc", r"did you mean nDCG\?"),
    ],
)
def test_names_of_trec_eval_that_are_no_metric(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        parse(text)
