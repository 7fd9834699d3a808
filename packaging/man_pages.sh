#!/usr/bin/env bash
# Writes a manual page of cpprof and of each command, out of what the program says of itself.
# usage: man_pages.sh CPPROF FOLDER      help2man must be there; a page that it does not make is left out
set -euo pipefail
program=$1 folder=$2
mkdir -p "$folder"
export LC_ALL=C ASAN_OPTIONS=detect_leaks=0
version=$("$program" version | head -n 1 | cut -d ' ' -f 2)
# help2man hands the name to a shell, so it is one without a folder.
page() { # NAME SUMMARY SECTIONS: what it says with --help is on standard input
    cat >"$folder/.help"
    printf '#!/bin/sh\ncat .help\n' >"$folder/$1"
    chmod +x "$folder/$1"
    (cd "$folder" && help2man --no-info --section 1 --name "$2" --version-string "$version" --manual 'cpprof' \
        --source "cpprof $version" --output "$1.1" "./$1") || echo "no manual page of $1: help2man failed" >&2
    rm "$folder/$1" "$folder/.help"
}
"$program" help | page cpprof 'is a kernel faster, by how much, and why?'
"$program" help | sed -n 's/^  \([a-z]\{1,\}\)  *\(.*\)/\1 \2/p' | while read -r command summary; do
    "$program" "$command" --help </dev/null | page "cpprof-$command" "$summary"
done
