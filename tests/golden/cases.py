"""The cases of the golden corpus: one command line each, as `name | arguments`.

Shorthands: %A, %C, %D, %V and %R are the inputs of the oracles (ad hoc, C/W/L, Dynamic Domain, diversity, RBU), %M the
oracles of meta-evaluation, %E their edge cases, %G our own inputs, %S the published collections, and TMP a temporary
folder. {format} in a name makes a case for every format, {method} one for every method of meta-evaluation that takes
runs or score tables; another word in braces stands for a list of metrics or for options. A case with options that its
method refuses has a twin `…-accepted` without them, with the output of version 0.1.0, which ignored them. `>` before a
name: run in a separate process; `<FILE` after the arguments: standard input.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace

from irassay.views.formats import FORMATS

COMMON_FORMATS = [name for name, form in FORMATS.items() if form.only_for != "check"]
SAVED = "saved"  # the group of cases whose saved results are in `saved/`
PLACES = {
    "%A": "tests/oracles/inputs/adhoc",
    "%C": "tests/oracles/inputs/cwl",
    "%D": "tests/oracles/inputs/dd",
    "%V": "tests/oracles/inputs/diversity",
    "%R": "tests/oracles/inputs/rbu",
    "%M": "tests/oracles/meta",
    "%E": "tests/oracles/edge",
    "%G": "tests/golden/inputs",
    "%S": "../shared/data",
}
LISTS = {
    "classic": "AP AP@5 P@5 P@10 R R@10 Rprec Success Success@5 RR RR@3 bpref Judged Judged@10 nDCG nDCG@10 DCG@10 "
    "nERR@10 ERR@10 Q Q@10 Q(beta=10) AP(rel=2) P(rel=2)@5 nDCG(gain='exp')@10 nDCG(discount='jk',b=3)@10 "
    "AP(norm='min')@5 Q(norm='R')@5 GAP(h=(0.2,0.3,0.5)) ERR(max_grade=4)@20 nDCG(dcg='exp-log2')@5 "
    "AP(judged_only=True) map recip_rank ndcg_cut_5 P_5 recall_10 success_5 set_P",
    "models": "P@10 GP(h=(0.2,0.3,0.5))@10 SDCG@10 RBP RBP(p=0.95) RBP(p=0.5,gain='exp')@10 GRBP(h=(0.2,0.3,0.5)) INSQ "
    "INSQ(T=3) RR ERR aINSQ aINSQ(shift=1) INST INST(T=2.25) INST(T=2.25,A='MAX') NERR8@10 NERR9@10 NERR10 NERR11 BPM "
    "BPM(dynamic=True) IFT IFT(part='gain') IFT(part='rate') NPV NPV(rate=0.2) RBP(A='ETG') RBP(A='AVG') RBP(A='FIN') "
    "RBP(A='PE') INST(A='ERR') RBP(end='stop')@10 RBP(end='list')@10 SDCG(A='MAX')@5 RBP(gain='binary',rel=2) "
    "RBP(gain=(0,0.2,0.5,1)) RBP(effort=(0.25,1,1,2)) P(effort=(0.5,1,1,1),end='list')@5 RR(A='ERG',end='list') Terminal "
    "Terminal(metric='nDCG') Terminal(metric='P',r_t=0.5) RBP(horizon=1000) RBP(p=0.8,rel=2)",
    "costed": "P@10 SDCG@10 RBP RBP(p=0.95) INSQ RR ERR(gain='linear') aINSQ INST(T=2) NERR8@10 NERR9@10 NERR10 NERR11 BPM "
    "BPM(dynamic=True) IFT IFT(part='gain') IFT(part='rate') RBP(A='ETG') RBP(A='AVG') RBP(A='FIN') INST(A='MAX') "
    "RBP(A='PE') AP AP(A='ERG') nDCG@10 TBG(dialect='cwl') U(dialect='cwl',gain='linear') "
    "RBP(horizon=1000) RBP(end='stop')@10",
    "timed": "TBG U TBG(dialect='cwl') U(dialect='cwl') TBG(h=100) U(L=1000)",
    "aspects": "AP_IA P_IA@5 P_IA@10 StRecall@10 StRecall alpha_DCG@10 alpha_nDCG@10 alpha_nDCG(alpha=0.9)@5 ERR_IA@10 "
    "nERR_IA@10 NRBP nNRBP NRBP(alpha=0.9,beta=0.8) D_nDCG@10 D_Q@10 Dsharp_nDCG@10 Dsharp_Q@10 RBU RBU(p=0.9,e=0.5) "
    "RBU(dialect='albahem2019') IA(metric='AP') IA(metric='nDCG')@10 IA(metric='RBP') IA(metric='ERR') MAP-IA strec@5 "
    "α-nDCG@10 D#-nDCG@5 I-rec@5",
    "dynamic": "CT@5 CT ACT@5 ACT@10 nCT@5 CT(dialect='paper')@5 ACT(dialect='paper')@5 CT(dialect='jig2016')@5 "
    "ACT(dialect='jig2016')@5 CT(gamma=0.8,MH=3)@5 sDCG@5 nsDCG@5 sDCG(per_query=True)@5 esNDCG@5 RecipIter@5 "
    "NegIter@5 P(unit='iteration',end='list')@5 StRecall(unit='iteration')@5 alpha_nDCG(unit='iteration')@5 "
    "nERR_IA(unit='iteration')@5 RBU(dialect='albahem2019',p=0.99,e=0.05,unit='iteration')@5 P@10 AP nDCG@10 AP_IA",
    "long": "EU@5 nEU@5 EU nEU@2 EU(a=0.01,gamma=0.3)@5 TotTime@5 TotTime",
    "sessions": "sDCG@9 nsDCG@9 esNDCG@9 sDCG(dialect='jiang')@9 nsDCG(dialect='jiang')@9 esNDCG(path_discount=True)@9 "
    "sDCG(b=3,bq=2)@5 nDCG@9 P@5 RR RBP AP ERR@9 TBG(dialect='jiang')@9 U(dialect='jiang')@9 RecipIter NegIter "
    "RBP(effort='time')@9 GP@9 GAP@9 GRBP@9",
    "four": "AP nDCG@10 P@10 RBP(p=0.95)",
}

OPTIONS = {
    "adhoc": "--order rank --ties docid-asc --score-precision single --on-duplicate first --missing skip "
    "--no-relevant skip --depth 8 --max-grade 4 --lengths %G/lengths.tsv --topic-params %G/topic_params.tsv",
    "diverse": "--order file --ties file --on-duplicate nonrelevant --weights %G/weights.txt --qrels-format subtopic "
    "--run-format trec --costs %G/costs.txt",
    "procedure": "--test t --correct none --trials 60 --compat --seed 5 --jobs 1",
}
METHODS = {  # further arguments of each method
    "similarity": "",
    "consistency": "--splits 10",
    "discrimination": "",
    "agreement": "",
    "alternatives": "--splits 10 --reference AP --similar 0.3",
    "intuitiveness": "--simple P@10",
    "unanimity": "--simple P@10",
    "preference": "--choices %G/all_choices.tsv",
}
REDUNDANT = {  # slow cases, left out because another one covers them
    *(f"metrics-{form}" for form in ("tsv", "trec_eval", "markdown")),
    *(f"metrics-pattern-{form}" for form in COMMON_FORMATS if form not in ("table", "json", "html")),
    *(f"report-{form}" for form in ("csv", "trec_eval", "latex", "markdown")),
    *(f"reproduce-albahem2018-{form}" for form in ("csv", "trec_eval", "markdown")),
    "options-define-similarity",  # as similarity-define
}
UNUSED = {  # options that 0.1.0 took and ignored, by the cases that have them; all have a value but --compat
    **{
        f"options-{what}-{method}": ("--trials",)
        for what in ("adhoc", "rel", "diverse", "grid", "dd", "define")
        for method in ("similarity", "consistency", "agreement")
    },
    "options-procedure-similarity": ("--test", "--correct", "--trials", "--compat"),
    "options-procedure-consistency": ("--test", "--correct", "--trials"),
    **{
        f"options-procedure-{method}": ("--trials", "--compat")
        for method in ("discrimination", "agreement", "alternatives")
    },
    "options-procedure-report": ("--correct", "--trials", "--compat"),
    **{
        f"options-procedure-{method}": ("--test", "--correct", "--compat")
        for method in ("intuitiveness", "unanimity", "preference", "satisfaction")
    },
}


@dataclass(frozen=True)
class Case:
    """A command line, the group of its record, and how to run it."""

    name: str
    group: str
    argv: tuple[str, ...]
    shared: bool = False  # needs the published collections
    fresh: bool = False  # in a separate process, because others may have registered metrics in this one
    stdin: str = ""  # a file for standard input


BLOCKS = {
    "score": """
{format} | score %A/qrels.txt %A/runA.txt %A/runB.txt %A/runC.txt --format {format}
by-topic-{format} | score %A/qrels.txt %A/runA.txt %A/runC.txt -m AP -m P@5 -m RBP --by-topic --format {format}
bounds-{format} | score %A/qrels.txt %A/runA.txt -m RBP -m nDCG@10 -m AP -m bpref --bounds --format {format}
classic | score %A/qrels.txt %A/runA.txt %A/runB.txt %A/runC.txt {classic} --format tsv
classic-by-topic | score %A/qrels_nonneg.txt %A/runA.txt %A/runB.txt {classic} --by-topic --format json
classic-table | score %A/qrels.txt %A/runA.txt {classic}
classic-trec-eval | score %A/qrels.txt %A/runA.txt %A/runC.txt {classic} --by-topic --format trec_eval
models | score %A/qrels.txt %A/runA.txt %A/runB.txt %A/runC.txt {models} --format tsv
models-by-topic | score %A/qrels_nonneg.txt %A/runA.txt %A/runB.txt {models} --by-topic --format csv
models-bounds | score %A/qrels.txt %A/runA.txt {models} --bounds --format tsv
timed-lacking | score %A/qrels.txt %A/runA.txt -m TBG --lengths %G/lengths.json
timed | score %A/qrels.txt %A/runA.txt %A/runC.txt {timed} --lengths %G/lengths.tsv --by-topic --format tsv
timed-json-lengths | score %A/qrels.txt %A/runC.txt {timed} --lengths %G/lengths.json --format json
judged-only | score %A/qrels.txt %A/runA.txt %A/runB.txt {four} -m bpref -m Judged@10 --judged-only
judged-only-json | score %A/qrels.txt %A/runA.txt -m nDCG@10 -m RBP --judged-only --by-topic --format json
judged-only-bounds | score %A/qrels.txt %A/runA.txt -m RBP --judged-only --bounds
digits-0 | score %A/qrels.txt %A/runA.txt {four} --digits 0
digits-8 | score %A/qrels.txt %A/runA.txt {four} --digits 8 --by-topic
digits-15-markdown | score %A/qrels.txt %A/runA.txt -m AP --digits 15 --format markdown
digits-2-latex | score %A/qrels.txt %A/runA.txt %A/runB.txt {four} --digits 2 --format latex
quiet | score %A/qrels.txt %A/runA.txt {four} --quiet
quiet-tsv | score %A/qrels.txt %A/runA.txt {four} -q --format tsv
order-rank | score %A/qrels.txt %G/odd_run.txt {four} -m RR --order rank --by-topic --format tsv
order-file | score %A/qrels.txt %G/odd_run.txt {four} -m RR --order file --by-topic --format tsv
order-score | score %A/qrels.txt %G/odd_run.txt {four} -m RR --order score --by-topic --format tsv
ties-docid-asc | score %A/qrels.txt %G/odd_run.txt %A/runB.txt {four} --ties docid-asc --by-topic --format tsv
ties-file | score %A/qrels.txt %G/odd_run.txt %A/runB.txt {four} --ties file --by-topic --format tsv
precision-single | score %A/qrels.txt %G/odd_run.txt %A/runB.txt {four} --score-precision single --by-topic --format tsv
precision-double | score %A/qrels.txt %G/odd_run.txt %A/runB.txt {four} --score-precision double --format json
duplicate-error | score %A/qrels.txt %G/bad/run_twice.txt -m AP --on-duplicate error
duplicate-unsaid | score %A/qrels.txt %G/bad/run_twice.txt -m AP
duplicate-first | score %A/qrels.txt %G/bad/run_twice.txt {four} --on-duplicate first --by-topic
duplicate-nonrelevant | score %A/qrels.txt %G/bad/run_twice.txt {four} --on-duplicate nonrelevant --by-topic
missing-skip | score %A/qrels.txt %A/runA.txt %G/odd_run.txt {four} --missing skip --by-topic
missing-skip-json | score %A/qrels.txt %A/runC.txt %G/odd_run.txt {four} --missing skip --format json
missing-error | score %A/qrels.txt %G/odd_run.txt -m AP --missing error
no-relevant-skip | score %A/qrels.txt %A/runA.txt %A/runB.txt {four} --no-relevant skip --by-topic
no-relevant-skip-rel | score %A/qrels.txt %A/runA.txt {four} --no-relevant skip --rel 3 --format json
depth-5 | score %A/qrels.txt %A/runA.txt %A/runB.txt {four} -m nDCG --depth 5 --by-topic --format tsv
rel-2 | score %A/qrels.txt %A/runA.txt %A/runB.txt {classic} --rel 2 --format tsv
max-grade-4 | score %A/qrels.txt %A/runA.txt -m RBP -m ERR@10 -m INST -m nERR@5 -m nDCG@10 --max-grade 4 --format json
max-grade-low | score %A/qrels.txt %A/runA.txt -m AP --max-grade 1
max-grade-negative | score %A/qrels.txt %A/runA.txt -m AP --max-grade -1
topic-params | score %A/qrels.txt %A/runA.txt -m "INST(T='@T')" -m INST --topic-params %G/topic_params.tsv --by-topic
topic-params-json | score %A/qrels.txt %A/runA.txt -m "INST(T='@T')" --topic-params %G/topic_params.tsv --format json
costs | score %C/gains.txt %C/run.txt {costed} --costs %C/costs.txt --order file --by-topic --format tsv
costs-json | score %C/gains.txt %C/run.txt -m RBP -m BPM -m IFT -m "TBG(dialect='cwl')" --costs %C/costs.txt --format json
cwl-costless | score %C/gains.txt %C/run.txt {costed} --order file --format tsv
costs-lacking | score %A/qrels.txt %A/runA.txt -m RBP --costs %C/costs.txt
cwl-plain | score %C/gains.txt %C/run.txt -m RBP -m SDCG@10 -m "INST(T=2)" -m BPM -m "AP(A='ERG')" --order file
globs | score %A/qrels.txt "%A/run*.txt" -m AP
folder | score %A/qrels.txt %G/runs {four}
twice | score %A/qrels.txt %A/runA.txt %A/runA.txt -m AP
stdin-run | score %A/qrels.txt - -m AP --format tsv <%A/runA.txt
stdin-qrels | score - %A/runA.txt -m AP --format json <%A/qrels.txt
no7 | score %A/qrels_no7.txt %A/runA.txt %A/runB.txt {four} --by-topic
subtopics-ignored | score %V/qrels.txt %V/divA.txt %V/divB.txt {four}
aspects-{format} | score %V/qrels.txt %V/divA.txt %V/divB.txt -m alpha_nDCG@10 -m AP_IA -m RBU --by-topic --format {format}
aspects | score %V/qrels.txt %V/divA.txt %V/divB.txt {aspects} --by-topic --format tsv
aspects-rank | score %V/qrels.txt %V/divA.txt %V/divB.txt {aspects} --order rank --format json
aspects-docid-asc | score %V/qrels.txt %V/divB.txt {aspects} --ties docid-asc --depth 8 --format tsv
aspects-weights | score %V/qrels.txt %V/divA.txt %V/divB.txt {aspects} --weights %G/weights.txt --by-topic --format tsv
aspects-weights-table | score %V/qrels.txt %V/divA.txt -m RBU -m "IA(metric='AP')" -m AP_IA --weights %G/weights.txt
aspects-greedy | score %V/greedy_qrels.txt %V/greedy_run.txt {aspects} --by-topic
aspects-bounds | score %V/qrels.txt %V/divA.txt -m alpha_nDCG@10 -m ERR_IA@10 -m AP_IA --bounds
aspects-judged-only | score %V/qrels.txt %V/divA.txt -m alpha_nDCG@10 -m AP_IA -m P@5 --judged-only --by-topic
qrels-subtopic | score %V/qrels.txt %V/divA.txt -m alpha_nDCG@10 -m AP --qrels-format subtopic --format json
qrels-trec | score %V/qrels.txt %V/divA.txt {four} --qrels-format trec
qrels-trec-aspects | score %V/qrels.txt %V/divA.txt -m alpha_nDCG@10 --qrels-format trec
qrels-subtopic-adhoc | score %A/qrels.txt %A/runA.txt -m alpha_nDCG@10 -m AP_IA --qrels-format subtopic
dd-{format} | score %D/topics.xml %D/ddA.txt %D/ddB.txt -m ACT@5 -m CT@5 -m nsDCG@5 -m AP --by-topic --format {format}
dd | score %D/topics.xml %D/ddA.txt %D/ddB.txt {dynamic} --by-topic --format tsv
dd-lengths-lacking | score %D/topics.xml %D/ddA.txt -m TotTime@5 --lengths %D/doc_lengths.tsv
dd-lengths-own | score %D/topics.xml %D/ddA.txt %D/ddB.txt -m EU@5 -m nEU@5 --lengths %D/doc_lengths.tsv --by-topic --format tsv
dd-lengths | score %D/topics.xml %D/ddA.txt %D/ddB.txt {long} --lengths %G/dd_lengths.tsv --by-topic --format tsv
dd-lengths-table | score %D/topics.xml %D/ddA.txt {long} {dynamic} --lengths %G/dd_lengths.tsv
dd-old-qrels | score %D/qrels_old_scorer.txt %D/ddA.txt %D/ddB.txt {dynamic} --format json
dd-skip | score %D/topics.xml %D/ddA.txt %D/ddB.txt {dynamic} --missing skip --no-relevant skip --by-topic --format tsv
dd-format | score %D/topics.xml %D/ddA.txt -m CT@5 --run-format dd
dd-depth | score %D/topics.xml %D/ddA.txt -m CT@5 -m AP -m P@10 --depth 12 --format tsv
dd-order-file | score %D/topics.xml %D/ddB.txt -m CT@5 -m ACT@5 -m AP --order file --by-topic --format tsv
dd-order-rank | score %D/topics.xml %D/ddB.txt -m CT@5 --order rank
dd-duplicate-first | score %D/topics.xml %D/ddA.txt %D/ddB.txt {dynamic} --on-duplicate first --format tsv
dd-duplicate-error | score %E/neg.xml %E/ddorder.txt -m CT --on-duplicate error
dd-order | score %E/neg.xml %E/ddorder.txt -m CT -m ACT -m sDCG --by-topic
dd-negative | score %E/neg.xml %E/dd1.txt -m CT -m ACT -m nsDCG -m AP --by-topic
dd-empty | score %E/empty.xml %E/dd1.txt -m CT -m ACT -m nsDCG --by-topic
dd-gap | score %D/topics.xml %E/ddgap.txt -m CT -m ACT -m RecipIter --by-topic
dd-unjudged | score %D/topics.xml %E/ddx.txt -m CT
dd-no-lengths | score %D/topics.xml %D/ddA.txt -m nEU@5
dd-run-as-trec | score %D/topics.xml %D/ddA.txt -m AP --run-format trec
dd-by-adhoc-run | score %D/topics.xml %A/runA.txt -m AP
adhoc-as-dd | score %A/qrels.txt %A/runA.txt -m CT --run-format dd
sessions-{format} | score %G/sessions %G/sessions -m sDCG@9 -m nDCG@9 -m RR --by-topic --format {format}
sessions | score %G/sessions %G/sessions {sessions} --by-topic --format tsv
sessions-means | score %G/sessions %G/sessions {sessions} --format json
sessions-as-table | score %G/sessions/qrels %G/sessions/results -m sDCG@9 -m nDCG@9 --run-format session
sessions-depth | score %G/sessions %G/sessions -m sDCG -m nDCG -m esNDCG --depth 4 --format tsv
sessions-unsaid | score %G/sessions/qrels %G/sessions/results -m sDCG@9
sessions-missing | score %G/sessions %G/sessions -m sDCG --missing error
sessions-twice | score %G/sessions/qrels %G/bad/twice.session -m sDCG --run-format session
>define | score %A/qrels.txt %A/runA.txt -m Fickle -m "Fickle(p=0.8)@10" -m RBP --define examples/fickle.py --by-topic
>define-json | score %A/qrels.txt %A/runA.txt -m Fickle --define examples/fickle.py --format json
>define-faulty | score %A/qrels.txt %A/runA.txt -m Wrong --define %G/bad/metric.py
>define-missing | score %A/qrels.txt %A/runA.txt -m Wrong --define %G/none.py
>define-no-python | score %A/qrels.txt %A/runA.txt -m AP --define %G/groups.txt
>unknown-metric | score %A/qrels.txt %A/runA.txt -m nDGC@10
>unknown-metric-far | score %A/qrels.txt %A/runA.txt -m Zzzzzz
unknown-parameter | score %A/qrels.txt %A/runA.txt -m "RBP(q=0.5)"
bad-parameter | score %A/qrels.txt %A/runA.txt -m "RBP(p=2)"
bad-cutoff | score %A/qrels.txt %A/runA.txt -m P@0
bad-grammar | score %A/qrels.txt %A/runA.txt -m "P(10"
bad-grammar-positional | score %A/qrels.txt %A/runA.txt -m "RBP(0.5)"
bad-dcg | score %A/qrels.txt %A/runA.txt -m "nDCG(dcg='odd')"
bad-npv | score %A/qrels.txt %A/runA.txt -m "NPV(rate=0)"
budget-twice | score %A/qrels.txt %A/runA.txt -m "BPM(K=5)@10"
needs-turns | score %A/qrels.txt %A/runA.txt -m CT@5
needs-lengths | score %A/qrels.txt %A/runA.txt -m TBG
needs-grades | score %A/qrels.txt %A/runA.txt -m "RBP(effort='time')"
needs-params | score %A/qrels.txt %A/runA.txt -m "INST(T='@T')"
params-without-column | score %A/qrels.txt %A/runA.txt -m "INST(T='@X')" --topic-params %G/topic_params.tsv
params-bad | score %A/qrels.txt %A/runA.txt -m "INST(T='@T')" --topic-params %G/bad/params.tsv
lengths-bad | score %A/qrels.txt %A/runA.txt -m TBG --lengths %G/bad/lengths.tsv
no-run | score %A/qrels.txt nothing.txt
no-qrels | score nothing.txt %A/runA.txt
no-glob | score %A/qrels.txt "%A/nothing*.txt"
no-arguments | score
no-runs | score %A/qrels.txt
swapped | score %A/runA.txt %A/qrels.txt
qrels-for-run | score %A/qrels.txt %A/qrels.txt
run-bad-score | score %A/qrels.txt %G/bad/run_score.txt
run-short | score %A/qrels.txt %G/bad/run_short.txt
run-empty | score %A/qrels.txt %G/bad/empty.txt
run-damaged | score %A/qrels.txt %G/bad/broken.gz
qrels-bad-grade | score %G/bad/qrels_grade.txt %A/runA.txt
qrels-clash | score %G/bad/qrels_clash.txt %A/runA.txt
qrels-empty | score %G/bad/empty.txt %A/runA.txt
unknown-option | score %A/qrels.txt %A/runA.txt --metrik AP
unknown-format | score %A/qrels.txt %A/runA.txt --format xml
unknown-order | score %A/qrels.txt %A/runA.txt --order up
bad-digits | score %A/qrels.txt %A/runA.txt --digits 99
bad-depth | score %A/qrels.txt %A/runA.txt --depth 0
""",
    "program": """
