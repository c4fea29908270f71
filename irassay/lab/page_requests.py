"""What the pages' scripts ask besides methods: the bench of user models, and scores for leaderboard and topics."""

from collections.abc import Mapping
from typing import Any

from irassay.errors import as_found
from irassay.lab.requests import checked_option, metrics_and_settings, pointer_to, refusal, unknown_setting

MAX_USERS = 4  # side by side on the bench
BENCH_SETTINGS: dict[str, Mapping[str, Any]] = {
    "ranks": {"name": "ranks", "kind": "whole", "low": 1, "high": 100, "help": "Ranks of the curves."},
    "ranking": {"name": "ranking", "kind": "text", "help": "Grades of an example from the top, such as 1,0,2."},
    "client": {"name": "client", "kind": "text", "help": "A newer request of this client replaces one that waits."},
}

PAGE_FIELDS: dict[str, Mapping[str, type]] = {  # of what the pages' scripts ask about scores
    "leaderboard": {"metrics": list},
    "topics": {"metric": str},
    "release": {"metric": str, "parameter": str, "values": list, "pair": list, "metrics": list},
}
NEEDED_FIELDS = {"leaderboard": "metrics", "release": "metric"}
MAX_LIST = 50  # items of a list that a page sends


def bench_request(body: Mapping[str, Any]) -> tuple[list[str], dict[str, Any], str]:
    """The metrics and settings of a request of the bench, and the client that sends it."""
    metrics, settings = metrics_and_settings(body)
    if not (isinstance(metrics, list) and all(isinstance(m, str) for m in metrics) and 1 <= len(metrics) <= MAX_USERS):
        raise refusal(f"The metrics must be a list of 1 to {MAX_USERS} strings.", "/metrics")
    for name in settings:
        if name not in BENCH_SETTINGS:
            raise unknown_setting("The bench", (), name, BENCH_SETTINGS)
    checked = {n: checked_option(BENCH_SETTINGS[n], value) for n, value in settings.items() if value is not None}
    client = checked.pop("client", "")
    return metrics, checked, client


def page_request(operation: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a page asks about scores; ProblemError if it is not what the pages' scripts send."""
    fields, needed = PAGE_FIELDS[operation], NEEDED_FIELDS.get(operation)
    if needed is not None and needed not in body:
        raise refusal(f"The request needs {needed}.", pointer_to(needed))
    for name, value in body.items():
        if name not in fields:
            raise refusal(f"There is no {as_found(name)} here.", pointer_to(name))
        if not isinstance(value, fields[name]):
            what = "text" if fields[name] is str else "a list"
            raise refusal(f"{pointer_to(name)} must be {what}; found {as_found(value)}.", pointer_to(name))
        items = value if isinstance(value, list) else []
        kinds: Any = str | int | float if name == "values" else str
        if len(items) > MAX_LIST or not all(isinstance(item, kinds) for item in items):
            what = "strings or numbers" if name == "values" else "strings"
            raise refusal(f"{pointer_to(name)} must be a list of at most {MAX_LIST} {what}.", pointer_to(name))
        if name == "pair" and len(items) not in (0, 2):
            raise refusal(f"{pointer_to(name)} must be two systems; found {len(items)}.", pointer_to(name))
    return body
