"""What the first lines of runs show is said: ranks that contradict scores, document ids of another kind."""

from pathlib import Path

import irassay as ia


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
    assert told[0].startswith("distance: 1 topic with ranks that contradict its scores")
    assert told[1].startswith("half: 50 % of its first 60 results have document ids of a kind that the judgements lack")
    by_rank = ia.score(folder / "distance", folder / "q", ["AP"], order="rank")
    assert not any("contradict" in note for note in map(str, by_rank.notes))
