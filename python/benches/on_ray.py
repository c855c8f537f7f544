"""Measures sweeps on Ray: the overhead of a task, two workers against one, the memory of the driver, and the pieces of a task.

    PYTHONPATH=python python python/benches/on_ray.py overhead --points 2000
    PYTHONPATH=python python python/benches/on_ray.py workers --points 60
    PYTHONPATH=python python python/benches/on_ray.py memory --points 100000
    PYTHONPATH=python python python/benches/on_ray.py pieces --points 20 --study studies/z16-max200

Each prints one line of JSON. Times are of the wall clock: other work on the machine disturbs them.
"""

from __future__ import annotations

import argparse
import json
import logging
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import ray

import halftrack
from halftrack import _native

STUDY = Path(__file__).resolve().parents[2] / "studies" / "fex32s-zhpf-4k"
SEED = "workload.run.seed"


def sweep(points: int, interval_s: float, study: Path = STUDY) -> halftrack.Sweep:
    """Returns a sweep over seeds, points of ``interval_s`` of virtual time; those of the default study are tiny."""
    length = {"workload.run.warmup_s": 0.0, "workload.run.interval_s": interval_s, "workload.run.intervals": 1}
    tiny = {"workload.stream.READ4K.closed.jobs": 1} if study == STUDY else {}
    return halftrack.sweep(study, {SEED: f"1..{points}"}, set={**length, **tiny})


def on_cluster(
    one: halftrack.Sweep, workers: int, progress: object = None
) -> tuple[float, float, halftrack.SweepResult]:
    """Runs the sweep on so many workers of a cluster that has already run a point.

    Returns the time of the sweep alone, the processor time of the driver within it, both s, and the result.
    """
    ray.init("local", num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        sweep(2 * workers, 0.001).on_ray(store=False)
        began, cpu_began = time.perf_counter(), time.process_time()
        result = one.on_ray(store=False, progress=progress)
        return time.perf_counter() - began, time.process_time() - cpu_began, result
    finally:
        ray.shutdown()


def overhead(points: int, interval_s: float) -> dict[str, object]:
    """Compares a worker with a thread."""
    one = sweep(points, interval_s)
    began = time.perf_counter()
    local = one.run(threads=1, cache=False)
    local_s = time.perf_counter() - began
    ray_s, driver_s, result = on_cluster(one, 1)
    return {
        "points": points,
        "one_thread_s": round(local_s, 3),
        "one_worker_s": round(ray_s, 3),
        "overhead_ms_a_task": round((ray_s - local_s) / points * 1e3, 3),
        "driver_cpu_ms_a_task": round(driver_s / points * 1e3, 3),
        "same_bytes": result.to_json() == local.to_json(),
    }


def workers(points: int, interval_s: float) -> dict[str, object]:
    """Compares two workers with one."""
    one = sweep(points, interval_s)
    one_s, _, first = on_cluster(one, 1)
    two_s, _, second = on_cluster(one, 2)
    return {
        "points": points,
        "one_worker_s": round(one_s, 3),
        "two_workers_s": round(two_s, 3),
        "times_as_fast": round(one_s / two_s, 3),
        "same_bytes": first.to_json() == second.to_json(),
    }


def memory(points: int, interval_s: float) -> dict[str, object]:
    """Follows the resident memory of the driver through a sweep."""
    one = sweep(points, interval_s)
    at: dict[int, float] = {}

    def observer(progress: halftrack.SweepProgress) -> None:
        if progress.done % max(points // 10, 1) == 0:
            at[progress.done] = round(resident_mb(), 1)
            print(f"{progress}: {at[progress.done]} MB", file=sys.stderr)

    before = round(resident_mb(), 1)
    spent_s, driver_s, result = on_cluster(one, 2, observer)
    return {
        "points": points,
        "spent_s": round(spent_s, 1),
        "driver_cpu_ms_a_task": round(driver_s / points * 1e3, 3),
        "before_mb": before,
        "resident_mb_at": at,
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "failures": len(result.failures),
    }


def pieces(points: int, interval_s: float, study: Path = STUDY) -> dict[str, object]:
    """Times what driver and worker do for a point, without Ray."""
    one = sweep(points, interval_s, study)
    outcomes, plan_s = timed(one.begin, False)
    octets, pack_s = timed(one.pack)
    unpacked, unpack_s = timed(_native.PackedSweep.unpack, octets)
    answers, run_s = timed(lambda: [unpacked.run_point(index, False) for index in range(points)])
    _, take_in_s = timed(lambda: [outcomes.take_in(index, *answer) for index, answer in enumerate(answers)])
    return {
        "study": study.name,
        "points": points,
        "plan_ms_a_point": round(plan_s / points * 1e3, 3),
        "pack_ms": round(pack_s * 1e3, 3),
        "pack_kb": round(len(octets) / 1024, 1),
        "unpack_ms": round(unpack_s * 1e3, 3),
        "run_ms_a_point": round(run_s / points * 1e3, 3),
        "outcome_bytes": sum(len(outcome) for _, outcome, _ in answers) // points,
        "take_in_ms_a_point": round(take_in_s / points * 1e3, 4),
    }


def timed(work: Callable[..., Any], *arguments: object) -> tuple[Any, float]:
    """Returns the result of ``work`` and the time that it took, s."""
    began = time.perf_counter()
    result = work(*arguments)
    return result, time.perf_counter() - began


def resident_mb() -> float:
    """Returns the resident memory of this process, MB (2^20 bytes)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    """Prints what is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["overhead", "workers", "memory", "pieces"])
    parser.add_argument("--points", type=int, default=2000)
    parser.add_argument("--interval-s", type=float, default=None, help="virtual time of a point, s")
    parser.add_argument("--study", type=Path, default=STUDY, help="study of `pieces`")
    arguments = parser.parse_args()
    measure = {"overhead": overhead, "workers": workers, "memory": memory}
    measure["pieces"] = partial(pieces, study=arguments.study)
    default_s = 10.0 if arguments.what == "workers" else 0.001
    print(json.dumps(measure[arguments.what](arguments.points, arguments.interval_s or default_s)))


if __name__ == "__main__":
    main()
