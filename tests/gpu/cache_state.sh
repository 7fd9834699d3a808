#!/usr/bin/env bash
# Do the passes that counters take find the cache as the program leaves it? One kernel that reads a buffer of 1 MiB, 8 MiB
# and 24 MiB again and again, all of which L2 holds: bytes to and from device memory as four ways of counting see them.
#
#   in-process    the runner, by user replay: what `run` does with variants
#   program       the guest, by CUPTI's kernel replay: what `run --variant` does with programs
#   ncu           its kernel replay, caches left alone
#   ncu-app       its application replay: nothing is restored
#
# The program has four more buffers of the same size, which the kernel does not touch. About half a minute.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
command -v python3 >/dev/null || skip "python3 is needed"
runner=$(dirname "$CPPROF")/../libexec/cpprof/cpprof-runner
runner=$(realpath "$runner")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
counters=(dram__bytes_read.sum dram__bytes_write.sum lts__t_sector_hit_rate.pct gpu__time_duration.sum gpc__cycles_elapsed.max)
names=$(printf '%s\n' "${counters[@]}" | paste -sd,)

# ours TABLE: means of the counters, in their order, of the kernel pipeline_sync; - where one is missing
ours() {
    python3 - "$1" "${counters[@]}" <<'PYTHON'
import csv, sys
rows = [row for row in csv.DictReader(open(sys.argv[1])) if row["value"] and
        ("sync" in row["kernel"] or row["variant"] == "pipeline/sync")]
for name in sys.argv[2:]:
    values = [float(row["value"]) * (100 if name.endswith(".pct") else 1) for row in rows if row["metric"] == name]
    print(f"{sum(values) / len(values):.0f}" if values else "-", end=" ")
PYTHON
}

# ncus TABLE: the same of ncu's raw page
ncus() {
    python3 - "$1" "${counters[@]}" <<'PYTHON'
import csv, sys
lines = [line for line in open(sys.argv[1]) if line.startswith('"')]
rows = list(csv.DictReader(lines))[1:] # the first one has the units
for name in sys.argv[2:]:
    values = [float(row[name].replace(",", "")) for row in rows if row.get(name)]
    print(f"{sum(values) / len(values):.0f}" if values else "-", end=" ")
PYTHON
}

say() { # WAY VALUES...
    printf '%-12s %12s %12s %8s %10s %10s\n' "$@"
}

for mib in 1 8 24; do
    shape=n=$((mib << 18)) # floats
    case=(--variant pipeline/sync --shape "$shape" --set ctas_per_sm=4 --set work=8)
    program=("$runner" time --dir "$work" --variant 'pipeline/*' --shape "$shape" --set ctas_per_sm=4 --set work=8 --warmup 20 --iters 4)
    rm -rf "$work"/count && mkdir "$work/count"
    "$runner" count --dir "$work/count" "${case[@]}" "${counters[@]/#/--metric=}" >"$work/log" 2>&1 || cat "$work/log"
    "$CPPROF" run --variant "p=${program[*]}" --kernels '^pipeline_sync' --metrics "$names" --processes 1 --warmup 1 \
        -o "$work/program.cpprof" --force >"$work/log" 2>&1
    [ -e "$work/program.cpprof/metrics.csv" ] || tail -n 5 "$work/log"
    echo "buffer of $mib MiB:"
    say way read written hit,% ns cycles
    # shellcheck disable=SC2046  # words are wanted
    say in-process $(ours "$work/count/metrics.csv")
    # shellcheck disable=SC2046
    say program $(ours "$work/program.cpprof/metrics.csv")
    for way in ncu:kernel ncu-app:application; do
        command -v ncu >/dev/null || break
        ncu --clock-control none --cache-control none --replay-mode "${way#*:}" --metrics "$names" --kernel-name 'regex:^pipeline_sync' \
            --launch-skip 10 --launch-count 3 --csv --page raw --print-units base "${program[@]}" >"$work/ncu.csv" 2>"$work/log" || cat "$work/log"
        # shellcheck disable=SC2046
        say "${way%%:*}" $(ncus "$work/ncu.csv")
    done
    read -r bytes _ < <(ours "$work/count/metrics.csv")
    # What L2 holds is not read again.
    expect "in-process: less than a twentieth of $mib MiB is read from device memory" \
        "$((${bytes/-/999999999999} < (mib << 20) / 20))" 1
done
finish
