"""The demo: simulate a collection, score it, test the metrics on it, and write the report."""

import sys
from dataclasses import replace
from pathlib import Path
from shlex import quote
from shutil import which
from typing import TYPE_CHECKING, Annotated

import numpy as np

from irassay.arrays import TIE
from irassay.method import method
from irassay.prose import name_list, wrapped_for_terminal
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
    "What does irassay do? A tour on simulated data.",
    path="demo",
    without_options="format plot save define",
    examples=("irassay demo -o tour",),
)
def demo(
    *,
    output: Annotated[Path, Option("Folder for the report.", short="-o", metavar="FOLDER")] = Path("irassay-demo"),
    keep: Annotated[
        Path | None, Option("Also write the simulated collection to this folder, as TREC files.", metavar="FOLDER")
    ] = None,
    seed: Annotated[int, Option("Seed of the simulation and of all tests.", low=0)] = 1,
    topics: Annotated[int, Option("Number of topics.", low=4, high=10_000)] = 50,
    systems: Annotated[int, Option("Number of systems.", low=2, high=1000)] = 24,
) -> str:
    """Simulate a collection, score it, test the metrics on it, and write the report."""
    from irassay.assays.answers import answer_sentences
    from irassay.assays.assay import assay
    from irassay.meta.shared_options import ALL_PAIRS
    from irassay.provenance import provenance
    from irassay.reports.page import report
    from irassay.scoring.runs_or_scores import RunsOrScores
    from irassay.simulation import simulate
    from irassay.views.metric_labels import result_labels

    collection = simulate(seed, topics, systems)
    about = RunsOrScores.of(list(collection.runs), collection.diversity_qrels, METRICS)
    test, also = replace(ALL_PAIRS, seed=seed), (session_satisfaction(collection, seed),)
    quality = dict(zip(collection.truth["run"], collection.truth["quality"], strict=True))
    result = assay(about, groups=collection.groups, test=test, also=also, truth=quality)
    origin = provenance([], {"collection": f"simulated with seed {seed}", "topics": topics, "systems": systems})
    page = report(
        result, Path(output) / "report.html", title="A simulated collection", provenance=origin,
        command=f"irassay demo --seed {seed}", dated=False,
    )  # fmt: skip
    labelled = result_labels(result).with_labels(result)
    answers = answer_sentences(labelled, labelled.profile, ()) if labelled.profile else []
    lines = [
        f"Simulated {len(collection.runs)} systems on {topics} topics; their true quality is known.",
        *(sentences[0] for sentences, _ in answers[:2]),  # who may be best, and who separates the most
        truth_sentence(collection, labelled),
        f"The report is {page}; open it in a browser."
        + (f" The collection is in {collection.write(keep)}, with a README." if keep else ""),
    ]
    prose = [wrapped_for_terminal(line, sys.stdout) for line in lines]
    return "\n".join([*prose, "", "Next:", *(f"  {line}" for line in next_commands(keep)), ""])


def next_commands(folder: Path | None) -> list[str]:
    """Three commands to try, on the collection in a folder; the first writes it if it is not written yet."""
    command, files = typed_command(), folder or Path("collection")
    inputs = f"{quote(f'{files}/qrels.txt')} {quote(f'{files}/runs')} -m nDCG@10,AP,RR"
    lines = [f"{command} score {inputs}", f"{command} compare {inputs}", f"{command} report {inputs}"]
    return lines if folder else [f"{command} demo --keep {files}", *lines[1:]]


def typed_command() -> str:
    """The command as it must be typed here: `irassay` if the shell finds it, otherwise its path."""
    started = Path(sys.argv[0])
    if started.parts[-2:] == ("irassay", "__main__.py"):
        return f"{quote(_short_path(Path(sys.executable)))} -m irassay"
    found = which("irassay")
    if started.name != "irassay" or (found and Path(found).resolve() == started.resolve()):
        return "irassay"
    return quote(_short_path(started))


def _short_path(path: Path) -> str:
    """The path from the current folder if the file is in it, otherwise the whole one."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def session_satisfaction(collection: "SimulatedCollection", seed: int) -> "Satisfaction":
    """How well metrics agree with the ratings of the simulated sessions."""
    import polars as pl

    from irassay.io.trec import Run
    from irassay.meta.satisfaction.method import satisfaction
    from irassay.meta.satisfaction.rated import RatedUnits
    from irassay.meta.satisfaction.ratings import Ratings
    from irassay.meta.satisfaction.units import session_scores

    turns = dict(collection.sessions.group_by("session", maintain_order=True).agg(pl.max("query")).iter_rows())
    results = collection.sessions.drop_nulls().rename({"session": "topic", "query": "turn"})
    run = Run("sessions", results, "simulated sessions", kind="session", turns=turns)
    units, values, users, tasks = (collection.ratings[name] for name in ("unit", "rating", "user", "task"))
    ratings = Ratings(tuple(units), values.to_numpy().astype(np.float64), 1.0, 5.0, tuple(users), tuple(tasks))
    scores = session_scores(run, collection.session_qrels, (*SESSION_METRICS, collection.user))
    return satisfaction(RatedUnits.of(scores, ratings), group="user", seed=seed)


def truth_sentence(collection: "SimulatedCollection", result: "Assay") -> str:
    """A sentence on how close the metrics' rankings are to the true quality of the plain systems."""
    from irassay.stats.correlation import kendall

    plain = {row["run"]: row["quality"] for row in collection.truth.iter_rows(named=True) if row["kind"] == "plain"}
    systems = [result.similarity.systems.index(run) for run in plain]
    quality = np.array(list(plain.values()))
    tau = [float(kendall(result.similarity.means()[systems, m], quality)) for m in range(len(result.metrics))]
    best, worst = (
        [metric for metric, each in zip(result.metrics, tau, strict=True) if abs(each - end) <= TIE]
        for end in (max(tau), min(tau))
    )
    runs = f"the {len(plain)} plain runs"
    if len(best) == len(tau):
        return f"All metrics rank {runs} equally close to their true order (tau {max(tau):.2f})."
    closest = f"{name_list(best, 2)} {'comes' if len(best) == 1 else 'come'} closest to the true order of {runs}"
    furthest = f"{name_list(worst, 2)} {'is' if len(worst) == 1 else 'are'} the furthest from it"
    return f"{closest} (tau {max(tau):.2f}). {furthest} ({min(tau):.2f})."
