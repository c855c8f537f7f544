"""Studies of whole machines that are made, the models that they can be of, and messages explained."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import halftrack
import pytest

SIZES: dict[str, Any] = {"model": "Max39", "channels": 16, "bases": 512, "aliases": 256}


def printed(command: str, *arguments: str) -> str:
    done = subprocess.run([command, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_new_study_is_that_of_the_command(command: str, tmp_path: Path) -> None:
    sizes = [f"--{name}={value}" for name, value in SIZES.items()]
    more = ["--lpars=3", "--km=10", "--rate=20000", "--block=27K", "--seed=9"]
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    made = halftrack.new_study(ours, **SIZES, lpars=3, km=10, rate=20_000, block="27K", seed=9)
    object = json.loads(printed(command, "study", "new", *sizes, *more, str(theirs), "--json"))
    assert made == object | {"study": str(ours)}
    names = sorted(file.name for file in theirs.iterdir())
    assert len(names) == 3 and names == sorted(file.name for file in ours.iterdir())
    for name in names:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name
    study = halftrack.Study.load(ours, set={"workload.run.interval_s": 0.02, "workload.run.intervals": 1})
    run = study.run(threads=1)
    assert run.held and sum(run.streams.column("rate_per_s")) == pytest.approx(20_000, rel=0.1)
    assert halftrack.new_study(tmp_path / "bytes", **SIZES, block=8192)["jobs"] > 0


def test_a_study_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    place = tmp_path / "study"
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"channels": 0}, "channels is 0; expected 1 to 100000"),
        ({"km": -1.0}, "km is -1"),
        ({"km": float("nan")}, "km is NaN"),
        ({"rate": 0.5}, "rate is 0.5"),
        ({"rate": 5.0, "jobs": 5}, "exclude each other"),
        ({"block": "5K"}, 'block: "5K": expected 4K'),
    ]
    for more, words in refusals:
        with pytest.raises(ValueError, match=words):
            halftrack.new_study(place, **{**SIZES, **more})
    with pytest.raises(halftrack.StudyError) as refused:
        halftrack.new_study(place, **{**SIZES, "model": "Max9999"})
    assert refused.value.diagnostics[0].severity == "error" and not place.exists()
    place.mkdir()
    with pytest.raises(halftrack.StudyError, match="exists, and a study never replaces anything"):
        halftrack.new_study(place, **SIZES)
    assert list(place.iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        halftrack.new_study(tmp_path / "file" / "study", **SIZES)


def test_models_are_those_of_the_command(command: str) -> None:
    models = halftrack.study_models()
    assert models.to_dicts() == json.loads(printed(command, "study", "models", "--json"))
    assert models.column_names == list(models.to_dicts()[0]) and set(models.definitions) == set(models.column_names)
    assert models.units == {"iop_ios_per_s": "/s"}


def test_messages_are_explained_as_the_command_does(command: str) -> None:
    assert halftrack.explain("HTK929E", "226") == json.loads(printed(command, "explain", "HTK929E", "226", "--json"))
    assert halftrack.explain() == json.loads(printed(command, "explain", "--json"))
    with pytest.raises(ValueError, match="did you mean HTK929E"):
        halftrack.explain("HTK929W")
