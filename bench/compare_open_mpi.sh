#!/bin/sh
# All-reduce of f32: Starling's threads beside Open MPI's shared memory, alternately in one go.
# Usage: bench/compare_open_mpi.sh [BUILD_DIR] ; needs openmpi-bin and a build with benchmarks (found by CMake).
set -eu

build=${1:-build/release}
repeats=${REPEATS:-3}
peers=${PEERS:-2 4}
sizes=${SIZES:-1024 65536 1048576 16777216 67108864}
ours=$build/thread_all_reduce
theirs=$build/open_mpi_all_reduce
for program in "$ours" "$theirs"; do
  [ -x "$program" ] || { echo "compare_open_mpi: $program is missing; build it with openmpi installed" >&2; exit 2; }
done

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

as_root=
[ "$(id -u)" -ne 0 ] || as_root=--allow-run-as-root

rows=$(mktemp -d)
trap 'rm -rf "$rows"' EXIT
printf '%5s %10s %14s %14s %12s %12s %7s\n' peers bytes ours_us open_mpi_us ours_GB/s mpi_GB/s ratio
for n in $peers; do
  for bytes in $sizes; do
    : >"$rows/ours"; : >"$rows/theirs"
    i=0
    while [ "$i" -lt "$repeats" ]; do
      "$ours" "$n" "$bytes" | awk '{ print $1 }' >>"$rows/ours"
      mpirun $as_root --oversubscribe -n "$n" --mca btl self,vader "$theirs" "$bytes" 2>/dev/null |
        awk '{ print $1 }' >>"$rows/theirs"
      i=$((i + 1))
    done
    a=$(median <"$rows/ours"); b=$(median <"$rows/theirs")
    awk -v n="$n" -v m="$bytes" -v a="$a" -v b="$b" 'BEGIN {
      bus = 2 * (n - 1) / n * m / 1e9
      printf "%5d %10d %14.1f %14.1f %12.3f %12.3f %6.2fx\n", n, m, a * 1e6, b * 1e6, bus / a, bus / b, b / a }'
  done
done
