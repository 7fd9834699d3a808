#!/usr/bin/env bash
# Does `run --isolate` start the runner as another user, take nothing from it but its own rows, and call each outcome
# wrong that the judge did not report? The runner and the judge are played; what needs root is left out without it.
# usage: played_isolation.sh CPPROF
set -euo pipefail
cpprof=$(realpath "${1:?usage: played_isolation.sh CPPROF}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
failed=0

# It finds what `judged` says, a line for each outcome, and says when it is done.
mkdir bin
cat >bin/cpprof-judge <<'END'
#!/usr/bin/env bash
here=$(dirname "$0")/..
[ "$#" = 6 ] && [ "$1" = 3 ] && [ "$4" = 4 ] || exit 2
[ "$2" = "$(realpath "$here/task.so")" ] || exit 2
echo "judge $5 $6 user=$(id -u) device=$3 preload=${LD_PRELOAD:-}" >>"$here/judges"
[ "$5" = plan ] || [ "$5" = trace ] || while read -r pass; do
    printf '%s,%s,"n=64,m=2","small tiny","n=64",%s,%s,100,0.5,"two, or three"\n' "$5" "$6" 77 "$pass" >&4
done <"$here/judged"
echo chatter
printf x >&3
sleep 60
END
# Its first argument is a role. What it does beside its work stands in `deed`.
cat >bin/cpprof-runner <<'END'
#!/usr/bin/env bash
here=$(dirname "$0")/..
for word in "$@"; do
    case $word in
    --dir=*) directory=${word#*=} ;;
    --index=*) index=${word#*=} ;;
    --seed=*) seed=${seed:-${word#*=}} ;;
    esac
done
[ "$CPPROF_JUDGE" = socket:3 ] && head -c 1 <&3 >/dev/null || exit 9
cd "$directory"
add() { # FILE HEADER ROW
    [ -e "$1" ] || printf '%s\n' "$2" >"$1"
    printf '%s\n' "$3" >>"$1"
}
alter() { [ ! -e "$2" ] || sed -i "$1" "$2"; } # of a plan there are no results
verify=variant,shape,process,seed,phase,max_abs_err,bad_ratio,values,output_hash,bitwise_equal_to_baseline,pass,hint
case $1 in
plan)
    add variants.csv variant,shape,baseline,kernel_pattern,summary,shared_bytes,flops,bytes,status,bus_factor,signals,bound,improves_on,chosen,no_verdict t/it,small,0,k,it,0,1,1,ready,1,,,,,
    ;;
verify) add verify.csv $verify "t/it,small,$index,$seed,all,0.5,0,100,,,yes," ;;
time)
    add timing.csv variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns,throttled "t/it,small,$index,0,0,0,hot,1,,1000,no"
    add verify.csv $verify "t/it,\"n=64\",$index,$seed,timed,0.5,0,100,,,yes,"
    ;;
