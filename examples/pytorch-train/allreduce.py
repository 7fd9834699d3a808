"""All-reduces over NCCL, one process for each GPU, and whether the sums are right.

    python3 -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-addr=127.0.0.1 --master-port=29571 allreduce.py
"""
import argparse
import os

import torch
import torch.distributed as dist


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=int, default=1 << 20)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    rank, local = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local))
    world = dist.get_world_size()
    x = torch.full((options.elements,), rank + 1.0, device="cuda")
    for number in range(options.rounds):
        torch.cuda.nvtx.range_push(f"all-reduce {number}")
        dist.all_reduce(x)
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    # The first round makes 1 + ... + world of it, each further one multiplies by world: exact powers in float32.
    expected = world * (world + 1) / 2 * world ** (options.rounds - 1)
    right = bool((x == expected).all())
    print(f"rank {rank} of {world}: {options.rounds} all-reduces {'right' if right else 'WRONG'}", flush=True)
    dist.destroy_process_group()
    raise SystemExit(0 if right else 1)


if __name__ == "__main__":
    main()
