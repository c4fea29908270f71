"""The files that the examples of commands name, for the tests of help and for the pages of the documentation."""

import gzip
import shutil
from pathlib import Path

import irassay as ia
from irassay.simulation.collection import SimulatedCollection

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "inputs"


def write_example_files(folder: Path, collection: SimulatedCollection) -> None:
    """Writes a simulated collection and, beside it, every other file that an example names."""
    collection.write(folder)
    one, *others = sorted((folder / "runs").iterdir())
    for name, other in zip(("a.run", "b.run", "c.run", "bert.run"), others, strict=False):
        shutil.copy(other, folder / name)
    for name in ("bm25.run", "new.run", "old.run"):
        shutil.copy(one, folder / name)
    groups = folder / "groups.tsv"
    groups.write_text(groups.read_text().replace(one.name.partition(".")[0], "bm25"))
    one = one.rename(folder / "runs" / "bm25")
    (folder / "run.gz").write_bytes(gzip.compress(one.read_bytes()))
    scores = ia.score(folder / "runs", folder / "qrels.txt", ["AP", "nDCG@10"])
    for name in ("trec_eval.txt", "ranx.tsv", "old.tsv", "new.tsv"):
        with (folder / name).open("w") as file:
            ia.write_scores(scores, "irassay", file)
    (folder / "models").mkdir()
    for name in ("human.qrels", "model.qrels", "models/one.qrels", "models/two.qrels"):
        shutil.copy(folder / "qrels.txt", folder / name)
    for name in ("scores.tsv", "choices.tsv", "log.tsv"):
        shutil.copy(GOLDEN / name, folder / name)
    shutil.copy(GOLDEN / "scores.tsv", folder / "table.tsv")
    shutil.copy(GOLDEN / "one.trec_eval", folder / "trec_eval.out")
    shutil.copytree(GOLDEN / "sessions", folder / "sessions")
    shutil.copy(ROOT / "examples" / "eager.py", folder / "mine.py")
