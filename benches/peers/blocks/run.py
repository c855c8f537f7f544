#!/usr/bin/env python3
"""Times reads from servers of blocks, and `halftrack bench link` in turn: run.py [--halftrack PATH] [--rounds N].

`nbdkit` and `tgt` serve 64 MiB from memory over TCP on this host, as many octets as the volume of the bench has. `fio` with
its NBD engine and `iscsi-perf` read them at random, one process with one job, 128 at a time, as the bench does over zHPF and
over FCP. `iscsi-perf` reports no percentiles. Prints a JSON line a measurement and a table of the medians at the end, beside
the bench's own bare loop of the same frames. Needs the Debian packages nbdkit, fio, tgt and libiscsi-bin, and root for tgtd.
"""

import argparse
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

SIZE = "64M"
SIZE_BYTES = 64 << 20
TARGET = "iqn.2026-11.peer:blocks"
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
    raise SystemExit("the server did not become ready")


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


def run_iscsi_perf(port, blocks, depth):
    """Reads a second of iscsi-perf, of so many blocks of 512 octets."""
    command = ["iscsi-perf", "-r", "-b", str(blocks), "-m", str(depth), "-t", str(SECONDS),
               f"iscsi://127.0.0.1:{port}/{TARGET}/1"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE_S)
    return float(re.findall(r"iops average (\d+) ", done.stdout)[-1])


def measure_tgt():
    """The same from tgt, without percentiles."""
    port, control = free_port(), "71"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        store = Path(directory) / "store"
        store.write_bytes(bytes(SIZE_BYTES))
        server = subprocess.Popen(["tgtd", "-f", "-C", control, "--iscsi", f"portal=127.0.0.1:{port}"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(port)
            for more in (["--op", "new", "--mode", "target", "-T", TARGET],
                         ["--op", "new", "--mode", "logicalunit", "--lun", "1", "--backing-store", str(store)],
                         ["--op", "bind", "--mode", "target", "-I", "ALL"]):
                subprocess.run(["tgtadm", "-C", control, "--lld", "iscsi", "--tid", "1", *more], check=True)
            short, long = run_iscsi_perf(port, 8, DEPTH), run_iscsi_perf(port, 256, 16)
        finally:
            # It ends on no other signal while a target is there.
            server.kill()
            server.wait()
    return {"4k_read_per_s": short, "128k_read_mb_per_s": long * (128 << 10) / 1e6, "p99_qd1_us": None}


def measure_halftrack(command):
    """The same of the bench, over zHPF and over FCP, and its bare loop."""
    done = subprocess.run([command, "bench", "link", "--quick", "--json"], check=True, capture_output=True, text=True,
                          timeout=PATIENCE_S)
    found = json.loads(done.stdout)
    of = lambda protocol: {"4k_read_per_s": found[f"{protocol}_4k_read_per_s"],
                           "128k_read_mb_per_s": found[f"{protocol}_128k_read_mb_per_s"]}
    return {"zhpf": {**of("zhpf"), "p99_qd1_us": found["p99_qd1_us"]},
            "fcp": {**of("fcp"), "p99_qd1_us": found["fcp_p99_qd1_us"]},
            "bare loop": {"4k_read_per_s": found["bare_loop_4k_per_s"], "128k_read_mb_per_s": None, "p99_qd1_us": None}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parents[3]
    parser.add_argument("--halftrack", default=root / "target/ship/halftrack", type=Path)
    parser.add_argument("--rounds", default=3, type=int)
    arguments = parser.parse_args()
    if not arguments.halftrack.exists():
        sys.exit(f"{arguments.halftrack} is not there: build it (make run), or name it with --halftrack")
    found = {}
    for _ in range(max(arguments.rounds, 1)):
        measured = {"nbdkit, fio": measure_nbd(), "tgt, iscsi-perf": measure_tgt(),
                    **measure_halftrack(arguments.halftrack)}
        for who, figures in measured.items():
            found.setdefault(who, []).append(figures)
            print(json.dumps({"who": who, **figures}), flush=True)
    print(f"{'':20}" + "".join(f"{who:>18}" for who in found))
    for key in next(iter(found.values()))[0]:
        medians = [[run[key] for run in runs if run[key] is not None] for runs in found.values()]
        print(f"{key:20}" + "".join(f"{median(values):18.1f}" if values else f"{'-':>18}" for values in medians))
    both = zip(found["fcp"], found["zhpf"])
    ratios = [{key: fcp[key] / zhpf[key] for key in fcp} for fcp, zhpf in both]
    print(f"{'fcp to zhpf, paired':20}" + "".join(
        f"  {key} {median(one[key] for one in ratios):.3f}" for key in ratios[0]))


if __name__ == "__main__":
    main()
