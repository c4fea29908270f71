"""A checksum by which the build knows whether the package changed since a page was executed."""

import hashlib
from pathlib import Path

import irassay

SUFFIXES = {".py", ".c", ".json", ".jinja", ".css", ".js", ".bib", ".toml"}


def package_digest() -> str:
    """A checksum of every source file of the package, and of what all pages import."""
    digest = hashlib.sha256()
    files = [file for file in Path(irassay.__file__).parent.rglob("*") if file.suffix in SUFFIXES]
    for file in (*sorted(files), Path(__file__).with_name("tutorial_files.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