>version | --version
>unknown-command | scores
>meta-unknown-command | meta similarities
>unknown-option | --verbose
""",
    "metrics": """
>{format} | metrics --format {format}
>pattern-{format} | metrics RBP --format {format}
>pattern-none | metrics zzz
>define | metrics Fickle --define examples/fickle.py
>define-json | metrics Fickle --define examples/fickle.py --format json
>unknown-format | metrics --format yaml
""",
    "cite": """
own | cite
several | cite nDCG@10 recip_rank meta similarity tukey MAP-IA
command | cite compare
unknown | cite RBBP
nothing-like-it | cite zzz
bad-parameter | cite "RBP(p=7)"
""",
    "explain": """
{format} | explain RBP 1,0,2,0 --format {format}
inst-{format} | explain "INST(T=2.25)" 1,0,2,0,0,1 --format {format}
aspects-{format} | explain alpha_nDCG@10 ab,x,a,b --format {format}
default | explain RBP
default-aspects | explain AP_IA
plot | explain "INST(T=2.25)" 1,0,2,0,0,1 --plot TMP/x.svg
plot-png | explain RBP 1,0,2 --plot TMP/x.png
plot-pdf | explain RBP 1,0,2 --plot TMP/x.pdf
plot-html | explain RBP 1,0,2 --plot TMP/x.html
plot-none | explain bpref 1,0,2 --plot TMP/x.svg
plot-bad | explain RBP 1,0,2 --plot TMP/x.gif
plot-no-folder | explain RBP 1,0,2 --plot TMP/none/x.svg
pool | explain AP 1,0,1 --pool 1,1,1,0
pool-json | explain nDCG@5 2,0,1 --pool 3,2,1,1,0 --format json
max-grade | explain ERR 1,0,2 --max-grade 4
ranks-3 | explain RBP 1,0,1 --ranks 3
ranks-20 | explain INSQ 1,0,1 --ranks 20 --format tsv
ap | explain AP 1,0,0,1
rr | explain RR 0,0,1
err | explain ERR@5 0,2,1
ndcg | explain nDCG@10 3,0,2,1
sdcg | explain SDCG@10 1,0,1 --format json
max | explain "INST(T=2,A='MAX')" 0,1,2 --format json
bpm | explain BPM 1,0,1,1
ift | explain IFT 1,0,1,1 --format tsv
tbg | explain "TBG(dialect='cwl')" 1,0,1
q | explain Q 2,0,1 --pool 2,1,1
gap | explain GAP 2,0,1
rbu | explain RBU ab,x,a --format json
nrbp | explain NRBP ab,x,a
err-ia | explain ERR_IA@5 a,ab,x --pool ab,a,b
act | explain ACT@5 ab,x,a
terminal | explain "Terminal(metric='AP')" 1,0,1
rprec | explain Rprec 1,0,1 --pool 1,1,1
>define | explain Fickle 1,0,2 --define examples/fickle.py
bad-parameter | explain "RBP(p=2)"
mixed | explain RBP 1,b
bad-ranking | explain RBP 1,,2
aspects-for-grades | explain RBP ab,x
>unknown | explain Zzz
nothing | explain
low-grade | explain RBP 3,1 --max-grade 2
pool-too-small | explain AP 1,1,1 --pool 1
bad-ranks | explain RBP 1,0 --ranks 0
needs-lengths | explain nEU@5
""",
    "topics": """
{format} | topics %A/qrels.txt %A/runA.txt %A/runB.txt -m nDCG@10 --format {format}
many | topics %A/qrels.txt %G/runs -m AP
pair | topics %A/qrels.txt %G/runs -m AP --pair sys2 sys1 --alpha 0.3
one-{format} | topics %A/qrels.txt %A/runA.txt %A/runB.txt -m nDCG@10 --topic 1 --format {format}
one-model | topics %A/qrels.txt %A/runA.txt %A/runB.txt -m "INST(T=2.25,A='MAX')" --topic 5 --format json
one-condensed | topics %A/qrels.txt %A/runA.txt %A/runB.txt -m AP --judged-only --topic 5 --format tsv
one-texts | topics %A/qrels.txt %A/runA.txt %A/runB.txt -m P@3 --topic 1 --documents %G/documents.jsonl
one-texts-json | topics %A/qrels.txt %A/runA.txt %A/runB.txt -m P@3 --topic 1 --documents %G/documents.jsonl --format json
texts-alone | topics %A/qrels.txt %A/runA.txt %A/runB.txt -m P@3 --documents %G/documents.jsonl
texts-of-run | topics %A/qrels.txt %A/runA.txt %A/runB.txt -m P@3 --topic 1 --documents %A/runA.txt
no-topic | topics %A/qrels.txt %A/runA.txt %A/runB.txt --topic 999
no-pair | topics %A/qrels.txt %A/runA.txt
no-run | topics %A/qrels.txt %G/runs --baseline nobody
""",
    "table": """
{format} | table --scores %G/scores.tsv -m AP -m RR --trials 500 --format {format}
baseline-{format} | table %A/qrels.txt %G/runs -m nDCG@10 -m AP --baseline %G/runs/sys1.txt --test t --correct holm --format {format}
one | table %A/qrels.txt %A/runA.txt -m AP
lower | table --scores %G/scores.tsv -m AP -m RR --lower RR --test t --digits 2
counts | table %A/qrels.txt %G/runs -m NumRelRet -m GMAP --test t
names | table %A/qrels.txt %G/runs --names tag --test t
label | table %A/qrels.txt A=%A/runA.txt B=%A/runB.txt C=%A/runC.txt -m AP -m NumRet --test t --label tab:main --format latex
""",
    "compare": """
{format} | compare --scores %G/scores.tsv -m AP --trials 500 --format {format}
runs-{format} | compare %A/qrels.txt %G/runs -m nDCG@10 -m AP --trials 500 --methods --format {format}
plan-{format} | compare --scores %G/scores.tsv --plan --format {format}
default | compare %A/qrels.txt %G/runs --trials 500
test-max-t | compare --scores %G/scores.tsv -m AP -m RR --test max-t --trials 500 --methods --format json
test-max-t-stepdown | compare --scores %G/scores.tsv -m AP --test max-t-stepdown --trials 500 --methods --format json
test-t | compare --scores %G/scores.tsv -m AP --test t --methods --format json
test-wilcoxon | compare --scores %G/scores.tsv -m AP -m P@10 --test wilcoxon --methods --format json
test-sign | compare --scores %G/scores.tsv -m AP --test sign --methods --format json
test-permutation | compare --scores %G/scores.tsv -m AP --test permutation --trials 500 --methods --format json
test-bootstrap | compare --scores %G/scores.tsv -m AP --test bootstrap --trials 500 --methods --format json
test-bootstrap-shift | compare --scores %G/scores.tsv -m AP --test bootstrap-shift --trials 500 --methods --format json
test-tukey | compare --scores %G/scores.tsv -m AP --test tukey --trials 500 --methods --format json
test-anova-tukey | compare --scores %G/scores.tsv -m AP --test anova-tukey --methods --format json
correct-bonferroni | compare --scores %G/scores.tsv -m AP --test t --correct bonferroni --methods
correct-holm | compare --scores %G/scores.tsv -m AP --test t --correct holm --methods
correct-bh | compare --scores %G/scores.tsv -m AP --test wilcoxon --correct bh --methods
correct-by | compare --scores %G/scores.tsv -m AP --test permutation --trials 500 --correct by --methods
correct-max-t | compare --scores %G/scores.tsv -m AP --test t --trials 500 --correct max-t --methods
correct-none | compare --scores %G/scores.tsv -m AP --test t --correct none
correct-family | compare --scores %G/scores.tsv -m AP --test tukey --trials 100 --correct holm
baseline | compare --scores %G/scores.tsv -m AP --baseline s3 --trials 500
baseline-t-holm | compare --scores %G/scores.tsv -m AP --baseline s3 --test t --correct holm --format json
baseline-runs | compare %A/qrels.txt %G/runs --baseline sys4 --trials 500 -m AP --format tsv
baseline-unknown | compare --scores %G/scores.tsv -m AP --baseline nobody --trials 100
compat | compare --scores %G/scores.tsv -m AP --test tukey --trials 500 --compat --format tsv
compat-permutation | compare --scores %G/scores.tsv -m AP --test permutation --trials 500 --compat --methods
band | compare --scores %G/scores.tsv -m AP --test sign --band 0.02 --methods
band-json | compare --scores %G/scores.tsv -m RBP --test sign --band 0.05 --format json
alpha | compare --scores %G/scores.tsv -m AP --alpha 0.2 --trials 500
seed | compare --scores %G/scores.tsv -m AP --seed 7 --trials 500
jobs | compare --scores %G/scores.tsv -m AP --test tukey --trials 500 --jobs 1 --format tsv
quiet | compare --scores %G/scores.tsv -m AP --test t --quiet
plot | compare --scores %G/scores.tsv -m AP -m RR --test t --plot TMP/x.svg
plot-runs | compare %A/qrels.txt %G/runs -m AP --baseline sys1 --trials 200 --plot TMP/x.png -q
plan-groups | compare --scores %G/scores.tsv --plan --groups %G/score_groups.txt
plan-power | compare --scores %G/scores.tsv -m AP --plan --difference 0.1 --power 0.9 --alpha 0.01 --format json
plan-runs-plot | compare %A/qrels.txt %G/runs {four} --plan --groups %G/groups.txt --plot TMP/x.svg
plan-no-difference | compare --scores %G/scores.tsv --plan --difference 0
policies | compare %A/qrels.txt %A/runA.txt %A/runB.txt %A/runC.txt -m AP --missing skip --ties file --test t --format json
several | compare %A/qrels.txt %A/runA.txt %A/runB.txt %A/runC.txt {four} --trials 300
aspects | compare %V/qrels.txt %V/divA.txt %V/divB.txt -m alpha_nDCG@10 -m AP_IA --trials 300
dd | compare %D/topics.xml %D/ddA.txt %D/ddB.txt -m ACT@5 --test t
wide | compare --scores %G/wide.csv --test t
perquery | compare --scores %G/perquery.csv --test permutation --trials 300
collections | compare --scores one=%G/scores.tsv --scores two=%G/scores.tsv -m AP --test t
collections-max-t | compare --scores one=%G/scores.tsv --scores two=%G/scores.tsv -m AP --trials 300 --format json
oracle-table | compare --scores %M/consistency/scores_act.csv --trials 300 --baseline GT_FirstIterBaseline
one-run | compare %A/qrels.txt %A/runA.txt
both | compare %A/qrels.txt %A/runA.txt --scores %G/scores.tsv
nothing | compare
unknown-test | compare --scores %G/scores.tsv --test anova
unknown-correction | compare --scores %G/scores.tsv --correct sidak
unknown-metric | compare --scores %G/scores.tsv -m ERR@10
bad-trials | compare --scores %G/scores.tsv --trials 0
bad-alpha | compare --scores %G/scores.tsv -m AP --alpha 2 --test t
bad-power | compare --scores %G/scores.tsv -m AP --plan --power 2
bad-table | compare --scores %G/bad/scores.csv
empty-table | compare --scores %G/bad/empty.txt
no-table | compare --scores nothing.csv
run-as-table | compare --scores %A/runA.txt
plot-bad | compare --scores %G/scores.tsv -m AP --test t --plot TMP/x.bmp
groups-bad | compare --scores %G/scores.tsv --plan --groups %G/bad/groups.txt
""",
    "similarity": """
{format} | meta similarity --scores %G/scores.tsv --format {format}
runs | meta similarity %A/qrels.txt %G/runs {four} -m bpref
runs-json | meta similarity %A/qrels.txt %G/runs {four} --also tau_ap --also spearman --also rbo --format json
also | meta similarity --scores %G/scores.tsv --also tau_ap --also rbo --also spearman
also-tsv | meta similarity --scores %G/scores.tsv --also rbo --format tsv
also-unknown | meta similarity --scores %G/scores.tsv --also pearson
alpha | meta similarity --scores %G/scores.tsv --alpha 0.2 --format json
lower | meta similarity --scores %G/scores.tsv --lower RR
lower-unknown | meta similarity --scores %G/scores.tsv --lower Zzz
seed-jobs | meta similarity --scores %G/scores.tsv --seed 3 --jobs 1 --format json
plot | meta similarity --scores %G/scores.tsv --plot TMP/x.svg
plot-also | meta similarity --scores %G/scores.tsv --also tau_ap --plot TMP/x.html -q
from | meta similarity --scores %G/perquery.csv --from pyterrier
from-unknown | meta similarity --scores %G/perquery.csv --from excel
named | meta similarity --scores %G/perquery.csv -m AP -m nDCG@10
collections | meta similarity --scores one=%G/scores.tsv --scores two=%G/scores.tsv --format json
grid-cwla | meta similarity %A/qrels_nonneg.txt %G/runs --grid cwla --format tsv
grid-dynamic | meta similarity --scores %G/iterations.csv --grid dynamic
aspects | meta similarity %V/qrels.txt %V/divA.txt %V/divB.txt -m alpha_nDCG@10 -m AP_IA -m RBU
>define | meta similarity %A/qrels.txt %G/runs -m Fickle -m RBP -m AP --define examples/fickle.py
no-metrics | meta similarity %A/qrels.txt %A/runA.txt
nothing | meta similarity
one-metric | meta similarity --scores %G/wide.csv
oracle | meta similarity --scores act=%M/consistency/scores_act.csv --format tsv
""",
    "consistency": """
{format} | meta consistency --scores %G/scores.tsv --splits 40 --format {format}
runs | meta consistency %A/qrels.txt %G/runs {four} --splits 30
compat | meta consistency --scores %G/scores.tsv --splits 40 --compat --format json
compat-browse | meta consistency %A/qrels_nonneg.txt %G/runs --grid cwla --splits 20 --compat --group-by browse --format tsv
group-none | meta consistency %A/qrels_nonneg.txt %G/runs {four} --splits 20 --compat --group-by none
alpha-seed | meta consistency --scores %G/scores.tsv --splits 40 --alpha 0.01 --seed 5 --jobs 1 --format json
lower | meta consistency --scores %G/scores.tsv --splits 20 --lower RR -m AP -m RR
plot | meta consistency --scores %G/scores.tsv --splits 30 --plot TMP/x.svg
oracle | meta consistency --scores %M/consistency/scores_act.csv --splits 30 --format json
collections | meta consistency --scores one=%G/scores.tsv --scores two=%G/wide.csv --splits 10
bad-splits | meta consistency --scores %G/scores.tsv --splits 0
few-topics | meta consistency --scores %G/one.ir_measures --splits 5
""",
    "generalizability": """
{format} | meta generalizability --scores %G/scores.tsv --format {format}
runs | meta generalizability %A/qrels.txt %G/runs {four} -m RR -m bpref
wanted | meta generalizability --scores %G/scores.tsv --reliability 0.8 --topics 5,30 --alpha 0.1
plot | meta generalizability --scores %G/scores.tsv --plot TMP/x.svg
bad-reliability | meta generalizability --scores %G/scores.tsv --reliability 1
bad-topics | meta generalizability --scores %G/scores.tsv --topics 0,5
""",
    "discrimination": """
{format} | meta discrimination --scores %G/scores.tsv --trials 300 --format {format}
runs | meta discrimination %A/qrels.txt %G/runs {four} --trials 300
groups | meta discrimination --scores %G/scores.tsv --trials 300 --groups %G/score_groups.txt --format json
groups-bad | meta discrimination --scores %G/scores.tsv --trials 300 --groups %G/bad/groups.txt
levels | meta discrimination --scores %G/scores.tsv --trials 300 --levels 0.05,0.5 --format json
levels-bad | meta discrimination --scores %G/scores.tsv --levels few
levels-out | meta discrimination --scores %G/scores.tsv --levels 0.05,1.5 --trials 100
compat | meta discrimination --scores %G/scores.tsv --trials 300 --compat --format tsv
test-t-holm | meta discrimination --scores %G/scores.tsv --test t --correct holm --format json
test-t | meta discrimination --scores %G/scores.tsv --test t
test-wilcoxon-bh | meta discrimination --scores %G/scores.tsv --test wilcoxon --correct bh
test-sign | meta discrimination --scores %G/scores.tsv --test sign --correct bonferroni --format tsv
test-permutation | meta discrimination --scores %G/scores.tsv --test permutation --trials 200 --correct by
test-bootstrap | meta discrimination --scores %G/scores.tsv --test bootstrap --trials 200 --format json
test-bootstrap-shift | meta discrimination --scores %G/scores.tsv --test bootstrap-shift --trials 200
test-max-t | meta discrimination --scores %G/scores.tsv --test max-t --trials 200
test-max-t-stepdown | meta discrimination --scores %G/scores.tsv --test max-t-stepdown --trials 200
test-anova-tukey | meta discrimination --scores %G/scores.tsv --test anova-tukey
seed-jobs | meta discrimination --scores %G/scores.tsv --trials 300 --seed 4 --jobs 1 --format tsv
plot | meta discrimination --scores %G/scores.tsv --trials 200 --plot TMP/x.svg
lower-from | meta discrimination --scores %G/perquery.csv --from pyterrier --lower map --trials 200
unknown-test | meta discrimination --scores %G/scores.tsv --test z
one-system | meta discrimination --scores %G/one.trec_eval --trials 50
""",
    "agreement": """
{format} | meta agreement --scores %G/scores.tsv --format {format}
runs | meta agreement %A/qrels.txt %G/runs {four}
alpha | meta agreement --scores %G/scores.tsv --alpha 0.2 --format json
test-wilcoxon-holm | meta agreement --scores %G/scores.tsv --test wilcoxon --correct holm
test-tukey | meta agreement --scores %G/scores.tsv --test tukey --trials 200 --format json
test-permutation-compat | meta agreement --scores %G/scores.tsv --test permutation --trials 200 --compat --seed 2 --jobs 1
plot | meta agreement --scores %G/scores.tsv --plot TMP/x.svg
collections | meta agreement --scores one=%G/scores.tsv --scores two=%G/scores.tsv --format tsv
one-metric | meta agreement --scores %G/wide.csv
""",
    "alternatives": """
{format} | meta alternatives --scores %G/scores.tsv --splits 30 --trials 200 --similar 0.5 --format {format}
runs | meta alternatives %A/qrels.txt %G/runs {four} --splits 20 --trials 200
reference | meta alternatives --scores %G/scores.tsv --reference AP --splits 30 --trials 200 --similar 0.3 --format json
test | meta alternatives --scores %G/scores.tsv --test t --correct holm --splits 30 --similar 0.5 --alpha 0.1 --seed 2
compat | meta alternatives --scores %G/scores.tsv --splits 30 --trials 200 --similar 0.5 --compat --jobs 1
plot | meta alternatives --scores %G/scores.tsv --splits 20 --trials 100 --similar 0.5 --plot TMP/x.svg
grid | meta alternatives %A/qrels_nonneg.txt %G/runs --grid cwla -m nDCG@10 --splits 10 --trials 100 --format tsv
no-reference | meta alternatives --scores %G/scores.tsv --reference ERR@10
""",
    "fragility": """
{format} | meta fragility %A/qrels_nonneg.txt %G/runs/sys1.txt %G/runs/sys5.txt -m nDCG@10 --alpha 0.3 --format {format}
all | meta fragility %A/qrels_nonneg.txt %G/runs -m P@10 --alpha 0.3 --test bonferroni
max-t | meta fragility %A/qrels_nonneg.txt %G/runs -m AP --alpha 0.3 --test max-t --trials 200 --format json
other | meta fragility %A/qrels_nonneg.txt %G/runs/sys1.txt %G/runs/sys5.txt -m P@10 --alpha 0.3 --other %G/other_qrels.txt --assessors 50
noise | meta fragility %A/qrels_nonneg.txt %G/runs/sys1.txt %G/runs/sys5.txt -m P@10 --alpha 0.3 --noise %G/noise.txt --assessors 50
plot | meta fragility %A/qrels_nonneg.txt %G/runs --alpha 0.3 --plot TMP/x.svg
bad-test | meta fragility %A/qrels_nonneg.txt %G/runs --test sign
one-run | meta fragility %A/qrels_nonneg.txt %G/runs/sys1.txt
""",
    "multiverse": """
{format} | meta multiverse %A/qrels_nonneg.txt %G/runs/sys1.txt %G/runs/sys5.txt --only metric=AP,P --trials 200 --format {format}
all | meta multiverse %A/qrels_nonneg.txt %G/runs/sys1.txt %G/runs/sys5.txt --trials 200
best | meta multiverse %A/qrels_nonneg.txt %G/runs --trials 200 --without metric --add test=sign
other | meta multiverse %A/qrels_nonneg.txt %G/runs/sys1.txt %G/runs/sys5.txt --other %G/other_qrels.txt --only metric=P --trials 200
plot | meta multiverse %A/qrels_nonneg.txt %G/runs/sys1.txt %G/runs/sys5.txt --only metric=P --trials 200 --plot TMP/x.svg
bad-dimension | meta multiverse %A/qrels_nonneg.txt %G/runs --without colour
bad-choice | meta multiverse %A/qrels_nonneg.txt %G/runs --only metric=nDGC
""",
    "claim": """
{format} | claim %A/qrels_nonneg.txt %G/runs/sys1.txt %G/runs/sys5.txt -m nDCG@10 --format {format}
page | claim %A/qrels_nonneg.txt %G/runs/sys5.txt %G/runs/sys1.txt -o TMP/x.html
one-run | claim %A/qrels_nonneg.txt %G/runs/sys1.txt
three-runs | claim %A/qrels_nonneg.txt %G/runs/sys1.txt %G/runs/sys2.txt %G/runs/sys3.txt
same-run | claim %A/qrels_nonneg.txt %G/runs/sys1.txt %G/runs/sys1.txt
""",
    "intuitiveness": """
{format} | meta intuitiveness --scores %G/scores.tsv --simple P@10 --simple RR --trials 300 --format {format}
by-{format} | meta intuitiveness --scores %G/iterations.csv --by iteration --simple p --simple strec --trials 200 --format {format}
each | meta intuitiveness --scores %G/scores.tsv --simple P@10 --simple RR --simple-sets each --trials 300 --format json
all | meta intuitiveness --scores %G/scores.tsv --simple P@10 --simple RR --simple-sets all --trials 300
lenient | meta intuitiveness --scores %G/scores.tsv --simple P@10 --simple-ties lenient --trials 300 --format json
runs | meta intuitiveness %V/qrels.txt %V/divA.txt %V/divB.txt -m alpha_nDCG@10 -m AP_IA -m RBU --simple P@10 --simple StRecall@10 --trials 200
plot | meta intuitiveness --scores %G/scores.tsv --simple P@10 --trials 200 --plot TMP/x.svg
by-all | meta intuitiveness --scores %G/iterations.csv --by iteration --simple p --simple strec --simple-sets all --trials 100 --lower ttime
by-plot | meta intuitiveness --scores %G/iterations.csv --by iteration --simple p -m act -m nct --trials 100 --plot TMP/x.svg
by-save | meta intuitiveness --scores %G/iterations.csv --by iteration --simple p --trials 50 --save TMP/x.json
by-runs | meta intuitiveness %A/qrels.txt %A/runA.txt --by iteration --simple P@10
oracle-grid | meta intuitiveness --scores %M/dd/scores_2016_iterations_1_10.csv.gz --by iteration --grid dynamic --trials 50 --format tsv
grid-dd | meta intuitiveness %D/topics.xml %D/ddA.txt %D/ddB.txt --grid dynamic --lengths %G/dd_lengths.tsv --trials 100
no-simple | meta intuitiveness --scores %G/scores.tsv
simple-unknown | meta intuitiveness --scores %G/scores.tsv --simple ERR
bad-by | meta intuitiveness --scores %G/scores.tsv --by topic --simple P@10
seed | meta intuitiveness --scores %G/scores.tsv --simple P@10 --trials 200 --seed 9 --format tsv
""",
    "unanimity": """
{format} | meta unanimity --scores %G/scores.tsv --simple P@10 --simple RR --trials 200 --format {format}
by-{format} | meta unanimity --scores %G/iterations.csv --by iteration --simple p --simple strec --trials 100 --format {format}
printed | meta unanimity --scores %G/scores.tsv --simple P@10 --simple RR --variant printed --trials 200 --format json
jackknife | meta unanimity --scores %G/scores.tsv --simple P@10 --simple RR --interval jackknife --format json
each | meta unanimity --scores %G/scores.tsv --simple P@10 --simple RR --simple-sets each --trials 200
all | meta unanimity --scores %G/scores.tsv --simple P@10 --simple RR --simple-sets all --trials 200 --format tsv
runs | meta unanimity %V/qrels.txt %V/divA.txt %V/divB.txt -m alpha_nDCG@10 -m AP_IA --simple P@10 --simple StRecall@10 --trials 100
plot | meta unanimity --scores %G/scores.tsv --simple P@10 --simple RR --trials 100 --plot TMP/x.svg
by-plot | meta unanimity --scores %G/iterations.csv --by iteration --simple p --simple-sets each --trials 50 --plot TMP/x.svg
oracle-grid | meta unanimity --scores %M/dd/scores_2016_iterations_1_10.csv.gz --by iteration --grid dynamic --trials 30 --format tsv
no-simple | meta unanimity --scores %G/scores.tsv
bad-variant | meta unanimity --scores %G/scores.tsv --simple P@10 --variant mine
no-iterations | meta unanimity --scores %G/scores.tsv --simple P@10 --by iteration --trials 50
""",
    "dominance": """
{format} | meta dominance %A/qrels.txt %G/runs --depth 5 --format {format}
full | meta dominance %A/qrels.txt %G/runs {four} --full --notes
pair | meta dominance %A/qrels.txt %A/runA.txt %A/runC.txt
show | meta dominance %A/qrels.txt %G/runs --show sys4 --show sys5 --gain exp --alpha 0.1
plot | meta dominance %A/qrels.txt %G/runs --plot TMP/x.svg
save | meta dominance %A/qrels.txt %G/runs --save TMP/x.json
policies | meta dominance %A/qrels.txt %G/runs --gain binary --rel 2 --judged-only --no-relevant skip --missing skip --format json
one-run | meta dominance %A/qrels.txt %A/runA.txt
no-runs | meta dominance %A/qrels.txt
bad-show | meta dominance %A/qrels.txt %G/runs --show sys9
bad-gain | meta dominance %A/qrels.txt %G/runs --gain cubic
bad-alpha | meta dominance %A/qrels.txt %G/runs --alpha 2
dd | meta dominance %D/topics.xml %D/ddA.txt %D/ddB.txt
""",
    "ties": """
{format} | meta ties %A/qrels.txt %A/runA.txt %A/runB.txt %A/runC.txt -m nDCG@5 -m AP -m ERR --trials 20 --format {format}
full | meta ties %A/qrels.txt %A/runA.txt %A/runB.txt --trials 20 --full --notes
by-topic | meta ties %A/qrels.txt %A/runA.txt %A/runB.txt -m AP --trials 20 --by-topic --format json
depth | meta ties %A/qrels.txt %A/runB.txt -m AP -m P@5 --depth 3 --trials 20
none | meta ties %A/qrels.txt %A/runA.txt -m AP
diverse | meta ties %V/qrels.txt %V/divA.txt %V/divB.txt -m alpha_nDCG@10 -m AP_IA --trials 10
plot | meta ties %A/qrels.txt %A/runA.txt %A/runB.txt -m nDCG@5 --trials 10 --plot TMP/x.svg
score | score %A/qrels.txt %A/runA.txt %A/runB.txt -m nDCG@5 -m AP -m RR -m RBP --tie-range
score-tsv | score %A/qrels.txt %A/runB.txt -m nDCG@5 -m AP -m ERR --tie-range --by-topic --format tsv
score-json | score %A/qrels.txt %A/runB.txt -m nDCG@5 -m BPM --tie-range --format json
score-both | score %A/qrels.txt %A/runB.txt -m AP --tie-range --bounds
score-dd | score %D/topics.xml %D/ddA.txt -m CT@5 --tie-range
bad-trials | meta ties %A/qrels.txt %A/runB.txt --trials 0
""",
    "robustness": """
{format} | meta robustness %A/qrels.txt %G/runs {four} --thin 0.3,0.7 --repeats 3 --format {format}
other | meta robustness %A/qrels.txt %G/runs {four} --other %G/other_qrels.txt
other-json | meta robustness %A/qrels.txt %G/runs {four} --other %G/other_qrels.txt --format json
pool-depth | meta robustness %A/qrels.txt %G/runs {four} --pool-depth 2,5,10 --format json
noise | meta robustness %A/qrels.txt %G/runs {four} --noise %G/noise.txt --repeats 4 --format json
groups | meta robustness %A/qrels.txt %G/runs {four} --groups %G/groups.txt --pool-depth 5
every | meta robustness %A/qrels.txt %G/runs {four} --other %G/other_qrels.txt --thin 0.5 --pool-depth 5 --noise %G/noise.txt --groups %G/groups.txt --repeats 2
default-metrics | meta robustness %A/qrels.txt %G/runs --thin 0.5 --repeats 2
test | meta robustness %A/qrels.txt %G/runs {four} --thin 0.5 --repeats 2 --test tukey --trials 200 --alpha 0.1 --seed 3 --compat
plot | meta robustness %A/qrels.txt %G/runs {four} --thin 0.2,0.6 --pool-depth 5 --other %G/other_qrels.txt --repeats 2 --plot TMP/x.svg
policies | meta robustness %A/qrels.txt %A/runA.txt %A/runB.txt %A/runC.txt {four} --thin 0.5 --repeats 2 --depth 10 --rel 2 --ties file
aspects | meta robustness %V/qrels.txt %V/divA.txt %V/divB.txt -m alpha_nDCG@10 -m AP_IA --thin 0.5 --repeats 2
nothing | meta robustness %A/qrels.txt %G/runs
no-runs | meta robustness
noise-bad | meta robustness %A/qrels.txt %G/runs --noise %G/bad/noise.txt
thin-bad | meta robustness %A/qrels.txt %G/runs --thin some
thin-out | meta robustness %A/qrels.txt %G/runs --thin 1.5
other-missing | meta robustness %A/qrels.txt %G/runs --other nothing.txt
scores | meta robustness --scores %G/scores.tsv
""",
    "lab": """
