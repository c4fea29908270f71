"""`irassay meta intuitiveness|unanimity|robustness|satisfaction|preference`: metrics against other evidence."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from irassay.cli.gather import Inputs, Tables, asked, gather, iterations, named, report, report_rounds
from irassay.cli.meta import Groups, app, numbers, output, procedure, source, teams, tested
from irassay.cli.options import Define, Metrics, load, reading, takes
from irassay.errors import InputError

__all__ = ["app"]

Simple = Annotated[
    list[str] | None, typer.Option("--simple", help="A simple metric; may be repeated.", show_default=False)
]
SimpleSets = Annotated[
    Literal["together", "each", "all"],
    typer.Option(help="The simple metrics together, one by one, or every combination."),
]
By = Annotated[
    Literal["iteration"] | None,
    typer.Option("--by", help="Repeat for every iteration of the tables.", show_default=False),
]


@app.command()
@takes(of=source, how=procedure, out=output, policies=reading)
def intuitiveness(
    inputs: Inputs = None,
    simple: Simple = None,
    simple_sets: SimpleSets = "together",
    simple_ties: Annotated[
        Literal["strict", "lenient"], typer.Option(help="Whether a tie of a simple metric agrees.")
    ] = "strict",
    by: By = None,
    of: Any = None,
    how: Any = None,
    out: Any = None,
    policies: Any = None,
) -> None:
    """When two metrics disagree, which one sides with the simple ones (albahem2019, Algorithm 1)."""
    from irassay.meta.intuitiveness import intuitiveness as method

    def found(cube: Any) -> Any:
        chosen = [named(name, cube.metrics) for name in simple or grid_simple(of["grid"])]
        return method(cube, chosen, None, simple_sets, simple_ties, how["trials"] or 10_000, how["seed"])

    answer(found, by, inputs, simple, of, out, policies, how | {"simple": simple, "ties": simple_ties})


@app.command()
@takes(of=source, how=procedure, out=output, policies=reading)
def unanimity(
    inputs: Inputs = None,
    simple: Simple = None,
    simple_sets: SimpleSets = "together",
    variant: Annotated[
        Literal["amigo", "printed"],
        typer.Option(help="As the authors' programs compute it, or as Algorithm 2 is printed."),
    ] = "amigo",
    interval: Annotated[Literal["bootstrap", "jackknife"], typer.Option(help="How intervals are made.")] = "bootstrap",
    by: By = None,
    of: Any = None,
    how: Any = None,
    out: Any = None,
    policies: Any = None,
) -> None:
    """How far a metric's verdict is the one that all simple metrics share (albahem2019, Algorithm 2)."""
    from irassay.meta.unanimity import unanimity as method

    def found(cube: Any) -> Any:
        chosen = [named(name, cube.metrics) for name in simple or grid_simple(of["grid"])]
        return method(cube, chosen, None, simple_sets, variant, interval, how["trials"] or 2000, how["seed"])

    answer(found, by, inputs, simple, of, out, policies, how | {"simple": simple, "variant": variant})


def grid_simple(grid: str | None) -> tuple[str, ...]:
    """The simple metrics that a grid names itself."""
    from irassay.metrics.grids import grid as grid_of

    return grid_of(grid).simple if grid else ()


def answer(
    found: Any, by: str | None, inputs: Any, simple: Any, of: dict[str, Any], out: Any, policies: Any, options: Any
) -> None:
    """Runs a method once, or for every iteration, and reports it; the simple metrics are scored with the others."""
    wanted = asked(of["metrics"], of["grid"])
    wanted += [name for name in simple or [] if name not in wanted]
    only_simple = not of["metrics"] and not of["grid"] and of["scores"]  # then the others are all that the tables have
    listed = of | {"metrics": None if only_simple else wanted or None, "grid": None}
    if by is None:
        cube = gather(inputs, policies, out, **listed)
        report(found(cube), cube, inputs, of, out, policies, options)
        return
    rounds = {name: found(cube) for name, cube in iterations(listed).items()}
    report_rounds(rounds, of, out, policies, options)


@app.command()
@takes(how=procedure, out=output, policies=reading)
def robustness(
    inputs: Inputs = None,
    metrics: Metrics = None,
    other: Annotated[
        str | None, typer.Option(help="Other judgements of the same topics, such as an LLM's.", show_default=False)
    ] = None,
    thin: Annotated[
        str | None, typer.Option(help="Shares of judged documents to keep: 0.1,0.3,…", show_default=False)
    ] = None,
    pool_depth: Annotated[
        str | None, typer.Option(help="Depths to cut the pool to: 5,10,…", show_default=False)
    ] = None,
    noise: Annotated[
        Path | None, typer.Option(help="How grades are mistaken: a table from to probability.", show_default=False)
    ] = None,
    groups: Groups = None,
    repeats: Annotated[int, typer.Option(help="Draws of each thinning or noise.", min=1)] = 20,
    alpha: Annotated[float, typer.Option(help="Level of significance.")] = 0.05,
    define: Define = None,
    how: Any = None,
    out: Any = None,
    policies: Any = None,
) -> None:
    """Whether metrics rank the same systems alike under other, fewer or noisier judgements."""
    from irassay.cli.output import progress
    from irassay.meta.robustness.method import robustness as method
    from irassay.meta.robustness.perturb import read_confusion
    from irassay.meta.robustness.rejudge import rejudged

    load(list(define or []))
    if not inputs or len(inputs) < 2:
        raise InputError("give judgements and runs (QRELS RUN...): other judgements need the runs")
    reference, cases = rejudged(
        inputs[1:], inputs[0], metrics or ["nDCG@10", "AP"],
        other=other,
        thin=numbers(thin, "--thin") if thin else (),
        pool_depth=[int(depth) for depth in numbers(pool_depth, "--pool-depth")] if pool_depth else (),
        noise=read_confusion(noise) if noise else None,
        groups=teams(groups),
        repeats=repeats,
        seed=how["seed"],
        **{key: value for key, value in policies.items() if key not in ("missing", "no_relevant")},
    )  # fmt: skip
    found = method(reference, cases, alpha=alpha, progress=progress("testing", out["quiet"]), **tested(how, "t"))
    options = {
        "other": other,
        "thin": thin,
        "pool_depth": pool_depth,
        "noise": noise,
        "repeats": repeats,
        "alpha": alpha,
    }
    report(found, reference, inputs, {"scores": [other] if other else None}, out, policies, how | options)


