"""Metrics of a user's own: from five lines in a file to scores, curves and clear words about mistakes."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.metrics.explanation import explain
from irassay.rankings.batch import Rankings
from tests.support.processes import python_output

EXAMPLES = Path(__file__).parents[1] / "examples"


pytestmark = pytest.mark.usefixtures("forgotten")


def written(folder: Path, body: str) -> Path:
    path = folder / "mine.py"
    path.write_text("import numpy as np\nimport irassay as ia\n\n" + body)
    return path


def test_five_lines_make_a_metric() -> None:
    (fickle,) = ia.define(EXAMPLES / "fickle.py")
    assert str(fickle) == "Fickle"
    assert str(ia.parse("Fickle(p=.5)@10")) == "Fickle(p=0.5)@10"
    r = Rankings.of([[0, 0, 1], [1, 0, 0]], max_grade=1)
    late, early = ia.parse("Fickle").score(r)
    assert 0 < late < early < 1
    worst, best = ia.parse("Fickle").bounds(r)
    assert (worst <= best).all()
    assert explain(ia.parse("Fickle"), "1,0,2").earned.sum() == pytest.approx(
        explain(ia.parse("Fickle"), "1,0,2").score
    )
    assert ia.parse("Fickle(A='MAX')").score(r)[1] == pytest.approx(1, abs=1e-9)


def test_one_metric_may_be_written_outright_or_by_its_stops(tmp_path: Path) -> None:
    body = (
        "@ia.metric('Half', cite='me')\ndef Half(r, k=None):\n    'Half of the gain.'\n    return r.gain.sum(axis=1) / 2\n\n"
        "@ia.stop_model('First', cite='me')\ndef First(r):\n    'Stops at once.'\n    return np.where(r.rank == 1, 1.0, 0.0) + 0 * r.gain\n"
    )
    half, first = ia.define(written(tmp_path, body))
    r = Rankings.of([[2, 1, 0]], max_grade=2)
    assert half.score(r).tolist() == [0.75]
    assert first.score(r).tolist() == [1.0]
    assert first(A="ETG").score(r).tolist() == [1.0]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("x = 1 +\n", ["line 4", "invalid syntax"]),
        ("import nowhere_to_be_found\n", ["line 4", "ModuleNotFoundError", "nowhere_to_be_found"]),
        ("x = 1\n", ["defines no metric"]),
        ("@ia.user_model('RBP')\ndef RBP(r):\n    'Taken.'\n    return r.gain\n", ["There is already a metric RBP"]),
        ("@ia.user_model('Silent')\ndef Silent(r):\n    return r.gain\n", ["Silent", "docstring"]),
        ("@ia.user_model('No-name')\ndef N(r):\n    'No.'\n    return r.gain\n", ["No-name", "letters"]),
        ("@ia.user_model('Open')\ndef Open(r, p):\n    'No default.'\n    return r.gain\n", ["Open", "default"]),
    ],
    ids=lambda value: value[:14] if isinstance(value, str) else "",
)
def test_a_mistake_in_the_file_is_named_with_its_line(tmp_path: Path, body: str, words: list[str]) -> None:
    with pytest.raises(ia.InputError) as problem:
        ia.define(written(tmp_path, body))
    for word in [*words, "mine.py"]:
        assert word in str(problem.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("    return r.gain[:, 0]", ["Wrong", "must return C", "found shape [1]"]),
        ("    return r.gain * 3", ["Wrong", "C must be from 0 to 1", "found 3"]),
        ("    return r.gain * np.nan", ["Wrong", "found NaN"]),
        ("    return r.gains", ["mine.py, line 7", "Wrong", "AttributeError"]),
    ],
    ids=["shape", "range", "nan", "attribute"],
)
def test_a_mistake_at_work_is_named_with_the_metric(tmp_path: Path, body: str, words: list[str]) -> None:
    ia.define(written(tmp_path, f"@ia.user_model('Wrong', cite='me')\ndef Wrong(r):\n    'Errs.'\n{body}\n"))
    with pytest.raises(ia.InputError) as problem:
        ia.parse("Wrong").score(Rankings.of([[1, 0]], max_grade=1))
    for word in words:
        assert word in str(problem.value)


def test_the_decorators_stay_reachable_after_the_machinery_was_loaded() -> None:
    ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, ["P@1"])
    assert callable(ia.metric)
    assert callable(ia.user_model)


def test_a_defined_metric_is_scored_from_the_command_line(oracles: Path) -> None:
    inputs = oracles / "inputs" / "adhoc"
    command = [sys.executable, "-m", "irassay", "score", str(inputs / "qrels.txt"), str(inputs / "runA.txt")]
    command += ["-m", "Fickle(p=0.8)", "--define", str(EXAMPLES / "fickle.py"), "--format", "tsv"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    name, metric, topic, value = done.stdout.splitlines()[1].split("\t")
    assert (name, metric, topic) == ("runA", "Fickle(p=0.8)", "all")
    assert np.isfinite(float(value))


def test_public_names_are_not_hidden_by_modules_of_the_same_name() -> None:
    code = (
        "import irassay.method, irassay.metrics.listing, irassay.meta.similarity, irassay as ia\n"
        "from irassay.method import Method\n"
        "assert isinstance(ia.metrics, Method) and not isinstance(ia.method, type(ia)) and callable(ia.method)\n"
        "assert ia.metrics('RBP').metrics and 'RBP' in repr(ia.metrics('RBP'))"
    )
    python_output(code)


def test_a_method_of_ones_own_without_a_view_has_its_citations(tmp_path: Path) -> None:
    (tmp_path / "spread.py").write_text(
        "from dataclasses import dataclass\n"
        "from irassay import Result, Scores, method\n\n"
        "@dataclass(frozen=True, eq=False, repr=False)\n"
        "class Spread(Result):\n"
        "    saved_as = 'spread'\n"
        "    values: tuple[float, ...]\n\n"
        "@method('How far apart are the systems?', cite='sakai2006 chen2023')\n"
        "def spread(scores: Scores) -> Spread:\n"
        "    return Spread(tuple(map(float, scores.values.std(axis=(0, 1)))))\n"
    )
    ia.define(tmp_path / "spread.py")
    scores = ia.Scores(np.eye(3)[:, :, None], tuple("abc"), tuple("123"), ("m",))
    found = ia.meta.spread(scores)
    assert found.citations == ("sakai2006", "chen2023")
    found.save(tmp_path / "spread.json")
    assert ia.load(tmp_path / "spread.json").citations == found.citations


def test_a_notebook_cell_may_declare_its_method_twice() -> None:
    cell = (
        "import irassay as ia\n@ia.method('What?')\ndef told(scores: ia.Scores) -> ia.Result:\n    return ia.Result()\n"
    )
    for n in (1, 2):  # wherever notebooks keep their cells
        exec(compile(cell, f"/var/folders/T/ipykernel_7/{n}.py", "exec"), {})
    with pytest.raises(ia.InputError, match="There is already a method meta told"):
        exec(compile(cell, "elsewhere.py", "exec"), {})


def test_a_decorator_without_a_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import irassay as ia\n@ia.metric\ndef Mine(r):\n    return 0\n")
    with pytest.raises(ia.InputError, match=r"line 2: A metric needs a name: write @irassay.metric\('Mine'\)"):
        ia.define(path)


def test_the_default_of_k_is_the_cutoff(tmp_path: Path) -> None:
    body = (
        "@ia.metric('MyTop')\ndef MyTop(r, k=2):\n    'Share of the first k.'\n    return r.relevant.sum(axis=1) / k\n"
    )
    (top,) = ia.define(written(tmp_path, body))
    r = Rankings.of([[1, 0, 1, 1]], max_grade=1)
    assert str(top) == str(ia.parse("MyTop")) == "MyTop@2" and top.score(r).tolist() == [0.5]
    assert (top @ 4).score(r).tolist() == [0.75]
    odd = body.replace("MyTop", "Odd").replace("k=2", "k=0.5")
    with pytest.raises(ia.InputError, match=r"the cutoff k of Odd must be a whole number above 0; found 0\.5"):
        ia.define(written(tmp_path, odd))


EXAMPLE = (EXAMPLES / "spread.py").read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("result.ranked()[0]", "result.rankd()[0]"),
            "line {view}: AttributeError: 'Spread' object has no attribute 'rankd'",
        ),
        (("deviation = np.nanstd", "deviation = np.nanst"), "line {method}: AttributeError: module 'numpy' has no"),
        (("rows = tuple(result.ranked())", "rows = ((1,),)"), "table spread has a row of 1 cells; expected 2"),
        (('return ia.View("Spread over topics", (sentence,), (table,))', "return sentence"), "view returned a str"),
    ],
)
def test_a_method_with_a_view_names_its_own_file_if_it_fails(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    qrels, run = tmp_path / "q.txt", tmp_path / "a.run"
    qrels.write_text("1 0 a 1\n2 0 a 1\n")
    run.write_text("1 Q0 a 1 1 x\n2 Q0 b 1 2 x\n2 Q0 a 2 1 x\n")
    mine = tmp_path / "mine.py"
    command = [
        sys.executable,
        "-m",
        "irassay",
        "meta",
        "spread",
        str(qrels),
        str(run),
        "-m",
        "AP",
        "--define",
        str(mine),
    ]
    mine.write_text(EXAMPLE.replace(*change))
    lines = {"view": 1 + EXAMPLE[: EXAMPLE.index("steadiest, value")].count("\n")}
    lines["method"] = 1 + EXAMPLE[: EXAMPLE.index("deviation = np")].count("\n")
    failed = subprocess.run(command, capture_output=True, text=True)
    assert failed.returncode == 2 and message.format(**lines) in failed.stderr and str(mine) in failed.stderr


def test_the_example_of_a_view_shows_its_answer() -> None:
    ia.define(EXAMPLES / "spread.py")
    from irassay.method import METHODS

    values = np.random.default_rng(0).random((2, 9, 1))
    result = METHODS["meta spread"](ia.Scores(values, ("a", "b"), tuple("123456789"), ("AP",)))
    assert result.to_frame()["deviation"].to_list() == sorted(values[:, :, 0].std(axis=1, ddof=1).tolist())
    assert "varies least between topics" in str(result)
