#!/bin/sh
# One training step of two peers on threads against two independent single-peer processes side by side,
# as a ratio from one run. Rounds alternate, and the time of a step is the difference of a long and
# a short run, so that loading data and evaluating the result cancel.
#
#   bench/step_overhead.sh [program] [rounds] [short] [long]
#
# MODEL (cnn), BATCH (32), ALGORITHM (allreduce-sgd) and SEED (1) come from the environment.
set -eu

program=${1:-build/release/starling}
rounds=${2:-5}
short=${3:-100}
long=${4:-600}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# train PEERS STEPS FOLDER
train() {
  "$program" train --on threads --peers "$1" --algorithm "${ALGORITHM:-allreduce-sgd}" \
    --model "${MODEL:-cnn}" --data fashion-mnist --steps "$2" --batch "${BATCH:-32}" --lr 0.05 \
    --evaluation-samples 100 --seed "${SEED:-1}" --out "$3" >"$3.log" 2>&1 ||
    { cat "$3.log" >&2; exit 1; }
}

# wall FOLDER: seconds of that run
wall() {
  sed -n 's/.*"wall_seconds": *\([0-9.e+-]*\).*/\1/p' "$1/summary.json"
}

# threads STEPS: seconds of two peers in one process
threads() {
  rm -rf "$scratch/both"
  train 2 "$1" "$scratch/both"
  wall "$scratch/both"
}

# processes STEPS: mean seconds of two processes with one peer each
processes() {
  rm -rf "$scratch/first" "$scratch/second"
  train 1 "$1" "$scratch/first" & first=$!
  train 1 "$1" "$scratch/second" & second=$!
  wait "$first"
  wait "$second"
  echo "$(wall "$scratch/first") $(wall "$scratch/second")" | awk '{print ($1 + $2) / 2}'
}

round=0
while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  threads_short=$(threads "$short")
  processes_short=$(processes "$short")
  threads_long=$(threads "$long")
  processes_long=$(processes "$long")
  echo "$threads_short $threads_long $processes_short $processes_long"
done | awk -v steps=$((long - short)) -v rounds="$rounds" '
  {
    threads = ($2 - $1) / steps * 1e3
    processes = ($4 - $3) / steps * 1e3
    ratios[NR] = threads / processes
    printf "round %d: threads %.3f ms a step, processes %.3f ms, ratio %.3f\n", NR, threads, processes,
           ratios[NR]
  }
  END {
    if (NR != rounds) { exit 1 }
    for (i = 1; i <= NR; ++i) {
      for (k = i + 1; k <= NR; ++k) {
        if (ratios[k] < ratios[i]) { kept = ratios[i]; ratios[i] = ratios[k]; ratios[k] = kept }
      }
    }
    printf "median ratio %.3f\n", ratios[int((NR + 1) / 2)]
  }'
