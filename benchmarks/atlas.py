"""The atlas: what irassay says about the metrics on every public collection at hand, written as data for the site.

Run `python benchmarks/atlas.py [COLLECTION …]`. It reads the collections in ../shared/data and writes one file for each
into docs/atlas: the profile of every metric, and Kendall's tau between the rankings of systems by every two metrics.
Nothing else of a collection is in these files. It takes about ten minutes on one core.
"""

import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import irassay
from irassay.assays.assay import Assay
from irassay.assays.criteria import Criterion
from irassay.metrics.grammar import parse
from irassay.scores import Scores

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
ATLAS = ROOT / "docs" / "atlas"
TOPICS, SYSTEMS, SEED = 50, 24, 1  # of the simulated collection, which the tutorials use too
AD_HOC = """
P@10 GP@10 SDCG@10 SET@10 RBP(p=0.8) RBP(p=0.95) GRBP INSQ RR ERR@10 aINSQ INST NERR8@10 NERR9@10 NERR10 NERR11 BPM@10
IFT AP TrAP GAP R@100 Rprec Success@10 bpref DCG@10 nDCG@10 nDCG nERR@10 Q O P_measure P_plus NCU SetF@10 SetAP@10
RelP@10 IPrec(recall=0) AP11 RprecMult GMAP infAP binG G nDCG_rel Rndcg Accuracy Compat
""".split()
TWO_GRADES = {"GP@10", "GRBP", "GAP"}  # whose parameter h has a default for grades 1 and 2 only
DIVERSITY = """
AP_IA P_IA@10 StRecall@10 alpha_DCG@10 alpha_nDCG@10 ERR_IA@10 nERR_IA@10 NRBP nNRBP RBU D_nDCG@10 D_Q@10 Dsharp_nDCG@10
Dsharp_Q@10 P@10 nDCG@10 AP
""".split()
# Names in the table of Deep Learning 2019, which has precision and nDCG at many cutoffs.
DEEP_LEARNING = "P_10 P_100 Rprec bpref iprec_at_recall_0.00 map recip_rank Rndcg ndcg_cut_10 ndcg_cut_1000".split()
SIMULATED = f"`irassay.simulate({SEED}, {TOPICS}, {SYSTEMS})`"


@dataclass(frozen=True)
class Collection:
    """A collection of the atlas: its title, where it is from, and how its assay is computed."""

    title: str
    source: str
    assay: Callable[[], Assay]


def covid() -> Assay:
    folder = DATA / "trec-covid-1"
    return irassay.assay(folder / "qrels.txt", folder / "runs", metrics=AD_HOC)


def web() -> Assay:
    folder = DATA / "web-2012"
    return irassay.assay(folder / "qrels.diversity.gz", folder / "runs", metrics=DIVERSITY)


def simulated(qrels: str, metrics: Iterable[str]) -> Assay:
    with tempfile.TemporaryDirectory() as folder:
        made = irassay.simulate(SEED, TOPICS, SYSTEMS).write(folder)
        return irassay.assay(made / qrels, made / "runs", metrics=tuple(metrics))


def deep_learning() -> Assay:
    """From the scores that trec_eval printed."""
    scores = irassay.read_scores([DATA / "dl-2019" / f"{part}.tot.gz" for part in ("scores", "ndcg")])
    return irassay.assay(scores=scores.select(metrics=DEEP_LEARNING))


def trec8() -> Assay:
    """From tables of scores by AP, P@10 and RR."""
    files = (DATA / "trec-8" / f"adhoc8_{name}.csv" for name in ("ap", "p10", "rr"))
    cube = np.stack([np.loadtxt(file, delimiter=",", skiprows=1).T for file in files], axis=2)
    systems, topics = (tuple(f"{what}{n}" for n in range(size)) for what, size in zip("st", cube.shape, strict=False))
    return irassay.assay(scores=Scores(cube, systems, topics, ("AP", "P@10", "RR")))


COLLECTIONS = {
    "trec-covid-1": Collection(
        "TREC-COVID, round 1", "the runs and judgements of github.com/castorini/TREC-COVID", covid
    ),
    "dl-2019": Collection("TREC 2019 Deep Learning, passages", "published tables of trec_eval's scores", deep_learning),
    "trec-8": Collection("TREC-8 ad hoc", "published tables of scores by AP, P@10 and RR", trec8),
    "web-2012": Collection("TREC 2012 Web, diversity", "the track's baseline runs and its judgements by subtopic", web),
    "simulated": Collection(
        "Simulated",
        SIMULATED,
        lambda: simulated("qrels.txt", [metric for metric in AD_HOC if metric not in TWO_GRADES]),
    ),
    "simulated-diversity": Collection(
        "Simulated, by subtopic", SIMULATED, lambda: simulated("qrels.diversity.txt", DIVERSITY)
    ),
}


def rounded(value: float) -> float | None:
    return round(float(value), 3) if math.isfinite(value) else None


def figures(assay: Assay, collection: Collection) -> dict[str, Any]:
    """What the site needs: sizes, the profile, and tau with its standard error."""
    assert assay.profile is not None
    parsed = [parse(metric) for metric in assay.metrics]
    return {
        "title": collection.title,
        "source": collection.source,
        "systems": len(assay.scores.systems),
        "topics": len(assay.scores.topics),
        "test": assay.test,
        "alpha": assay.alpha,
        "metrics": [{"spelling": str(metric), "name": metric.name} for metric in parsed],
        "criteria": {each.name: criterion_figures(each, len(parsed)) for each in assay.profile.criteria},
        "tau": [[*map(rounded, row)] for row in assay.similarity.tau],
        "error": [[*map(rounded, row)] for row in assay.similarity.error],
    }


def criterion_figures(criterion: Criterion, metrics: int) -> dict[str, Any]:
    """The estimates of the metrics, without the controls, and which others each is behind."""
    assert criterion.selection is not None
    columns = {"estimate": criterion.estimate, "low": criterion.low, "high": criterion.high}
    found = {name: [*map(rounded, values[:metrics])] for name, values in columns.items()}
    return found | {"behind": [np.flatnonzero(row).tolist() for row in criterion.selection.behind]}


def compact_json(found: Mapping[str, Any]) -> str:
    """JSON with one line for each key and each criterion, so that a change can be read."""
    lines = (f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(names: list[str]) -> None:
    ATLAS.mkdir(exist_ok=True)
    for name in names or COLLECTIONS:
        found = figures(COLLECTIONS[name].assay(), COLLECTIONS[name])
        (ATLAS / f"{name}.json").write_text(compact_json(found), encoding="utf-8")
        print(f"{name}: {len(found['metrics'])} metrics, {found['systems']} systems, {found['topics']} topics")


if __name__ == "__main__":
    main(sys.argv[1:])
