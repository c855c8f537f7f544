#!/usr/bin/env python3
"""Times 4 KiB reads in Hercules, and in halftrack in turn: run.py [--halftrack PATH] [--rounds N] [--directory DIR].

Makes a 3390 volume of 1 GiB of 4 KiB records in DIR, brings it into the page cache, and lets Hercules run read_loop.py
against it, the same record and random ones, both ways of waiting for the status. Prints a JSON line a measurement and a
table at the end.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
# Cylinders of 15 tracks of twelve 4 KiB records: cylinder 0, and the least number with 1 GiB.
CYLINDERS = 1 + -(-(1 << 30) // (15 * 12 * 4096))
PROGRAMS = {"same": 4_000_000, "random": 200_000}
PAUSES = ["poll", "wait"]
TIMES = ["per_s", "per_processor_s"]
# Longest time of a measurement, s.
PATIENCE_S = 300
CONFIGURATION = """\
CPUSERIAL 000001
CPUMODEL 3090
ARCHMODE ESA/390
MAINSIZE 16
NUMCPU 1
0A80 3390 {volume} syncio
"""


def make_volume(directory):
    """An image of which every 4 KiB record begins with its own address."""
    volume = directory / "volume.ckd"
    subprocess.run(["dasdinit", "-linux", "-lfs", volume, "3390", "HT0001", str(CYLINDERS)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([sys.executable, HERE / "number_records.py", volume], check=True)
    return volume


def wait_address(log, process):
    """The address of the disabled wait that the program ends in."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        words = log.read_text(errors="replace").split("Disabled wait state")
        if len(words) > 1 and len(psw := words[1].split()[:2]) == 2:
            return int(psw[1], 16) & 0x7FFFFFFF
        time.sleep(0.05)
    raise SystemExit(f"Hercules did not come to an end:\n{log.read_text(errors='replace')[-2000:]}")


def run_hercules(directory, volume, programs, kind, pause):
    """Seconds by the guest's clock, and of processor time of all of Hercules."""
    configuration, core, commands, log = (directory / name for name in ["cnf", "core", "rc", "log"])
    configuration.write_text(CONFIGURATION.format(volume=volume))
    commands.write_text(f"loadcore {core} 0\nrestart\npause {PATIENCE_S}\n")
    subprocess.run([sys.executable, HERE / "read_loop.py", core, str(programs), kind, pause, str(CYLINDERS)], check=True)
    with log.open("wb") as output:
        process = subprocess.Popen(["hercules", "-d", "-f", configuration], stdin=subprocess.PIPE, stdout=output,
                                   stderr=output, env={**os.environ, "HERCULES_RC": str(commands)})
        try:
            address = wait_address(log, process)
        finally:
            process.kill()
            usage = os.wait4(process.pid, 0)[2]
    if address >> 8 == 0x7FFFFF:
        raise SystemExit(f"Hercules: the program ended with failure {address & 0xFF:02X}, see read_loop.py")
    return address / 1e6, usage.ru_utime + usage.ru_stime


def hercules(directory, volume, kind, pause):
    """Programs a second by the guest's clock, and a second of processor time, start and first pass taken off."""
    programs = PROGRAMS[kind]
    _, start_s = run_hercules(directory, volume, 1, kind, pause)
    wall_s, processor_s = run_hercules(directory, volume, programs, kind, pause)
    return {"program": "hercules", "kind": kind, "pause": pause, "per_s": programs / wall_s,
            "per_processor_s": programs / max(processor_s - start_s, 1e-9)}


def halftrack(path):
    """The figures of halftrack."""
    text = subprocess.run([path, "bench", "volume", "--json"], check=True, capture_output=True, text=True).stdout
    return {"program": "halftrack", **json.loads(text)}


def table(lines):
    """Medians: of Hercules the better way of waiting and the better of both ways to measure time."""
    ours = [line for line in lines if line["program"] == "halftrack"]
    print(f"{'':<24}{'hercules/s':>14}{'halftrack/s':>14}{'ratio':>8}")
    for name, kind, key in [("same record", "same", "same_record_per_s"),
                            ("same record, transport", "same", "same_record_transport_per_s"),
                            ("random over 1 GiB", "random", "random_1gib_per_s")]:
        theirs = max(median(line[time] for line in lines if (line.get("kind"), line.get("pause")) == (kind, pause))
                     for pause in PAUSES for time in TIMES)
        row = f"{name:<24}{theirs:>14,.0f}"
        if ours:
            our = median(line[key] for line in ours)
            row += f"{our:>14,.0f}{our / theirs:>7.1f}x"
        print(row)


def main():
    """Everything in turn, round by round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--halftrack", metavar="PATH", help="a halftrack already built (profile ship)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--directory", metavar="DIR", help="where 1.3 GB are free; the system's temporary directory")
    arguments = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory(dir=arguments.directory) as name:
        directory = Path(name)
        volume = make_volume(directory)
        for _ in range(arguments.rounds):
            measured = [hercules(directory, volume, kind, pause) for kind in PROGRAMS for pause in PAUSES]
            if arguments.halftrack:
                measured.append(halftrack(arguments.halftrack))
            for line in measured:
                print(json.dumps(line), flush=True)
            lines += measured
    table(lines)


if __name__ == "__main__":
    main()
