"""Writes the hashes of every file of each locked version into requirements.lock: `make lock`, which needs a network.

A version is changed by hand, as NAME==VERSION; its hashes are then those of the files that the index has for it.
"""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import Request, urlopen

LOCK = Path(__file__).parents[2] / "requirements.lock"
INDEX = "https://pypi.org/simple/{}/"
HEAD = """\
# What `make demo` and `make test` install: exact versions, and the hashes of their files, so that both work the same
# next year. Made from a fresh environment in which the tests passed; change a version here, then run `make lock`,
# `make demo` and `make test`.
"""
FILE = re.compile(r"#sha256=([0-9a-f]{64})[^>]*>\s*([^<\s]+(?:\.whl|\.tar\.gz))\s*<")  # as PEP 503 has it
OTHERS = re.compile(r"-(cp3[0-9]|cp310|pp3\d+|graalpy\w+)-(?!abi3)")  # wheels of Pythons that we do not run on


def pinned(text: str) -> dict[str, str]:
    """The locked versions by name."""
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE))


def version(file: str) -> str:
    """The version in a file's name."""
    return file.removesuffix(".tar.gz").rpartition("-")[2] if file.endswith(".tar.gz") else file.split("-")[1]


def hashes(name: str, wanted: str) -> list[str]:
    """The SHA-256 of every file of a version."""
    with urlopen(Request(INDEX.format(name), headers={"Accept": "text/html"}), timeout=60) as answer:
        files = FILE.findall(answer.read().decode())
    found = sorted(value for value, file in files if version(file) == wanted and not OTHERS.search(file))
    if not found:
        raise SystemExit(f"The index has no file of {name} {wanted}.")
    return found


def main() -> None:
    """Writes the file anew."""
    versions = pinned(LOCK.read_text(encoding="utf-8"))
    with ThreadPoolExecutor(8) as several:
        found = list(several.map(hashes, versions, versions.values()))
    lines = [
        " \\\n    ".join([f"{name}=={versions[name]}", *(f"--hash=sha256:{value}" for value in values)])
        for name, values in zip(versions, found, strict=True)
    ]
    LOCK.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
