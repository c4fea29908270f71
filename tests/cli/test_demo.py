"""The tour."""

from irassay.cli.demo import demo


def test_demo_writes_the_report_and_a_summary(tmp_path):
    lines = demo(output=tmp_path / "out", topics=8, systems=6, keep=tmp_path / "kept").splitlines()
    assert (tmp_path / "out" / "report.html").is_file()
    assert (tmp_path / "kept" / "qrels.txt").is_file()
    assert lines[0] == "Simulated 6 systems on 8 topics, seed 1; their true quality is known."
    assert lines[-1].startswith("The report is ")
    assert any("true quality" in line for line in lines)
