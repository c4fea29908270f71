"""The index is what the declarations say."""

import json
from pathlib import Path

import irassay
from tests.support.processes import python_output

FILE = Path(irassay.__file__).parent / "index.json"


def test_the_index_is_current() -> None:
    code = "import json; from irassay.cli.index import declared_index; print(json.dumps(declared_index()))"
    kept, built = json.loads(FILE.read_text(encoding="utf-8")), json.loads(python_output(code))
    assert kept == built, "run: python -m irassay.cli.index"
    assert [list(kept[part]) for part in kept] == [list(built[part]) for part in built]  # in the same order
    assert list(kept["commands"]) == sorted(kept["commands"])  # whatever is imported first


def test_the_index_is_small_and_has_each_distinct_argument_and_parameter_once() -> None:
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    assert FILE.stat().st_size <= 3_000 * len(kept["commands"]) + 600 * len(
        kept["metrics"]
    )  # it is read at every start
    for part in ("arguments", "parameters"):
        records = [(key.partition(" ")[0], json.dumps(record)) for key, record in kept[part].items()]
        assert len(set(records)) == len(records)
    used = {key for entry in kept["commands"].values() for key in entry["arguments"]}
    assert used == {*kept["arguments"]}
    assert {key for entry in kept["metrics"].values() for key in entry["parameters"]} == {*kept["parameters"]}


def test_every_declaration_is_where_the_index_says() -> None:
    from importlib import import_module

    kept = json.loads(FILE.read_text(encoding="utf-8"))
    for where in [*(entry["where"] for entry in kept["commands"].values()), *kept["saved"].values()]:
        module, _, name = where.partition(":")
        assert hasattr(import_module(module), name), where
    assert list(kept["metrics"]) == list(irassay.catalogue())


def test_metrics_are_listed_in_one_order_whichever_family_was_needed_first() -> None:
    code = (
        "import sys, irassay\n"
        "assert str(irassay.parse('U')) == 'U' and irassay.nDCG.name == 'nDCG'\n"
        "assert 'irassay.metrics.catalogue.trec' not in sys.modules\n"
        "print(*irassay.catalogue())"
    )
    assert python_output(code).split() == list(json.loads(FILE.read_text(encoding="utf-8"))["metrics"])


def test_a_name_of_ours_is_taken_before_its_family_is_imported() -> None:
    code = (
        "import irassay\n"
        "def own(r):\n    'Mine.'\n    return r.gain.sum(axis=1)\n"
        "try:\n    irassay.metric('nDCG')(own)\n"
        "except irassay.InputError as problem:\n    print(problem)"
    )
    assert python_output(code).startswith("There is already a metric nDCG")