esac
add "process-$1-${index:-0}.json" '{' "\"role\": \"$1\", \"index\": ${index:-0}}"
. "$here/deed"
END
chmod +x bin/*
touch task.so it.so judges
export CPPROF_RUNNER=$work/bin/cpprof-runner
unset CPPROF_JUDGE

complain() {
    printf 'NOT ok: %s\n' "$1"
    sed 's/^/    /' said
    failed=1
}

# refuse STATUS WORDS ARGUMENT...
refuse() {
    local expected=$1 words=$2 status=0
    shift 2
    "$@" >said 2>&1 || status=$?
    [ "$status" = "$expected" ] && grep -qF -- "$words" said || complain "exit status $status, not $expected with '$words': $*"
}

solution=(--task ./task.so --solution it=./it.so)
refuse 2 '--isolate needs --task' "$cpprof" run pipeline/sync --isolate
refuse 2 '--stress and --sanitize leave none' "$cpprof" run "${solution[@]}" --isolate --stress
refuse 2 'leave out --load and VARIANT' "$cpprof" run "${solution[@]}" --isolate pipeline/sync
refuse 2 'leave out --load and VARIANT' "$cpprof" run "${solution[@]}" --isolate --load ./more.so

other=()
if [ "$(id -u)" = 0 ]; then
    command -v setpriv >/dev/null || { echo "no setpriv: not tried as another user" && exit $failed; }
    chmod 777 .
    other=(setpriv --reuid 60001 --regid 60001 --clear-groups)
fi
refuse 4 'only root can run solutions as another user' "${other[@]}" "$cpprof" run "${solution[@]}" --isolate -o none.cpprof
[ ! -e none.cpprof ] || complain 'a bundle was left, though nothing ran'
[ "$(id -u)" = 0 ] || { echo "not root: the rest is not tried" && exit $failed; }
chmod 755 .

refuse 2 'CPPROF_JUDGE=inside puts the judge' env CPPROF_JUDGE=inside "$cpprof" run "${solution[@]}" --isolate -o none.cpprof
mkdir -m 700 closed
cp it.so closed
refuse 2 "'./missing.so': No such file" "$cpprof" run --task ./missing.so --solution it=./it.so --isolate -o none.cpprof
refuse 2 "'it=./closed/it.so' cannot be read by another user" "$cpprof" run --task ./task.so --solution it=./closed/it.so --isolate -o none.cpprof
refuse 2 "closed' cannot be entered by another user" env TMPDIR="$work/closed" "$cpprof" run "${solution[@]}" --isolate -o none.cpprof

# attempt NAME STATUS DEED JUDGED WORDS: what was said, and what the bundle holds, has these words
attempt() {
    local name=$1 expected=$2 status=0
    printf '%s\n' "$3" >deed
    printf '%b' "$4" >judged
    "$cpprof" run "${solution[@]}" --isolate --seeds 77 --metrics none --processes 3 -o "$name.cpprof" >said 2>&1 || status=$?
    tail -n +1 "$name.cpprof"/*.csv "$name.cpprof/manifest.json" >>said 2>/dev/null || true
    [ "$status" = "$expected" ] && grep -qE -- "$5" said || complain "$name: exit status $status, not $expected with '$5'"
}

# has NAME FILE COUNT WORDS: so many lines of that file of the bundle have these words
has() {
    [ "$(grep -cE -- "$4" "$1.cpprof/$2")" = "$3" ] || complain "$1: not $3 lines with '$4' in $2"
}

attempt honest 3 : 'yes\n' '"isolation": *\{'
has honest verify.csv 4 ',yes,'
has honest judged.csv 4 ',"n=64,m=2","small tiny","n=64",77,yes,100,0.5,"two, or three"$'
has honest manifest.json 0 'failures'
! grep -q chatter said || complain 'what a judge prints is among what cpprof says'
grep -q '^judge plan 0 user=0 device=-1 preload=$' judges && grep -q '^judge time 2 user=0 device=0 preload=$' judges || complain 'the judges were started otherwise'
user=$(sed -n 's/.*"user": *\([0-9]*\).*/\1/p' honest.cpprof/manifest.json)
[ "${user:-0}" -gt 60000 ] || complain 'the manifest names no user'

LD_PRELOAD=/nowhere.so attempt preloaded 3 : 'yes\n' '"isolation"'
grep -q 'preload=/nowhere' judges && complain 'a library was loaded into the judge'

# Outcomes that the judge did not report, or reported otherwise.
attempt forged 1 : '' 'its judge reported no such outcome'
has forged verify.csv 4 ',no,"?the process says that this is right'
attempt forged_once 1 '[ "$1" != verify ] || tail -n 1 verify.csv | sed s/all/more/ >>verify.csv' 'yes\n' 'its judge reported no such outcome'
has forged_once verify.csv 4 ',yes,'
attempt other_values 1 'alter s/,100,/,1000,/ verify.csv' 'yes\n' 'its judge reported no such outcome'
attempt other_shape 1 'alter s/small,/large,/ verify.csv' 'yes\n' 'its judge reported no such outcome'
attempt other_dimensions 1 'alter s/n=64/m=2/ verify.csv' 'yes\n' 'its judge reported no such outcome'
attempt hidden 1 '[ "$1" = verify ] || exit 0' 'yes\nno\n' 'the judge found outputs wrong that the process does not report: n=64,m=2, seed 77: two, or three'
attempt told 1 'alter s/,yes,/,no,/ verify.csv' 'no\n' 't/it'
has told manifest.json 0 'does not report'

