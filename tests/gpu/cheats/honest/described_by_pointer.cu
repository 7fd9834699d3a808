/* honest softmax: keeps a description of each pair of buffers, made when they come first, as with descriptors of TMA */
#include <map>
#include <utility>

#include "tests/gpu/cheats/softmax.cuh"

static int launch(void *state, const struct cpprof_call *call)
{
    auto *known = (std::map<std::pair<const void *, void *>, struct rows> *)state;
    const auto key = std::make_pair(call->inputs[0], call->outputs[0]);
    const auto found = known->emplace(key, rows_of(call)).first;
    return launch_rows(found->second, call->stream);
}

static int prepare(const struct cpprof_config *, void **state)
{
    *state = new std::map<std::pair<const void *, void *>, struct rows>();
    return 0;
}

static void release(void *state)
{
    delete (std::map<std::pair<const void *, void *>, struct rows> *)state;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
