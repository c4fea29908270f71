"""Words of a command line: what is read, wherever it is, and what is refused in one sentence."""

import pytest

from irassay.cli.parser import parsed_values
from irassay.declarations import index
from irassay.errors import InputError

COMMANDS = index()["commands"]


def values(command: str, line: str) -> dict[str, object]:
    """The values on a line, by name; words are separated by spaces, and ~ is a space within a word."""
    read = parsed_values(command, COMMANDS[command], [word.replace("~", " ") for word in line.split(" ") if word])
    return {name: value for part in read.values() for name, value in part.items()}


@pytest.mark.parametrize(
    ("command", "line", "expected"),
    [
        ("score", "q r", {"qrels": "q", "runs": ("r",)}),
        ("score", "-m AP q -m RR r s", {"qrels": "q", "runs": ("r", "s"), "metrics": ("AP", "RR")}),
        ("score", "-mAP -m=RR --metric=P@5 q r", {"qrels": "q", "runs": ("r",), "metrics": ("AP", "RR", "P@5")}),
        ("score", "-qm AP q r", {"qrels": "q", "runs": ("r",), "metrics": ("AP",), "quiet": True}),
        ("score", "-qq --quiet q r", {"qrels": "q", "runs": ("r",), "quiet": True}),
        ("score", "q - --missing=skip --bounds", {"qrels": "q", "runs": ("-",), "missing": "skip", "bounds": True}),
        ("score", "-m AP -- -q --bounds", {"qrels": "-q", "runs": ("--bounds",), "metrics": ("AP",)}),
        ("score", "q r --depth 5 --rel=0.5", {"qrels": "q", "runs": ("r",), "depth": 5, "rel": 0.5}),
        ("compare", "q r --correction holm", {"inputs": ("q", "r"), "correction": "holm"}),
        ("compare", "--scores t --dialect wide", {"scores": ("t",), "dialect": "wide"}),
        ("explain", "RBP", {"metric": "RBP"}),
        ("explain", "RBP -1", {"metric": "RBP", "ranking": "-1"}),
        ("explain", "RBP -1~0", {"metric": "RBP", "ranking": "-1 0"}),
        ("compare", "q r --baseline -x", {"inputs": ("q", "r"), "baseline": "-x"}),
        ("compare", "--scores= --scores a=b", {"scores": ("", "a=b")}),
        ("axioms", "--no-induction --no-induction", {"induction": False}),
        ("axioms", "--induction", {"induction": True}),
        (
            "judges",
            "h --runs a - b -m AP o",
            {"human": "h", "runs": ("a", "-", "b"), "metrics": ("AP",), "others": ("o",)},
        ),
        ("metrics", "", {}),
        ("meta discrimination", "--levels 0.1,0.2", {"levels": (0.1, 0.2)}),
    ],
)
def test_words_are_read(command: str, line: str, expected: dict[str, object]) -> None:
    assert values(command, line) == expected


@pytest.mark.parametrize(
    ("command", "line", "message"),
    [
        ("score", "", "irassay score needs QRELS, RUN; see irassay score --help."),
        ("score", "q --bounds", "irassay score also needs RUN; see irassay score --help."),
        ("judges", "h", "irassay judges also needs OTHER; see irassay judges --help."),
        (
            "meta satisfaction",
            "s.tsv",
            "Unexpected argument s.tsv; give files with --ratings, --scores, --sessions or --qrels.",
        ),
        ("explain", "RBP 1 2", "Unexpected argument 2; see irassay explain --help."),
        ("score", "q r --missing", "--missing needs a value after it"),
        ("score", "q r --save --", "--save needs a value after it"),
        ("score", "q r --bounds=3", "--bounds takes no value; leave out =3"),
        ("score", "q r --depth 5 --depth=6", "--depth is given twice, '5' and '6'; give it once"),
        ("score", "q r --depth 5 --depth 5", "--depth is given twice, '5' and '5'; give it once"),
        (
            "axioms",
            "--induction --no-induction",
            "--induction is given twice, '--induction' and '--no-induction'; give it once",
        ),
        ("score", "q r --mising skip", "irassay score has no option --mising; did you mean --missing?"),
        ("score", "q r -z", "irassay score has no option -z; see irassay score --help."),
        ("score", "q r -qz", "irassay score has no option -z; see irassay score --help."),
        ("score", "q r --splits=5", "irassay score has no option --splits; irassay "),
        ("score", "q r --missing skp", "--missing must be one of zero, skip, error; found 'skp'; did you mean skip?"),
        ("score", "q r --depth few", "--depth must be a whole number of 1 or more; found 'few'"),
        ("score", "q r --depth 0", "--depth must be a whole number of 1 or more; found 0"),
    ],
)
def test_words_that_say_nothing_are_refused(command: str, line: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        values(command, line)
    assert str(refused.value).startswith(message)
