#!/usr/bin/env bash
# How does CUPTI record a batch of copies (cudaMemcpyBatchAsync), which copy-engine collectives of NCCL call? Captures
# guests/copy_batches.cu and prints the calls and copies of the bundle: a record for each copy, or one for each batch. One
# GPU, or two for copies between them; half a minute.
#
#   tests/gpu/copy_batches.sh [INTO]     INTO: where the capture goes (default: nowhere)
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
program=$test_programs/copy_batches
need_program "$program"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
into=${1:-$work}
mkdir -p "$into"

said=$(timeout 60 "$program") || { echo "$said"; exit 4; }
timeout 120 "$CPPROF" capture -q --force -o "$into/copy-batches.cpprof" -- "$program" >"$work/said"
expect "the program says the same" "$(cat "$work/said")" "$said"
direction=${said%%:*}
"$CPPROF" check "$into/copy-batches.cpprof" --assert "bytes($direction) >= 30MiB" --assert "count($direction) >= 3"
expect "all bytes are recorded" $? 0
"$CPPROF" check "$into/copy-batches.cpprof" --assert 'count(api[name=~MemcpyBatch]) >= 3'
expect "the calls are recorded" $? 0
"$CPPROF" stats "$into/copy-batches.cpprof"
"$CPPROF" gaps "$into/copy-batches.cpprof"
finish
