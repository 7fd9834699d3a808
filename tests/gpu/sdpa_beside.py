"""How fast is our attention beside PyTorch's, in one process, by one timer, on the same inputs?

sdpa_beside.py LIBRARY CSV [--variants GLOB,...] [--lengths S,...]

LIBRARY is libsdpa_call.so. Ours reads e4m3 codes with a scale for each head, cuDNN and Flash the same values as halves: scales
are powers of two, so that nothing is rounded on the way. All are timed alike: a CUDA graph of CALLS calls, replayed
REPLAYS times between two events; every arm once a round, the order turned each round. Shown are medians over the rounds and
their 95% interval by resampling, the ratio to cuDNN round by round, and the largest error against float64. Exit 1 when an
error is above the gate.
"""
import argparse
import csv
import ctypes
import fnmatch
import random
import statistics
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

HEADS, WIDTH = 8, 64
CALLS, REPLAYS, ROUNDS, WARM_UP = 50, 3, 25, 20
RESAMPLES = 2000
MAX_ABS_ERR = 0.06
E4M3_MAX = 448
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
BEST = "wgmma*,splitkeys*,ex2approx,dispatch"
COLUMNS = ("arm", "b", "s", "us", "us_low", "us_high", "ratio_to_cudnn", "ratio_low", "ratio_high", "max_abs_err", "rounds",
           "replays", "calls", "torch", "cudnn", "device")


# ---- inputs ----

class Operand:
    """Q, K or V: codes, a scale for each head, and their product as halves."""

    def __init__(self, batches, length, exponents, generator):
        shape = (batches, HEADS, length, WIDTH)
        uniform = torch.rand(shape, generator=generator, device="cuda") * 2 - 1
        fp8 = (uniform * E4M3_MAX).to(torch.float8_e4m3fn)
        self.scale = torch.tensor([2.0 ** exponents[head % len(exponents)] for head in range(batches * HEADS)], device="cuda")
        self.codes = fp8.view(torch.uint8).contiguous()
        self.exact = fp8.to(torch.float32).to(torch.float64) * self.scale.to(torch.float64).view(batches, HEADS, 1, 1)
        self.halves = self.exact.to(torch.float16)
        if not torch.equal(self.halves.to(torch.float64), self.exact):
            raise RuntimeError("the halves are not the values of the codes")


def operands(batches, length):
    """Largest values 3.5 and 1.75, of Q and K the other way round: scores have a standard deviation of 2."""
    generator = torch.Generator(device="cuda").manual_seed(length)
    return [Operand(batches, length, exponents, generator) for exponents in ((-7, -8), (-8, -7), (-8, -7))]


def reference(q, k, v):
    return torch.softmax(q.exact @ k.exact.transpose(-1, -2) / WIDTH ** 0.5, dim=-1) @ v.exact


# ---- arms: a function without arguments that starts one attention on the current stream and returns its output ----

def torch_arm(backend, q, k, v):
    def call():
        with sdpa_kernel(BACKENDS[backend]):
            return scaled_dot_product_attention(q.halves, k.halves, v.halves)
    return call


class Ladder:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.sdpa_name.restype = ctypes.c_char_p
        self.library.sdpa_forward.argtypes = [ctypes.c_char_p] + 7 * [ctypes.c_void_p] + 3 * [ctypes.c_int] + [ctypes.c_void_p]

    def names(self, globs):
        index, found = 0, []
        while name := self.library.sdpa_name(index):
            found.append(name.decode())
            index += 1
        return [name for name in found if any(fnmatch.fnmatchcase(name, "sdpa/" + glob) for glob in globs)]

    def refusal(self, name, batches, length):
        why = ctypes.create_string_buffer(160)
        return why.value.decode() if self.library.sdpa_refuses(name.encode(), batches, HEADS, length, why, len(why)) else None

    def arm(self, name, q, k, v):
        out = torch.full(q.codes.shape, float("nan"), device="cuda")
        pointers = [t.data_ptr() for t in (q.codes, k.codes, v.codes, q.scale, k.scale, v.scale, out)]

        def call():
            stream = torch.cuda.current_stream().cuda_stream
            status = self.library.sdpa_forward(name.encode(), *pointers, out.shape[0], HEADS, out.shape[2], stream)
            if status:
                raise RuntimeError(f"{name}: CUDA error {status}")
            return out
        return call


# ---- time ----

def graph_of(call):
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()  # what the inputs are made of was started on another stream
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(CALLS):
            result = call()
    return graph, result


