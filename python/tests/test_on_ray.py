"""Sweeps on a Ray cluster of two nodes on this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import halftrack

# Before Ray, which reads its variables when it is imported.
from ray_cluster import Cluster, free_port

ray = pytest.importorskip("ray")

from halftrack.on_ray import ClusterError  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "studies" / "fex32s-zhpf-4k"
SHORT = {"workload.run.warmup_s": 0.0005, "workload.run.interval_s": 0.001, "workload.run.intervals": 1}
JOBS = "workload.stream.READ4K.closed.jobs"
SEED = "workload.run.seed"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    one = Cluster()
    try:
        one.add()
        one.wait_for(2)
        yield one
    finally:
        one.close()


def test_the_table_has_the_bytes_of_the_local_one_and_nothing_is_run_again(cluster, tmp_path):
    sweep = halftrack.sweep(STUDY, {JOBS: [1, 4], "plant.cable.*.km": "0..20:10"}, set=SHORT, y=["pend_ms"])
    local = sweep.run(cache=False)
    seen: list[halftrack.SweepProgress] = []
    first = sweep.on_ray(cluster.address, store=tmp_path, progress=seen.append)
    assert (first.to_json(), first.to_csv()) == (local.to_json(), local.to_csv())
    assert (first.found, len(seen), seen[-1].done) == (0, 6, 6)
    again = sweep.on_ray(cluster.address, store=tmp_path, progress=seen.append)
    assert (again.found, again.to_json(), len(seen)) == (6, local.to_json(), 6)
    # What is there is there for a local sweep too.
    assert sweep.run(cache=tmp_path).found == 6


def test_the_command_runs_its_points_there_and_prints_what_it_prints_alone(cluster, command, tmp_path):
    sets = [f"--set={key}={value}" for key, value in {**SHORT, JOBS: "1,2,4"}.items()]
    environment = {**os.environ, "HALFTRACK_PACKAGE_PYTHON": sys.executable}

    def swept(cache: str, *further: str) -> tuple[bytes, str]:
        arguments = [command, "sweep", str(STUDY), *sets, "--json", "--cache", str(tmp_path / cache), *further]
        ended = subprocess.run(arguments, env=environment, capture_output=True, check=False, timeout=300)
        assert ended.returncode == 0, ended.stderr.decode()
        return ended.stdout, ended.stderr.decode()

    alone, _ = swept("alone")
    first, words = swept("ray", "--ray", cluster.address)
    again, words_again = swept("ray", "--ray", cluster.address)
    assert alone == first == again
    assert "3 of 3 points on Ray" in words and "0 of 3 points on Ray" in words_again


def test_the_command_prints_once_why_no_point_can_run(cluster, command, tmp_path):
    arguments = [command, "sweep", str(STUDY), "--set=plant.cabel.100.km=1,2", "--cache", str(tmp_path), "--ray"]
    environment = {**os.environ, "HALFTRACK_PACKAGE_PYTHON": sys.executable}
    ended = subprocess.run([*arguments, cluster.address], env=environment, capture_output=True, timeout=300, text=True)
    assert (ended.returncode, ended.stderr.count("HTK951E"), "Traceback" in ended.stderr) == (2, 1, False), ended.stderr


@pytest.mark.slow
def test_code_of_the_page_runs_on_two_nodes_and_draws_its_picture(cluster, tmp_path):
    pytest.importorskip("matplotlib")
    page = (ROOT / "docs" / "sweeps-on-ray.md").read_text()
    code = "".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)).replace("127.0.0.1:6379", cluster.address)
    assert code.count(cluster.address) == 2
    # Shorter than a reader's runs: the library of the tests is slow.
    code = code.replace('"workload.run.interval_s": 0.01,', '"workload.run.interval_s": 0.001,')
    for name in ["catalog", "studies"]:
        (tmp_path / name).symlink_to(ROOT / name)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "MPLBACKEND": "agg"}
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600
    )
    assert ran.returncode == 0, ran.stderr
    assert "shape: (400, 4)" in ran.stdout
    assert (tmp_path / "heat-map.png").read_bytes().startswith(b"\x89PNG")


def test_bad_points_fail_by_themselves(cluster):
    sweep = halftrack.sweep(STUDY, {"plant.cable.100.to": ['"11.20"', "nowhere"], JOBS: [1, 2]}, set=SHORT)
    result = sweep.on_ray(cluster.address, store=False)
    assert len(result.failures) == 2
    assert result.to_json() == sweep.run(cache=False).to_json()


@pytest.mark.slow
def test_a_node_that_is_killed_changes_nothing(tmp_path):
    cluster = Cluster()
    try:
        node = cluster.add()
        cluster.wait_for(2)
        points = {SEED: "1..60"}
        sweep = halftrack.sweep(STUDY, points, set={**SHORT, "workload.run.interval_s": 0.05})
        done: list[int] = []

        def observer(progress: halftrack.SweepProgress) -> None:
            done.append(progress.done)
            if len(done) == 12:
                node.kill()

        result = sweep.on_ray(cluster.address, store=tmp_path, progress=observer)
        assert done == list(range(1, 61)), "each point is counted once"
        assert result.failures == []
        assert result.to_json() == sweep.run(cache=False).to_json()
        assert len(list(tmp_path.glob("*.outcome"))) == 60
    finally:
        cluster.close()


def test_ctrl_c_cancels_the_tasks_and_keeps_what_is_over(cluster, tmp_path):
    sweep = halftrack.sweep(STUDY, {SEED: "1..60"}, set={**SHORT, "workload.run.interval_s": 0.3})
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def observer(progress: halftrack.SweepProgress) -> None:
        if progress.done == 4:
            threading.Thread(target=press).start()

    with pytest.raises(KeyboardInterrupt):
        sweep.on_ray(cluster.address, store=tmp_path, progress=observer)
    assert time.monotonic() - pressed[0] < 10.0
    kept = len(list(tmp_path.glob("*.outcome")))
    assert 4 <= kept < 60 and not list(tmp_path.glob("*.partial"))
    # The cluster is free again.
    few = halftrack.sweep(STUDY, {SEED: "1..4"}, set=SHORT)
    began = time.monotonic()
    assert few.on_ray(cluster.address, store=False).failures == []
    assert time.monotonic() - began < 60.0


def test_an_address_that_is_not_there_is_reported_at_once():
    sweep = halftrack.sweep(STUDY, {JOBS: [1]}, set=SHORT)
    began = time.monotonic()
    for address, said in [
        (f"127.0.0.1:{free_port()}", "no Ray cluster at 127.0.0.1.*ray start --head"),
        ("somewhere", "is no address"),
    ]:
        with pytest.raises(ClusterError, match=said):
            sweep.on_ray(address, store=False)
    assert time.monotonic() - began < 20.0


def test_workers_of_another_version_are_refused_once(cluster, tmp_path):
    """Makes a package of another version by a file beside the real one."""
    package = tmp_path / "halftrack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_native.py").write_text(
        "MODEL_VERSION = 'other'\n"
        "class VersionMismatch(Exception): pass\n"
        "class PackedSweep:\n"
        "    @staticmethod\n"
        "    def unpack(octets):\n"
        f"        assert b'{halftrack.MODEL_VERSION}' in octets[:200]\n"
        "        raise VersionMismatch('the sweep is of model a, and this is model other')\n"
    )
    sweep = halftrack.sweep(STUDY, {JOBS: [1, 2, 3]}, set=SHORT)
    with pytest.raises(ClusterError, match="different versions of the model.*model other"):
        sweep.on_ray(cluster.address, store=False, runtime_env={"py_modules": [str(package)]})


@pytest.mark.slow
def test_workers_without_the_package_get_it(tmp_path):
    # Where the package is installed its place is taken by what Python raises without it.
    (tmp_path / "halftrack.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'halftrack'\", name='halftrack')\n"
    )
    cluster = Cluster(PYTHONPATH=str(tmp_path))
    try:
        cluster.wait_for(1)
        sweep = halftrack.sweep(STUDY, {JOBS: [1, 2]}, set=SHORT)
        with pytest.raises(ClusterError, match="lack the package.*pip install"):
            sweep.on_ray(cluster.address, store=False, ship=False)
        assert sweep.on_ray(cluster.address, store=False).to_json() == sweep.run(cache=False).to_json()
    finally:
        cluster.close()
