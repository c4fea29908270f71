"""Writes the report that the front page links to, from the simulated collection."""

import tempfile
from pathlib import Path

from package_digest import package_digest
from sphinx.application import Sphinx

import irassay as ia
from irassay.simulation import simulate

METRICS = ("nDCG@10", "AP", "RBP", "INST(T=2)", "ERR@10", "P@10", "RR", "Q", "bpref")


def write_report(app: Sphinx, error: Exception | None) -> None:
    """Writes the page into a finished site, unless the same version of the package wrote it before."""
    page = Path(app.outdir) / "example-report.html"
    stamp = Path(app.doctreedir) / "example-report.sha256"
    digest = package_digest()
    if error or app.builder.name != "html" or (page.exists() and stamp.exists() and stamp.read_text() == digest):
        return
    with tempfile.TemporaryDirectory() as folder:
        simulate(1, 50, 24).write(folder)
        assay = ia.assay(f"{folder}/runs", f"{folder}/qrels.txt", METRICS, groups=f"{folder}/groups.tsv")
    ia.report(assay, page, title="24 simulated systems")
    stamp.write_text(digest)


def setup(app: Sphinx) -> dict[str, bool]:
    """Runs after the pages are written."""
    app.connect("build-finished", write_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
