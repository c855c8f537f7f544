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


# Two systems of one machine that share three channels on a director.
LINKED = """\
         ID MSG1='VM',SYSTEM=(3931,1)
         RESOURCE PART=((CSS(0),(VMA,1)),(CSS(1),(VMB,1))),            *
               MAXDEV=((CSS(0),9000),(CSS(1),9000))
         CHPID PATH=(CSS(0,1),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC
         CHPID PATH=(CSS(0,1),41),SHARED,SWITCH=11,PCHID=120,TYPE=FC
         CHPID PATH=(CSS(0,1),42),SHARED,SWITCH=11,PCHID=140,TYPE=FC
"""
PORTS = {"0.40": "1120", "0.41": "1121", "0.42": 0x1122}


def apart(name: str) -> str:
    """A machine of its own for a system, with two channels."""
    return (
        f"         ID SYSTEM=(3931,1)\n         RESOURCE PART=((CSS(0),({name},1))),MAXDEV=((CSS(0),9000))\n"
        "         CHPID PATH=(CSS(0),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC\n"
        "         CHPID PATH=(CSS(0),41),SHARED,SWITCH=11,PCHID=120,TYPE=FC\n"
    )


def planned(command: str, *arguments: str) -> str:
    done = subprocess.run([command, "deck", "ctc", *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_logical_link_is_that_of_the_command(command: str, tmp_path: Path) -> None:
    place = tmp_path / "vm.iocp"
    place.write_text(LINKED)
    deck = halftrack.Deck.parse(place)
    shell = [str(place), "--islink", "--port", "0.40=1120", "--port", "0.41=1121", "--port", "0.42=1122"]
    wishes = ["--per-channel", "2", "--device", "D100", "--node", "VMB=SYSB"]
    rates = ["--channel-rate", "200", "--rate", "390"]
    named = deck.islink(over=["40=41"], ports=PORTS, between=("1.VMB", "VMA"))
    wished = deck.islink(
        over=[0x40, "0.41=1.41", "42"],
        ports=PORTS,
        per_channel=2,
        device=0xD100,
        channel_rate=200,
        rate=390.0,
        nodes={"VMB": "sysb"},
    )
    size = deck.islink(channel_rate=200, rate=390)
    for link, more in [
        (deck.islink(over="40,41,42", ports=PORTS), ["--over", "40,41,42"]),
        (named, ["--over", "40=41", "--between", "1.VMB,VMA"]),
        (wished, ["--over", "40,0.41=1.41,42", *wishes, *rates]),
        (size, rates),
    ]:
        assert link.text == str(link) == planned(command, *shell, *more)
        assert link.to_json() == planned(command, *shell, *more, "--json")
        assert link.to_dict() == json.loads(link.to_json())
        assert link._repr_html_().startswith("<pre>")
    assert size.to_dict()["size"]["channels"] == 2


def test_a_logical_link_joins_two_decks(command: str, tmp_path: Path) -> None:
    places = [tmp_path / "a.iocp", tmp_path / "b.iocp"]
    for place, name in zip(places, ["VMA", "VMB"]):
        place.write_text(apart(name))
    one, other = (halftrack.Deck.parse(place) for place in places)
    ports = {"0.40": "1120", "0.41": "1121", "B:0.40": "1140", "B:0.41": "1141"}
    shell = [*map(str, places), *(f"--port={channel}={port}" for channel, port in ports.items())]
    link = one.islink(other, over=["40", "41"], ports=ports)
    assert link.text == planned(command, *shell, "--islink", "--over", "40,41")
    assert link.to_json() == planned(command, *shell, "--islink", "--over", "40,41", "--json")
    whole = [
        halftrack.Deck.from_text(apart(system["lpar"]) + system["statements"], system["lpar"])
        for system in link.to_dict()["systems"]
    ]
    assert all(deck.check().valid for deck in whole)
    connections = whole[0].connections(whole[1], ports=ports)
    assert len(connections["pairs"]) == 2 and connections["missing"] == []
    half = whole[0].connections(other, ports=ports)
    file = tmp_path / "half.iocp"
    file.write_text(whole[0].text)
    assert half["missing"] and half == printed(command, "ctc", str(file), *shell[1:], "--json")


def test_a_logical_link_that_cannot_be_is_refused_with_every_reason() -> None:
    deck = halftrack.Deck.from_text(LINKED, "vm.iocp")
    with pytest.raises(halftrack.StudyError, match="listed twice") as refused:
        deck.islink(over="40,40,41,41", ports=PORTS)
    assert len(str(refused.value).splitlines()) == 2 and refused.value.diagnostics == []
    with pytest.raises(halftrack.StudyError, match="vm.iocp has no partition VMC; it has 0.VMA"):
        deck.islink(over="40", between=("VMA", "VMC"))
    with pytest.raises(halftrack.StudyError, match="give the channels with --over"):
        deck.islink()
    with pytest.raises(halftrack.StudyError, match="--rate needs the rate of one channel"):
        deck.islink(over="40", ports=PORTS, rate=200)
    with pytest.raises(ValueError, match='over: "4G": expected a CHPID'):
        deck.islink(over="4G")
    with pytest.raises(ValueError, match='ports: "40=1120": expected CSS.CHPID=SSPP'):
        deck.connections(ports={"40": "1120"})
    with pytest.raises(ValueError, match="nodes: .*a name of 1 to 8 characters"):
        deck.islink(nodes={"VMA": "NINECHARS"})
    with pytest.raises(ValueError, match="rate: .*above 0"):
        deck.islink(rate=float("nan"), channel_rate=200)
    with pytest.raises(ValueError, match="device: .*hexadecimal"):
        deck.islink(over="40", device="D000,D001")
    with pytest.raises(halftrack.StudyError):
        halftrack.Deck.from_text("no deck at all").islink(over="40")
