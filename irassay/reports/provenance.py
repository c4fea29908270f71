"""Where a page came from: versions, parameters, the command, and the files that were read."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from irassay.assays.assay import Assay

SHOWN_ELSEWHERE = ("seed", "alpha", "test", "trials", "splits", "labels")  # parameters


def input_files(inputs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The input files, each once, with relative paths if they are in the working directory."""
    here = Path.cwd()
    unique = [dict(file) for file in inputs]
    for file in unique:
        if Path(file["path"]).is_relative_to(here):
            file["path"] = Path(file["path"]).relative_to(here).as_posix()
    return list({file["path"]: file for file in unique}.values())


def provenance_rows(assay: Assay, provenance: Mapping[str, Any], command: str, date: str = "") -> list[tuple[str, str]]:
    """(name, value) of versions, seeds, parameters and the command."""
    power = assay.discrimination
    lines = [
        ("date", date),
        ("irassay", version("irassay")),
        *((str(name), str(value)) for name, value in dict(provenance.get("versions", {})).items()),
        *((name, version(name)) for name in ("polars", "altair", "vl-convert-python")),
        ("command", command),
        ("seed", str(assay.seed)),
        ("significance level", f"{assay.alpha:g}"),
        ("test of pairs of systems", f"{power.test}, {power.trials:,} resamples" if power.trials else power.test),
        ("splits of the topics", f"{len(assay.consistency.tau):,}"),
    ]
    parameters = dict(provenance.get("parameters", {}))
    lines += parameter_rows({name: value for name, value in parameters.items() if name not in SHOWN_ELSEWHERE})
    return list(dict(line for line in lines if line[1]).items())


def parameter_rows(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(name, value) of parameters that have a value, as people read them.

    >>> parameter_rows({"run_format": "auto", "metrics": ["AP", "RR"], "pair": ()})
    [('run format', 'auto'), ('metrics', 'AP, RR')]
    """
    return [
        (name.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
        for name, value in parameters.items()
        if value not in ([], (), "")
    ]
