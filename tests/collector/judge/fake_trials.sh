#!/usr/bin/env bash
# Do `run --stress` and `run --sanitize` say what the runner and the sanitizer found, and nothing better than that?
# usage: fake_trials.sh CPPROF      the runner and compute-sanitizer are played
set -euo pipefail
cpprof=$(realpath "${1:?usage: fake_trials.sh CPPROF}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# The runner leaves what `answer` holds, and ends as `runner_status` says.
mkdir bin
cat >bin/runner <<'END'
#!/usr/bin/env bash
printf '%s\n' "$* judge=${CPPROF_JUDGE:-apart}" >>words
for word in "$@"; do case $word in --dir=*) directory=${word#*=} ;; esac; done
if [ -s answer ]; then cp answer "$directory/stress.json"; fi
if [ "$1" = verify ] && [ -s checks ]; then cp checks "$directory/verify.csv"; fi
cat said >&2
if [ "$(cat runner_status)" = signal ]; then kill -SEGV $$; fi
exit "$(cat runner_status)"
END
# The sanitizer starts the runner; the log of each tool is in its name, and one that is missing is not written.
cat >bin/compute-sanitizer <<'END'
#!/usr/bin/env bash
log='' tool='' status=0
while case $1 in --*) true ;; *) false ;; esac; do
    case $1 in --log-file=*) log=${1#*=} ;; --tool=*) tool=${1#*=} ;; esac
    shift
done
"$@" || status=$?
if [ -f "$tool.log" ]; then cp "$tool.log" "$log"; fi
if grep -q 'SUMMARY: [1-9]' "$tool.log" 2>/dev/null; then exit 86; fi
exit $status
END
chmod +x bin/*
export CPPROF_RUNNER=$work/bin/runner

complain() {
    printf 'NOT ok: %s\n' "$1"
    sed 's/^/    /' out errors | cut -c 1-200
    failed=1
}

# try STATUS WHAT PATTERN... -- ARGUMENT...      what it prints has each pattern
try() {
    local expected=$1 what=$2 patterns=() status=0
    shift 2
    while [ "$1" != -- ]; do patterns+=("$1") && shift; done
    shift
    rm -f words
    "$cpprof" run mine/a "$@" >out 2>errors || status=$?
    [ "$status" = "$expected" ] || complain "$what: exit status $status instead of $expected"
    for pattern in "${patterns[@]}"; do
        grep -qE -- "$pattern" out errors || complain "$what: nothing says '$pattern'"
    done
}

# row LAUNCHES CHECKS WRONG OTHER WHOLE FIRST REFUSED
row() {
    printf '{"variant":"mine/a","shape":"small","launches":%s,"checks":%s,"wrong":%s,"other_bits":%s,"is_whole":%s,"first":"%s","refused":"%s"}' "$@"
}

: >said
echo 0 >runner_status
echo "[$(row 1008 252 0 0 true '' '')]" >answer
try 0 'all right' '1,008 +252 +right$' -- --stress
grep -qE '^stress --dir=.* --variant=mine/a --seed=[0-9]+ --iters=1000 judge=apart$' words || complain "words: $(cat words)"
try 0 'the task is loaded first' -- --stress --load ./libother.so --solution v1=./libv1.so --task ./libtask.so
grep -qE -- ' --load=./libtask.so --load=./libother.so --load=v1=./libv1.so ' words || complain "words: $(cat words)"
echo "[$(row 1008 252 0 7 true '' '')]" >answer
try 0 'other bits' 'right; of the same inputs other bits in 7' -- --stress
echo "[$(row 1008 252 3 0 true 'launch 16, seed 9: out[3], never written' '')]" >answer
try 1 'wrong' 'WRONG in 3: launch 16, seed 9: out\[3\], never written' -- --stress
echo "[$(row 16 4 0 0 false '' '')]" >answer
try 3 'too slow' 'right, but time was over before 1000 launches' -- --stress
echo "[$(row 0 0 0 0 false '' 'needs compute capability 9.0')]" >answer
try 3 'refused' 'not run: needs compute capability 9.0' -- --stress
echo '[]' >answer
try 3 'nothing' -- --stress
: >answer
echo 4 >runner_status
echo 'no usable NVIDIA driver was found' >said
try 4 'no GPU' '^cpprof: no usable NVIDIA driver was found' -- --stress
echo "cpprof-runner: variant 'mine/a' at 'small': CUDA failed to set up: out of memory" >said
try 4 'no memory' 'CUDA failed to set up: out of memory' -- --stress
echo "cpprof-runner: variant 'mine/a' at 'small': CUDA failed to run: an illegal memory access was encountered" >said
try 1 'a launch that crashes' 'mine/a .*CRASHED: .*an illegal memory access' -- --stress
: >said
echo signal >runner_status
try 1 'a process that crashes' 'mine/a .*CRASHED: cpprof-runner was ended by signal 11' -- --stress
try 1 'a library that crashes' "CRASHED: with './libmine.so': cpprof-runner was ended by signal 11" -- --stress --load ./libmine.so
echo 2 >runner_status
echo "no variant matches 'mine/a'" >said
try 2 'no such variant' "no variant matches 'mine/a'" -- --stress

: >said
echo 0 >runner_status
try 4 'no sanitizer' 'no compute-sanitizer on the PATH: it comes with the CUDA toolkit' -- --sanitize
PATH=$work/bin:$PATH
for tool in memcheck initcheck synccheck; do
    printf '========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n' >$tool.log
done
printf '========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n' >racecheck.log
checks() { # PASS HINT
    printf 'variant,shape,process,seed,phase,max_abs_err,bad_ratio,values,output_hash,bitwise_equal_to_baseline,pass,hint\n'
    printf 'mine/a,small,0,7,all,0,0,100,0,,yes,\nmine/a,ragged,0,7,all,0,0,100,0,,%s,%s\n' "$@"
}
try 3 'nothing verified' 'memcheck +nothing was verified' 'racecheck +nothing was verified' -- --sanitize
checks no '3 of 9 bad values were never written' >checks
try 1 'wrong, and no access is' 'memcheck +FOUND +ERROR SUMMARY: 0 errors +wrong result: mine/a at ragged: 3 of 9 bad values' \
    'racecheck +FOUND +RACECHECK SUMMARY: 0 hazards' -- --sanitize
checks '' '' >checks
try 1 'a check that says nothing' 'memcheck +FOUND .*wrong result: mine/a at ragged' -- --sanitize
checks yes '' >checks
try 0 'clean' 'memcheck +clean +ERROR SUMMARY: 0 errors' 'racecheck +clean' 'initcheck +clean' 'synccheck +clean' -- --sanitize
[ "$(grep -c '^verify .*--variant=mine/a.* judge=inside$' words)" = 4 ] || complain "not every tool ran the runner with its judge inside: $(cat words)"
printf '========= COMPUTE-SANITIZER\n========= Invalid __global__ write of size 4 bytes\n=========     at f(float*)\n========= ERROR SUMMARY: 3 errors\n' >memcheck.log
try 1 'found' 'memcheck +FOUND +ERROR SUMMARY: 3 errors +Invalid __global__ write' 'racecheck +clean' -- --sanitize
rm memcheck.log
try 4 'no summary' 'cpprof-runner gave no reason' -- --sanitize
try 2 'both' 'one of --stress and --sanitize' -- --sanitize --stress
try 2 'a bundle' 'leave no bundle' -- --stress -o b.cpprof
[ "$failed" -eq 0 ] && echo "every trial was told as it was"
exit "$failed"
