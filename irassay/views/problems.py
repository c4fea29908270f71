"""The view of what is wrong with files."""

from collections import Counter

from irassay.io.validation import Problems
from irassay.views.view import Table, View


def view(result: Problems) -> View:
    """Every problem with its place and its remedy, file by file and line by line."""
    problems, files = result.problems, result.paths
    count = Counter(problem.severity for problem in problems)
    said = ", ".join(f"{n} {kind}{'s' * (n > 1)}" for kind, n in sorted(count.items())) or "nothing is wrong"
    files_in_order = list(dict.fromkeys(p.file for p in problems))
    in_order = sorted(problems, key=lambda p: (files_in_order.index(p.file), p.line))
    rows = tuple((p.file, p.line or None, p.severity, p.what, p.fix) for p in in_order)
    table = Table("problems", ("file", "line", "severity", "problem", "fix"), rows)
    return View("Problems", (f"{files} path{'s' * (files > 1)} checked: {said}.",), (table,) if rows else ())
