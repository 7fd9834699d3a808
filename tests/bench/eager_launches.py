"""What does an eager PyTorch operation cost, bare and under a profiler of its own?

eager_launches.py bare|torch|torch-cpu|proton [--launches N] [--seconds S]

x.add_(1) on one element, N times (default 50,000). A line for each measurement:
phase (before, during, after), ns an operation, seconds since CUDA was ready. With
--seconds, "bare" goes on measuring for so long: what an outer profiler costs while
it is at work and after.
"""
import argparse
import contextlib
import os
import sys
import tempfile
import time

import torch


def measure(x, launches):
    torch.cuda.synchronize()
    begin = time.perf_counter_ns()
    for _ in range(launches):
        x.add_(1)
    torch.cuda.synchronize()
    return (time.perf_counter_ns() - begin) / launches


@contextlib.contextmanager
def torch_profiler(activities):
    profiler = torch.profiler.profile(activities=activities)
    profiler.start()
    yield
    profiler.stop()


@contextlib.contextmanager
def proton_profiler():
    try:
        import triton.profiler as proton
    except ImportError as error:
        print(f"SKIPPED: no Proton: {error}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        proton.start(os.path.join(folder, "eager"))
        yield
        proton.finalize()


def profiler_named(name):
    activity = torch.profiler.ProfilerActivity
    return {"torch": lambda: torch_profiler([activity.CUDA]),
            "torch-cpu": lambda: torch_profiler([activity.CPU, activity.CUDA]),
            "proton": proton_profiler}[name]()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arm", choices=["bare", "torch", "torch-cpu", "proton"])
    parser.add_argument("--launches", type=int, default=50000)
    parser.add_argument("--seconds", type=float, default=0)
    options = parser.parse_args()
    x = torch.zeros(1, device="cuda")
    ready = time.perf_counter()
    measure(x, 2000)

    def say(phase):
        start = time.perf_counter() - ready
        print(phase, f"{measure(x, options.launches):.1f}", f"{start:.3f}", flush=True)

    if options.arm == "bare":
        say("during")
        say("during")
        while time.perf_counter() - ready < options.seconds:
            say("during")
        return
    with profiler_named(options.arm):
        measure(x, 2000)  # what the profiler sets up at its first record is not counted
        say("during")
        say("during")
    measure(x, 2000)
    say("after")
    say("after")


if __name__ == "__main__":
    main()
