#!/usr/bin/env bash
# Which recorded bundles are older than the sources that they depend on?
# usage: stale.sh [REPOSITORY]
#
# A bundle's manifest names its sources (pathspecs of git) and the commit that
# recorded it; a capture can only name the commit, so its sources stand here. It is fresh when nothing in its sources has changed between that
# commit and the work tree, and stale when it was recorded from a dirty tree.
# Prints each stale bundle with a reason, and exits 1 if there is one.
set -u
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}" || exit 2

# value MANIFEST KEY: the first string of that key
value() {
    sed -n "s/^ *\"$2\": \"\\(.*\\)\",\\{0,1\\}\$/\\1/p" "$1" | head -n 1
}

# What made the captures: the guest, of the rooms below it what writes files, cpprof, and the programs that it captured.
collecting="collector/inject collector/activity collector/dynload include/cpprof/event.h include/cpprof/shard.h base/shard_writer.c base/json.c model/seal.c"
collecting+=" cli/cmd_capture.c cli/capture_session.c"
declare -A captured=(
    [examples/captures/vector.cpprof]="tests/gpu/guests/guest_work.cu"
    [examples/captures/graph.cpprof]="tests/gpu/guests/guest_work.cu"
    [examples/captures/train.cpprof]="examples/pytorch-train/train.py"
    [examples/captures/two-ranks.cpprof]="examples/pytorch-train/allreduce.py"
)

# sources MANIFEST: one path a line
sources() {
    local program=${captured[$(dirname "$1")]:-}
    # shellcheck disable=SC2086  # paths without blanks
    [ -z "$program" ] || printf '%s\n' $collecting $program
    awk '/^  "sources": \[/ {inside = 1; next} inside && /\]/ {exit} inside {gsub(/^ *"|",? *$/, ""); print}' "$1"
}

# others MANIFEST: roles of the runner that left nothing in this bundle, as pathspecs
others() {
    local role roles="list probe metrics"
    grep -q '^  "ceilings"' "$1" || roles+=" ceilings peers"
    for role in $roles; do
        printf ':(exclude)collector/runner/role_%s.c\n' "$role"
    done
}

stale=0
say() {
    echo "$1: $2"
    stale=1
}

for manifest in examples/*/*.cpprof/manifest.json; do
    [ -f "$manifest" ] || continue
    bundle=$(dirname "$manifest")
    commit=$(value "$manifest" commit)
    mapfile -t paths < <(sources "$manifest")
    mapfile -t elsewhere < <(others "$manifest")
    if [ ${#paths[@]} -eq 0 ]; then
        say "$bundle" "its manifest names no sources"
    elif [[ $commit == *-dirty ]]; then
        say "$bundle" "recorded from a tree with uncommitted changes (${commit:0:12}-dirty)"
    elif ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
        say "$bundle" "recorded by a commit that is not in this history (${commit:0:12})"
    else
        changed=$(git diff --name-only "$commit" -- "${paths[@]}" "${elsewhere[@]}" | head -n 1)
        [ -z "$changed" ] || say "$bundle" "older than $changed ($(git log -1 --format='%h %s' "$commit.." -- "$changed"))"
    fi
done
exit $stale
