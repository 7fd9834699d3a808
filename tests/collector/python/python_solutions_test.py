"""Are functions of Python files found, refused with their line, and called with the runner's buffers and stream?

python_solutions_test.py CPPROF_PYTHON.PY

The runner's side is played: the callbacks that it gets are called through ctypes, on host memory.
"""
import ctypes
import importlib.util
import json
import os
import re
import sys
import tempfile
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("cpprof_python", sys.argv.pop(1))
host = importlib.util.module_from_spec(spec)
spec.loader.exec_module(host)
sys.path.insert(0, os.path.join(HERE, "frameworks"))
F32, F64, F16, BF16, I32, I64, U8 = range(7)


def task(inputs=(("x", F32),), outputs=(("out", F32),), axes=("rows", "columns")):
    as_json = [[{"name": name, "type": kind} for name, kind in arrays] for arrays in (inputs, outputs)]
    return json.dumps({"axes": axes, "inputs": as_json[0], "outputs": as_json[1]}).encode()


class Solutions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def open(self, text, name="f", given=None, size=400):
        """Returns the number of the function, and what was said."""
        if not hasattr(self, "path") or text is not None:
            self.path = os.path.join(self.folder, f"s{len(os.listdir(self.folder))}.py")
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(text)
        said = ctypes.create_string_buffer(size)
        number = host.open_function(f"{self.path}:{name}".encode(), given or task(), ctypes.addressof(said), size)
        return number, said.value.decode()

    def launch(self, number, buffers, is_captured=0, axes=(2, 3), stream=0x50, device=1):
        count = len(buffers)
        call = host.Call(
            (ctypes.c_int64 * 8)(*axes),
            (ctypes.c_uint64 * count)(*[ctypes.addressof(b) for b in buffers]),
            (ctypes.c_uint64 * count)(*[len(b) for b in buffers]),
            stream,
            device,
            is_captured,
        )
        said = ctypes.create_string_buffer(400)
        return host.launch_function(number, ctypes.byref(call), ctypes.addressof(said), 400), said.value.decode()

    def refused(self, text, pattern, **more):
        number, said = self.open(text, **more)
        self.assertEqual(number, 0)
        self.assertRegex(said, pattern)

    def test_writes(self):
        number, said = self.open(
            "import torch\ndef f(x, out, rows, columns):\n"
            "    torch.said.append((rows, columns, torch.cuda.current[-1].cuda_stream, torch.cuda.current[-1].device))\n"
            "    out.values[:] = [2 * v for v in x.values]\n"
        )
        import torch

        self.assertEqual(said, "s0.py:f (PyTorch 9.9)")
        x, out = (ctypes.c_float * 6)(*range(6)), (ctypes.c_float * 6)()
        torch.said.clear()
        self.assertEqual(self.launch(number, [x, out]), (1, ""))
        self.assertEqual(list(out), [0, 2, 4, 6, 8, 10])
        self.assertEqual(torch.said, ["float32 x 6 on 1", "float32 x 6 on 1", (2, 3, 0x50, "cuda:1")])
        torch.said.clear()
        x[0] = 7
        self.launch(number, [x, out], is_captured=1)  # wrapped once; what a graph holds comes from a pool
        self.assertEqual(out[0], 14)
        self.assertEqual(torch.said, ["begin 1 (0, 1)", (2, 3, 0x50, "cuda:1"), "end 1 (0, 1)"])
        self.assertEqual(torch.cuda.current, [])
        other = (ctypes.c_float * 6)(*[1] * 6)
        self.launch(number, [other, out], axes=(6, 1))
        self.assertEqual(list(out), [2] * 6)

    def test_types_are_those_of_the_header(self):
        with open(os.path.join(HERE, "../../../include/cpprof/task.h"), encoding="utf-8") as file:
            names = re.search(r"enum cpprof_type \{(.*?), CPPROF_TYPES", file.read()).group(1)
        short = {"float": "F", "bfloat": "BF", "int": "I", "uint": "U"}
        ours = ["CPPROF_" + re.sub("[a-z]+", lambda m: short[m.group()], name) for name, *_ in host.TYPES]
        self.assertEqual(names.strip().split(", "), ours)

    def test_types(self):
        kinds = [("a", F64), ("b", F16), ("c", BF16), ("d", I32), ("e", I64), ("g", U8)]
        number, _ = self.open("import torch\ndef f(*arrays): torch.said.append([a.dtype for a in arrays])\n", given=task(kinds))
        import torch

        torch.said.clear()
        buffers = [(ctypes.c_double * 2)() for _ in kinds] + [(ctypes.c_float * 0)()]
        self.assertEqual(self.launch(number, buffers), (1, ""))
        self.assertEqual(torch.said[-1], "float64 float16 bfloat16 int32 int64 uint8 float32".split())

    def test_returns(self):
        number, said = self.open("import torch\ndef f(x, columns): return torch.tensor(v + columns for v in x.values)\n")
        self.assertIn("what it returns is copied into the outputs", said)
        x, out = (ctypes.c_float * 2)(1, 2), (ctypes.c_float * 2)()
        self.assertEqual(self.launch(number, [x, out]), (1, ""))
        self.assertEqual(list(out), [4, 5])
        number, _ = self.open("import torch\ndef f(x): return torch.tensor([1])\n")
        self.assertRegex(self.launch(number, [x, out])[1], "returned 1 values for 'out', which has 2")
        number, _ = self.open("import torch\ndef f(x): pass\n")
        self.assertRegex(self.launch(number, [x, out])[1], "returned None: it takes no outputs, so it returns 1")
        two = task(outputs=(("a", F32), ("b", F32)))
        number, _ = self.open("import torch\ndef f(x): return x, torch.tensor([8, 9])\n", given=two)
        more = (ctypes.c_float * 2)()
        self.assertEqual(self.launch(number, [x, out, more]), (1, ""))
        self.assertEqual(list(out) + list(more), [1, 2, 8, 9])

    def test_parameters(self):
        x, out = (ctypes.c_float * 1)(5), (ctypes.c_float * 1)()
        for head in ("x, out, rows", "rows, x, out", "x, out, eps=0, rows=9", "x, out, *, rows", "x, rows, out", "x, out, rows=9, **more"):
            number, said = self.open(f"import torch\ndef f({head}): out.values[:] = [x.values[0] * 10 + rows]\n")
            self.assertGreater(number, 0, said)
            self.assertEqual(self.launch(number, [x, out], axes=(2, 3)), (1, ""))
            self.assertEqual(out[0], 52, head)
        number, _ = self.open("import torch\ndef f(x, out, eps=3, rows=9): out.values[:] = [eps]\n")
        self.launch(number, [x, out])
        self.assertEqual(out[0], 3)
        fits = r"does not fit: f\(x, out\) writes the outputs, f\(x\) returns them, and either may also take columns, rows, stream"
        for head in ("", "a, b, c", "x, out, *, unknown"):
            self.refused(f"import torch\ndef f({head}): pass\n", fits)

    def test_refusals(self):
        self.refused("import torch\ndef f(:\n", r"^s0\.py:2: SyntaxError: ")
        self.refused("import torch\n\nimport nowhere\n", r"^s1\.py:3: ModuleNotFoundError: No module named 'nowhere' \(in .*; CPPROF_PYTHON")
        self.refused("import torch\nraise SystemExit(3)\n", r"^s2\.py:2: SystemExit: 3$")
        self.refused("import torch\ndef g(): pass\ndef h(): pass\n", r"^s3\.py: it has no 'f': it has g, h$")
        self.refused("import torch\nf = 3\n", r"'f' is no function")
        self.refused("import jax\ndef f(x): pass\n", r"JAX launches on streams of its own")
        self.refused("import numba\ndef f(x, out): pass\n", r"f needs a parameter 'stream'")
        import torch

        with unittest.mock.patch.object(torch.version, "cuda", None), unittest.mock.patch.object(host, "made", {}):
            self.refused("import torch\ndef f(x, out): pass\n", r"PyTorch 9\.9 here is built without CUDA")
        self.path = os.path.join(self.folder, "absent.py")
        self.refused(None, r"^absent\.py: No such file or directory$")
        number, said = self.open("import torch\nraise ValueError('ä' * 400)\n", size=50)
        self.assertEqual(number, 0)
        self.assertLess(len(said.encode()), 50)

    def test_an_error_without_words(self):
        text = "import torch\nclass E(Exception):\n    def __str__(self): raise self\n"
        self.refused(text + "raise E\n", r"^s0\.py:4: E$")
        number, _ = self.open(text + "def f(x, out): raise E\n")
        x, out = (ctypes.c_float * 1)(5), (ctypes.c_float * 1)()
        for is_captured in (0, 1):
            status, said = self.launch(number, [x, out], is_captured=is_captured)
            self.assertEqual(status, 0)
            self.assertRegex(said, r"^s1\.py:4: E( |$)")

    def test_raises(self):
        x, out = (ctypes.c_float * 1)(5), (ctypes.c_float * 1)()
        number, _ = self.open("import torch\ndef g():\n    missing\ndef f(x, out):\n    g()\n")
        self.assertEqual(self.launch(number, [x, out]), (0, "s0.py:3: NameError: name 'missing' is not defined"))
        self.assertRegex(self.launch(number, [x, out], is_captured=1)[1], r"NameError.* \(while its launches were recorded into a CUDA graph\)$")
        number, _ = self.open("import torch\ndef f(x, out):\n    raise RuntimeError('CUDA error: operation not permitted when stream is capturing\\nmore')\n")
        status, said = self.launch(number, [x, out], is_captured=1)
        self.assertEqual(status, 0)
        self.assertRegex(said, r"^s1\.py:3 waits for the GPU or allocates, as \.item\(\).* \(docs/tasks\.md\)$")
        self.assertLess(len(said), 147)  # the status of an arm has no more room

    def test_cupy(self):
        number, said = self.open("import cupy\ndef f(x, out): cupy.said.append((x.memory.memory.address, x.memory.memory.size, out.dtype))\n")
        import cupy

        self.assertIn("CuPy 8.8", said)
        x, out = (ctypes.c_float * 3)(), (ctypes.c_float * 3)()
        self.assertEqual(self.launch(number, [x, out]), (1, ""))
        self.assertEqual(cupy.said, ["pool", "stream 80", (ctypes.addressof(x), 12, "float32"), "back"])
        number, _ = self.open("import cupy\ndef f(x, out): pass\n", given=task((("x", BF16),)))
        self.assertRegex(self.launch(number, [x, out])[1], "CuPy has no bfloat16")

    def test_numba(self):
        number, said = self.open("from numba import cuda\nseen = []\ndef f(x, out, stream): seen.append((x.__cuda_array_interface__, stream))\n")
        self.assertIn("Numba 7.7", said)
        x, out = (ctypes.c_float * 3)(), (ctypes.c_float * 3)()
        self.assertEqual(self.launch(number, [x, out]), (1, ""))
        seen = host.modules[self.path].seen
        self.assertEqual(seen[0][0]["data"], (ctypes.addressof(x), False))
        self.assertEqual((seen[0][0]["shape"], seen[0][0]["typestr"], seen[0][1]), ((3,), "<f4", "stream 80"))

    def test_one_file_of_two_functions(self):
        first, _ = self.open("import torch\ncalls = []\ndef f(x, out): calls.append(1)\ndef g(x, out): calls.append(2)\n")
        second, _ = self.open(None, name="g")
        self.assertNotEqual(first, second)
        buffers = [(ctypes.c_float * 1)(), (ctypes.c_float * 1)()]
        self.launch(first, buffers)
        self.launch(second, buffers)
        self.assertEqual(host.modules[self.path].calls, [1, 2])


if __name__ == "__main__":
    unittest.main()
