# two traces by their steps: slower, the same, fewer launches, one step, damaged
# steps LAUNCHES US: a Chrome trace of so many steps, in each so many kernels; every other step is 1% longer
trace() { awk -v steps="$1" -v launches="$2" -v us="$3" 'BEGIN {
    printf "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"ts\":0,\"args\":{\"name\":\"python\"}}"
    for (s = 0; s < steps; s++) {
        begin = 1000 + s * 10000; long = us * (s % 2 ? 1.01 : 1)
        printf ",\n{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":7,\"tid\":7,\"ts\":%d,\"dur\":200}", s, begin
        for (k = 0; k < launches; k++) {
            at = begin + 50 + k * (long + 1)
            printf ",\n{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":7,\"tid\":7,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}}", begin + 2 * k, s * 100 + k + 1
            printf ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"device\":0,\"context\":1,\"stream\":7,\"correlation\":%d,\"grid\":[8,1,1],\"block\":[128,1,1]}}", k ? "_Z5flashPf" : "_Z4gemmPf", at, long, s * 100 + k + 1
        }
    }
    print "]" }'; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trace 21 6 500 >"$dir/plain.json"
trace 21 6 550 >"$dir/slow.json"
trace 21 5 500 >"$dir/fewer.json"
trace 1 6 500 >"$dir/one.json"
head -c 20000 "$dir/slow.json" >"$dir/cut.json"
cd "$dir"
try() { cpprof compare --across device,driver "$@" || echo "exit $?"; }
echo '-- slower'; try plain.json slow.json --format md
echo '-- faster'; try slow.json plain.json | head -n 3
echo '-- itself'; try plain.json plain.json | head -n 3
echo '-- fewer'; try plain.json fewer.json
echo '-- one step'; try one.json plain.json | head -n 3
echo '-- cut, which is slower'; try cut.json plain.json | head -n 3
cpprof compare cut.json plain.json --across device,driver >cut.txt 2>&1; echo "exit $?"
head -c 1000 slow.json | sed 's/ProfilerStep/other/' >early.json
echo '-- cut before the first step'; try plain.json early.json --range ProfilerStep
echo '-- margin'; try plain.json slow.json --margin 20% | head -n 1
echo '-- json'; try plain.json fewer.json --format json -o fewer-out.json; tr -d ' \n' <fewer-out.json | head -c 260; echo
echo '-- refused'; try plain.json slow.json --format csv; try plain.json slow.json --save main; try plain.json slow.json --range none
echo '-- nobody knows on which machines'; cpprof compare slow.json plain.json | head -n 3
sed 's/ProfilerStep/OtherStep/' slow.json >other.json
echo '-- other ranges'; try other.json plain.json --range 'Step#' | head -n 3
sed 's/"dur":200}/"dur":20000}/' slow.json >crossed.json
echo '-- ranges that cross'; try crossed.json plain.json
for file in plain slow; do sed 's/ProfilerStep#/a step /; s/"dur":200}/"dur":6000}/' $file.json >$file-named.json; done
echo '-- steps that nobody named'; try plain-named.json slow-named.json | grep occurrence
sed 's/"dur":6000}/"dur":20000}/' plain-named.json >crossed-named.json
echo '-- that cross'; try crossed-named.json plain-named.json | grep -E 'Because|occurrence|whole'
