#!/usr/bin/env bash
# Does each command's help have examples, and does each of them run?
# usage: help_examples.sh CPPROF TREE      TREE has examples/; without a GPU `run`, `aa`, `profile` and `doctor` say that (4)
set -euo pipefail
cpprof=$(realpath "${1:?usage: help_examples.sh CPPROF TREE}")
tree=$(realpath "${2:?usage: help_examples.sh CPPROF TREE}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ln -s "$tree/examples" examples
mkdir bin
ln -s "$cpprof" bin/cpprof
export PATH=$work/bin:$PATH
cp examples/ci/streams_concurrent.rules streams.rules
printf '#!/bin/sh\nexit 0\n' >train
chmod +x train
failed=0

complain() {
    echo "NOT ok: $1"
    head -n 3 errors | cut -c 1-200 | sed 's/^/    /'
    failed=1
}

# Its exit status says that it was understood, and ran or lacks what a GPU has.
try() { # COMMAND EXAMPLE
    local status=0 allowed='0 1 3'
    case $1 in
    run | aa | profile | doctor) allowed+=' 4' ;;
    history | merge | bisect) return 0 ;; # they need what others have left
    esac
    case $2 in *./lib*) return 0 ;; esac # a library of the reader's
    bash -c "$2" >out 2>errors </dev/null || status=$?
    [[ " $allowed " == *" $status "* ]] || complain "$2: exit status $status"
}

count=0
for command in $(cpprof help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    mapfile -t examples < <(cpprof "$command" --help | sed -n '/^Examples:/,/^ *$/s/^  \(cpprof .*\)/\1/p')
    [ ${#examples[@]} -gt 0 ] || { : >errors && complain "$command: no examples in its help"; }
    for example in "${examples[@]}"; do
        count=$((count + 1))
        try "$command" "$example"
    done
done
[ "$count" -ge 40 ] || { : >errors && complain "$count examples"; }
exit $failed
