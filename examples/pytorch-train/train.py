"""A training loop as people write it: bf16, a small transformer, batches prefetched on a copy stream.

    python3 train.py --steps 100                    # prints time per step
    python3 train.py --steps 100 --graph            # the step as one CUDA graph, replayed
    cpprof capture --range train -- python3 train.py --steps 20

The timed steps lie in the NVTX range "train", each one in a range "step", and
between cudaProfilerStart and cudaProfilerStop. --profiler torch has the PyTorch
profiler look at the same steps; --counts FILE is what it saw, as JSON.
"""
import argparse
import contextlib
import json
import os
import tempfile
import time

import torch
from torch import nn
from torch.nn import functional

HEADS = 16
CLASSES = 1024


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm_attention = nn.LayerNorm(width)
        self.to_qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.norm_mlp = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.to_qkv(self.norm_attention(x)).view(batch, length, 3, HEADS, width // HEADS)
        q, k, v = (part.transpose(1, 2) for part in qkv.unbind(2))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.gelu(self.up(self.norm_mlp(x))))


class Model(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.blocks = nn.Sequential(*(Block(width) for _ in range(layers)))
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x):
        return self.head(self.blocks(x))


class Prefetcher:
    """Pinned batches to the device, one step ahead, on a stream of its own; two device buffers take turns."""

    def __init__(self, options):
        shape = (options.batch, options.length, options.width)
        generator = torch.Generator().manual_seed(1)
        self.host = [(torch.randn(shape, generator=generator).bfloat16().pin_memory(),
                      torch.randint(CLASSES, shape[:2], generator=generator).pin_memory()) for _ in range(4)]
        self.device = [tuple(torch.empty_like(part, device="cuda") for part in self.host[0]) for _ in range(2)]
        self.stream = torch.cuda.Stream()
        self.filled = [torch.cuda.Event() for _ in self.device]
        self.used = [torch.cuda.Event() for _ in self.device]
        self.count = 0
        self._fetch()

    def _fetch(self):
        slot = self.count % 2
        self.stream.wait_event(self.used[slot])
        with torch.cuda.stream(self.stream):
            for to, part in zip(self.device[slot], self.host[self.count % len(self.host)]):
                to.copy_(part, non_blocking=True)
            self.filled[slot].record()
        self.count += 1

    @contextlib.contextmanager
    def batch(self):
        """The next batch; while it is used the one after it is on its way."""
        slot = (self.count - 1) % 2
        self._fetch()
        torch.cuda.current_stream().wait_event(self.filled[slot])
        yield self.device[slot]
        self.used[slot].record()


def make_step(model, optimizer):
    def step(x, target):
        optimizer.zero_grad(set_to_none=True)
        loss = functional.cross_entropy(model(x).view(-1, CLASSES).float(), target.view(-1))
        loss.backward()
        optimizer.step()
        return loss

    return step


class GraphStep:
    """The whole step as one graph: it reads inputs of its own, which each call fills."""

    def __init__(self, step, example):
        self.inputs = tuple(part.clone() for part in example)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                step(*self.inputs)
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = step(*self.inputs)

    def __call__(self, *batch):
        for to, part in zip(self.inputs, batch):
            to.copy_(part)
        self.graph.replay()
        return self.loss


def counts_of(chrome_trace):
    """Names with count and total ns, for each kind of work, from the profiler's own trace."""
    kinds = {"kernel": "kernels", "gpu_memcpy": "copies", "gpu_memset": "memsets"}
    counts = {kind: {} for kind in kinds.values()}
    with open(chrome_trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        kind = kinds.get(event.get("cat"))
        if kind:
            entry = counts[kind].setdefault(event["name"], [0, 0])
            entry[0] += 1
            entry[1] += round(event["dur"] * 1000)
    return counts


@contextlib.contextmanager
def torch_profiler(path):
    profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
    profiler.start()
    yield
    torch.cuda.synchronize()
    profiler.stop()
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(trace)
        counts = counts_of(trace)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(counts, file, indent=1)


@contextlib.contextmanager
def nvtx(name):
    torch.cuda.nvtx.range_push(name)
    yield
    torch.cuda.nvtx.range_pop()


def train(step, prefetcher, steps):
    """Seconds for so many steps, from idle to idle."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(steps):
        with nvtx("step"), prefetcher.batch() as batch:
            loss = step(*batch)
    torch.cuda.synchronize()
    return time.perf_counter() - begin, loss


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("steps", 100), ("warmup", 10), ("layers", 4), ("width", 1024), ("length", 512), ("batch", 16)):
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--graph", action="store_true", help="replay each step as one CUDA graph")
    parser.add_argument("--profiler", choices=["none", "torch"], default="none")
    parser.add_argument("--counts", default="counts.json", metavar="FILE", help="where --profiler torch writes")
    return parser.parse_args()


def main():
    options = parse()
    torch.manual_seed(0)
    model = Model(options.width, options.layers).cuda().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True, capturable=options.graph)
    prefetcher = Prefetcher(options)
    step = make_step(model, optimizer)
    if options.graph:
        with prefetcher.batch() as batch:
            step = GraphStep(step, batch)
    train(step, prefetcher, options.warmup)
    observed = torch_profiler(options.counts) if options.profiler == "torch" else contextlib.nullcontext()
    with observed:
        torch.cuda.profiler.start()
        with nvtx("train"):
            seconds, loss = train(step, prefetcher, options.steps)
        torch.cuda.profiler.stop()
    print(f"{options.steps} steps, {seconds / options.steps * 1e3:.4f} ms a step, "
          f"loss {'finite' if torch.isfinite(loss).item() else 'not finite'}")


if __name__ == "__main__":
    main()
