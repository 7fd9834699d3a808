"""Which ranks ran NCCL kernels, on which devices? A line for each shard that has kernels.

rank_facts.py BUNDLE
"""
import sys

from shard_events import KERNEL, read_bundle


def main():
    for shard in sorted(read_bundle(sys.argv[1]), key=lambda shard: shard.rank):
        kernels = [event for event in shard.events if event.kind == KERNEL]
        if kernels:
            devices = ",".join(str(device) for device in sorted({event.device for event in kernels}))
            nccl = sum("ncclDevKernel" in event.name for event in kernels)
            print(f"rank {shard.rank} device {devices} nccl {nccl}")


if __name__ == "__main__":
    main()
