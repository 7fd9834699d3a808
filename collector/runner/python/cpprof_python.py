"""Runs cpprof's runner in this process, and calls the functions of Python files that are solutions of a task.

usage: cpprof_python.py RUNNER-LIBRARY ROLE OPTION...

cpprof starts it; docs/tasks.md says what such a function looks like. The runner owns the device, the buffers and the
stream, times and judges. All that happens here is that a function is loaded, and called with arrays of its framework that
are the judge's buffers, while the runner's stream is the current one.
"""
import ast
import contextlib
import ctypes
import gc
import importlib.util
import inspect
import json
import os
import signal
import sys
import traceback

# By the numbers of enum cpprof_type: what frameworks call it, DLPack's code and bits, and what an array interface calls it.
TYPES = (
    ("float32", 2, 32, "<f4"),
    ("float64", 2, 64, "<f8"),
    ("float16", 2, 16, "<f2"),
    ("bfloat16", 4, 16, None),
    ("int32", 0, 32, "<i4"),
    ("int64", 0, 64, "<i8"),
    ("uint8", 1, 8, "|u1"),
)
DLPACK_CUDA = 2


class Refusal(Exception):
    """What the user has to change, in one line."""


class Memory:
    """Values in device memory that is not ours, as array interfaces say it."""

    def __init__(self, address, count, kind):
        self.__cuda_array_interface__ = {
            "shape": (count,),
            "typestr": TYPES[kind][3],
            "data": (address, False),
            "strides": None,
            "stream": None,
            "version": 3,
        }


class ManagedTensor(ctypes.Structure):
    """DLManagedTensor of dlpack.h."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ]


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def keep(_):
    """The memory is the judge's."""


CAPSULE = b"dltensor"
lent = []  # what capsules point to


def capsule_of(address, count, kind, device):
    """The same as a DLPack capsule, which has bfloat16 and needs no NumPy."""
    _, code, bits, _ = TYPES[kind]
    shape = (ctypes.c_int64 * 1)(count)
    tensor = ManagedTensor(address, DLPACK_CUDA, device, 1, code, bits, 1, shape, None, 0, None, keep)
    lent.append((tensor, shape))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.addressof(tensor), CAPSULE, None)


# ---- frameworks: arrays of our memory, and our stream as the current one ----


def first_of(module, *names):
    """Names of a function that versions of PyTorch have."""
    return next(getattr(module, name) for name in names if hasattr(module, name))


class Torch:
    """PyTorch, and Triton with it."""

    def __init__(self):
        import torch
        import torch.utils.dlpack

        self.torch = torch
        self.name = f"PyTorch {torch.__version__}"
        if not torch.version.cuda:
            raise Refusal(f"{self.name} here is built without CUDA")
        self.streams = {}
        self.pools = {}

    def array(self, address, count, kind, device):
        if not count:
            dtype = getattr(self.torch, TYPES[kind][0])
            return self.torch.empty(0, dtype=dtype, device=self.torch.device("cuda", device))
        array = self.torch.utils.dlpack.from_dlpack(capsule_of(address, count, kind, device))
        if array.data_ptr() != address:
            raise Refusal(f"{self.name} copied a buffer instead of using it")
        return array

    def stream(self, address, device):
        key = (address, device)
        if key not in self.streams:
            self.streams[key] = self.torch.cuda.ExternalStream(address, device=self.torch.device("cuda", device))
        return self.streams[key]

    @contextlib.contextmanager
    def pool(self, function, device):
        """What a graph holds must not be given to anyone else while the graph lives: it stays in a pool of the function."""
        torch = self.torch
        if function not in self.pools:
            self.pools[function] = torch.cuda.graph_pool_handle()
        pool, c = self.pools[function], torch._C
        begin = first_of(c, "_cuda_beginAllocateCurrentThreadToPool", "_cuda_beginAllocateToPool", "_cuda_beginAllocateCurrentStreamToPool")
        end = first_of(c, "_cuda_endAllocateToPool", "_cuda_endAllocateCurrentStreamToPool")
        begin(device, pool)
        try:
            yield
        finally:
            end(device, pool)

    @contextlib.contextmanager
    def current(self, function, stream, device, is_captured):
        with self.torch.cuda.stream(stream):  # of its device
            if is_captured:
                with self.pool(function, device):
                    yield
            else:
                yield

    def copy(self, out, value):
        out.copy_(value.reshape(-1))

    def count(self, value):
        return value.numel()


