"""The axioms that each metric breaks, and the judgements it needs: criteria that do not depend on topics."""

from dataclasses import dataclass

from irassay.assays.assay import Assay
from irassay.prose import percent_text


@dataclass(frozen=True)
class AxiomRates:
    """How often one metric breaks each axiom on enumerated rankings."""

    metric: str
    rates: dict[str, float]  # share of cases in which the axiom is broken, by its title
    matters: float | None  # share of pairs of lists here ordered against the axioms; None: not measured
    pairs: int  # of lists here, one of which dominates the other

    @property
    def broken(self) -> frozenset[str]:
        """The axioms broken at least once."""
        return frozenset(title for title, rate in self.rates.items() if rate > 0)

    @property
    def kept(self) -> tuple[str, ...]:
        """The axioms that hold on all enumerated rankings."""
        return tuple(title for title, rate in self.rates.items() if not rate)

    @property
    def words(self) -> str:
        """The axioms broken, with their rates, the most often broken first."""
        ranked = sorted(((rate, title) for title, rate in self.rates.items() if rate > 0), reverse=True)
        return ", ".join(f"{title} ({percent_text(rate)} of cases)" for rate, title in ranked)


def axiom_rates(assay: Assay) -> dict[str, AxiomRates | None]:
    """The axiom rates of each metric; None if not tested."""
    return {metric: _of(assay, metric) for metric in assay.metrics}


def broken_sets(assay: Assay) -> list[frozenset[str] | None]:
    """[metric] the axioms that each metric breaks; None if not tested."""
    return [None if each is None else each.broken for each in axiom_rates(assay).values()]


def _of(assay: Assay, metric: str) -> AxiomRates | None:
    among = assay.axioms_of(metric, assay.axioms)
    if among is None:
        return None
    m = among.metrics.index(assay.canonical_name(metric))
    cases = among.cases[m, :, 0]
    rates = {a.title: float(among.share[m, p]) for p, a in enumerate(among.axioms) if cases[p]}
    return AxiomRates(metric, rates, assay.matters.get(metric), assay.lists.dominating.get(metric, 0))


def depth_of(assay: Assay, metric: str) -> int | None:
    """The number of results of a list that the metric uses; None if all, or if it has no definition."""
    known = assay.known.get(metric)
    return None if known is None else known.size


def judgements_of(assay: Assay, metric: str) -> str:
    """The documents that must be judged for the metric."""
    known = assay.known.get(metric)
    if known is None:
        return "not known"
    results = "all results returned" if known.size is None else f"the first {known.size} results"
    return f"{results}, and every relevant document" if "pool" in known.meaning.needs else results