def replay_us(graph):
    """One call's time in REPLAYS replays."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(REPLAYS):
        graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / (REPLAYS * CALLS)


def measure(graphs):
    """us of each arm, one a round."""
    times = {arm: [] for arm in graphs}
    order = list(graphs)
    for _ in range(WARM_UP):
        for arm in order:
            replay_us(graphs[arm])
    for _ in range(ROUNDS):
        for arm in order:
            times[arm].append(replay_us(graphs[arm]))
        order = order[1:] + order[:1] if len(order) % 2 else order[::-1]
    return times


def with_interval(values):
    """Median, and where 95% of the medians of resampled rounds lie."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return statistics.median(values), medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES) - 1]


# ---- the table ----

def rows_of(ladder, names, batches, length):
    q, k, v = operands(batches, length)
    expected = reference(q, k, v)
    arms = {backend: torch_arm(backend, q, k, v) for backend in BACKENDS}
    for name in names:
        why = ladder.refusal(name, batches, length)
        if why:
            print(f"{name} at {length}: not supported: {why}")
        else:
            arms[name] = ladder.arm(name, q, k, v)
    graphs, errors = {}, {}
    for arm, call in arms.items():
        graphs[arm], result = graph_of(call)
        graphs[arm].replay()
        torch.cuda.synchronize()
        error = (result.to(torch.float64) - expected).abs().max().item()
        errors[arm] = error if error == error else float("inf")
    times = measure(graphs)
    for arm in arms:
        ratios = with_interval([ours / theirs for ours, theirs in zip(times[arm], times["cudnn"])])
        facts = (ROUNDS, REPLAYS, CALLS, torch.__version__, torch.backends.cudnn.version(), torch.cuda.get_device_name())
        yield dict(zip(COLUMNS, (arm, batches, length, *with_interval(times[arm]), *ratios, errors[arm], *facts)))


def show(rows, shapes):
    by_arm = {}
    for row in rows:
        by_arm.setdefault(row["arm"], {})[row["b"], row["s"]] = row
    print(f"{'us (95%), against cudnn':24}" + "".join(f" | {f'B={batches} S={length}':>31}" for batches, length in shapes) + " | error")
    for arm, cells in sorted(by_arm.items(), key=lambda item: min(row["ratio_to_cudnn"] for row in item[1].values())):
        line = f"{arm:24}"
        for shape in shapes:
            row = cells.get(shape)
            cell = f"{row['us']:.2f} ({row['us_low']:.2f}, {row['us_high']:.2f}) {row['ratio_to_cudnn']:.2f}x" if row else "-"
            line += f" | {cell:>31}"
        print(line + f" | {max(row['max_abs_err'] for row in cells.values()):.1e}")


def tell_dispatch(rows):
    """How far is the dispatcher behind the fastest of the others of ours, at most?"""
    behind = []
    for chosen in rows:
        if chosen["arm"] == "sdpa/dispatch":
            others = {row["arm"]: row["us"] for row in rows
                      if row["arm"].startswith("sdpa/") and row["arm"] != chosen["arm"] and (row["b"], row["s"]) == (chosen["b"], chosen["s"])}
            if others:
                best = min(others, key=others.get)
                behind.append((chosen["us"] / others[best] - 1, f"B={chosen['b']} S={chosen['s']}, {best}"))
    if behind:
        print("dispatch: %d shapes, behind the best by at most %.1f%% (%s)" % (len(behind), 100 * max(behind)[0], max(behind)[1]))


def shape_of(text):
    batches, _, length = text.rpartition("x")
    return int(batches or 1), int(length)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("csv")
    parser.add_argument("--variants", default=BEST, help="globs of ours; * is all")
    parser.add_argument("--lengths", default="32,512,2048", help="with commas; 4x512 is of four batches")
    options = parser.parse_args()
    shapes = [shape_of(text) for text in options.lengths.split(",")]
    ladder = Ladder(options.library)
    names = ladder.names(options.variants.split(","))
    if not names:
        parser.error(f"no variant of ours is called '{options.variants}'")
    with torch.inference_mode():
        rows = [row for shape in shapes for row in rows_of(ladder, names, *shape)]
    with open(options.csv, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()} for row in rows)
    show(rows, shapes)
    tell_dispatch(rows)
    wrong = [f"{row['arm']} at {row['b']}x{row['s']}: {row['max_abs_err']}" for row in rows if not row["max_abs_err"] <= MAX_ABS_ERR]
    for line in wrong:
        print(f"FAILED: error above {MAX_ABS_ERR}: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
