"""How metrics add up in fractions, one rule a metric: binary relevance, gains and aggregations by default."""

from dataclasses import replace
from fractions import Fraction

from irassay.meta.axioms.exact import Case, Sum, exact
from irassay.rankings.turns import PAGE


@exact("P", takes="rel")
def precision(x: Case) -> Sum:
    """Each relevant result is one of k, or of all there are."""
    return Sum(lambda i, c: Fraction(1, x.k or 1), over_length=x.k is None)


@exact("R", takes="rel")
def recall(x: Case) -> Sum:
    """Each relevant result is one of all known."""
    return Sum(lambda i, c: Fraction(1, x.known))


@exact("AP", takes="rel")
def average_precision(x: Case) -> Sum:
    """The precision at each relevant result."""
    return Sum(lambda i, c: Fraction(c + 1, i * x.known))


@exact("RR", takes="rel")
def reciprocal_rank(x: Case) -> Sum:
    """The first relevant result alone counts."""
    return Sum(lambda i, c: Fraction(1, i) if c == 0 else 0)


@exact("Rprec", takes="rel")
def precision_at_known(x: Case) -> Sum:
    """As many results count as there are relevant documents."""
    return Sum(lambda i, c: Fraction(1, x.known) if i <= x.known else 0)


@exact("Success", takes="rel")
def success(x: Case) -> Sum:
    """The first relevant result is all it takes."""
    return Sum(lambda i, c: int(c == 0))


@exact("ERR")
def expected_reciprocal_rank(x: Case) -> Sum:
    """The only grade above 0 satisfies half of those who are left."""
    return Sum(lambda i, c: Fraction(1, 2 ** (c + 1) * i))


@exact("RBP", takes="p rel")
def rank_biased_precision(x: Case) -> Sum:
    """A geometric series."""
    p = x.of("p")
    return Sum(lambda i, c: (1 - p) * p ** (i - 1))


@exact("StRecall", takes="rel")
def subtopic_recall(x: Case) -> Sum:
    """The first result about an aspect alone counts."""
    return Sum(lambda i, c: Fraction(int(c == 0), x.m), by_aspect=True)


@exact("P_IA", takes="rel")
def precision_by_intent(x: Case) -> Sum:
    """P for each aspect."""
    return Sum(lambda i, c: Fraction(1, (x.k or 1) * x.m), by_aspect=True, over_length=x.k is None)


@exact("AP_IA", takes="rel")
def average_precision_by_intent(x: Case) -> Sum:
    """AP for each aspect, which has a recall base of its own."""
    shares = tuple(Fraction(1, x.m * known) for known in x.by_aspect)
    return Sum(lambda i, c: Fraction(c + 1, i), by_aspect=True, weights=shares)


@exact("ERR_IA", takes="alpha rel")
def expected_reciprocal_rank_by_intent(x: Case) -> Sum | None:
    """ERR for each aspect as a share of the best to rank k; without k the best has a logarithm."""
    left = 1 - x.of("alpha")
    if x.k is None or x.k == 1:
        return None
    best = x.m * sum(left ** (i - 1) / i for i in range(1, x.k + 1))
    return Sum(lambda i, c: left**c / i / best, by_aspect=True)


@exact("NRBP", takes="alpha beta rel")
def novelty_and_rank_biased_precision(x: Case) -> Sum:
    """RBP of what is new."""
    left, beta = 1 - x.of("alpha"), x.of("beta")
    return Sum(lambda i, c: (1 - left * beta) / x.m * beta ** (i - 1) * left**c, by_aspect=True)


@exact("RBU", takes="p e")
def rank_biased_utility(x: Case) -> Sum:
    """RBP of what satisfies, less e for every result; p and e as in the authors' program unless given."""
    given = x.metric.params
    p = Fraction(4, 5) if given["p"] is None else x.of("p")
    e = Fraction(3, 100) if given["e"] is None else x.of("e")
    return Sum(
        lambda i, c: (1 - p) * p ** (i - 1) / 2 ** (c + 1),
        by_aspect=True,
        weights=x.shares,
        every=lambda i: -(1 - p) * e * p ** (i - 1),
    )


def cube(x: Case, over_prefixes: bool) -> Sum:
    """What is poured into the prism of an aspect after c others, as a share of the cube."""
    gamma, height = x.of("gamma"), x.of("MH")

    def poured(c: int) -> Fraction:
        filled: Fraction = min(height, sum((gamma ** (j + 1) for j in range(c)), Fraction(0)))
        return min(gamma ** (c + 1), height - filled) / height

    return Sum(lambda i, c: poured(c), by_aspect=True, weights=x.shares, over_prefixes=over_prefixes)


@exact("CT", takes="gamma MH")
def cube_test(x: Case) -> Sum:
    """One iteration takes one unit of time."""
    return cube(x, over_prefixes=False)


@exact("ACT", takes="gamma MH")
def average_cube_test(x: Case) -> Sum:
    """CT on reaching each result, averaged."""
    return cube(x, over_prefixes=True)


@exact("nCT", takes="gamma MH")
def normalised_cube_test(x: Case) -> Sum:
    """CT as a share of the best that k iterations and one document more could pour, the first of an aspect in full."""
    gamma, height, turns = x.of("gamma"), x.of("MH"), x.k or 1
    best = [min(height, sum(gamma**j for j in range(min(known, PAGE * turns + 1)))) for known in x.by_aspect]
    bound = sum(share * most for share, most in zip(x.shares, best, strict=True)) / (height * turns)
    poured = cube(x, over_prefixes=False)
    return replace(poured, term=lambda i, c: poured.term(i, c) / bound)
