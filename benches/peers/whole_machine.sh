#!/usr/bin/env bash
# Builds halftrack and the peers, runs the whole machine in each of them in turn, round by round, and prints a table.
# usage: whole_machine.sh [ROUNDS]
# HALFTRACK names a halftrack already built, PEERS a directory of peers already built, VENV a Python with SimPy.
set -euo pipefail
cd "$(dirname "$0")"
rounds=${1:-3}

venv=${VENV:-target/venv}
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --requirement requirements.txt
fi
if [ -z "${HALFTRACK:-}" ]; then
    cargo build --quiet --manifest-path ../../Cargo.toml --profile ship --package halftrack-cli
    HALFTRACK=${CARGO_TARGET_DIR:-../../target}/ship/halftrack
fi
if [ -z "${PEERS:-}" ]; then
    cargo build --quiet --release --bin nexosim_whole_machine
    PEERS=${CARGO_TARGET_DIR:-target}/release
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# 25 jobs in each of 20 partitions: SAPs below their guideline, so that no long line hides a wrong time.
"$HALFTRACK" study new --model Max200 --channels 384 --bases 49152 --aliases 16384 --lpars 20 --km 1 --jobs 500 \
    "$work/study" >/dev/null
sed -i -e 's/^warmup_s.*/warmup_s = 0.005/' -e 's/^interval_s.*/interval_s = 0.1/' -e 's/^intervals.*/intervals = 1/' \
    "$work/study/workload.toml"
"$HALFTRACK" run "$work/study" --out "$work/out" >/dev/null 2>&1
lines=$work/lines
for _ in $(seq "$rounds"); do
    for threads in 1 2; do
        "$HALFTRACK" bench "$work/study" --threads "$threads!" --json 2>/dev/null | tr -d '\n' >>"$lines"
        echo >>"$lines"
    done
    "$PEERS/nexosim_whole_machine" 400000 >>"$lines"
    "$venv/bin/python" whole_machine.py 100000 >>"$lines"
done
python3 whole_machine_table.py "$work/out/intervals.json" "$lines"
