"""Sweeps on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import halftrack
from halftrack import _native

STUDY = Path(__file__).resolve().parents[2] / "studies" / "fex32s-zhpf-4k"
SHORT = {"workload.run.warmup_s": 0.0005, "workload.run.interval_s": 0.001, "workload.run.intervals": 1}
JOBS = "workload.stream.READ4K.closed.jobs"
KM = "plant.cable.*.km"


def points(sweep: halftrack.Sweep) -> list[str]:
    return [" ".join(point.values()) for point in sweep.points]


def test_a_grid_makes_all_combinations_and_keys_in_step_change_together():
    grid = {JOBS: [1, 2], KM: "0..20:10"}
    assert points(halftrack.sweep(STUDY, grid)) == ["1 0", "1 10", "1 20", "2 0", "2 10", "2 20"]
    grid = {(JOBS, KM): [(1, 10.5), (2, 20)], "workload.run.seed": [7]}
    assert points(halftrack.sweep(STUDY, grid)) == ["1 10.5 7", "2 20 7"]
    listed = [{JOBS: 1, KM: 2}, {KM: 4, JOBS: 3}]
    assert points(halftrack.sweep(STUDY, listed)) == ["1 2", "3 4"]


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ({"cable.km": [1]}, "`cable` is no file of a study"),
        ({JOBS: []}, "has no values"),
        ({(JOBS, KM): [(1,)]}, "give tuples of as many values"),
        ([], "empty"),
        ([{JOBS: 1}, {KM: 1}], "give all the same"),
        ({JOBS: "1..900000"}, "more than 100000"),
    ],
)
def test_bad_grids_are_refused(grid, said):
    with pytest.raises(ValueError, match=said):
        halftrack.sweep(STUDY, grid)
    with pytest.raises(ValueError, match="quant"):
        halftrack.sweep(STUDY, {JOBS: [1]}, y=["speed"])


def test_the_table_depends_neither_on_threads_nor_on_the_cache(tmp_path):
    sweep = halftrack.sweep(STUDY, {JOBS: [1, 4], KM: [0, 10]}, set=SHORT, y=["pend_ms"])
    one = sweep.run(threads=1, cache=False)
    two = sweep.run(threads=2, cache=tmp_path)
    again = sweep.run(cache=tmp_path)
    assert one.to_json() == two.to_json() == again.to_json()
    assert (one.found, two.found, again.found) == (0, 0, 4)
    assert len(set(sweep.keys)) == 4
    assert json.loads(one.to_json())["study"] == "fex32s-zhpf-4k" and "<pre>" in one._repr_html_()


def test_bad_points_fail_by_themselves_and_are_told_once():
    grid = {"plant.cable.100.to": ['"11.20"', "nowhere"], JOBS: [1, 2]}
    result = halftrack.sweep(STUDY, grid, set=SHORT).run(cache=False)
    assert [point["plant.cable.100.to"] for point, _ in result.failures] == ["nowhere", "nowhere"]
    [(message, points)] = result.problems.items()
    assert "nowhere" in message and points == [point for point, _ in result.failures]


def test_a_sweep_without_a_point_that_can_be_configured_is_refused():
    sweep = halftrack.sweep(STUDY, {"plant.cabel.100.km": [1, 2, 3]}, set=SHORT)
    with pytest.raises(halftrack.StudyError) as refused:
        sweep.run(cache=False)
    [diagnostic] = refused.value.diagnostics
    assert (diagnostic.code, diagnostic.fix) == ("HTK951E", "did you mean `cable`?")


def test_replications_have_the_same_seeds_at_all_points():
    sweep = halftrack.sweep(STUDY, {JOBS: [1, 2]}, seed=40, replications=2)
    assert points(sweep) == ["1 40", "1 41", "2 40", "2 41"]


def test_sets_of_scipy_fill_their_ranges_and_are_the_same_for_the_same_seed():
    pytest.importorskip("scipy")
    ranges = {JOBS: (1, 8), KM: (0.0, 100.0)}
    hypercube = halftrack.latin_hypercube(ranges, 8, seed=3)
    assert hypercube == halftrack.latin_hypercube(ranges, 8, seed=3) != halftrack.latin_hypercube(ranges, 8)
    assert sorted(point[JOBS] for point in hypercube) == list(range(1, 9))
    assert sorted(int(point[KM] / 12.5) for point in hypercube) == list(range(8))
    sobol = halftrack.sobol(ranges, 8)
    assert sorted(int(point[KM] / 12.5) for point in sobol) == list(range(8))
    assert len(halftrack.sweep(STUDY, sobol)) == 8


def test_progress_counts_every_point_and_ends_without_time_left():
    seen: list[halftrack.SweepProgress] = []
    halftrack.sweep(STUDY, {JOBS: [1, 2, 3]}, set=SHORT).run(cache=False, progress=seen.append)
    assert [one.done for one in seen] == [1, 2, 3] and seen[-1].points == 3
    assert seen[-1].left_s == pytest.approx(0.0, abs=1e-6)


def test_an_observer_that_raises_ends_the_sweep():
    def observer(_: halftrack.SweepProgress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        halftrack.sweep(STUDY, {JOBS: [1, 2, 3]}, set=SHORT).run(cache=False, progress=observer)


def test_ctrl_c_ends_a_sweep_within_a_moment():
    sweep = halftrack.sweep(STUDY, {JOBS: [64]}, set={"workload.run.interval_s": 3600})
    pressed: list[float] = []

    def press() -> None:
        time.sleep(0.5)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        sweep.run(cache=False)
    # 100 ms on a machine that does nothing else.
    assert time.monotonic() - pressed[0] < 1.0


def test_octets_of_another_version_are_refused():
    octets = halftrack.sweep(STUDY, {JOBS: [1]}).pack()
    other = octets.replace(halftrack.MODEL_VERSION.encode(), b"0" * 64, 1)
    with pytest.raises(_native.VersionMismatch, match="0000"):
        _native.PackedSweep.unpack(other)
    with pytest.raises(ValueError, match="damaged"):
        _native.PackedSweep.unpack(octets[:-1])


def test_two_processes_give_the_bytes_of_one(tmp_path):
    text = (
        "import halftrack, sys\n"
        f"print(halftrack.sweep({str(STUDY)!r}, {{{JOBS!r}: [1, 4]}}, set={SHORT!r}).run(cache=False).to_json())"
    )
    processes = [subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE) for _ in range(2)]
    first, second = (process.communicate()[0] for process in processes)
    assert first == second and b"halftrack-sweep" in first
