"""`irassay meta …`: what each metric is good for, from runs and judgements or from any tool's score tables."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from irassay.cli.compare import Correction, TestName
from irassay.cli.gather import Inputs, Tables, gather, report
from irassay.cli.options import Define, Format, Metrics, Plot, Quiet, reading, takes

app = typer.Typer(no_args_is_help=True, help="Test metrics: what each is good for.", pretty_exceptions_enable=False)

Alpha = Annotated[float, typer.Option(help="Level of significance.")]
Groups = Annotated[Path | None, typer.Option(help="Team of each run: run team.", show_default=False)]
Grid = Annotated[
    Literal["cwla", "effort", "dynamic"] | None,
    typer.Option(help="The metrics of a paper: chen2023's 39, jiang2016's, albahem2019's.", show_default=False),
]


def output(
    format: Annotated[Format, typer.Option(help="How to print it.", rich_help_panel="Output")] = "table",
    plot: Plot = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", help="Keep the result as JSON, to be read back.", show_default=False, rich_help_panel="Output"
        ),
    ] = None,
    quiet: Quiet = False,
) -> dict[str, Any]:
    """Where the result goes."""
    return dict(locals())


def source(
    scores: Tables = None,
    metrics: Metrics = None,
    grid: Grid = None,
    define: Define = None,
    dialect: Annotated[
        str | None,
        typer.Option("--from", help="Dialect of the score tables, where it cannot be told.", show_default=False),
    ] = None,
    lower: Annotated[
        list[str] | None,
        typer.Option("--lower", help="A metric of which less is better; may be repeated.", show_default=False),
    ] = None,
) -> dict[str, Any]:
    """Where scores come from."""
    return dict(locals())


def procedure(
    test: Annotated[
        TestName | None, typer.Option(help="Which test.", show_default=False, rich_help_panel="Testing")
    ] = None,
    correct: Annotated[Correction, typer.Option(help="Correction for many pairs.", rich_help_panel="Testing")] = "none",
    trials: Annotated[
        int | None,
        typer.Option(help="Resamples.", min=1, show_default="10000; 2000 for intervals", rich_help_panel="Testing"),
    ] = None,
    compat: Annotated[
        bool,
        typer.Option(
            "--compat", help="As the papers: p-values c/B and their other choices.", rich_help_panel="Testing"
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of all that is random.", rich_help_panel="Testing")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; the result is the same.", min=1, rich_help_panel="Testing")] = 2,
) -> dict[str, Any]:
    """How pairs of systems are tested."""
    return dict(locals())


def tested(how: dict[str, Any], test: str) -> dict[str, Any]:
    """The options of a test as keyword arguments of a method, with the method's own default test."""
    rest = {key: value for key, value in how.items() if key not in ("test", "correct", "trials")}
    return {"test": how["test"] or test, "correction": how["correct"], "trials": how["trials"] or 10_000, **rest}


@app.command()
@takes(of=source, how=procedure, out=output, policies=reading)
def similarity(
    inputs: Inputs = None,
    also: Annotated[
        list[str] | None,
        typer.Option(help="Beside tau also tau_ap, spearman or rbo; may be repeated.", show_default=False),
    ] = None,
    alpha: Alpha = 0.05,
    of: Any = None,
    how: Any = None,
    out: Any = None,
    policies: Any = None,
) -> None:
    """How alike metrics rank systems (chen2023, section 4): a correlation for every two metrics, with intervals."""
    from irassay.meta.similarity import similarity as method

    cube = gather(inputs, policies, out, **of)
    found = method(cube, also=also or (), alpha=alpha, seed=how["seed"], jobs=how["jobs"])
    report(found, cube, inputs, of, out, policies, how | {"also": also, "alpha": alpha})


