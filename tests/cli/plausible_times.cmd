# Rows with times that cannot be are left out of every number, or doubted, and each command says so.
folder=$(mktemp -d)
cd "$folder" || exit 2

call() { printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%s,"dur":2,"args":{"correlation":%s}},\n' "$2" "$1"; }
kernel() { printf '{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":%s,"dur":%s,"args":{"device":0,"stream":7,"correlation":%s}},\n' "$2" "$3" "$1"; }
trace() { # NAME KERNELS: a file from what the function row writes of each number
    { echo '{"schemaVersion":1,"traceEvents":['; for i in $(seq 1 "$2"); do row "$i"; done; echo '{"ph":"M","name":"end","pid":0}]}'; } >"$1"
}
t=1700000000000000

# 10 kernels of 80 us, one each 100 us, and 4 that were never filled in: 800 us of 980 us, idle 18.4%
row() { call "$1" $((t + 100 * $1 - 5)); if [ "$1" -le 10 ]; then kernel "$1" $((t + 100 * $1)) 80; else kernel "$1" 0 0; fi; }
trace never-filled.json 14
# 20 kernels of 8 us, one each 10 us, of which the fifth lasts 1.6 s: without it 152 us of 198 us, idle 23.2%
row() { call "$1" $((t + 10 * $1 - 5)); kernel "$1" $((t + 10 * $1)) $(($1 == 5 ? 1600000 : 8)); }
trace across.json 20
# 20 kernels, of which five are 4 ms early
row() { call "$1" $((t + 100 * $1)); kernel "$1" $((t + 100 * $1 + ($1 > 5 ? 10 : -4000))) 80; }
trace early.json 20
# 20 kernels of 80 us, one each 100 us, of which two end before they begin: 1440 us of 1980 us, idle 27.3%
row() { call "$1" $((t + 100 * $1 - 5)); kernel "$1" $((t + 100 * $1)) $(($1 % 10 == 5 ? -80 : 80)); }
trace backwards.json 20
# nothing is wrong, and two kernels adjoin as with programmatic dependent launch
row() { call "$1" $((t + 100 * $1 - 5)); kernel "$1" $((t + 100 * $1)) $(($1 == 5 ? 120 : 80)); }
trace good.json 20

for file in never-filled across early backwards good; do
    echo "== $file"
    cpprof check $file.json --assert 'idle() < 50%' --assert 'idle() < 10%' --assert 'count(kernel) >= 5' --assert 'count(h2d) == 0' >said 2>/dev/null
    echo "check: exit $?"
    sed -n '/^idle\|^count/p' said
    for command in overlap stats launch gaps report ranks; do
        cpprof $command $file.json >said 2>notes
        echo "$command: exit $?, $(grep -c 'the first is kernel' notes) on standard error, $(grep -c 'the first is' said) in the page"
    done
    cpprof export $file.json --to chrome -o again.json --force 2>/dev/null
    cpprof check again.json --assert 'idle() < 50%' --assert 'idle() < 10%' >/dev/null 2>&1
    echo "exported, and read again: exit $?"
done
echo "== two traces of each are compared, in one process and in three"
for file in never-filled early; do
    cp $file.json copy.json
    cpprof check $file.json copy.json --assert 'idle() < 50%' >one 2>&1
    cpprof check $file.json copy.json --assert 'idle() < 50%' --jobs 3 >several 2>&1
    cmp one several && grep '^INCONCLUSIVE' one
done
cpprof overlap never-filled.json 2>/dev/null | grep 'events over\|the first is'
cpprof overlap across.json 2>/dev/null | grep 'events over\|the first is'
cpprof gaps early.json 2>/dev/null | grep 'the first is'
cpprof overlap backwards.json 2>/dev/null | grep 'events over\|the first is'
echo "== 15 of 20 kernels begin behind their call: they alone have a time in a queue"
cpprof launch early.json --format json 2>/dev/null | sed -n '/"launches": \[/,$p' | sed -n '/"queue": {/,/}/p' | grep 'count\|min_ns'
echo "== the chip decides what overlap on a stream is"
for chip in 'NVIDIA H100 80GB HBM3", "computeMajor": 9' 'NVIDIA A100-SXM4-40GB", "computeMajor": 8' 'AMD Instinct MI300X", "computeMajor": 9' ''; do
    sed "1s/{/{\"deviceProperties\": [{\"id\": 0, \"name\": \"$chip}],/" good.json >chip.json
    [ -n "$chip" ] || cp good.json chip.json
    cpprof overlap chip.json 2>/dev/null | grep 'before the one before'
done
cd / && rm -rf "$folder"
