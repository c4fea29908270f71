"""Collection: judgements, runs, sessions and the truth behind them, and the files they are written to."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from irassay.errors import InputError
from irassay.io.trec import Qrels, Run
from irassay.writing import make_folder, write_file

README = """\
A simulated test collection, made by irassay with the seed {seed}. Nothing in it was written, searched or judged by
people. The same seed gives the same bytes.

qrels.txt            judgements: topic 0 document grade, grades from 0 to 3. Only what plain and diverse runs have
                     among their first results was judged, so all return documents that nobody judged.
qrels.diversity.txt  the same judgements by aspect: topic aspect document grade
runs/                {runs} runs, what each system returned: topic Q0 document rank score run
groups.tsv           the team of each run; the runs of a team are much alike
lengths.tsv          the words of each document
truth.tsv            what the systems are really like: quality (how much relevance adds to a document's score),
                     diversity (how strongly it avoids to repeat an aspect), length (results a topic)
sessions.tsv         what {sessions} sessions of several queries showed: session query rank doc; a query that
                     found nothing has a line without rank and document
session_qrels.txt    the judgements for the sessions: session 0 document grade
ratings.tsv          how satisfied the user was, from 1 to 5: unit (the session), rating, user, task. It follows
                     {user}, the mean over the queries of a session;
                     users, tasks and chance add to it.

Try, in this folder:

    irassay score qrels.txt runs -m AP -m nDCG@10 -m RR
    irassay score qrels.diversity.txt runs -m alpha_nDCG@20 -m StRecall@20 -m AP
    irassay meta discrimination qrels.txt runs -m AP -m nDCG@10 -m RR --groups groups.tsv
"""


@dataclass(frozen=True, eq=False)
class Collection:
    """A simulated collection: all that a real one has, and what is true of it."""

    seed: int
    user: str  # the metric that satisfaction follows
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
        """Writes everything as ordinary files into a folder, with a README that says what each is."""
        folder = Path(folder)
        make_folder(folder / "runs")
        ours = {f"{run.name}.txt" for run in self.runs}
        others = sorted(file.name for file in (folder / "runs").iterdir() if file.name not in ours)
        if others:
            raise InputError(
                f"{folder / 'runs'} holds other files already ({', '.join(others[:3])}); name a new folder"
            )
        _write(_whole(self.qrels), folder / "qrels.txt", " ")
        _write(_whole(self.diversity_qrels), folder / "qrels.diversity.txt", " ")
        _write(_whole(self.session_qrels), folder / "session_qrels.txt", " ")
        for run in self.runs:
            rank = pl.int_range(1, pl.len() + 1).over("topic").alias("rank")
            columns = "topic", pl.lit("Q0"), "doc", rank, "score", pl.lit(run.name).alias("tag")
            _write(run.frame.select(columns), folder / "runs" / f"{run.name}.txt", " ", decimals=6)
        teams = pl.DataFrame({"run": list(self.groups), "team": list(self.groups.values())})
        _write(teams, folder / "groups.tsv")
        _write(self.lengths.with_columns(pl.col("words").cast(pl.Int64)), folder / "lengths.tsv")
        for name in ("truth", "sessions", "ratings"):
            _write(getattr(self, name), folder / f"{name}.tsv", header=True)
        said = {"seed": self.seed, "runs": len(self.runs), "sessions": self.ratings.height, "user": self.user}
        write_file(folder / "README.txt", README.format(**said))
        return folder


def _whole(qrels: Qrels) -> pl.DataFrame:
    return qrels.frame.with_columns(pl.col("grade").cast(pl.Int64))


def _write(frame: pl.DataFrame, path: Path, separator: str = "\t", *, header: bool = False, decimals: int = 4) -> None:
    text = frame.write_csv(separator=separator, include_header=header, float_precision=decimals, quote_style="never")
    write_file(path, text)
