/* Which inputs can be read? Readers are asked in this order. */
#include <stddef.h>

#include "core/base/count_of.h"
#include "core/trace/readers/reader.h"

extern const struct reader bundle_traces_reader;
extern const struct reader shard_reader;
extern const struct reader nsys_sqlite_reader;
extern const struct reader kineto_reader;
extern const struct reader nsys_csv_reader;

static const struct reader *const readers[] = {
    &bundle_traces_reader, &shard_reader, &nsys_sqlite_reader, &kineto_reader, &nsys_csv_reader,
};

const struct reader *reader_of_trace(const struct open_input *input)
{
    for (size_t i = 0; i < COUNT_OF(readers); i++)
        if (readers[i]->recognise(input))
            return readers[i];
    return NULL;
}
