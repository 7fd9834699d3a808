#!/usr/bin/env bash
# The all-reduce investigation, on real links: does cp.async help, what does NCCL do, what did the dispatcher launch?
# Records examples/allreduce/ and holds what the investigation asks. Two GPUs; with four or more, four.cpprof alone.
#
#   tests/gpu/record_allreduce.sh [INTO]     INTO: default examples/; NCCL where the loader finds libnccl.so.2
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/allreduce
library=$(realpath "$test_programs/liballreduce_mutants.so" 2>/dev/null) || skip "no liballreduce_mutants.so: install with -DCPPROF_INSTALL_TESTS=ON"
gpus=$(cuda_gpus)
[ "$gpus" -ge 2 ] || skip "an all-reduce over links needs two GPUs, here: $gpus"
export NCCL_NVLS_ENABLE=0 # multicast of NVSwitch is left alone (docs/allreduce.md)
nccl=$(python3 -c 'import os, nvidia.nccl as n; print(os.path.join(list(n.__path__)[0], "lib"))' 2>/dev/null) &&
    export LD_LIBRARY_PATH="$nccl${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
mkdir -p "$into"

# record NAME STATUS ARGUMENT...: runs; a STATUS is a regular expression, as a verdict of no difference is no failure. What
# was meant must have run, by names and by counters, unless 1 is wanted.
record() {
    local name=$1 wanted=$2 status
    shift 2
    "$CPPROF" run "$@" -o "$into/$name.cpprof" --force >"$into/said" 2>&1
    status=$?
    expect_match "$name: exit status" "$status" "^$wanted\$"
    [[ $status =~ ^$wanted$ ]] || tail -n 20 "$into/said"
    rm "$into/said"
    [ "$wanted" = 1 ] || expect_match "$name: what was meant ran" "$(screen "$into/$name.cpprof" | grep -E 'Checked:|Selection:')" '(Checked|Selection): pass, '
}

if [ "$gpus" -ge 4 ]; then
    record four '[013]' allreduce/dispatch allreduce/nccl --baseline allreduce/nccl --shape gpus=4 --sweep bytes=8KiB:64MiB:x2 \
        --method graphs --iters 20 --metrics nvlink
    python3 tests/gpu/allreduce_facts.py "$into/four.cpprof" dispatch
    expect "four GPUs: dispatch against NCCL" "$?" 0
    finish
    exit
fi

# The table of the investigation: one shot against rings of cp.async, then the two-stage form.
record cpasync '[013]' allreduce/1stage 'allreduce/1stage-cpasync?' --baseline allreduce/1stage --sweep bytes=256KiB:4MiB:x2 --method graphs \
    --iters 40 --metrics nvlink
record 2stage '[013]' 'allreduce/2stage*' --baseline allreduce/2stage --sweep bytes=8MiB:512MiB:x2 --method graphs --iters 20 \
    --metrics nvlink
record nccl '[013]' allreduce/dispatch allreduce/nccl --baseline allreduce/nccl --sweep bytes=8KiB:512MiB:x2 --method graphs --iters 20 \
    --metrics nvlink
python3 tests/gpu/allreduce_facts.py "$into/nccl.cpprof" dispatch
expect "dispatch against NCCL" "$?" 0
record links '[013]' allreduce/naive allreduce/1stage allreduce/2stage-push --baseline allreduce/naive --shape mib16 --processes 3 --iters 20 \
    --metrics nvlink
python3 tests/gpu/allreduce_facts.py "$into/links.cpprof" links
expect "bytes over NVLink" "$?" 0
# A dispatcher that loses its choice: meant 1stage-cpasync3, launches what it began with.
record broken 1 --load "$library" mutant/dispatch-scope --force-kernel 1stage-cpasync3 --shape mib1 --processes 3 --iters 20 --metrics nvlink
expect_match "broken dispatcher: the headline names what ran" "$(head -n 3 "$into/broken.cpprof/report.md" | paste -sd " ")" \
    'WRONG KERNEL.*allreduce_1stage<.*meant +\(1stage-cpasync3'
# One after the other on each GPU, and no copy beside a kernel: what the scripts over traces asked.
for rule in 'serial(kernel)' 'overlap(copy, kernel) == 0%' 'count(kernel[name=~allreduce_1stage]) > 0'; do
    "$CPPROF" overlap "$into/cpasync.cpprof" --assert "$rule" >/dev/null
    expect "cpasync: $rule" "$?" 0
done
# Of naive, one launch: every message is with the host before any rank fetches one.
"$CPPROF" overlap "$into/links.cpprof" --range 'naive.*first$' --assert 'before(d2h, h2d)' --assert 'overlap(copy, kernel) == 0%' >"$into/said"
expect "naive: before(d2h, h2d), overlap(copy, kernel) == 0%" "$?" 0
[ "$failed" = 0 ] || tail -n 30 "$into/said"
rm -f "$into/said"
finish
