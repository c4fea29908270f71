"""A simulated collection: judgements, runs, sessions and the truth behind them, and how it is written to files."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from irassay.errors import InputError
from irassay.io.trec import Qrels, Run
from irassay.writing import make_folder, write_file

README = """\
A simulated test collection, made by irassay with seed {seed}. Nothing in it was written, searched or judged by people.
The same seed gives the same bytes.

qrels.txt            judgements: topic 0 document grade, with grades 0 to 3. Only the first results of plain and diverse
                     runs were judged, so every run also returns documents that nobody judged.
qrels.diversity.txt  the same judgements by aspect: topic aspect document grade
runs/                {runs} runs, the results of each system: topic Q0 document rank score run
groups.tsv           the team of each run; runs of one team are similar
lengths.tsv          the length of each document in words
truth.tsv            the true properties of the systems: quality (how much relevance adds to a document's score),
                     diversity (how strongly it avoids repeating an aspect), length (results per topic)
sessions.tsv         results shown in {sessions} sessions of several queries: session query rank doc; a query
                     without results has a line without rank and document
session_qrels.txt    judgements for the sessions: session 0 document grade
ratings.tsv          the user's satisfaction, from 1 to 5: unit (the session), rating, user, task. It depends on
                     {user} (the mean over the queries of a session),
                     and on the user, the task and chance.

Try, in this folder:

    irassay score qrels.txt runs -m AP -m nDCG@10 -m RR
    irassay score qrels.diversity.txt runs -m alpha_nDCG@20 -m StRecall@20 -m AP
    irassay meta discrimination qrels.txt runs -m AP -m nDCG@10 -m RR --groups groups.tsv
"""


@dataclass(frozen=True, eq=False)
class SimulatedCollection:
    """A simulated collection: everything a real one has, and the truth behind it."""

    seed: int
    user: str  # the metric that satisfaction depends on
    qrels: Qrels
    diversity_qrels: Qrels  # column 2 is the aspect
    runs: tuple[Run, ...]
    lengths: pl.DataFrame  # doc, words
    groups: dict[str, str]  # run -> team
    truth: pl.DataFrame  # run, team, kind, quality, diversity, length
    sessions: pl.DataFrame  # session, query, rank, doc; the last two null for a query without results
    session_qrels: Qrels  # the topics are the sessions
    ratings: pl.DataFrame  # unit (a session), rating, user, task

    def write(self, folder: str | Path) -> Path:
        """Write everything to a folder as ordinary files, with a README that explains them."""
        folder = Path(folder)
        make_folder(folder / "runs")
        run_files = {f"{run.name}.txt" for run in self.runs}
        others = sorted(file.name for file in (folder / "runs").iterdir() if file.name not in run_files)
        if others:
            raise InputError(
                f"{folder / 'runs'} already contains other files ({', '.join(others[:3])}); choose a new folder."
            )
        judgements = {"qrels": self.qrels, "qrels.diversity": self.diversity_qrels, "session_qrels": self.session_qrels}
        for name, qrels in judgements.items():
            _write_table(qrels.frame.with_columns(pl.col("grade").cast(pl.Int64)), folder / f"{name}.txt", " ")
        for run in self.runs:
            rank = pl.int_range(1, pl.len() + 1).over("topic").alias("rank")
            columns = "topic", pl.lit("Q0"), "doc", rank, "score", pl.lit(run.name).alias("tag")
            _write_table(run.frame.select(columns), folder / "runs" / f"{run.name}.txt", " ", decimals=6)
        teams = pl.DataFrame({"run": list(self.groups), "team": list(self.groups.values())})
        _write_table(teams, folder / "groups.tsv")
        _write_table(self.lengths.with_columns(pl.col("words").cast(pl.Int64)), folder / "lengths.tsv")
        for name in ("truth", "sessions", "ratings"):
            _write_table(getattr(self, name), folder / f"{name}.tsv", header=True)
        values = {"seed": self.seed, "runs": len(self.runs), "sessions": self.ratings.height, "user": self.user}
        write_file(folder / "README.txt", README.format(**values))
        return folder


def _write_table(
    frame: pl.DataFrame, path: Path, separator: str = "\t", *, header: bool = False, decimals: int = 4
) -> None:
    text = frame.write_csv(separator=separator, include_header=header, float_precision=decimals, quote_style="never")
    write_file(path, text)
