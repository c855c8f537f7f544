#!/usr/bin/env python3
"""Times 4 KiB reads from an NBD server, and `halftrack bench link` in turn: run.py [--halftrack PATH] [--rounds N].

`nbdkit` serves 64 MiB from memory over TCP on this host, as many octets as the volume of the bench has; `fio` with its
NBD engine reads them at random, one process with one job, 128 at a time, as the bench does. Prints a JSON line a
measurement and a table with the ratio of the medians at the end. Needs nbdkit and fio (Debian packages of these names).
"""

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

SIZE = "64M"
DEPTH = 128
SECONDS = 3
# Longest time of a measurement, s.
PATIENCE_S = 300


def free_port():
    """A TCP port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    """Waits until the server listens."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("nbdkit did not become ready")


def run_fio(directory, port, kind, size, depth):
    """What fio reports of one read job."""
    command = ["fio", f"--name={kind}", "--ioengine=nbd", f"--uri=nbd://127.0.0.1:{port}/", f"--rw={kind}",
               f"--bs={size}", f"--iodepth={depth}", f"--size={SIZE}", "--time_based", f"--runtime={SECONDS}",
               "--output-format=json", "--thread"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE_S, cwd=directory)
    return json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]["read"]


def measure_nbd():
    """4 KiB reads a second at depth 128, 128 KiB in 10^6 bytes a second at depth 16, and the 99th percentile at depth 1."""
    port = free_port()
    with tempfile.TemporaryDirectory() as directory:
        server = subprocess.Popen(["nbdkit", "--foreground", "--exit-with-parent", "--ipaddr=127.0.0.1",
                                   f"--port={port}", "memory", SIZE])
        try:
            wait_for(port)
            short = run_fio(directory, port, "randread", "4k", DEPTH)
            long = run_fio(directory, port, "randread", "128k", 16)
            single = run_fio(directory, port, "randread", "4k", 1)
        finally:
            server.terminate()
            server.wait()
    return {"4k_read_per_s": short["iops"], "128k_read_mb_per_s": long["bw_bytes"] / 1e6,
            "p99_qd1_us": single["clat_ns"]["percentile"]["99.000000"] / 1e3}


def measure_halftrack(command):
    """The same of the bench."""
    done = subprocess.run([command, "bench", "link", "--quick", "--json"], check=True, capture_output=True, text=True,
                          timeout=PATIENCE_S)
    found = json.loads(done.stdout)
    return {"4k_read_per_s": found["zhpf_4k_read_per_s"], "128k_read_mb_per_s": found["zhpf_128k_read_mb_per_s"],
            "p99_qd1_us": found["p99_qd1_us"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parents[3]
    parser.add_argument("--halftrack", default=root / "target/ship/halftrack", type=Path)
    parser.add_argument("--rounds", default=3, type=int)
    arguments = parser.parse_args()
    if not arguments.halftrack.exists():
        sys.exit(f"{arguments.halftrack} is not there: build it (make run), or name it with --halftrack")
    found = {"nbd": [], "halftrack": []}
    for _ in range(max(arguments.rounds, 1)):
        found["nbd"].append(measure_nbd())
        found["halftrack"].append(measure_halftrack(arguments.halftrack))
        for who in found:
            print(json.dumps({"who": who, **found[who][-1]}), flush=True)
    print(f"{'':20} {'nbdkit, fio':>14} {'halftrack':>14} {'ratio':>8}")
    for key in found["nbd"][0]:
        theirs, ours = (median(run[key] for run in found[who]) for who in ("nbd", "halftrack"))
        print(f"{key:20} {theirs:14.1f} {ours:14.1f} {ours / theirs:8.2f}")


if __name__ == "__main__":
    main()
