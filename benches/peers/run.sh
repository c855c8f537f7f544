#!/usr/bin/env bash
# Builds halftrack and the peers, runs all of them in turn, round by round, and prints a table.
# usage: run.sh [ROUNDS]
# HALFTRACK names a halftrack already built, PEERS a directory of peers already built, VENV a Python with SimPy.
set -euo pipefail
cd "$(dirname "$0")"
rounds=${1:-7}

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
    cargo build --quiet --release
    PEERS=${CARGO_TARGET_DIR:-target}/release
fi

lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
for _ in $(seq "$rounds"); do
    "$HALFTRACK" bench engine --json | tr -d '\n' >>"$lines"
    echo >>"$lines"
    "$PEERS/desru_tandem" 4000000 >>"$lines"
    "$PEERS/nexosim_tandem" 1000000 >>"$lines"
    "$venv/bin/python" simpy_tandem.py 100000 >>"$lines"
done
python3 table.py "$lines"
