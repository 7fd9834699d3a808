#!/bin/sh
# Do stats, launch and gaps give the numbers that SQL and Python compute from captures of other people's tools?
#
#   tests/cli/stats_real.sh CPPROF FOLDER
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

# has COMMAND FILE TEXT...: every TEXT is in the JSON, on one line of its own once blanks are gone
has() {
    command=$1
    file=$data/$2
    shift 2
    [ -e "$file" ] || { echo "skipped: no '$file'"; return 0; }
    said=$("$program" "$command" "$file" --format json 2>/dev/null | tr -d ' \n')
    for text in "$@"; do
        checks=$((checks + 1))
        case $said in
            *"$text"*) ;;
            *)
                echo "$command $file: no $text"
                failed=1
                ;;
        esac
    done
}

# refused COMMAND FILE: exit 5 and one line that says why
refused() {
    [ -e "$data/$2" ] || { echo "skipped: no '$data/$2'"; return 0; }
    checks=$((checks + 1))
    status=0
    said=$("$program" "$1" "$data/$2" 2>&1 >/dev/null) || status=$?
    [ "$status" = 5 ] && [ -n "$said" ] && [ "$(printf '%s\n' "$said" | wc -l)" = 1 ] && return 0
    echo "$1 $2: exit status $status and '$said' instead of 5 and one line"
    failed=1
}

has stats nsys2023_cuda_gpu_trace_a100_serial.csv \
    '"count":110,"unfinished":0,"total_ns":38607885' '"p50_ns":349820.5' '"min_ns":344765,"max_ns":375836' \
    '"count":200,"unfinished":0,"total_ns":2333036274' '"gpu_ns":4004767652,"gpu_count":410'
has stats nsys2023_cuda_api_trace_a100_serial.csv \
    '"name":"cudaMemcpy","count":300,"unfinished":0,"total_ns":4026049432' '"p50_ns":11403655.5' \
    '"name":"cudaLaunchKernel","count":110,"unfinished":0,"total_ns":3493458' '"p50_ns":23825,'
has launch nsys2023_cuda_kern_exec_trace_a100_serial.csv \
    '"launches":110,"first_ns":722275' '"p50_ns":23790,' '"p50_ns":43161.5' '"max_ns":52669' '"longer":1,'
has stats nsys2024_cloverleaf.sqlite '"gpu_ns":303795463,"gpu_count":1591' \
    '"name":"copyh2d(pageable)","count":254,"unfinished":0,"total_ns":9346285' \
    '"name":"copyd2h(pageable)","count":25,"unfinished":0,"total_ns":44638' '"size_bytes":225065752'
has launch nsys2024_cloverleaf.sqlite '"launches":1312' '"kernels_without_call":0' '"starved_ns":35910278'
has gaps nsys2024_cloverleaf.sqlite '"span_ns":342407810,"kernel_ns":294404540' '"idle_ns":38612347' \
    '"cause":"synchronisation","ns":20948851,"count":1312' '"cause":"host_late","ns":17302513,"count":217' \
    '"cause":"dependency","ns":360983,"count":61' '"cause":"copy","ns":9390923,"count":279' \
    '"cause":"unknown","ns":0,"count":0'
# HIP: two clocks.
has stats kineto_rocm_bert.json.gz '"gpu_count":61,"kernel_count":60' '"name":"hipMemcpyWithStream","count":1'
has launch kineto_rocm_bert.json.gz '"launches":60' '"name":"hipMemcpyWithStream"'
refused launch nsys2024_cuda_gpu_trace_one_stream.csv
refused gaps nsys2023_cuda_api_trace_a100_serial.csv
has stats nsys2023_no_gpu_activity.sqlite '"gpu_count":0,"kernel_count":0' '"api_count":9'
has stats nsys_calls_without_gpu.sqlite.gz '"gpu_count":0,"kernel_count":0' '"api_count":12' '"name":"cudaLaunchKernel","count":1'
refused stats ncu_failed_run.csv
if [ "$checks" -eq 0 ]; then
    echo "skipped: none of the captures is in '$data'"
    exit 77
fi
echo "$checks values checked, failed: $failed"
exit "$failed"