class Cupy:
    def __init__(self):
        import cupy

        self.cupy = cupy
        self.name = f"CuPy {cupy.__version__}"
        self.streams = {}
        self.pools = {}

    def array(self, address, count, kind, device):
        dtype, _, bits, interface = TYPES[kind]
        if not interface:
            raise Refusal(f"CuPy has no {dtype}")
        if not count:
            return self.cupy.empty(0, dtype)
        memory = self.cupy.cuda.UnownedMemory(address, count * bits // 8, None, device)
        return self.cupy.ndarray((count,), dtype, self.cupy.cuda.MemoryPointer(memory, 0))

    def stream(self, address, device):
        if address not in self.streams:
            self.streams[address] = self.cupy.cuda.ExternalStream(address, device)
        return self.streams[address]

    @contextlib.contextmanager
    def current(self, function, stream, device, is_captured):
        if function not in self.pools:
            self.pools[function] = self.cupy.cuda.MemoryPool()
        with self.cupy.cuda.using_allocator(self.pools[function].malloc), stream:
            yield

    def copy(self, out, value):
        out[...] = value.reshape(-1)

    def count(self, value):
        return value.size


class Numba:
    """Its kernels take the stream that they are launched on: k[blocks, threads, stream](...)."""

    needs_stream = True

    def __init__(self):
        import numba
        from numba import cuda

        self.cuda = cuda
        self.name = f"Numba {numba.__version__}"
        self.streams = {}

    def array(self, address, count, kind, device):
        if not TYPES[kind][3]:
            raise Refusal(f"Numba has no arrays of {TYPES[kind][0]}")
        return self.cuda.as_cuda_array(Memory(address, count, kind), sync=False)

    def stream(self, address, device):
        if address not in self.streams:
            self.streams[address] = self.cuda.external_stream(address)
        return self.streams[address]

    @contextlib.contextmanager
    def current(self, function, stream, device, is_captured):
        yield

    def copy(self, out, value):
        raise Refusal("with Numba a function writes its outputs: give it a parameter for each")

    def count(self, value):
        return value.size


FRAMEWORKS = (("torch", Torch), ("triton", Torch), ("cupy", Cupy), ("numba", Numba))
made = {}


def imports(path):
    """The packages that the file imports, at its top or in its functions."""
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def framework_of(path, names):
    if not any(package in names for package, _ in FRAMEWORKS):
        names = set(sys.modules)  # what it imports imports one
    for package, make in FRAMEWORKS:
        if package in names:
            if make not in made:
                made[make] = make()
            return made[make]
    raise Refusal("it imports none of torch, triton, cupy and numba, whose arrays its function could take")


# ---- functions ----


def text_of(error):
    """Its words, which are a stranger's code, too."""
    try:
        return str(error)
    except BaseException:
        return ""


def told(error, path):
    """FILE:LINE of the user's own, and the first line of what was raised."""
    text = (text_of(error).strip().splitlines() or [""])[0]
    if isinstance(error, Refusal):
        return f"{os.path.basename(path)}: {text}"
    name = type(error).__name__
    if isinstance(error, OSError) and error.filename == path:
        return f"{os.path.basename(path)}: {error.strerror}"
    if isinstance(error, SyntaxError) and error.filename:
        return f"{os.path.basename(error.filename)}:{error.lineno}: {name}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == path] or [f for f in frames if f.filename != __file__]
    where = f"{os.path.basename(own[-1].filename)}:{own[-1].lineno}" if own else os.path.basename(path)
    end = ""
    if isinstance(error, ImportError):
        end = f" (in {sys.executable}; CPPROF_PYTHON names another Python)"
    return f"{where}: {name}{text and ': '}{text}{end}"


def told_of_capture(error, path):
    """The same for a launch that did not go into a graph: CUDA's words say that, but not what to do."""
    said = told(error, path)
    if not any(word in text_of(error) for word in ("not permitted", "disallowed", "legacy stream", "StreamCapture")):
        return said + " (while its launches were recorded into a CUDA graph)"
    return (
        said.split(": ")[0] + " waits for the GPU or allocates, as .item(), .cpu() and synchronize() do: "
        "a launch must go into a CUDA graph (docs/tasks.md)"
    )


modules = {}


def load(path):
    """The file as a module, as `python3 FILE` would find what it imports; once, however many functions it has."""
    if path not in modules:
        name = os.path.splitext(os.path.basename(path))[0]
        if name in sys.modules:
            name = f"{name}_{len(modules)}_of_cpprof"
        folder = os.path.dirname(path)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        modules[path] = module
    return modules[path]


def find(module, name, path):
    function = module
    for part in name.split("."):
        function = getattr(function, part, None)
    if function is None:
        have = [k for k, v in vars(module).items() if inspect.isfunction(v) and v.__module__ == module.__name__]
        raise Refusal(f"it has no '{name}': it has {', '.join(have) or 'no functions'}")
    if type(function).__module__.split(".")[0] in ("triton", "numba"):
        raise Refusal(f"'{name}' is a kernel: give the function that launches it")
    if not callable(function):
        raise Refusal(f"'{name}' is no function")
    return function


class Function:
    """One solution: how its function is called, and what it was called with."""

    def __init__(self, path, name, task):
        self.path = path
        self.task = task
        names = imports(path)
        if "jax" in names and not any(package in names for package, _ in FRAMEWORKS):
            raise Refusal(
                "JAX launches on streams of its own, where the runner can neither record a graph nor time: "
                "compare programs, --variant NAME='python3 FILE.py'"
            )
        module = load(path)
        self.framework = framework_of(path, names)
        self.function = find(module, name, path)
        self.kinds = [array["type"] for array in task["inputs"] + task["outputs"]]
        self.input_count = len(task["inputs"])
        self.find_parameters(name)
        self.calls = {}

    def find_parameters(self, name):
        """Which parameter takes what: arrays in the task's order, values of axes and the stream by their names."""
        inputs = [array["name"] for array in self.task["inputs"]]
        outputs = [array["name"] for array in self.task["outputs"]]
        extras = set(self.task["axes"]) | {"stream"}
        parameters = inspect.signature(self.function).parameters.values()
        self.order, self.named, needed, others, takes_any = [], [], 0, [], False
        for p in parameters:
            is_extra = p.name in extras and p.name not in inputs + outputs
            if p.kind == p.VAR_POSITIONAL:
                takes_any = True
            elif p.kind == p.KEYWORD_ONLY:
                if p.name in extras:
                    self.named.append(p.name)
                elif p.default is p.empty:
                    others.append(p.name)
            elif p.kind != p.VAR_KEYWORD:
                self.order.append((p.name, is_extra))
                needed += not is_extra and p.default is p.empty
        room = sum(not is_extra for _, is_extra in self.order)
        total = len(inputs) + len(outputs)
        if others or not (takes_any or needed <= total <= room or needed <= len(inputs) == room):
            raise Refusal(
                f"{name}{inspect.signature(self.function)} does not fit: {name}({', '.join(inputs + outputs)}) writes the "
                f"outputs, {name}({', '.join(inputs)}) returns them, and either may also take {', '.join(sorted(extras))}"
            )
        self.returns = not takes_any and room < total
        self.takes = len(inputs) if self.returns else total
        if getattr(self.framework, "needs_stream", False) and "stream" not in [n for n, _ in self.order] + self.named:
            raise Refusal(f"{name} needs a parameter 'stream', which its kernels are launched on: k[blocks, threads, stream](...)")

    def summary(self, text):
        said = ", what it returns is copied into the outputs" if self.returns else ""
        return f"{text} ({self.framework.name}{said})"

    def prepare(self, axes, addresses, counts, stream, device):
        """What one call is made of; frameworks need longer to wrap memory than a kernel takes."""
        key = (axes, addresses, counts, stream, device)
        if key not in self.calls:
            arrays = [self.framework.array(a, n, kind, device) for a, n, kind in zip(addresses, counts, self.kinds)]
            current = self.framework.stream(stream, device)
            values = dict(zip(self.task["axes"], axes), stream=current)
            self.calls[key] = current, *self.arrange(arrays[: self.takes], values), arrays[self.input_count :]
        return self.calls[key]

    def arrange(self, arrays, values):
        """By position as long as no parameter is left to its default, by name behind one that is."""
        ordered, named, is_behind = [], {name: values[name] for name in self.named}, False
        left = iter(arrays)
        for name, is_extra in self.order:
            value = values[name] if is_extra else next(left, None)
            if value is None:
                is_behind = True
            elif is_behind:
                named[name] = value
            else:
                ordered.append(value)
        return ordered + list(left), named

    def take(self, result, outputs):
        """Copies what was returned, on the same stream: it is part of the launch."""
        results = result if isinstance(result, (tuple, list)) else (result,)
        if result is None or len(results) != len(outputs):
            got = "None" if result is None else f"{len(results)} arrays"
            raise Refusal(f"the function returned {got}: it takes no outputs, so it returns {len(outputs)}")
        for i, (out, value) in enumerate(zip(outputs, results)):
            if self.framework.count(value) != self.framework.count(out):
                raise Refusal(
                    f"the function returned {self.framework.count(value)} values for '{self.task['outputs'][i]['name']}', "
                    f"which has {self.framework.count(out)}"
                )
            self.framework.copy(out, value)

    def launch(self, axes, addresses, counts, stream, device, is_captured):
        current, ordered, named, outputs = self.prepare(axes, addresses, counts, stream, device)
        with self.framework.current(self, current, device, is_captured):
            result = self.function(*ordered, **named)
            if self.returns:
                self.take(result, outputs)
            del result  # while the allocator knows whose memory it is


# ---- the runner's side: struct python_call and struct python_host of python_solution.h ----


class Call(ctypes.Structure):
    _fields_ = [
        ("axes", ctypes.POINTER(ctypes.c_int64)),
        ("arrays", ctypes.POINTER(ctypes.c_uint64)),
        ("counts", ctypes.POINTER(ctypes.c_uint64)),
        ("stream", ctypes.c_uint64),
        ("device", ctypes.c_int32),
        ("is_captured", ctypes.c_int32),
    ]


OPEN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(Call), ctypes.c_void_p, ctypes.c_size_t)