@app.command()
@takes(how=procedure, out=output)
def satisfaction(
    ratings: Annotated[
        Path | None, typer.Option(help="Ratings: unit rating, and user task where known.", show_default=False)
    ] = None,
    scores: Tables = None,
    sessions: Annotated[
        Path | None,
        typer.Option(help="Sessions to score: a folder (session, results, qrels) or a table.", show_default=False),
    ] = None,
    qrels: Annotated[
        Path | None, typer.Option(help="Judgements by session, with --sessions TABLE.", show_default=False)
    ] = None,
    metrics: Metrics = None,
    grid: Annotated[Literal["effort"] | None, typer.Option(help="jiang2016's metrics.", show_default=False)] = None,
    scale: Annotated[
        str | None, typer.Option(help="Ends of the rating scale, such as 1,5.", show_default=False)
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.", min=2)] = 10,
    partitions: Annotated[int, typer.Option(help="Times the folds are drawn.", min=1)] = 10,
    group: Annotated[
        Literal["none", "user", "task"], typer.Option(help="Keep units of one user or task in one fold.")
    ] = "none",
    sweep: Annotated[
        str | None,
        typer.Option(help="Curves over a parameter: p=0.5,0.6,… (e: the ratio of efforts).", show_default=False),
    ] = None,
    fit: Annotated[
        bool, typer.Option("--fit", help="With --sweep: choose the value by nested cross-validation.")
    ] = False,
    define: Define = None,
    how: Any = None,
    out: Any = None,
) -> None:
    """Whether metrics say what users say (jiang2016): correlation with ratings, and error of predicting them."""
    from irassay.cli.rated import rated_curve, rated_units
    from irassay.meta.satisfaction.fitting import fitting, sensitivity
    from irassay.meta.satisfaction.method import satisfaction as method

    load(list(define or []))
    ends = numbers(scale, "--scale") if scale else (None, None)
    listed = asked(metrics, grid)
    if fit and not sweep:
        raise InputError("--fit chooses a value of a parameter; name it and its values with --sweep NAME=a,b,c")
    if sweep:
        parameter, _, values = sweep.partition("=")
        if not values:
            raise InputError(f"--sweep {sweep}: write the parameter and its values, such as p=0.5,0.6,0.7")
        curve, given = rated_curve(sessions, qrels, ratings, listed, parameter, ends)
        options = {"folds": folds, "partitions": partitions, "seed": how["seed"]}
        points = numbers(values, "--sweep")
        found: Any = (
            fitting(curve, points, given, parameter, listed, group=group, **options)
            if fit
            else sensitivity(curve, points, given, parameter, listed, **options)
        )
        cube = curve(points[0])
    else:
        cube, given = rated_units(sessions, qrels, ratings, scores, listed, ends)
        found = method(cube, given, folds, partitions, group, (), how["trials"] or 2000, how["seed"])
    inputs = [str(path) for path in (ratings, sessions, qrels) if path]
    options = {"folds": folds, "partitions": partitions, "sweep": sweep, "asked": listed}
    report(found, cube, None, {"scores": [*(scores or []), *inputs]}, out, {}, how | options)


@app.command()
@takes(of=source, how=procedure, out=output, policies=reading)
def preference(
    inputs: Inputs = None,
    choices: Annotated[
        Path | None,
        typer.Option(help="Choices between two runs' lists: topic left right choice (user).", show_default=False),
    ] = None,
    clusters: Annotated[Literal["topic", "user"], typer.Option(help="Which choices go together.")] = "topic",
    of: Any = None,
    how: Any = None,
    out: Any = None,
    policies: Any = None,
) -> None:
    """How often a metric prefers the list that people chose, with an interval."""
    from irassay.meta.preference import preference as method
    from irassay.meta.preference import read_choices

    if choices is None:
        raise InputError("give people's choices with --choices FILE (topic left right choice)")
    cube = gather(inputs, policies, out, **of)
    found = method(cube, read_choices(choices), clusters, how["trials"] or 10_000, how["seed"])
    report(found, cube, inputs, of | {"scores": [*(of["scores"] or []), str(choices)]}, out, policies, how)
