"""`irassay compare`: which systems differ, by how much, how sure."""

from collections.abc import Sequence
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
    from irassay.views.compare_views import comparison_view, plan_view
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
        emit(
            plan_view(cube.metrics, [components(X, team) for X in tables], difference, alpha, power),
            format,
            origin,
            plot,
            quiet,
        )
        return
    views: list[View] = []
    for metric, X in zip(cube.metrics, tables, strict=True):
        found = comparison(
            X, cube.systems, test, correct, baseline=baseline, alpha=alpha, trials=trials, seed=seed, compat=compat,
            band=band, jobs=jobs, progress=progress(f"testing by {metric}", quiet),
        )  # fmt: skip
        views.append(comparison_view(found, metric=metric, methods=methods))
    emit(together(views, cube.metrics, cube.notes), format, origin, plot, quiet)


def together(views: list[Any], metrics: Sequence[str], notes: tuple[str, ...]) -> Any:
    """Several comparisons as one view: the same two tables, with a column for the metric."""
    from dataclasses import replace

    from irassay.views.view import View

    tables = []
    for place, first in enumerate(views[0].tables):
        same = [v.tables[place] for v in views]
        lines = tuple((metric, *row) for metric, table in zip(metrics, same, strict=True) for row in table.rows)
        starts = [sum(len(table.rows) for table in same[:i]) for i in range(len(same))]
        marks = {(r + at, c + 1) for at, table in zip(starts, same, strict=True) for r, c in table.marks}
        raised = {
            (r + at, c + 1): t for at, table in zip(starts, same, strict=True) for (r, c), t in table.raised.items()
        }
        tables.append(
            replace(first, columns=("metric", *first.columns), rows=lines, marks=frozenset(marks), raised=raised)
        )
    return View(
        views[0].title if len(views) == 1 else "Comparison",
        tuple(sentence for v in views for sentence in v.sentences),
        tuple(tables),
        (*notes, *dict.fromkeys(note for v in views for note in v.notes)),
        tuple((f"{name}-{i}" if i else name, make) for i, v in enumerate(views) for name, make in v.charts),
        tuple(dict.fromkeys(key for v in views for key in v.cite)),
    )
