"""Steps of products and all-reduces, one process for each GPU, in which one rank or one link is slow on purpose.

    python3 -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-addr=127.0.0.1 --master-port=29571 straggler.py work

    even    nobody is late
    sleep   the host of rank 1 sleeps 2 ms before it launches the products of a step
    work    rank 1 has 14 products a step where the others have 8
    link    in every second step rank 0 copies to the GPU of rank 1 while both add up
    chain   three ranks or more: ranks 0 and 1 add up, then 1 and 2, and so on; rank 0 has more products

With --trace FOLDER each rank leaves a trace of the PyTorch profiler there, without it a collector may watch.
"""
import argparse
import os
import time

import torch
import torch.distributed as dist


def pairs_of(world):
    """Each rank with the next one; a process must take part in the making of every group."""
    return [dist.new_group([left, left + 1]) for left in range(world - 1)]


class Steps:
    def __init__(self, scenario, rank, world):
        self.scenario, self.rank, self.world = scenario, rank, world
        self.x = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
        self.gradient = torch.ones(4 << 20, device="cuda")
        self.flag = torch.ones(1024, device="cuda")
        self.pairs = pairs_of(world) if scenario == "chain" else []
        self.products = {("work", 1): 14, ("chain", 0): 14}.get((scenario, rank), 8)
        if scenario == "link" and rank == 0:
            self.beside = torch.cuda.Stream()
            self.source = torch.ones(64 << 20, device="cuda")
            self.target = torch.empty(64 << 20, device="cuda:1")

    def compute(self):
        for _ in range(self.products):
            torch.mm(self.x, self.x)

    def keep_link_busy(self):
        self.beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.beside):
            for _ in range(3):
                self.target.copy_(self.source, non_blocking=True)

    def run(self, number):
        if self.scenario == "sleep" and self.rank == 1:
            time.sleep(0.002)
        self.compute()
        if self.scenario == "link" and self.rank == 0 and number % 2:
            self.keep_link_busy()
        if self.pairs:
            for left in (self.rank - 1, self.rank):
                if 0 <= left < self.world - 1:
                    dist.all_reduce(self.gradient, group=self.pairs[left])
        else:
            dist.all_reduce(self.gradient)
        dist.all_reduce(self.flag)
        torch.cuda.current_stream().synchronize()  # and not the copies beside


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", choices=["even", "sleep", "work", "link", "chain"])
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--trace", metavar="FOLDER")
    options = parser.parse_args()
    rank, local = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local))
    steps = Steps(options.scenario, rank, dist.get_world_size())
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
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
