#!/usr/bin/env bash
# Does the front page list the commands that the program has, all of them and no others?
# usage: readme.sh README CPPROF
set -euo pipefail
readme=${1:?usage: readme.sh README CPPROF}
cpprof=${2:?usage: readme.sh README CPPROF}

listed=$(sed -n 's/^| `cpprof \([a-z]*\).*/\1/p' "$readme" | sort)
has=$("$cpprof" help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | sort)
[ -n "$has" ] || { echo "readme: '$cpprof help' lists no command" >&2; exit 1; }
if ! diff <(echo "$has") <(echo "$listed") >&2; then
    echo "$readme: < is a command that it leaves out, > one that does not exist" >&2
    exit 1
fi
