"""Keywords that several methods take, and the values that files hold for them."""

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


ALL_PAIRS = PairedTest("max-t-stepdown")  # how commands decide which systems differ, unless another test is asked for
Alpha = Annotated[float, Option("Level of significance.")]
Groups = Annotated[Teams | Mapping[str, str] | None, Option("Team of each run: run team.")]
Seed = Annotated[int, Option("Seed of all that is random.", low=0, panel="Testing")]
Splits = Annotated[int, Option("Random halves of the topics.", low=1, high=MAX_DRAWS)]
Trials = Annotated[int, Option("Resamples.", low=1, high=MAX_DRAWS, panel="Testing")]
SimpleNames = Annotated[tuple[str, ...], Option("A simple metric; may be repeated.", metavar="METRIC", scored=True)]
SimpleSets = Annotated[
    Literal["together", "each", "all"] | tuple[tuple[str, ...], ...],
    Option("The simple metrics together, one by one, or every combination."),
]
TestedNames = Annotated[tuple[str, ...], Option("A metric to be tested; may be repeated.", shown="all but the simple ones")]


def alpha_of_level(level: float | None, alpha: float) -> float:
    """The alpha of a confidence level; where none is given, that of the result."""
    if level is None:
        return alpha
    if not 0 < level < 1:
        raise InputError(f"A confidence level lies between 0 and 1; found {level:g}.")
    return round(1 - level, 12)


def require_level_95(level: float) -> None:
    """Refuses a level other than that of intervals made by resampling, which are kept as they are."""
    if level != 0.95:
        raise InputError(f"These intervals were made at 0.95, by resampling; found {level:g}.")
