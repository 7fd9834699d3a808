"""Sixteen operations of PyTorch in turns, so that no kernel dominates.

usage: profile_ops.py ROUNDS

Prints how long the rounds took after two that warm up. With OPS_RANGE in the environment cudaProfilerStart and Stop
enclose one more round.
"""
import os
import sys
import time

import torch
import torch.nn.functional as functional

ROWS, COLUMNS, SIDE = 8192, 4096, 4096


def operations():
    half = dict(device="cuda", dtype=torch.bfloat16)
    full = dict(device="cuda", dtype=torch.float32)
    wide = torch.randn(ROWS, COLUMNS, **half)
    a, b = torch.randn(SIDE, SIDE, **half), torch.randn(SIDE, SIDE, **half)
    single = torch.randn(2048, 2048, **full)
    double = torch.randn(1024, 1024, device="cuda", dtype=torch.float64)
    batch = torch.randn(64, 512, 512, **half)
    image = torch.randn(32, 64, 112, 112, **half)
    filters = torch.randn(64, 64, 3, 3, **half)
    numbers = torch.randn(1 << 22, **full)
    index = torch.randint(0, ROWS, (ROWS,), device="cuda")
    tiny = torch.ones(64, **full)
    return [
        lambda: functional.layer_norm(wide, (COLUMNS,)),
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
    works = operations()
    rounds(works, 2)
    print("loop_ms %.1f" % (1000 * rounds(works, int(sys.argv[1]))))
    if os.environ.get("OPS_RANGE"):
        torch.cuda.cudart().cudaProfilerStart()
        rounds(works, 1)
        torch.cuda.cudart().cudaProfilerStop()


main()
