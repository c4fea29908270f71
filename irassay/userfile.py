"""A user's own metrics, axioms and methods, from a Python file."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from threading import RLock
from types import CodeType

from irassay.argument_types import checks_arguments
from irassay.errors import InputError, error_line
from irassay.meta.axioms.relations import AXIOMS
from irassay.method import METHODS
from irassay.metrics.grammar import catalogue
from irassay.metrics.metric import Metric
from irassay.provenance import DEFINED_FILES

_ONE_AT_A_TIME = RLock()  # reentrant: a file may define another one


@checks_arguments
def define(path: str | Path) -> list[Metric]:
    """Runs a Python file that declares metrics (`@user_model`, `@stop_model`, `@metric`), axioms, methods or a view.

    Returns the new metrics. This executes the file, so run only code you trust. A metric gets its own copy of the
    rankings, so that it cannot change other scores through arrays; the file may still change modules.

    The view of a user's result is a function `view` in a file of its own, which the result names by `view_in`.
    """
    with _ONE_AT_A_TIME:
        return _new_metrics(Path(path))


def define_content(path: str, content: bytes) -> list[Metric]:
    """Runs a Python file like `define`, from its content: on a worker of a cluster, which may not have the file."""
    with _ONE_AT_A_TIME:
        return _new_metrics(Path(path), _SentLoader(Path(path).stem, path, content))


class _SentLoader(importlib.machinery.SourceFileLoader):
    """Loads a module from content that was read elsewhere."""

    def __init__(self, name: str, path: str, content: bytes) -> None:
        super().__init__(name, path)
        self.content = content

    def get_code(self, fullname: str) -> CodeType:  # without a cache in a file
        return self.source_to_code(self.content, self.path)

    def get_data(self, path: str) -> bytes:
        """The content of the file itself, or of another one beside it."""
        return self.content if path == self.path else super().get_data(path)


def _new_metrics(path: Path, loader: _SentLoader | None = None) -> list[Metric]:
    known_names, others = set(catalogue()), {*AXIOMS, *METHODS}
    if loader is None and not path.is_file():
        raise InputError(f"There is no file {path}; give a Python file that defines metrics.")
    free = path.stem.isidentifier() and importlib.util.find_spec(path.stem) is None  # hides no other module
    name = path.stem if free else f"user_metrics_{path.stem}"
    if loader is not None:
        loader.name = name
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file; its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as problem:
        line = problem.lineno or 1
        raise InputError(f"{path}, line {line}: {problem.msg}", file=str(path), line=line) from None
    except (Exception, SystemExit) as problem:
        line = error_line(problem, str(path))
        where = f"{path}, line {line}" if line else str(path)
        kind = "" if isinstance(problem, InputError) else f"{type(problem).__name__}: "
        raise InputError(f"{where}: {kind}{problem}", file=str(path), line=line) from None
    DEFINED_FILES.append(str(path))
    new = [metric for name, metric in catalogue().items() if name not in known_names]
    if not new and others == {*AXIOMS, *METHODS} and not hasattr(module, "view"):
        raise InputError(
            f"{path} defines no metric; decorate a function, as with @irassay.user_model or @irassay.metric."
        )
    return new
