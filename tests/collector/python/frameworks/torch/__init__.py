"""Plays the part of PyTorch that cpprof_python.py uses, on host memory; `said` tells what was called."""
import contextlib

__version__ = "9.9"
said = []
dtypes = "float32 float64 float16 bfloat16 int32 int64 uint8".split()
for dtype in dtypes:
    globals()[dtype] = dtype


class version:
    cuda = "13.0"


class Tensor:
    def __init__(self, address, values, dtype):
        self.address, self.values, self.dtype = address, values, dtype

    def data_ptr(self):
        return self.address

    def numel(self):
        return len(self.values)

    def reshape(self, _):
        return self

    def copy_(self, other):
        said.append("copy")
        self.values[:] = list(other.values)


def tensor(values):
    return Tensor(0, list(values), "float32")


def empty(count, dtype, device):
    return Tensor(0, [0] * count, dtype)


def device(kind, ordinal):
    return f"{kind}:{ordinal}"


class cuda:
    class ExternalStream:
        def __init__(self, address, device):
            self.cuda_stream, self.device = address, device

    current = []

    @staticmethod
    @contextlib.contextmanager
    def stream(stream):
        cuda.current.append(stream)
        try:
            yield
        finally:
            cuda.current.pop()

    @staticmethod
    def graph_pool_handle():
        return (0, 1)


class _C:
    @staticmethod
    def _cuda_beginAllocateToPool(ordinal, pool):
        said.append(f"begin {ordinal} {pool}")

    @staticmethod
    def _cuda_endAllocateToPool(ordinal, pool):
        said.append(f"end {ordinal} {pool}")
