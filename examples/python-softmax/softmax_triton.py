"""A solution with Triton: a program per row, which keeps the row in registers."""
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row + at, powers / tl.sum(powers, 0), mask=at < columns)


def softmax(x, out, rows, columns):
    softmax_kernel[(rows,)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
