"""Options that several methods share, and the types that are read from files for them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from irassay.argument_types import FromFile
from irassay.errors import InputError, argument
from irassay.prose import count_phrase
from irassay.settings import MAX_DRAWS, Option
from irassay.stats.paired_test import PairedTest


class Teams(dict[str, str], FromFile):
    """The team of each run."""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The teams in a file of lines `run team`."""
        from irassay.io.sidefiles import read_groups

        return cls(read_groups(path))


class EveryTeam(Teams):
    """The team of each run, in which no run may be missing."""


def refuse_without_team(systems: Sequence[str], groups: Mapping[str, str]) -> None:
    """Refuses systems of which the team is not known."""
    if unknown := [system for system in systems if system not in groups]:
        how = f", such as {unknown[0]}; add a line 'run team' for each."
        raise InputError(f"{count_phrase(len(unknown), 'system')} without a team in ", argument("groups"), how)


SMALLEST_ALPHA = 1e-15  # level of significance, below which quantiles are dominated by rounding
ALL_PAIRS = PairedTest("max-t-stepdown")  # the default test of which systems differ
Alpha = Annotated[float, Option("Level of significance.", low=SMALLEST_ALPHA, high=1, open="high")]
Groups = Annotated[EveryTeam | Mapping[str, str] | None, Option("Team of each run (run team).")]
Seed = Annotated[int, Option("Random seed.", low=0, panel="Testing")]
Subsets = Annotated[int, Option("Maximum number of topic subsets left out for the intervals.", low=2, high=MAX_DRAWS)]
Splits = Annotated[int, Option("Number of random splits of the topics into halves.", low=1, high=MAX_DRAWS)]
Trials = Annotated[int, Option("Number of resamples.", low=1, high=MAX_DRAWS, panel="Testing")]
SimpleNames = Annotated[
    tuple[str, ...],
    Option("A simple metric, or several separated by commas; may be repeated.", metavar="METRIC", scored=True),
]
SimpleSets = Annotated[
    Literal["together", "each", "all"] | tuple[tuple[str, ...], ...],
    Option("Use the simple metrics together, one by one, or in every combination."),
]
TestedNames = Annotated[
    tuple[str, ...],
    Option("A metric to test, or several separated by commas; may be repeated.", shown="all but the simple ones"),
]
