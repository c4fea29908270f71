"""Options that several methods share, and the types that are read from files for them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from irassay.argument_types import FromFile
from irassay.errors import InputError
from irassay.settings import MAX_DRAWS, Option
from irassay.stats.paired_test import PairedTest


class Teams(dict[str, str], FromFile):
    """The team of each run."""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The teams in a file of lines `run team`."""
        from irassay.io.sidefiles import read_groups

        return cls(read_groups(path))


ALL_PAIRS = PairedTest("max-t-stepdown")  # the default test of which systems differ
Alpha = Annotated[float, Option("Level of significance.")]
Groups = Annotated[Teams | Mapping[str, str] | None, Option("Team of each run: run team.")]
Seed = Annotated[int, Option("Random seed.", low=0, panel="Testing")]
Subsets = Annotated[int, Option("Maximum number of topic subsets left out for the intervals.", high=MAX_DRAWS)]
Splits = Annotated[int, Option("Number of random splits of the topics into halves.", low=1, high=MAX_DRAWS)]
Trials = Annotated[int, Option("Number of resamples.", low=1, high=MAX_DRAWS, panel="Testing")]
SimpleNames = Annotated[tuple[str, ...], Option("A simple metric; may be repeated.", metavar="METRIC", scored=True)]
SimpleSets = Annotated[
    Literal["together", "each", "all"] | tuple[tuple[str, ...], ...],
    Option("Use the simple metrics together, one by one, or in every combination."),
]
TestedNames = Annotated[tuple[str, ...], Option("A metric to test; may be repeated.", shown="all but the simple ones")]


def alpha_of_level(level: float | None, alpha: float) -> float:
    """The alpha of a confidence level; that of the result if no level is given."""
    if level is None:
        return alpha
    if not 0 < level < 1:
        raise InputError(f"A confidence level must lie between 0 and 1; found {level:g}.")
    return round(1 - level, 12)


def require_level_95(level: float) -> None:
    """Refuses any level but 0.95, at which resampled intervals were computed and stored."""
    if level != 0.95:
        raise InputError(f"These intervals were resampled at 0.95 and are not known at {level:g}; leave out the level.")
