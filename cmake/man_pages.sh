#!/usr/bin/env bash
# Writes a manual page of cpprof and of each command, out of what the program says of itself.
# usage: man_pages.sh CPPROF FOLDER      help2man must be there
set -euo pipefail
program=$1 folder=$2
mkdir -p "$folder"
export LC_ALL=C ASAN_OPTIONS=detect_leaks=0
version=$("$program" version | head -n 1 | cut -d ' ' -f 2)
page() { # NAME SUMMARY SECTIONS: what it says with --help is on standard input
    cat >"$folder/.help"
    printf '#!/bin/sh\ncat "%s/.help"\n' "$folder" >"$folder/$1"
    chmod +x "$folder/$1"
    help2man --no-info --section 1 --name "$2" --version-string "$version" --manual 'cpprof' --source "cpprof $version" \
        --output "$folder/$1.1" "$folder/$1"
    rm "$folder/$1" "$folder/.help"
}
"$program" help | page cpprof 'is a kernel faster, by how much, and why?'
"$program" help | sed -n 's/^  \([a-z]\{1,\}\)  *\(.*\)/\1 \2/p' | while read -r command summary; do
    "$program" "$command" --help </dev/null | page "cpprof-$command" "$summary"
done
