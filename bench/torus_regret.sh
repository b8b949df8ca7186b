#!/bin/sh
# What the choice of "auto" costs on simulated tori: its time over that of the fastest algorithm, length by length,
# and how far the cost model's predictions are from the simulated times.
# Usage: bench/torus_regret.sh [PROGRAM]
# TORI and SIZES choose what is simulated, ALGORITHMS who competes, OPERATION what they do. Algorithms that leave
# different bits at different ranks (swing-latency, trivance-latency) do not compete.
set -eu

starling=${1:-build/release/starling}
tori=${TORI:-4x4 8x4 8x8 4x4x4 16x8 16x16 8x8x8}
sizes=${SIZES:-1KiB,4KiB,16KiB,64KiB,256KiB,1MiB,4MiB,16MiB,64MiB,256MiB}
algorithms=${ALGORITHMS:-all}
operation=${OPERATION:-all-reduce}

printf '%-8s %11s %-20s %12s %-20s %12s %8s\n' torus bytes auto us fastest us regret
worst=$(mktemp)
rows=$(mktemp)
trap 'rm -f "$worst" "$rows"' EXIT
for torus in $tori; do
  peers=$(echo "$torus" | awk -Fx '{ n = 1; for (k = 1; k <= NF; ++k) n *= $k; print n }')
  "$starling" bench "$operation" --algorithm "$algorithms" --on sim --platform "torus:$torus" --peers "$peers" \
    --sizes "$sizes" --json --quiet >"$rows"
  awk -v torus="$torus" -v worst="$worst" '
      function field(name) {
        if (!match($0, "\"" name "\":[^,}]*")) return ""
        value = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
        gsub(/"/, "", value)
        return value
      }
      function show() {
        regret = 100 * (auto / best - 1)
        printf "%-8s %11d %-20s %12.1f %-20s %12.1f %6.1f %%\n", \
          torus, bytes, chosen, auto * 1e6, fastest, best * 1e6, regret
        fflush()
        if (regret > most) most = regret
      }
      field("algorithm") ~ /-latency$/ { next }
      field("bytes") != bytes { if (bytes != "") show(); bytes = field("bytes"); best = 1e99 }
      {
        seconds = field("seconds_median") + 0
        error = field("prediction_error") + 0
        if (error < 0) error = -error
        if (error > off) { off = error; who = field("chosen") " at " bytes }
      }
      field("algorithm") == "auto" { chosen = field("chosen"); auto = seconds; next }
      seconds < best { best = seconds; fastest = field("algorithm") }
      END {
        show()
        printf "%-8s regret at most %.1f %%, predictions off by at most %.1f %% (%s)\n", \
          torus, most, 100 * off, who >> worst
      }' "$rows"
done
echo
cat "$worst"
