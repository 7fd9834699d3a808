# a process that was killed: the others ran the work, two processes are too few, and the trace lies in a folder
folder=$(mktemp -d)
judge() {
    python3 programs.py "$folder/run" --arrays --untraced "$@"
    cpprof report --brief --format md "$folder/run" 2>/dev/null | grep -A 1 -e '^#' -e Measured -e Selection
    cpprof compare "$folder/run" --format csv 2>/dev/null | grep -o too_few_processes
    rm -r "$folder/run"
}
judge old=10/20/30 new=5/10/15
echo '-- which of the files do commands read?'
sweep=../../examples/programs/block-sweep.cpprof
for command in stats launch gaps overlap; do
    cpprof $command $sweep >"$folder/out" 2>&1; echo "$command: exit $?"
    grep -m 1 -o 'the bundle holds no trace.*' "$folder/out"
done
cpprof stats $sweep/thread.cpprof | head -n 1
rm -r "$folder"
