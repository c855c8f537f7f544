"""Prints medians and ratios of the lines that run.sh has collected: table.py FILE."""

import json
import sys
from statistics import median

EXACT_RESPONSE_US = 100.0 * (64 + 5 - 1) / 5

speeds = {}
calibrations_ns = []
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        figures = json.loads(line)
        if "tandem_hops_per_s" in figures:
            calibrations_ns.append(figures["calibration_ns"])
            speeds.setdefault("halftrack, engine with statistics", []).append(figures["tandem_hops_per_s"])
            speeds.setdefault("hand-written loop", []).append(figures["hand_loop_hops_per_s"])
            speeds.setdefault("the same, services drawn one ahead", []).append(
                figures["hand_loop_ahead_hops_per_s"])
        else:
            assert abs(figures["response_us"] / EXACT_RESPONSE_US - 1.0) < 0.05, f"not the tandem: {line}"
            speeds.setdefault(figures["program"], []).append(figures["hops_per_s"])

ours = speeds["halftrack, engine with statistics"]
print(f"{'program':<36}{'hops/s, median':>16}{'best':>14}{'ns a hop':>10}{'engine is':>12}")
for program, theirs in speeds.items():
    ratio = median(our / their for our, their in zip(ours, theirs))
    print(f"{program:<36}{median(theirs):>16,.0f}{max(theirs):>14,.0f}{1e9 / median(theirs):>10.1f}{ratio:>10.2f} x")
print(f"{len(ours)} rounds; calibration_ns median {median(calibrations_ns):,.0f}, least {min(calibrations_ns):,}")
