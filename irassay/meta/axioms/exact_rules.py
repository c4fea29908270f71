"""The rules by which metrics add up exact fractions, one per metric.

A rule gives what a relevant result at rank i adds after c relevant ones, counted over all results or for each aspect
separately. The rules assume binary relevance and each metric's default gain and aggregation.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from irassay.metrics.metric import Metric
from irassay.rankings.enumeration import Space
from irassay.rankings.turns import PAGE

Term = Callable[[int, int], Fraction | int]


@dataclass(frozen=True)
class TermSum:
    """A score as a sum of terms."""

    term: Term  # (i, c): what a relevant result at rank i adds after c others
    by_aspect: bool = False  # count c, and add the term, for each aspect of the result
    weights: tuple[Fraction, ...] = ()  # [a] factor of each aspect's terms; 1 if left out
    every: Callable[[int], Fraction | int] = lambda i: 0  # what any result at rank i adds
    over_length: bool = False  # divide by the number of results
    over_prefixes: bool = False  # average over all prefixes of the list


@dataclass(frozen=True)
class ExactCase:
    """What a rule may use: a metric and the space that it scores."""

    metric: Metric
    space: Space

    @property
    def k(self) -> int | None:
        """The metric's cutoff."""
        return self.metric.cutoff

    @property
    def known_relevant(self) -> int:
        """How many relevant documents the pool has."""
        return sum(self.space.judged[c] for c in self.space.relevant)

    @property
    def known_by_aspect(self) -> tuple[int, ...]:
        """[a] how many documents the pool has on each aspect."""
        kinds = range(self.space.q)
        return tuple(sum(self.space.judged[c] for c in kinds if self.space.grades[c][a]) for a in range(self.m))

    @property
    def m(self) -> int:
        """How many aspects the topic has."""
        return self.space.aspects

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The weights of the aspects."""
        return tuple(Fraction(weight).limit_denominator(10**6) for weight in self.space.weights)

    def parameter(self, name: str) -> Fraction:
        """A parameter as the fraction that its decimals spell."""
        return Fraction(str(self.metric.params[name]))


Rule = Callable[[ExactCase], TermSum | None]
RULES: dict[str, tuple[Rule, frozenset[str]]] = {}


def exact_rule(name: str, takes: str = "") -> Callable[[Rule], Rule]:
    """Register the rule of a metric; it holds as long as only parameters that it `takes` differ from their default."""

    def register(rule: Rule) -> Rule:
        RULES[name] = rule, frozenset(takes.split())
        return rule

    return register


def term_sum(metric: Metric, space: Space) -> TermSum | None:
    """How the metric adds up on this space; None if there is no rule for that."""
    rule, takes = RULES.get(metric.name, (None, frozenset()))
    if rule is None or space.max_grade > 1 or {name for name, _ in metric.given} - takes:
        return None
    return rule(ExactCase(metric, space))


@exact_rule("P", takes="rel")
def precision(x: ExactCase) -> TermSum:
    """Each relevant result adds 1/k, or 1/length without a cutoff."""
    return TermSum(lambda i, c: Fraction(1, x.k or 1), over_length=x.k is None)


@exact_rule("R", takes="rel")
def recall(x: ExactCase) -> TermSum:
    """Each relevant result adds 1/R, with R relevant documents in the pool."""
    return TermSum(lambda i, c: Fraction(1, x.known_relevant))


@exact_rule("AP", takes="rel")
def average_precision(x: ExactCase) -> TermSum:
    """Each relevant result adds the precision at its rank, divided by R."""
    return TermSum(lambda i, c: Fraction(c + 1, i * x.known_relevant))


@exact_rule("RR", takes="rel")
def reciprocal_rank(x: ExactCase) -> TermSum:
    """Only the first relevant result counts."""
    return TermSum(lambda i, c: Fraction(1, i) if c == 0 else 0)


@exact_rule("Rprec", takes="rel")
def precision_at_known(x: ExactCase) -> TermSum:
    """The first R results count, with R relevant documents in the pool."""
    return TermSum(lambda i, c: Fraction(1, x.known_relevant) if i <= x.known_relevant else 0)


@exact_rule("Success", takes="rel")
def success(x: ExactCase) -> TermSum:
    """One relevant result is enough."""
    return TermSum(lambda i, c: int(c == 0))


@exact_rule("ERR")
def expected_reciprocal_rank(x: ExactCase) -> TermSum:
    """A relevant result satisfies half of the users who are left."""
    return TermSum(lambda i, c: Fraction(1, 2 ** (c + 1) * i))


@exact_rule("RBP", takes="p rel")
def rank_biased_precision(x: ExactCase) -> TermSum:
    """A geometric series."""
    p = x.parameter("p")
    return TermSum(lambda i, c: (1 - p) * p ** (i - 1))


@exact_rule("StRecall", takes="rel")
def subtopic_recall(x: ExactCase) -> TermSum:
    """Only the first result on each aspect counts."""
    return TermSum(lambda i, c: Fraction(int(c == 0), x.m), by_aspect=True)


@exact_rule("P_IA", takes="rel")
def precision_by_intent(x: ExactCase) -> TermSum:
    """P for each aspect."""
    return TermSum(lambda i, c: Fraction(1, (x.k or 1) * x.m), by_aspect=True, over_length=x.k is None)


@exact_rule("AP_IA", takes="rel")
def average_precision_by_intent(x: ExactCase) -> TermSum:
    """AP for each aspect, with the recall base of that aspect."""
    shares = tuple(Fraction(1, x.m * known) for known in x.known_by_aspect)
    return TermSum(lambda i, c: Fraction(c + 1, i), by_aspect=True, weights=shares)


@exact_rule("ERR_IA", takes="alpha rel")
def expected_reciprocal_rank_by_intent(x: ExactCase) -> TermSum | None:
    """ERR for each aspect divided by the ideal down to rank k; without k the ideal contains a logarithm."""
    left = 1 - x.parameter("alpha")
    if x.k is None or x.k == 1:
        return None
    best = x.m * sum(left ** (i - 1) / i for i in range(1, x.k + 1))
    return TermSum(lambda i, c: left**c / i / best, by_aspect=True)


@exact_rule("NRBP", takes="alpha beta rel")
def novelty_and_rank_biased_precision(x: ExactCase) -> TermSum:
    """RBP of new information."""
    left, beta = 1 - x.parameter("alpha"), x.parameter("beta")
    return TermSum(lambda i, c: (1 - left * beta) / x.m * beta ** (i - 1) * left**c, by_aspect=True)


@exact_rule("RBU", takes="p e")
def rank_biased_utility(x: ExactCase) -> TermSum:
    """RBP of satisfied users, minus e for every result; p and e default to those of the authors' program."""
    given = x.metric.params
    p = Fraction(4, 5) if given["p"] is None else x.parameter("p")
    e = Fraction(3, 100) if given["e"] is None else x.parameter("e")
    return TermSum(
        lambda i, c: (1 - p) * p ** (i - 1) / 2 ** (c + 1),
        by_aspect=True,
        weights=x.shares,
        every=lambda i: -(1 - p) * e * p ** (i - 1),
    )


