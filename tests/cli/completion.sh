#!/usr/bin/env bash
# Does bash complete commands, options, variants and files of cpprof?
# usage: completion.sh CPPROF
set -u
program=$(realpath "${1:?usage: completion.sh CPPROF}")
folder=$(cd "$(dirname "$0")/../../cmake/completion" && pwd)
failed=0
# shellcheck source=/dev/null
. "$folder/cpprof.bash"
complete_line() { # WORD...: the last one is completed; what fits, in one line
    COMP_WORDS=("$program" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _cpprof
    echo "${COMPREPLY[*]}"
}
expect() { # WANTED WORD...
    local wanted=$1 got
    shift
    got=$(complete_line "$@")
    [ "$got" = "$wanted" ] && return
    echo "completion of '$*': got '$got', wanted '$wanted'" >&2
    failed=1
}
expect report rep
expect report help rep
expect '--force --format' report --fo
expect '--interval' profile --int
expect '--ceilings --count-repeats --cache' run --c
expect '' report --nothing-like-it
cd "$(mktemp -d)" || exit 1
touch a.cpprof
expect a.cpprof report a
expect a.cpprof stats a
rm -r "$PWD"
for shell in zsh fish; do
    command -v "$shell" >/dev/null || continue
    file=$folder/cpprof.fish
    [ "$shell" = fish ] || file=$folder/_cpprof
    "$shell" -n "$file" || failed=1
done
exit "$failed"
