#!/bin/bash
# Are reports of nsys and ncu read where their tool is, refused with the command where it is not, and is nothing left?
#
#   tests/cli/tool_reports.sh CPPROF DATA
#
# The tools are scripts: they write down how they were called, and copy a recorded export of DATA (tests/data), fail,
# hang or write nothing, as $HOW says.
set -eu
program=$(realpath "$1")
data=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tools" "$work/tmp" "$work/traces"
cd "$work"
export TMPDIR=$work/tmp CALLS=$work/calls DATA=$data HOW=well
bare=$PATH
unset CPPROF_NSYS CPPROF_NCU CPPROF_EXPORT_SECONDS
failed=0
checked=0

cat >tools/nsys <<'END'
#!/bin/sh
printf '<%s>' nsys "$@" "LC_ALL=$LC_ALL" >>"$CALLS"
echo >>"$CALLS"
[ "$(cat)" = "" ] || exit 9
[ "$1 $2 $3 $4" = "export --type sqlite --output" ] && [ -f "$6" ] || exit 8
case $HOW in
well) printf 'Processing: [=====  50%%]\rProcessing: [==========100%%]\n'; cp "$DATA/nsys_2025.sqlite" "$5" ;;
fails) echo 'Generating SQLite file' >&2; printf 'Error: the file is of a newer version\n\n' >&2; exit 3 ;;
says) echo 'Error: said on standard output'; exit 1 ;;
nothing) echo 'no events' >&2 ;;
half) head -c 3000 "$DATA/nsys_2025.sqlite" >"$5" ;;
else) echo 'not a database' >"$5" ;;
killed) kill -SEGV $$ ;;
hangs) touch "$TMPDIR/hanging"; (sleep 50; touch "$TMPDIR/survived") & sleep 50 ;;
esac
END
cat >tools/ncu <<'END'
#!/bin/sh
printf '<%s>' ncu "$@" "LC_ALL=$LC_ALL" >>"$CALLS"
echo >>"$CALLS"
[ "$1 $3 $4 $5" = "--import --csv --page raw" ] && [ -f "$2" ] || exit 8
case $HOW in
well) cat "$DATA/ncu_raw.csv" ;;
fails) echo '==ERROR== Failed to load the report'; exit 1 ;;
none) echo '==WARNING== No kernels were profiled.' ;;
nothing) ;;
esac
END
chmod +x tools/nsys tools/ncu
printf 'QD\0\1report' >a.nsys-rep
printf 'NVR\0report' >a.ncu-rep
cp a.nsys-rep old.qdrep
cp a.ncu-rep counters # known by its first bytes

complain() {
    echo "$1"
    failed=$((failed + 1))
}

# expect STATUS FRAGMENT COMMAND...: the status, the fragment on standard error, and no temporary file
expect() {
    status=0
    wanted=$1 fragment=$2
    shift 2
    : >"$CALLS"
    "$@" >out 2>said </dev/null || status=$?
    checked=$((checked + 1))
    [ "$status" = "$wanted" ] || complain "$*: exit status $status instead of $wanted: $(cat said)"
    grep -qF -e "$fragment" said || complain "$*: '$fragment' is not in '$(cat said)'"
    [ -z "$(ls -A "$TMPDIR")" ] || complain "$*: leaves $(ls "$TMPDIR")"
}

# called COUNT FRAGMENT: how the tool was called by the last command
called() {
    [ "$(wc -l <"$CALLS")" = "$1" ] || complain "the tool was called $(wc -l <"$CALLS") times instead of $1: $(cat "$CALLS")"
    grep -qF -e "$2" "$CALLS" || complain "'$2' is not in '$(cat "$CALLS")'"
}

# same PLAIN COMMAND...: the last command said what this one says of the export itself, but for the name
same() {
    mv out of_report
    plain=$1
    shift
    "$program" "$@" >out 2>/dev/null </dev/null || true
    sed "s|$plain|NAME|g" out >of_export
    sed 's|a\.n[a-z]*-rep|NAME|g' of_report | diff of_export - || complain "$*: not what its export says"
}

# ---- without the tools ----
PATH=$bare
if ! command -v nsys >/dev/null; then
    expect 5 "'a.nsys-rep' is an nsys report, and there is no nsys on the PATH (or in CPPROF_NSYS) to export it; where there is one: nsys export --type sqlite --output a.sqlite a.nsys-rep" "$program" stats a.nsys-rep
    expect 5 "ncu --import a.ncu-rep --csv --page raw > a.csv" "$program" classify a.ncu-rep
fi
PATH=$work/tools:$bare
expect 5 'no nsys on the PATH' env CPPROF_NSYS= "$program" stats a.nsys-rep
expect 5 'no ncu on the PATH' env CPPROF_NCU= "$program" classify a.ncu-rep
[ ! -s "$CALLS" ] || complain "an empty variable does not forbid the tool"
expect 4 "CPPROF_NSYS is 'nowhere/nsys', which cannot be started" env CPPROF_NSYS=nowhere/nsys "$program" stats a.nsys-rep

