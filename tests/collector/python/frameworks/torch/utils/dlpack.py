"""Reads a capsule as dlpack.h says it lies in memory, on a machine with pointers of 64 bits."""
import ctypes
import struct

import torch

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
    torch.said.append(f"{name} x {count} on {ordinal}")
    return torch.Tensor(data, (ctype * count).from_address(data), name)
