#!/usr/bin/env bash
# Does a library that others' programs load export its entry points and nothing else, and keep
# from printing, ending the process, changing what belongs to all of it and obeying the environment of a
# stranger (a program with more rights than its caller)?
# usage: exports.sh [--own] LIBRARY NAME...      --own: the process is ours, and its exports alone matter
set -euo pipefail
is_own=no
if [ "${1:-}" = --own ]; then is_own=yes && shift; fi
library=${1:?usage: exports.sh [--own] LIBRARY NAME...}
shift
[ -f "$library" ] || { echo "exports: no library '$library'" >&2; exit 1; }
exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | sort)
if [ "$exported" != "$(printf '%s\n' "$@" | sort)" ]; then
    printf '%s: exports, instead of only %s:\n%s\n' "$library" "$*" "$exported" >&2
    exit 1
fi
[ "$is_own" = no ] || exit 0
found=$(nm -D --undefined-only "$library" | awk '{sub(/@.*/, "", $NF); print $NF}' |
    grep -xE 'exit|_exit|_Exit|quick_exit|abort|printf|vprintf|__printf_chk|__vprintf_chk|puts|putchar|perror|stdout|stderr|umask|setlocale|chdir|getenv|setenv|putenv|signal|sigaction|__longjmp_chk' ||
    true)
if [ -n "$found" ]; then
    printf '%s: a guest may not call:\n%s\n' "$library" "$found" >&2
    exit 1
fi
