#!/usr/bin/env bash
# Do the collectives that a program calls keep their numbers and kernels where CUDA graphs with collectives run between them? Once as the
# GPUs reach each other, once over sockets: then NCCL reports from threads of CUDA, also each run of a graph. PyTorch, two GPUs, a minute.
#
#   tests/gpu/nccl_graphs.sh [INTO]       what INTO has already is not captured again
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
gpus=$(cuda_gpus)
[ "$gpus" -ge 2 ] || skip "two GPUs are needed, here: $gpus"
if [ $# -gt 0 ]; then
    into=$1
    mkdir -p "$into"
else
    into=$(mktemp -d)
    trap 'rm -rf "$into"' EXIT
fi
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0} # no NVLink multicast: a shared host can suffer from it
calls=39 # 3, and 12 times 3
port=29573

capture() { # NAME VARIABLE=VALUE...
    port=$((port + 1))
    [ -e "$into/$1.cpprof/manifest.json" ] && return
    timeout 100 env "${@:2}" "$CPPROF" capture -q --force -o "$into/$1.cpprof" -- python3 -m torch.distributed.run --nnodes=1 \
        --nproc-per-node=2 --master-addr=127.0.0.1 --master-port="$port" tests/gpu/nccl_graphs.py >"$into/$1.said" 2>&1
    local status=$?
    expect "$1: captured" "$status" 0
    expect "$1: calls of each rank" "$(grep -c "$calls calls" "$into/$1.said")" 2
    [ "$status" = 0 ] || tail -n 15 "$into/$1.said"
}

judge() { # NAME
    "$CPPROF" ranks "$into/$1.cpprof" --format json >"$into/$1.json" 2>"$into/$1.why"
    expect "$1: what NCCL told, and which collectives have numbers" "$(python3 - "$into/$1.cpprof/manifest.json" "$into/$1.json" <<'PYTHON'
import json, sys

told = [p["collectives"] for p in json.load(open(sys.argv[1]))["processes"] if p.get("collectives")]
print(" ".join(f"{t['collectives']} told, {t['from_graphs']} of graphs" for t in told), file=sys.stderr)
rows = [r for r in json.load(open(sys.argv[2]))["collectives"] if not r["communicator"].startswith("stream")]
lost = sum(t["collectives"] - t["from_graphs"] - t["stored"] for t in told)
wrong = sum(t["misnumbered"] for t in told)
sizes = sorted({r["bytes"] for r in rows})
order = [r["position"] for r in rows] == sorted(r["position"] for r in rows)
print(f"{len(told)} ranks, stored {sorted(t['stored'] for t in told)}, lost {lost}, misnumbered {wrong}, {len(rows)} matched, "
      f"bytes {sizes}, {'in' if order else 'out of'} order")
PYTHON
)" "2 ranks, stored [$calls, $calls], lost 0, misnumbered 0, $calls matched, bytes [4000, 8000, 1200000], in order"
    [ -s "$into/$1.why" ] && head -n 5 "$into/$1.why"
}

capture direct NCCL_DEBUG=WARN
judge direct
capture sockets NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 NCCL_SOCKET_IFNAME=lo NCCL_IB_DISABLE=1
judge sockets
finish
