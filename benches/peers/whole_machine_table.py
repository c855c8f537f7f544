"""Prints medians and ratios of the lines that whole_machine.sh has collected, if all have simulated the same machine.

usage: whole_machine_table.py INTERVALS.json LINES
"""

import json
import sys
from statistics import median

TOLERANCE = 0.05

with open(sys.argv[1], encoding="utf-8") as intervals:
    streams = json.load(intervals)["run"]["streams"]
rates = [stream["rate_per_s"]["mean"] for stream in streams]
RATE_PER_S = sum(rates)
RESPONSE_US = sum(rate * stream["response_us"]["mean"] for rate, stream in zip(rates, streams)) / RATE_PER_S

speeds = {}
calibrations_ns = []
with open(sys.argv[2], encoding="utf-8") as lines:
    for line in lines:
        figures = json.loads(line)
        if "threads" in figures:
            calibrations_ns.append(figures["calibration_ns"])
            if figures["threads"] == 1:
                # Processor time, as of the peers.
                speed = figures["ios"] / figures["first_thread_cpu_s"]
                speeds.setdefault("halftrack, one thread", []).append(speed)
            else:
                speeds.setdefault("halftrack, two threads, wall clock", []).append(figures["ios_per_wall_s"])
            continue
        for key, ours in [("rate_per_s", RATE_PER_S), ("response_us", RESPONSE_US)]:
            if abs(figures[key] / ours - 1.0) >= TOLERANCE:
                sys.exit(f"not the same machine: {key} is {figures[key]} in {figures['program']} and "
                         f"{ours:.6g} in halftrack; whole_machine.json has its times")
        speeds.setdefault(figures["program"], []).append(figures["ios_per_s"])

ours = speeds["halftrack, one thread"]
print(f"the same machine in all: {RATE_PER_S:,.0f} I/Os a second, {RESPONSE_US:.1f} us, within {TOLERANCE:.0%}")
print(f"{'program':<36}{'I/Os/s, median':>16}{'best':>14}{'ns an I/O':>12}{'halftrack is':>14}")
for program, theirs in speeds.items():
    ratio = median(our / their for our, their in zip(ours, theirs))
    print(f"{program:<36}{median(theirs):>16,.0f}{max(theirs):>14,.0f}{1e9 / median(theirs):>12,.0f}{ratio:>12.1f} x")
print(f"{len(ours)} rounds; calibration_ns median {median(calibrations_ns):,.0f}, least {min(calibrations_ns):,}")
