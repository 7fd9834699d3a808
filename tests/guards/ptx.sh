#!/usr/bin/env bash
# Does the machine-independent code of a variant hold the instruction that gives the variant its name?
# usage: ptx.sh FILE.ptx      kernels named cpasync copy asynchronously, kernels named sync do not
set -euo pipefail
ptx=${1:?usage: ptx.sh FILE.ptx}
[ -r "$ptx" ] || { echo "ptx: no file '$ptx'" >&2; exit 1; }

awk '
function judge() {
    if (entry == "") return
    if (entry ~ /cpasync/) {
        cpasync++
        if (!copies) { printf "%s: %s has no cp.async\n", FILENAME, entry; bad = 1 }
    } else if (entry ~ /sync/) {
        sync++
        if (mentions) { printf "%s: %s has %d cp.async, expected none\n", FILENAME, entry, mentions; bad = 1 }
    }
    entry = ""
}
/^[^\/]*\.(entry|func)[ \t(]/ {
    judge()
    copies = mentions = 0
    if ($0 ~ /\.entry/) {
        entry = $0
        sub(/.*\.entry[ \t]+/, "", entry)
        sub(/[ \t(].*/, "", entry)
    }
    next
}
/^[ \t]*\/\// { next }
/cp\.async/ { mentions++ }
/cp\.async\.c[ag]\.shared/ { copies++ }
END {
    judge()
    if (!cpasync || !sync) {
        printf "%s: nothing to compare: %d kernels named cpasync, %d named sync\n", FILENAME, cpasync, sync
        bad = 1
    }
    exit bad
}' "$ptx" >&2
