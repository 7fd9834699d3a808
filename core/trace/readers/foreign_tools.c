/* Is this what a profiler writes that nobody here reads, or what stands in place of a file, and what would be read?
 *
 * Marks are those of the formats: first bytes, names of columns and of members. */
#define _GNU_SOURCE
#include "core/trace/readers/foreign_tools.h"

#include <string.h>
#include <strings.h>

#include "core/base/count_of.h"
#include "core/io/sqlite_rows.h"

#define SQLITE       "export it as SQLite: nsys export --type sqlite REPORT.nsys-rep"
#define CAPTURE      "record the program again: cpprof capture -- PROGRAM, or nsys profile PROGRAM"
#define OF_AMD       "of AMD's GPUs the traces of PyTorch are read: torch.profiler, export_chrome_trace('trace.json')"
#define OF_ROCM      "output of rocprof, not read"
#define SUMS_OF_ROCM "a table of sums of rocprof: they have no timeline"
#define OF_ROCPD     "a database of rocprofv3 (rocpd), not read"
#define TIMES        "they have no timeline"
#define COMPARE      "'cpprof compare BEFORE.json AFTER.json' compares two"
#define OF_NVPROF    "output of nvprof, not read"

/* ---- marks that are no words ---- */

static const char *behind_blanks(const struct open_input *input)
{
    const char *at = input->head;
    at += strncmp(at, "\xef\xbb\xbf", 3) ? 0 : 3;
    return at + strspn(at, " \t\r\n");
}

static bool begins_with_any(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strncasecmp(text, words[i], strlen(words[i])))
            return true;
    return false;
}

static bool is_page(const struct open_input *input)
{
    static const char *const words[] = {"<!doctype", "<html", "<head", "<?xml", "<error"};
    return begins_with_any(behind_blanks(input), words, COUNT_OF(words));
}

/* The short answer of a server that did not have the file. */
static bool is_answer(const struct open_input *input)
{
    enum { ANSWER_BYTES_MAX = 4096 };
    static const char *const texts[] = {"404", "403", "401", "not found", "access denied", "accessdenied", "error:"};
    static const char *const members[] = {"\"message\"", "\"error", "\"detail\"", "\"status\"",
                                          "\"documentation_url\""};
    const char *at = behind_blanks(input);
    if (input->head_bytes >= ANSWER_BYTES_MAX || input_is_binary(input))
        return false;
    if (*at != '{')
        return begins_with_any(at, texts, COUNT_OF(texts)) && !strchr(at, ',');
    at++;
    return begins_with_any(at + strspn(at, " \t\r\n"), members, COUNT_OF(members)) &&
           !input_find(input, "\"traceEvents\"") && !input_find(input, "\"benchmarks\"");
}

static bool is_tar(const struct open_input *input)
{
    enum { MAGIC_AT = 257 };
    return input->head_bytes > MAGIC_AT + 5 && !memcmp(input->head + MAGIC_AT, "ustar", 5);
}

/* Returns what follows the message of field 1 that starts at `at`; NULL when none does. */
static const unsigned char *behind_message(const unsigned char *at, const unsigned char *end)
{
    size_t length = 0;
    int shift = 0;
    if (at >= end || *at++ != 0x0a)
        return NULL;
    while (at < end && shift < 35) {
        length |= (size_t)(*at & 0x7f) << shift;
        shift += 7;
        if (!(*at++ & 0x80))
            return length && length <= (size_t)(end - at) ? at + length : NULL;
    }
    return NULL;
}

/* A trace of Perfetto is a sequence of packets, all in field 1. */
static bool is_perfetto(const struct open_input *input)
{
    enum { PACKETS_ASKED = 4 };
    const unsigned char *at = (const unsigned char *)input->head, *end = at + input->head_bytes;
    size_t packets = 0;
    if (!input_is_binary(input))
        return false;
    while (packets < PACKETS_ASKED && (at = behind_message(at, end))) {
        packets++;
        if (at == end)
            return packets > 1;
    }
    return packets == PACKETS_ASKED || (packets && input_path_ends_in(input, ".perfetto-trace"));
}

static bool has_all_words(const struct open_input *input, const char *a, const char *b)
{
    return input_find(input, a) && input_find(input, b);
}

