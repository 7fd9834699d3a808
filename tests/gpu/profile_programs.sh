#!/usr/bin/env bash
# Does `cpprof profile` work on programs of other kinds: training, JAX, generation by a language model, and NCCL on two
# GPUs? What each page says is printed, and how long the program took. Where a framework is not there its program is
# skipped.
#
#   tests/gpu/profile_programs.sh [INTO]     INTO: where the bundles are kept (default: nowhere)
#   ONLY=nccl                                 this one alone: train, jax, generate or nccl
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
into=${1:-$work}
mkdir -p "$into"
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0} # no NVLink multicast: a shared host can suffer from it
export XLA_PYTHON_CLIENT_PREALLOCATE=false TOKENIZERS_PARALLELISM=false

cat >"$work/jax_steps.py" <<'PYTHON'
import jax
import jax.numpy as jnp


@jax.jit
def step(weights, inputs):
    loss = lambda w: jnp.mean(jax.nn.softmax(jnp.tanh(inputs @ w) @ w.T, axis=-1) ** 2)
    return weights - 0.1 * jax.grad(loss)(weights)


weights = jax.random.normal(jax.random.PRNGKey(0), (4096, 4096), dtype=jnp.bfloat16)
inputs = jax.random.normal(jax.random.PRNGKey(1), (8192, 4096), dtype=jnp.bfloat16)
for _ in range(600):
    weights = step(weights, inputs)
weights.block_until_ready()
PYTHON
cat >"$work/generate.py" <<'PYTHON'
import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(n_layer=12, n_embd=1024, n_head=16)).cuda().half().eval()
tokens = torch.randint(0, 50000, (8, 128), device="cuda")
model.generate(tokens, max_new_tokens=160, do_sample=False, pad_token_id=0)
torch.cuda.synchronize()
PYTHON
cat >"$work/reduce.py" <<'PYTHON'
import os
import torch
import torch.distributed as dist

local = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local)
dist.init_process_group("nccl", device_id=torch.device("cuda", local))
x = torch.ones(1 << 24, device="cuda")
for _ in range(8000):
    dist.all_reduce(x, op=dist.ReduceOp.AVG)
torch.cuda.synchronize()
dist.destroy_process_group()
PYTHON

# look NAME PROGRAM...: the program alone, under `capture`, and under `profile`
look() {
    local name=$1 state begin
    shift
    case ${ONLY:-$name} in "$name") ;; *) return ;; esac
    begin=$(date +%s%N)
    timeout 100 "$@" >/dev/null 2>&1
    echo "   alone: $((($(date +%s%N) - begin) / 1000000)) ms"
    begin=$(date +%s%N)
    timeout 100 "$CPPROF" capture -q -o "$work/$name.cpprof" --force -- "$@" >/dev/null 2>&1
    echo "   under capture: $((($(date +%s%N) - begin) / 1000000)) ms"
    begin=$(date +%s%N)
    timeout 100 "$CPPROF" profile -o "$into/$name.cpprof" --force -- "$@" >"$work/said" 2>&1
    expect "$name: exit status" "$?" 0
    echo "   under profile: $((($(date +%s%N) - begin) / 1000000)) ms"
    sed 's/^/   | /' "$work/said" | cut -c 1-150 | head -n 45
    "$CPPROF" report --format json "$into/$name.cpprof" >"$work/report.json" 2>/dev/null
    state=$(python3 - "$work/report.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
profile = report["profile"]
if not profile:
    sys.exit(print("no samples"))
device = profile["devices"][0]
known = [k for k in profile["kernels"] if (k["share"] or 0) > 0.01]
print("   %d samples; above 1%%: %d kernels, %d with 20 samples, %d with a class" % (
    device["samples"], len(known), sum(k["samples"] >= 20 for k in known), sum(k["class"] != "inconclusive" for k in known)))
print(device["doubt"] or "none")
PYTHON
    )
    head -n 1 <<<"$state"
    expect "$name: samples and records agree" "$(tail -n 1 <<<"$state")" none
}

look train python3 examples/pytorch-train/train.py --steps 40 --layers 4 --width 4096
if python3 -c 'import jax' 2>/dev/null; then look jax python3 "$work/jax_steps.py"; else echo "SKIPPED: jax is needed"; fi
if python3 -c 'import transformers' 2>/dev/null; then look generate python3 "$work/generate.py"; else echo "SKIPPED: transformers is needed"; fi
if [ "$(cuda_gpus)" -ge 2 ]; then
    # A ring of two sends each byte once. Of the protocols Simple sends data alone, LL128 120 bytes in 128.
    export NCCL_ALGO=Ring NCCL_PROTO=Simple
    look nccl python3 -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-addr=127.0.0.1 --master-port=29573 \
        "$work/reduce.py"
    if [ -s "$work/report.json" ] && [ "${ONLY:-nccl}" = nccl ]; then
        bytes=$(python3 - "$work/report.json" <<'PYTHON'
import json, sys
for k in json.load(open(sys.argv[1]))["profile"]["kernels"]:
    if k["sent_bytes"] and "nccl" in k["kernel"]:
        print("%.4f %.4f" % (k["sent_bytes"] / (4 << 24), k["received_bytes"] / (4 << 24)), k["class"], k["unit"], "%.3f" % k["unit_share"])
PYTHON
        )
        echo "   sent and received, of the message: $bytes"
        expect "nccl: bytes over links within 3% of algorithm x protocol" \
            "$(awk '{print ($1 >= 0.97 && $1 <= 1.03 && $2 >= 0.97 && $2 <= 1.03)}' <<<"$bytes")" 1
    fi
else
    echo "SKIPPED: nccl needs two GPUs"
fi
finish
