"""Metric strings: NAME(key=value,…)@cutoff, the grammar of ir_measures, and the names other tools use."""

import ast
import difflib
import re
from typing import Any

from irassay.errors import InputError
from irassay.metrics.metric import METRICS, Metric

# Other spellings of our names: trec_eval's, and those of ir_measures, cwl_eval, ndeval and NTCIREVAL.
SPELLINGS = {
    "AP": "map MAP",
    "RR": "recip_rank MRR",
    "nDCG": "ndcg NDCG",
    "P": "set_P Precision SetP",
    "R": "set_recall Recall SetR",
    "Rprec": "RPrec",
    "bpref": "Bpref BPref",
    "alpha_DCG": "α_DCG alpha-DCG α-DCG",
    "alpha_nDCG": "α_nDCG alpha-nDCG α-nDCG",
    "AP_IA": "MAP_IA MAP-IA AP-IA",
    "P_IA": "P-IA",
    "ERR_IA": "ERR-IA",
    "nERR_IA": "nERR-IA",
    "StRecall": "strec I-rec",
    "D_nDCG": "D-nDCG",
    "D_Q": "D-Q",
    "Dsharp_nDCG": "D#-nDCG",
    "Dsharp_Q": "D#-Q",
}
ALIASES = {other: name for name, others in SPELLINGS.items() for other in others.split()}
UNREADABLE = {other for other in ALIASES if not other.isidentifier()} | {"strec"}  # by Python, and so replaced first
TREC_EVAL_CUT = re.compile(r"(P|recall|map_cut|ndcg_cut|ndcg_at|success)_(\d+)")
TREC_EVAL = {"P": "P", "recall": "R", "map_cut": "AP", "ndcg_cut": "nDCG", "ndcg_at": "nDCG", "success": "Success"}


def catalogue() -> dict[str, Metric]:
    """Every metric by name, the user's own included."""
    import irassay.metrics.catalogue  # noqa: F401  registers the built-in ones

    return METRICS


def parse(text: str | Metric) -> Metric:
    """The metric that a string stands for.

    >>> str(parse("RBP(p=.80)@10")), str(parse("ndcg_cut_10")), str(parse("INST(A='MAX', T=2)"))
    ('RBP@10', 'nDCG@10', "INST(T=2.0,A='MAX')")
    """
    if isinstance(text, Metric):
        return text
    if not isinstance(text, str):
        raise InputError(f"{text!r} is not a metric; write it as text, such as 'nDCG@10'")
    known = catalogue()
    text = text.strip()
    if (match := TREC_EVAL_CUT.fullmatch(text)) and len(match[2]) < 19:
        return known[TREC_EVAL[match[1]]] @ int(match[2])
    first = re.match(r"[^@(]*", text)
    if first and first[0].strip() in UNREADABLE:
        text = ALIASES[first[0].strip()] + text[first.end() :]
    name, params, cutoff = _split(text)
    name, params, cutoff = _translated(ALIASES.get(name, name), params, cutoff)
    if name not in known:
        near = difflib.get_close_matches(
            name, [*known, *filter(str.isascii, ALIASES.keys() - UNREADABLE)], n=3, cutoff=0.5
        )
        hint = f"did you mean {' or '.join(near)}?" if near else "`irassay metrics` lists them all"
        raise InputError(f"'{text}': there is no metric {name}; {hint}")
    found = known[name](**params) if params else known[name]
    return found if cutoff is None else found @ cutoff


def _split(text: str) -> tuple[str, dict[str, Any], int | None]:
    cutoff = None
    try:
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
    raise InputError(
        f"'{text}' is not a metric; write NAME, NAME@10, NAME(key=value) or NAME(key=value)@10, "
        f"with values such as 0.8, 'MAX' or (0,0.5,1)"
    )


def _translated(name: str, params: dict[str, Any], cutoff: int | None) -> tuple[str, dict[str, Any], int | None]:
    """Parameters of other tools in our words."""
    params = dict(params)
    if "max_rel" in params:
        params["max_grade"] = params.pop("max_rel")
    if name in ("nDCG", "DCG") and "dcg" in params:
        spelling = params.pop("dcg")
        if spelling not in ("log2", "exp-log2"):
            raise InputError(f"{name}(dcg='{spelling}'): dcg is 'log2' or 'exp-log2'")
        if spelling == "exp-log2":
            params["gain"] = "exp"
    if name == "RBP" and "rel" in params and "gain" not in params:
        params["gain"] = "binary"
    if name == "IFT" and isinstance(params.get("A"), int | float):
        params["A2"] = params.pop("A")
    if name == "BPM" and "K" in params and cutoff is not None:
        raise InputError(f"BPM(K={params['K']!r})@{cutoff} gives the budget twice; write one of the two")
    if name == "NPV":
        rate = params.pop("rate", 0.1)
        if not isinstance(rate, int | float) or rate <= 0:
            raise InputError(f"NPV(rate={rate!r}): rate must be a number above 0")
        return "RBP", params | {"p": 1 / (1 + rate)}, cutoff
    return name, params, cutoff
