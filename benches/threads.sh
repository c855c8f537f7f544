#!/usr/bin/env bash
# What more threads can bring: the time of each process of a run alone, and from it the least time of an I/O on 1 to 16 threads.
# usage: benches/threads.sh [ROUNDS] [STUDY]      [5] [the largest z16]
#
# A run has two processes, so that 2 threads are the most that work: channels with storage and images with SAPs where those are
# full, else SAPs with channels and images with storage. With more of them images could be divided by partition and storage by box;
# channels are the serial part, with SAPs where these are not with the images. The bound assumes that nothing is waited for and
# that what is divided is divided evenly. HALFTRACK names a command already built.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5}
if [[ -z ${HALFTRACK:-} ]]; then
  make --no-print-directory ship >&2
  HALFTRACK=${CARGO_TARGET_DIR:-target}/ship/halftrack
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
study=${2:-$work/max200}
if [[ -z ${2:-} ]]; then
  "$HALFTRACK" study new --model Max200 --channels 384 --bases 49152 --aliases 16384 "$study" >/dev/null
fi

# word KEY: a word of the JSON object that bench prints.
word() { sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" "$work/run.json"; }
# number KEY: a number of the JSON object that bench prints; 0 for none.
number() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\|null\),\{0,1\}\$/\1/p" "$work/run.json" | sed 's/null/0/'; }

for round in $(seq "$rounds"); do
  "$HALFTRACK" bench "$study" --processes --set workload.run.warmup_s=0.01 --set workload.run.interval_s=0.1 \
    --set workload.run.intervals=1 --json >"$work/run.json" 2>/dev/null
  echo "$(number channels_ns_per_io) $(number images_ns_per_io) $(number storage_ns_per_io) $(number ios) $(number simulated_s)" \
    "$(number calibration_ns) $(word saps_with)" >>"$work/table"
  echo "round $round of $rounds" >&2
done

awk '
  # median(COLUMN): the median of all rounds.
  function median(column,   i, j, kept, list) {
    for (i = 1; i <= NR; i++) list[i] = value[column, i]
    for (i = 2; i <= NR; i++)
      for (j = i; j > 1 && list[j - 1] > list[j]; j--) { kept = list[j]; list[j] = list[j - 1]; list[j - 1] = kept }
    return list[int((NR + 1) / 2)]
  }
  function max(a, b) { return a > b ? a : b }
  function row(threads, busiest, ns) {
    printf "| %d | %s | %.0f | %.2f |\n", threads, busiest, ns, 1e9 / (ns * rate)
  }
  { for (column = 1; column <= NF; column++) value[column, NR] = $column }
  END {
    channels = median(1); images = median(2); storage = median(3); rate = median(4) / median(5)
    is_parted = value[7, 1] == "images"
    of_channels = is_parted ? "channels" : "SAPs and channels"; of_images = is_parted ? "images and SAPs" : "images"
    printf "%s %.0f ns an I/O, %s %.0f, storage %.0f; calibration_ns %d; medians of %d rounds\n\n", \
      of_channels, channels, of_images, images, storage, median(6), NR
    print "| threads | busiest | ns an I/O, at least | real-time factor, at most |\n| --- | --- | --- | --- |"
    row(1, "all", channels + images + storage)
    rest = images + storage
    if (is_parted) row(2, images > channels + storage ? of_images : "channels and storage", max(images, channels + storage))
    else row(2, rest > channels ? "images and storage" : of_channels, max(channels, rest))
    for (threads = 3; threads <= 16; threads = threads < 4 ? 4 : threads * 2) {
      share = rest / (threads - 1)
      row(threads, (share > channels ? of_images " and storage, divided" : of_channels) (", not built"), max(channels, share))
    }
  }
' "$work/table"
