"""What the first, hidden cell of a page imports: the collection of the examples, and `%%sh` cells in one piece."""

import fcntl
import os
import pty
import shutil
import struct
import subprocess
import termios
import textwrap
from pathlib import Path

from IPython.core.getipython import get_ipython

from irassay.simulation import simulate

ROOT = Path(__file__).parents[2]


def run_shell(line: str, cell: str) -> None:
    """Runs a cell's commands in a terminal of 80 columns and prints what they print; fails if one of them does."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    with subprocess.Popen(
        ["bash", "-c", cell], stdin=subprocess.DEVNULL, stdout=end, stderr=subprocess.PIPE
    ) as process:
        os.close(end)
        printed = b"".join(iter(lambda: terminal_bytes(terminal), b"")).decode().replace("\r\n", "\n")
        errors = process.communicate()[1].decode()
    os.close(terminal)
    print(
        printed + "".join(f"{wrapped}\n" for text in errors.splitlines() for wrapped in textwrap.wrap(text, 80)), end=""
    )
    refused = [text for text in errors.splitlines() if text.startswith("irassay: ")]
    if refused or process.returncode not in (0, 1):  # 1: the answer is no
        raise RuntimeError(f"status {process.returncode}: {refused}")


def terminal_bytes(terminal: int) -> bytes:
    """What was printed next; nothing at the end, which Linux reports as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


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
