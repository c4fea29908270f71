"""Worked examples of metrics that need files, where a ranking written on the command line does not suffice."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple


class FileExample(NamedTuple):
    """Small files, a command that scores them, and how the score comes about, by metric."""

    files: Mapping[str, str]
    command: str
    explanations: Mapping[str, str]


EXAMPLES = (
    FileExample(
        {
            "prefs.txt": "1 0 0 a 3\n1 0 0 b 2\n1 0 0 c 1\n1 0 0 d 0\n",
            "run.txt": "1 Q0 b 1 4 mine\n1 Q0 a 2 3 mine\n1 Q0 d 3 2 mine\n1 Q0 c 4 1 mine\n",
        },
        "irassay score prefs.txt run.txt --qrels-format prefs -m NumPrefs,NumPrefsMet,Prefs,PrefsRnonrel --quiet",
        {
            "NumPrefs": "The judge prefers a to b, c and d, b to c and d, and c to d: 6 preferences.",
            "NumPrefsMet": "The list b, a, d, c meets four of the six preferences: a before c and d, b before c and d. "
            "It does not meet a before b and c before d.",
            "Prefs": "The list b, a, d, c meets four of the six preferences, all but a before b and c before d. "
            "4/6 = 0.6667.",
            "PrefsRnonrel": "The list b, a, d, c meets four of the six preferences. There are three relevant documents "
            "and one that is not, so two more count as not relevant and ranked last. The list meets all 3 × 2 "
            "preferences over these: (4 + 6) / (6 + 6) = 0.8333.",
        },
    ),
    FileExample(
        {
            "passages.tsv": "1\ts1\ta\tp1\t4\n1\ts1\tb\tp1\t4\n1\ts2\tb\tp2\t2\n",
            "run.txt": "1\t0\ta\t2\n1\t0\tx\t1\n1\t1\tb\t1\n",
            "lengths.tsv": "a\t200\nx\t500\nb\t300\n",
        },
        "irassay score passages.tsv run.txt --lengths lengths.tsv -m EU,nEU --quiet",
        {
            "EU": "Nugget p1, of rating 4, is met twice: 4 × (1 − 0.5²) / (1 − 0.5) = 6. Nugget p2, of rating 2, is "
            "met once: 2. Half of the users stop after the first document of iteration 0, so reading costs 0.001 × "
            "(0.5 × 200 + 0.5 × 700 + 300) = 0.75. The score is 6 + 2 − 0.75 = 7.25.",
            "nEU": "[EU](EU.md) works out 7.25, the score without normalisation, on the same files.",
        },
    ),
)


def file_example_blocks(metric: str) -> Iterator[str]:
    """The files, the command with its output, and how the score of this metric comes about; nothing for others."""
    for example in EXAMPLES:
        if metric in example.explanations:
            yield from (f"`{name}`:\n\n```text\n{text}```" for name, text in example.files.items())
            yield f"```console\n$ {example.command}\n```\n\n```text\n{output(EXAMPLES.index(example))}```"
            yield example.explanations[metric]


@cache
def output(number: int) -> str:
    """What the command of an example prints."""
    files, command, _ = EXAMPLES[number]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        words = [sys.executable, "-m", *command.split()]
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