help | lab --help
code-without-token | lab --no-token --allow-code
other-host-without-token | lab --no-token --host 0.0.0.0
code-for-others | lab --allow-code --host 0.0.0.0
no-run | lab %A/qrels.txt
no-such-code | lab --define none.py
""",
    "judges": """
labels | judges %A/qrels.txt %G/other_qrels.txt
runs | judges %A/qrels.txt %G/other_qrels.txt --runs %G/runs -m nDCG@10 -m AP --bootstraps 200
runs-json | judges %A/qrels.txt %G/other_qrels.txt --runs %G/runs -m nDCG@10 --bootstraps 200 --format json
quadratic-tsv | judges %A/qrels.txt %G/other_qrels.txt --by "quadratic kappa" --bootstraps 200 --format tsv
groups | judges %A/qrels.txt %G/other_qrels.txt --runs %G/runs --groups %G/groups.txt --bootstraps 200 --test t
plot | judges %A/qrels.txt %G/other_qrels.txt --runs %G/runs --bootstraps 200 --plot TMP/x.html -q
metric-without-runs | judges %A/qrels.txt %G/other_qrels.txt -m AP
other-missing | judges %A/qrels.txt nothing.txt
""",
    "satisfaction": """
{format} | meta satisfaction --scores %G/scores.tsv --ratings %G/ratings.tsv --scale 1,5 --folds 3 --partitions 2 --trials 200 --format {format}
sessions-{format} | meta satisfaction --sessions %G/sessions --scale 1,5 -m nDCG@9 -m sDCG@9 -m RBP --folds 4 --partitions 2 --trials 200 --format {format}
sweep-{format} | meta satisfaction --sessions %G/sessions --scale 1,5 -m RBP -m GRBP --sweep p=0.4,0.6,0.8 --folds 4 --partitions 2 --format {format}
fit-{format} | meta satisfaction --sessions %G/sessions --scale 1,5 -m RBP -m GRBP --sweep p=0.4,0.6,0.8 --fit --folds 4 --partitions 2 --format {format}
sweep-effort | meta satisfaction --sessions %G/sessions --scale 1,5 -m P@9 -m RBP --sweep e=0.5,1,2 --folds 4 --partitions 2 --format json
no-scale | meta satisfaction --scores %G/scores.tsv --ratings %G/ratings.tsv --folds 3 --partitions 2 --trials 100
group-user | meta satisfaction --scores %G/scores.tsv --ratings %G/ratings.tsv --group user --folds 3 --partitions 2 --trials 100 --format json
group-task | meta satisfaction --scores %G/scores.tsv --ratings %G/ratings.tsv --group task --folds 3 --partitions 2 --trials 100
fit-group | meta satisfaction --sessions %G/sessions --scale 1,5 -m RBP --sweep p=0.4,0.8 --fit --group user --folds 3 --partitions 2
metrics | meta satisfaction --scores %G/scores.tsv --ratings %G/ratings.tsv -m AP -m RR --folds 3 --partitions 2 --trials 100 --seed 3
as-table | meta satisfaction --sessions %G/sessions/results --qrels %G/sessions/qrels --ratings %G/sessions/session -m nDCG@9 --folds 4 --partitions 2 --trials 100
grid | meta satisfaction --sessions %G/sessions --scale 1,5 --grid effort --folds 4 --partitions 2 --trials 100 --format tsv
plot | meta satisfaction --sessions %G/sessions --scale 1,5 -m nDCG@9 -m RBP --folds 4 --partitions 2 --trials 100 --plot TMP/x.svg
sweep-plot | meta satisfaction --sessions %G/sessions --scale 1,5 -m RBP --sweep p=0.4,0.8 --folds 4 --partitions 2 --plot TMP/x.svg
fit-plot | meta satisfaction --sessions %G/sessions --scale 1,5 -m RBP --sweep p=0.4,0.8 --fit --folds 4 --partitions 2 --plot TMP/x.svg
fit-alone | meta satisfaction --sessions %G/sessions -m RBP --fit
sweep-bad | meta satisfaction --sessions %G/sessions -m RBP --sweep p
sweep-no-parameter | meta satisfaction --sessions %G/sessions -m RBP --sweep zz=1,2 --folds 4
sweep-no-number | meta satisfaction --sessions %G/sessions -m RBP --sweep p=a,b
no-ratings | meta satisfaction --scores %G/scores.tsv
no-units | meta satisfaction
no-metrics | meta satisfaction --sessions %G/sessions
no-qrels | meta satisfaction --sessions %G/sessions/results -m RBP
table-no-ratings | meta satisfaction --sessions %G/sessions/results --qrels %G/sessions/qrels -m RBP
ratings-bad | meta satisfaction --scores %G/scores.tsv --ratings %G/bad/ratings.tsv
ratings-missing | meta satisfaction --scores %G/scores.tsv --ratings nothing.tsv
scale-bad | meta satisfaction --scores %G/scores.tsv --ratings %G/ratings.tsv --scale low,high
scale-narrow | meta satisfaction --scores %G/scores.tsv --ratings %G/ratings.tsv --scale 2,3
folds-bad | meta satisfaction --scores %G/scores.tsv --ratings %G/ratings.tsv --folds 1
grid-unknown | meta satisfaction --sessions %G/sessions --grid cwla
""",
    "effort": """
{format} | meta effort %G/log.tsv --format {format}
summary | meta effort %G/log.tsv --summary 0 --alpha 0.1
last-click | meta effort %G/log.tsv --examined last-click
plot | meta effort %G/log.tsv --plot TMP/x.svg
missing | meta effort nothing.tsv
other-table | meta effort %G/choices.tsv
""",
    "preference": """
{format} | meta preference --scores %G/scores.tsv --choices %G/choices.tsv --trials 300 --format {format}
users | meta preference --scores %G/scores.tsv --choices %G/choices.tsv --clusters user --trials 300 --format json
runs | meta preference %A/qrels.txt %G/runs {four} --choices %G/run_choices.csv --trials 300
runs-users | meta preference %A/qrels.txt %G/runs {four} --choices %G/run_choices.csv --clusters user --trials 300
lower | meta preference --scores %G/scores.tsv --choices %G/choices.tsv --lower RR --trials 200 --seed 3
one | meta preference --scores %G/scores.tsv -m AP --choices %G/choices.tsv --trials 200
plot | meta preference --scores %G/scores.tsv --choices %G/choices.tsv --trials 200 --plot TMP/x.svg
no-choices | meta preference --scores %G/scores.tsv
bad-choices | meta preference --scores %G/scores.tsv --choices %G/bad/choices.tsv
missing-choices | meta preference --scores %G/scores.tsv --choices nothing.tsv
bad-clusters | meta preference --scores %G/scores.tsv --choices %G/choices.tsv --clusters team
unscored | meta preference %A/qrels.txt %A/runA.txt -m AP --choices %G/run_choices.csv --trials 50
""",
    "axioms": """
{format} | axioms -m AP_IA -m alpha_nDCG@10 -m RR --depth 4 --jobs 1 --format {format}
usual | axioms --depth 4 --jobs 1 --format json
>all | axioms -m AP_IA -m RBP -m nDCG@5 -p all --depth 4 --jobs 1 --format json
moffat2013 | axioms -m RBP -m AP -m RR -m P@10 -p moffat2013 --aspects 1 --depth 5 --jobs 1
moffat2012 | axioms -m RBP -m INST -m AP -m P@10 -m RR -m INSQ -p moffat2012 --aspects 1 --depth 5 --jobs 1
moffat2012-json | axioms -m RBP -m INST -p moffat2012 -p moffat2013 --aspects 1 --depth 4 --jobs 1 --format json
amigo | axioms -m RBP -m nDCG@10 -m P@10 -p deepness -p closeness -p top_heaviness --aspects 1 --depth 5 --jobs 1
strict | axioms -m RR -m AP_IA -p strict_relevance -p strict-priority -p swap --depth 4 --jobs 1 --witnesses 3
goals | axioms -m RBP -m AP -p boundedness -p patience -p untruncated -p goal --aspects 1 --depth 4 --jobs 1 --format tsv
grades | axioms -m nDCG@10 -m RBP -m "INST(A='MAX')" -m ERR@5 -p relevance -p replacement -p swap --grades 2 --depth 4 --jobs 1
grades-json | axioms -m Q -m nERR@5 -p all --grades 3 --depth 3 --jobs 1 --format json
exact | axioms -m RBP -m AP_IA -m RR -m P@5 --exact --depth 4 --jobs 1 --format json
exact-refused | axioms -m nDCG@10 --exact --depth 3 --jobs 1
sample | axioms -m AP_IA -m RBP --sample 60 --depth 8 --seed 3 --jobs 1
sample-json | axioms -m alpha_nDCG@10 -m ACT --sample 40 --depth 8 --jobs 1 --format json
multi-aspect | axioms -m AP_IA -m alpha_nDCG@10 -m NRBP --multi-aspect --depth 3 --jobs 1
weights | axioms -m "IA(metric='AP')" -m RBU --weights 0.7,0.3 --depth 4 --jobs 1
weights-idle | axioms -m AP_IA --weights 0.7,0.3 --depth 3
weights-bad | axioms -m RBU --weights most --depth 3
weights-few | axioms -m RBU --weights 0.5,0.3,0.2 --depth 3 --jobs 1
pool | axioms -m AP_IA -m nERR_IA@10 --pool 3 --depth 3 --jobs 1 --format json
three-aspects | axioms -m AP_IA -m nERR_IA@10 -m ACT --aspects 3 --depth 3 --jobs 1
one-aspect | axioms -m AP -m nDCG@10 --aspects 1 --depth 6 --jobs 1
witnesses-0 | axioms -m AP_IA -m ACT --witnesses 0 --depth 4 --jobs 1
witnesses-5 | axioms -m AP_IA --witnesses 5 --depth 4 --jobs 1 --format json
no-induction | axioms -m AP_IA -m RR --no-induction --depth 4 --jobs 1 --format json
quiet | axioms -m AP_IA --depth 4 --jobs 1 -q
plot | axioms -m AP_IA -m RR -m RBP --depth 4 --jobs 1 --plot TMP/x.svg
>jobs | axioms -m AP_IA -m RR --depth 4 --jobs 2 --format json
>define | axioms -m RR -m AP -p eager --define examples/eager.py --depth 4 --jobs 1
>define-metric | axioms -m Fickle --define examples/fickle.py --aspects 1 --depth 4 --jobs 1
>unknown-property | axioms -m RR -p fairness
>unknown-metric | axioms -m Fairness --depth 3
needs-lengths | axioms -m nEU --depth 3 --jobs 1
aspects-bad | axioms -m RR --aspects 9
depth-bad | axioms -m RR --depth 0
depth-huge | axioms -m RR --depth 60 --jobs 1
grades-aspects | axioms -m nDCG@5 --grades 2 --aspects 2 --depth 3 --jobs 1
""",
    "report": """
