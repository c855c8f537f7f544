"""Studies of the checkout, and the command where it is built."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import halftrack
import pytest

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "studies"
# Short runs: 50 ms of virtual time.
SHORT = {"workload.run.interval_s": 0.05}


@pytest.fixture(scope="session")
def study() -> halftrack.Study:
    return halftrack.Study.load(STUDIES / "fex32s-zhpf-4k", set=SHORT)


@pytest.fixture(scope="session")
def run(study: halftrack.Study) -> halftrack.Run:
    return study.run(seed=1)


@pytest.fixture(scope="session")
def command() -> str:
    """The command of the checkout; tests beside it are skipped where it is not built."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    named = os.environ.get("HALFTRACK_COMMAND")
    for place in (named, target / "ship" / "halftrack", target / "debug" / "halftrack"):
        found = place and shutil.which(str(place))
        if found:
            return found
    pytest.skip("the command is not built")
