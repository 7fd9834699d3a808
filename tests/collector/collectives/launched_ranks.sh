#!/usr/bin/env bash
# Does a capture of several ranks have the launcher's ranks and NCCL's numbers of their collectives? By mpirun where there
# is one, and by a script that only sets Open MPI's variables. CUPTI and NCCL are played.
# usage: launched_ranks.sh CPPROF LIBRARY FAKE_CUPTI HOST
set -u
cpprof=${1:?} host=${4:?}
export CPPROF_INJECT=$2 CPPROF_CUPTI=$3 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset NCCL_PROFILER_PLUGIN
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    printf '%s\n' "$*" >&2
    failed=1
}

judge() { # NAME COMMAND...
    local bundle=$work/$1.cpprof
    "$cpprof" capture -q -o "$bundle" -- "${@:2}" >"$work/said" 2>&1
    local status=$? sources stored numbered
    [ "$status" = 7 ] || fail "$1: exit status $status instead of the program's 7: $(cat "$work/said")"
    sources=$(grep -c '"rank_source": "OMPI_COMM_WORLD_RANK"' "$bundle/manifest.json")
    stored=$(grep -c '"stored": 6' "$bundle/manifest.json")
    [ "$sources:$stored" = 2:2 ] || fail "$1: $sources processes have a rank of Open MPI, $stored told of all collectives"
    numbered=$("$cpprof" ranks "$bundle" --format json | grep -c '"communicator": "default_pg 0000000000001234"')
    [ "$numbered" = 4 ] || fail "$1: $numbered collectives of two ranks are on the communicator, instead of 4"
}

# shellcheck disable=SC2016
judge variables bash -c 'for rank in 0 1; do
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$rank "$0" everything & done; wait -n; status=$?; wait; exit $status' "$host"
if command -v mpirun >/dev/null; then
    judge mpirun mpirun -n 2 --oversubscribe --bind-to none "$host" everything
else
    echo "no mpirun here: only a script that sets its variables was tried"
fi

NCCL_PROFILER_PLUGIN=other "$cpprof" capture -o "$work/other.cpprof" -- "$host" everything >"$work/said" 2>&1
grep -q 'NCCL_PROFILER_PLUGIN names another plugin' "$work/said" || fail "another plugin stays, and nothing says so"
exit "$failed"
