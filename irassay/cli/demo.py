"""The demo: a collection made on the spot, evaluated, its metrics put to the test, and the report written."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from irassay.method import method
from irassay.settings import Option

if TYPE_CHECKING:
    from irassay.assays.assay import Assay
    from irassay.meta.satisfaction.method import Satisfaction
    from irassay.simulation.collection import SimulatedCollection

METRICS = (
    "nDCG@10", "AP", "P@10", "RR", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@10", "INST(T=2.25,A='MAX')", "bpref",
    "alpha_nDCG@10", "ERR_IA@10", "AP_IA",
)  # fmt: skip
SESSION_METRICS = ("nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@10", "nsDCG@10")


@method(
    "What does irassay do? A tour on data it makes itself.",
    path="demo",
    without_options="format plot save define",
    examples=("irassay demo -o tour",),
)
def demo(
    *,
    output: Annotated[Path, Option("Folder of the report.", short="-o")] = Path("irassay-demo"),
    keep: Annotated[
        Path | None, "Also write the simulated collection, as ordinary TREC files, into this folder."
    ] = None,
    seed: Annotated[int, Option("Seed of the simulation and of all tests.", low=0)] = 1,
    topics: Annotated[int, Option("Topics to simulate.", low=4, high=10_000)] = 50,
    systems: Annotated[int, Option("Systems to simulate.", low=2, high=1000)] = 24,
) -> str:
    """Simulate a collection, evaluate it, test the metrics on it, and write the report: the tour."""
    from irassay.assays.assay import assay
    from irassay.assays.findings import findings
    from irassay.meta.shared_options import ALL_PAIRS
    from irassay.provenance import provenance
    from irassay.reports.page import report
    from irassay.scoring.runs_or_scores import RunsOrScores
    from irassay.simulation import simulate

    made = simulate(seed, topics, systems)
    about = RunsOrScores.of(list(made.runs), made.diversity_qrels, METRICS)
    test, also = replace(ALL_PAIRS, seed=seed), (satisfied(made, seed),)
    quality = dict(zip(made.truth["run"], made.truth["quality"], strict=True))
    found = assay(about, groups=made.groups, test=test, also=also, truth=quality)
    origin = provenance([], {"collection": f"simulated with seed {seed}", "topics": topics, "systems": systems})
    where = report(
        found, Path(output) / "report.html", title="A simulated collection", provenance=origin,
        command=f"irassay demo --seed {seed}", dated=False,
    )  # fmt: skip
    lines = [
        f"Simulated {len(made.runs)} systems on {topics} topics, seed {seed}: what is true of them is known.",
        *(finding.text for finding in findings(found)),
        truth(made, found),
    ]
    if keep is not None:
        lines.append(f"The collection is in {made.write(keep)}, with a README.")
    return "\n".join([*lines, f"The report is {where}; open it in a browser.", ""])


def satisfied(made: "SimulatedCollection", seed: int) -> "Satisfaction":
    """How metrics go with the ratings of the simulated sessions."""
    import polars as pl

    from irassay.io.trec import Run
    from irassay.meta.satisfaction.method import satisfaction
    from irassay.meta.satisfaction.rated import RatedUnits
    from irassay.meta.satisfaction.ratings import Ratings
    from irassay.meta.satisfaction.units import session_scores

    asked = made.sessions.group_by("session", maintain_order=True).agg(pl.max("query"))
    results = made.sessions.drop_nulls().rename({"session": "topic", "query": "turn"})
    shown = Run("sessions", results, "simulated sessions", kind="session", turns=dict(asked.iter_rows()))
    rated = Ratings(
        tuple(made.ratings["unit"]),
        made.ratings["rating"].to_numpy().astype(np.float64),
        1.0,
        5.0,
        tuple(made.ratings["user"]),
        tuple(made.ratings["task"]),
    )
    scores = session_scores(shown, made.session_qrels, (*SESSION_METRICS, made.user))
    return satisfaction(RatedUnits.of(scores, rated), group="user", seed=seed)


def truth(made: "SimulatedCollection", found: "Assay") -> str:
    """How near each metric's ranking comes to the true quality of the plain systems: the range over metrics."""
    from irassay.stats.correlation import kendall

    known = {row["run"]: row["quality"] for row in made.truth.iter_rows(named=True) if row["kind"] == "plain"}
    systems = [found.similarity.systems.index(run) for run in known]
    quality = np.array(list(known.values()))
    tau = [float(kendall(found.similarity.means()[systems, m], quality)) for m in range(len(found.metrics))]
    best, worst = int(np.argmax(tau)), int(np.argmin(tau))
    return (
        f"Against the true quality of the {len(known)} plain systems the metrics' rankings have taus from "
        f"{tau[worst]:.2f} ({found.metrics[worst]}) to {tau[best]:.2f} ({found.metrics[best]}), without intervals."
    )