/* XLA names no categories. */
static bool is_chrome_of_xla(const struct open_input *input)
{
    return input_find(input, "\"traceEvents\"") && !input_find(input, "\"cat\"") &&
           (input_find(input, "\"hlo_module\"") || input_find(input, "\"hlo_op\"") ||
            input_find(input, "/device:GPU:") || input_find(input, "/device:TPU:"));
}

static bool is_chrome_of_proton(const struct open_input *input)
{
    return has_all_words(input, "\"traceEvents\"", "\"call_stack\"") && !input_find(input, "\"schemaVersion\"") &&
           !input_find(input, "\"External id\"");
}

/* Flame graphs of hatchet: a list of nodes. */
static bool is_hatchet(const struct open_input *input)
{
    return *behind_blanks(input) == '[' && has_all_words(input, "\"frame\"", "\"metrics\"") &&
           input_find(input, "\"children\"") && !input_find(input, "\"ph\"");
}

/* ---- the table ---- */

#define PACKED "unpack it first"

static const struct known_input packings[] = {
    {KNOWN_MAGIC("version https://git-lfs"), .what = "a Git LFS pointer: the file itself is not there",
     .quotes = "size ", .remedy = "fetch it: git lfs pull"},
    {KNOWN_MAGIC("version https://hawser"), .what = "a Git LFS pointer: the file itself is not there",
     .quotes = "size ", .remedy = "fetch it: git lfs pull"},
    {KNOWN_MAGIC("\x1f\x8b"), .what = "compressed twice with gzip", .remedy = "gunzip it first"},
    {KNOWN_MAGIC("\x28\xb5\x2f\xfd"), .what = "compressed with Zstandard", .remedy = PACKED ": zstd -d FILE.zst"},
    {KNOWN_MAGIC("\xfd"
                 "7zXZ"),
     .what = "compressed with xz", .remedy = PACKED ": xz -d FILE.xz"},
    {KNOWN_MAGIC("BZh"), .what = "compressed with bzip2", .remedy = PACKED ": bzip2 -d FILE.bz2"},
    {KNOWN_MAGIC("\x04\x22\x4d\x18"), .what = "compressed with LZ4", .remedy = PACKED ": lz4 -d FILE.lz4"},
    {KNOWN_MAGIC("7z\xbc\xaf\x27\x1c"), .what = "a 7z archive", .remedy = PACKED},
    {KNOWN_MAGIC("PK\x03\x04"), .what = "a zip archive", .remedy = PACKED ": unzip FILE.zip"},
    {KNOWN_MAGIC("PK\x05\x06"), .what = "a zip archive without files", .remedy = "pack it again"},
    {.looks = is_tar, .what = "a tar archive", .remedy = PACKED ": tar -xf FILE"},
    {KNOWN_MAGIC("\xff\xfe"), .what = "UTF-16 text", .remedy = "convert it first: iconv -f UTF-16 -t UTF-8"},
    {.looks = is_page,
     .what = "a page of HTML or XML, as a server answers that does not have the file",
     .remedy = "download the file itself (of GitHub its raw form)"},
    {.looks = is_answer,
     .quotes = "",
     .what = "an answer of a server that does not have the file",
     .remedy = "download the file itself"},
};

#define CHROME_OF_XLA  "a Chrome trace of XLA (JAX, TensorFlow), not read"
#define SUMS_OF_PROTON "a profile of Proton (Triton), which has sums of kernels and no timeline, not read"

static const struct known_input chromes[] = {
    {.looks = is_chrome_of_xla, .what = CHROME_OF_XLA, .holds = foreign_chrome_count, .remedy = CAPTURE},
    {.looks = is_chrome_of_proton, .what = "a Chrome trace of Proton (Triton), not read", .remedy = CAPTURE},
    {.words = {"\"traceEvents\"", "\"BeginNs\""}, .what = OF_ROCM, .remedy = OF_AMD},
};

