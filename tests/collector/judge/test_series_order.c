/* Are launches found that run beside others when their graph is replayed? What a stream captures is written down here.
 */
#include <string.h>

#include "collector/runner/judge/series_order.h"
#include "tests/test.h"

enum { NODES_MAX = 32, STEPS_MAX = 6 };

/* A node, or what the stream stands behind when a launch is over. Nodes are letters, in the order of their making;
 * those that do no work are capitals. */
struct step {
    char node; /* 0: the end of a launch */
    const char *before;
};

struct series {
    const char *name;
    struct step steps[3 * STEPS_MAX];
    const char *fault; /* a part of it; NULL: none */
    const char *waits; /* a pair of letters each: the second one is made to wait for the first one */
};

static struct {
    cudaGraphNode_t ends[CAPTURE_EDGES_MAX + 1];
    const char *before[NODES_MAX];
    bool is_idle[NODES_MAX];
    size_t count, end_count;
    int status, before_status;
    char waits[64];
} played;

static cudaGraphNode_t node_of(char letter)
{
    return (cudaGraphNode_t)(uintptr_t)letter;
}

static size_t put_nodes(cudaGraphNode_t *to, const char *letters)
{
    const size_t count = strlen(letters);
    for (size_t i = 0; i < count; i++)
        to[i] = node_of(letters[i]);
    return count;
}

int __wrap_capture_nodes_ends(cudaStream_t stream, cudaGraph_t *graph, const cudaGraphNode_t **ends, size_t *count);
int __wrap_capture_nodes_ends(cudaStream_t stream, cudaGraph_t *graph, const cudaGraphNode_t **ends, size_t *count)
{
    (void)stream;
    *graph = NULL;
    *ends = played.ends;
    *count = played.end_count;
    return played.status;
}

int __wrap_capture_nodes_all(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
int __wrap_capture_nodes_all(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    (void)graph;
    *count = played.count;
    for (size_t i = 0; nodes && i < played.count; i++)
        nodes[i] = node_of((char)('a' + i));
    return 0;
}

bool __wrap_capture_nodes_works(cudaGraphNode_t node);
bool __wrap_capture_nodes_works(cudaGraphNode_t node)
{
    return !played.is_idle[(uintptr_t)node - 'a'];
}

/* In capitals what a node need not wait for to the end. */
int __wrap_capture_nodes_before(cudaGraphNode_t node, struct capture_edges *edges);
int __wrap_capture_nodes_before(cudaGraphNode_t node, struct capture_edges *edges)
{
    const char *before = played.before[(uintptr_t)node - 'a'];
    edges->count = put_nodes(edges->before, before);
    for (size_t i = 0; i < edges->count; i++) {
        edges->is_early[i] = before[i] >= 'A' && before[i] <= 'Z';
        edges->before[i] = node_of(edges->is_early[i] ? (char)(before[i] - 'A' + 'a') : before[i]);
    }
    return played.before_status;
}

int __wrap_capture_nodes_wait(cudaGraph_t graph, cudaGraphNode_t before, cudaGraphNode_t node);
int __wrap_capture_nodes_wait(cudaGraph_t graph, cudaGraphNode_t before, cudaGraphNode_t node)
{
    (void)graph;
    const size_t length = strlen(played.waits);
    played.waits[length] = (char)(uintptr_t)before;
    played.waits[length + 1] = (char)(uintptr_t)node;
    return 0;
}

/* "x" with nothing before it is the first node of a series. */
static const struct series all[] = {
    {"one kernel after the other", {{'a', ""}, {0, "a"}, {'b', "a"}, {0, "b"}, {'c', "b"}, {0, "c"}}, NULL, NULL},
    {"two kernels a launch", {{'a', ""}, {'b', "a"}, {0, "b"}, {'c', "b"}, {'d', "c"}, {0, "d"}}, NULL, NULL},
    {"nothing launched", {{'a', ""}, {0, "a"}, {0, "a"}, {'b', "a"}, {0, "b"}}, NULL, NULL},
    {"a joined side stream", {{'a', ""}, {'b', ""}, {0, "ab"}, {'c', "ab"}, {'d', "ab"}, {0, "cd"}}, NULL, NULL},
    {"it is forked behind a kernel",
     {{'a', ""}, {'b', "a"}, {0, "ab"}, {'c', "ab"}, {'d', "bc"}, {0, "cd"}},
     NULL,
     NULL},
    /* The driver may leave out that b is behind a: c need not depend on a. */
    {"all on a side stream",
     {{'a', ""}, {'b', "a"}, {0, "ab"}, {'c', "b"}, {0, "abc"}, {'d', "c"}, {0, "d"}},
     NULL,
     NULL},
    {"each may begin early", {{'a', ""}, {0, "a"}, {'b', "A"}, {0, "b"}, {'c', "B"}, {0, "c"}}, NULL, "abbc"},
    {"the second kernel of each may", {{'a', ""}, {'b', "A"}, {0, "b"}, {'c', "b"}, {'d', "C"}, {0, "d"}}, NULL, "ac"},
    {"and the next launch, too", {{'a', ""}, {'b', "A"}, {0, "b"}, {'c', "B"}, {0, "c"}}, NULL, "bcac"},
    {"what it depended on is forgotten",
     {{'a', ""}, {0, "a"}, {'b', ""}, {0, "b"}},
     "does not wait for the one before",
     NULL},
    {"its second kernel is",
     {{'a', ""}, {0, "a"}, {'b', "a"}, {'c', ""}, {0, "bc"}},
     "does not wait for the one before",
     NULL},
    {"a side stream goes on alone",
     {{'a', ""}, {'b', ""}, {0, "ab"}, {'c', "b"}, {0, "ac"}},
     "does not wait for the one before",
     NULL},
    {"side streams in turn",
     {{'a', ""}, {0, "a"}, {'b', "a"}, {0, "b"}, {'c', "a"}, {0, "bc"}},
     "does not wait for the one before",
     NULL},
    {"a kernel that nothing waits for",
     {{'a', ""}, {0, "a"}, {'b', "a"}, {0, "a"}, {'c', "a"}, {0, "c"}},
     "does not wait for all of a launch",
     NULL},
    {"a record of an event that nothing waits for",
     {{'a', ""}, {'B', "a"}, {0, "a"}, {'c', "a"}, {'D', "c"}, {0, "c"}},
     NULL,
     NULL},
    {"and a kernel before it",
     {{'a', ""}, {0, "a"}, {'b', "a"}, {'c', "a"}, {'D', "b"}, {0, "c"}},
     "does not wait for all of a launch",
     NULL},
    {"one beside a joined one", {{'a', ""}, {'b', ""}, {0, "a"}}, "does not wait for all of a launch", NULL},
};

static void capture(struct series_order *order, const struct series *series)
{
    memset(&played, 0, sizeof played);
    series_order_begin(order, NULL);
    for (const struct step *step = series->steps; step->before; step++) {
        if (step->node) {
            played.is_idle[played.count] = step->node >= 'A' && step->node <= 'Z';
            played.before[played.count++] = step->before;
            continue;
        }
        played.end_count = put_nodes(played.ends, step->before);
        series_order_launched(order, NULL);
    }
    series_order_end(order);
}

TEST(launches_beside_others_are_found)
{
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct series_order order = {0};
        capture(&order, &all[i]);
        if (!order.fault != !all[i].fault || (order.fault && !strstr(order.fault, all[i].fault)))
            fail_msg("%s: %s", all[i].name, order.fault ? order.fault : "no fault");
        assert_string_equal(played.waits, all[i].waits ? all[i].waits : "");
        capture(&order, &all[0]);
        assert_true(!order.fault == !all[i].fault); /* it stays */
    }
}

