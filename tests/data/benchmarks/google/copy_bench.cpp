#include <benchmark/benchmark.h>
#include <cstring>
#include <vector>
static void copy(benchmark::State &state)
{
    std::vector<char> from(state.range(0), 1), to(state.range(0));
    for (auto _ : state) {
        for (int i = 0; i < TIMES; i++)
            std::memcpy(to.data(), from.data(), from.size());
        benchmark::DoNotOptimize(to.data());
    }
}
BENCHMARK(copy)->Arg(4096)->Arg(65536);
static void fill(benchmark::State &state)
{
    std::vector<int> to(16384);
    for (auto _ : state) {
        for (size_t i = 0; i < to.size(); i++)
            to[i] = (int)i;
        benchmark::DoNotOptimize(to.data());
        benchmark::ClobberMemory();
    }
}
BENCHMARK(fill)->Unit(benchmark::kMicrosecond);
#if TIMES > 1
static void added(benchmark::State &state) { for (auto _ : state) benchmark::DoNotOptimize(state.iterations()); }
BENCHMARK(added);
#else
static void broken(benchmark::State &state) { state.SkipWithError("no device"); for (auto _ : state) {} }
BENCHMARK(broken);
#endif
BENCHMARK_MAIN();
