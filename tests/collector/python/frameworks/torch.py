"""Plays the part of PyTorch that cpprof_python.py uses, on host memory; `said` tells what was called."""
import contextlib
import ctypes
import struct
import sys

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


# ---- torch.utils.dlpack: a capsule as dlpack.h says it lies in memory, on a machine with pointers of 64 bits ----

__path__ = []
utils = dlpack = sys.modules[__name__]
sys.modules["torch.utils"] = sys.modules["torch.utils.dlpack"] = utils
KINDS = {(2, 32): ("float32", ctypes.c_float), (2, 64): ("float64", ctypes.c_double), (2, 16): ("float16", ctypes.c_uint16),
         (4, 16): ("bfloat16", ctypes.c_uint16), (0, 32): ("int32", ctypes.c_int32), (0, 64): ("int64", ctypes.c_int64),
         (1, 8): ("uint8", ctypes.c_uint8)}


def from_dlpack(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    bytes_ = ctypes.string_at(get(capsule, b"dltensor"), 64)
    data, kind, ordinal, dimensions, code, bits, lanes, shape, strides, offset, _, deleter = struct.unpack("=QiiiBBHQQQQQ", bytes_)
    assert (kind, dimensions, lanes, strides, offset) == (2, 1, 1, 0, 0) and deleter, bytes_
    count = ctypes.c_int64.from_address(shape).value
    name, ctype = KINDS[code, bits]
    said.append(f"{name} x {count} on {ordinal}")
    return Tensor(data, (ctype * count).from_address(data), name)
