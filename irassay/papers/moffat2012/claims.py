"""The claims in the text of moffat2012, each checked against the recomputed figures."""

from collections.abc import Iterator, Mapping

import numpy as np

from irassay.meta.agreement import Agreement
from irassay.meta.axioms.method import axioms
from irassay.metrics.grammar import parse
from irassay.papers.moffat2012.agreement import adaptive_agreements, sides
from irassay.papers.moffat2012.figures import curves, example, scores_2c
from irassay.papers.moffat2012.tables import ADAPTIVE, NAMES, PART_A, PART_B, TABLES
from irassay.papers.reproduction import CheckedClaim, checked_claim
from irassay.rankings.batch import Rankings

SHALLOW, DEEP = NAMES[:5], NAMES[5:]
EXISTING = ("P@100", "SDCG@100", "RBP(p=0.73)", "INSQ", "RR", "AP")  # metrics in Sections 2 and 3
FIRST_THREE_GOALS = ("ranking_only", "untruncated", "patience")  # of Section 5, as our checks call them


def checked_claims(by_collection: Mapping[str, Agreement]) -> Iterator[CheckedClaim]:
    """The paper's claims, in its order."""
    yield from model_claims()
    yield from significance_claims(by_collection)
    yield from class_agreement_claims()
    yield checked_claim(
        "Similar results were obtained on TREC-9 ad hoc and web data (Section 4).",
        None,
        "The paper prints no figures for TREC-9.",
    )
    yield from goal_claims()
    yield from adaptive_claims()
    yield checked_claim(
        "As users find relevant documents they become more inclined to stop, less so if they want many (Section 7).",
        None,
        "The user study was still under way; the paper reports no data.",
    )


def model_claims() -> Iterator[CheckedClaim]:
    """Claims in Sections 2 and 3, about user models."""
    insq, sdcg, rbp = (curves(metric, 1000) for metric in ("INSQ", "SDCG@100", "RBP(p=0.73)"))
    yield checked_claim(
        "Under SDCG@100 the first document is only seven times as likely to be examined as the 100th; one search in "
        "seven gets there, none further (Section 2).",
        round(sdcg.W[0] / sdcg.W[99]) == 7 and sdcg.R[99] == 0,
        f"W(1)/W(100) = {sdcg.W[0] / sdcg.W[99]:.2f}, V(100) = {sdcg.V[99]:.3f}, R(100) = 0.",
    )
    one_relevant = Rankings.of([[1, 0]], max_grade=1)
    short = {name: parse(name).score(one_relevant)[0] for name in ("P@1", "P@2", "SDCG@1", "SDCG@2")}
    longer = axioms(["RBP(p=0.73)"], axioms=("monotonicity",), aspects=1, depth=10)
    broken, cases = longer.count("RBP(p=0.73)", "monotonicity")
    yield checked_claim(
        "RBP@k never falls as k grows; P@k and SDCG@k may (Section 2).",
        broken == 0 and short["P@2"] < short["P@1"] and short["SDCG@2"] < short["SDCG@1"],
        f"RBP(p=0.73) falls in {broken} of {cases:,} rankings extended by one result; on 1,0 P@1 is {short['P@1']:.2f} "
        f"and P@2 {short['P@2']:.2f}, SDCG@1 {short['SDCG@1']:.2f} and SDCG@2 {short['SDCG@2']:.2f}.",
    )
    product = insq.V[100]
    yield checked_claim(
        "The residual R(k) is the product of the first k continuation probabilities (Section 2).",
        bool(abs(product - insq.R[99]) < 1e-6),
        f"That product is V(k+1). It is the residual of RBP ({rbp.V[20]:.2e} and {rbp.R[19]:.2e} at k = 20) but not of "
        f"INSQ ({product:.1e} and {insq.R[99]:.4f} at k = 100).",
    )
    residuals = {p: curves(f"RBP(p={p})", 1000).R for p in (0.73, 0.95, 0.96)}
    rank_reached = {p: int((insq.R[99] < R).sum()) + 1 for p, R in residuals.items()}
    yield checked_claim(
        "RBP with p = 0.73 reaches INSQ's residual at rank 100 earlier; with larger p that changes (Section 2).",
        rank_reached[0.73] < 100 < rank_reached[0.96],
        f"At rank {rank_reached[0.73]} with p = 0.73; at {rank_reached[0.95]} with 0.95, at {rank_reached[0.96]} with "
        "0.96.",
    )
    falling = bool((np.diff(insq.H) < 0).all() and (insq.W > 0).all())
    yield checked_claim(
        "INSQ avoids truncation, and its halting probability decreases with depth (Section 2).",
        falling,
        f"From rank 1 to 1,000, H falls at every rank, from {insq.H[0]:.3f} to {insq.H[999]:.4f}, and W stays above 0.",
    )
    L = np.array([0.5, 0.0, 0.5])  # of AP on a list with relevant documents at ranks 1 and 3
    V = 1 - (L.cumsum() - L)
    by_weight, ap = float((V[[0, 2]] / V.sum()).sum()), float(parse("AP").score(example((1, 3), 3))[0])
    yield checked_claim(
        "The weights of AP can be derived from its last-document probabilities r/R (Section 3).",
        abs(by_weight - ap) < 1e-6,
        f"On 1,0,1 with R = 2 the derived weights give {by_weight:.4f}, but AP is {ap:.4f}. Two readings give AP: r/R "
        "with the mean gain at the point of stopping, or L proportional to r/i with weights.",
    )


