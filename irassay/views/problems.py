"""The view of what is wrong with files."""

from collections import Counter

from irassay.io.validation import Problems
from irassay.prose import counted
from irassay.views.view import Table, View


def view(result: Problems) -> View:
    """Every problem with its place and its remedy, file by file and line by line."""
    problems, files = result.problems, result.paths
    count: Counter[str] = Counter()
    files_in_order = {file: n for n, file in enumerate(dict.fromkeys(p.file for p in problems))}
    last: dict[tuple[str, str, str], int] = {}  # the line of the last problem of a kind, where 'and 9 more' belongs
    places = []
    for p in problems:
        count[p.severity] += p.stands_for
        kind = p.file, p.severity, p.fix
        last[kind] = p.line or last.get(kind, 0)
        places.append((files_in_order[p.file], last[kind]))
    said = ", ".join(counted(n, kind) for kind, n in sorted(count.items())) or "nothing is wrong"
    in_order = sorted(zip(places, problems, strict=True), key=lambda placed: placed[0])
    rows = tuple((p.file, p.line or None, p.severity, p.what, p.fix) for _, p in in_order)
    table = Table("problems", ("file", "line", "severity", "problem", "fix"), rows)
    return View("Problems", (f"{files} path{'s' * (files > 1)} checked: {said}.",), (table,) if rows else ())
