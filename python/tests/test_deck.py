"""Decks: read, checked, compared, drawn, listed, and their equality with what the command prints."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import halftrack
import pytest
from conftest import ROOT, STUDIES

PLACE = STUDIES / "z16-oltp" / "deck.iocp"


@pytest.fixture(scope="module")
def deck() -> halftrack.Deck:
    return halftrack.Deck.parse(PLACE)


def printed(command: str, *arguments: str) -> object:
    done = subprocess.run([command, "deck", *arguments], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_a_deck_is_read_and_written_byte_for_byte(deck: halftrack.Deck, tmp_path: Path) -> None:
    assert deck.valid
    deck.write(tmp_path / "deck.iocp")
    assert (tmp_path / "deck.iocp").read_bytes() == PLACE.read_bytes()
    assert halftrack.Deck.from_text(deck.text).diff(deck).same is True
    assert halftrack.Deck.from_text(deck.format()).diff(deck).same is True


def test_json_of_the_command_is_in_python(deck: halftrack.Deck, command: str) -> None:
    place = str(PLACE)
    assert deck.check().to_dict() == printed(command, "check", place, "--json")
    assert deck.to_dict() == printed(command, "export", place, "--json")
    assert deck.to_dict(lpar="PROD1", type=["FC"]) == printed(
        command, "export", place, "--json", "--lpar", "PROD1", "--type", "FC"
    )
    assert deck.structure() == printed(command, "show", place, "structure", "--json")
    assert deck.connections() == printed(command, "ctc", place, "--json")
    plant = PLACE.with_name("plant.toml")
    listed = printed(command, "cables", place, "--plant", str(plant), "--json")
    assert {"cables": deck.cables(plant=plant)} == listed
    assert {"cables": deck.cables()} == printed(command, "cables", place, "--json")


def test_a_broken_rule_is_a_message_with_its_place() -> None:
    text = PLACE.read_text().replace("TYPE=FC", "TYPE=FQ", 1)
    deck = halftrack.Deck.from_text(text, "mine.iocp")
    assert not deck.valid
    first = next(one for one in deck.check().diagnostics if one.severity == "error")
    assert first.file == "mine.iocp"
    assert first.line is not None and "FQ" in text.splitlines()[first.line - 1]
    assert first.code in str(deck.check())


def test_a_difference_has_changes(deck: halftrack.Deck) -> None:
    other = halftrack.Deck.from_text(deck.text.replace("PROD1", "PROD7"))
    diff = deck.diff(other)
    assert diff.same is False
    assert diff.to_dict()["changes"] and "PROD7" in diff.text


def test_pictures_and_reports(deck: halftrack.Deck) -> None:
    assert deck.draw().startswith("<?xml") and deck.draw(unfold=True) != deck.draw()
    assert deck.page().startswith("<!DOCTYPE html>")
    assert deck._repr_html_().startswith("<img ")
    assert deck.csv("chpid").count("\n") > 2
    assert deck.show("chpid") in deck.show()


def test_what_is_not_in_the_deck_is_an_error(deck: halftrack.Deck) -> None:
    with pytest.raises(ValueError, match="NOSUCH is not in the deck; it has"):
        deck.draw(lpar="NOSUCH")
    with pytest.raises(TypeError, match="colour is no filter"):
        deck.to_dict(colour="red")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="chpid: .*hexadecimal"):
        deck.to_dict(chpid="XY")
    with pytest.raises(ValueError, match="table is"):
        deck.csv("all")
    with pytest.raises(ValueError, match="no system and level"):
        deck.check(software={"PROD1": "DOS"})
    with pytest.raises(ValueError, match="no such partition"):
        deck.check(software={"PROD9": "z/OS 2.1"})
    with pytest.raises(ValueError, match="parity needs hardware"):
        deck.check(parity=True)


def test_files_that_are_no_decks(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none.iocp"):
        halftrack.Deck.parse(tmp_path / "none.iocp")
    with pytest.raises(ValueError, match="9999|machine"):
        halftrack.Deck.parse(PLACE, machine=9999)
    with pytest.raises(halftrack.StudyError):
        halftrack.installed_cards(tmp_path / "none.toml")


def test_installed_cards_are_those_of_the_command(command: str) -> None:
    hardware = sorted((ROOT / "studies").glob("*/hardware*.toml"))
    if not hardware:
        pytest.skip("no study has a hardware file")
    assert halftrack.installed_cards(hardware[0]) == printed(command, "hardware", str(hardware[0]), "--json")
