"""The paired tests: each file here declares one, and nothing else lists it."""

from importlib import import_module
from pkgutil import iter_modules

from irassay.stats.pair_tests import TESTS

__all__ = ["TESTS"]

for module in iter_modules(__path__):
    import_module(f"{__name__}.{module.name}")
