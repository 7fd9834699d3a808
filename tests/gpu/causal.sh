#!/usr/bin/env bash
# Does `cpprof profile --causal` find which kernels a program waits for? Three programs in which that is known by
# construction (guests/guest_causal.cu): each criticality must be within 0.1 of what was built. Half a minute.
#
#   tests/gpu/causal.sh
#   SECONDS_EACH=8
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_program "$guests"
seconds=${SECONDS_EACH:-8}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# criticalities BUNDLE: "target status value low high share launches blocks" lines
criticalities() {
    "$CPPROF" report --format json "$1" 2>/dev/null | python3 -c 'import json, sys
for row in (json.load(sys.stdin).get("causal") or {"kernels": []})["kernels"]:
    c = row["criticality"] or {"value": "none", "low": "none", "high": "none"}
    print(row["target"], row["reason"] or row["status"], c["value"], c["low"], c["high"], row["share"], row["launches"],
          *("%s:%s:%s:%s" % (d["asked_ns"], d["delay_ns"], d["time_ns"], d["blocks"]) for d in row["doses"]))'
}

# measure GUEST TARGETS: into $work/GUEST
measure() {
    local bundle=$work/$1.cpprof
    "$CPPROF" profile --causal="$2" -o "$bundle" -- "$guests" "$1" "$seconds" >"$work/$1.out" 2>"$work/$1.said"
    expect "$1: the program ended well" "$?" 0
    expect "$1: it printed what it always prints" "$(cat "$work/$1.out")" "$1"
    criticalities "$bundle" >"$work/$1"
    sed 's/^/   | /' "$work/$1.said" | cut -c 1-160
    sed 's/^/   /' "$work/$1"
    python3 -c 'import json, sys
for p in json.load(open(sys.argv[1]))["processes"]:
    print("   delays:", p.get("causal"), "missing:", p.get("missing"))' "$bundle/manifest.json"
}

# near GUEST TARGET BUILT: is the criticality within 0.1 of it?
near() {
    local value
    value=$(awk -v t="$2" '$1 == t {print $3}' "$work/$1")
    expect "$1: the criticality of $2 (${value:-none}) is $3, to within 0.1" \
        "$(awk -v v="${value:-none}" -v b="$3" 'BEGIN {print (v != "none" && v - b <= 0.1 && b - v <= 0.1)}')" 1
    expect "$1: the status of $2" "$(awk -v t="$2" '$1 == t {print $2}' "$work/$1")" "$4"
}

measure beside causal_chain,causal_beside
near beside causal_chain 1 critical
near beside causal_beside 0 hidden
measure host causal_short
near host causal_short 0 hidden
measure chain causal_link,causal_tail
near chain causal_link 1 critical
near chain causal_tail 1 critical
finish
