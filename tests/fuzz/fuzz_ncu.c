/* Does the reader of Nsight Compute's CSV survive any bytes, and what is said about its launches? */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/bound_decision.h"
#include "analyzers/bounds/bound_inputs.h"
#include "core/run/ncu/ncu_csv.h"

static void check_launch(const struct imported_launch *l)
{
    double margin;
    struct thresholds thresholds;
    thresholds_resolve(&thresholds, NULL, NULL);
    const struct bound_inputs in = bound_inputs_of(l, &thresholds);
    const enum bound_class class_ = bound_decide(&thresholds, &in.shares, &margin);
    const struct bound_record made = bound_inputs_decide(&in);
    REQUIRE(l->id && l->kernel && l->process_id && l->process_name && l->device && l->grid && l->block);
    REQUIRE(class_ != BOUND_INCONCLUSIVE || made.missing_count > 0);
    REQUIRE(class_ == BOUND_INCONCLUSIVE || (in.compute_unit && in.memory_unit));
    REQUIRE(made.missing_count > 0 || (class_ != BOUND_COMPUTE || in.compute_unit != metric_by_id("sm_throughput")));
    for (size_t i = 0; i < COUNTERS_METRICS_MAX; i++)
        REQUIRE(isnan(l->busy_at_most[i]) || l->busy_at_most[i] >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct imported_launches list;
    struct err e = {0};
    const size_t head_bytes = size < INPUT_HEAD_BYTES ? size : INPUT_HEAD_BYTES;
    char *head = calloc(1, head_bytes + 1);
    FILE *file = fuzz_file(data, size);
    REQUIRE(head);
    if (head_bytes)
        memcpy(head, data, head_bytes);
    const struct open_input input = {"fuzz", file, head, head_bytes, false};
    imported_launches_init(&list);
    const int rc = ncu_csv_read(&input, &list, &e);
    REQUIRE(!rc || (rc == e.code && *e.text));
    REQUIRE(rc || list.count);
    for (size_t i = 0; i < list.count && !rc; i++)
        check_launch(&list.items[i]);
    imported_launches_release(&list);
    fclose(file);
    free(head);
    return 0;
}