def goal_claims() -> Iterator[CheckedClaim]:
    """Claims in Section 5, about the metrics that meet its five goals."""
    depths = [(T, curves(f"INSQ(T={T})", 1).depth) for T in (1, 5, 25, 100)]
    yield checked_claim(
        "A user of INSQ with goal T examines about 2T + 0.5 documents (Section 5).",
        all(abs(depth - 2 * T - 0.5) < 0.1 for T, depth in depths),
        ", ".join(f"T = {T}: {depth:.2f}" for T, depth in depths) + ".",
    )
    goals = axioms([*EXISTING, "INSQ(T=5)", "aINSQ(T=5)"], axioms=("moffat2012",), aspects=1, depth=8)
    met = {
        metric: {v.check.name for v in goals.verdicts if v.metric == metric and v.finding.holds}
        for metric in goals.metrics
    }
    all_five = {v.check.name for v in goals.verdicts}
    *existing, static, adaptive = goals.metrics
    yield checked_claim(
        "None of the metrics in Sections 2 and 3 meets all five goals (Section 5).",
        not any(met[metric] == all_five for metric in existing),
        "Goals met: " + ", ".join(f"{metric} {len(met[metric])}" for metric in existing) + " of 5.",
    )
    yield checked_claim(
        "INSQ(T) meets goals 1 to 3, and adaptive INSQ all five (Section 5).",
        set(FIRST_THREE_GOALS) <= met[static] and met[adaptive] == all_five,
        f"{static} meets {len(met[static])}, {adaptive} {len(met[adaptive])} of 5; its halting probability falls on "
        "lists without relevant documents, but rises just after one is found, as goal 4 requires.",
    )
    scores = scores_2c()
    yield checked_claim(
        "By equation 3 the score of the example in Figure 2(c) rises from 0.350 to 0.502 (Section 5).",
        round(scores[1], 3) == 0.502,
        f"It rises from {scores[0]:.3f} to {scores[1]:.3f}; to {scores[2]:.3f} with ((i+2T)/(i+2T+1))^2 as the "
        "factor in equation 3, which we found by trying variants.",
    )


def significance_claims(by_collection: Mapping[str, Agreement]) -> Iterator[CheckedClaim]:
    """Claims in Section 4, about significant differences."""
    recomputed = {collection: _recomputed_power(result) for collection, result in by_collection.items()}
    for collection in TABLES:
        power = dict(zip(NAMES, PART_A[collection].diagonal(), strict=True))
        below = [name for name in DEEP if power[name] <= max(power[other] for other in SHALLOW)]
        lowest = min(DEEP, key=power.__getitem__)
        highest = max(SHALLOW, key=power.__getitem__)
        yield checked_claim(
            f"Metrics that look deeper into a ranking discriminate more systems: {collection} (Section 4).",
            not below,
            f"In print, the weakest deep metric is {lowest} ({power[lowest]}), and the strongest shallow one is "
            f"{highest} ({power[highest]})." + recomputed.get(collection, ""),
        )
    small = {collection: table[np.tril_indices(9, -1)] for collection, table in PART_A.items()}
    zero = int((small["TREC-8"] == 0).sum())
    yield checked_claim(
        "Active disagreements are few on the web collection, and none for most metrics on newswire (Section 4).",
        bool(small["TREC-10"].max() <= 1 and zero > 18),
        f"In print, at most {small['TREC-10'].max()} % on TREC-10, and 0.0 for {zero} of 36 metric pairs on TREC-8.",
    )


