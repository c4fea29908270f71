"""What enumeration says of each metric's axioms, and what a metric costs: criteria that hang on no topics."""

from dataclasses import dataclass

from irassay.assays.assay import Assay


@dataclass(frozen=True)
class AxiomRates:
    """The axioms of one metric: how often each is broken among enumerated rankings."""

    metric: str
    rates: dict[str, float]  # the share of cases in which an axiom is broken, by its title
    matters: float | None  # the share of pairs of lists here that it orders against the axioms; None: not measured
    pairs: int  # of lists here, of which one dominates the other

    @property
    def broken(self) -> frozenset[str]:
        """The axioms broken, at any rate."""
        return frozenset(title for title, rate in self.rates.items() if rate > 0)

    @property
    def kept(self) -> tuple[str, ...]:
        """The axioms that hold on all enumerated rankings."""
        return tuple(title for title, rate in self.rates.items() if not rate)

    @property
    def words(self) -> str:
        """The axioms broken, with their rates, the most often broken first."""
        ranked = sorted(((rate, title) for title, rate in self.rates.items() if rate > 0), reverse=True)
        return ", ".join(f"{title} ({rate:.1%} of cases)" for rate, title in ranked)


def axiom_rates(found: Assay) -> dict[str, AxiomRates | None]:
    """Each metric's axioms; None where they were not tested."""
    return {metric: _of(found, metric) for metric in found.metrics}


def broken_sets(found: Assay) -> list[frozenset[str] | None]:
    """[metric] the axioms that each breaks; None where they were not tested."""
    return [None if each is None else each.broken for each in axiom_rates(found).values()]


def _of(found: Assay, metric: str) -> AxiomRates | None:
    among = found.axioms_of(metric, found.axioms)
    if among is None:
        return None
    m = among.metrics.index(found.canonical_name(metric))
    cases = among.cases[m, :, 0]
    rates = {a.title: float(among.share[m, p]) for p, a in enumerate(among.axioms) if cases[p]}
    return AxiomRates(metric, rates, found.matters.get(metric), found.lists.dominating.get(metric, 0))


def depth_of(found: Assay, metric: str) -> int | None:
    """How many results of a list the metric looks at; None where it looks at all, or is known by its scores only."""
    known = found.known.get(metric)
    return None if known is None else known.size


def judgements_of(found: Assay, metric: str) -> str:
    """What has to be judged for the metric."""
    known = found.known.get(metric)
    if known is None:
        return "not known"
    results = "all results returned" if known.size is None else f"the first {known.size} results"
    return f"{results}, and every relevant document" if "pool" in known.meaning.needs else results