class Host(ctypes.Structure):
    _fields_ = [("open", OPEN), ("launch", LAUNCH)]


functions = []


def write(text, address, size):
    """Into a buffer of the runner; what is too long ends in a whole character."""
    encoded = text.encode("utf-8", "replace")[: size - 1].decode("utf-8", "ignore").encode("utf-8")
    ctypes.memmove(address, encoded + b"\0", len(encoded) + 1)


@OPEN
def open_function(text, task, said, size):
    text = text.decode("utf-8", "surrogateescape")
    path, _, name = text.rpartition(":")
    path = os.path.abspath(path)
    try:
        function = Function(path, name, json.loads(task))
    except BaseException as error:  # a module may also end the process
        write(told(error, path), said, size)
        return 0
    functions.append(function)
    write(function.summary(os.path.basename(text)), said, size)
    return len(functions)


@LAUNCH
def launch_function(number, call, said, size):
    function, c = functions[number - 1], call.contents
    arrays = len(function.kinds)
    is_captured = bool(c.is_captured)
    collects = is_captured and gc.isenabled()
    if collects:
        gc.disable()  # what it frees may be memory of CUDA, which a capture does not allow
    try:
        function.launch(
            tuple(c.axes[: len(function.task["axes"])]),
            tuple(c.arrays[:arrays]),
            tuple(c.counts[:arrays]),
            c.stream,
            c.device,
            is_captured,
        )
        return 1
    except BaseException as error:
        write((told_of_capture if is_captured else told)(error, function.path), said, size)
        return 0
    finally:
        if collects:
            gc.enable()


def main():
    library, words = sys.argv[1], sys.argv[1:]
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) != here]  # no place for the user's modules
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # which Python would keep until the runner calls it
    runner = ctypes.CDLL(library)
    arguments = (ctypes.c_char_p * (len(words) + 1))(*[os.fsencode(word) for word in words], None)
    host = Host(open_function, launch_function)
    return runner.cpprof_python_main(len(words), arguments, ctypes.byref(host))


if __name__ == "__main__":
    status = main()
    sys.stderr.flush()
    os._exit(status)  # all is written: what frameworks do at the end of a process can only fail
