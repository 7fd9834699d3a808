"""What PyTorch's own events say of softmax: ns of a launch in a graph of 100, the median of 200 replays.

times.py ROWS COLUMNS SLOTS     Launches read and write SLOTS pairs of arrays in turn, as launches that cpprof times do.
"""
import statistics
import sys

import torch

rows, columns, slots = (int(word) for word in sys.argv[1:])
pairs = [(torch.rand(rows, columns, device="cuda"), torch.empty(rows, columns, device="cuda")) for _ in range(slots)]
for _ in range(10):
    torch.softmax(pairs[0][0], 1, out=pairs[0][1])
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for launch in range(100):
        x, out = pairs[launch % slots]
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
