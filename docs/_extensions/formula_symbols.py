"""What the symbols in formulas mean: one table for all pages, of which each page shows the lines that it needs."""

import re
from collections.abc import Iterator

from irassay.metrics.declaration import Declaration

MODEL = "$V$, $W$, $L$ and the score follow from $C$: see [user models](../../concepts/user-models.md)."
STOPS = (
    "The score is the sum over ranks of $L(i)$ times the gain per unit of cost so far, unless `A` says otherwise: see "
    "[user models](../../concepts/user-models.md)."
)

# A pattern, which is searched for in the formula without its texts, and what it means. Parameters have their own table.
SYMBOLS = {
    r"C\(": "$C(i)$: the probability of continuing past rank $i$",
    r"L\(": "$L(i)$: the probability of stopping at rank $i$",
    r"W\(": "$W(i)$: the share of attention that rank $i$ gets",
    r"^(?!.*D\(i\) =).*D\(i\)": "$D(i)$: 1, or $1 / \\log_2(i+1)$ with `path_discount`",
    r"\[": "$[\\ldots]$: 1 if the condition holds, 0 otherwise",
    r"(?<![a-z])x_[ij]": "$x_i$: the grade of the result at rank $i$; 0 if it is not judged, or judged below 0",
    r"x\^\*_i": "$x^*_i$: the grade at rank $i$ of the ideal list: all judged documents, best grade first",
    r"g_[ij1]": "$g_i$: the gain of the result at rank $i$; `gain` says how it follows from the grade",
    r"g\^\*_": "$g^*_i$: the gain at rank $i$ of the ideal list: all judged documents, best grade first",
    r"G_[ij]": "$G_i$: the gain of the first $i$ results",
    r"G\^\*_": "$G^*_i$: the gain of the first $i$ documents of the ideal list: all judged documents, best grade first",
    r"(?<!})b_[ij]": "$b_i$: 1 if the result at rank $i$ is relevant, 0 otherwise",
    r"\\bar\{b\}": "$\\bar{b}_i$: 1 if the result at rank $i$ is judged and not relevant, 0 otherwise",
    r"B_": "$B_i$: the number of relevant results among the first $i$",
    r"u_i": "$u_i$: 1 if the result at rank $i$ is not judged, 0 otherwise",
    r"c_i": "$c_i$: the cost of the result at rank $i$: 1, unless costs or an effort are given",
    r"E_i": "$E_i$: the cost of the first $i$ results: $i$, unless costs or an effort are given",
    r"l_[ij]": "$l_i$: the number of words of the result at rank $i$",
    r"t_i": "$t_i$: the time spent, or text read, up to the result at rank $i$",
    r"\bR(?![_(])": "$R$: the number of the topic's relevant documents, retrieved or not",
    r"\bN\b(?!_)": "$N$: the number of the topic's documents that are judged and not relevant",
    r"N_i": "$N_i$: the number of results before rank $i$ that are judged and not relevant",
    r"J_i": "$J_i$: the number of results before rank $i$ that are in the pool, judged or not",
    r"(?<![\\\w])n\b(?!_)": "$n$: the length of the list",
    r"\bn_t": "$n_t$: the number of results for topic $t$",
    r"R_t": "$R_t$: the number of relevant documents of topic $t$",
    r"\\sum_\{t\}": "$t$: a topic",
    r"\|t\|": "$|t|$: the number of topics",
    r"\\rho = \\min": "$\\rho$: the rank of the first result of the highest grade in the list",
    r"d\^\*": "$d$: the list; $d^*$: the list of all relevant documents, best grade first, that is most similar to $d$",
    r"\bm\b": "$m$: the number of aspects with a relevant document",
    r"b_\{ia\}": "$b_{ia}$: 1 if the result at rank $i$ is relevant to aspect $a$, 0 otherwise",
    r"x_\{ia\}": "$x_{ia}$: the grade of the result at rank $i$ for aspect $a$; in dynamic search, the sum of ratings",
    r"x\^\*_\{ia\}": "$x^*_{ia}$: the ratings of all judged documents for aspect $a$, largest first, counted from 0",
    r"g_\{ia\}": "$g_{ia}$: the gain of the result at rank $i$ for aspect $a$",
    r"w_a": "$w_a$: the weight of aspect $a$: as given, or else equal for the aspects with a relevant document",
    r"v\^\*_": "$v^*_i$: the same for a greedy order of all judged documents: each rank takes the one that adds most",
    r"y_\{ia\}": "$y_{ia}$: what the result at rank $i$ adds to aspect $a$, at most what fits",
    r"s_\{ia\}": "$s_{ia}$: the number of results before rank $i$ that added to aspect $a$",
    r"q_i": "$q_i$: the iteration of the result at rank $i$",
    r"x_\{qia\}": "$x_{qia}$: the rating of result $i$ of iteration $q$ for aspect $a$",
    r"x_\{qi\}": "$x_{qi}$: the grade of result $i$ of query $q$",
    r"g_\{ri\}": "$g_{ri}$: the gain of result $i$ of query $r$",
    r"\\omega": "$\\omega$: a path of $|\\omega|$ results, through the first $i_q$ results of each of $Q$ queries; the "
    "grade of the $i$-th of them is $x_{\\omega_i}$",
    r"Q_s": "$Q_s$: the number of queries of the session; $n_q$: the number of results of query $q$",
    r"^(?!.*Q_s).*\bQ\b": "$Q$: the number of queries or iterations of the session",
    r"\\nu": "$\\nu$: a nugget, with the rating $x_\\nu$",
    r"\\mu_": "$\\mu_\\nu$: how often the nugget is met, in expectation; each passage of a result that has it counts",
    r"\\mu\^": "$\\mu^*_\\nu$: how often it would be met, in expectation, if its documents were ranked first",
    r"l_\{qj\}": "$l_{qj}$: the words of result $j$ of iteration $q$, which has $n_q$ results",
    r"D_j": "$D_j$: the discounts of five ranks in $k$ iterations, largest first",
    r"X_j": "$X_j$: the sums of the ratings of each judged document over aspects, largest first",
    r"d_\\nu": "$d_\\nu$: the number of documents with the nugget, at most five for each iteration",
    r"l\^": "$l^{\\uparrow}_j$, $l^{\\downarrow}_j$: the words of all documents of known length, shortest or longest "
    "first; $c$: their number, at most five for each iteration",
    r"i_j": "$i_j$: the rank at which the $j$-th of them is read: first rank 1 of every iteration, then rank 2, and so "
    "on. As in the jig, the last iteration has empty ranks; documents that find no rank are not read",
    r"\\succ(?!_)": "$a \\succ b$: judges prefer document $a$ to document $b$",
    r"r_a": "$r_a$: the rank of document $a$; infinite if the list does not have it",
    r"\\succ_u": "$a \\succ_u b$: group $u$ prefers document $a$ to document $b$. If $N_u > R_u$, only its first $R_u$ "
    "nonrelevant documents count, by rank and then by id; in a group without subgroups, every document counts as "
    "preferred to each of them, also to itself",
    r"\|u\|": "$u$: a group of judgements, and $|u|$ their number",
    r"R_u": "$R_u$, $N_u$: the number of relevant and of nonrelevant (level 0) documents of group $u$; $F_u$: the "
    "number of relevant ones in the list",
    r"\\tau": "$\\tau$: the terminal document; not $\\tau$: one in its place that is not relevant",
}
NAMED = {  # the same for names, which are texts
    r"\\text\{\w+\}_a": "a metric with the index $a$: its score with aspect $a$ treated as a topic",
    r"\\text\{aINSQ\}": "$\\text{aINSQ}_q$: the score of query $q$ by [aINSQ](aINSQ.md) with the goal $T_q$",
    r"\\text\{IPrec\}\(": "$\\text{IPrec}(r)$: the best precision at a recall of $r$ or beyond: see [IPrec](IPrec.md)",
    r"\\frac\{\\text\{sDCG\}": "$\\text{sDCG}$: the gain of the session: see [sDCG](sDCG.md)",
    r"\\text\{EU\}_": "$\\text{EU}$: the utility of the search: see [EU](EU.md)",
}
NO_LIMIT = re.compile(
    r"\^\{k\}|\\le k|\\min\(R, k\)|k &="
)  # places where a missing cutoff means that there is no limit


