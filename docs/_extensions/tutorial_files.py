"""What the first, hidden cell of a page imports: the collection of the examples, and `%%sh` cells in one piece."""

import shutil
import subprocess
from pathlib import Path

from IPython.core.getipython import get_ipython

from irassay.simulation import simulate

ROOT = Path(__file__).parents[2]


def run_shell(line: str, cell: str) -> None:
    """Runs a cell's commands and prints what they print; a failure is an error of the page."""
    result = subprocess.run(["bash", "-c", cell], capture_output=True, text=True)
    print(result.stdout + result.stderr, end="")
    refused = [text for text in result.stderr.splitlines() if text.startswith("irassay: ")]
    if refused or result.returncode not in (0, 1):  # 1: the answer is no
        raise RuntimeError(f"status {result.returncode}: {refused}")


def copy_folder(name: str) -> None:
    """Copies a folder of the repository into the page's own."""
    shutil.copytree(ROOT / name, Path(name).name)


def copy_file(name: str) -> None:
    """Copies a file of the repository into the page's folder."""
    shutil.copy(ROOT / name, ".")


shell = get_ipython()
assert shell is not None
shell.register_magic_function(run_shell, "cell", "sh")
simulate(1, 50, 24).write("collection")
