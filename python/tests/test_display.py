"""Operators' commands: answered as the command answers them, refused where they are none."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import halftrack
import pytest
from conftest import STUDIES

OLTP = STUDIES / "z16-oltp"
CARDS = STUDIES / "zedc-batch"


@pytest.fixture(scope="module")
def oltp() -> halftrack.Study:
    return halftrack.Study.load(OLTP)


@pytest.mark.parametrize(
    ("words", "system", "at_s"),
    [("D M=DEV(1000)", None, None), ("d m=chp(40),pathinfo", "PROD2", None), ("D U,DASD,ONLINE,1000,4", None, 0.05)],
)
def test_displays_are_those_of_the_command(
    oltp: halftrack.Study, command: str, words: str, system: str | None, at_s: float | None
) -> None:
    options = [*(["--system", system] if system else []), *(["--at", str(at_s)] if at_s else [])]
    display = oltp.display(words, system=system, at_s=at_s)
    printed = [
        subprocess.run([command, "display", str(OLTP), words, *options, *form], check=True, capture_output=True, text=True)
        for form in ([], ["--json"])
    ]
    assert str(display) == display.text == printed[0].stdout
    assert display.to_dict() == json.loads(printed[1].stdout)
    assert display.system == (system or "PROD1")
    if at_s is None:
        assert display.to_dict()["time"] == "00.00.00"


def test_cards_that_stand_by_are_in_the_file_of_the_installed_ones(command: str) -> None:
    study = halftrack.Study.load(CARDS)
    hardware = CARDS / "hardware.toml"
    printed = subprocess.run(
        [command, "display", str(CARDS), "D PCIE", "--hardware", str(hardware)], check=True, capture_output=True, text=True
    )
    assert study.display("D PCIE", hardware=hardware).text == printed.stdout


def test_a_command_that_is_none_is_underlined_before_anything_runs(oltp: halftrack.Study) -> None:
    began = time.monotonic()
    with pytest.raises(halftrack.StudyError) as refused:
        oltp.display("D M=DVE(1000)", at_s=3600.0)
    assert time.monotonic() - began < 5.0
    (one,) = refused.value.diagnostics
    assert one.line == 1 and one.column is not None and one.fix
    with pytest.raises(ValueError, match="no system PROD9; the systems of this study are PROD1"):
        oltp.display("D M=CHP", system="prod9")
    for at_s in (-1.0, 1e9, float("nan")):
        with pytest.raises(ValueError, match="seconds of virtual time"):
            oltp.display("D M=CHP", at_s=at_s)


def test_a_function_that_returns_false_cancels(oltp: halftrack.Study) -> None:
    seen: list[halftrack.Progress] = []

    def show(progress: halftrack.Progress) -> bool:
        seen.append(progress)
        return progress.elapsed_s < 0.2

    began = time.monotonic()
    with pytest.raises(halftrack.Cancelled):
        oltp.display("D M=CHP", at_s=3600.0, progress=show)
    assert time.monotonic() - began < 10.0
    assert seen[-1].simulated_s < 3600.0 == seen[-1].total_s


def test_ctrl_c_ends_the_run_to_a_moment() -> None:
    script = (
        "import sys, time, halftrack\n"
        "study = halftrack.Study.load(sys.argv[1])\n"
        "began = []\n"
        "def started(progress):\n"
        "    began or print('started', flush=True)\n"
        "    began.append(True)\n"
        "study.display('D M=CHP', at_s=3600.0, progress=started)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(OLTP)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None and child.stdout.readline() == "started\n"
        child.send_signal(2)
        _, said = child.communicate(timeout=30)
        assert child.returncode != 0 and "KeyboardInterrupt" in said
    finally:
        child.kill()
