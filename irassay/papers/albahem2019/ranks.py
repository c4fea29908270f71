"""The claims of Albahem et al. (2019) on the ranks of Table 2, by what they print and by what is public."""

from collections.abc import Iterator

from irassay.papers.albahem2019 import tables as printed
from irassay.papers.albahem2019.counts import Counts
from irassay.papers.reproduction import CheckedClaim, checked_claim

SETS, METRICS = tuple(printed.SETS), printed.METRICS


def rank_claims(counts: Counts) -> Iterator[CheckedClaim]:
    """Claims on ranks, by the published table and by what 2016 and 2017 alone give."""

    def rank(name: str, chosen: str, column: str) -> tuple[int, int]:
        ours = counts.test_ranks(column)[SETS.index(chosen), METRICS.index(name)]
        return printed.ranks(printed.TABLE_2, chosen, column)[METRICS.index(name)], int(ours)

    def shown(name: str, chosen: str) -> str:
        both = [rank(name, chosen, column) for column in printed.COLUMNS]
        return f"{name} {', '.join(str(p) for p, _ in both)} (2016 and 2017: {', '.join(str(o) for _, o in both)})"

    def first(name: str, chosen: str, *columns: str) -> list[bool]:
        return [all(rank(name, chosen, column)[kind] == 1 for column in columns) for kind in (0, 1)]

    def falls(name: str, chosen: str) -> list[bool]:
        return [rank(name, chosen, "10")[kind] > rank(name, chosen, "1")[kind] for kind in (0, 1)]

    def verdict(*conditions: list[bool]) -> bool | None:
        """As published and in two years; where the latter alone fail, 2015 may decide, and it is not public."""
        published, in_two_years = (all(condition[kind] for condition in conditions) for kind in (0, 1))
        return published and (True if in_two_years else None)

    effort = ("ACT", "nCT", "nEU", "RBU")
    others = [name for name in METRICS if name not in effort]
    apart = {
        column: [
            max(rank(name, "Eff", column)[kind] for name in effort)
            < min(rank(name, "Eff", column)[kind] for name in others)
            for kind in (0, 1)
        ]
        for column in printed.COLUMNS
    }
    whole = [int(counts.whole_ranks(column)[METRICS.index("nCT")]) for column in printed.COLUMNS]
    ranks = "Ranks at iterations 1, 3, 10 and over all, as published: "
    yield checked_claim(
        "For relevance nsDCG is the most intuitive in early iterations and ACT in late ones.",
        verdict(first("nsDCG", "Rel", "1", "3"), first("ACT", "Rel", "10")),
        f"{ranks}{shown('nsDCG', 'Rel')}, {shown('ACT', 'Rel')}. The scores of 2015 are not public.",
    )
    yield checked_claim(
        "For diversity α-nDCG is the most intuitive in every iteration; nCT and RBU start well and fall behind.",
        verdict(first("α-nDCG", "Div", *printed.COLUMNS), falls("nCT", "Div"), falls("RBU", "Div")),
        f"{ranks}{shown('α-nDCG', 'Div')}, {shown('nCT', 'Div')}, {shown('RBU', 'Div')}.",
    )
    yield checked_claim(
        "For effort the metrics that model it (ACT, nCT, nEU, RBU) are more intuitive than the others.",
        verdict(*apart.values()),
        "All four rank before the other three "
        + ", ".join(f"at {c}: {'yes' if a else 'no'}/{'yes' if b else 'no'}" for c, (a, b) in apart.items())
        + " (as published/2016 and 2017). Already as published nERR-IA has rank "
        f"{rank('nERR-IA', 'Eff', '1')[0]} and ACT rank {rank('ACT', 'Eff', '1')[0]} at iteration 1.",
    )
    yield checked_claim(
        "For relevance and diversity together α-nDCG is the most intuitive, and nCT does well early only.",
        verdict(first("α-nDCG", "Rel and Div", *printed.COLUMNS), falls("nCT", "Rel and Div")),
        f"{ranks}{shown('α-nDCG', 'Rel and Div')}, {shown('nCT', 'Rel and Div')}.",
    )
    yield checked_claim(
        "For all three dimensions nCT is the most intuitive.",
        set(whole) == {1},
        f"Over the three years nCT has the ranks {', '.join(map(str, whole))}.",
    )
