"""Solutions of examples/python-softmax that python_solution.sh tries: honest ones, a cheat, and what cannot be timed."""
import torch


def returns(x, rows, columns):
    """honest: what it returns is copied by the launch"""
    return torch.softmax(x.view(rows, columns), 1)


def steps(x, out, rows, columns):
    """honest: many kernels, with tensors in between that the allocator makes"""
    x = x.view(rows, columns)
    powers = torch.exp(x - x.amax(1, keepdim=True))
    out.view(rows, columns).copy_(powers / powers.sum(1, keepdim=True))


side = {}


def joins(x, out, rows, columns):
    """honest: on a stream of its own, which is joined"""
    here = torch.cuda.current_stream()
    if "joined" not in side:
        side["joined"] = torch.cuda.Stream()
    there = side["joined"]
    there.wait_stream(here)
    with torch.cuda.stream(there):
        torch.softmax(x.view(rows, columns), 1, out=out.view(rows, columns))
    here.wait_stream(there)


kept = {}


def cached(x, rows, columns):
    """cheat: the output of the first call"""
    if (rows, columns) not in kept:
        kept[rows, columns] = torch.softmax(x.view(rows, columns), 1)
    return kept[rows, columns]


def waits(x, out, rows, columns):
    """cannot be captured: the host reads a value"""
    most = x.max().item()
    powers = torch.exp(x.view(rows, columns) - most)
    out.view(rows, columns).copy_(powers / powers.sum(1, keepdim=True))


def elsewhere(x, out, rows, columns):
    """cannot be captured: on a stream of its own, which is not joined"""
    if "alone" not in side:
        side["alone"] = torch.cuda.Stream()
    with torch.cuda.stream(side["alone"]):
        torch.softmax(x.view(rows, columns), 1, out=out.view(rows, columns))


def raises(x, out, rows, columns):
    """raises in its launch"""
    torch.softmax(x.view(rows, columns), 1, out=out.view(rows, column))  # a name that is not there
