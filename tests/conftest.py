"""What several tests share: where the fixtures and the published collections lie."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded, as the command line does

from tests.support import compared

HERE = Path(__file__).parent
# How fast anything is, is for benchmarks. The examples are the same each time; --hypothesis-profile explore has others.
settings.register_profile("explore", deadline=None)
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Says which test a comparison with another tool belongs to."""
    compared.NOW["test"] = item.nodeid.partition("::")[0]


def pytest_sessionfinish() -> None:
    """Writes the figures of the site's table of oracles, if they were asked for."""
    if path := os.environ.get("IRASSAY_ORACLES"):
        compared.write_comparisons(Path(path))


@pytest.fixture(scope="session")
def oracles() -> Path:
    """Outputs of reference tools on inputs made for this project."""
    return HERE / "oracles"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Published collections, which are not part of the repository."""
    folder = HERE.parent.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("needs the published collections in ../shared, which are not part of the repository")
    return folder


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What a test declares, metrics and methods, is forgotten after it."""
    from irassay.meta.axioms.relations import AXIOMS
    from irassay.method import METHODS
    from irassay.metrics.grammar import catalogue
    from irassay.metrics.metric import METRICS
    from irassay.saving import SAVED

    catalogue()
    registers: list[dict[str, object]] = [METRICS, METHODS, AXIOMS, SAVED]  # type: ignore[list-item]
    before = [dict(register) for register in registers]
    yield
    for register, known in zip(registers, before, strict=True):
        for name in register.keys() - known.keys():
            del register[name]


@pytest.fixture(autouse=True)
def _nothing_defined() -> Iterator[None]:
    """What a test defines is not among the inputs of another one's results, and its readers read no others."""
    from irassay.io.reader import USER_READERS
    from irassay.provenance import DEFINED_FILES

    DEFINED_FILES.clear()
    USER_READERS.clear()
    yield
    DEFINED_FILES.clear()
    USER_READERS.clear()
