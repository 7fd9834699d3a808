"""Steps of products and all-reduces, one process for each GPU, in which one rank or one link is slow on purpose.

    python3 -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-addr=127.0.0.1 --master-port=29571 straggler.py work
    mpirun -n 2 --bind-to none python3 straggler.py work

    even    nobody is late
    sleep   the host of rank 1 sleeps 2 ms before it launches the products of a step
    work    rank 1 has 14 products a step where the others have 8
    link    in every second step a thread of rank 0 copies to the GPU of rank 1, all the time; all add up more, and multiply less
    chain   three ranks or more: ranks 0 and 1 add up, then 1 and 2, and so on; rank 0 has more products

With --trace FOLDER each rank leaves a trace of the PyTorch profiler there, without it a collector may watch.
The ranks of mpirun are those of Open MPI's variables, and meet at MASTER_ADDR:MASTER_PORT (127.0.0.1:29571).
"""
import argparse
import ctypes
import os
import sys
import threading
import time

import torch
import torch.distributed as dist


def pairs_of(world):
    """Each rank with the next one; a process must take part in the making of every group."""
    return [dist.new_group([left, left + 1]) for left in range(world - 1)]


class BusyLink:
    """While it is on, a thread copies 32 MiB from this GPU to another one, again and again, on a stream of its own.

    The driver's own copy is used: that of PyTorch waits for the other GPU, where another process has its kernels."""

    BYTES, AHEAD, COPIES_MAX = 32 << 20, 4, 20000

    def __init__(self, device, other):
        self.device = device
        self.source = torch.ones(self.BYTES // 4, device=device)
        self.target = torch.ones(self.BYTES // 4, device=other)
        self.target.copy_(self.source)  # lets this GPU reach the memory of the other one
        torch.cuda.synchronize(device)
        torch.cuda.synchronize(other)
        self.copy = ctypes.CDLL("libcuda.so.1").cuMemcpyAsync
        self.copy.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p]
        self.wanted, self.ends, self.copies, self.error = threading.Event(), False, 0, 0
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        torch.cuda.set_device(self.device)
        stream = torch.cuda.Stream(self.device)
        waiting = []
        while not self.ends and not self.error and self.copies < self.COPIES_MAX:
            if not self.wanted.wait(0.1):
                continue
            self.error = self.copy(self.target.data_ptr(), self.source.data_ptr(), self.BYTES, stream.cuda_stream)
            self.copies += 1
            waiting.append(stream.record_event())
            if len(waiting) > self.AHEAD:
                waiting.pop(0).synchronize()
        stream.synchronize()

    def close(self):
        self.ends = True
        self.thread.join()
        print(f"link: {self.copies} copies of {self.BYTES >> 20} MiB, error {self.error}", flush=True)


class Steps:
    def __init__(self, scenario, rank, world):
        self.scenario, self.rank, self.world = scenario, rank, world
        self.x = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
        self.gradient = torch.ones(32 << 20 if scenario == "link" else 4 << 20, device="cuda")
        self.flag = torch.ones(1024, device="cuda")
        self.pairs = pairs_of(world) if scenario == "chain" else []
        self.products = {("work", 1): 14, ("chain", 0): 14}.get((scenario, rank), 2 if scenario == "link" else 8)
        self.sums = 4 if scenario == "link" else 1
        self.busy = BusyLink(torch.device("cuda:0"), torch.device("cuda:1")) if scenario == "link" and rank == 0 else None

    def compute(self):
        for _ in range(self.products):
            torch.mm(self.x, self.x)

    def add_up(self):
        if not self.pairs:
            for _ in range(self.sums):
                dist.all_reduce(self.gradient)
        for left in (self.rank - 1, self.rank):
            if self.pairs and 0 <= left < self.world - 1:
                dist.all_reduce(self.gradient, group=self.pairs[left])

    def run(self, number):
        if self.busy and number % 2:
            self.busy.wanted.set()
        if self.scenario == "sleep" and self.rank == 1:
            time.sleep(0.002)
        self.compute()
        self.add_up()
        dist.all_reduce(self.flag)
        torch.cuda.current_stream().synchronize()  # and not the copies beside
        if self.busy:
            self.busy.wanted.clear()

    def close(self):
        if self.busy:
            self.busy.close()


def number_of(*names):
    """The first of these variables that is set. The environment stays as the launcher made it, for the collector."""
    return next((int(os.environ[name]) for name in names if name in os.environ), None)


def join():
    """Returns the rank, the rank on this host, and how many there are."""
    rank, world = number_of("RANK", "OMPI_COMM_WORLD_RANK"), number_of("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE")
    local = number_of("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK")
    if rank is None or world is None or local is None:
        sys.exit("straggler.py: no launcher: neither RANK, WORLD_SIZE and LOCAL_RANK nor Open MPI's variables are set")
    torch.cuda.set_device(local)
    meeting = f"tcp://{os.environ.get('MASTER_ADDR', '127.0.0.1')}:{os.environ.get('MASTER_PORT', '29571')}"
    launched = {} if "RANK" in os.environ else {"init_method": meeting, "rank": rank, "world_size": world}
    dist.init_process_group("nccl", device_id=torch.device("cuda", local), **launched)
    return rank, world


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", choices=["even", "sleep", "work", "link", "chain"])
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--trace", metavar="FOLDER")
    options = parser.parse_args()
    rank, world = join()
    steps = Steps(options.scenario, rank, world)
    for number in range(4):
        steps.run(number)
    dist.barrier()

    def measure():
        torch.cuda.nvtx.range_push("measured")
        for number in range(options.steps):
            torch.cuda.nvtx.range_push(f"step {number}")
            steps.run(number)
            torch.cuda.nvtx.range_pop()
        torch.cuda.nvtx.range_pop()

    if options.trace:
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]) as profile:
            measure()
        profile.export_chrome_trace(os.path.join(options.trace, f"rank-{rank}.json.gz"))
    else:
        measure()
    dist.barrier()
    steps.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
