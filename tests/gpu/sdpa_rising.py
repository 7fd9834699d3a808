"""Is our attention right where scores rise from tile to tile?

sdpa_rising.py LIBRARY [--variants GLOB,...]

Scores of the ladder's own inputs rise by a few powers of two, so that code for steeper ones never runs. Here keys rise by
RISE powers of two every 128 keys, and the queries of a warp in turns go all the way up, half of it, nowhere, and down.
Keys have two columns that are not 0, so products of e4m3 lose next to nothing. Prints the largest error against float64 for
each variant. Exit 1 when one is above the gate.
"""
import argparse
import math
import sys
from types import SimpleNamespace

import torch

from sdpa_beside import HEADS, MAX_ABS_ERR, WIDTH, Ladder, reference

TILE = 128
LENGTHS = (129, 384, 500, 512, 1000, 2048)
RISES = (3, 14, 16, 20)
SLOPES = (1, 0.5, 0, -1)


def operand(values, scale):
    codes = values.to(torch.float8_e4m3fn)
    exact = codes.to(torch.float32).to(torch.float64) * torch.tensor(scale, dtype=torch.float32).item()
    return SimpleNamespace(codes=codes.view(torch.uint8).contiguous(), scale=torch.full((HEADS,), scale, device="cuda"), exact=exact)


def operands(length, rise):
    generator = torch.Generator(device="cuda").manual_seed(1000 * rise + length)
    shape = (1, HEADS, length, WIDTH)
    q, k = torch.zeros(shape, device="cuda"), torch.zeros(shape, device="cuda")
    at = torch.arange(length, device="cuda")
    tile = torch.div(at, TILE, rounding_mode="floor").to(torch.float32)
    q[..., 0] = torch.tensor(SLOPES, device="cuda")[at % len(SLOPES)]
    q[..., 1] = 0.125
    k[..., 0] = tile - math.floor(tile.max().item() / 2)  # at most 8: exact
    k[..., 1] = torch.rand(shape[:3], generator=generator, device="cuda") * 2 - 1
    v = (torch.rand(shape, generator=generator, device="cuda") * 2 - 1) * 448
    return operand(q, 1.0), operand(k, rise * math.log(2) * WIDTH ** 0.5), operand(v, 2.0 ** -8)


def worst_error(ladder, name):
    """And where it is. An output that is no number is the worst."""
    worst, where = -1.0, ""
    for length in LENGTHS:
        for rise in RISES:
            q, k, v = operands(length, rise)
            out = ladder.arm(name, q, k, v)()
            torch.cuda.synchronize()
            error = (out.to(torch.float64) - reference(q, k, v)).abs().max().item()
            error = error if error == error else float("inf")
            if error > worst:
                worst, where = error, f"S={length}, {rise} powers of two a tile"
    return worst, where


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--variants", default="*", help="globs of ours")
    options = parser.parse_args()
    ladder = Ladder(options.library)
    names = ladder.names(options.variants.split(","))
    if not names:
        parser.error(f"no variant of ours is called '{options.variants}'")
    wrong = 0
    with torch.inference_mode():
        for name in names:
            why = ladder.refusal(name, 1, max(LENGTHS))
            if why:
                print(f"{name} not supported: {why}")
                continue
            worst, where = worst_error(ladder, name)
            is_right = worst <= MAX_ABS_ERR
            wrong += not is_right
            print(f"{name} {'right' if is_right else 'WRONG'}: error {worst:.1e} at {where}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