/* A graph that begins with something else, and a driver that does not tell. */
TEST(other_nodes_come_first)
{
    struct series_order order = {0};
    memset(&played, 0, sizeof played);
    played.before[played.count++] = "";
    played.end_count = put_nodes(played.ends, "a");
    series_order_begin(&order, NULL);
    played.before[played.count++] = "";
    played.end_count = put_nodes(played.ends, "b");
    series_order_launched(&order, NULL);
    series_order_end(&order);
    assert_non_null(order.fault);
    memset(&order, 0, sizeof order);
    played.status = 1;
    series_order_begin(&order, NULL);
    played.status = 0;
    series_order_launched(&order, NULL);
    series_order_end(&order);
    assert_null(order.fault);
}

/* A launch must not blind whoever looks at the next ones: it joins too many streams, takes nodes of others away, or has
 * a node with too many edges. Where a capture has broken off there is no graph. */
TEST(what_a_launch_hides_is_a_fault)
{
    enum { JOINS, REMOVES, DEPENDS, BREAKS_OFF, WAYS };
    for (int way = 0; way < WAYS; way++) {
        struct series_order order = {0};
        memset(&played, 0, sizeof played);
        played.before[played.count++] = "";
        played.end_count = put_nodes(played.ends, "a");
        series_order_begin(&order, NULL);
        played.before[played.count++] = "a";
        played.end_count = put_nodes(played.ends, "b");
        played.end_count = way == JOINS ? CAPTURE_EDGES_MAX + 1 : played.end_count;
        played.count -= way == REMOVES ? 2 : 0;
        played.before_status = way == DEPENDS;
        played.status = way == BREAKS_OFF;
        series_order_launched(&order, NULL);
        series_order_end(&order);
        assert_true(!order.fault == (way == BREAKS_OFF));
        assert_true(!order.fault || strstr(order.fault, "cannot be told what a launch waits for"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_beside_others_are_found),
        cmocka_unit_test(other_nodes_come_first),
        cmocka_unit_test(what_a_launch_hides_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