scores | report --scores %G/scores.tsv -o TMP/page.html --trials 300 --splits 30
runs | report %A/qrels.txt %G/runs {four} -o TMP/page.html --trials 200 --splits 20 --groups %G/groups.txt --title "A title"
runs-usual | report %A/qrels_nonneg.txt %G/runs -o TMP/page.html --trials 100 --splits 10 --format json
aspects | report %V/qrels.txt %V/divA.txt %V/divB.txt -m alpha_nDCG@10 -m AP_IA -m P@10 -m StRecall@10 -o TMP/page.html --trials 100 --splits 10
settings | report --scores %G/scores.tsv --main RR --test t --alpha 0.1 --seed 3 --jobs 1 --lower RBP -m AP -m RR -m RBP -o TMP/page.html --splits 20 --quiet
{format} | report --scores %G/scores.tsv -m AP -m RR -m P@10 -o TMP/page.html --trials 100 --splits 10 --format {format}
>define | report %A/qrels.txt %G/runs -m Fickle -m AP -m RBP --define examples/fickle.py -o TMP/page.html --trials 100 --splits 10
correct | report --scores %G/scores.tsv --test t --correct holm -o TMP/page.html --splits 10
compat | report --scores %G/scores.tsv --compat -o TMP/page.html --trials 60 --splits 10
main-unknown | report --scores %G/scores.tsv --main ERR -o TMP/page.html --trials 50 --splits 5
nothing | report -o TMP/page.html
one-run | report %A/qrels.txt %A/runA.txt -o TMP/page.html
one-metric | report %A/qrels.txt %G/runs -m AP -o TMP/page.html --trials 50 --splits 5
other | report %A/qrels.txt %G/runs -m AP -m nDCG@5 --other %G/other_qrels.txt --by nDCG@5 -o TMP/page.html --trials 50 --splits 5
other-json | report %A/qrels.txt %G/runs -m AP -m nDCG@5 --other %G/other_qrels.txt -o TMP/page.html --trials 50 --splits 5 --format json
ratings | report %A/qrels.txt %G/runs -m AP -m nDCG@5 -m RR --ratings %G/list_ratings.tsv -o TMP/page.html --trials 50 --splits 5
ratings-json | report %A/qrels.txt %G/runs -m AP -m nDCG@5 --ratings %G/list_ratings.tsv -o TMP/page.html --trials 50 --splits 5 --format json
ratings-scores | report --scores %G/scores.tsv --ratings %G/ratings.tsv -o TMP/page.html --trials 50 --splits 5
other-scores | report --scores %G/scores.tsv --other %G/other_qrels.txt -o TMP/page.html --trials 50 --splits 5
baseline | report %A/qrels.txt %G/runs -m AP -m RR --baseline sys1 -o TMP/page.html --trials 50 --splits 5
baseline-unknown | report %A/qrels.txt %G/runs -m AP --baseline nobody -o TMP/page.html --trials 50 --splits 5
""",
    "demo": """
