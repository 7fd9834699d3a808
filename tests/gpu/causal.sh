#!/usr/bin/env bash
# Does `cpprof profile --causal` find which kernels and copies a program waits for, and whether it waits for its host? And
# does the recorded graph of a capture without delays, alone and with `--trace api`? Five programs in which that is known
# by construction (guests/guest_causal.cu): each criticality must be within 0.1 of what was built. A minute.
#
#   tests/gpu/causal.sh [GUEST...]     these alone: beside, host, chain, copy_hidden, copy_exposed
#   SECONDS_EACH=8
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_program "$guests"
seconds=${SECONDS_EACH:-8}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chosen=" ${*:-beside host chain copy_hidden copy_exposed} "

# wanted GUEST: was it asked for?
wanted() {
    case $chosen in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

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

# graph GUEST [OPTION...]: the same by the graph of a capture without delays, "kernel status low high" lines into
# $work/GUEST.graph. First come how many waits of streams were recorded, and how many of them have their event.
graph() {
    local bundle=$work/$1-graph.cpprof
    "$CPPROF" capture -q --force "${@:2}" -o "$bundle" -- "$guests" "$1" 1 >/dev/null 2>"$work/$1.said"
    expect "$1: the program ended well without delays" "$?" 0
    "$CPPROF" report --format json "$bundle" 2>/dev/null | python3 -c 'import json, sys
graph = json.load(sys.stdin)["dependencies"]
print("graph", graph["reason"], graph["error"], graph["works"], graph["sure"], graph["unsure"], graph["unexplained"], graph.get("recorded"))
host = graph["host"]
print("host", host["reason"] or host["status"], *((host["criticality"] or {"low": "none", "high": "none"})[end] for end in ("low", "high")))
for row in graph["kernels"]:
    c = row["criticality"] or {"low": "none", "high": "none"}
    print(row["kernel"].split("(")[0].replace(" ", "_"), row["reason"] or row["status"], c["low"], c["high"])' >"$work/$1.graph"
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

copy="[CUDA_memcpy_Host-to-Device]"
if wanted beside; then
    measure beside causal_chain,causal_beside
    near beside causal_chain 1 critical
    near beside causal_beside 0 hidden
    for trace in launch api; do
        graph beside --trace "$trace"
        near_graph beside causal_chain 1 critical
        near_graph beside causal_beside 0 hidden
    done
    expect_at_least "beside: waits of streams whose event was recorded" "$(awk '$1 == "graph" {print $8}' "$work/beside.graph")" 100
fi
if wanted host; then
    measure host causal_short,host:causal_short
    near host causal_short 0 hidden
    near host host:causal_short 1 critical
    graph host
    near_graph host causal_short 0 hidden
    near_graph host host 1 critical
fi
if wanted chain; then
    measure chain causal_link,causal_tail,host:causal_link
    near chain causal_link 1 critical
    near chain causal_tail 1 critical
    near chain host:causal_link 0 hidden
    graph chain
    near_graph chain causal_link 1 critical
    near_graph chain causal_tail 1 critical
fi
if wanted copy_hidden; then
    measure copy_hidden copy:h2d,causal_chain
    near copy_hidden copy:h2d 0 hidden
    near copy_hidden causal_chain 1 critical
    for trace in launch api; do
        graph copy_hidden --trace "$trace"
        near_graph copy_hidden "$copy" 0 hidden
        near_graph copy_hidden causal_chain 1 critical
    done
fi
if wanted copy_exposed; then
    measure copy_exposed copy:any,causal_link
    near copy_exposed copy:any 1 critical
    near copy_exposed causal_link 1 critical
    graph copy_exposed
    near_graph copy_exposed "$copy" 1 critical
    near_graph copy_exposed causal_link 1 critical
fi
finish
