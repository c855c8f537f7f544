"""Runs under way: progress, cancellation, signals, threads."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import halftrack
import pytest
from conftest import SHORT, STUDIES

PLACE = STUDIES / "fex32s-zhpf-4k"
LONG = {"workload.run.interval_s": 600.0}
INTERRUPTED = """
import sys, time
import halftrack
study = halftrack.Study.load(sys.argv[1], set={"workload.run.interval_s": 600.0, "workload.run.warmup_s": float(sys.argv[2])})
began = []
def started(progress):
    if not began:
        began.append(True)
        print("started", flush=True)
try:
    study.run(progress=started)
except KeyboardInterrupt:
    print(time.clock_gettime(time.CLOCK_MONOTONIC), flush=True)
"""
INTERRUPTED_TRIALS = """
import time
import halftrack
began = []
experiments = []
def started(progress):
    experiments.append(progress.total_runs)
    if progress.total_runs > experiments[0] and not began:
        began.append(True)
        print("started", flush=True)
try:
    halftrack.published("fex32s-card*", sensitivity=True, progress=started)
except KeyboardInterrupt:
    print(time.clock_gettime(time.CLOCK_MONOTONIC), flush=True)
before_s = time.process_time()
time.sleep(1.0)
print(time.process_time() - before_s, flush=True)
"""


def test_progress_goes_from_start_to_end(study: halftrack.Study) -> None:
    seen: list[halftrack.Progress] = []
    long = study.set({"workload.run.interval_s": 1.0})
    run = long.run(progress=seen.append)
    assert seen and seen[-1].fraction == 1.0 and seen[-1].left_s == 0.0
    assert [one.ios for one in seen] == sorted(one.ios for one in seen)
    assert seen[-1].simulated_s == seen[-1].total_s > 0
    assert run == long.run()


def test_a_function_that_returns_false_cancels() -> None:
    study = halftrack.Study.load(PLACE, set=LONG)
    began = time.monotonic()
    with pytest.raises(halftrack.Cancelled):
        study.run(progress=lambda progress: False)
    assert time.monotonic() - began < 10


def test_an_exception_of_the_function_is_that_of_the_run() -> None:
    def fail(progress: halftrack.Progress) -> None:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        halftrack.Study.load(PLACE, set=LONG).run(progress=fail)


def test_progress_is_a_function_or_true(study: halftrack.Study, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(TypeError, match="progress is a function"):
        study.run(progress="often")  # type: ignore[arg-type]
    study.run(progress=True)
    assert capsys.readouterr().err == "", "a run of a moment shows nothing"


@pytest.mark.parametrize("warmup_s", [0.0, 600.0])
def test_ctrl_c_ends_a_run_within_100_ms(warmup_s: float) -> None:
    ends_soon(lambda: interrupted(INTERRUPTED, str(PLACE), str(warmup_s)))


def ends_soon(interrupt: Callable[[], tuple[float, ...]]) -> None:
    """Expects less than 0.1 s of every figure in one of some tries: other processes of the machine delay a process, too."""
    found: list[tuple[float, ...]] = []
    while not found or max(found[-1]) >= 0.1:
        assert len(found) < 8, found
        found.append(interrupt())


def interrupted(script: str, *arguments: str) -> tuple[float, ...]:
    """Sends Ctrl-C to a script that has started: the seconds until it has ended its work, and the figures that it prints then."""
    child = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "started\n"
        time.sleep(0.05)
        sent = time.clock_gettime(time.CLOCK_MONOTONIC)
        child.send_signal(2)
        delay = float(child.stdout.readline()) - sent
        rest = child.stdout.read().split()
        assert child.wait(timeout=10) == 0
        return delay, *map(float, rest)
    finally:
        child.kill()


def test_ctrl_c_ends_thousands_of_runs_within_100_ms_and_nothing_goes_on() -> None:
    # It prints the processor time, s, of the second that follows.
    ends_soon(lambda: interrupted(INTERRUPTED_TRIALS))


def test_a_function_that_returns_false_cancels_the_trials() -> None:
    began = time.monotonic()
    with pytest.raises(halftrack.Cancelled):
        halftrack.published("fex32s-card*", sensitivity=True, progress=lambda progress: progress.runs < 5)
    assert time.monotonic() - began < 20


def test_other_threads_go_on(study: halftrack.Study) -> None:
    ended = threading.Event()
    turns = 0

    def count() -> None:
        nonlocal turns
        while not ended.is_set():
            turns += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    long = study.set({"workload.run.interval_s": 1.0})
    other.start()
    before = turns
    long.run(threads=1)
    during = turns - before
    ended.set()
    other.join()
    assert during > 5


def digest(seed: int) -> str:
    run = halftrack.Study.load(PLACE, set=SHORT).run(seed=seed)
    return hashlib.sha256((run.to_json() + run.report_html()).encode()).hexdigest()


def test_two_threads_give_the_bytes_of_two_processes() -> None:
    found: dict[int, str] = {}
    threads = [
        threading.Thread(target=lambda seed=seed: found.__setitem__(seed, digest(seed))) for seed in (1, 2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    script = "import sys, test_progress; print(test_progress.digest(int(sys.argv[1])))"
    for seed in (1, 2):
        printed = subprocess.run(
            [sys.executable, "-c", script, str(seed)],
            check=True,
            capture_output=True,
            text=True,
            cwd=Path(__file__).parent,
        )
        assert printed.stdout.strip() == found[seed]
    assert found[1] != found[2]
