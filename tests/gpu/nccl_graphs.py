"""All-reduces and all-gathers of two ranks, some of them in a CUDA graph that runs between them.

    python3 -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-addr=127.0.0.1 --master-port=29573 nccl_graphs.py

Prints how many collectives each rank called outside of graphs.
"""
import os

import torch
import torch.distributed as dist

WARM, ROUNDS, SMALL, LARGE, IN_GRAPH = 3, 12, 1000, 300000, 7777


def main():
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    small, large, inside = (torch.ones(count, device="cuda") for count in (SMALL, LARGE, IN_GRAPH))
    gathered = torch.ones(2 * SMALL, device="cuda")
    calls = 0
    for _ in range(WARM):
        dist.all_reduce(small)
        calls += 1
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        dist.all_reduce(inside)
        dist.all_reduce(inside)
    for _ in range(ROUNDS):
        graph.replay()
        dist.all_reduce(large)
        dist.all_gather_into_tensor(gathered, small)
        graph.replay()
        dist.all_reduce(small)
        calls += 3
    torch.cuda.synchronize()
    print(f"rank {rank}: {calls} calls", flush=True)
    graph.reset()  # a communicator waits for the graphs that have its collectives
    dist.destroy_process_group()


main()
