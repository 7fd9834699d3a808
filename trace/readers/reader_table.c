/* Which inputs can be read? Asked in this order; the last one takes everything. */
#include "trace/readers/reader.h"

extern const struct reader bundle_traces_reader;
extern const struct reader shard_reader;
extern const struct reader nsys_sqlite_reader;
extern const struct reader kineto_reader;
extern const struct reader nsys_csv_reader;
extern const struct reader not_a_trace_reader;

const struct reader *const reader_table[] = {
    &bundle_traces_reader, &shard_reader, &nsys_sqlite_reader, &kineto_reader, &nsys_csv_reader,
    &not_a_trace_reader,   NULL,
};
