"""Published files put into a folder of their own, for readers that want paths."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from irassay.papers.published import DataFile, Published


@contextmanager
def unpacked(published: Published, *files: DataFile) -> Iterator[Path]:
    """A folder that holds the files, unpacked and under their own names, while it is needed."""
    with TemporaryDirectory(prefix="irassay-") as name:
        for file in files:
            (Path(name) / Path(file.name).name).write_bytes(published.content(file))
        yield Path(name)