def _recomputed_power(result: Agreement) -> str:
    """A sentence with the power of the metrics that have scores."""
    power = ", ".join(f"{name} {100 * share:.2f}" for name, share in zip(result.metrics, result.power(), strict=True))
    return f" Recomputed with the paired t-test: {power}."


def class_agreement_claims() -> Iterator[CheckedClaim]:
    """Claims in Section 4, about class agreement."""
    every = [side for collection in TABLES for side in sides(collection)]
    captioned, exchanged = sum(side.as_captioned for side in every), sum(side.exchanged for side in every)
    furthest = max(abs(side.figure - side.captioned) for side in every)
    nearest = max(abs(side.figure - side.other) for side in every)
    yield checked_claim(
        "Above the diagonal, parts (b) of Tables 1 and 2 show agreement on significant differences, 2SSA/(2SSA+SN+NS), "
        "and below it agreement on non-significant ones (Section 4).",
        captioned == len(every),
        f"The tables appear transposed. Recomputed from parts (a), {captioned} of {len(every)} figures agree as "
        f"captioned (up to {furthest:.1f} points off) and {exchanged} with the two sides swapped (up to "
        f"{nearest:.2f}, within the rounding of parts (a)).",
    )
    differs = np.concatenate([PART_B[collection][8, :8] for collection in TABLES])
    neither = np.concatenate([PART_B[collection][:8, 8] for collection in TABLES])
    yield checked_claim(
        "Where a difference is significant under AP or another metric, 62 to 81 % agree, so 19 to 38 % of results "
        "would have been rejected under another metric (Section 4).",
        [round(differs.min()), round(differs.max())] == [62, 81],
        f"{neither.min()} to {neither.max()} is agreement on non-significant differences. On significant ones it is "
        f"{differs.min()} to {differs.max()} %, so {100 - differs.max():.0f} to {100 - differs.min():.0f} % would have "
        "been rejected.",
    )


def adaptive_claims() -> Iterator[CheckedClaim]:
    """Claims in Section 5, about the agreement of adaptive INSQ with other metrics."""
    by_table = {
        collection: {pair: agreement for pair, (agreement, _) in adaptive_agreements(collection).items()}
        for collection in TABLES
    }
    nearer = all(m["insq5", "p10"] > m["insq5", "rbp95"] for m in by_table.values())
    deeper = all(m["insq10", "p10"] < m["insq10", "rbp95"] for m in by_table.values())
    agreements = [
        f"{collection} {name} {m[name, 'p10']:.1f} and {m[name, 'rbp95']:.1f}"
        for collection, m in by_table.items()
        for name in ADAPTIVE
    ]
    yield checked_claim(
        "INSQ5 behaves somewhat like the shallow metrics RR and P@10, INSQ10 like the deeper ones (Section 5).",
        nearer and deeper,
        f"Agreement on significant differences, with p10 and rbp95: {', '.join(agreements)}. Both agree least with rr "
        f"(TREC-8 {by_table['TREC-8']['insq5', 'rr']:.1f} and {by_table['TREC-8']['insq10', 'rr']:.1f}), and "
        "discriminate more systems than any shallow metric.",
    )
    is_exceeded, comparisons = False, []
    for collection, m in by_table.items():
        for other in ("ap", "rr"):
            printed, best = max(_printed_agreements(collection, other))
            mine = max(m[name, other] for name in ADAPTIVE)
            is_exceeded |= mine < printed
            comparisons.append(f"{collection} with {other} {best} {printed}, adaptive INSQ at most {mine:.1f}")
    yield checked_claim(
        "Adaptive INSQ has higher class agreements with both AP and shallow metrics than any other metric (Section 5).",
        not is_exceeded,
        "On significant differences: "
        + "; ".join(comparisons)
        + ". The claim compares Tables 4(b) and 5(b), about significant differences, with the upper halves of 1(b) and "
        "2(b), which are not.",
    )


def _printed_agreements(collection: str, other: str) -> list[tuple[float, str]]:
    """The printed agreements of metrics with one on significant differences, which are below the diagonal."""
    place = NAMES.index(other)
    below = [PART_B[collection][max(i, place), min(i, place)] for i in range(len(NAMES))]
    return [(float(value), name) for value, name in zip(below, NAMES, strict=True) if name != other]
