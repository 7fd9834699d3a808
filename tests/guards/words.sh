#!/usr/bin/env bash
# Is the tree free of one machine's paths and of words that mark unfinished work?
# usage: words.sh TREE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
cd "${1:?usage: words.sh TREE}"

# The brackets keep the patterns from matching this file. /home/me is the made-up home of tests.
paths='(^|[^[:alnum:]_.])/(work|root|home/([^m/]|m[^e/]|me[^/])[[:alnum:]_]*)[/]|/tmp/bash[_]jobs'
unfinished='\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K|not implemente[d]|stu[b]|placeholde[r]|lorem ipsu[m])\b|^(<<<<<<[<] |>>>>>>[>] )'
# -I: text files only. LICENSE is not ours to word.
found=$(tree_files | grep -v '^LICENSE$' | tr '\n' '\0' |
    xargs -0 grep -nIE -e "$paths" -e "$unfinished" -- || true)
if [ -n "$found" ]; then
    printf '%s\nwords: the lines above hold a path of one machine or an unfinished part\n' "$found" >&2
    exit 1
fi
