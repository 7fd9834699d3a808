"""Are the bank conflicts of the attention ladder those that its layouts predict?

sdpa_banks.py BUNDLE

Works out, from where each lane of a warp reads and writes in shared memory (kernels/sdpa/*.cuh), how many passes more than
needed a warp makes for a tile of keys, and holds that times warps and tiles against the counter. Prints a line for each
variant and shape that is off by more than TOLERANCE, and "N of M"; exit 1 when one is.
"""
import csv
import gzip
import math
import os
import sys

COUNTER = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
TOLERANCE = 0.03  # of what is predicted, and of one pass: the compiler may keep a value in a register, copies land meanwhile
SHAPES = {"small": (8, 32), "mission": (8, 512), "long": (8, 2048)}  # heads, S
LANES = range(32)
ROW_BYTES, CHUNK, KEYS, QUERIES, WARPS, BLOCK_QUERIES = 64, 16, 32, 16, 4, 64


def more_passes(addresses, width):
    """Passes beyond those that the bytes need: 128 bytes go at a time, and of each of 32 banks one word."""
    lanes = 128 // max(width, 4)
    more = 0
    for first in range(0, len(addresses), lanes):
        words = {(address + byte) // 4 for address in addresses[first:first + lanes] for byte in range(0, width, 4)}
        more += max(sum(word % 32 == bank for word in words) for bank in range(32)) - 1
    return more


# ---- where a chunk of 16 bytes of a row of a tile lies ----

def linear(row, chunk):
    return row * ROW_BYTES + chunk * CHUNK


def swizzled(row, chunk):
    return row * ROW_BYTES + (chunk ^ row // 2 % 4) * CHUNK


# ---- what a warp does with a tile ----

def copy_chunks(layout):
    """fill: a thread a chunk, four to a row."""
    return more_passes([layout(lane // 4, lane % 4) for lane in LANES], 16)


def load_keys(layout):
    """multiply_keys: lanes of 8 rows, four chunks each."""
    return sum(more_passes([layout(n * 8 + lane // 4, lane % 4) for lane in LANES], 16) for n in range(KEYS // 8))


def load_values(layout):
    """multiply_values: ldmatrix, four matrices of 8 rows of the same chunk."""
    return sum(more_passes([layout(first + lane % 16, chunk + lane // 16) for lane in LANES], 16)
               for first in (0, 16) for chunk in (0, 2))


def score_at(key, query):
    return 4 * (key * (QUERIES + 4) + query)


def put_scores():
    return sum(more_passes([score_at(n * 8 + lane % 4 * 2 + i % 2, lane // 4 + i // 2 * 8) for lane in LANES], 4)
               for n in range(KEYS // 8) for i in range(4))


def touch_scores():
    """raise_top and weigh: lanes q and q + 16 have query q, the even and the odd keys."""
    return sum(more_passes([score_at(key + lane // 16, lane % 16) for lane in LANES], 4) for key in range(0, KEYS, 2))


def put_weights():
    """stage 2: the same lanes, to halves, query after query."""
    return sum(more_passes([2 * (lane % 16 * (KEYS + 8) + key + lane // 16) for lane in LANES], 2) for key in range(0, KEYS, 2))


def load_weights():
    return 8 * more_passes([2 * (lane // 4 * (KEYS + 8) + lane % 4 * 2) for lane in LANES], 4)


def in_registers(layout):
    return copy_chunks(layout) + load_keys(layout) + load_values(layout)


def through_shared(values):
    """Scores are written, read for the largest, and read for the weights."""
    return copy_chunks(linear) + load_keys(linear) + put_scores() + 2 * touch_scores() + values


STAGE1 = through_shared(touch_scores())  # weights take the place of scores; pairs of values lie side by side
STAGE2 = through_shared(put_weights() + load_weights() + load_values(linear))
PREDICTED = {
    "baseline": 0, "stage1-sync": STAGE1, "stage1": STAGE1, "stage2": STAGE2, "stage4": STAGE2,
    "stage3a": in_registers(linear) + put_scores() + touch_scores(), "stage3b": in_registers(linear),
    "swizzle": in_registers(swizzled), "exp2poly": in_registers(linear), "explut": in_registers(linear),
    "ex2approx": in_registers(linear), "warpspec": in_registers(linear),
}


def warp_tiles(shape):
    heads, s = SHAPES[shape]
    return heads * math.ceil(s / BLOCK_QUERIES) * WARPS * math.ceil(s / KEYS)


def counted(bundle):
    path = os.path.join(bundle, "metrics.csv")
    with open(path, encoding="utf-8", newline="") if os.path.exists(path) else gzip.open(path + ".gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            variant = row["variant"].removeprefix("sdpa/")
            if row["metric"] == COUNTER and row["value"] and variant in PREDICTED and row["shape"] in SHAPES:
                yield variant, row["shape"], float(row["value"])


def main(bundle):
    rows = list(counted(bundle))
    wrong = 0
    for variant, shape, count in rows:
        tiles = warp_tiles(shape)
        expected = PREDICTED[variant] * tiles
        if abs(count - expected) > TOLERANCE * max(expected, tiles):
            print(f"{variant} at {shape}: {count:.0f} conflicts, {expected} predicted ({PREDICTED[variant]} a tile and warp)")
            wrong += 1
    print(f"{len(rows) - wrong} of {len(rows)}")
    return wrong or not rows


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1]) else 0)
