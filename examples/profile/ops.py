"""Sixteen operations of PyTorch in turns, so that no kernel dominates.

usage: ops.py ROUNDS [SCALE]

SCALE makes each side of the tensors so many times as long. Prints how long the rounds took after two that warm up. With
OPS_RANGE in the environment cudaProfilerStart and Stop enclose one more round.
"""
import os
import sys
import time

import torch
import torch.nn.functional as functional


def operations(scale):
    rows, columns, side = 8192 * scale, 4096 * scale, 4096 * scale
    half = dict(device="cuda", dtype=torch.bfloat16)
    full = dict(device="cuda", dtype=torch.float32)
    wide = torch.randn(rows, columns, **half)
    a, b = torch.randn(side, side, **half), torch.randn(side, side, **half)
    single = torch.randn(side // 2, side // 2, **full)
    double = torch.randn(side // 4, side // 4, device="cuda", dtype=torch.float64)
    batch = torch.randn(64, 512 * scale, 512 * scale, **half)
    image = torch.randn(32, 64, 112 * scale, 112 * scale, **half)
    filters = torch.randn(64, 64, 3, 3, **half)
    numbers = torch.randn(scale << 22, **full)
    index = torch.randint(0, rows, (rows,), device="cuda")
    tiny = torch.ones(64, **full)
    return [
        lambda: functional.layer_norm(wide, (columns,)),
        lambda: torch.softmax(wide, -1),
        lambda: functional.gelu(wide),
        lambda: a @ b,
        lambda: single @ single,
        lambda: double @ double,
        lambda: wide.index_select(0, index),
        lambda: wide.float().cumsum(-1),
        lambda: numbers.sort(),
        lambda: wide.sum(-1),
        lambda: functional.conv2d(image, filters, padding=1),
        lambda: torch.zeros_like(wide).index_add_(0, index, wide),
        lambda: torch.bmm(batch, batch),
        lambda: wide.t().contiguous(),
        lambda: torch.erfinv(numbers.clamp(-0.9, 0.9)),
        lambda: tiny.add_(1),
    ]


def rounds(works, count):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        for work in works:
            work()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    works = operations(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    rounds(works, 2)
    print("loop_ms %.1f" % (1000 * rounds(works, int(sys.argv[1]))))
    if os.environ.get("OPS_RANGE"):
        torch.cuda.cudart().cudaProfilerStart()
        rounds(works, 1)
        torch.cuda.cudart().cudaProfilerStop()


main()
