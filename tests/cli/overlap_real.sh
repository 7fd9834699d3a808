#!/bin/sh
# Do captures that other people's tools made give the numbers computed independently?
#
#   tests/cli/overlap_real.sh CPPROF FOLDER
#
# FOLDER holds the captures; without it the test is skipped (77).
set -eu
program=$1
data=$2
if [ ! -d "$data" ]; then
    echo "skipped: no captures in '$data'"
    exit 77
fi
checks=0
failed=0

# expect STATUS FILE RULE...
expect() {
    wanted=$1
    file=$data/$2
    shift 2
    [ -e "$file" ] || { echo "skipped: no '$file'"; return 0; }
    for rule in "$@"; do
        checks=$((checks + 1))
        status=0
        "$program" overlap "$file" --assert "$rule" --format json >/dev/null 2>&1 || status=$?
        if [ "$status" != "$wanted" ]; then
            echo "$file: '$rule' gives exit status $status instead of $wanted"
            failed=1
        fi
    done
}

# span FILE NS: from the first start to the last end
span() {
    [ -e "$data/$1" ] || { echo "skipped: no '$data/$1'"; return 0; }
    "$program" overlap "$data/$1" --format json 2>/dev/null | grep -q "\"span_ns\": $2," && return 0
    echo "$1: the span is not $2 ns"
    failed=1
}

# rejected FILE [WORDS]: exit 5 and one line that says why, with these words
rejected() {
    [ -e "$data/$1" ] || { echo "skipped: no '$data/$1'"; return 0; }
    status=0
    said=$("$program" overlap "$data/$1" 2>&1 >/dev/null) || status=$?
    case $said in
    *"${2-}"*) [ "$status" = 5 ] && [ "$(printf '%s\n' "$said" | wc -l)" = 1 ] && [ -n "$said" ] && return 0 ;;
    esac
    echo "$1: exit status $status and '$said' instead of 5 and one line"
    failed=1
}

expect 0 nsys2024_cuda_gpu_trace_one_stream.csv 'count(kernel) == 64' 'busy(kernel) == 13808111ns' \
    'count(copy) == 264' 'busy(copy) == 1539274ns' 'busy(any) == 15347385ns' 'overlap_ns(copy, kernel) == 0ns' \
    'serial(kernel)' 'serial(any)' 'concurrency(any) == 1'
span nsys2024_cuda_gpu_trace_one_stream.csv 161843545
for capture in nsys2023_cuda_gpu_trace_a100_serial.csv nsys2022_gputrace_a100_serial.csv; do
    expect 0 "$capture" 'count(any) == 410' 'count(kernel) == 110' 'busy(kernel) == 38607885ns' 'count(copy) == 300' \
        'busy(copy) == 3966159767ns' 'busy(any) == 4004767652ns' 'overlap(copy, kernel) == 0%'
    span "$capture" 4034784891
done
expect 0 nsys2023_topk_three_streams.csv 'count(kernel) == 9' 'busy(kernel) == 9069918ns' 'count(copy) == 13' \
    'busy(copy) == 146984114ns' 'overlap_ns(copy, kernel) == 781344ns' 'overlap_ns(kernel, copy) == 781344ns' \
    'exposed(copy, kernel) == 146202770ns' 'concurrency(copy) == 1' 'concurrency(kernel) == 1' \
    'busy(any) == 155272688ns' 'overlap(copy, kernel) < 1%'
span nsys2023_topk_three_streams.csv 210666364
expect 1 nsys2023_topk_three_streams.csv 'overlap(copy, kernel) >= 80%' 'overlap_ns(copy, kernel) == 781345ns' \
    'count(kernel) == 10' 'before(h2d, kernel)'
expect 5 nsys2023_topk_three_streams.csv 'overlap(p2p, kernel) >= 1%' 'serial(memset)'
expect 2 nsys2023_topk_three_streams.csv 'overlap(copy, kernel) >= 80' 'busy(copy) > 5'
# Traces of the host have no timeline of the GPU: no rule passes on them.
expect 5 nsys2023_cuda_api_trace_a100_serial.csv 'count(kernel) == 0' 'count(api) >= 1' 'idle() < 100%'
expect 5 nsys2023_cuda_kern_exec_trace_a100_serial.csv 'count(kernel) == 0' 'count(api) >= 1' 'busy(kernel) > 1ns'
expect 0 nsys2024_cloverleaf.sqlite 'count(kernel) == 1312' 'busy(kernel) == 294404540ns' 'count(copy) == 279' \
    'busy(copy) == 9390923ns' 'busy(any) == 303795463ns' 'overlap_ns(copy, kernel) == 0ns' 'serial(any)'
span nsys2024_cloverleaf.sqlite 342407810
expect 0 nsys2026_vecadd.sqlite 'count(kernel) == 2' 'count(copy) == 1' 'count(d2h) == 1' 'bytes(copy) == 4B'
expect 0 kineto_triton_small.json.gz 'count(any) == 1' 'count(kernel) == 1' 'busy(kernel) == 1760ns' \
    'count(kernel[stream=7]) == 1' 'count(kernel[name=triton_poi_fused_add_cos_sin_0]) == 1'
expect 0 kineto_ddp_rank0.json.gz 'count(kernel) == 1154' 'count(copy) == 40' 'count(memset) == 10' \
    'count(kernel[rank=0]) == 1154' 'busy(kernel) >= 540ms' 'overlap(copy, kernel) >= 50%'