@app.command()
@takes(of=source, how=procedure, out=output, policies=reading)
def consistency(
    inputs: Inputs = None,
    splits: Annotated[int, typer.Option(help="Random halves of the topics.", min=1)] = 1000,
    group_by: Annotated[
        Literal["browse", "none"], typer.Option(help="With --compat: compare within a browsing model.")
    ] = "none",
    alpha: Alpha = 0.05,
    of: Any = None,
    how: Any = None,
    out: Any = None,
    policies: Any = None,
) -> None:
    """Whether a metric ranks systems the same on other topics (chen2023, section 5): tau between halves."""
    from irassay.cli.output import progress
    from irassay.meta.consistency import consistency as method

    cube = gather(inputs, policies, out, **of)
    found = method(
        cube, splits=splits, compat=how["compat"], group_by=group_by, alpha=alpha, seed=how["seed"], jobs=how["jobs"],
        progress=progress("splitting", out["quiet"]),
    )  # fmt: skip
    report(found, cube, inputs, of, out, policies, how | {"splits": splits, "group_by": group_by})


@app.command()
@takes(of=source, how=procedure, out=output, policies=reading)
def discrimination(
    inputs: Inputs = None,
    groups: Groups = None,
    levels: Annotated[str, typer.Option(help="Levels of significance, separated by commas.")] = "0.01,0.05,0.10",
    of: Any = None,
    how: Any = None,
    out: Any = None,
    policies: Any = None,
) -> None:
    """How many pairs of systems a metric tells apart (chen2023, section 6): power, ASL curves, least differences."""
    from irassay.cli.output import progress
    from irassay.meta.discrimination import discrimination as method

    cube = gather(inputs, policies, out, **of)
    found = method(
        cube, levels=numbers(levels, "--levels"), groups=teams(groups), progress=progress("testing", out["quiet"]),
        **tested(how, "tukey"),
    )  # fmt: skip
    report(found, cube, inputs, of, out, policies, how | {"levels": levels})


@app.command()
@takes(of=source, how=procedure, out=output, policies=reading)
def agreement(
    inputs: Inputs = None,
    alpha: Alpha = 0.05,
    of: Any = None,
    how: Any = None,
    out: Any = None,
    policies: Any = None,
) -> None:
    """Whether metrics find the same differences significant (moffat2012, section 4): SSA, SSD, SN, NS, NN."""
    from irassay.cli.output import progress
    from irassay.meta.agreement import agreement as method

    cube = gather(inputs, policies, out, **of)
    found = method(cube, alpha=alpha, progress=progress("testing", out["quiet"]), **tested(how, "t"))
    report(found, cube, inputs, of, out, policies, how | {"alpha": alpha})


@app.command()
@takes(of=source, how=procedure, out=output, policies=reading)
def alternatives(
    inputs: Inputs = None,
    reference: Annotated[str, typer.Option(help="The metric to find alternatives to.")] = "nDCG@10",
    similar: Annotated[float, typer.Option(help="Least tau with the reference.")] = 0.9,
    splits: Annotated[int, typer.Option(help="Random halves of the topics.", min=1)] = 1000,
    alpha: Alpha = 0.05,
    of: Any = None,
    how: Any = None,
    out: Any = None,
    policies: Any = None,
) -> None:
    """Metrics that rank systems much as a reference does, and discriminate or repeat better (chen2023, RQ4)."""
    from irassay.cli.gather import named
    from irassay.cli.output import progress
    from irassay.meta.alternatives import alternatives as method

    cube = gather(inputs, policies, out, **of)
    found = method(
        cube, named(reference, cube.metrics), similar=similar, splits=splits, alpha=alpha,
        progress=progress("searching", out["quiet"]), **tested(how, "tukey"),
    )  # fmt: skip
    report(found, cube, inputs, of, out, policies, how | {"reference": reference, "similar": similar})


def numbers(text: str, option: str) -> tuple[float, ...]:
    """Numbers separated by commas."""
    from irassay.errors import InputError

    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{option} {text}: numbers separated by commas are expected, such as 0.01,0.05") from None


def teams(path: Path | None) -> dict[str, str] | None:
    """The team of each run, from a file."""
    if path is None:
        return None
    from irassay.io.sidefiles import read_groups

    return dict(read_groups(path))
