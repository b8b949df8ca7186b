#!/bin/sh
# All-reduce of f32: Starling's threads beside Open MPI's shared memory and the bound that memory sets
# (an add and a copy of (n-1)/n of the bytes by every thread, nobody waiting), alternately in one go.
# Usage: bench/compare_open_mpi.sh [BUILD_DIR] ; needs openmpi-bin and a build with benchmarks (found by CMake).
# PEERS, SIZES and REPEATS choose what is measured; the ratios at the end are of what was.
set -eu

build=${1:-build/release}
repeats=${REPEATS:-3}
peers=${PEERS:-2 4 8}
sizes=${SIZES:-65536 1048576 16777216 67108864}
ours=$build/thread_all_reduce
theirs=$build/open_mpi_all_reduce
bound=$build/memory_bound
for program in "$ours" "$theirs" "$bound"; do
  [ -x "$program" ] || { echo "compare_open_mpi: $program is missing; build it with openmpi installed" >&2; exit 2; }
done

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

as_root=
[ "$(id -u)" -ne 0 ] || as_root=--allow-run-as-root

rows=$(mktemp -d)
trap 'rm -rf "$rows"' EXIT
: >"$rows/all"
printf '%5s %10s %12s %12s %12s %10s %10s %10s %8s %9s\n' \
  peers bytes ours_us open_mpi_us bound_us ours_GB/s mpi_GB/s bound_GB/s of_mpi of_bound
for n in $peers; do
  for bytes in $sizes; do
    : >"$rows/ours"; : >"$rows/theirs"; : >"$rows/bound"
    i=0
    while [ "$i" -lt "$repeats" ]; do
      "$ours" "$n" "$bytes" | awk '{ print $1 }' >>"$rows/ours"
      mpirun $as_root --oversubscribe -n "$n" --mca btl self,vader "$theirs" "$bytes" 2>"$rows/err" |
        awk '{ print $1 }' >>"$rows/theirs"
      "$bound" "$n" "$bytes" | awk '{ print $1 }' >>"$rows/bound"
      i=$((i + 1))
    done
    [ -s "$rows/theirs" ] || { echo "compare_open_mpi: mpirun gave nothing:" >&2; cat "$rows/err" >&2; exit 2; }
    a=$(median <"$rows/ours"); b=$(median <"$rows/theirs"); c=$(median <"$rows/bound")
    echo "$n $bytes $a $b $c" >>"$rows/all"
    awk -v n="$n" -v m="$bytes" -v a="$a" -v b="$b" -v c="$c" 'BEGIN {
      bus = 2 * (n - 1) / n * m / 1e9
      printf "%5d %10d %12.1f %12.1f %12.1f %10.3f %10.3f %10.3f %7.2fx %7.0f %%\n",
        n, m, a * 1e6, b * 1e6, c * 1e6, bus / a, bus / b, bus / c, b / a, 100 * c / a }'
  done
done

# What the project asks of itself: 4 times Open MPI's bus bandwidth from 16 MiB on, at least its own from
# 64 KiB on; 60 % of the bound at 64 MiB with two peers.
awk '
  function say(what, found, asked) {
    printf "%-44s %6.2f, asked %.2f: %s\n", what, found, asked, (found >= asked ? "yes" : "no") }
  BEGIN { print "" }
  $2 >= 65536 {
    say("over Open MPI, n = " $1 ", " $2 " bytes", $4 / $3, $2 >= 16777216 ? 4 : 1) }
  $1 == 2 && $2 == 67108864 { say("of the bound, n = 2, " $2 " bytes", $5 / $3, 0.6) }
' "$rows/all"