# Files. Nobody honest does this to them.
attempt rewrites 1 '[ "$1$index" != time1 ] || alter s/,1000,/,10,/ timing.csv' 'yes\n' 'changed rows of timing.csv that an earlier process had written'
has rewrites timing.csv 0 ',10,'
attempt removes 1 '[ "$1$index" != time1 ] || rm verify.csv' 'yes\n' 'left as .verify.csv. is no regular file'
attempt links 1 '[ "$1" != time ] || ln -s /etc/passwd trace-1-0.bin' 'yes\n' 'trace-1-0.bin. is no regular file of its own'
[ ! -e links.cpprof/trace-1-0.bin ] || complain 'what a link leads to is in the bundle'
attempt pipes 1 '[ "$1" != time ] || mkfifo trace-1-0.bin' 'yes\n' 'trace-1-0.bin. is no regular file of its own'
attempt forges_files 3 'echo x >judged.csv; echo x >manifest.json; echo x >more.csv' 'yes\n' '"isolation"'
has forges_files judged.csv 0 '^x'
[ ! -e forges_files.cpprof/more.csv ] || complain 'a file that nobody expects is in the bundle'
attempt writes 3 'for f in "$here"/writes.cpprof/*; do echo x >>"$f"; rm -f "$f"; done 2>/dev/null; :' 'yes\n' '"isolation"'
has writes timing.csv 0 '^x'
has writes verify.csv 4 ',yes,'

# Processes.
attempt kills 3 'kill -9 -1' 'yes\n' '"isolation"'
attempt ends 3 '[ "$1" != time ] || kill -9 $$' 'yes\n' 'ended by signal 9'
has kills judged.csv 4 ',yes,'
attempt signals 3 'for p in /proc/[0-9]*; do [ ! -O "$p" ] && kill -9 "${p#/proc/}"; done 2>/dev/null; :' 'yes\n' '"isolation"'
attempt traces 3 'for p in /proc/[0-9]*; do [ -O "$p" ] || cat "$p/environ" "$p/mem" >>stolen; done 2>/dev/null; [ ! -s stolen ] || alter s/,yes,/,no,/ verify.csv' 'yes\n' '"isolation"'
attempt descriptors 3 '! ls -l /proc/$$/fd | grep -q judged || alter s/,yes,/,no,/ verify.csv; [ "$HOME$TMPDIR" = "$directory$directory" ] || exit 1' 'yes\n' '"isolation"'
has descriptors verify.csv 4 ',yes,'
has descriptors manifest.json 0 failures
attempt leaves 3 '(setsid sleep 300 &) </dev/null >/dev/null 2>&1' 'yes\n' '"isolation"'
user=$(sed -n 's/.*"user": *\([0-9]*\).*/\1/p' leaves.cpprof/manifest.json)
[ -z "$(find /proc -maxdepth 1 -uid "$user" 2>/dev/null)" ] || complain 'a process is left'
[ -z "$(find /tmp -maxdepth 1 -uid "$user" 2>/dev/null)" ] || complain 'a folder is left'

# Its folder is its own: it may put another one in its place.
mkdir -m 700 private
touch private/trace-9-9.bin
attempt moves 1 '[ "$1" != time ] || { cd ..; mv "$directory" "$directory.away"; ln -s "$here/private" "$directory"; }' 'yes\n' 'removed or replaced its folder'
[ ! -e moves.cpprof/trace-9-9.bin ] || complain 'a file that the process cannot read is in the bundle'
[ -e private/trace-9-9.bin ] || complain 'a file of others was removed'
rm -rf "${TMPDIR:-/tmp}"/cpprof-*.away

[ "$failed" = 0 ] && echo "ok: isolated"
exit $failed
