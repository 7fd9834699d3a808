#!/usr/bin/env bash
# Does the program load without what it must not need?
# usage: linkage.sh PROGRAM PATTERN      PATTERN: extended regex of forbidden shared libraries
set -euo pipefail
program=${1:?usage: linkage.sh PROGRAM PATTERN}
pattern=${2:?usage: linkage.sh PROGRAM PATTERN}
[ -x "$program" ] || { echo "linkage: no program '$program'" >&2; exit 1; }

needed=$(ldd "$program") || { echo "linkage: ldd cannot read '$program'" >&2; exit 1; }
found=$(grep -iE "$pattern" <<<"$needed" || true)
if [ -n "$found" ]; then
    printf '%s: needs a library that it must load on demand or not at all:\n%s\n' "$program" "$found" >&2
    exit 1
fi