def cube(x: ExactCase, over_prefixes: bool) -> TermSum:
    """What the result after c others pours into the prism of its aspect, as a share of the cube."""
    gamma, height = x.parameter("gamma"), x.parameter("MH")

    def added_height(c: int) -> Fraction:
        filled: Fraction = min(height, sum((gamma ** (j + 1) for j in range(c)), Fraction(0)))
        return min(gamma ** (c + 1), height - filled) / height

    return TermSum(lambda i, c: added_height(c), by_aspect=True, weights=x.shares, over_prefixes=over_prefixes)


@exact_rule("CT", takes="gamma MH")
def cube_test(x: ExactCase) -> TermSum:
    """One iteration takes one unit of time."""
    return cube(x, over_prefixes=False)


@exact_rule("ACT", takes="gamma MH")
def average_cube_test(x: ExactCase) -> TermSum:
    """CT at each result, averaged."""
    return cube(x, over_prefixes=True)


@exact_rule("nCT", takes="gamma MH")
def normalised_cube_test(x: ExactCase) -> TermSum:
    """CT divided by the most that k iterations plus one document can pour, the first of an aspect counting in full."""
    gamma, height, turns = x.parameter("gamma"), x.parameter("MH"), x.k or 1
    best = [min(height, sum(gamma**j for j in range(min(known, PAGE * turns + 1)))) for known in x.known_by_aspect]
    bound = sum(share * filled for share, filled in zip(x.shares, best, strict=True)) / (height * turns)
    unbounded = cube(x, over_prefixes=False)
    return replace(unbounded, term=lambda i, c: unbounded.term(i, c) / bound)
