"""A method of your own with its view: irassay meta spread qrels.txt runs/ -m AP --define examples/spread.py"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import irassay as ia


@dataclass(frozen=True, eq=False, repr=False)
class Spread(ia.Result):
    """The standard deviation of each system's scores over topics."""

    saved_as: ClassVar[str] = "spread"  # its name in saved files
    view_in: ClassVar[str] = __name__  # the module that has its `view`

    metric: str
    systems: tuple[str, ...]
    deviation: tuple[float, ...]  # [system]

    def ranked(self):
        """The systems and their deviations, smallest first."""
        return sorted(zip(self.systems, self.deviation, strict=True), key=lambda pair: pair[1])


@ia.method("How much do a system's scores vary between topics?")
def spread(scores: ia.Scores) -> Spread:
    """Standard deviation of each system's scores over topics, by the first metric."""
    deviation = np.nanstd(scores.values[:, :, 0], axis=1, ddof=1)
    return Spread(scores.metrics[0], scores.systems, tuple(deviation.tolist()))


def view(result: Spread) -> ia.View:
    """The answer in a sentence, then the evidence in a table."""
    steadiest, value = result.ranked()[0]
    sentence = f"{steadiest} varies least between topics: its standard deviation of {result.metric} is {value:.3f}."
    rows = tuple(result.ranked())
    table = ia.Table("spread", ("system", "deviation"), rows, title=f"Spread of {result.metric}", digits=3)
    return ia.View("Spread over topics", (sentence,), (table,))