small | demo --topics 8 --systems 4 -o TMP/demo
keep | demo --topics 6 --systems 4 --seed 2 -o TMP/demo --keep TMP/kept --quiet
few-topics | demo --topics 2 -o TMP/demo
few-systems | demo --systems 1 -o TMP/demo
""",
    "reproduce": """
albahem2018-{format} | reproduce albahem2018 --format {format}
albahem2018-plot | reproduce albahem2018 --plot TMP/x.svg -q
albahem2018-table-1 | reproduce albahem2018 --table 1 --format tsv
albahem2018-data | reproduce albahem2018 --data tests --table 1
albahem2018-seed | reproduce albahem2018 --seed 3 --jobs 1 --table 1 --format json
albahem2018-unknown-table | reproduce albahem2018 --table 99
albahem2018-runs | reproduce albahem2018 --runs %A/runA.txt --qrels %A/qrels.txt
chen2023-no-data | reproduce chen2023 --format tsv
moffat2012-no-data | reproduce moffat2012
albahem2019-no-data | reproduce albahem2019
jiang2016-no-data | reproduce jiang2016
chen2023-runs | reproduce chen2023 --runs %G/runs --qrels %A/qrels_nonneg.txt
chen2023-runs-no-qrels | reproduce chen2023 --runs %G/runs
unknown-paper | reproduce moffat2020
no-folder | reproduce moffat2012 --data nothing
albahem2019-{format} | reproduce albahem2019 --data %S --format {format}
albahem2019-plot | reproduce albahem2019 --data %S --plot TMP/x.svg -q
albahem2019-table-4 | reproduce albahem2019 --data %S/trec-dd --table 4
chen2023-{format} | reproduce chen2023 --data %S --format {format}
chen2023-plot | reproduce chen2023 --data %S --plot TMP/x.svg -q
jiang2016 | reproduce jiang2016 --data %S
jiang2016-json | reproduce jiang2016 --data %S --format json
jiang2016-html | reproduce jiang2016 --data %S --format html
jiang2016-latex | reproduce jiang2016 --data %S --table 3 --format latex
jiang2016-plot | reproduce jiang2016 --data %S --plot TMP/x.svg -q
jiang2016-seed | reproduce jiang2016 --data %S --table 3 --seed 4 --format tsv
moffat2012-{format} | reproduce moffat2012 --data %S --format {format}
moffat2012-plot | reproduce moffat2012 --data %S --plot TMP/x.svg -q
moffat2012-table-1 | reproduce moffat2012 --data %S --table 1
""",
    "collections": """
