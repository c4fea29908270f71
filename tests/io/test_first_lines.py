"""What the first lines of runs show is said: ranks that contradict scores, document ids of another kind."""

from pathlib import Path
from random import Random
from string import ascii_lowercase, digits

import irassay as ia
from irassay.io.validation import validate


def written(folder: Path, rows: dict[str, list[str]]) -> Path:
    for name, lines in rows.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return folder


def test_scores_that_fall_as_ranks_rise_are_nothing_to_speak_of_and_others_are(tmp_path: Path) -> None:
    docs = [f"D{i:03}" for i in range(60)]
    folder = written(
        tmp_path,
        {
            "q": [f"1 0 {doc} {i % 2}" for i, doc in enumerate(docs)],
            "good": [f"1 Q0 {doc} {i} {100 - i} t" for i, doc in enumerate(docs)],
            "distance": [f"1 Q0 {doc} {i} {i / 7} t" for i, doc in enumerate(docs)],
            "zero": [f"1 Q0 {doc} 0 {i / 7} t" for i, doc in enumerate(docs)],
            "half": [f"1 Q0 {'MED-' * (i % 2)}{doc} {i} {100 - i} t" for i, doc in enumerate(docs)],
        },
    )
    scores = ia.score([folder / name for name in ("good", "distance", "zero", "half")], folder / "q", ["AP"])
    told = [note for note in map(str, scores.notes) if "equal scores" not in note and "scale" not in note]
    assert len(told) == 2
    assert told[0].startswith("distance: 1 topic with ranks that contradict the scores; scores decide")
    assert told[1].startswith("half: 50% of the 60 results sampled have ids of a kind that the judgements do not have")
    by_rank = ia.score(folder / "distance", folder / "q", ["AP"], order="rank")
    assert not any("contradict" in note for note in map(str, by_rank.notes))


def test_row_numbers_are_seen_among_ids_of_many_kinds_and_past_the_first_lines(tmp_path: Path) -> None:
    random = Random(1)
    docs = ["".join(random.choices(ascii_lowercase + digits, k=8)) for _ in range(600)]
    late = [f"{t} Q0 {docs[i] if t < 5 else i} {i} {600 - i} t" for t in range(10) for i in range(150)]
    folder = written(
        tmp_path,
        {
            "q": [f"{t} 0 {doc} 1" for t in range(10) for doc in docs[t::10]],
            "good": [f"1 Q0 {doc} {i} {600 - i} t" for i, doc in enumerate(docs)],
            "half": [f"1 Q0 {doc if i % 2 else i} {i} {600 - i} t" for i, doc in enumerate(docs)],
            "late": late,
        },
    )
    scores = ia.score([folder / name for name in ("good", "half", "late")], folder / "q", ["AP"])
    told = [str(note).partition(" results")[0] for note in scores.notes if "of a kind that" in note]
    assert [name.partition("% ")[0] for name in told] == ["half: 50", "late: 56"]
    listed = validate([folder / name for name in ("q", "good", "half", "late")]).problems
    seen = [f"{p.file.rpartition('/')[2]}: {p.what}" for p in listed if "of a kind that" in p.what]
    assert [problem.partition(" results")[0] for problem in seen] == told  # whatever scoring notes


def test_other_formats_are_not_taken_for_lines_of_a_run(tmp_path: Path) -> None:
    """An object a line has six words, of which the third is no document."""
    docs = [f"D{i:03}" for i in range(60)]
    found = [f'{{"qid": "1", "docid": "{doc}", "score": {100 - i}}}' for i, doc in enumerate(docs)]
    folder = written(tmp_path, {"q": [f"1 0 {doc} {i % 2}" for i, doc in enumerate(docs)], "run.jsonl": found})
    scores = ia.score(folder / "run.jsonl", folder / "q", ["AP"])
    assert not any("of a kind that" in note for note in map(str, scores.notes))


def random_ids(number: int, seed: int) -> list[str]:
    random = Random(seed)
    return ["".join(random.choices(ascii_lowercase + digits + "-_", k=11)) for _ in range(number)]


def test_judgements_with_ids_of_many_kinds_say_nothing_about_ids_that_are_not_row_numbers(tmp_path: Path) -> None:
    """Random ids such as x7-f0q_1zu4 have hundreds of shapes, so another shape proves nothing."""
    judged, found = random_ids(200, 1), random_ids(200, 2)
    folder = written(
        tmp_path,
        {
            "q": [f"1 0 {doc} 1" for doc in [*judged, found[0]]],
            "few": [f"1 0 {doc} 1" for doc in [*(f"D{i}" for i in range(60)), found[0]]],
            "run": [f"1 Q0 {doc} {i} {600 - i} t" for i, doc in enumerate(found)],
        },
    )
    assert not any("of a kind that" in note for note in ia.score(folder / "run", folder / "q", ["AP"]).notes)
    assert any("of a kind that" in note for note in ia.score(folder / "run", folder / "few", ["AP"]).notes)