static const struct known_input kinds[] = {
#define WORDS(...) .words = {__VA_ARGS__}
    {.looks = is_hatchet, .what = SUMS_OF_PROTON, .remedy = CAPTURE},
    {WORDS("== NVPROF is profiling process"), .what = OF_NVPROF, .remedy = CAPTURE},
    {WORDS("== Profiling result:"), .what = OF_NVPROF, .remedy = CAPTURE},
    {WORDS("\"Start\",\"Duration\",\"Grid X\","), .what = OF_NVPROF, .remedy = CAPTURE},
    {WORDS("\"Time(%)\",\"Time\",\"Calls\",\"Avg\","), .what = OF_NVPROF, .remedy = CAPTURE},
    {.suffix = ".xplane.pb", .what = "a profile of XLA (JAX, TensorFlow), not read", .remedy = CAPTURE},
    {WORDS("/host:CPU"), .is_binary = true, .what = "a profile of XLA (JAX, TensorFlow), not read", .remedy = CAPTURE},
    {WORDS("/device:GPU:"), .is_binary = true, .what = "a profile of XLA (JAX, TensorFlow), not read",
     .remedy = CAPTURE},
    {WORDS("\"rocprofiler-sdk-tool\""), .what = "output of rocprofv3, not read", .remedy = OF_AMD},
    {WORDS("Agent_Id", "Dispatch_Id"), .what = "output of rocprofv3, not read", .remedy = OF_AMD},
    {WORDS("Agent_Id", "Start_Timestamp"), .what = "output of rocprofv3, not read", .remedy = OF_AMD},
    {WORDS("Domain", "Function", "Start_Timestamp"), .what = OF_ROCM, .remedy = OF_AMD},
    {WORDS("Dispatch_ID", "Kernel_Name"), .what = OF_ROCM, .remedy = OF_AMD},
    {WORDS("dispatch[", "kernel-name("), .what = OF_ROCM, .remedy = OF_AMD},
    {WORDS("\"Index\",\"KernelName\",\"gpu-id\""), .what = OF_ROCM, .remedy = OF_AMD},
    {WORDS("Index,KernelName,gpu-id"), .what = OF_ROCM, .remedy = OF_AMD},
    {WORDS("\"Name\",\"Calls\",\"TotalDurationNs\""), .what = SUMS_OF_ROCM, .remedy = OF_AMD},
    {WORDS("Name,Calls,TotalDurationNs"), .what = SUMS_OF_ROCM, .remedy = OF_AMD},
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
    {.looks = is_perfetto, .what = "a trace of Perfetto, not read", .remedy = CAPTURE},
#undef WORDS
};

/* An SQLite database with this table is of another tool. */
static const struct {
    const char *table;
    struct known_input kind;
} databases[] = {
    {"StringTable", {.what = "a database of nvprof (.nvvp), not read", .remedy = CAPTURE}},
    {"rocpd_kernel_dispatch", {.what = OF_ROCPD, .remedy = OF_AMD}},
    {"rocpd_metadata", {.what = OF_ROCPD, .remedy = OF_AMD}},
    {"rocpd_op", {.what = OF_ROCPD, .remedy = OF_AMD}},
    {"rocpd_api", {.what = OF_ROCPD, .remedy = OF_AMD}},
    {"KERN", {.what = "a database of rocprof, not read", .remedy = OF_AMD}},
    {"OPS", {.what = "a database of rocprof, not read", .remedy = OF_AMD}},
};

static const struct known_input unknown_database = {
    .what = "an SQLite database, but no export of nsys: it has no table StringIds",
    .remedy = "make one with nsys export --type sqlite REPORT.nsys-rep"};

static const struct known_input *find_database(struct sqlite_file *file)
{
    if (sqlite_file_has(file, "StringIds", NULL) != SQLITE_TABLE_ABSENT)
        return NULL;
    for (size_t i = 0; i < COUNT_OF(databases); i++)
        if (sqlite_file_has(file, databases[i].table, NULL) > SQLITE_TABLE_ABSENT)
            return &databases[i].kind;
    return &unknown_database;
}

const struct known_input *foreign_database_find(const struct open_input *input)
{
    struct sqlite_file *file = NULL;
    if (!input->file || !sqlite_file_is(input->head, input->head_bytes))
        return NULL;
    const struct known_input *found = NULL;
    if (!sqlite_file_open(&file, input->file, input->path, NULL))
        found = find_database(file);
    sqlite_file_close(file);
    return found;
}

const struct known_input *packing_find(const struct open_input *input)
{
    return input->file ? known_input_find(packings, COUNT_OF(packings), input) : NULL;
}

const struct known_input *foreign_chrome_find(const struct open_input *input)
{
    return input->file ? known_input_find(chromes, COUNT_OF(chromes), input) : NULL;
}

const struct known_input *foreign_tool_find(const struct open_input *input)
{
    const struct known_input *found = packing_find(input);
    if (!found)
        found = foreign_chrome_find(input);
    if (!found)
        found = foreign_database_find(input);
    return found || !input->file ? found : known_input_find(kinds, COUNT_OF(kinds), input);
}
