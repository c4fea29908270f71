"""An assay of nine simulated systems, made once."""

from functools import cache

from irassay.assays.assay import Assay, assay
from irassay.simulation import simulate

METRICS = ["nDCG@10", "AP", "RR", "INST(T=2.25,A='MAX')", "alpha_nDCG@10", "AP_IA"]
QUICK = {"trials": 200, "splits": 50}


@cache
def nine_systems() -> Assay:
    """Six metrics on nine systems and twenty topics, by aspect."""
    collection = simulate(seed=3, topics=20, systems=9)
    return assay(list(collection.runs), collection.diversity_qrels, METRICS, groups=collection.groups, seed=3, **QUICK)
