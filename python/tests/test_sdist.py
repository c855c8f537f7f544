"""The source distribution: whole without the checkout."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import ROOT

# Files that crates are compiled with, outside their own directories.
COMPILED_IN = ["catalog", "published", "studies/published"]


def test_a_source_distribution_has_the_files_that_crates_are_compiled_with(tmp_path: Path) -> None:
    if importlib.util.find_spec("maturin") is None:
        pytest.skip("maturin is not installed")
    made = subprocess.run(
        [sys.executable, "-m", "maturin", "sdist", "--manifest-path", "python/Cargo.toml", "--out", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"CARGO_NET_OFFLINE": "true"},
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    (place,) = tmp_path.glob("halftrack-*.tar.gz")
    with tarfile.open(place) as archive:
        held = {}
        for member in archive.getmembers():
            file = archive.extractfile(member)
            held[member.name.partition("/")[2]] = file.read() if file else b""
    for directory in COMPILED_IN:
        files = [file for file in (ROOT / directory).rglob("*") if file.is_file()]
        assert files
        for file in files:
            name = file.relative_to(ROOT).as_posix()
            assert held.get(name) == file.read_bytes(), name
    copies = [name for name in held if name.startswith(tuple(f"python/{one}/" for one in COMPILED_IN))]
    assert copies == []
