"""The paired tests, one a file: a file put here is a test, known everywhere by the name that it declares."""

from importlib import import_module
from pkgutil import iter_modules

from irassay.stats.paired_test import TESTS

__all__ = ["TESTS"]

for module in iter_modules(__path__):
    import_module(f"{__name__}.{module.name}")
