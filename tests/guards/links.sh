#!/usr/bin/env bash
# Does every document that the tree speaks of exist?
# usage: links.sh TREE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
cd "${1:?usage: links.sh TREE}"
failed=0

# FILE:LINE:DOCUMENT for what code and documents call docs/NAME.md, and for the
# relative targets of Markdown links.
mentions() {
    tree_files | grep -vE '^(LICENSE$|tests/(data|golden|guards)/)' | tr '\n' '\0' |
        xargs -0 grep -HnoIE '\bdocs/[[:alnum:]_-]+\.md' -- || true
}
links() {
    tree_files | grep -E '\.md$' | grep -vE '^(examples/.*\.cpprof|tests/(data|golden))/' | tr '\n' '\0' |
        xargs -0 grep -HnoE '\]\([^)#:]+' -- | sed 's/](//' || true
}

while IFS=: read -r file line target; do
    if [ ! -e "$target" ]; then
        echo "$file:$line: there is no $target" >&2
        failed=1
    fi
done < <(mentions)
while IFS=: read -r file line target; do
    if [ ! -e "$(dirname "$file")/$target" ]; then
        echo "$file:$line: the link leads nowhere: $target" >&2
        failed=1
    fi
done < <(links)
exit "$failed"
