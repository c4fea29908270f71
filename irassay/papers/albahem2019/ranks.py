"""The claims of Albahem et al. (2019) about the ranks in Table 2, checked on the printed and on the public data."""

from collections.abc import Iterator

from irassay.papers.albahem2019 import tables as printed
from irassay.papers.albahem2019.counts import Counts
from irassay.papers.reproduction import CheckedClaim, checked_claim

SETS, METRICS = tuple(printed.SETS), printed.METRICS


def rank_claims(counts: Counts) -> Iterator[CheckedClaim]:
    """Claims about ranks, by the published table and by the years with scores."""

    def rank(name: str, set_name: str, column: str) -> tuple[int, int]:
        ours = counts.test_ranks(column)[SETS.index(set_name), METRICS.index(name)]
        return printed.ranks(printed.TABLE_2, set_name, column)[METRICS.index(name)], int(ours)

    def rank_summary(name: str, set_name: str) -> str:
        both = [rank(name, set_name, column) for column in printed.COLUMNS]
        return f"{name} {', '.join(str(p) for p, _ in both)} ({years}: {', '.join(str(o) for _, o in both)})"

    def is_first(name: str, set_name: str, *columns: str) -> list[bool]:
        return [all(rank(name, set_name, column)[kind] == 1 for column in columns) for kind in (0, 1)]

    def rank_falls(name: str, set_name: str) -> list[bool]:
        return [rank(name, set_name, "10")[kind] > rank(name, set_name, "1")[kind] for kind in (0, 1)]

    def verdict(*conditions: list[bool]) -> bool | None:
        """Whether a claim holds as published and recomputed; None if only two years fail it, as 2015 may decide."""
        published, recomputed = (all(condition[kind] for condition in conditions) for kind in (0, 1))
        return published and (recomputed if counts.has_2015 else recomputed or None)

    years = counts.years_phrase.removesuffix(" alone")
    effort = ("ACT", "nCT", "nEU", "RBU")
    others = [name for name in METRICS if name not in effort]
    effort_leads = {
        column: [
            max(rank(name, "Eff", column)[kind] for name in effort)
            < min(rank(name, "Eff", column)[kind] for name in others)
            for kind in (0, 1)
        ]
        for column in printed.COLUMNS
    }
    nct_ranks = [int(counts.all_dimension_ranks(column)[METRICS.index("nCT")]) for column in printed.COLUMNS]
    ranks = "Ranks at iterations 1, 3, 10 and over all, as published: "
    yield checked_claim(
        "For relevance nsDCG is the most intuitive in early iterations and ACT in late ones.",
        verdict(is_first("nsDCG", "Rel", "1", "3"), is_first("ACT", "Rel", "10")),
        f"{ranks}{rank_summary('nsDCG', 'Rel')}, {rank_summary('ACT', 'Rel')}."
        + ("" if counts.has_2015 else " The scores of 2015 are not at hand."),
    )
    yield checked_claim(
        "For diversity α-nDCG is the most intuitive in every iteration; nCT and RBU start well and fall behind.",
        verdict(is_first("α-nDCG", "Div", *printed.COLUMNS), rank_falls("nCT", "Div"), rank_falls("RBU", "Div")),
        f"{ranks}{rank_summary('α-nDCG', 'Div')}, {rank_summary('nCT', 'Div')}, {rank_summary('RBU', 'Div')}.",
    )
    yield checked_claim(
        "For effort the metrics that model it (ACT, nCT, nEU, RBU) are more intuitive than the others.",
        verdict(*effort_leads.values()),
        "All four rank before the other three "
        + ", ".join(f"at {c}: {'yes' if a else 'no'}/{'yes' if b else 'no'}" for c, (a, b) in effort_leads.items())
        + f" (as published/{years}). Even as published nERR-IA has rank "
        f"{rank('nERR-IA', 'Eff', '1')[0]} and ACT rank {rank('ACT', 'Eff', '1')[0]} at iteration 1.",
    )
    yield checked_claim(
        "For relevance and diversity together α-nDCG is the most intuitive, and nCT does well only early.",
        verdict(is_first("α-nDCG", "Rel and Div", *printed.COLUMNS), rank_falls("nCT", "Rel and Div")),
        f"{ranks}{rank_summary('α-nDCG', 'Rel and Div')}, {rank_summary('nCT', 'Rel and Div')}.",
    )
    yield checked_claim(
        "For all three dimensions nCT is the most intuitive.",
        set(nct_ranks) == {1},
        f"Over the three years nCT has ranks {', '.join(map(str, nct_ranks))}.",
    )
