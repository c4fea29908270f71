"""What is to be said of topics and copies, or refused, in the words of each kind of run."""

from collections.abc import Collection

import numpy as np

from irassay.arrays import Ints
from irassay.errors import InputError, option_too
from irassay.io.order import Lists
from irassay.io.trec import Run
from irassay.judging.kinds import Kind
from irassay.judging.policy import JudgingPolicy, Missing
from irassay.judging.pool import JudgedPool
from irassay.notes import Note
from irassay.prose import counted, some


def on_topics(
    run: Run, kind: Kind, pool: JudgedPool, answered: Collection[int], unknown: tuple[str, ...], missing: Missing
) -> list[Note]:
    """Notes on topics that only the run or only the judgements have."""
    absent = [name for name, row in pool.topics.items() if row not in answered]
    if (run.turns or run.frame.height) and not answered:
        raise InputError(
            f"no {kind.listed} of {run.source} (it has {some(run.topics, 3)}) is judged in {pool.source} (it has "
            f"{some(tuple(pool.topics), 3)}); check that the two belong together"
        )
    if absent and missing == "error":
        raise InputError(
            f"{run.source} {kind.refused} {counted(len(absent), f'judged {kind.listed}')} ({some(absent)}); add them, "
            f"or say missing='zero' or 'skip'{option_too('missing')}"
        )
    notes = []
    if unknown:
        notes.append(Note(f"{kind.not_judged} ({some(unknown)})", run.name, len(unknown), kind.listed))
    if absent:
        done = kind.counted_as_0 if missing == "zero" else "skipped"
        text = f"{kind.not_answered} {done} ({some(absent)})"
        notes.append(Note(text, run.name, len(absent), f"judged {kind.listed}"))
    return notes


def on_order(run: Run, results: Lists, policy: JudgingPolicy) -> list[Note]:
    """Notes on equal scores, and on scores that differ in one precision only."""
    notes = []
    if results.tied:
        notes.append(Note("with equal scores, which document ids put in order", run.name, results.tied, "topic"))
    if results.unsettled:
        text = (
            "in one order when scores are compared in single precision (as in trec_eval 9) and in another in double; "
            f"{policy.score_precision} was used"
        )
        notes.append(Note(text, run.name, len(results.unsettled), "topic"))
    return notes


def on_copies(
    run: Run, kind: Kind, results: Lists, copies: Ints, policy: JudgingPolicy, topics: tuple[str, ...]
) -> list[Note]:
    """A note on documents that a list has more than once; or the first of them is refused."""
    if not len(copies):
        return []
    if policy.on_duplicate == "error":
        raise InputError(
            f"{_first_copy(run, kind, results, copies, topics)}, or say on_duplicate='first' or 'nonrelevant'"
            f"{option_too('on_duplicate')}{_more(kind, copies)}"
        )
    return [Note(kind.left_out if policy.on_duplicate == "first" else kind.kept, run.name, len(copies), kind.copied)]


def _first_copy(run: Run, kind: Kind, results: Lists, copies: Ints, topics: tuple[str, ...]) -> str:
    """Where a document is found a second time, as its file has it."""
    copies = copies[np.argsort(results.row(copies))] if kind.copies == "file" else copies
    row = int(results.row(copies[:1])[0])
    doc, topic = run.frame["doc"], run.frame["topic"][row]
    if kind.copies == "turn":
        return (
            f"{run.source}: query {run.frame['turn'][row]} of session {topic} lists document {doc[row]} twice; delete "
            "one"
        )
    if kind.copies == "file":
        return f"{run.place(row)}: found document {doc[row]} for topic {topic} a second time; delete it"
    one = results.list_of(copies[:1])[0]
    rows = np.sort(results.row(results.start[one] + np.arange(results.size[one])))
    first, second = rows[(doc.gather(rows) == doc[row]).to_numpy()][:2].tolist()
    return (
        f"{run.place(second)}: found document {doc[row]} for topic {topics[results.topic[one]]} a second time, after "
        f"{run.place(first)}; delete one"
    )


def _more(kind: Kind, copies: Ints) -> str:
    if kind.turns or len(copies) == 1:
        return ""
    return f" ({counted(len(copies) - 1, 'more duplicate')}: irassay validate)"
