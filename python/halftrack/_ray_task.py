"""One point of a sweep on a worker of Ray. Sent by value, so that a worker that lacks the package can report it."""

from __future__ import annotations

from typing import Any

#: Sweeps of this process by the hash of their octets: one at a time.
_unpacked: dict[str, Any] = {}


def check() -> tuple[str, str]:
    """Returns ``has`` and the version of the model on this worker, or ``lacks`` and why the package cannot be imported."""
    try:
        from halftrack import _native
    except ImportError as error:
        return "lacks", str(error)
    return "has", _native.MODEL_VERSION


def run_point(name: str, pack: list[Any], index: int, whole: bool) -> tuple[str, Any]:
    """Runs point ``index`` of the sweep called ``name``, whose octets are those of the one reference in ``pack``.

    Returns a word and what it is about: ``over`` with content key, outcome and run; or ``lacks`` or ``differs`` with a
    message, where this worker is not like the others.
    """
    sweep = _unpacked.get(name)
    if sweep is None:
        word, about = check()
        if word != "has":
            return word, about
        import ray
        from halftrack import _native

        try:
            sweep = _native.PackedSweep.unpack(ray.get(pack[0]))
        except _native.VersionMismatch as error:
            return "differs", str(error)
        _unpacked.clear()
        _unpacked[name] = sweep
    return "over", sweep.run_point(index, whole)
