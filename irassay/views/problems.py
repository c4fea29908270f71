"""The view of the problems of files."""

from collections import Counter

from irassay.io.validation import Problems
from irassay.prose import count_phrase
from irassay.views.view import Table, View


def view(result: Problems) -> View:
    """Every problem with its location and its fix, file by file and line by line."""
    count: Counter[str] = Counter()
    file_order = {file: n for n, file in enumerate(dict.fromkeys(p.file for p in result.problems))}
    last: dict[tuple[str, str, str], int] = {}  # the line of the last problem of a kind, where 'and 9 more' belongs
    located = []
    for p in result.problems:
        count[p.severity] += p.stands_for
        kind = p.file, p.severity, p.fix
        last[kind] = p.line or last.get(kind, 0)
        located.append(((file_order[p.file], last[kind]), p))
    located.sort(key=lambda pair: pair[0])
    rows = tuple((p.file, p.line or None, p.severity, p.what, p.fix) for _, p in located)
    machine = Table("problems", ("file", "line", "severity", "problem", "fix"), rows)
    lines = tuple((f"{p.file}:{p.line}" if p.line else p.file, f"{p.severity}: {p.what}; {p.fix}") for _, p in located)
    table = Table("problems", ("file", "problem"), lines, machine=machine)
    counts = ", ".join(count_phrase(n, kind) for kind, n in sorted(count.items())) or "nothing is wrong"
    return View("Problems", (f"{count_phrase(result.paths, 'path')} checked: {counts}.",), (table,) if rows else ())
