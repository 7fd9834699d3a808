#!/usr/bin/env bash
# Which recorded example bundles are older than the code that made them?
# usage: stale.sh [REPOSITORY]
#
# A bundle's manifest lists its sources. The bundle is fresh when the last
# commit that touched it holds every change to those: the same commit counts,
# dates do not. Prints bundle, source and the subject of the commit that left it
# behind; exit 1 if there is any, 2 outside a checkout.
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"
git rev-parse --git-dir >/dev/null 2>&1 || { echo "stale: '$PWD' is no git checkout" >&2; exit 2; }

# The strings of the manifest's "sources" array: our writer puts one on a line.
manifest_sources() {
    sed -n '/"sources": *\[/,/\]/s/^ *"\([^"]*\)",\{0,1\} *$/\1/p' "$1"
}

stale=0
behind() { # BUNDLE SOURCE REASON
    printf '%s\t%s\t%s\n' "$1" "$2" "$3"
    stale=1
}

check_bundle() {
    local bundle=$1 recorded source missed
    recorded=$(git log -1 --format=%H -- "$bundle")
    mapfile -t sources < <(manifest_sources "$bundle/manifest.json")
    if [ ${#sources[@]} -eq 0 ]; then
        behind "$bundle" - "the manifest names no sources"
        return
    fi
    for source in "${sources[@]}"; do
        if [ -z "$(git log -1 --format=%H -- "$source")" ]; then
            behind "$bundle" "$source" "no commit knows this source"
            continue
        fi
        missed=$(git log -1 --format=%s "$recorded..HEAD" -- "$source")
        if [ -n "$missed" ]; then
            behind "$bundle" "$source" "$missed"
        fi
    done
}

while read -r manifest; do
    check_bundle "${manifest%/manifest.json}"
done < <(git ls-tree -r --name-only HEAD -- examples | grep -E '\.cpprof/manifest\.json$')
exit "$stale"
