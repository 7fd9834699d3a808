#!/usr/bin/env bash
# Does library code keep from printing and from ending the process?
# usage: quiet.sh ARCHIVE...
# core/base/child.c is excepted: it ends a process that it has made and that cannot go on.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: quiet.sh ARCHIVE..." >&2; exit 2; }
failed=0
for archive in "$@"; do
    found=$(nm -A --undefined-only "$archive" |
        grep -E ' U (exit|_exit|_Exit|quick_exit|abort|printf|vprintf|__printf_chk|__vprintf_chk|puts|putchar|perror|stdout|stderr)$' |
        grep -vE ':child\.c\.o: +U _exit$' || true)
    if [ -n "$found" ]; then
        printf 'library code must not print or end the process:\n%s\n' "$found" >&2
        failed=1
    fi
done
exit "$failed"
