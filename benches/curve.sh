#!/usr/bin/env bash
# What a simulated I/O costs, from one channel to the whole machine: a table and two pictures.
# usage: benches/curve.sh [DIR]        DIR gets curve.csv and the pictures [out/curve]
#
# Each size is a study of `halftrack study new`: a Max200 with 128 devices and 43 aliases a channel, and as many jobs as
# keep channels or IOP threads busy. ns are processor time of the run, the least of ROUNDS; instructions are the
# difference of two lengths of the run under callgrind, so that set-up is not in them, where valgrind is there.
# HALFTRACK names a command already built, SIZES the sizes, ROUNDS the rounds.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-out/curve}
sizes=${SIZES:-1 16 48 96 192 384}
rounds=${ROUNDS:-3}
if [ -z "${HALFTRACK:-}" ]; then
    cargo build --quiet --profile ship --package halftrack-cli
    HALFTRACK=${CARGO_TARGET_DIR:-target}/ship/halftrack
fi
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# number KEY FILE: a number of the JSON object that bench prints.
number() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" "$2"; }

# last FROM TO STUDY: sets warm-up and interval.
last() { sed -i -e "s/^warmup_s.*/warmup_s = $1/" -e "s/^interval_s.*/interval_s = $2/" -e "s/^intervals.*/intervals = 1/" "$3/workload.toml"; }

# counted STUDY INTERVAL: instructions and I/Os of a run of that length.
counted() {
    last 0.004 "$2" "$1"
    valgrind --quiet --tool=callgrind --callgrind-out-file="$work/callgrind" "$HALFTRACK" bench "$1" --threads 1 --json \
        >"$work/counted.json" 2>/dev/null
    echo "$(sed -n 's/^\(summary\|totals\): \([0-9]*\).*/\2/p' "$work/callgrind" | tail -1) $(number ios "$work/counted.json")"
}

echo channels,ios_per_s,ns_per_io,instructions_per_io,events_per_io,setup_s,peak_rss_bytes,calibration_ns >"$out/curve.csv"
for channels in $sizes; do
    study=$work/$channels
    jobs=$((channels * 48 < 912 ? channels * 48 : 912))
    "$HALFTRACK" study new --model Max200 --channels "$channels" --bases $((channels * 128)) \
        --aliases $((channels * 128 / 3)) --jobs "$jobs" "$study" >/dev/null
    least=
    # About half a million I/Os a round: a channel does 300,000 in a second, the machine 5.7 million.
    last 0.01 "$(awk "BEGIN { rate = $channels * 300000; if (rate > 5700000) rate = 5700000; print 500000 / rate }")" "$study"
    for _ in $(seq "$rounds"); do
        "$HALFTRACK" bench "$study" --threads 1 --json >"$work/run.json" 2>/dev/null
        ns=$(awk "BEGIN { printf \"%.1f\", $(number first_thread_cpu_s "$work/run.json") * 1e9 / $(number ios "$work/run.json") }")
        if [ -z "$least" ] || awk "BEGIN { exit !($ns < $least) }"; then
            least=$ns
            cp "$work/run.json" "$work/least.json"
        fi
    done
    instructions=
    if command -v valgrind >/dev/null; then
        long=$(awk "BEGIN { rate = $channels * 300000; if (rate > 5700000) rate = 5700000; print 30000 / rate }")
        read -r few_instructions few_ios <<<"$(counted "$study" "$(awk "BEGIN { print $long / 3 }")")"
        read -r more_instructions more_ios <<<"$(counted "$study" "$long")"
        instructions=$(awk "BEGIN { printf \"%.0f\", ($more_instructions - $few_instructions) / ($more_ios - $few_ios) }")
    fi
    json=$work/least.json
    events=$(awk "BEGIN { printf \"%.2f\", $(number events "$json") / $(number ios "$json") }")
    rate=$(awk "BEGIN { printf \"%.0f\", $(number ios "$json") / $(number simulated_s "$json") }")
    echo "$channels,$rate,$least,$instructions,$events,$(number setup_s "$json"),$(number peak_rss_bytes "$json"),$(number calibration_ns "$json")" |
        tee -a "$out/curve.csv"
done
cargo run --quiet --package halftrack-sweep --example growth_curve -- "$out/curve.csv" "$out"
