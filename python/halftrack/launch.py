"""Runs the points of a packed sweep on Ray and leaves their whole runs in a cache: what ``halftrack sweep --ray`` starts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from halftrack import _native
from halftrack._errors import StudyError

#: Exit code of bad input: no point was run.
_BAD_INPUT = 2
#: Exit code of a command that Ctrl-C ended.
_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Runs what the command line names, and returns the exit code."""
    parser = argparse.ArgumentParser(prog="halftrack.launch", description=__doc__)
    parser.add_argument("pack", type=Path, help="file of a packed sweep")
    parser.add_argument("cache", type=Path, help="directory of the runs")
    parser.add_argument("--address", help="address of the cluster: HOST:PORT or auto")
    parsed = parser.parse_args(arguments)
    try:
        from halftrack.on_ray import ClusterError, run_on_ray

        octets = parsed.pack.read_bytes()
        outcomes = _native.PackedSweep.unpack(octets).begin(cache=parsed.cache, whole=True)
        found = outcomes.over
        given_up = run_on_ray(
            lambda: octets, outcomes, address=parsed.address, progress=sys.stderr.isatty(), whole=True
        )
        print(f"halftrack: {outcomes.over - found} of {len(outcomes)} points on Ray", file=sys.stderr)
        if given_up:
            print(f"halftrack: the workers of {len(given_up)} points died; they are run here", file=sys.stderr)
    except _native.VersionMismatch as error:
        print(f"halftrack: command and package differ: {error}; install the package of this command", file=sys.stderr)
        return _BAD_INPUT
    except StudyError:
        # No point can be configured: the command has the messages.
        return 0
    except ClusterError as error:
        print(f"halftrack: {error}", file=sys.stderr)
        return _BAD_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
