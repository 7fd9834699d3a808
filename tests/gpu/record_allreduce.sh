#!/usr/bin/env bash
# The all-reduce on N GPUs with their real links: is every variant right, does the dispatcher choose the fastest one, what crosses the
# links, how far away is NCCL, and what does the report say of a broken dispatcher? With two GPUs also the investigation: does cp.async help?
# Records examples/allreduce/: what its README names; four.cpprof and four-*.cpprof with four GPUs. Four
# minutes on four GPUs; each part says when it began, and can be called alone.
#
#   tests/gpu/record_allreduce.sh [N [INTO [PART]]]     N: 2 (default) to 8; INTO: default examples/; NCCL where the loader finds libnccl.so.2
#                                                       PART: right, choice, nccl, links, broken, cpasync (N = 2); default all
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
n=${1:-2}
into=${2:-examples}/allreduce
part=${3:-all}
case $n:$part in
[2-8]:all | [2-8]:right | [2-8]:choice | [2-8]:nccl | [2-8]:links | [2-8]:broken | 2:cpasync) ;;
*) echo "usage: record_allreduce.sh [N [INTO [right|choice|nccl|links|broken|cpasync]]], N from 2 to 8, cpasync with 2" >&2 && exit 2 ;;
esac
library=$(realpath "$test_programs/liballreduce_mutants.so" 2>/dev/null) || skip "no liballreduce_mutants.so: install with -DCPPROF_INSTALL_TESTS=ON"
gpus=$(cuda_gpus)
[ "$gpus" -ge "$n" ] || skip "an all-reduce of $n ranks over links needs $n GPUs, here: $gpus"
CUDA_VISIBLE_DEVICES=$(echo "${CUDA_VISIBLE_DEVICES:-$(seq -s , 0 $((gpus - 1)))}" | cut -d , -f "1-$n") # so that all parts have N
export CUDA_VISIBLE_DEVICES
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
    # One line says that all kernels are those that were meant, and all results right.
    [ "$wanted" = 1 ] || expect_match "$name: what was meant ran, and is right" "$(screen "$into/$name.cpprof" | grep 'Checked:')" 'Checked: pass, '
}

wanted() {
    [ "$part" = all ] || [ "$part" = "$1" ] || return 1
    echo "== $1, $SECONDS s"
}
case $n in # names of bundles
2) table=nccl broken=broken ;;
4) table=four broken=four-broken ;;
8) table=eight broken=eight-broken ;;
*) table=gpus$n broken=gpus$n-broken ;;
esac

if wanted right; then
    tests/gpu/allreduce.sh links
    expect "every variant is right on $n GPUs, and waits end" "$?" 0
fi

if wanted nccl; then
    record "$table" '[03]' allreduce/dispatch allreduce/nccl --baseline allreduce/nccl --shape "gpus=$n" --sweep bytes=8KiB:512MiB:x2 \
        --method graphs --iters 20 --metrics nvlink
    python3 tests/gpu/allreduce_facts.py "$into/$table.cpprof" dispatch 17
    expect "$n GPUs: dispatch against NCCL" "$?" 0
    python3 tests/gpu/allreduce_facts.py "$into/$table.cpprof" received 34
    expect "$n GPUs: each received what its algorithm sends" "$?" 0
    if [ "$n" = 2 ]; then
        record half '[03]' allreduce/dispatch allreduce/nccl --baseline allreduce/nccl --shape gpus=2,dtype=1 --shape gpus=2,dtype=2 \
            --sweep bytes=8KiB:512MiB:x4 --method graphs --iters 20 --metrics nvlink
        python3 tests/gpu/allreduce_facts.py "$into/half.cpprof" dispatch 18
        expect "fp16 and bf16: dispatch against NCCL" "$?" 0
    fi
fi

if wanted broken; then
    # A dispatcher that loses its choice: meant 1stage-cpasync3, launches what it began with.
    record "$broken" 1 --load "$library" mutant/dispatch-scope --force-kernel 1stage-cpasync3 \
        --shape "bytes=1048576,gpus=$n" --processes 3 --iters 20 --metrics nvlink
    expect_match "broken dispatcher: the headline names what ran" \
        "$(head -n 3 "$into/$broken.cpprof/report.md" | paste -sd " ")" \
        'WRONG KERNEL.*allreduce_1stage<.*meant +\(1stage-cpasync3'
    head -n 1 "$into/$broken.cpprof/report.md"
fi

if wanted links; then
    if [ "$n" = 2 ]; then # with more, the table above has them
        record links '[03]' allreduce/naive allreduce/1stage allreduce/2stage-push allreduce/2stage-send --baseline allreduce/naive \
            --shape bytes=16777216,gpus=2 --processes 3 --iters 20 --metrics nvlink
        python3 tests/gpu/allreduce_facts.py "$into/links.cpprof" received 4
        expect "bytes over NVLink" "$?" 0
    fi
    python3 tests/gpu/link_bytes.py "$CPPROF" "$n" # what the driver counts on each link, in another run
fi

if wanted choice; then # no bundle of examples/: what the rows of the dispatcher's table stand on
    work=$(mktemp -d)
    "$CPPROF" run allreduce/dispatch allreduce/1stage-ll allreduce/1stage-push allreduce/2stage-push allreduce/2stage-send allreduce/1stage \
        allreduce/2stage --baseline allreduce/dispatch --shape "gpus=$n" --sweep bytes=8KiB:512MiB:x2 --method graphs --processes 3 --iters 10 \
        --metrics none -o "$work/choice.cpprof" >"$work/said" 2>&1
    expect_match "choice: exit status" "$?" '^[03]$'
    python3 tests/gpu/allreduce_facts.py "$work/choice.cpprof" choice 17
    expect "$n GPUs: no other kernel is faster than the dispatcher's by more than 3%" "$?" 0
    rm -rf "$work"
fi

if [ "$n" != 2 ] || ! wanted cpasync; then
    finish
    exit
fi

# The table of the investigation: one shot against rings of cp.async, then the two-stage form.
record cpasync '[03]' allreduce/1stage 'allreduce/1stage-cpasync?' --baseline allreduce/1stage --sweep bytes=256KiB:4MiB:x2 --method graphs \
    --iters 40 --metrics nvlink
record 2stage '[03]' 'allreduce/2stage*' --baseline allreduce/2stage --sweep bytes=8MiB:512MiB:x2 --method graphs --iters 20 \
    --metrics nvlink
# One after the other on each GPU, and no copy beside a kernel: what the scripts over traces asked.
for rule in 'serial(kernel)' 'overlap(copy, kernel) == 0%' 'count(kernel[name=~allreduce_1stage]) > 0'; do
    "$CPPROF" overlap "$into/cpasync.cpprof" --assert "$rule" >/dev/null
    expect "cpasync: $rule" "$?" 0
done
# In one launch of naive, every message is with the host before any rank fetches one.
"$CPPROF" overlap "$into/links.cpprof" --range 'naive.*first$' --assert 'before(d2h, h2d)' --assert 'overlap(copy, kernel) == 0%' >"$into/said"
expect "naive: before(d2h, h2d), overlap(copy, kernel) == 0%" "$?" 0
[ "$failed" = 0 ] || tail -n 30 "$into/said"
rm -f "$into/said"
finish
