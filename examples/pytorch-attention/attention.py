"""Scaled dot-product attention of PyTorch by one of its backends: a program to be compared with itself.

    cpprof run --variant flash='python3 attention.py flash' --variant math='python3 attention.py math' \
        --range attention --baseline math

Each iteration lies in an NVTX range "attention"; the result of the last one goes
to the file that CPPROF_OUTPUT names, from inputs that are the same each time.
"""
import argparse
import os
import struct

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

BACKENDS = {
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "math": SDPBackend.MATH,
}
SHAPE = (1, 8, 512, 64)  # batch, heads, length, width of a head


def save_npy(path, tensor):
    """NumPy's file format, for a machine without NumPy: float16 in C order."""
    header = f"{{'descr': '<f2', 'fortran_order': False, 'shape': {tuple(tensor.shape)}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    values = bytes(tensor.cpu().contiguous().view(torch.uint8).flatten().tolist())
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("backend", choices=sorted(BACKENDS))
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--warmup", type=int, default=20)
    options = parser.parse_args()
    generator = torch.Generator(device="cuda").manual_seed(0)
    q, k, v = (torch.randn(SHAPE, generator=generator, device="cuda", dtype=torch.float16) for _ in range(3))
    with sdpa_kernel(BACKENDS[options.backend]), torch.inference_mode():
        for _ in range(options.warmup):
            result = scaled_dot_product_attention(q, k, v)
        torch.cuda.synchronize()
        for _ in range(options.iterations):
            torch.cuda.nvtx.range_push("attention")
            result = scaled_dot_product_attention(q, k, v)
            torch.cuda.nvtx.range_pop()
        torch.cuda.synchronize()
    if "CPPROF_OUTPUT" in os.environ:
        save_npy(os.environ["CPPROF_OUTPUT"], result)
    print(f"{options.backend}: {options.iterations} iterations, mean {result.float().mean().item():.6f}")


if __name__ == "__main__":
    main()