trec8-compare | compare --scores %S/trec-8/adhoc8_ap.csv --test t --correct holm --baseline run95 --format tsv
trec8-similarity | meta similarity --scores ap=%S/trec-8/adhoc8_ap.csv --scores p=%S/trec-8/adhoc8_p10.csv
trec8-similarity-same | meta similarity --scores %S/trec-8/adhoc8_ap.csv --scores %S/trec-8/adhoc8_p10.csv --scores %S/trec-8/adhoc8_rr.csv
trec8-discrimination | meta discrimination --scores %S/trec-8/adhoc8_ap.csv --scores %S/trec-8/adhoc8_rr.csv --trials 100
dl2019-similarity | meta similarity --scores %S/dl-2019/ndcg.tot.gz
dl2019-consistency | meta consistency --scores %S/dl-2019/ndcg.tot.gz --splits 20 --format tsv
covid-score | score %S/trec-covid-1/qrels.txt "%S/trec-covid-1/runs/B*.gz" {four} -m bpref -m INST
covid-robustness | meta robustness %S/trec-covid-1/qrels.txt "%S/trec-covid-1/runs/B*.gz" -m nDCG@10 -m bpref --thin 0.3 --repeats 2
jiang-score | score %S/jiang-2016 %S/jiang-2016 {sessions} --format tsv
jiang-satisfaction | meta satisfaction --sessions %S/jiang-2016 --grid effort --scale 1,5 --partitions 2 --trials 200 --format tsv
jiang-fit | meta satisfaction --sessions %S/jiang-2016 -m RBP --scale 1,5 --sweep p=0.6,0.8 --fit --folds 4 --partitions 2
llmjudge-validate | validate %S/llmjudge/human.txt.gz %S/llmjudge/TREMA-all.gz
""",
    "check": """
{format} | check %A/qrels.txt %A/runB.txt %A/runA.txt -m nDCG@10,AP --format {format}
junit | check %A/qrels.txt %A/runB.txt %A/runA.txt -m nDCG@10,AP --format junit
same | check %A/qrels.txt %A/runA.txt %A/runA.txt -m AP
worse | check %A/qrels.txt %A/runC.txt %A/runA.txt -m AP --tolerance 0.01
fail-on-worse | check %A/qrels.txt %A/runB.txt %A/runA.txt -m AP --fail-on worse --full
few | check %A/qrels.txt %A/runB.txt %A/runA.txt -m RR,Success@1 --tolerance 0.05 --notes
scores | check --scores %G/scores.tsv -m AP
three | check %A/qrels.txt %A/runA.txt %A/runB.txt %A/runC.txt -m AP
tolerance | check %A/qrels.txt %A/runA.txt %A/runB.txt -m AP --tolerance -1
not-check | compare %A/qrels.txt %A/runA.txt %A/runB.txt -m AP --format junit
""",
    "diff": """
{format} | diff tests/oracles/trec_eval/runA.all_trec.txt tests/oracles/trec_eval/runA.l2.txt --qrels %A/qrels.txt --runs %A/runA.txt --format {format}
judged | diff tests/oracles/trec_eval/runA.all_trec.txt tests/oracles/trec_eval/runA.J.txt --qrels %A/qrels.txt --runs %A/runA.txt
without-runs | diff tests/oracles/trec_eval/runA.all_trec.txt tests/oracles/trec_eval/runA.c.all_trec.txt
unexplained | diff tests/oracles/trec_eval/runA.all_trec.txt tests/oracles/trec_eval/runA.M5.txt
one-of-two | diff %G/scores.tsv %G/scores.tsv --qrels %A/qrels.txt
same | diff %G/scores.tsv %G/scores.tsv
""",
    "validate": """
{format} | validate %G/bad/run_mixed.txt --format {format}
sound | validate %A/qrels.txt
together | validate %A/qrels.txt %A/runA.txt %A/runB.txt %A/runC.txt
together-json | validate %A/qrels.txt %A/runA.txt --format json
strict | validate %A/qrels.txt %A/runA.txt --strict
strict-tsv | validate %A/qrels_no7.txt "%G/runs/*.txt" --strict --format tsv
folder | validate %G/runs
twice | validate %G/bad/run_twice.txt --format tsv
short | validate %G/bad/run_short.txt
score | validate %G/bad/run_score.txt
grade | validate %G/bad/qrels_grade.txt
clash | validate %G/bad/qrels_clash.txt --format json
empty | validate %G/bad/empty.txt
damaged | validate %G/bad/broken.gz
odd | validate %A/qrels.txt %G/odd_run.txt
diversity | validate %V/qrels.txt %V/divA.txt %V/divB.txt
cwl | validate %C/gains.txt %C/run.txt
dd | validate %D/topics.xml %D/ddA.txt
sessions | validate %G/sessions
scores | validate %G/scores.tsv
missing | validate nothing.txt
nothing | validate
stdin | validate - <%G/bad/run_mixed.txt
edge | validate %E/ddorder.txt %E/neg.xml
""",
    "convert": """
