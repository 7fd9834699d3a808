#!/usr/bin/env bash
# Does `cpprof profile --replay` tell of programs of other kinds what ncu tells, at a quarter of its cost: training, JAX,
# generation by a language model? And NCCL on two GPUs. Each is a part of its own, of two to six minutes, most of which ncu takes. What was
# measured is kept in INTO and not measured again; what is absent is said.
#
#   tests/gpu/profile_programs.sh [INTO] [PART...]     INTO: where bundles and times are kept (default: nowhere)
#       PART: train, jax, generate or nccl; by default all for which there are frameworks and GPUs
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
into=${1:-$work}
mkdir -p "$into"
parts=("${@:2}")
[ "${#parts[@]}" -gt 0 ] || parts=(train jax generate nccl)
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0} # no NVLink multicast: a shared host can suffer from it
export XLA_PYTHON_CLIENT_PREALLOCATE=false TOKENIZERS_PARALLELISM=false
# The same kernels in each run, and none in graphs, which are not replayed
export XLA_FLAGS="${XLA_FLAGS:-} --xla_gpu_autotune_level=0 --xla_gpu_enable_command_buffer="
ncu=$(command -v ncu || find /opt/nvidia /usr/local/cuda*/ -name ncu -type f -perm -u+x 2>/dev/null | head -n 1)

# Programs take how much they do: steps, or tokens.
cat >"$work/jax_steps.py" <<'PYTHON'
import sys

import jax
import jax.numpy as jnp


@jax.jit
def step(weights, inputs):
    loss = lambda w: jnp.mean(jax.nn.softmax(jnp.tanh(inputs @ w) @ w.T, axis=-1) ** 2)
    return weights - 0.1 * jax.grad(loss)(weights)


weights = jax.random.normal(jax.random.PRNGKey(0), (4096, 4096), dtype=jnp.bfloat16)
inputs = jax.random.normal(jax.random.PRNGKey(1), (8192, 4096), dtype=jnp.bfloat16)
for _ in range(int(sys.argv[1])):
    weights = step(weights, inputs)
weights.block_until_ready()
PYTHON
cat >"$work/generate_transformers.py" <<'PYTHON'
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=1024, n_head=16)).cuda().half().eval()
tokens = torch.randint(0, 50000, (8, 128), device="cuda")
model.generate(tokens, max_new_tokens=int(sys.argv[1]), min_new_tokens=int(sys.argv[1]), do_sample=False, pad_token_id=0)
torch.cuda.synchronize()
PYTHON
cat >"$work/generate_torch.py" <<'PYTHON'
"""The same model by hand: four layers of width 1024, random weights, keys and values kept, the likeliest token next."""
import sys

import torch
from torch.nn import functional

LAYERS, WIDTH, HEADS, WORDS, BATCH, PROMPT = 4, 1024, 16, 50257, 8, 128
torch.manual_seed(0)


def weights(*shape):
    return torch.randn(shape, device="cuda", dtype=torch.half) * 0.02


words, places = weights(WORDS, WIDTH), weights(1024, WIDTH)
layers = [(weights(3 * WIDTH, WIDTH), weights(WIDTH, WIDTH), weights(4 * WIDTH, WIDTH), weights(WIDTH, 4 * WIDTH))
          for _ in range(LAYERS)]
kept = [None] * LAYERS


def split(x):
    return x.view(BATCH, -1, HEADS, WIDTH // HEADS).transpose(1, 2)


def forward(tokens, at):
    x = words[tokens] + places[at:at + tokens.shape[1]]
    for i, (to_qkv, project, up, down) in enumerate(layers):
        q, k, v = (split(part) for part in functional.linear(functional.layer_norm(x, (WIDTH,)), to_qkv).chunk(3, -1))
        if kept[i] is not None:
            k, v = torch.cat((kept[i][0], k), 2), torch.cat((kept[i][1], v), 2)
        kept[i] = k, v
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=at == 0)
        x = x + functional.linear(seen.transpose(1, 2).reshape(x.shape), project)
        x = x + functional.linear(functional.gelu(functional.linear(functional.layer_norm(x, (WIDTH,)), up)), down)
    return functional.linear(functional.layer_norm(x[:, -1:], (WIDTH,)), words).argmax(-1)


with torch.no_grad():
    at, tokens = 0, torch.randint(0, WORDS, (BATCH, PROMPT), device="cuda")
    for _ in range(int(sys.argv[1])):
        following = forward(tokens, at)
        at, tokens = at + tokens.shape[1], following
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

