/* Is each launch of a series that is captured behind the one before? */
#include "collector/runner/judge/series_order.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

static const char beside[] = "in a graph a launch does not wait for the one before it: it must be part of its stream";
static const char behind[] = "in a graph the stream does not wait for all of a launch: it must be part of its stream";
static const char untold[] =
    "in a graph it cannot be told what a launch waits for: no node may have more than 4,095 edges";

/* What one launch captured: known nodes from `first` on. */
struct launched {
    cudaGraph_t graph;
    size_t first;
    cudaGraphNode_t passed[CAPTURE_EDGES_MAX]; /* another one of them may begin before these have ended */
    size_t passed_count;
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

/* A launch may begin early for another one of its kernels, but not for another launch. */
static bool wait_for_all(const struct series_order *s, struct launched *l, cudaGraphNode_t node,
                         const struct capture_edges *edges)
{
    bool is_done = true;
    for (size_t i = 0; i < edges->count && is_done; i++)
        is_done = !edges->is_early[i] || !capture_nodes_wait(l->graph, edges->before[i], node);
    for (size_t i = 0; i < s->passed_count && is_done; i++)
        is_done = !capture_nodes_wait(l->graph, s->passed[i], node);
    return is_done;
}

/* A node that depends on another one of its launch is behind what that one is behind. */
static bool look_at(struct series_order *s, struct launched *l, cudaGraphNode_t node)
{
    struct capture_edges edges;
    bool is_inside = false;
    if (capture_nodes_before(node, &edges))
        return false;
    for (size_t i = 0; i < edges.count; i++) {
        if (!add(s, edges.before[i]))
            return false;
        const size_t place = place_of(edges.before[i], s->known, s->count);
        if (place < l->first)
            continue;
        is_inside = true;
        l->is_inner[place - l->first] = true;
        if (!edges.is_early[i])
            continue;
        if (l->passed_count == CAPTURE_EDGES_MAX)
            return false;
        l->passed[l->passed_count++] = edges.before[i];
    }
    if (is_inside)
        return true;
    if (!is_behind(s, edges.before, edges.count) && !s->fault)
        s->fault = beside;
    return wait_for_all(s, l, node, &edges);
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
    s->passed_count = l->passed_count;
    memcpy(s->passed, l->passed, sizeof s->passed);
}

/* NCCL records an event behind its kernels for launches outside of the graph: the stream need not wait for that. */
static bool find_others(struct series_order *s, cudaGraph_t graph, size_t all)
{
    cudaGraphNode_t *nodes = s->count < all ? calloc(all, sizeof *nodes) : NULL;
    bool is_told = s->count >= all || (nodes && !capture_nodes_all(graph, nodes, &all));
    for (size_t i = 0; nodes && i < all && is_told; i++) {
        if (has(s->known, s->count, nodes[i]))
            continue;
        if (capture_nodes_works(nodes[i]) && !s->fault)
            s->fault = behind;
        is_told = add(s, nodes[i]);
    }
    free(nodes);
    return is_told;
}

/* From the ends of the stream back to what was known before. Returns whether that could be told. */
static bool walk(struct series_order *s, cudaGraph_t graph, const cudaGraphNode_t *ends, size_t count)
{
    struct launched l = {.graph = graph, .first = s->count};
    size_t all = 0;
    bool is_told = !capture_nodes_all(graph, NULL, &all) && all >= s->count;
    l.is_inner = is_told ? calloc(all - s->count + CAPTURE_EDGES_MAX, sizeof *l.is_inner) : NULL;
    is_told &= l.is_inner != NULL;
    for (size_t i = 0; i < count && is_told; i++)
        is_told = add(s, ends[i]);
    for (size_t i = l.first; i < s->count && is_told; i++)
        is_told = s->count <= all && look_at(s, &l, s->known[i]);
    if (is_told && s->count > l.first)
        take_ends(s, &l, ends, count);
    free(l.is_inner);
    return is_told && find_others(s, graph, all);
}

void series_order_begin(struct series_order *s, cudaStream_t stream)
{
    cudaGraph_t graph;
    const cudaGraphNode_t *ends = NULL;
    size_t count = 0, all = 0;
    s->count = s->end_count = s->passed_count = 0;
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

/* Where the stream captures nothing any more there will be no graph. What a launch itself makes too much to be told is
 * a fault: else the next one could run beside it. The driver's list of ends is copied: edges are changed while it is
 * gone through. */
void series_order_launched(struct series_order *s, cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphNode_t own[CAPTURE_EDGES_MAX];
    const cudaGraphNode_t *ends = NULL;
    size_t count = 0;
    if (!s->is_open || s->fault)
        return;
    s->is_open = !capture_nodes_ends(stream, &graph, &ends, &count);
    const bool is_room = s->is_open && count <= CAPTURE_EDGES_MAX;
    if (is_room && count)
        memcpy(own, ends, count * sizeof *own);
    if (s->is_open && !(is_room && walk(s, graph, own, count)))
        s->fault = untold;
}

void series_order_end(struct series_order *s)
{
    free(s->known);
    *s = (struct series_order){.fault = s->fault};
}
