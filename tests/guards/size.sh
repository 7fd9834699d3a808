#!/usr/bin/env bash
# Is the tree small enough to clone in seconds?
# usage: size.sh TREE [LIST]      44 MB of files in all, 24 MB of examples; an example (a bundle, or a file next to the
#                                bundles) has 2 MB. tests/gpu/pack_bundle.sh makes bundles smaller.
#
# LIST, large_examples.txt: EXAMPLE BYTES, those that may be larger, and how large. MB is 1,000,000 bytes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
list=$(realpath "${2:-$here/large_examples.txt}")
cd "${1:?usage: size.sh TREE [LIST]}"

tree_files | tr '\n' '\0' | xargs -0 stat -c '%s %n' -- | awk -v most=44000000 -v shown=24000000 -v each=2000000 '
    FNR == NR { if (!/^#/ && NF == 2) limit[$1] = $2; next }
    { bytes = $1; sub(/^[0-9]+ /, ""); total += bytes }
    /^examples\// { name = $0; sub(/\.cpprof\/.*/, ".cpprof", name); size[name] += bytes; examples += bytes }
    function complain(text) { print "size: " text; bad = 1 }
    END {
        if (!total) complain("no files")
        if (total > most) complain("the files have " total " bytes in all, more than " most)
        if (examples > shown) complain("examples/ has " examples " bytes, more than " shown)
        for (name in size) {
            if (!(name in limit) && size[name] > each) complain(name " has " size[name] " bytes, more than " each)
            if (name in limit && size[name] > limit[name]) complain(name " has " size[name] " bytes, more than its " limit[name])
        }
        for (name in limit) if (!(name in size) || size[name] <= each) complain(name " is not large any more: take it off the list")
        exit bad
    }' "$list" -
