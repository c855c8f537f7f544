"""Sweeps: a study run at many points, here or on Ray."""

from __future__ import annotations

import html
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Union

from halftrack import _native

__all__ = ["Sweep", "SweepProgress", "SweepResult", "latin_hypercube", "of_study", "sobol", "sweep"]

Value = Union[str, int, float, bool]
Keys = Union[str, tuple[str, ...]]
Grid = Union[Mapping[Keys, Any], Sequence[Mapping[str, Value]]]
Cache = Union[str, "os.PathLike[str]", Literal[False], None]
Observer = Union[Callable[["SweepProgress"], object], bool, None]

#: Time between two lines of progress on standard error, s.
_LINE_EVERY_S = 0.5


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep has come."""

    #: Points that are over, those in the store among them.
    done: int
    #: Points of the sweep; those of one content count once.
    points: int
    #: Time since it began, s.
    elapsed_s: float
    #: Estimate of the time left, s; ``None`` before a point has ended.
    left_s: float | None

    def __str__(self) -> str:
        left = "" if self.left_s is None else f", {self.left_s:.0f} s left"
        return f"{self.done} of {self.points} points{left}"


class Observed:
    """Counts points as they end, and reports to an observer."""

    def __init__(self, over: int, open_points: list[tuple[int, float]], observer: Observer) -> None:
        self._observer = self._line if observer is True else observer or None
        self._began = time.monotonic()
        self._done = over
        self._points = self._done + len(open_points)
        self._cost = sum(cost for _, cost in open_points)
        self._cost_done = 0.0
        self._shown = 0.0

    def ended(self, cost: float) -> None:
        """Counts a point of this cost."""
        self._done += 1
        self._cost_done += cost
        if self._observer is None:
            return
        elapsed_s = time.monotonic() - self._began
        rest = max(self._cost - self._cost_done, 0.0)
        self._observer(SweepProgress(self._done, self._points, elapsed_s, elapsed_s * rest / self._cost_done))

    def close(self) -> None:
        """Ends the line on standard error."""
        if self._shown:
            print(file=sys.stderr)

    def _line(self, progress: SweepProgress) -> None:
        now = time.monotonic()
        if now - self._shown >= _LINE_EVERY_S or progress.done == progress.points:
            print(f"\r\x1b[K{progress}", end="", file=sys.stderr, flush=True)
            self._shown = now


class SweepResult:
    """The outcome of a sweep, one row a point in the order of its points."""

    def __init__(self, sweep: Sweep, outcomes: _native.Outcomes) -> None:
        self.sweep = sweep
        self._outcomes = outcomes

    @property
    def failures(self) -> list[tuple[dict[str, str], list[str]]]:
        """Points that could not be run, each with its messages."""
        return [(self.sweep.point(index), messages) for index, messages in self._outcomes.failures()]

    @property
    def problems(self) -> dict[str, list[dict[str, str]]]:
        """Messages about points that could not be run, each once, with those points."""
        found: dict[str, list[dict[str, str]]] = {}
        for point, messages in self.failures:
            for message in messages:
                found.setdefault(message, []).append(point)
        return found

    @property
    def warnings(self) -> list[str]:
        """Warnings about the points that could be configured, each once."""
        return self._outcomes.warnings

    @property
    def missing(self) -> list[str]:
        """Reasons why some runs lack some quantities, each once."""
        return self._outcomes.missing

    @property
    def found(self) -> int:
        """Number of points that were in the store and were not run again."""
        return self._outcomes.found

    def table(self) -> _native.Table:
        """Returns a row a point: its keys, the quantities, bottleneck, status, messages, content key and seed."""
        return self._outcomes.points()

    def to_parquet(self, directory: str | os.PathLike[str]) -> None:
        """Writes the points as the partition of the study in the Parquet data set ``directory``.

        An earlier sweep of the study there is replaced as a whole. Raises ``OSError`` when nothing can be written; what was
        there is then unchanged.
        """
        self._outcomes.to_parquet(Path(directory))

    def to_json(self) -> str:
        """Returns the table as ``points.json`` of ``halftrack sweep --out`` has it."""
        return self._outcomes.to_json()

    def to_csv(self) -> str:
        """Returns the table as comma-separated values."""
        return self._outcomes.to_csv()

    def __str__(self) -> str:
        return self._outcomes.to_text()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class Sweep:
    """A study at many points, each a change of some of its keys."""

    def __init__(self, packed: _native.PackedSweep) -> None:
        self._packed = packed

    def __len__(self) -> int:
        return len(self._packed)

    @property
    def study(self) -> str:
        """Name of the study."""
        return self._packed.study

    def point(self, index: int) -> dict[str, str]:
        """Returns the keys of point ``index``, from 0, with their values."""
        return self._packed.point(index)

    @property
    def points(self) -> list[dict[str, str]]:
        """Keys and values of every point."""
        return [self.point(index) for index in range(len(self))]

    @property
    def keys(self) -> list[str | None]:
        """Content key of every point; ``None`` where it cannot be configured."""
        return [self._packed.key(index) for index in range(len(self))]

    def pack(self) -> bytes:
        """Returns everything that the points depend on, for workers that share no disk."""
        return self._packed.pack()

    def begin(self, cache: Cache = None, *, whole: bool = False) -> _native.Outcomes:
        """Plans every point, and takes from the store what is there."""
        directory = None if cache is None or cache is False else Path(cache)
        return self._packed.begin(cache=directory, keep=cache is not False, whole=whole)

    def run(self, *, threads: int | None = None, progress: Observer = None, cache: Cache = None) -> SweepResult:
        """Runs every point on this machine; results depend neither on threads nor on the cache.

        ``threads`` points run at a time, by default one for each processor. ``progress`` is called with a
        :class:`SweepProgress` after each point; ``True`` shows a line on standard error. ``cache`` is the directory in which
        outcomes are kept and found again, by default that of ``halftrack sweep``; ``False`` is none. Ctrl-C cancels
        within 100 ms; what is over by then is kept. Raises ``StudyError`` where no point can be configured.
        """
        outcomes = self.begin(cache)
        observed = Observed(outcomes.over, outcomes.open(), progress)
        try:
            outcomes.run(threads, observed.ended)
        finally:
            observed.close()
        return SweepResult(self, outcomes)

    def on_ray(
        self,
        address: str | None = None,
        *,
        store: Cache = None,
        progress: Observer = None,
        retries: int = 5,
        ship: bool | None = None,
        runtime_env: Mapping[str, Any] | None = None,
    ) -> SweepResult:
        """Runs every point as a task of its own on a Ray cluster; the table has the same bytes as that of :meth:`run`.

        ``address`` is that of the cluster, ``HOST:PORT`` or ``"auto"``; by default the connection that is there, else the
        cluster of ``RAY_ADDRESS`` or of this machine, else one on the processors of this machine for as long as the
        process lives. ``store`` is the directory in which the driver keeps outcomes, as ``cache`` of :meth:`run`. A task
        whose worker or node dies is tried ``retries`` times more (-1: without end). ``ship`` sends this package to the
        nodes, where it is not installed; by default only when they lack it. ``runtime_env`` is added to that of the tasks.
        """
        from halftrack.on_ray import run_on_ray

        outcomes = self.begin(store)
        run_on_ray(
            self.pack,
            outcomes,
            address=address,
            progress=progress,
            retries=retries,
            ship=ship,
            runtime_env=runtime_env,
        )
        return SweepResult(self, outcomes)


def sweep(
    path: str | os.PathLike[str],
    grid: Grid,
    *,
    y: Sequence[str] = (),
    seed: int | None = None,
    precision: float | None = None,
    fidelity: Literal["burst", "frame"] = "burst",
    replications: int = 1,
    set: Mapping[str, object] | None = None,
    catalogs: Sequence[str | os.PathLike[str]] = (),
    faults: str | os.PathLike[str] | None = None,
) -> Sweep:
    """Makes the sweep of the study in directory ``path`` over ``grid``.

    ``set``, ``catalogs`` and ``faults`` are as for ``Study.load``; :func:`of_study` describes the rest.
    """
    study = _native.Study.load(path, set=set, catalogs=catalogs, faults=faults)
    return of_study(
        study, grid, y=y, seed=seed, precision=precision, fidelity=fidelity, replications=replications
    )


def of_study(
    study: _native.Study,
    grid: Grid,
    *,
    y: Sequence[str] = (),
    seed: int | None = None,
    precision: float | None = None,
    fidelity: Literal["burst", "frame"] = "burst",
    replications: int = 1,
) -> Sweep:
    """Makes the sweep of ``study`` over ``grid``, as ``Study.sweep`` does.

    ``grid`` maps keys to values: a sequence of them, or the text that ``--set`` takes, such as ``"0..100:10"``. All
    combinations are points, the last key changing fastest. A tuple of keys has tuples of values, which change in step. A
    sequence of points, each a mapping of the same keys, is taken as it is (:func:`latin_hypercube`, :func:`sobol`).

    ``y`` are quantities of the table beside rate, response time and MB/s. ``precision`` ends each run once its estimates
    are within so many percent. ``replications`` runs each point with so many seeds, the same at all points (common random
    numbers): ``seed``, or that of the study, and the numbers after it.
    """
    return Sweep(
        _native.PackedSweep.of_study(
            study,
            list(_groups(grid)),
            y=list(y),
            seed=seed,
            precision=precision,
            fidelity=fidelity,
            replications=replications,
        )
    )


#: Keys that change in step, each with its values; or the text of ``--set``.
_Group = Union[str, list[tuple[str, list[str]]]]


def _groups(grid: Grid) -> Iterator[_Group]:
    """Returns the sets of ``grid``, those in step together."""
    if not isinstance(grid, Mapping):
        points = list(grid)
        if not points:
            raise ValueError("the sequence of points is empty; give one at least")
        keys = list(points[0])
        for number, point in enumerate(points):
            if point.keys() != points[0].keys():
                raise ValueError(f"point {number} has the keys {list(point)}, point 0 has {keys}; give all the same")
        yield [(key, [_text(point[key]) for point in points]) for key in keys]
        return
    for key, values in grid.items():
        if isinstance(values, str):
            yield f"{key}={values}"
        elif isinstance(key, tuple):
            rows = [tuple(row) for row in values]
            if any(len(row) != len(key) for row in rows):
                raise ValueError(f"{key} has {len(key)} keys; give tuples of as many values")
            yield [(one, [_text(row[place]) for row in rows]) for place, one in enumerate(key)]
        else:
            yield [(key, [_text(value) for value in values])]


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    # Numbers of NumPy as those of Python.
    item = getattr(value, "item", None)
    return repr(item() if item is not None else value)


def latin_hypercube(
    ranges: Mapping[str, tuple[float, float]], points: int, *, seed: int = 1
) -> list[dict[str, Value]]:
    """Draws ``points`` points from ``ranges`` by a Latin hypercube (SciPy): each key has a value in each of ``points`` parts.

    ``ranges`` maps keys to least and greatest value; where both are whole numbers, the values are. The same ``seed`` draws
    the same points.
    """
    from scipy.stats import qmc  # type: ignore[import-untyped, unused-ignore]

    return _scaled(ranges, qmc.LatinHypercube(d=len(ranges), rng=seed).random(points))


def sobol(ranges: Mapping[str, tuple[float, float]], points: int, *, seed: int = 1) -> list[dict[str, Value]]:
    """Takes the first ``points`` points of a scrambled Sobol sequence (SciPy) from ``ranges``, best a power of 2.

    ``ranges`` and ``seed`` are as for :func:`latin_hypercube`.
    """
    from scipy.stats import qmc  # type: ignore[import-untyped, unused-ignore]

    return _scaled(ranges, qmc.Sobol(d=len(ranges), scramble=True, rng=seed).random(points))


def _scaled(ranges: Mapping[str, tuple[float, float]], unit: Any) -> list[dict[str, Value]]:
    def value(least: float, greatest: float, part: float) -> Value:
        if isinstance(least, int) and isinstance(greatest, int):
            # Each whole number has an equal part.
            return min(least + int(part * (greatest - least + 1)), greatest)
        return least + part * (greatest - least)

    return [
        {key: value(*ends, float(part)) for (key, ends), part in zip(ranges.items(), row)} for row in unit
    ]
