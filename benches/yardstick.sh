#!/usr/bin/env bash
# The speed of the twin on three studies, in rounds that take every run in turn, so that a machine that is slower for a while is
# slower for all of them: medians, with the least and the greatest.
# usage: benches/yardstick.sh [ROUNDS]        [10]
#
# YARDSTICK names the source of a bare machine in Rust, which prints "wall ns/io N" for the arguments THREADS MS WINDOW: a loop with
# the state and the events of the largest machine and nothing else. Where it is named, ratios stand beside it, round by round.
# HALFTRACK names a command already built. Other work on the machine disturbs every figure.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-10}
if [[ -z ${HALFTRACK:-} ]]; then
  make --no-print-directory ship >&2
  HALFTRACK=${CARGO_TARGET_DIR:-target}/ship/halftrack
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$HALFTRACK" study new --model Max200 --channels 384 --bases 49152 --aliases 16384 "$work/max200" >/dev/null
"$HALFTRACK" study new --model Max200 --channels 1 --bases 128 --aliases 42 --jobs 48 "$work/one" >/dev/null
if [[ -n ${YARDSTICK:-} ]]; then
  rustc -O -C target-cpu=native --edition 2021 -A warnings "$YARDSTICK" -o "$work/bare"
fi

# number KEY: a number of the JSON object that bench prints.
number() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" "$work/run.json"; }

# timed NAME STUDY SECONDS [ARGUMENT...]: ns of wall time an I/O of a run of so many seconds of virtual time into the table.
timed() {
  local name=$1 study=$2 seconds=$3
  shift 3
  "$HALFTRACK" bench "$study" --warmup 0.01 --set "workload.run.interval_s=$seconds" --set workload.run.intervals=1 --json "$@" \
    >"$work/run.json" 2>/dev/null
  echo "$name $round $(awk "BEGIN { print $(number wall_s) * 1e9 / $(number ios) }") $(number real_time_factor)" >>"$work/table"
}

# bare THREADS: the same of the bare machine.
bare() {
  "$work/bare" "$1" 100 8 >"$work/bare.txt"
  echo "bare-$1 $round $(sed -n 's/.*wall ns\/io \([0-9.]*\).*/\1/p' "$work/bare.txt") 0" >>"$work/table"
}

for round in $(seq "$rounds"); do
  for threads in 1 2; do
    [[ ! -e $work/bare ]] || bare "$threads"
    timed "max200-$threads" "$work/max200" 0.1 --threads "$threads!"
  done
  timed one-channel-1 "$work/one" 1 --threads '1!'
  for threads in 1 2; do
    timed "fex32s-$threads" studies/fex32s-zhpf-4k 1 --threads "$threads!"
    timed "oltp-$threads" studies/z16-oltp 1 --threads "$threads!"
  done
  timed oltp-frame-1 studies/z16-oltp 1 --threads '1!' --fidelity frame
  echo "calibration $round $(number calibration_ns) 0" >>"$work/table"
  echo "round $round of $rounds" >&2
done

awk '
  # median LIST N: "median (least to greatest)"; asort is not in every awk.
  function median(list, n, digits,   i, j, kept) {
    for (i = 2; i <= n; i++)
      for (j = i; j > 1 && list[j - 1] > list[j]; j--) { kept = list[j]; list[j] = list[j - 1]; list[j - 1] = kept }
    return sprintf("%." digits "f (%." digits "f to %." digits "f)", list[int((n + 1) / 2)], list[1], list[n])
  }
  { ns[$1, $2] = $3; factor[$1, $2] = $4; if ($2 > rounds) rounds = $2 }
  function row(words, of, over, scale, digits,   round, n, list) {
    for (round = 1; round <= rounds; round++)
      if ((of, round) in ns && (over == "" || (over, round) in ns)) list[++n] = over == "" ? scale / ns[of, round] : ns[over, round] / ns[of, round]
    if (n) printf "| %s | %s |\n", words, median(list, n, digits)
  }
  function plain(words, of, table, digits,   round, n, list) {
    for (round = 1; round <= rounds; round++) if ((of, round) in table) list[++n] = table[of, round]
    if (n) printf "| %s | %s |\n", words, median(list, n, digits)
  }
  END {
    printf "| what | median of %d rounds (least to greatest) |\n| --- | --- |\n", rounds
    plain("bare machine, one thread, ns an I/O", "bare-1", ns, 0)
    plain("bare machine, two threads, ns an I/O", "bare-2", ns, 0)
    for (threads = 1; threads <= 2; threads++) {
      words = threads == 1 ? "one thread" : "two threads"
      plain("Max200, " words ", ns an I/O", "max200-" threads, ns, 0)
      plain("Max200, " words ", real-time factor", "max200-" threads, factor, 3)
      row("Max200, " words ", of the bare machine on as many", "max200-" threads, "bare-" threads, 0, 2)
    }
    row("Max200, two threads, times one", "max200-2", "max200-1", 0, 2)
    row("one full channel, one thread, million I/Os a second", "fex32s-1", "", 1000, 2)
    row("one full channel, two threads, times one", "fex32s-2", "fex32s-1", 0, 2)
    row("z16-oltp, one thread, million I/Os a second", "oltp-1", "", 1000, 2)
    row("z16-oltp, two threads, times one", "oltp-2", "oltp-1", 0, 2)
    row("z16-oltp in bursts, times frames", "oltp-1", "oltp-frame-1", 0, 2)
    row("an I/O of 384 channels, times one of 1 channel", "one-channel-1", "max200-1", 0, 2)
    plain("calibration_ns", "calibration", ns, 0)
  }
' "$work/table"