irassay | convert %G/scores.tot --to irassay
trec_eval | convert %G/scores.tot --to trec_eval
tot | convert %G/scores.tsv --to tot
ir_measures | convert %G/scores.tot --to ir_measures --run t1
ir_measures-several | convert %G/scores.tot --to ir_measures
autojudge | convert %G/scores.tot --to autojudge
pyterrier | convert %G/scores.tot --to pyterrier
csv | convert %G/scores.tot --to csv
wide | convert %G/scores.tot --to wide -m map
wide-several | convert %G/scores.tot --to wide
means-irassay | convert %G/scores.tsv --means
means-trec_eval | convert %G/scores.tot --to trec_eval --means
means-tot | convert %G/scores.tot --to tot --means
means-autojudge | convert %G/scores.tot --to autojudge --means
means-pyterrier | convert %G/scores.tot --to pyterrier --means
means-csv | convert %G/scores.tot --to csv --means
means-wide | convert %G/scores.tot --to wide -m map --means
from-trec_eval | convert %G/one.trec_eval
from-trec_eval-said | convert %G/one.trec_eval --from trec_eval --to csv
from-ir_measures | convert %G/one.ir_measures
from-ir_measures-said | convert %G/one.ir_measures --from ir_measures
from-autojudge | convert %G/autojudge.jsonl
from-pyterrier | convert %G/perquery.csv
from-columns | convert %G/columns.csv
from-columns-quiet | convert %G/columns.csv --quiet
from-wide | convert %G/wide.csv
from-iterations | convert %G/iterations.csv
from-unknown | convert %G/wide.csv --from excel
from-wrong | convert %G/one.trec_eval --from tot
run-metric | convert %G/scores.tsv --run s1 --run s3 -m AP -m ndcg_cut_10
run-unknown | convert %G/scores.tsv --run nobody
metric-unknown | convert %G/scores.tsv -m ERR
several | convert %G/perquery.csv %G/columns.csv
stdin | convert - --to csv <%G/scores.tot
collections | convert one=%G/scores.tot two=%G/scores.tot
oracle | convert %M/consistency/scores_nct.csv --to trec_eval --run GT_FirstIterBaseline
missing | convert nothing.csv
empty | convert %G/bad/empty.txt
judgements | convert %A/qrels.txt
run | convert %A/runA.txt
bad | convert %G/bad/scores.csv
unknown-dialect | convert %G/scores.tot --to excel
nothing | convert
""",
    "options": """
