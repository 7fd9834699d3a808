"""A solution with PyTorch: x and out are 1-D tensors that are cpprof's buffers, rows and columns are axes of the task."""
import torch


def softmax(x, out, rows, columns):
    torch.softmax(x.view(rows, columns), 1, out=out.view(rows, columns))
