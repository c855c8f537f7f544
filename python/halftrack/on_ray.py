"""Sweeps on Ray: each point a task, its outcome kept by the driver as soon as it comes in."""

from __future__ import annotations

import hashlib
import logging
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from halftrack import _native
from halftrack.sweep import Observed, Observer

__all__ = ["ClusterError", "run_on_ray"]

#: Tasks that wait for each processor of the cluster beside the one that runs, and how many wait at most.
_WAITING_PER_CPU = 7
_MOST_WAITING = 4096
#: Time between two looks at what has ended and at the processors there are, s.
_WAIT_S = 0.1
_CPUS_EVERY = 50
#: Time in which an address must answer, s.
_CONNECT_S = 5.0
#: Variable with the address of the cluster.
_ADDRESS = "RAY_ADDRESS"


class ClusterError(RuntimeError):
    """The cluster cannot be used: it is not there, or its workers lack the package or have another version of it."""


def run_on_ray(
    pack: Callable[[], bytes],
    outcomes: _native.Outcomes,
    *,
    address: str | None = None,
    progress: Observer = None,
    retries: int = 5,
    ship: bool | None = None,
    runtime_env: Mapping[str, Any] | None = None,
    whole: bool = False,
) -> list[int]:
    """Runs the open points of ``outcomes``, those that take longest first; returns those whose workers died each time.

    ``pack`` makes the octets of the sweep, which are put into the object store once. No more tasks are in flight than the
    cluster soon works on, so that the memory of the driver does not grow with the sweep.
    """
    points = outcomes.open()
    if not points:
        return []
    octets = pack()
    for shipped in (False, True) if ship is None else (ship,):
        environment = dict(runtime_env or {})
        with _connected(address, _with_package(environment) if shipped else environment) as is_own:
            tasks = _Tasks(octets, outcomes, retries, whole)
            if ship is None and is_own and not shipped and tasks.lacks_package():
                continue
            observed = Observed(outcomes.over, points, progress)
            try:
                tasks.run(points, observed)
            finally:
                observed.close()
            return tasks.given_up
    raise AssertionError("the package is sent at the second attempt")


class _Tasks:
    """The tasks of one sweep."""

    def __init__(self, pack: bytes, outcomes: _native.Outcomes, retries: int, whole: bool) -> None:
        import ray

        from halftrack import _ray_task

        self._ray: Any = ray
        self._outcomes = outcomes
        self._whole = whole
        self._name = hashlib.sha256(pack).hexdigest()
        # In a list it is not fetched before a task that wants it.
        self._pack = [ray.put(pack)]
        self._flight: dict[Any, tuple[int, float]] = {}
        #: Points whose workers died each time.
        self.given_up: list[int] = []
        # Nodes need not have the package to get the function.
        self._ray.cloudpickle.register_pickle_by_value(_ray_task)
        self._check = ray.remote(_ray_task.check)
        self._run_point = ray.remote(_ray_task.run_point).options(num_cpus=1, max_retries=retries)
        e = ray.exceptions
        self._deaths = (e.WorkerCrashedError, e.NodeDiedError, e.OutOfMemoryError, e.ObjectLostError)

    def lacks_package(self) -> bool:
        """Returns whether a worker lacks the package."""
        word, _ = self._ray.get(self._check.remote())
        return bool(word == "lacks")

    def run(self, points: list[tuple[int, float]], observed: Observed) -> None:
        """Runs ``points``; whatever happens, no task is left behind."""
        try:
            waiting, rounds, most = iter(points), 0, 0
            while True:
                if rounds % _CPUS_EVERY == 0:
                    # Nodes come and go.
                    cpus = max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
                    most = cpus + min(_WAITING_PER_CPU * cpus, _MOST_WAITING)
                rounds += 1
                while len(self._flight) < most and (point := next(waiting, None)) is not None:
                    reference = self._run_point.remote(self._name, self._pack, point[0], self._whole)
                    self._flight[reference] = point
                if not self._flight:
                    return
                self._take_in_some(observed)
        finally:
            self._cancel()

    def _take_in_some(self, observed: Observed) -> None:
        references = list(self._flight)
        done, _ = self._ray.wait(references, num_returns=1, timeout=_WAIT_S)
        if done:
            done, _ = self._ray.wait(references, num_returns=len(references), timeout=0)
        for reference in done:
            index, cost = self._flight[reference]
            self._take_in(index, reference)
            del self._flight[reference]
            observed.ended(cost)

    def _take_in(self, index: int, reference: Any) -> None:
        try:
            word, about = self._ray.get(reference)
        except self._deaths as error:
            # The others go on: a point that kills its workers does not hold them up.
            self.given_up.append(index)
            self._outcomes.give_up(index, f"the worker died each time: {type(error).__name__}: {_first_line(error)}")
            return
        except self._ray.exceptions.RayTaskError as error:
            raise error.as_instanceof_cause() from None
        except self._ray.exceptions.RayError as error:
            raise ClusterError(f"the cluster failed: {type(error).__name__}: {_first_line(error)}") from None
        if word == "over":
            self._outcomes.take_in(index, *about)
        elif word == "lacks":
            raise ClusterError(
                f"workers lack the package halftrack ({about}): install it on every node (pip install ./python), "
                "put it on their PYTHONPATH, or connect with ray.init(runtime_env={'py_modules': [halftrack]})"
            )
        else:
            raise ClusterError(
                f"package and worker have different versions of the model: {about}; install the same halftrack on "
                "every node"
            )

    def _cancel(self) -> None:
        """Cancels what is in flight."""
        for reference in self._flight:
            try:
                self._ray.cancel(reference)
            except Exception:  # noqa: BLE001 - a cluster that is gone has nothing left to cancel
                logging.getLogger(__name__).debug("a task could not be cancelled", exc_info=True)
        self._flight.clear()


def _with_package(environment: dict[str, Any]) -> dict[str, Any]:
    """Returns ``environment`` with this package, which Ray then sends to the nodes."""
    package = str(Path(__file__).resolve().parent)
    return {**environment, "py_modules": [*environment.get("py_modules", []), package]}


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]


@contextmanager
def _connected(address: str | None, environment: dict[str, Any]) -> Iterator[bool]:
    """Connects to the cluster for as long as it is wanted, and yields true; or false: a connection that is there stays."""
    try:
        import ray
    except ImportError as error:
        raise ClusterError(f"Ray is missing ({error}): pip install 'halftrack[ray]'") from None
    if ray.is_initialized():
        yield False
        return
    wanted = address or os.environ.get(_ADDRESS)
    _check_listens(wanted)
    try:
        ray.init(address=wanted, runtime_env=environment or None, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        raise ClusterError(_absent(wanted or "this machine", _first_line(error))) from None
    try:
        yield True
    finally:
        ray.shutdown()


def _check_listens(address: str | None) -> None:
    """Refuses an address where nobody listens, at once: Ray would try it for long."""
    if address is None or address in ("auto", "local"):
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise ClusterError(f"`{address}` is no address of a Ray cluster: write HOST:PORT, or auto")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(_absent(address, str(error))) from None


def _absent(address: str, reason: str) -> str:
    return (
        f"no Ray cluster at {address} ({reason}): start one (ray start --head --port 6379) and name its address, or "
        "leave the address out for the processors of this machine"
    )
