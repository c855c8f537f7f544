"""Studies: loaded, changed, refused."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import halftrack
import pytest
from conftest import SHORT, STUDIES

RATE = "workload.stream.READ4K.closed.jobs"


def test_a_study_has_name_and_systems(study: halftrack.Study) -> None:
    assert study.name == "fex32s-zhpf-4k"
    assert study.systems == ["PROD1"]
    assert study.counts()["study"] == study.name
    assert len(study.content_key()) == 64


def test_a_changed_study_is_another_one(study: halftrack.Study) -> None:
    changed = study.set({"workload.run.intervals": 2})
    assert changed.content_key() != study.content_key()
    assert changed.set({"workload.run.intervals": 1}).content_key() == study.content_key()


def test_keys_are_set_at_loading_or_afterwards(study: halftrack.Study) -> None:
    afterwards = halftrack.Study.load(STUDIES / "fex32s-zhpf-4k").set(SHORT)
    assert afterwards.content_key() == study.content_key()


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("workload.run.interval_s", 0.02, "0.02"),
        ("workload.run.intervals", 3, "3"),
        ("plant.card.*.pchids", ["100", "140"], '["100", "140"]'),
    ],
)
def test_values_of_python_are_those_of_the_command(key: str, value: object, words: str) -> None:
    place = STUDIES / "fex32s-zhpf-4k"
    keys = []
    for given in (value, words):
        try:
            keys.append(halftrack.Study.load(place, set={key: given}).content_key())
        except halftrack.StudyError as error:
            keys.append([one.code for one in error.diagnostics])
    assert keys[0] == keys[1]


def test_none_takes_a_key_out() -> None:
    study = halftrack.Study.load(STUDIES / "z16-oltp")
    changed = study.set({"workload.run.seed": 99})
    assert changed.content_key() != study.content_key()
    assert changed.set({"workload.run.seed": None}).content_key() != changed.content_key()


def test_a_key_that_names_nothing_is_a_structured_error(study: halftrack.Study) -> None:
    with pytest.raises(halftrack.StudyError) as caught:
        study.set({"workload.run.interval": 1, "plant.nothing.km": 2})
    error = caught.value
    assert error.code is not None and error.code.startswith("HTK") and error.code.endswith("E")
    assert error.file is not None and error.line == 1
    assert error.diagnostics[0].message and error.diagnostics[0].text


def test_a_key_of_no_file_has_a_fix(study: halftrack.Study) -> None:
    with pytest.raises(halftrack.StudyError) as caught:
        study.set({"plan.cable.100.km": 1})
    assert caught.value.fix == "a key begins with `deck.`, `plant.` or `workload.`"


def test_every_mistake_of_a_study_has_its_place(tmp_path: Path) -> None:
    source = STUDIES / "fex32s-zhpf-4k"
    for file in source.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    workload = (tmp_path / "workload.toml").read_text()
    (tmp_path / "workload.toml").write_text(workload + '\n[[stream]]\nname = "X"\nnonsense = 1\n')
    with pytest.raises(halftrack.StudyError) as caught:
        halftrack.Study.load(tmp_path)
    errors = [one for one in caught.value.diagnostics if one.severity == "error"]
    assert errors
    assert all(one.file and one.file.endswith("workload.toml") for one in errors)
    assert max(one.line or 0 for one in errors) > workload.count("\n")


def test_a_directory_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(halftrack.StudyError) as caught:
        halftrack.Study.load(tmp_path / "none")
    assert caught.value.code == "HTK900E"
    assert caught.value.line is None
    assert "workload.toml" in (caught.value.fix or "")


def test_a_value_of_no_toml_type_is_refused(study: halftrack.Study) -> None:
    with pytest.raises(TypeError, match="not object"):
        study.set({RATE: object()})
    with pytest.raises(TypeError):
        study.set([RATE])  # type: ignore[arg-type]


def test_an_error_survives_its_way_to_another_process(study: halftrack.Study) -> None:
    with pytest.raises(halftrack.StudyError) as caught:
        study.set({"plan.cable.100.km": 1})
    error = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(error, halftrack.StudyError)
    assert error.diagnostics == caught.value.diagnostics
    assert str(error) == str(caught.value)
    assert copy.copy(error).fix == error.fix


def test_a_picture_shows_the_topology(study: halftrack.Study) -> None:
    assert study.topology_svg().startswith("<?xml")
    assert study._repr_html_().startswith("<img ")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"catalogs": ["no/catalog"]}, "HTK890E", "no/catalog"),
        ({"faults": "no/script"}, "HTK890E", "no/script"),
        ({"set": {"workload.run.seed": "x"}}, "HTK894E", "expected a whole number"),
        ({"set": {"plant.cable.*.km": -1}}, "HTK894E", "expected a number from 0 to 1000"),
    ],
)
def test_input_that_cannot_be_used_is_refused(arguments: dict[str, object], code: str, words: str) -> None:
    with pytest.raises(halftrack.StudyError, match=words) as caught:
        halftrack.Study.load(STUDIES / "fex32s-zhpf-4k", **arguments)  # type: ignore[arg-type]
    assert caught.value.code == code
