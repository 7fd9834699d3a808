#!/bin/bash
# Do processes of MPI give the answer of one process, with its exit status, and name a trace whose reader dies?
#
#   tests/cli/mpi.sh CPPROF MAKE_TRACE [MPIRUN HELPER]
#
# MPIRUN and HELPER belong to another MPI than the one with which CPPROF was built: neither mpirun may start the helper
# of the other. Skipped (77) where there is no mpirun.
set -u
program=$(realpath "$1")
export make_trace
make_trace=$(realpath "$2")
captured=$(realpath "$(dirname "$0")/../../examples/ranks")
failed=0
mpirun=${3:-mpirun}
if ! command -v "$mpirun" >/dev/null; then
    echo "skipped: no mpirun; scripts/packages.sh --tests installs one"
    exit 77
fi
recorded=$(realpath "$(dirname "$0")/../../examples/ranks")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# MPI keeps what it allocates.
export LC_ALL=C NO_COLOR=1 CPPROF_NSYS='' CPPROF_NCU='' ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
# shellcheck source=tests/cli/parts_lib.sh
. "$(dirname "$0")/parts_lib.sh"
cd "$work" || exit 1
make_native native
make_kineto kineto
make_doubtful kineto

# Open MPI counts processors and minds who root is, MPICH does neither.
options_of() { # MPIRUN
    options=(-n 2)
    if "$1" --version 2>&1 | grep -q 'Open MPI'; then options=(--allow-run-as-root --oversubscribe -n 2); fi
}

# Each process says that it is alone, and none answers.
strangers() { # MPIRUN
    options_of "$1"
    say strangers "$1" "${options[@]}" "$program" overlap native
    [ "$(grep -c '^cpprof: this is one of 2 processes, and cpprof-mpi, which was built with' strangers.err)" = 2 ] &&
        grep -q '^exit 4$' strangers.out && ! grep -q hidden strangers.out ||
        complain "$1 starts the helper of another MPI: $(cat strangers.out strangers.err)"
}

