"""irassay inside other tools, one file per tool: ir_measures, PyTerrier, ranx, ir_datasets."""

from importlib import import_module
from types import ModuleType
from typing import Any

from irassay.errors import missing_package_error


def required_package(name: str, extra: str) -> ModuleType:
    """The package of another tool; InputError, which names the extra that installs it, if it is not there."""
    try:
        return import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name != name:  # it is installed, but something it needs is not
            raise
        raise missing_package_error(name, extra, f"irassay.interop.{name}") from None


def public_attribute(package: ModuleType, name: str) -> Any:
    """What a package has under a public name, for programs in which only the import is changed to one of ours."""
    if name.startswith("_"):  # such as __path__, which belongs to the package alone
        raise AttributeError(f"no attribute {name!r}")
    return getattr(package, name)
