"""The result of reproducing a paper: published and recomputed figures side by side, and whether its claims hold."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from irassay.papers.published import Published
from irassay.results import Result
from irassay.saving import Saved

CellValue = float | str | None
Kind = Literal["printed", "read to fit", "illegible", "label", "ours"]
Verdict = Literal["holds", "does not hold", "cannot be checked"]
VERDICTS: dict[bool | None, Verdict] = {True: "holds", False: "does not hold", None: "cannot be checked"}
NamedChart = tuple[str, Callable[[], Any]]  # its name, and a function that makes an altair chart


@dataclass(frozen=True)
class Request:
    """What to reproduce, and where the data are."""

    published: Published  # finds the published data files
    tables: frozenset[str] = frozenset()  # such as '1' or 'figure 2'; empty for all
    runs: tuple[str, ...] = ()  # a user's own run files, for papers whose runs are not public
    qrels: Path | None = None
    seed: int = 0

    def wants(self, table: str) -> bool:
        """Whether this table or figure is requested, by its own name or as a part: '1' stands for 1a and 1b."""
        return not self.tables or not self.tables.isdisjoint((table, table.rstrip("ab")))


@dataclass(frozen=True)
class Figure(Saved):
    """One published figure and ours; `digits` is the printed decimals, `within` allows for Monte-Carlo error.

    Its `kind` says what a match is worth. `read to fit`: our copy of the paper is damaged there, and we took the
    reading that fits. `label`: a name, not a result. `ours`: the paper does not print it.
    """

    saved_as: ClassVar[str] = "published-cell"

    table: str
    row: str
    column: str
    published: CellValue  # None: the paper prints none (as for a user's own collection), or it is illegible
    ours: CellValue  # None: cannot be computed; `why` says what is missing
    digits: int = 3
    within: float = 0.0
    why: str = ""  # the reason for a difference, an erratum with its evidence, or what a match depends on
    kind: Kind = "printed"

    def __post_init__(self) -> None:
        if self.published is None and self.kind == "printed":
            object.__setattr__(self, "kind", "ours")

    @property
    def difference(self) -> float | None:
        """Ours minus published, if both are numbers."""
        if isinstance(self.published, str | None) or isinstance(self.ours, str | None):
            return None
        return self.ours - self.published

    @property
    def status(self) -> Literal["match", "explained", "differs", "not computed", "unpublished"]:
        """Whether the figures agree to the printed digits; a difference with a reason counts as explained."""
        if self.ours is None:
            return "not computed"
        if self.published is None:
            return "unpublished"
        if self.difference is None:
            same = str(self.published) == str(self.ours)
        else:
            same = abs(self.difference) <= 0.5 * 10.0**-self.digits + max(self.within, 1e-9)
        return "match" if same else "explained" if self.why else "differs"


@dataclass(frozen=True)
class CheckedClaim(Saved):
    """A claim in the paper's text, whether it holds when recomputed, and the evidence."""

    saved_as: ClassVar[str] = "published-claim"

    claim: str
    verdict: Verdict
    evidence: str


def checked_claim(claim: str, holds: bool | None, evidence: str) -> CheckedClaim:
    """A claim with its verdict; `holds` is None if it cannot be checked.

    >>> checked_claim("More is better.", False, "It is not.").verdict
    'does not hold'
    """
    return CheckedClaim(claim, VERDICTS[holds], evidence)


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(Result):
    """A recomputed paper; its notes list the data used and missing, the seeds, and which figures are Monte-Carlo."""

    saved_as: ClassVar[str] = "reproduction"
    view_in: ClassVar[str] = "irassay.papers.view"

    paper: str  # its key in references.bib
    cells: tuple[Figure, ...]
    findings: tuple[CheckedClaim, ...] = ()
    charts: tuple[NamedChart, ...] = field(default=(), metadata={"saved": False})
    remarks: tuple[str, ...] = ()  # how to read the counts of matches
    checked_on: str = ""  # what claims were checked on, if not on the paper's own data

    @property
    def status(self) -> int:
        """The exit status: 0 if every figure that can match does."""
        return 0 if self.reproduced else 1

    def count(self, status: str | None = None, table: str | None = None, kind: Kind | None = None) -> int:
        """The number of cells with this status and of this kind, overall or in one table."""
        return sum(
            status in (None, cell.status) and table in (None, cell.table) and kind in (None, cell.kind)
            for cell in self.cells
        )

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables and figures that have cells, in order."""
        return tuple(dict.fromkeys(cell.table for cell in self.cells))

    @property
    def reproduced(self) -> bool:
        """Whether every figure that can match does."""
        return self.count("differs") == 0
