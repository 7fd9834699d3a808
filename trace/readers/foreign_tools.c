/* Is this what a profiler writes that nobody here reads, and what would be read?
 *
 * Marks are those of the formats: first bytes, names of columns and of members. */
#include "trace/readers/foreign_tools.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define SQLITE    "export it as SQLite: nsys export --type sqlite REPORT.nsys-rep"
#define CAPTURE   "record the program again: cpprof capture -- PROGRAM, or nsys profile PROGRAM"
#define OF_AMD    "of AMD's GPUs the traces of PyTorch are read: torch.profiler, export_chrome_trace('trace.json')"
#define OF_ROCM   "output of rocprof, not read"
#define TIMES     "they have no timeline"
#define COMPARE   "'cpprof compare BEFORE.json AFTER.json' compares two"
#define OF_NVPROF "output of nvprof, not read"

static const struct known_input kinds[] = {
#define WORDS(...) .words = {__VA_ARGS__}
    {WORDS("== NVPROF is profiling process"), .what = OF_NVPROF, .remedy = CAPTURE},
    {WORDS("== Profiling result:"), .what = OF_NVPROF, .remedy = CAPTURE},
    {WORDS("\"Start\",\"Duration\",\"Grid X\","), .what = OF_NVPROF, .remedy = CAPTURE},
    {WORDS("\"Time(%)\",\"Time\",\"Calls\",\"Avg\","), .what = OF_NVPROF, .remedy = CAPTURE},
    {.suffix = ".xplane.pb", .what = "a profile of XLA (JAX, TensorFlow), not read", .remedy = CAPTURE},
    {WORDS("/host:CPU"), .is_binary = true, .what = "a profile of XLA (JAX, TensorFlow), not read", .remedy = CAPTURE},
    {WORDS("/device:GPU:"), .is_binary = true, .what = "a profile of XLA (JAX, TensorFlow), not read",
     .remedy = CAPTURE},
    {WORDS("\"rocprofiler-sdk-tool\""), .what = "output of rocprofv3, not read", .remedy = OF_AMD},
    {WORDS("\"Agent_Id\"", "\"Dispatch_Id\""), .what = "output of rocprofv3, not read", .remedy = OF_AMD},
    {WORDS("\"Agent_Id\"", "\"Start_Timestamp\""), .what = "output of rocprofv3, not read", .remedy = OF_AMD},
    {WORDS("\"Index\",\"KernelName\",\"gpu-id\""), .what = OF_ROCM, .remedy = OF_AMD},
    {WORDS("Index,KernelName,gpu-id"), .what = OF_ROCM, .remedy = OF_AMD},
    {WORDS("\"Name\",\"Calls\",\"TotalDurationNs\""), .what = "a table of sums of rocprof: they have no timeline",
     .remedy = OF_AMD},
    {WORDS("\"TraceProcessEvent\"", "\"Type\""), .what = "an export of nsys as JSON, not read", .remedy = SQLITE},
    {WORDS("\"CudaEvent\"", "\"Type\""), .what = "an export of nsys as JSON, not read", .remedy = SQLITE},
    {WORDS("\"globalPid\"", "\"correlationId\"", "\"deviceId\""), .what = "an export of nsys as JSON lines, not read",
     .remedy = SQLITE},
    {KNOWN_MAGIC("PAR1"), .what = "a Parquet file, as nsys exports with --type parquetdir, not read", .remedy = SQLITE},
    {KNOWN_MAGIC("ARROW1"), .what = "an Arrow file, as nsys exports with --type arrow, not read", .remedy = SQLITE},
    {KNOWN_MAGIC("\xff\xff\xff\xff"), .what = "a stream of Arrow, as nsys exports with --type arrow, not read",
     .remedy = SQLITE},
    {KNOWN_MAGIC("\x89HDF\r\n\x1a\n"), .what = "an HDF5 file, as nsys exports with --type hdf, not read",
     .remedy = SQLITE},
    {WORDS("\"context\"", "\"benchmarks\"", "\"real_time\""), .what = "a file of results of Google Benchmark: " TIMES,
     .remedy = COMPARE},
    {WORDS("\"benchmarks\"", "\"states\"", "\"axis_values\""), .what = "a file of results of nvbench: " TIMES,
     .remedy = COMPARE},
    {.suffix = ".qdstrm",
     .what = "a capture of nsys that was never made a report",
     .remedy = "QdstrmImporter, which comes with nsys, makes one: QdstrmImporter -i FILE.qdstrm"},
#undef WORDS
};

const struct foreign_database foreign_databases[FOREIGN_DATABASES] = {
    {"StringTable", "a database of nvprof (.nvvp), not read", CAPTURE},
    {"rocpd_kernel_dispatch", "a database of rocprofv3 (rocpd), not read", OF_AMD},
};

const struct known_input *foreign_tool_find(const struct open_input *input)
{
    return input->file ? known_input_find(kinds, COUNT(kinds), input) : NULL;
}
