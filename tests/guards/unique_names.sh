#!/usr/bin/env bash
# Does every source, script and document have a name of its own?
# usage: unique_names.sh TREE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
cd "${1:?usage: unique_names.sh TREE}"

# Recorded data repeats names by design: each bundle has its manifest.json, each job its rank 0.
tree_files | grep -vE '^examples/.*\.cpprof/|^examples/ranks/.*\.json\.gz$|^tests/(data|golden|fuzz)/' | sort |
    awk -F/ '
        $NF == "README.md" || $NF == "CMakeLists.txt" || $NF ~ /^\./ { next }
        $NF in first { printf "%s: the name is taken by %s\n", $0, first[$NF]; bad = 1; next }
        { first[$NF] = $0 }
        END { exit bad }'