def formula_blocks(declaration: Declaration) -> Iterator[str]:
    """The formula, and what its symbols mean."""
    yield f"$$\n{declaration.formula}\n$$"
    if meanings := list(symbol_meanings(declaration)):
        yield "where\n\n" + "\n".join(f"- {meaning}" for meaning in meanings)
    if "C(i)" in declaration.formula:
        yield MODEL
    elif declaration.kind == "stop_model":
        yield STOPS


def symbol_meanings(declaration: Declaration) -> Iterator[str]:
    """The meaning of every symbol in a formula that is not a parameter."""
    formula = re.sub(r"\\text\{[^{}]*\}", "", declaration.formula)
    for pattern, meaning in SYMBOLS.items():
        if re.search(pattern, formula) and meaning.split("$")[1] not in declaration.parameters:
            yield meaning
    yield from (meaning for pattern, meaning in NAMED.items() if re.search(pattern, declaration.formula))
    if re.search(r"(?<![\\\w])5?k\b|_k\b", formula):
        yield f"$k$: the cutoff; without one, {without_cutoff(declaration, formula)}"


def without_cutoff(declaration: Declaration, formula: str) -> str:
    """What k is if no cutoff is given."""
    if "turns" in declaration.needs:
        return "the number of iterations"
    return "the length of the list" if "k" in NO_LIMIT.sub("", formula) else "there is no limit"
