"""A claim, that one system is better than another: whether it holds, and what it depends on."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

from irassay.errors import InputError
from irassay.meta.dominance import Dominance, dominance
from irassay.meta.fragility.method import FragilePair, Fragility, fragility
from irassay.meta.multiverse.method import Multiverse, multiverse
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.meta.shared_options import Alpha, Seed
from irassay.meta.ties import Ties, ties
from irassay.method import method
from irassay.notes import one_metric_notes
from irassay.prose import count_phrase
from irassay.results import Result
from irassay.scoring.judged_runs import JudgedRuns
from irassay.settings import Option


@dataclass(frozen=True, eq=False, repr=False)
class Claim(Result):
    """A claim about two systems under one metric, with the four analyses of what it depends on."""

    saved_as: ClassVar[str] = "claim"

    system: str
    other: str
    metric: str
    dominance: Dominance
    fragility: Fragility
    multiverse: Multiverse
    ties: Ties

    @property
    def pair(self) -> FragilePair:
        """The test of the claim, and the judgements that it depends on."""
        return self.fragility.pairs[0]

    @property
    def holds(self) -> bool:
        """Whether the system is significantly better by the metric."""
        return self.pair.significant

    @property
    def status(self) -> int:
        """0 if the claim holds, 1 if not."""
        return 0 if self.holds else 1

    def ranked(self) -> list[tuple[str, float]]:
        """The two systems and their mean scores as given, the system of the claim first."""
        given = dict(zip(self.ties.systems, self.ties.given[:, 0].tolist(), strict=True))
        return [(name, given[name]) for name in (self.system, self.other)]


@method(
    "Does one system beat another, and what does that depend on?",
    path="claim",
    two_runs="A claim is about two runs, the better one first",
    presenter="irassay.cli.output:write_claim",
    scores_by="first",
    examples=(
        "irassay claim qrels.txt bert.run bm25.run -m nDCG@10",
        "irassay claim qrels.txt bert.run bm25.run -o claim.html",
    ),
)
def claim(
    judged: JudgedRuns,
    *,
    other: Annotated[OtherQrels | Any, Option("Judgements of another assessor of the same topics.")] = None,
    alpha: Alpha = 0.05,
    seed: Seed = 0,
) -> Claim:
    """Test whether the first of two runs is better, and what that depends on.

    The claim holds if the first run is significantly better by the metric (paired t-test, two-sided). Four analyses say
    what that depends on: the user, the judgements, the analysis, and the order of tied results. The exit status is 0 if
    the claim holds, and 1 if not.
    """
    metric = judged.parsed_metrics[0]
    one = replace(judged, metrics=(metric,))
    scores = one.scores()
    if len(scores.systems) != 2:
        found = count_phrase(len(scores.systems), "run")
        again = " (the same run given twice counts once)" if len(scores.systems) == 1 else ""
        raise InputError(f"{claim.traits.two_runs}; found {found}{again}. Give two runs.", argument="inputs")
    fragile = fragility(one, other=other, alpha=alpha, seed=seed)
    return Claim(
        system=scores.systems[0],
        other=scores.systems[1],
        metric=str(metric),
        dominance=dominance(one, show=scores.systems, alpha=alpha),
        fragility=fragile,
        multiverse=multiverse(one, other=other, alpha=alpha, seed=seed),
        ties=ties(one, seed=seed),
        notes=(*scores.notes, *one_metric_notes("the claim", judged.parsed_metrics)),
    )
