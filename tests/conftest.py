"""What several tests share: where the fixtures and the published collections lie."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


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
