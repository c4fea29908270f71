"""`irassay compare`: which systems differ, by how much, how sure."""

from typing import Annotated, Any, Literal

import typer

from irassay.cli.gather import Inputs, Tables, gather
from irassay.cli.options import Define, Format, Metrics, Plot, Quiet, reading, takes
from irassay.errors import InputError

Correction = Literal["none", "bonferroni", "holm", "bh", "by", "max-t"]
TestName = Literal[
    "max-t",
    "max-t-stepdown",
    "t",
    "wilcoxon",
    "sign",
    "permutation",
    "bootstrap",
    "bootstrap-shift",
    "tukey",
    "anova-tukey",
]


@takes(policies=reading)
def compare(
    inputs: Inputs = None,
    scores: Tables = None,
    metrics: Metrics = None,
    test: Annotated[
        TestName,
        typer.Option(help="max-t is the default for families; tukey (randomised HSD) needs exchangeable systems."),
    ] = "max-t",
    correct: Annotated[Correction, typer.Option(help="Correction of tests of one pair at a time.")] = "none",
    baseline: Annotated[str | None, typer.Option(help="Compare with this run only.", show_default=False)] = None,
    alpha: Annotated[float, typer.Option(help="Level of significance.")] = 0.05,
    trials: Annotated[int, typer.Option(help="Resamples.", min=1)] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the resamples.")] = 0,
    compat: Annotated[
        bool, typer.Option("--compat", help="p-values c/B, as papers have them, not (c+1)/(B+1).")
    ] = False,
    band: Annotated[float, typer.Option(help="Dead band of the sign test.", min=0)] = 0.0,
    methods: Annotated[
        bool, typer.Option("--methods", help="Also the paragraph on methods that a paper needs.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Instead: how many topics a comparison takes, by metric.")
    ] = False,
    difference: Annotated[float, typer.Option(help="With --plan: the difference to be seen.", min=0)] = 0.05,
    power: Annotated[float, typer.Option(help="With --plan: with this probability.")] = 0.8,
    groups: Annotated[
        str | None,
        typer.Option(help="Team of each run (run team); --plan then uses cross-team pairs.", show_default=False),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Threads to use; the result is the same.", min=1)] = 2,
    define: Define = None,
    format: Annotated[Format, typer.Option(help="How to print it.")] = "table",
    plot: Plot = None,
    quiet: Quiet = False,
    policies: Any = None,
) -> None:
    """Compare systems: differences with intervals, effect sizes, p-values, groups and ranks, for all pairs at once.

    Tests: t, wilcoxon, sign, permutation, bootstrap (studentised), bootstrap-shift work on one pair at a time and take
    --correct; max-t, max-t-stepdown, tukey and anova-tukey hold for all pairs together.

    Where they were seen to fail, at a level of 5 %: tukey and anova-tukey where systems differ in variance (equal
    means, two noisy systems among twenty: about 30 % of families err); max-t with strongly skewed differences (10 % of
    families, t with Holm 6 %); wilcoxon and sign with skewed differences (10 and 15 % of pairs); bootstrap-shift a
    little everywhere (6 % of pairs).
    """
    from irassay.cli.gather import files_of
    from irassay.cli.output import emit, progress
    from irassay.meta.comparison import comparison
    from irassay.meta.plan import components
    from irassay.provenance import provenance
    from irassay.views import comparison as comparisons
    from irassay.views import plan as plans
    from irassay.views.view import View

    cube = gather(inputs, policies, {"quiet": quiet}, scores=scores, metrics=metrics, define=define, usual=["nDCG@10"])
    cube = cube.complete().oriented()
    given = {key: str(value) for key, value in policies.items() if value is not None}
    parameters = {"metrics": cube.metrics, "test": test, "correct": correct, "baseline": baseline, "alpha": alpha} | {
        "trials": trials, "seed": seed, "compat": compat, "band": band, **given
    }  # fmt: skip
    origin = provenance(files_of(inputs, scores, policies), parameters) if format == "json" else None
    tables = [cube.of(metric).T for metric in cube.metrics]
    if plan:
        if difference <= 0:
            raise InputError("--plan needs a difference to be seen; give one above 0 with --difference")
        team = None
        if groups:
            from irassay.io.sidefiles import read_groups

            teams = read_groups(groups)
            team = [teams.get(system, system) for system in cube.systems]
        asked: dict[str, Any] = {"metrics": cube.metrics, "difference": difference, "alpha": alpha, "power": power}
        emit(plans.view([components(X, team) for X in tables], **asked), format, origin, plot, quiet)
        return
    views: list[View] = []
    for metric, X in zip(cube.metrics, tables, strict=True):
        found = comparison(
            X, cube.systems, test, correct, baseline=baseline, alpha=alpha, trials=trials, seed=seed, compat=compat,
            band=band, jobs=jobs, progress=progress(f"testing by {metric}", quiet),
        )  # fmt: skip
        views.append(comparisons.view(found, metric=metric, methods=methods))
    emit(comparisons.together(views, cube.metrics, cube.notes), format, origin, plot, quiet)
