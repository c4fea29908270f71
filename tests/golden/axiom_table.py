"""The golden table of axioms over the whole catalogue; `python -m tests.golden.axiom_table` writes it anew."""

from pathlib import Path

from irassay.meta.axioms.feasibility import Refusal, scorable_metrics
from irassay.meta.axioms.method import Axioms, axioms
from irassay.metrics.grammar import catalogue, parse
from irassay.rankings.enumeration import Space

TABLE = Path(__file__).with_name("axioms_m2_h8.tsv")
COLUMNS = "metric property cases violations worse better worse_score better_score sentence".split()
ASPECTS, DEPTH = 2, 8
TESTED_AXIOMS = ("relevance", "irrelevance", "redundancy", "priority", "swap", "replacement", "top_heaviness")

# Beside every metric at its defaults: cutoffs of albahem2018, dialects, aggregations, and what fits one grade.
MORE = """
P@5 P@10 nDCG@5 nDCG@10 StRecall@5 P_IA@5 ERR_IA@5 nERR_IA@5 alpha_DCG@5 alpha_nDCG@5 D_nDCG@5 Dsharp_nDCG@5 D_Q@5
GP(h=(1,)) GRBP(h=(1,)) GAP(h=(1,)) TBG(dialect='cwl') U(dialect='cwl')
AP(A='ERG') INST(A='MAX') INSQ(A='AVG') RBP(A='ETG') ERR(end='stop',A='ERG')@10 BPM(dynamic=True) NERR8@5 NERR9@5
RR(A='ERG',end='list') Q(beta=10) bpref(judged_only=True) RBP(p=0.95) INST(T=3) aINSQ(shift=1)
IA(metric='RR') IA(metric='nDCG') IA(metric='RBP') IA(metric='ERR')
RBU(dialect='albahem2019') RBU(e=0) CT(dialect='paper') ACT(dialect='paper') CT(dialect='jig2016')
ACT(dialect='jig2016') sDCG(dialect='jiang') nsDCG(dialect='jiang') esNDCG(path_discount=True)
Terminal(metric='nDCG') Terminal(metric='P') alpha_nDCG(alpha=0.9) NRBP(alpha=0.9) ERR_IA(alpha=0.9)@5
""".split()


def built_in() -> list[str]:
    """The names that come with irassay, not those that somebody registered in this process."""
    return [
        name
        for name, metric in catalogue().items()
        if metric.declaration.function.__module__.startswith("irassay.metrics")
    ]


def axioms_of_catalogue() -> tuple[Axioms, list[Refusal]]:
    """The axioms that every metric breaks, and why some metrics cannot be tested."""
    wanted = [parse(metric) for metric in [*built_in(), *MORE]]
    possible, refused = scorable_metrics(wanted, Space.of(ASPECTS, DEPTH))
    return axioms(possible, axioms=TESTED_AXIOMS, aspects=ASPECTS, depth=DEPTH), refused


def table() -> list[tuple[str, ...]]:
    """The rows of the table: a metric and an axiom each, or a metric that cannot be tested."""
    result, refused = axioms_of_catalogue()
    rows = []
    for m, metric in enumerate(result.metrics):
        for p, axiom in enumerate(result.axioms):
            counts = (str(result.cases[m, p, 0]), str(result.violations[m, p, 0]))
            w = result.witness(metric, axiom.name)
            witness_row = (w.worse, w.better, repr(w.worse_score), repr(w.better_score), w.sentence) if w else ("",) * 5
            rows.append((metric, axiom.name, *counts, *witness_row))
    return rows + [(str(refusal.metric), "", "", "", "", "", "", "", refusal.sentence) for refusal in refused]


if __name__ == "__main__":
    lines = ["\t".join(row) for row in [tuple(COLUMNS), *table()]]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