# program_of PART AMOUNT: its command line, in the array "program"
program_of() {
    case $1 in
    train) program=(python3 examples/pytorch-train/train.py --layers 2 --width 4096 --steps "$2") ;;
    jax) program=(python3 "$work/jax_steps.py" "$2") ;;
    generate) program=(python3 "$work/generate_$how.py" "$2") ;;
    esac
}

# timed FILE COMMAND...: its time in ms and its status into FILE, unless they are there; at most four minutes
timed() {
    local file=$1 begin
    shift
    [ ! -s "$file" ] || return 0
    begin=$(date +%s%N)
    timeout -k 5 240 "$@" >"$file.out" 2>"$file.said"
    local status=$?
    echo "$((($(date +%s%N) - begin) / 1000000)) $status" >"$work/timed" && mv "$work/timed" "$file"
}
ms_of() { awk '{print $1}' "$1" 2>/dev/null; }
# well FILE WHAT
well() {
    expect "$2: exit status" "$(awk '{print $2}' "$1" 2>/dev/null)" 0
    [ "$(awk '{print $2}' "$1")" = 0 ] || tail -n 3 "$1.said" | cut -c 1-200 | sed 's/^/   /'
}

shares=.avg.pct_of_peak_sustained_elapsed
counters=gpu__time_duration.sum,dram__bytes_read.sum.pct_of_peak_sustained_elapsed$(printf ",%s$shares" sm__cycles_active \
    sm__inst_executed sm__inst_issued sm__pipe_{fma,alu}_cycles_active sm__inst_executed_pipe_lsu {l1tex,lts}__throughput sm__inst_executed_pipe_{alu,fma,xu} sm__pipe_{tensor,fmaheavy,fp64}_cycles_active lts__t_sectors \
    dram__throughput l1tex__data_pipe_{lsu,tex}_wavefronts l1tex__data_pipe_lsu_wavefronts_mem_shared \
    l1tex__m_xbar2l1tex_read_sectors l1tex__m_l1tex2xbar_req_cycles_active)
count() {
    timed "$1" "$ncu" --csv --page raw --print-kernel-base demangled --clock-control none --cache-control none \
        --metrics "$counters" "${@:2}"
}

# facts PART: what the page says, beside ncu's counters where there are any
facts() {
    local at=$into/$1 files value key
    declare -A of=()
    "$CPPROF" report --format json "$at/long.cpprof" >"$at/report.json" 2>/dev/null
    files=("$at/report.json")
    [ ! -s "$at/ncu.out" ] || files+=("$at/ncu.out")
    python3 tests/gpu/profile_facts.py "${files[@]}" >"$at/facts" 2>"$at/facts.said" || tail -n 2 "$at/facts.said"
    while read -r key value && [ "$key" != end ]; do of[$key]=$value; done <"$at/facts"
    echo "   ${of[samples]:-0} samples; above 1%: ${of[kernels]:-0} kernels, ${of[kernels_with_samples]:-0} with 20 samples; a class have ${of[replays_with_class]:-${of[kernels_with_class]:-0}}; above 1% of the kernels' time: ${of[working]:-0}, a class have ${of[working_with_class]:-0}"
    sed -n '/^end$/,$p' "$at/facts" | sed 1d | grep -v PM/ncu | cut -c 1-140
    expect "$1: samples and records agree" "${of[doubt]:-no samples}" none
    echo "   replays that took as long as in the trace: ${of[replays_accepted]:-0} of ${of[replays_all]:-0}"
    echo "   shares of samples within 3 points of replays, with 64 samples and more: ${of[sampled_many_near]:-0} of ${of[sampled_many]:-0}; with 20 within 3 points or 10%: ${of[sampled_few_near]:-0} of ${of[sampled_few]:-0}; not: ${of[sampled_odd]:-none}"
    echo "   shares of replays within 2 points of ncu: ${of[replays_within_2]:-0} of ${of[replays_beside]:-0}; not: ${of[replays_odd]:-none}"
    if [ -s "$at/ncu.out" ]; then
        expect "$1: 95% of the replays' shares within 2 points of ncu's" \
            "$(awk -v a="${of[replays_within_2]:-0}" -v b="${of[replays_beside]:-0}" 'BEGIN {print (b > 0 && a >= 0.95 * b)}')" 1
    fi
}

