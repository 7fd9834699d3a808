#!/usr/bin/env bash
# Is the rank, or the link, that was made slow on purpose the one that `cpprof ranks` names? Records examples/ranks/: captures of the
# scenarios of straggler.py on two GPUs, by torchrun and mpirun, and traces of the PyTorch profiler of N ranks. PyTorch, and two GPUs.
#
#   tests/gpu/record_ranks.sh [N [INTO]]       N: ranks of the PyTorch traces, default 2 (the link alone); from 3 on all, with the chain
#
# What INTO has already is not recorded again, unless that is examples.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
n=${1:-2}
into=${2:-examples}/ranks
gpus=$(cuda_gpus)
[ "$gpus" -ge "$((n > 2 ? n : 2))" ] || skip "$n GPUs are needed, here: $gpus"
mkdir -p "$into"
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0} # no NVLink multicast: a shared host can suffer from it
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
port=29570

# What starts the ranks: COUNT ARGUMENT...
torchrun() {
    port=$((port + 1))
    command=(python3 -m torch.distributed.run --nnodes=1 --nproc-per-node="$1" --master-addr=127.0.0.1 --master-port="$port"
        examples/ranks/straggler.py "${@:2}")
}
mpi() {
    port=$((port + 1))
    command=(env MASTER_PORT="$port" mpirun -n "$1" --bind-to none python3 examples/ranks/straggler.py "${@:2}")
}
# No MPI: processes with the variables that Open MPI sets, and nothing else of it.
variables() {
    port=$((port + 1))
    # shellcheck disable=SC2016
    command=(env MASTER_PORT="$port" OMPI_COMM_WORLD_SIZE="$1" bash -c 'for rank in $(seq 0 $((OMPI_COMM_WORLD_SIZE - 1))); do
        OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_LOCAL_RANK=$rank python3 examples/ranks/straggler.py "$@" & done
        failed=0; for job in $(jobs -p); do wait "$job" || failed=1; done; exit $failed' ranks "${@:2}")
}

# Does the first line name what was planted? Hosts are late by themselves, too, so `even` is only shown.
declare -A planted=([even]='.' [sleep]='^rank 1 costs .* nothing to do' [work]='^rank 1 costs .* 1\.75x as often'
    [link]='^slow transfers cost' [chain]='^rank 0 costs .* 1\.75x as often')
judge() { # SCENARIO TRACES [ANSWER]
    expect_match "$(basename "$2"): who is late" "$("$CPPROF" ranks "$2" 2>&1 | head -n 1 | tee /dev/stderr)" "${3:-${planted[$1]}}"
}

# run WHAT: the command, whose words are shown when it fails
run() {
    timeout 100 "${command[@]}" >"$into/said" 2>&1
    local status=$?
    expect "$1" "$status" 0
    [ "$status" = 0 ] || tail -n 15 "$into/said"
    grep '^link:' "$into/said"
    rm -f "$into/said"
}

# Each of two ranks has told of its collectives, all were stored, and each kernel of theirs was found.
numbers() { # BUNDLE
    "$CPPROF" ranks "$1" --format json >"$into/answer" 2>&1
    expect "$(basename "$1"): what NCCL said" "$(python3 - "$1/manifest.json" "$into/answer" <<'PYTHON'
import json, sys

told = [p["collectives"] for p in json.load(open(sys.argv[1]))["processes"] if "collectives" in p]
rows = json.load(open(sys.argv[2]))["collectives"]
noted = [r for r in rows if not r["communicator"].startswith("stream") and r["bytes"]]
lost = sum(t["collectives"] - t["from_graphs"] - t["stored"] for t in told)
print(f"{len(told)} ranks, {lost} lost, {len(rows) - len(noted)} of the collectives without number, {'some' if noted else 'none'} with")
PYTHON
)" "2 ranks, 0 lost, 0 of the collectives without number, some with"
    rm -f "$into/answer"
}

has() { [ "$into" != examples/ranks ] && [ -e "$1" ]; }

capture() { # LAUNCHER SCENARIO NAME RANK_SOURCE
    if ! has "$into/$3.cpprof/manifest.json"; then
        "$1" 2 "$2"
        command=("$CPPROF" capture --range measured -o "$into/$3.cpprof" --force -- "${command[@]}")
        run "$3: captured"
    fi
    expect "$3: who numbers the ranks" "$(grep -o "\"rank_source\": *\"$4\"" "$into/$3.cpprof/manifest.json" | wc -l)" 2
    numbers "$into/$3.cpprof"
    judge "$2" "$into/$3.cpprof"
}

for scenario in even sleep work link; do
    capture torchrun "$scenario" "$scenario" RANK
done
if command -v mpirun >/dev/null; then
    for scenario in sleep work; do
        capture mpi "$scenario" "$scenario-mpirun" OMPI_COMM_WORLD_RANK
    done
else
    echo "SKIPPED: no mpirun here; instead processes that have Open MPI's variables, and no MPI"
    capture variables work work-variables OMPI_COMM_WORLD_RANK
    [ "$into" != examples/ranks ] || rm -rf "$into/work-variables.cpprof" # no example: nobody has MPI without mpirun
fi

if [ "$n" -ge 3 ]; then
    scenarios=(even sleep work link chain)
else
    scenarios=(link)
    echo "SKIPPED: a chain needs three ranks, here: $n"
fi
for scenario in "${scenarios[@]}"; do
    folder=$into/$scenario-$n
    if ! has "$folder"; then
        mkdir -p "$folder"
        torchrun "$n" "$scenario" --steps 20 --trace "$folder"
        run "$scenario: $n ranks under the PyTorch profiler"
    fi
    expect "$scenario: traces of the PyTorch profiler" "$(find "$folder" -name 'rank-*.json.gz' | wc -l)" "$n"
    # Each of these traces has a clock of its own. Nobody is late in `link`, so ranks may arrive closer together than the
    # clocks can tell, and then nothing is said of transfers. A capture has one clock: there they must be seen.
    answer=
    [ "$scenario" != link ] || answer='^(slow transfers cost|inconclusive)'
    judge "$scenario" "$folder" "$answer"
done
du -sh "$into"
finish
