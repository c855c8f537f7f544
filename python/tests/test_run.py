"""Runs: reports, quantities, files, and their equality with what the command prints."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import halftrack
import pytest
from conftest import STUDIES

SET = ["--set", "workload.run.interval_s=0.05"]
PLACE = str(STUDIES / "fex32s-zhpf-4k")


def test_a_run_has_reports(run: halftrack.Run) -> None:
    assert run.held and run.violations == []
    assert run.systems == ["PROD1"] and run.seed == 1 and run.intervals >= 1
    assert "C H A N N E L   P A T H" in run.rmf("PROD1")
    assert run.rmf("PROD1", -1) == run.rmf("PROD1", run.intervals - 1)
    assert run.report_html().startswith("<!DOCTYPE html>")
    assert "READ4K" in run.summary() or run.study in run.summary()
    assert run._repr_html_().startswith("<pre>")


def test_the_same_seed_gives_the_same_record(study: halftrack.Study, run: halftrack.Run) -> None:
    again = study.run(seed=1, threads=1)
    assert again == run and again.to_json() == run.to_json()
    assert study.run(seed=2) != run
    assert run.content_key == study.content_key(1)


def test_a_run_survives_as_json(run: halftrack.Run) -> None:
    again = halftrack.Run.from_json(run.to_json())
    assert again == run and again.rmf("PROD1") == run.rmf("PROD1")
    assert again.content_key is None
    with pytest.raises(ValueError, match="no machine to draw"):
        again.report_html()
    with pytest.raises(ValueError, match="not an interval file"):
        halftrack.Run.from_json("{}")


def test_everything_that_json_shows_is_in_python(run: halftrack.Run, command: str) -> None:
    printed = subprocess.run(
        [command, "run", PLACE, "--seed", "1", "--json", *SET], check=True, capture_output=True
    )
    assert json.loads(printed.stdout) == run.reports()
    assert list(run.reports("PROD1")["systems"]) == ["PROD1"]


def test_files_are_those_of_the_command(run: halftrack.Run, command: str, tmp_path: Path) -> None:
    out = tmp_path / "command"
    subprocess.run(
        [command, "run", PLACE, "--seed", "1", "--out", str(out), *SET], check=True, capture_output=True
    )
    run.write(tmp_path / "python")
    files = {file.name: file.read_bytes() for file in out.iterdir()}
    assert {file.name: file.read_bytes() for file in (tmp_path / "python").iterdir()} == files
    assert len(files) == 4
    run.write(tmp_path / "python")


def test_what_is_not_in_a_run_is_an_error(run: halftrack.Run) -> None:
    with pytest.raises(ValueError, match="no system PROD9 in this run; it has PROD1"):
        run.rmf("PROD9")
    with pytest.raises(IndexError, match="no interval 99"):
        run.rmf("PROD1", 99)
    with pytest.raises(ValueError, match="nonsense"):
        run.quantity("nonsense")
    with pytest.raises(ValueError, match="no system"):
        run.reports("PROD9")


def test_output_leaves_alone_what_others_wrote(run: halftrack.Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="notes.txt"):
        run.write(mine)
    with pytest.raises(OSError, match="not a directory"):
        run.write(mine / "notes.txt" / "out")
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]
    assert [file.name for file in mine.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"precision": 0}, "a precision of 0 %"),
        ({"precision": 51.0}, "a precision of 51 %"),
        ({"precision": float("nan")}, "a precision of NaN %"),
        ({"precision": 1, "confidence": 1.0}, "a confidence of 1"),
        ({"precision": 1, "at_most": 0}, "at most 0 intervals"),
        ({"confidence": 0.9}, "go with a precision"),
        ({"fidelity": "frames"}, 'fidelity is "burst" or "frame", not "frames"'),
        ({"exchange": "dead"}, 'exchange is "planned" or "live"'),
        ({"threads": 0}, "threads is a number from 1"),
        ({"warmup": "never"}, "warmup is"),
        ({"warmup": -1}, "warmup is"),
        ({"data": "some"}, 'data is "zeros" or "real"'),
        ({"corrupt": 1}, "corrupt needs real data"),
    ],
)
def test_arguments_out_of_their_range_are_refused(
    study: halftrack.Study, arguments: dict[str, object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        study.run(**arguments)  # type: ignore[arg-type]


def test_a_precision_ends_a_run_early(study: halftrack.Study) -> None:
    sharp = study.run(precision=5, at_most=3)
    precision = json.loads(sharp.to_json())["run"]["precision"]
    assert precision["relative"] == 0.05 and precision["at_most_intervals"] == 3


def test_a_capture_is_a_file_for_wireshark(study: halftrack.Study, tmp_path: Path) -> None:
    capture = study.run(capture_frames=100).capture
    assert capture is not None
    assert len(capture) == 100 and capture.is_full
    place = tmp_path / "run.pcapng"
    capture.write(place)
    assert place.read_bytes() == capture.to_bytes()
    assert capture.to_bytes()[:4] == b"\x0a\x0d\x0d\x0a"
    assert [file.name for file in tmp_path.iterdir()] == ["run.pcapng"]
    with pytest.raises(OSError, match="is missing; create it first"):
        capture.write(tmp_path / "none" / "run.pcapng")
    assert study.run().capture is None


def test_real_data_that_arrive_wrong_are_no_law_kept(study: halftrack.Study) -> None:
    real = study.run(data="real", corrupt=1)
    data = json.loads(real.to_json())["run"]["data"]
    assert data["to_corrupt"] == 1
    assert real.held == (data["corrupted"] == 1 and len(data["corrupt"]) == 1)