if [ $# -gt 2 ]; then
    strangers "$mpirun"
    export CPPROF_MPI
    CPPROF_MPI=$(realpath "$4")
    strangers mpirun
fi
options_of "$mpirun"

# mpirun has its own to say of a status that is not 0; ours begins with our name.
together() { # NAME COMMAND...
    name=$1
    shift
    say "$name" "$mpirun" "${options[@]}" "$@"
    grep '^cpprof' "$work/$name.err" >"$work/ours"
    mv "$work/ours" "$work/$name.err"
}

compared=0
both() { # FOLDER COMMAND [OPTION...]
    folder=$1
    shift
    compared=$((compared + 1))
    say one "$program" "$@" "$folder"
    together more "$program" "$@" "$folder"
    same "mpirun cpprof $* $folder" one more
}
rules='overlap(h2d, kernel) >= 10%'
both native overlap --format json
both native check --assert "$rules"
both native gaps
both kineto stats --format json
both kineto launch
both kineto ranks
both kineto ranks --window 0:1ms
for folder in twins missing; do both $folder ranks; done
# Four real ranks each; what they are to say, cli.golden compares.
for scenario in sleep work chain even; do both "$recorded/$scenario-4" ranks; done
both kineto/rank1.json overlap --format json
# Two captured ranks each, of which mpirun started some; cli.golden compares what they are to say.
for bundle in "$captured"/*.cpprof; do both "$bundle" ranks; done
both nowhere overlap
both native overlap --wrong

# More processes than traces, too: what they read goes up a tree.
for count in 3 ${CPPROF_DEEP:+4 5 6 7} 8; do
    few=("${options[@]}")
    options=("${options[@]/2/$count}")
    both native stats --format json
    both kineto ranks --format json
    options=("${few[@]}")
done

# Processes with words of their own answer alone. Each has a file: mpirun mixes what several print, in the middle of lines.
{ "$program" gaps kineto; "$program" stats kineto; } >both
# shellcheck disable=SC2016  # the inner shell's
together each sh -c 'if [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}" = 0 ]; then "$0" gaps kineto >own0; else "$0" stats kineto >own1; fi' "$program"
cat own0 own1 | cmp -s - both && [ "$(cat each.out)" = 'exit 0' ] ||
    complain "two calls under one mpirun do not both answer: $(cat each.out each.err)"

# One of them that has no room for temporary files ends all, with its status, and leaves nobody waiting.
for without in 0 1; do
    # shellcheck disable=SC2016
    together "without$without" sh -c 'if [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}" = "$2" ]; then export TMPDIR=/nowhere; fi
        exec "$0" overlap "$1"' "$program" native "$without"
    [ "$(cat "without$without.out")" = 'exit 4' ] && grep -q "cannot create a temporary file in '/nowhere'" "without$without.err" ||
        complain "no temporary files in process $without: $(cat "without$without.out" "without$without.err")"
done

# A process that is one of several and cannot find the others does not answer for itself.
refused() { # WORDS VARIABLE=VALUE...
    words=$1
    shift
    say refused env "$@" "$program" overlap native
    [ "$(cat refused.out)" = 'exit 4' ] && grep -q "$words" refused.err || complain "$*: $(cat refused.out refused.err)"
}
step=(SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4 SLURM_STEP_ID=0 SLURM_JOB_ID=1 SLURM_STEPID=0)
refused '^cpprof: this is one of 4 processes, and cpprof-mpi, which was built with' "${step[@]}"
refused "CPPROF_MPI names '/nowhere'" PMI_SIZE=4 PMI_RANK=0 CPPROF_MPI=/nowhere

# The batch script of a job, and the shell of salloc, which is a step of one task, are alone. So is who reads a part.
say one "$program" overlap native
for shell in SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1; do
    say alone env SLURM_NTASKS=4 SLURM_STEP_ID=0 "$shell" "$program" overlap native
    same "a job of Slurm, $shell" one alone
done
for part in 1 2; do env "${step[@]}" "$program" overlap native --part $part/2 -o $part.cpart || complain "part $part"; done
say alone "$program" merge 1.cpart 2.cpart
same "parts of tasks of Slurm" one alone

# Each process has a reader, whose children read the traces.
helpers_below() { # PID
    local child
    for child in $(children_of "$1"); do
        if [[ $(cat "/proc/$child/comm" 2>/dev/null) == cpprof-mpi* ]]; then echo "$child"; else helpers_below "$child"; fi
    done
}

readers_of() { # CALL
    local helper
    for helper in $(helpers_below "$1"); do children_of "$helper"; done
}

mkfifo pipe
waiting() { # NAME
    "$mpirun" "${options[@]}" "$program" check native/rank0.bin "$work/pipe" native/rank1.bin --format json --assert "$rules" \
        >"$1.out" 2>"$1.err" &
    call=$!
    sleep 1
}
waiting killed
# shellcheck disable=SC2046
kill_reader $(readers_of $call) || kill $call
wait $call
echo "exit $?" >>killed.out
judge_killed "a reader of the second process is killed" killed

waiting ended
for reader in $(readers_of $call); do [ -n "$(children_of "$reader")" ] && kill -KILL "$reader"; done
wait $call
echo "exit $?" >>ended.out
grep -q "while reading '$work/pipe': the process that reads traces for this one has ended" ended.err &&
    grep -q '^exit 5$' ended.out && ! grep -q '"status": "pass"' ended.out ||
    complain "whoever reads for the second process is killed: $(cat ended.err ended.out)"

# A run is no trace: all processes and their readers judge it, and the first process alone writes the result.
run=$recorded/../verdicts/win.cpprof
say alone "$program" check "$run" --assert 'gain(pipeline/cpasync3) >= 10%' --format json -o alone.json
together run "$program" check "$run" --assert 'gain(pipeline/cpasync3) >= 10%' --format json -o run.json
same 'a result in a file' alone run
cmp -s alone.json run.json || complain 'the file of two processes is not that of one'

echo "$compared calls compared"
# mpirun hands on what looks like a terminal: no colours unless they are asked for.
for count in 1 2; do
    "$mpirun" "${options[@]/2/$count}" env -u NO_COLOR "$program" ranks "$recorded/sleep-4" >colours 2>/dev/null
    grep -q $'\033' colours && complain "mpirun -n $count: there are colours"
    "$mpirun" "${options[@]/2/$count}" env -u NO_COLOR CLICOLOR_FORCE=1 "$program" ranks "$recorded/sleep-4" >colours 2>/dev/null
    grep -q $'\033' colours || complain "mpirun -n $count: there are no colours that were asked for"
done
exit $failed
