#!/usr/bin/env bash
# Does tests/look.py end when a browser does not answer? Exit status 77 without python3.
# usage: look_test.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '<p>a page' >"$work/page.html"

# ends NAME MESSAGE SCRIPT: a browser that is this script makes look.py end soon, with this message
ends() {
    printf '#!/bin/bash\n%s\n' "$3" >"$work/$1"
    chmod +x "$work/$1"
    local got=0
    timeout 20 python3 -B look.py "$work/$1" "$work" 1 >"$work/said" 2>&1 || got=$?
    if [ "$got" -eq 124 ] || ! grep -qF -- "$2" "$work/said"; then
        echo "NOT ok: $1: exit status $got" && tail -n 3 "$work/said" && exit 1
    fi
}

# shellcheck disable=SC2016  # for the script to expand
{
    ends silent 'no answer to Target.createTarget within 1 s' 'exec sleep 60'
    ends talkative 'no answer to Target.createTarget within 1 s' 'while printf "{}\0" >&4; do :; done'
    ends never_done 'no answer to Target.createTarget within 1 s' 'while printf "{" >&4; do sleep 0.1; done'
    ends gone 'the browser has ended' 'exit 0'
}
echo "4 browsers that do not answer"
