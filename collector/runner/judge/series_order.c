/* Is each launch of a series that is captured behind the one before? */
#include "collector/runner/judge/series_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const char beside[] = "in a graph a launch does not wait for the one before it: it must be part of its stream";
static const char behind[] = "in a graph the stream does not wait for all of a launch: it must be part of its stream";

/* What one launch captured: known nodes from `first` on. */
struct launched {
    size_t first;
    bool *is_inner; /* another one of them depends on it */
};

/* Newest first; `count`: it is not among them. */
static size_t place_of(cudaGraphNode_t node, const cudaGraphNode_t *nodes, size_t count)
{
    for (size_t i = count; i-- > 0;)
        if (nodes[i] == node)
            return i;
    return count;
}

static bool has(const cudaGraphNode_t *nodes, size_t count, cudaGraphNode_t node)
{
    return place_of(node, nodes, count) < count;
}

static bool add(struct series_order *s, cudaGraphNode_t node)
{
    if (has(s->known, s->count, node))
        return true;
    if (array_reserve((void **)&s->known, &s->capacity, s->count + 1, sizeof *s->known))
        return false;
    s->known[s->count++] = node;
    return true;
}

static bool is_behind(const struct series_order *s, const cudaGraphNode_t *before, size_t count)
{
    for (size_t i = 0; i < s->end_count; i++)
        if (!has(before, count, s->ends[i]))
            return false;
    return true;
}

/* A node that depends on another one of its launch is behind what that one is behind. */
static bool look_at(struct series_order *s, struct launched *l, cudaGraphNode_t node)
{
    cudaGraphNode_t before[CAPTURE_EDGES_MAX];
    size_t count = CAPTURE_EDGES_MAX;
    bool is_inside = false;
    if (capture_nodes_before(node, before, &count) || count > CAPTURE_EDGES_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!add(s, before[i]))
            return false;
        const size_t place = place_of(before[i], s->known, s->count);
        is_inside |= place >= l->first;
        if (place >= l->first)
            l->is_inner[place - l->first] = true;
    }
    if (!is_inside && !is_behind(s, before, count) && !s->fault)
        s->fault = beside;
    return true;
}

/* Those that no other one depends on are what the next launch has to be behind. */
static void take_ends(struct series_order *s, const struct launched *l, const cudaGraphNode_t *ends, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t place = place_of(ends[i], s->known, s->count);
        if (place >= l->first && !l->is_inner[place - l->first])
            s->ends[kept++] = ends[i];
    }
    s->end_count = kept;
}

/* From the ends of the stream back to what was known before. Returns whether that could be told. */
static bool walk(struct series_order *s, cudaGraph_t graph, const cudaGraphNode_t *ends, size_t count)
{
    struct launched l = {.first = s->count};
    size_t all = 0;
    bool is_told = count <= CAPTURE_EDGES_MAX && !capture_nodes_all(graph, NULL, &all) && all >= s->count;
    l.is_inner = is_told ? calloc(all - s->count + CAPTURE_EDGES_MAX, sizeof *l.is_inner) : NULL;
    is_told &= l.is_inner != NULL;
    for (size_t i = 0; i < count && is_told; i++)
        is_told = add(s, ends[i]);
    for (size_t i = l.first; i < s->count && is_told; i++)
        is_told = s->count <= all && look_at(s, &l, s->known[i]);
    if (is_told && s->count < all && !s->fault)
        s->fault = behind;
    if (is_told && s->count > l.first)
        take_ends(s, &l, ends, count);
    free(l.is_inner);
    return is_told;
}

void series_order_begin(struct series_order *s, cudaStream_t stream)
{
    cudaGraph_t graph;
    const cudaGraphNode_t *ends = NULL;
    size_t count = 0, all = 0;
    s->count = s->end_count = 0;
    s->is_open = !capture_nodes_ends(stream, &graph, &ends, &count) && count <= CAPTURE_EDGES_MAX &&
                 !capture_nodes_all(graph, NULL, &all) &&
                 !array_reserve((void **)&s->known, &s->capacity, all + 1, sizeof *s->known);
    if (s->is_open && all)
        s->is_open = !capture_nodes_all(graph, s->known, &all);
    if (!s->is_open)
        return;
    s->count = all;
    s->end_count = count;
    if (count)
        memcpy(s->ends, ends, count * sizeof *ends);
}

void series_order_launched(struct series_order *s, cudaStream_t stream)
{
    cudaGraph_t graph;
    const cudaGraphNode_t *ends = NULL;
    size_t count = 0;
    if (s->is_open && !s->fault)
        s->is_open = !capture_nodes_ends(stream, &graph, &ends, &count) && walk(s, graph, ends, count);
}

void series_order_end(struct series_order *s)
{
    free(s->known);
    *s = (struct series_order){.fault = s->fault};
}
