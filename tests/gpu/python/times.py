"""What PyTorch's own events say of softmax: ns of a launch in a graph of 100, the median of 200 replays.

times.py ROWS COLUMNS
"""
import statistics
import sys

import torch

rows, columns = int(sys.argv[1]), int(sys.argv[2])
x = torch.rand(rows, columns, device="cuda")
out = torch.empty_like(x)
for _ in range(10):
    torch.softmax(x, 1, out=out)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for _ in range(100):
        torch.softmax(x, 1, out=out)
events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(200)]
for _ in range(20):
    graph.replay()
for begin, end in events:
    begin.record()
    graph.replay()
    end.record()
torch.cuda.synchronize()
print(round(statistics.median(begin.elapsed_time(end) for begin, end in events) * 1e6 / 100, 1))