# ---- with them ----
expect 0 "'a.nsys-rep' is an nsys report: reading what 'nsys' exports" "$program" stats a.nsys-rep
called 1 '<a.nsys-rep><LC_ALL=C>'
[ "$(wc -l <said)" = 1 ] || complain "more than a line is said: $(cat said)"
cp "$data/nsys_2025.sqlite" plain.sqlite
same plain.sqlite stats plain.sqlite
expect 0 "'old.qdrep' is an nsys report" "$program" overlap old.qdrep
expect 0 "'a.nsys-rep' is an nsys report" "$program" report a.nsys-rep
called 1 '<a.nsys-rep>'
expect 0 '' "$program" check a.nsys-rep --assert 'busy(kernel) > 0ns'
expect 0 '' "$program" export a.nsys-rep --to chrome -o trace.json
expect 0 '' env CPPROF_NSYS="$work/tools/nsys" PATH="$bare" "$program" launch a.nsys-rep
expect 3 "'a.ncu-rep' is an ncu report: reading what 'ncu' exports" "$program" classify a.ncu-rep
called 1 '<--import><a.ncu-rep><--csv><--page><raw><LC_ALL=C>'
cp "$data/ncu_raw.csv" plain.csv
same plain.csv classify plain.csv
expect 0 "'counters' is an ncu report" "$program" report counters
expect 3 '' env CPPROF_NCU="$work/tools/ncu" PATH="$bare" "$program" classify a.ncu-rep

# A report is exported only for what is in it.
expect 5 "it has no times of launches" "$program" stats a.ncu-rep
expect 5 "is a trace (nsys report): it holds no counters" "$program" classify a.nsys-rep
[ ! -s "$CALLS" ] || complain "a tool was started in vain: $(cat "$CALLS")"
expect 3 'is an nsys report' "$program" compare a.nsys-rep a.nsys-rep
called 2 '<a.nsys-rep>'

# What the tool could not open by its path.
gzip -k a.nsys-rep
expect 5 '' "$program" stats a.nsys-rep.gz
expect 5 '' sh -c '"$0" stats - <a.nsys-rep' "$program"
[ ! -s "$CALLS" ] || complain "a tool was started for what it cannot open: $(cat "$CALLS")"

# ---- tools that fail ----
HOW=fails
expect 5 "'nsys' did not export 'a.nsys-rep': it ended with 3: Error: the file is of a newer version" "$program" stats a.nsys-rep
expect 5 "'ncu' did not export 'a.ncu-rep': it ended with 1: ==ERROR== Failed to load the report" "$program" classify a.ncu-rep
HOW=says expect 5 'it ended with 1: Error: said on standard output' "$program" stats a.nsys-rep
HOW=nothing
expect 5 'it ended well and wrote nothing: no events' "$program" stats a.nsys-rep
expect 5 'it ended well and wrote nothing' "$program" classify a.ncu-rep
HOW=none expect 5 'is output of an ncu run that met no kernel' "$program" classify a.ncu-rep
HOW=half expect 5 'truncated' "$program" stats a.nsys-rep
HOW=else expect 5 "'a.nsys-rep' holds no gpu trace; it starts with 'not a database'" "$program" stats a.nsys-rep
HOW=killed expect 5 'it was ended by signal 11' "$program" stats a.nsys-rep
HOW=hangs CPPROF_EXPORT_SECONDS=1 expect 4 'it took longer than 1 s and was ended; CPPROF_EXPORT_SECONDS gives it more' sh -c '
    "$0" stats a.nsys-rep
    status=$?
    rm "$TMPDIR/hanging"
    exit $status' "$program"
echo '#!/no/such/interpreter' >tools/broken
chmod +x tools/broken
expect 4 "cannot start '$work/tools/broken'" env CPPROF_NSYS="$work/tools/broken" "$program" stats a.nsys-rep

# Whoever interrupts us is obeyed after the tool and its files are gone.
HOW=hangs "$program" stats a.nsys-rep >out 2>said </dev/null &
job=$!
for _ in $(seq 200); do
    [ ! -e "$TMPDIR/hanging" ] || break
    sleep 0.05
done
kill -TERM $job || complain 'interrupted: it had ended already'
status=0
wait $job || status=$?
[ "$status" = 143 ] || complain "interrupted: exit status $status instead of 143: $(cat said)"
rm -f "$TMPDIR/hanging"
[ -z "$(ls -A "$TMPDIR")" ] || complain "interrupted: leaves $(ls "$TMPDIR")"

# ---- names ----
HOW=well
for name in '-o.nsys-rep' "it's \$(touch pwned) \`x\`;.nsys-rep" $'two\nlines\e[31m.nsys-rep' '--type=text.nsys-rep'; do
    cp a.nsys-rep "./$name"
    expect 0 'is an nsys report' "$program" stats -- "$name"
    ! grep -q $'\e' said || complain "'$name': a control character is printed"
    expect 5 'no nsys on the PATH' env CPPROF_NSYS= "$program" stats -- "$name"
    rm "./$name"
done
cp a.nsys-rep ./-o.nsys-rep
expect 5 '--output ./-o.sqlite ./-o.nsys-rep' env CPPROF_NSYS= "$program" stats -- -o.nsys-rep
[ ! -e pwned ] || complain "a name was run"
cp a.nsys-rep "it's a.nsys-rep"
expect 5 "--output 'it'\\''s a.sqlite' 'it'\\''s a.nsys-rep'" env CPPROF_NSYS= "$program" stats "it's a.nsys-rep"

# ---- folders ----
cp a.nsys-rep traces/rank0.nsys-rep
cp a.nsys-rep traces/rank1.nsys-rep
expect 0 "rank1.nsys-rep' is an nsys report" "$program" stats traces
called 2 'rank0.nsys-rep'
cp plain.sqlite traces/rank1.sqlite
expect 0 '' "$program" stats traces
called 1 'rank0.nsys-rep'
grep -qF 'rank1.nsys-rep: its export is read, which is beside it' out || complain 'a report beside its export: no note'

echo "$checked commands, $failed complaints"
[ "$failed" -eq 0 ]
