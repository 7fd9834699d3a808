#!/usr/bin/env bash
# Does `cpprof profile --causal` find which kernels a program waits for, and does the recorded graph of a capture without
# delays? Three programs in which that is known by construction (guests/guest_causal.cu): each criticality must be within
# 0.1 of what was built. Half a minute.
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

# graph GUEST: the same by the graph of a capture without delays, "kernel status low high" lines into $work/GUEST.graph
graph() {
    local bundle=$work/$1-graph.cpprof
    "$CPPROF" capture -q -o "$bundle" -- "$guests" "$1" 1 >/dev/null 2>"$work/$1.said"
    expect "$1: the program ended well without delays" "$?" 0
    "$CPPROF" report --format json "$bundle" 2>/dev/null | python3 -c 'import json, sys
graph = json.load(sys.stdin)["dependencies"]
print("graph", graph["reason"], graph["error"], graph["works"], graph["sure"], graph["unsure"], graph["unexplained"])
for row in graph["kernels"]:
    c = row["criticality"] or {"low": "none", "high": "none"}
    print(row["kernel"].split("(")[0], row["reason"] or row["status"], c["low"], c["high"])' >"$work/$1.graph"
    sed 's/^/   /' "$work/$1.graph"
}

# near_graph GUEST KERNEL BUILT STATUS: do both ends of the interval lie within 0.1 of it?
near_graph() {
    local ends
    ends=$(awk -v k="$2" '$1 == k {print $3, $4}' "$work/$1.graph")
    expect "$1: the criticality of $2 by the graph (${ends:-none}) is $3, to within 0.1" \
        "$(echo "${ends:-none none}" | awk -v b="$3" '{print ($1 != "none" && b - $1 <= 0.1 && $2 - b <= 0.1)}')" 1
    expect "$1: the status of $2 by the graph" "$(awk -v k="$2" '$1 == k {print $2}' "$work/$1.graph")" "$4"
}

measure beside causal_chain,causal_beside
near beside causal_chain 1 critical
near beside causal_beside 0 hidden
graph beside
near_graph beside causal_chain 1 critical
near_graph beside causal_beside 0 hidden
measure host causal_short
near host causal_short 0 hidden
graph host
near_graph host causal_short 0 hidden
measure chain causal_link,causal_tail
near chain causal_link 1 critical
near chain causal_tail 1 critical
graph chain
near_graph chain causal_link 1 critical
near_graph chain causal_tail 1 critical
finish
