"""The command `irassay lab`: it starts the server, prints its address and opens the browser."""

import sys
from pathlib import Path
from typing import Annotated, Any

from irassay.errors import InputError, argument, missing_package_error
from irassay.method import method
from irassay.settings import Option

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def check_lab(
    inputs: tuple[str, ...], documents: Any, host: str, no_token: bool, allow_code: bool, define: tuple[Path, ...]
) -> None:
    """Refuses code or an open door for strangers, files without their counterparts, and missing ones."""
    if no_token and allow_code:
        raise InputError(
            argument("no_token"), " cannot be used with ", argument("allow_code"), "; leave one of them out."
        )
    if host not in LOOPBACK and no_token:
        raise InputError(argument("no_token"), " cannot be used with another ", argument("host"), "; leave it out.")
    if host not in LOOPBACK and allow_code:
        raise InputError(argument("allow_code"), " cannot be used with another ", argument("host"), "; leave it out.")
    if len(inputs) == 1:
        raise InputError("Give judgements and at least one run (", argument("inputs"), "), or no file at all.")
    if documents is not None and not inputs:
        raise InputError(argument("documents"), " goes with judgements and runs; give them too.")
    for path in define:
        if not Path(path).is_file():
            raise InputError(f"There is no file {path}; give a Python file that defines metrics.", argument="define")


@method(
    "Explore a collection and design metrics in the browser.",
    path="lab",
    check=check_lab,
    without_options="format plot save full notes sort quiet define",
    examples=("irassay lab qrels.txt runs/",),
)
def lab(
    inputs: Annotated[
        tuple[str, ...], Option("Judgements, then runs: files, folders or globs.", metavar="QRELS RUN", files=True)
    ] = (),
    *,
    documents: Annotated[
        Path | None, "File with documents, to show in rankings: lines of id, tab and text, or JSON objects."
    ] = None,
    workspace: Annotated[
        Path | None,
        Option("Folder for uploads and results; it is created if needed.", shown="a temporary one", metavar="DIR"),
    ] = None,
    host: Annotated[str, "Address to listen at."] = "127.0.0.1",
    port: Annotated[int, Option("Port to listen at; 0 picks a free one.", low=0, high=65535)] = 8765,
    no_browser: Annotated[bool, "Do not open the browser."] = False,
    no_token: Annotated[bool, "Let everybody in who can reach the address, without the token."] = False,
    define: Annotated[
        tuple[Path, ...], Option("Python file with your own metrics and methods; may be repeated.", metavar="FILE")
    ] = (),
    allow_code: Annotated[bool, "Let the page run Python code: write metrics in the browser."] = False,
    demo: Annotated[bool, "Open a simulated collection."] = False,
    jobs: Annotated[int, Option("Number of jobs at a time.", low=1, high=64)] = 2,
    job_seconds: Annotated[float, Option("Longest time that a job may take, in seconds.", low=1)] = 3600,
    job_memory: Annotated[float, Option("Most memory that a job may use, in GiB.", low=0.25)] = 8,
    queue: Annotated[int, Option("Most jobs that may wait.", low=1)] = 100,
    client_seconds: Annotated[
        float, Option("How long a client may be silent before it is disconnected, in seconds.", low=0.1, high=30)
    ] = 20,
    max_upload: Annotated[float, Option("Largest upload, in GiB.", low=0)] = 1,
    max_unpacked: Annotated[float, Option("Most that an upload may unpack to, in GiB.", low=0)] = 4,
    max_files: Annotated[int, Option("Most files of an upload.", low=1)] = 2000,
    max_json: Annotated[float, Option("Largest JSON request, in MB.", low=0)] = 1,
) -> str:
    """Start the lab on this machine, and open it in the browser.

    Move the parameters of user models and see the conclusions move with them; look into topics; run every method. The
    same operations are there as JSON (see /api/docs). Only people who have the printed address, with its token, get in.
    """
    try:
        from irassay.lab.running import LabOptions, run_lab
    except ModuleNotFoundError as missing:
        if missing.name and missing.name.startswith("irassay"):
            raise
        raise missing_package_error(str(missing.name), "lab", "The lab") from None
    options = LabOptions(
        inputs=tuple(inputs), documents=documents, workspace=workspace, host=host, port=port,
        opens_browser=not no_browser, has_token=not no_token, define=tuple(str(path) for path in define),
        allow_code=allow_code, demo=demo, jobs=jobs, job_seconds=job_seconds, job_memory=int(job_memory * 2**30),
        queue=queue, client_seconds=client_seconds, max_upload=int(max_upload * 2**30),
        max_unpacked=int(max_unpacked * 2**30), max_files=max_files, max_json=int(max_json * 1e6),
    )  # fmt: skip
    run_lab(options)
    sys.stdout.flush()
    return ""
