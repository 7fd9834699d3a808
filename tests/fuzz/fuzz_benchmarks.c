/* Do the readers of Google Benchmark's and nvbench's JSON survive any bytes, and is a file never faster than itself? */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/benchmarks/benchmark_comparison.h"

static void check(const struct benchmark_results *r)
{
    struct benchmark_comparisons c;
    struct err e = {0};
    const int rc = benchmark_comparisons_make(&c, r, r, 0.01, "device", &e);
    REQUIRE(!rc && c.rows.count <= r->items.count && !c.only_after.count);
    for (size_t i = 0; i < c.rows.count; i++) {
        const struct benchmark_comparison *row = &c.rows.items[i];
        REQUIRE(row->verdict == COMPARE_INCONCLUSIVE || row->verdict == COMPARE_UNUSABLE);
        REQUIRE(row->before_processes == 1 && row->after_processes == 1);
    }
    benchmark_comparisons_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct benchmark_results results;
    struct err e = {0};
    const size_t head_bytes = size < INPUT_HEAD_BYTES ? size : INPUT_HEAD_BYTES;
    char *head = calloc(1, head_bytes + 1);
    FILE *file = fuzz_file(data, size);
    REQUIRE(head);
    if (head_bytes)
        memcpy(head, data, head_bytes);
    const struct open_input input = {"fuzz", file, head, head_bytes, false};
    benchmark_results_init(&results);
    const int rc = benchmark_results_add(&results, &input, &e);
    REQUIRE(!rc || (rc == e.code && *e.text));
    REQUIRE(rc || (results.items.count && results.processes == 1));
    if (!rc)
        check(&results);
    benchmark_results_release(&results);
    fclose(file);
    free(head);
    return 0;
}