# Its times are whole microseconds: no rule can say that a time is equal to another one, but each is told.
told() {
    file=$data/$1
    [ -e "$file" ] || { echo "skipped: no '$file'"; return 0; }
    checks=$((checks + 1))
    status=0
    shown=$("$program" check "$file" --assert "$2 == $3ns" --format json 2>/dev/null) || status=$?
    case "$status $shown" in
    "3 "*"\"value\": $3,"*) ;;
    *) echo "$file: '$2' is not told to be $3 ns"; failed=1 ;;
    esac
}
told kineto_ddp_rank0.json.gz 'busy(kernel)' 547303000
told kineto_ddp_rank0.json.gz 'busy(copy)' 1297000
told kineto_ddp_rank0.json.gz 'busy(memset)' 28000
told kineto_ddp_rank0.json.gz 'busy(any)' 547656000
told kineto_ddp_rank0.json.gz 'overlap_ns(copy, kernel)' 970000
span kineto_ddp_rank0.json.gz 1222847000
# Calls and no work: rules are vacuous.
expect 5 nsys2023_no_gpu_activity.sqlite 'count(kernel) == 0' 'count(api) >= 1'
expect 5 nsys_calls_without_gpu.sqlite.gz 'count(kernel) == 0' 'count(api) >= 1' 'idle() < 100%'
# What nsys may lack of NVTX leaves rules without ranges as they are.
expect 0 nsys2023_nvtx_diagnostic.sqlite.gz 'concurrency(kernel) <= 1' 'serial(kernel)' 'count(any) == 16'
expect 1 nsys2023_nvtx_diagnostic.sqlite.gz 'concurrency(kernel) >= 2'
expect 3 nsys2023_nvtx_diagnostic.sqlite.gz 'count(kernel[nvtx=step]) == 0' 'count(kernel[nvtx=step]) >= 1' \
    'overlap(copy[nvtx=step], kernel) >= 1%' 'count(nvtx) == 0'
# HTA's own numbers of this trace are those of its first step, by time: 11.81%, 600,058 / 321,378 / 106,252 us, and 172,428
# us of other work (docs/overlap.md).
first_step() {
    [ -e "$data/$1" ] || { echo "skipped: no '$data/$1'"; return 0; }
    shown=$("$program" overlap "$data/$1" --range 'ProfilerStep#551' --format json 2>/dev/null | tr -d ' \n')
    for number in '"span_ns":600058000,"busy_ns":278680000' '"a":"comm","b":"compute","a_busy_ns":195327000,"b_busy_ns":106252000,"overlap_ns":23068000'; do
        checks=$((checks + 1))
        case $shown in
        *"$number"*) ;;
        *) echo "$1: $number is missing"; failed=1 ;;
        esac
    done
}
first_step kineto_ddp_rank0.json.gz

# said FILE WORDS OPTION...: the report holds a line with these words.
said() {
    file=$data/$1
    words=$2
    shift 2
    [ -e "$file" ] || { echo "skipped: no '$file'"; return 0; }
    checks=$((checks + 1))
    "$program" overlap "$file" "$@" 2>/dev/null | grep -q -- "$words" || { echo "$file: '$words' is missing"; failed=1; }
}
# 602 operations were launched in the first step, 340 of them by the thread that the range is of.
said kineto_ddp_rank0.json.gz '602 events over' --range 'ProfilerStep#551'
said kineto_ddp_rank0.json.gz "while a range of 'ProfilerStep#551@thread' was open: 262" --range 'ProfilerStep#551@thread'
said kineto_ddp_rank0.json.gz 'launched them while the range was open: 262' \
    --assert 'count(any[nvtx="ProfilerStep#551@thread"]) == 340'
expect 0 kineto_ddp_rank0.json.gz 'count(any[nvtx="ProfilerStep#551"]) == 602' \
    'count(any[nvtx="ProfilerStep#551@thread"]) == 340'
said nsys_calls_without_gpu.sqlite.gz 'it has API calls (12'
said nsys_calls_without_gpu.sqlite.gz 'nsys says: CUDA device 0: Unified Memory cannot be traced'
# Two ranks of one job, each measured by itself.
expect 0 kineto_ranks_0.json.gz 'count(kernel[rank=0, device=0]) == 1154' 'count(comm) == 10' 'count(copy) == 40'
expect 0 kineto_ranks_1.json.gz 'count(kernel[rank=1, device=1]) == 1104' 'count(comm) == 10' 'count(copy) == 40'
ranks() {
    [ -e "$data/kineto_ranks_0.json.gz" ] && [ -e "$data/kineto_ranks_1.json.gz" ] || { echo 'skipped: no two ranks'; return 0; }
    checks=$((checks + 1))
    "$program" check "$data/kineto_ranks_0.json.gz" "$data/kineto_ranks_1.json.gz" --assert 'count(comm[rank=1]) == 10' \
        --assert 'count(kernel) == 2258' --assert 'overlap(comm, compute) >= 10%' >/dev/null 2>&1 && return 0
    echo 'two ranks: a rule does not hold'
    failed=1
}
ranks
expect 0 kineto_rocm_bert.json.gz 'count(kernel[device=2]) == 60' 'count(d2d) == 1' 'count(api[name=hipMemcpyWithStream]) == 1' \
    'busy(kernel) == 388344ns'
rejected nsys2025_stats_default_output.txt.gz 'only the report cuda_gpu_trace is missing'
rejected nsys_stats_mostly_skipped.csv
rejected ncu_failed_run.csv
if [ "$checks" -eq 0 ]; then
    echo "skipped: none of the captures is in '$data'"
    exit 77
fi
echo "$checks rules checked, failed: $failed"
exit "$failed"