# look PART FEW MANY: FEW steps alone, under `profile --replay` and under ncu; MANY under `profile --replay`, with the page
look() {
    local at=$into/$1 program bare profiled counted
    mkdir -p "$at"
    program_of "$1" "$2"
    timed "$at/alone" "${program[@]}"
    timed "$at/few" "$CPPROF" profile --replay=2s --force -o "$at/few.cpprof" -- "${program[@]}"
    [ -z "$ncu" ] || count "$at/ncu" "${program[@]}"
    program_of "$1" "$3"
    timed "$at/long" "$CPPROF" profile --replay=30s --force -o "$at/long.cpprof" -- "${program[@]}"
    well "$at/alone" "$1: $2 alone"
    well "$at/few" "$1: $2 under profile --replay=2s"
    well "$at/long" "$1: $3 under profile --replay=30s"
    bare=$(ms_of "$at/alone") profiled=$(ms_of "$at/few") counted=$(ms_of "$at/ncu")
    if [ -n "$ncu" ]; then
        if [ "$(awk '{print $2}' "$at/ncu")" = 124 ]; then
            echo "   ncu was stopped: it takes longer than this, and what it had counted is compared"
        else
            well "$at/ncu" "$1: $2 under ncu"
        fi
        echo "   $2 alone $bare ms, under profile --replay=2s $profiled ms, under ncu with 24 counters $counted ms"
        expect "$1: profile --replay=2s adds at most a quarter of what ncu adds" \
            "$(awk -v b="$bare" -v p="$profiled" -v n="$counted" 'BEGIN {print (n > b && p - b <= 0.25 * (n - b))}')" 1
    else
        echo "   ABSENT: ncu; shares and times are not compared"
    fi
    grep -vE '^ *$' "$at/long.said" | sed 's/^/   | /' | cut -c 1-150 | head -n 40
    facts "$1"
    python3 tests/oracle/cause_oracle.py "$CPPROF" "$at/long.cpprof" >"$at/causes" 2>&1
    expect "$1: idle time and its causes are those of an independent sum" "$?" 0
    cut -c 1-200 "$at/causes" | sed 's/^/   /'
}

# A ring of two sends each byte once. With the protocol Simple that is data alone; LL128 sends 120 bytes in 128.
look_nccl() {
    local at=$into/nccl bytes
    mkdir -p "$at"
    export NCCL_ALGO=Ring NCCL_PROTO=Simple
    timed "$at/long" "$CPPROF" profile --force -o "$at/long.cpprof" -- python3 -m torch.distributed.run --nnodes=1 \
        --nproc-per-node=2 --master-addr=127.0.0.1 --master-port=29573 "$work/reduce.py"
    well "$at/long" "nccl: under profile"
    facts nccl
    bytes=$(python3 - "$at/report.json" <<'PYTHON'
import json, sys
for k in (json.load(open(sys.argv[1]))["profile"] or {"kernels": []})["kernels"]:
    if k["sent_bytes"] and "nccl" in k["kernel"]:
        print("%.4f %.4f" % (k["sent_bytes"] / (4 << 24), k["received_bytes"] / (4 << 24)), k["class"], k["unit"], "%.3f" % k["unit_share"])
PYTHON
    )
    echo "   sent and received, of the message: $bytes"
    expect "nccl: bytes over links within 3% of algorithm x protocol" \
        "$(awk '{print ($1 >= 0.97 && $1 <= 1.03 && $2 >= 0.97 && $2 <= 1.03)}' <<<"$bytes")" 1
}

for part in "${parts[@]}"; do
    echo "-- $part"
    case $part in
    train) look train 1 40 ;;
    jax)
        if python3 -c 'import jax; assert jax.devices("gpu")' 2>/dev/null; then look jax 12 200; else echo "   ABSENT: JAX with CUDA"; fi
        ;;
    generate)
        how=transformers
        if ! python3 -c 'import transformers' 2>/dev/null; then
            how=torch
            echo "   ABSENT: transformers; a loop of PyTorch by hand, of the same size, is measured instead"
        fi
        look generate 2 100
        ;;
    nccl) if [ "$(cuda_gpus)" -ge 2 ]; then look_nccl; else echo "   ABSENT: a second GPU"; fi ;;
    *) echo "no such part: $part" >&2 && exit 2 ;;
    esac
done
[ "$checks" -gt 0 ] || skip "nothing of ${parts[*]} could be measured"
finish
