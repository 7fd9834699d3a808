"""Compiles and launches a kernel, so that Triton leaves its cubin and its description in TRITON_CACHE_DIR."""
import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["columns"])
def softmax_triton(x, y, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0).to(tl.int64) * columns
    values = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values)
    tl.store(y + row + at, powers / tl.sum(powers, axis=0), mask=at < columns)


x = torch.rand(256, 512, device="cuda")
y = torch.empty_like(x)
softmax_triton[(256,)](x, y, 512, BLOCK=512, num_warps=4)
torch.testing.assert_close(y, torch.softmax(x, 1))
print("triton", triton.__version__)
