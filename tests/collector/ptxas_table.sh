#!/usr/bin/env bash
# Does ptxas_table take from a log of ptxas what it says, and refuse one that says nothing?
# usage: ptxas_table.sh PTXAS_TABLE
set -euo pipefail
program=$(realpath "${1:?usage: ptxas_table.sh PTXAS_TABLE}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

complain() {
    printf 'NOT ok: %s\n' "$1"
    failed=1
}

# As nvcc 13.0 prints it: one kernel, two architectures, spills, and lines of other matters.
cat >sample.log <<'LOG'
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4tilePf' for 'sm_80'
ptxas info    : Function properties for _Z4tilePf
    24 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 24 bytes cumulative stack size, 4096 bytes smem, 368 bytes cmem[0]
ptxas info    : Compile time = 7.000 ms
ptxas info    : Compiling entry function '_Z4tilePf' for 'sm_90a'
ptxas info    : Function properties for _Z4tilePf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 4096 bytes smem
ptxas info    : Compile time = 8.000 ms
LOG
# A function that is not inlined comes behind its kernel and is none.
cat >second.log <<'LOG'
ptxas info    : Compiling entry function 'calls' for 'sm_90a'
ptxas info    : Function properties for calls
    256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 256 bytes cumulative stack size
ptxas info    : Function properties for _Z5innerPfi
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Compiling entry function 'plain' for 'sm_90a'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 9 registers
LOG
cat >expected <<'ROWS'
    {"_Z4tilePf", 80, 255, 24, 16, 20},
    {"_Z4tilePf", 90, 40, 0, 0, 0},
    {"calls", 90, 8, 256, 0, 0},
    {"plain", 90, 9, 0, 0, 0},
ROWS
"$program" sample.log second.log >table.c || complain 'a good log is refused'
grep '^    {' table.c | diff expected - || complain 'the table differs (< expected, > found)'

# The log of every source must name a kernel: else nvcc was called without -Xptxas -v.
: >empty.log
echo 'ptxas info    : 0 bytes gmem' >none.log
for log in empty.log none.log; do
    if "$program" sample.log "$log" >table.c 2>errors; then complain "$log is accepted"; fi
    grep -q "^$log: no kernel found" errors || complain "$log: the message is '$(cat errors)'"
done
if "$program" absent.log >table.c 2>errors; then complain 'a missing log is accepted'; fi
grep -q '^absent.log: No such file' errors || complain "a missing log: '$(cat errors)'"
if "$program" >table.c 2>errors; then complain 'no log at all is accepted'; fi
exit "$failed"
