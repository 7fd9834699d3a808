#!/usr/bin/env bash
# Does every shell script parse, and does shellcheck accept it where it is installed?
# usage: shell.sh TREE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
cd "${1:?usage: shell.sh TREE}"

mapfile -t scripts < <(tree_files | tr '\n' '\0' | xargs -0 awk '
    FNR == 1 && (FILENAME ~ /\.sh$/ || /^#!.*[\/ ](ba)?sh$/) { print FILENAME }
    { nextfile }')
[ ${#scripts[@]} -gt 0 ] || { echo "shell: no scripts under '$1'" >&2; exit 1; }
failed=0
for script in "${scripts[@]}"; do
    bash -n "$script" || failed=1
done
if command -v shellcheck >/dev/null; then
    # SC1091: sourced files are checked on their own.
    shellcheck --shell=bash --severity=warning --exclude=SC1091 "${scripts[@]}" || failed=1
fi
exit "$failed"