adhoc-compare | compare %A/qrels.txt %G/runs -m AP -m nDCG@5 -m "INST(T='@T')" {adhoc} --test t --format json
adhoc-report | report %A/qrels.txt %G/runs -m AP -m nDCG@5 -m TBG {adhoc} -o TMP/page.html --trials 50 --splits 5 -q
adhoc-robustness | meta robustness %A/qrels.txt %G/runs -m AP -m nDCG@5 -m P@10 {adhoc} --thin 0.5 --repeats 2 --quiet --jobs 1 --correct holm
adhoc-preference-runs | meta preference %A/qrels.txt %G/runs -m AP -m nDCG@5 {adhoc} --choices %G/run_choices.csv --trials 60
adhoc-{method} | meta {method} %A/qrels.txt %G/runs -m AP -m nDCG@5 -m P@10 -m "INST(T='@T')" {adhoc} --trials 60
rel-compare | compare %A/qrels.txt %G/runs -m AP -m nDCG@5 --rel 2 --test t
rel-report | report %A/qrels.txt %G/runs -m AP -m nDCG@5 --rel 2 -o TMP/page.html --trials 50 --splits 5 -q
rel-{method} | meta {method} %A/qrels.txt %G/runs -m AP -m nDCG@5 -m P@10 --rel 2 --trials 60
diverse-compare | compare %V/qrels.txt %V/divA.txt %V/divB.txt -m RBU -m "IA(metric='AP')" {diverse} --test t
diverse-report | report %V/qrels.txt %V/divA.txt %V/divB.txt -m RBU -m alpha_nDCG@10 -m AP_IA -m P@10 {diverse} -o TMP/page.html --trials 50 --splits 5
diverse-robustness | meta robustness %V/qrels.txt %V/divA.txt %V/divB.txt -m RBU -m alpha_nDCG@10 {diverse} --thin 0.5 --repeats 2
diverse-{method} | meta {method} %V/qrels.txt %V/divA.txt %V/divB.txt -m AP -m RBU -m alpha_nDCG@10 -m P@10 {diverse} --trials 60 --format json
procedure-{method} | meta {method} --scores %G/scores.tsv --from irassay --lower RR {procedure} --quiet
procedure-satisfaction | meta satisfaction --scores %G/scores.tsv --ratings %G/ratings.tsv --folds 3 --partitions 2 {procedure} --quiet
procedure-report | report --scores %G/scores.tsv --from irassay {procedure} --correct holm -o TMP/page.html --splits 10
grid-{method} | meta {method} %A/qrels_nonneg.txt %G/runs --grid cwla -m P@10 -m AP --trials 40 --format tsv
grid-report | report %A/qrels_nonneg.txt %G/runs --grid cwla -o TMP/page.html --trials 20 --splits 4 -q
grid-effort | meta similarity %G/sessions/qrels %G/sessions/results %G/sessions_b.tsv --run-format session --grid effort --format tsv
grid-effort-grades | meta similarity %A/qrels.txt %G/runs --grid effort
grid-unknown | meta similarity %A/qrels.txt %G/runs --grid all
dd-{method} | meta {method} %D/topics.xml %D/ddA.txt %D/ddB.txt --grid dynamic -m AP -m P@10 --lengths %G/dd_lengths.tsv --run-format dd --trials 40
sessions-compare | compare %G/sessions/qrels %G/sessions/results %G/sessions_b.tsv -m sDCG@9 -m nDCG@9 --run-format session --test t
sessions-one | meta similarity %G/sessions %G/sessions -m sDCG@9 -m nDCG@9 --run-format session
>define-{method} | meta {method} %A/qrels.txt %G/runs -m Fickle -m AP -m P@10 --define examples/fickle.py --trials 40
>define-compare | compare %A/qrels.txt %G/runs -m Fickle --define examples/fickle.py --test t --format json
>define-robustness | meta robustness %A/qrels.txt %G/runs -m Fickle --define examples/fickle.py --thin 0.5 --repeats 2
>define-satisfaction | meta satisfaction --sessions %G/sessions -m Fickle -m RBP --define examples/fickle.py --scale 1,5 --folds 4 --partitions 2 --trials 50
fetch-nothing | reproduce albahem2018 --table text --fetch
""",
    SAVED: """
similarity | meta similarity --scores %G/scores.tsv --also tau_ap --save TMP/similarity.json --format json
consistency | meta consistency --scores %G/scores.tsv --splits 12 --save TMP/consistency.json --format json
consistency-compat | meta consistency --scores %G/scores.tsv --splits 12 --compat --save TMP/consistency-compat.json --format json
discrimination | meta discrimination --scores %G/scores.tsv --trials 100 --save TMP/discrimination.json --format json
agreement | meta agreement --scores %G/scores.tsv --save TMP/agreement.json --format json
alternatives | meta alternatives --scores %G/scores.tsv -m AP -m nDCG@10 -m RR --similar 0.5 --splits 10 --trials 100 --save TMP/alternatives.json --format json
intuitiveness | meta intuitiveness --scores %G/scores.tsv --simple P@10 --simple RR --simple-sets all --trials 100 --save TMP/intuitiveness.json --format json
unanimity | meta unanimity --scores %G/scores.tsv --simple P@10 --simple RR --trials 50 --save TMP/unanimity.json --format json
robustness | meta robustness %A/qrels.txt %G/runs -m nDCG@10 -m AP --thin 0.5 --pool-depth 5 --other %G/other_qrels.txt --repeats 2 --save TMP/robustness.json --format json
satisfaction | meta satisfaction --sessions %G/sessions --scale 1,5 -m nDCG@9 -m RBP --folds 4 --partitions 2 --trials 100 --save TMP/satisfaction.json --format json
satisfaction-tables | meta satisfaction --scores %G/scores.tsv --ratings %G/ratings.tsv --group user --folds 3 --partitions 2 --trials 100 --save TMP/satisfaction-tables.json --format json
sensitivity | meta satisfaction --sessions %G/sessions --scale 1,5 -m RBP -m GRBP --sweep p=0.4,0.8 --folds 4 --partitions 2 --save TMP/sensitivity.json --format json
fitting | meta satisfaction --sessions %G/sessions --scale 1,5 -m RBP -m GRBP --sweep p=0.4,0.8 --fit --folds 4 --partitions 2 --save TMP/fitting.json --format json
preference | meta preference --scores %G/scores.tsv --choices %G/choices.tsv --trials 100 --save TMP/preference.json --format json
axioms | axioms -m AP_IA -m RR --depth 3 --jobs 1 --witnesses 0 --save TMP/axioms.json --format json
axioms-kept | axioms -m RBP -m SDCG@10 --depth 3 --jobs 1 --save TMP/axioms-kept.json --format json
axioms-grades | axioms -m nDCG@5 -m RBP -p relevance -p swap --grades 2 --depth 3 --jobs 1 --witnesses 0 --save TMP/axioms-grades.json --format json
reproduce | reproduce albahem2018 --table text --save TMP/reproduce.json --format json
reproduce-chen2023 | reproduce chen2023 --table 1 --save TMP/reproduce-chen2023.json --format json
no-folder | meta similarity --scores %G/scores.tsv --save TMP/none/x.json
""",
}


def _cases() -> list[Case]:
    cases = []
    for group, block in BLOCKS.items():
        for name, arguments in _lines(block):
            for form in COMMON_FORMATS if "{format}" in name else ("",):
                cases.append(_case(group, name.replace("{format}", form), arguments.replace("{format}", form)))
    cases = [case for case in cases if case.name not in REDUNDANT]
    return cases + [_accepted(case) for case in cases if case.name in UNUSED]


def _accepted(case: Case) -> Case:
    """The case without the options that its method does not use."""
    unused = UNUSED[case.name]
    words = [
        word
        for before, word in zip(("", *case.argv), case.argv, strict=False)
        if word not in unused and (before not in unused or before == "--compat")
    ]
    return replace(case, name=f"{case.name}-accepted", argv=tuple(words))


def _lines(block: str) -> Iterator[tuple[str, str]]:
    """The name and the arguments of each line; a line with {method} once for every method."""
    for line in block.strip().splitlines():
        name, _, arguments = line.partition(" | ")
        if "{method}" in name:
            for method, own in METHODS.items():
                yield name.replace("{method}", method), f"{arguments.replace('{method}', method)} {own}".strip()
        else:
            yield name, arguments


def _case(group: str, name: str, line: str) -> Case:
    line, _, stdin = line.partition(" <")
    for word, options in OPTIONS.items():
        line = line.replace(f"{{{word}}}", options)
    for short, place in PLACES.items():
        line, stdin = line.replace(f"{short}/", f"{place}/"), stdin.replace(f"{short}/", f"{place}/")
        line = re.sub(rf"{short}(?= |$)", place, line)
    argv: list[str] = []
    for word in shlex.split(line):
        metrics = LISTS.get(word[1:-1], "") if word[:1] == "{" else ""
        argv += [part for metric in metrics.split() for part in ("-m", metric)] if metrics else [word]
    fresh = name.startswith(">")
    return Case(f"{group}-{name.removeprefix('>')}", group, tuple(argv), "../shared" in line, fresh, stdin)


CASES = tuple(_cases())
