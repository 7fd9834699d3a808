#!/usr/bin/env bash
# Do bash, and zsh and fish where they are installed, complete commands, options and files of cpprof?
# usage: completion.sh CPPROF
set -u
program=$(realpath "${1:?usage: completion.sh CPPROF}")
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$here/../../packaging/completion" && pwd)
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
cd / && rm -r "$OLDPWD"

fish_expect() { # WANTED TYPED: what begins a line of the offer
    local offered
    offered=$(PATH=$(dirname "$program"):$PATH fish --no-config -c "source '$folder/cpprof.fish'; complete -C '$2'" | cut -f1 | tr '\n' ' ')
    [[ $offered == "$1 "* ]] && return
    echo "fish: completion of '$2': got '$offered', wanted '$1'" >&2
    failed=1
}
if command -v fish >/dev/null; then
    fish_expect report 'cpprof rep'
    fish_expect '--force --format' 'cpprof report --fo'
    fish_expect report 'cpprof help rep'
fi
zsh_expect() { # WANTED TYPED: what stands at the prompt then; of two the beginning that they have in common
    python3 "$here/zsh_completes.py" "$folder" "$(dirname "$program")" "$2" "$1" || failed=1
}
if command -v zsh >/dev/null; then
    zsh_expect 'cpprof report' 'cpprof rep'
    zsh_expect 'report --for' 'cpprof report --fo'
    zsh_expect 'help history' 'cpprof help his'
fi
exit "$failed"
