/* benchmark_results.h - the times that other tools' benchmarks left: which ones, of how many processes, on what?
 *
 * A file is what one process wrote. A folder of files is one side of a comparison with as many processes. */
#ifndef CPPROF_BENCHMARK_RESULTS_H
#define CPPROF_BENCHMARK_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/strtab.h"
#include "core/io/input_file.h"

/* A benchmark with its arguments, in one process. */
struct benchmark_times {
    const char *name; /* with arguments and axis values: "copy/4096", "copy Elements=65536" */
    size_t process;   /* number of its file */
    /* Repetitions or samples in the order in which they were timed; `times` belongs to the row. None where the file has
     * sums alone. */
    ARRAY_OF(double) times;
    double mean_ns;      /* as the file has it, of all its iterations; NAN when it has none */
    const char *failure; /* why it has no time, in the tool's words; NULL: it has */
    bool is_twice;       /* two benchmarks of one file have this name */
};

struct benchmark_format;

/* What is in a file, to know a copy of it. */
struct benchmark_file {
    uint64_t bytes;
    uint32_t crc32;
};

struct benchmark_results {
    const struct benchmark_format *format;  /* of all files; NULL before the first */
    ARRAY_OF(struct benchmark_times) items; /* file by file, in the order of each file */
    size_t processes;
    ARRAY_OF(struct benchmark_file) files; /* that were read by their path, a process each */
    size_t samples_tried;                  /* in files beside the JSON, which may be named again and again */
    const char *machine;                   /* what the files say that they ran on; "" when they do not say */
    bool machines_differ;                  /* between the files */
    struct caveat_list caveats;
    struct arena arena;
    struct strtab names;     /* of all items */
    ARRAY_OF(size_t) latest; /* the last item of each name, from 1; by the name's number */
};

/* What a file of one tool looks like. */
struct benchmark_format {
    const char *tool;     /* "Google Benchmark" */
    const char *values;   /* "repetitions" */
    const char *more;     /* how to get more of them: "--benchmark_repetitions=10" */
    const char *words[3]; /* members that its head has */
    /* Adds what one process left. `path` is where its file lies; `machine` becomes what it ran on. */
    int (*read)(const json_t *root, const char *path, struct benchmark_results *out, const char **machine,
                struct err *e);
};
extern const struct benchmark_format google_benchmark_format, nvbench_format;

/* Returns the format of an input; NULL when it is no such file. */
const struct benchmark_format *benchmark_format_of(const struct open_input *input);

/* Returns the format of a file, or of the first file of a folder; NULL when that is none. */
const struct benchmark_format *benchmark_format_at(const char *path);

void benchmark_results_init(struct benchmark_results *r);

/* Adds what one process left. ERR_INPUT for anything that is no such file, and for one of another tool than the files
 * before it. */
int benchmark_results_add(struct benchmark_results *r, const struct open_input *input, struct err *e);

/* Adds a file, or all files of a folder. ERR_INPUT as above, and for a file that is there twice. Release it even after
 * an error. */
int benchmark_results_read(struct benchmark_results *out, const char *path, struct err *e);
void benchmark_results_release(struct benchmark_results *r);

/* Is a file of one side on the other side, too? */
bool benchmark_results_share_a_file(const struct benchmark_results *a, const struct benchmark_results *b);

/* For formats: the row of that name in the process that is being read, which is added if need be. NULL: memory is out.
 * `is_new` tells which. The pointer is valid until the next one. */
struct benchmark_times *benchmark_results_row(struct benchmark_results *r, const char *name, bool *is_new);

#endif
