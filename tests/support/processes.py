"""Python code in a process of its own, where nothing is imported yet."""

import subprocess
import sys


def python_output(code: str) -> str:
    """What code prints; a failed test if it fails."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
