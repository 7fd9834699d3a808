/* What ran on the GPU, according to a Chrome trace of Kineto, the collector of the PyTorch profiler?
 *
 * Both forms of the format are read: an object with "traceEvents", and the bare array. The category alone decides what
 * a row is: annotations and operators may have a stream, but are not GPU work. Times are decimal microseconds, and
 * become nanoseconds from their text. 'cpprof export' writes a trace of this format with more arguments
 * (docs/export.md). */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/io/decimal.h"
#include "core/io/json_walk.h"
#include "core/trace/host_scopes.h"
#include "core/trace/merged_ranks.h"
#include "core/trace/readers/event_member.h"
#include "core/trace/readers/foreign_tools.h"
#include "core/trace/readers/kineto_ranks.h"
#include "core/trace/readers/nccl_args.h"
#include "core/trace/readers/reader.h"
#include "core/trace/readers/work_names.h"

#define REMEDY "record with torch.profiler and ProfilerActivity.CUDA"

enum { NUMBER_BYTES_MAX = 47, WORD_BYTES_MAX = 32, NS_PER_US = 1000 };

/* A word with its length, which is compared first. */
#define WORD(text) (text), sizeof(text) - 1

/* The meaning of each category. All others are not GPU work and are ignored. */
static const struct category {
    const char *category;
    size_t length;
    enum cpprof_event_kind kind;
    bool is_driver; /* of calls */
} categories[] = {
    {WORD("kernel"), CPPROF_EVENT_KERNEL, false},
    {WORD("gpu_memcpy"), CPPROF_EVENT_COPY, false},
    {WORD("gpu_memset"), CPPROF_EVENT_MEMSET, false},
    {WORD("cuda_runtime"), CPPROF_EVENT_API, false},
    {WORD("cuda_driver"), CPPROF_EVENT_API, true},
    {WORD("xpu_runtime"), CPPROF_EVENT_API, false},
    {WORD("xpu_driver"), CPPROF_EVENT_API, true},
    {WORD("mtia_runtime"), CPPROF_EVENT_API, false},
    {WORD("privateuse1_runtime"), CPPROF_EVENT_API, false},
    {WORD("privateuse1_driver"), CPPROF_EVENT_API, true},
    {WORD("cuda_sync"), CPPROF_EVENT_SYNC, false},
    {WORD("user_annotation"), CPPROF_EVENT_RANGE, false},
    {WORD("overhead"), CPPROF_EVENT_OVERHEAD, false},
    {WORD("gpu_migration"), CPPROF_EVENT_MIGRATION, false}, /* 'cpprof export' only */
    {WORD("Kernel"), CPPROF_EVENT_KERNEL, false},           /* until PyTorch 1.11 */
    {WORD("Memcpy"), CPPROF_EVENT_COPY, false},
    {WORD("Memset"), CPPROF_EVENT_MEMSET, false},
    {WORD("Runtime"), CPPROF_EVENT_API, false},
};

/* These are no events. They are kept only when somebody asks for them. */
static const struct {
    const char *category;
    size_t length;
    enum host_scope_kind kind;
} scope_categories[] = {
    {WORD("cpu_op"), HOST_SCOPE_OPERATOR},
    {WORD("Operator"), HOST_SCOPE_OPERATOR}, /* until PyTorch 1.11 */
    {WORD("python_function"), HOST_SCOPE_FRAME},
};

enum field {
    FIELD_NAME,
    FIELD_CATEGORY,
    FIELD_PHASE,
    FIELD_START,
    FIELD_DURATION,
    FIELD_THREAD,
    FIELD_PROCESS,
    FIELD_ARGS,
    FIELD_GRID, /* from here on: members of "args" */
    FIELD_BLOCK,
    FIELD_DEVICE,
    FIELD_IN_DEVICE, /* of a copy from one device to another: where it ran */
    FIELD_CONTEXT,
    FIELD_STREAM,
    FIELD_CORRELATION,
    FIELD_BYTES,
    FIELD_REGISTERS,
    FIELD_SHARED,
    FIELD_GRAPH_NODE,
    FIELD_SHARED_STATIC, /* from here on: 'cpprof export' only */
    FIELD_LOCAL,
    FIELD_RANK,
    FIELD_THREAD_OF_LINE, /* in which "tid" numbers an additional line of a thread */
    FIELD_UNFINISHED,
    FIELD_DIRECTION,
    FIELD_SOURCE,
    FIELD_DESTINATION,
    FIELD_DOMAIN,
    FIELD_CLUSTER,
    FIELD_SEQUENCE, /* from here on: operators only */
    FIELD_FORWARD_THREAD,
    FIELD_PROCESS_NAME, /* from here on: rows that name a process */
    FIELD_PROCESS_LABELS,
    FIELD_COUNT
};

static const struct {
    const char *key;
    size_t length;
    struct event_member member; /* of a whole number */
} fields[FIELD_COUNT] = {
    [FIELD_NAME] = {WORD("name"), NO_MEMBER},
    [FIELD_CATEGORY] = {WORD("cat"), NO_MEMBER},
    [FIELD_PHASE] = {WORD("ph"), NO_MEMBER},
    [FIELD_START] = {WORD("ts"), NO_MEMBER},
    [FIELD_DURATION] = {WORD("dur"), NO_MEMBER},
    [FIELD_THREAD] = {WORD("tid"), NO_MEMBER},
    [FIELD_PROCESS] = {WORD("pid"), NO_MEMBER},
    [FIELD_ARGS] = {WORD("args"), NO_MEMBER},
    [FIELD_GRID] = {WORD("grid"), NO_MEMBER},
    [FIELD_BLOCK] = {WORD("block"), NO_MEMBER},
    [FIELD_DEVICE] = {WORD("device"), EVENT_MEMBER(device)},
    [FIELD_IN_DEVICE] = {WORD("inDevice"), EVENT_MEMBER(device)},
    [FIELD_CONTEXT] = {WORD("context"), EVENT_MEMBER(context)},
    [FIELD_STREAM] = {WORD("stream"), EVENT_MEMBER(stream)},
    [FIELD_CORRELATION] = {WORD("correlation"), EVENT_MEMBER(correlation)},
    [FIELD_BYTES] = {WORD("bytes"), EVENT_MEMBER(size_bytes)},
    [FIELD_REGISTERS] = {WORD("registers per thread"), EVENT_MEMBER(registers)},
    [FIELD_SHARED] = {WORD("shared memory"), EVENT_MEMBER(shared_dynamic_bytes)}, /* the sum of static and dynamic */
    [FIELD_GRAPH_NODE] = {WORD("graph node id"), EVENT_MEMBER(graph_node)},
    [FIELD_SHARED_STATIC] = {WORD("static shared memory"), EVENT_MEMBER(shared_static_bytes)},
    [FIELD_LOCAL] = {WORD("local memory per thread"), EVENT_MEMBER(local_bytes)},
    [FIELD_RANK] = {WORD("rank"), NO_MEMBER},
    [FIELD_THREAD_OF_LINE] = {WORD("thread"), NO_MEMBER},
    [FIELD_UNFINISHED] = {WORD("unfinished"), NO_MEMBER},
    [FIELD_DIRECTION] = {WORD("direction"), NO_MEMBER},
    [FIELD_SOURCE] = {WORD("source"), NO_MEMBER},
    [FIELD_DESTINATION] = {WORD("destination"), NO_MEMBER},
    [FIELD_DOMAIN] = {WORD("domain"), NO_MEMBER},
    [FIELD_CLUSTER] = {WORD("cluster"), NO_MEMBER},
    [FIELD_SEQUENCE] = {WORD("Sequence number"), NO_MEMBER},
    [FIELD_FORWARD_THREAD] = {WORD("Fwd thread id"), NO_MEMBER},
    [FIELD_PROCESS_NAME] = {WORD("name"), NO_MEMBER},
    [FIELD_PROCESS_LABELS] = {WORD("labels"), NO_MEMBER},
};

static const struct event_member axes[][3] = {
    [0] = {EVENT_MEMBER(grid[0]), EVENT_MEMBER(grid[1]), EVENT_MEMBER(grid[2])},
    [1] = {EVENT_MEMBER(block[0]), EVENT_MEMBER(block[1]), EVENT_MEMBER(block[2])},
};

/* One row of the trace, while it is being read. */
struct row {
    struct cpprof_event event;
    int64_t duration_ns;
    int start_digits, duration_digits; /* digits after the decimal point */
    uint64_t seen;                     /* one bit for each field */
    uint32_t line_thread;              /* FIELD_THREAD_OF_LINE */
    uint8_t cluster[3];
    struct str name, domain;
    bool of_driver; /* the category says that it is a driver call */
    bool is_span;   /* the category says that it is the recording itself */
    uint16_t scope; /* enum host_scope_kind by the category; 0: no scope */
    int64_t sequence;
    uint32_t forward_thread;
    char phase[WORD_BYTES_MAX];
    char direction[WORD_BYTES_MAX], source[WORD_BYTES_MAX], destination[WORD_BYTES_MAX];
    uint64_t bad; /* one bit for each field with an impossible value */
};

enum top_key { TOP_OTHER, TOP_EVENTS, TOP_DISTRIBUTED, TOP_BASE_TIME, TOP_DEVICES, TOP_OTHER_DATA, TOP_KEYS };

static const char *const top_keys[TOP_KEYS] = {
    [TOP_EVENTS] = "traceEvents",       [TOP_DISTRIBUTED] = "distributedInfo", [TOP_BASE_TIME] = "baseTimeNanoseconds",
    [TOP_DEVICES] = "deviceProperties", [TOP_OTHER_DATA] = "otherData",
};

/* Members of "otherData" that 'cpprof export' writes: lists of texts, and words and numbers about the original
 * trace. */
static const struct {
    const char *key;
    enum caveat_kind kind;
} caveat_keys[] = {{"notes", CAVEAT_NOTE},         {"weakens ranges", CAVEAT_RANGES}, {"hides kernels", CAVEAT_HIDDEN},
                   {"doubts times", CAVEAT_TIMES}, {"weakens", CAVEAT_WEAKENS},       {"truncated", CAVEAT_TRUNCATED}};

enum other_key {
    OTHER_NONE,
    OTHER_WRITER,
    OTHER_LAUNCHES_ONLY,
    OTHER_WAITS_UNKNOWN,
    OTHER_MIGRATIONS_UNKNOWN,
    OTHER_MIXED,
    OTHER_GPUS,
    OTHER_SLACK,
    OTHER_KEYS
};

static const char *const other_keys[OTHER_KEYS] = {[OTHER_WRITER] = "writer",
                                                   [OTHER_LAUNCHES_ONLY] = "launches only",
                                                   [OTHER_WAITS_UNKNOWN] = "waits unknown",
                                                   [OTHER_MIGRATIONS_UNKNOWN] = "migrations unknown",
                                                   [OTHER_MIXED] = "mixed",
                                                   [OTHER_GPUS] = "gpus",
                                                   [OTHER_SLACK] = "times off by ns"};

enum { CAVEAT_BYTES_MAX = 1024 };

/* The coarsest trace that is read has whole seconds. */
#define SLACK_NS_MAX INT64_C(1000000000)

enum { KEY_SLOTS = 64 };

/* Fields by the slot of their key: the first of each slot, in rows and in their arguments, and the next of the same. */
struct key_lists {
    uint8_t first[2][KEY_SLOTS];
    uint8_t next[FIELD_COUNT];
};

struct trace {
    const struct open_input *input;
    struct reader_sink *sink;

    int events_depth; /* depth of the rows; 0 outside the list of rows */
    bool had_events;
    bool in_row, in_args;
    enum top_key top;
    bool key_is_rank, key_is_world, key_is_name, key_is_major;
    struct {
        char name[WORD_BYTES_MAX];
        int64_t major; /* -1: not said */
    } chip;            /* that is being read */
    enum other_key other_key;
    bool is_ours, waits_unknown; /* see other_keys */
    size_t caveat_key;           /* index into caveat_keys; their number when there is none */
    int64_t base_ns; /* baseTimeNanoseconds; 0 unless it comes before the rows, where Kineto never writes it */
    struct key_lists keys;
    struct kineto_ranks ranks;
    enum field key;
    size_t axis; /* of the grid, block or cluster that is being read */
    struct row row;
    struct nccl_args nccl;        /* of the row; empty unless notes are asked for */
    const char *why[FIELD_COUNT]; /* the problem of each bad field of the row */

    int64_t rows, gpu_events, calls, launches, other_phases, unplaced, bad_scopes;
    int start_digits, duration_digits; /* the most in any GPU row */
    bool list_open;                    /* the list was bare and not closed */
    bool has_ranks;                    /* rows have ranks of their own */
    int64_t recorded_from_ns;          /* INT64_MIN: no row says it */
};

static bool is_gpu_work(uint16_t kind)
{
    return kind >= CPPROF_EVENT_KERNEL && kind <= CPPROF_EVENT_MIGRATION;
}

static bool is(const struct json_token *token, const char *word)
{
    return token->length == strlen(word) && !memcmp(token->text, word, token->length);
}

/* Gives nearly every key in `fields` a slot of its own. */
static size_t slot_of(const char *key, size_t length)
{
    return length ? (6 * length + (unsigned char)key[0] + (unsigned char)key[length - 1]) % KEY_SLOTS : 0;
}

/* Chains the keys of each slot, of rows and of their arguments. */
static void list_keys(struct key_lists *l)
{
    memset(l->first, FIELD_COUNT, sizeof l->first);
    for (int f = FIELD_COUNT - 1; f >= 0; f--) {
        uint8_t *first = &l->first[f >= FIELD_GRID][slot_of(fields[f].key, fields[f].length)];
        l->next[f] = *first;
        *first = (uint8_t)f;
    }
}

static enum field field_of(const struct trace *t, const struct json_token *token)
{
    int f = t->keys.first[t->in_args][slot_of(token->text, token->length)];
    while (f < FIELD_COUNT &&
           (fields[f].length != token->length || memcmp(fields[f].key, token->text, token->length) != 0))
        f = t->keys.next[f];
    return (enum field)f;
}

static void fault(struct trace *t, enum field field, const char *why)
{
    if (t->row.bad >> field & 1)
        return;
    t->row.bad |= UINT64_C(1) << field;
    t->why[field] = why;
}

static void begin_row(struct trace *t)
{
    struct str name = t->row.name, domain = t->row.domain;
    str_clear(&name);
    str_clear(&domain);
    t->row = (struct row){.event = {.device = -1, .rank = -1}, .name = name, .domain = domain, .sequence = -1};
    kineto_ranks_begin_row(&t->ranks);
    nccl_args_clear(&t->nccl);
    t->key = FIELD_COUNT;
    t->in_row = true;
    t->in_args = false;
}

static void take_key(struct trace *t, const struct json_token *token)
{
    t->key = field_of(t, token);
    if (t->sink->notes && t->in_args)
        nccl_args_key(&t->nccl, token);
    if (t->key == FIELD_COUNT)
        return;
    if (t->row.seen >> t->key & 1)
        fault(t, t->key, "stands there twice");
    t->row.seen |= UINT64_C(1) << t->key;
}

/* A word that was cut, or contains a zero byte, must not look like another one. */
static void take_word(struct trace *t, char word[WORD_BYTES_MAX], const struct json_token *token)
{
    if (memchr(token->text, '\0', token->length))
        fault(t, t->key, "holds a NUL");
    size_t length = token->length < WORD_BYTES_MAX ? token->length : WORD_BYTES_MAX - 1;
    memcpy(word, token->text, length);
    word[length] = '\0';
}

static const struct category *category_of(const char *category, size_t length)
{
    for (size_t i = 0; i < COUNT_OF(categories); i++)
        if (categories[i].length == length && !strncasecmp(categories[i].category, category, length))
            return &categories[i];
    return NULL;
}

static uint16_t scope_of(const char *category, size_t length)
{
    for (size_t i = 0; i < COUNT_OF(scope_categories); i++)
        if (scope_categories[i].length == length && !strncasecmp(scope_categories[i].category, category, length))
            return (uint16_t)scope_categories[i].kind;
    return 0;
}

static void take_category(struct trace *t, const char *category, size_t length)
{
    static const char span[] = "Trace";
    const struct category *known = category_of(category, length);
    const uint16_t kind = known ? (uint16_t)known->kind : 0;
    if (kind && t->row.event.kind && kind != t->row.event.kind)
        fault(t, FIELD_CATEGORY, "names two kinds of events");
    if (kind)
        t->row.event.kind = kind;
    else if (t->sink->scopes && !t->row.scope)
        t->row.scope = scope_of(category, length);
    t->row.of_driver |= known && known->is_driver;
    t->row.is_span |= length == sizeof span - 1 && !memcmp(span, category, length);
}

/* The format allows several categories, separated by commas. */
static void take_categories(struct trace *t, const struct json_token *token)
{
    const char *at = token->text, *const end = at + token->length;
    if (memchr(at, '\0', token->length))
        fault(t, FIELD_CATEGORY, "holds a NUL");
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *last = comma ? comma : end;
        const char *const next = comma ? comma + 1 : end;
        while (at < last && *at == ' ')
            at++;
        while (last > at && last[-1] == ' ')
            last--;
        take_category(t, at, (size_t)(last - at));
        at = next;
    }
}

static void take_string(struct trace *t, const struct json_token *token)
{
    switch ((int)t->key) {
    case FIELD_NAME: str_add_bytes(&t->row.name, token->text, token->length); break;
    case FIELD_CATEGORY: take_categories(t, token); break;
    case FIELD_PHASE: take_word(t, t->row.phase, token); break;
    case FIELD_DIRECTION: take_word(t, t->row.direction, token); break;
    case FIELD_SOURCE: take_word(t, t->row.source, token); break;
    case FIELD_DESTINATION: take_word(t, t->row.destination, token); break;
    case FIELD_DOMAIN: str_add_bytes(&t->row.domain, token->text, token->length); break;
    case FIELD_PROCESS: kineto_ranks_take_pid(&t->ranks, token->text, token->length, false); break;
    case FIELD_PROCESS_NAME:
    case FIELD_PROCESS_LABELS: kineto_ranks_take_label(&t->ranks, token->text, token->length); break;
    case FIELD_THREAD: /* "PyTorch Profiler" is a thread */
    case FIELD_COUNT: break;
    default: fault(t, t->key, "is text"); break;
    }
}

static bool read_decimal(const struct json_token *token, int64_t scale, struct decimal *out)
{
    return token->length <= NUMBER_BYTES_MAX && decimal_read(token->text, token->length, scale, out);
}

static void take_time(struct trace *t, const struct json_token *token, int64_t *time_ns, int *digits)
{
    struct decimal number;
    if (!read_decimal(token, NS_PER_US, &number) || number.value > EVENT_TIME_NS_MAX ||
        number.value < -EVENT_TIME_NS_MAX) {
        fault(t, t->key, "is no time in decimal microseconds");
        return;
    }
    *time_ns = number.value;
    *digits = number.fraction_digits;
}

static void take_whole(struct trace *t, const struct json_token *token, struct event_member member)
{
    struct decimal number;
    if (!read_decimal(token, 1, &number) || !event_member_set(&t->row.event, member, number.value))
        fault(t, t->key, "is no whole number that fits");
}

/* Thread ids may be larger than ours; their low bits distinguish them. */
static void take_thread(const struct json_token *token, uint32_t *thread)
{
    struct decimal number;
    if (read_decimal(token, 1, &number))
        *thread = (uint32_t)number.value;
}

static bool read_rank(const struct json_token *token, int *rank)
{
    struct decimal number;
    if (!read_decimal(token, 1, &number) || number.value < 0 || number.value > INT16_MAX)
        return false;
    *rank = (int)number.value;
    return true;
}

/* Anything else than a whole number from 0 on is no sequence number, and neither is one of more than 32 bits. */
static void take_sequence(const struct json_token *token, int64_t *sequence)
{
    struct decimal number;
    if (read_decimal(token, 1, &number) && number.value >= 0 && number.value <= UINT32_MAX)
        *sequence = number.value;
}

static void take_rank_of_row(struct trace *t, const struct json_token *token)
{
    int rank;
    if (read_rank(token, &rank))
        t->row.event.rank = (int16_t)rank;
    else
        fault(t, t->key, "is no rank");
}

/* A merger may have added to ids what makes them larger than ours. Their low bits differ within a rank all the same. */
static void take_correlation(struct trace *t, const struct json_token *token)
{
    struct decimal number;
    if (read_decimal(token, 1, &number) && number.value >= 0)
        t->row.event.correlation = (uint32_t)number.value;
    else
        fault(t, t->key, "is no whole number that fits");
}

static void take_number(struct trace *t, const struct json_token *token)
{
    switch ((int)t->key) {
    case FIELD_START: take_time(t, token, &t->row.event.start_ns, &t->row.start_digits); break;
    case FIELD_DURATION: take_time(t, token, &t->row.duration_ns, &t->row.duration_digits); break;
    case FIELD_THREAD: take_thread(token, &t->row.event.thread); break;
    case FIELD_PROCESS: kineto_ranks_take_pid(&t->ranks, token->text, token->length, true); break;
    case FIELD_CORRELATION: take_correlation(t, token); break;
    case FIELD_THREAD_OF_LINE: take_thread(token, &t->row.line_thread); break;
    case FIELD_RANK: take_rank_of_row(t, token); break;
    case FIELD_SEQUENCE: take_sequence(token, &t->row.sequence); break;
    case FIELD_FORWARD_THREAD: take_thread(token, &t->row.forward_thread); break;
    case FIELD_NAME:
    case FIELD_CATEGORY:
    case FIELD_PHASE: fault(t, t->key, "is a number"); break;
    default:
        if (t->key < FIELD_COUNT && fields[t->key].member.bytes)
            take_whole(t, token, fields[t->key].member);
        break;
    }
}

static void take_cluster(struct trace *t, const struct json_token *token)
{
    struct decimal number;
    if (!read_decimal(token, 1, &number) || number.value < 0 || number.value > UINT8_MAX)
        fault(t, t->key, "is no whole number below 256");
    else
        t->row.cluster[t->axis] = (uint8_t)number.value;
}

static bool is_list(enum field field)
{
    return field == FIELD_GRID || field == FIELD_BLOCK || field == FIELD_CLUSTER;
}

static void take_axis(struct trace *t, const struct json_token *token)
{
    if (!is_list(t->key))
        return;
    if (t->axis >= 3 || token->type != JSON_TOKEN_NUMBER)
        fault(t, t->key, "is no list of three whole numbers");
    else if (t->key == FIELD_CLUSTER)
        take_cluster(t, token);
    else
        take_whole(t, token, axes[t->key == FIELD_BLOCK][t->axis]);
    t->axis++;
}

/* "Memcpy HtoD (Pageable -> Device)" */
static uint16_t pageable_flags(const char *name)
{
    unsigned flags = strstr(name, "(Pageable ->") ? CPPROF_EVENT_SRC_PAGEABLE : 0;
    return (uint16_t)(flags | (strstr(name, "-> Pageable)") ? CPPROF_EVENT_DST_PAGEABLE : 0));
}

static bool is_seen(const struct row *row, enum field field)
{
    return row->seen >> field & 1;
}

/* Clears fields that have a meaning only on the GPU; a host row may carry the values of another row. */
static void keep_host_fields(const struct row *row, struct cpprof_event *event)
{
    const bool is_wait = event->kind == CPPROF_EVENT_SYNC;
    *event = (struct cpprof_event){.start_ns = event->start_ns,
                                   .end_ns = event->end_ns,
                                   .kind = event->kind,
                                   .device = -1,
                                   .rank = event->rank,
                                   .context = is_wait ? event->context : 0,
                                   .stream = is_wait ? event->stream : 0,
                                   .correlation = event->correlation,
                                   .thread = is_seen(row, FIELD_THREAD_OF_LINE) ? row->line_thread : event->thread};
}

static void classify_copy(const struct row *row, struct cpprof_event *event)
{
    const char *name = str_text(&row->name);
    event->detail = work_copy_direction(*row->direction ? row->direction : name);
    event->flags = pageable_flags(name);
    if (!strcmp(row->source, "pageable"))
        event->flags |= CPPROF_EVENT_SRC_PAGEABLE;
    if (!strcmp(row->destination, "pageable"))
        event->flags |= CPPROF_EVENT_DST_PAGEABLE;
}

static void classify_host(const struct row *row, struct cpprof_event *event)
{
    const char *name = str_text(&row->name);
    keep_host_fields(row, event);
    if (event->kind == CPPROF_EVENT_SYNC)
        event->detail = work_sync_kind(name);
    if (event->kind == CPPROF_EVENT_API) {
        event->detail = work_api_kind(name);
        event->flags = row->of_driver ? CPPROF_EVENT_DRIVER_API : 0;
    }
}

static void classify_work(const struct row *row, struct cpprof_event *event)
{
    event->thread = 0;
    if (event->kind == CPPROF_EVENT_KERNEL)
        event->detail = row->cluster[0] | (uint32_t)row->cluster[1] << 8 | (uint32_t)row->cluster[2] << 16;
    if (event->kind == CPPROF_EVENT_COPY || event->kind == CPPROF_EVENT_MIGRATION)
        classify_copy(row, event);
    if (event->shared_static_bytes <= event->shared_dynamic_bytes) /* it was the sum until here */
        event->shared_dynamic_bytes -= event->shared_static_bytes;
}

static void classify(struct row *row)
{
    struct cpprof_event *event = &row->event;
    if (is_gpu_work(event->kind))
        classify_work(row, event);
    else
        classify_host(row, event);
    if (is_seen(row, FIELD_UNFINISHED))
        event->flags |= CPPROF_EVENT_UNFINISHED;
}

/* Gets ids for the strings of a row. */
static int intern(struct reader_sink *sink, struct row *row, struct err *e)
{
    row->event.name = strtab_add_bytes(sink->strings, row->name.text, row->name.length);
    if (!row->event.name)
        return err_memory(e);
    if (row->event.kind != CPPROF_EVENT_RANGE || !row->domain.length)
        return 0;
    row->event.detail = strtab_add_bytes(sink->strings, row->domain.text, row->domain.length);
    return row->event.detail ? 0 : err_memory(e);
}

/* Returns the problem of a row that counts; NULL when there is none. */
static const char *missing(const struct row *row)
{
    const uint32_t required = 1u << FIELD_NAME | 1u << FIELD_START | 1u << FIELD_DURATION;
    if ((row->seen & required) != required)
        return "it lacks 'name', 'ts' or 'dur'";
    if (!event_times_fit(row->event.start_ns, row->event.start_ns + row->duration_ns))
        return "'ts' is no time";
    return row->name.length ? NULL : "'name' is empty";
}

/* Returns the fields that must have valid values. Arguments of host rows may be anything, except for the correlation
 * id. */
static uint32_t judged_fields(uint16_t kind)
{
    const uint32_t host = (1u << FIELD_ARGS) - 1;
    if (is_gpu_work(kind))
        return (1u << FIELD_SEQUENCE) - 1;
    return kind == CPPROF_EVENT_API ? host | 1u << FIELD_CORRELATION : host;
}

static int check_fields(const struct trace *t, uint64_t judged, struct err *e)
{
    const uint64_t bad = t->row.bad & judged;
    for (enum field f = FIELD_NAME; bad && f < FIELD_COUNT; f++)
        if (bad >> f & 1)
            return err_set(e, ERR_INPUT, "%s: row %" PRId64 " of the trace: '%s' %s", t->input->path, t->rows + 1,
                           fields[f].key, t->why[f]);
    return 0;
}

static bool is_complete(const struct row *row)
{
    return row->phase[0] == 'X' && !row->phase[1];
}

/* A row must have a readable category before it may be ignored. */
static int check_kind(const struct trace *t, struct err *e)
{
    const struct row *row = &t->row;
    const bool is_whole = is_complete(row);
    if (is_whole && !is_seen(row, FIELD_CATEGORY) && is_seen(row, FIELD_STREAM))
        return err_set(e, ERR_INPUT, "%s: row %" PRId64 " of the trace: it has a stream and no 'cat'", t->input->path,
                       t->rows + 1);
    const uint32_t decides = is_whole || !*row->phase ? 1u << FIELD_CATEGORY : 0;
    return check_fields(t, decides | (row->event.kind ? 1u << FIELD_PHASE : 0), e);
}

static int check_row(const struct trace *t, struct err *e)
{
    const struct row *row = &t->row;
    const char *why = missing(row);
    int rc = check_fields(t, judged_fields(row->event.kind), e);
    if (rc)
        return rc;
    if (why)
        return err_set(e, ERR_INPUT, "%s: row %" PRId64 " of the trace: %s", t->input->path, t->rows + 1, why);
    return 0;
}

/* Migrations have no stream. */
static bool is_unplaced(const struct row *row)
{
    const bool has_device = is_seen(row, FIELD_DEVICE) || is_seen(row, FIELD_IN_DEVICE);
    return !has_device || (row->event.kind != CPPROF_EVENT_MIGRATION && !is_seen(row, FIELD_STREAM));
}

static void count_work(struct trace *t)
{
    const struct row *row = &t->row;
    t->gpu_events++;
    t->unplaced += is_unplaced(row);
    if (row->start_digits > t->start_digits)
        t->start_digits = row->start_digits;
    if (row->duration_digits > t->duration_digits)
        t->duration_digits = row->duration_digits;
}

/* A scope that makes no sense is left out and counted: the rows of the GPU's work are as good without it. */
static int add_scope(struct trace *t, struct err *e)
{
    const struct row *row = &t->row;
    const char *name = row->name.text;
    uint16_t kind = row->scope;
    if (row->bad & judged_fields(0) || missing(row) || row->duration_ns < 0) {
        t->bad_scopes++;
        return 0;
    }
    if (kind == HOST_SCOPE_FRAME)
        kind = host_scope_kind_of_function(name, row->name.length);
    if (!kind)
        return 0;
    struct host_scope scope = {.start_ns = row->event.start_ns,
                               .end_ns = row->event.start_ns + row->duration_ns,
                               .place = t->rows,
                               .sequence = row->sequence,
                               .name = strtab_add_bytes(t->sink->strings, name, row->name.length),
                               .thread = row->event.thread,
                               .forward_thread = row->forward_thread,
                               .rank = row->event.rank,
                               .kind = kind};
    return scope.name ? record_spool_add(t->sink->scopes, &scope, e) : err_memory(e);
}

static int add_note(struct trace *t, struct err *e)
{
    const struct cpprof_event *event = &t->row.event;
    struct collective_note note = {.start_ns = event->start_ns,
                                   .stream = event->stream,
                                   .rank = event->rank,
                                   .device = event->device,
                                   .correlation = event->correlation};
    const int has_note = nccl_args_note(&t->nccl, t->sink->strings, &note, e);
    return has_note == 1 ? record_spool_add(t->sink->notes, &note, e) : has_note;
}

/* "PyTorch Profiler (0)" lasts as long as recording does. */
static void take_span(struct trace *t)
{
    static const char begin[] = "PyTorch Profiler";
    const struct row *row = &t->row;
    if (!row->is_span || strncmp(str_text(&row->name), begin, sizeof begin - 1) != 0 || row->bad & judged_fields(0) ||
        missing(row))
        return;
    if (t->recorded_from_ns == INT64_MIN || row->event.start_ns < t->recorded_from_ns)
        t->recorded_from_ns = row->event.start_ns;
}

static int finish_row(struct trace *t, struct err *e)
{
    struct row *row = &t->row;
    t->in_row = false;
    if (row->name.failed || row->domain.failed || t->ranks.failed)
        return err_memory(e);
    row->event.start_ns += t->base_ns;
    int rc = check_kind(t, e);
    if (rc)
        return rc;
    if (!row->event.kind || !is_complete(row)) {
        t->other_phases += is_gpu_work(row->event.kind);
        t->rows++;
        kineto_ranks_name_process(&t->ranks, str_text(&row->name), row->phase);
        if (row->event.kind || !is_complete(row))
            return 0;
        take_span(t);
        if (row->scope && row->event.rank < 0)
            row->event.rank = kineto_ranks_of_host(&t->ranks);
        return row->scope ? add_scope(t, e) : 0;
    }
    rc = check_row(t, e);
    if (rc)
        return rc;
    t->rows++;
    t->has_ranks |= row->event.rank >= 0;
    if (row->event.rank < 0)
        row->event.rank = kineto_ranks_of(&t->ranks, &row->event);
    row->event.end_ns = row->event.start_ns + row->duration_ns;
    classify(row);
    rc = intern(t->sink, row, e);
    if (rc)
        return rc;
    if (is_gpu_work(row->event.kind))
        count_work(t);
    t->calls += row->event.kind == CPPROF_EVENT_API;
    t->launches += row->event.kind == CPPROF_EVENT_API && row->event.detail == CPPROF_API_LAUNCH;
    if (t->sink->notes && row->event.kind == CPPROF_EVENT_KERNEL)
        rc = add_note(t, e);
    return rc ? rc : event_spool_add(t->sink->events, &row->event, e);
}

/* Begins or ends a row. Rows in a nested list would be lost silently, so they are refused. */
static int take_row(struct trace *t, const struct json_token *token, struct err *e)
{
    if (token->type == JSON_TOKEN_OBJECT_END)
        return finish_row(t, e);
    if (token->type != JSON_TOKEN_OBJECT)
        return err_set(e, ERR_INPUT, "%s: row %" PRId64 " of the trace is no object", t->input->path, t->rows + 1);
    begin_row(t);
    return 0;
}

/* A field has null, true, a list or an object instead of its value. That is not 0. A row with such a pid has none. */
static void take_misfit(struct trace *t, const struct json_token *token)
{
    if (t->key == FIELD_COUNT || t->key == FIELD_UNFINISHED || t->key == FIELD_PROCESS)
        return;
    if (token->type == JSON_TOKEN_WORD)
        fault(t, t->key, "is null, true or false");
    else if (token->type == JSON_TOKEN_OBJECT)
        fault(t, t->key, "is an object");
    else
        fault(t, t->key, "is a list");
}

/* Takes a value of a row or of its arguments. */
static void take_value(struct trace *t, const struct json_token *token)
{
    if (t->in_args && t->sink->notes)
        nccl_args_value(&t->nccl, token);
    switch (token->type) {
    case JSON_TOKEN_KEY: take_key(t, token); break;
    case JSON_TOKEN_STRING: take_string(t, token); break;
    case JSON_TOKEN_NUMBER: take_number(t, token); break;
    case JSON_TOKEN_OBJECT:
    case JSON_TOKEN_WORD: take_misfit(t, token); break;
    case JSON_TOKEN_ARRAY:
        t->axis = 0;
        if (!is_list(t->key))
            take_misfit(t, token);
        break;
    case JSON_TOKEN_ARRAY_END:
        if (is_list(t->key) && t->axis < 3)
            fault(t, t->key, "is no list of three whole numbers");
        break;
    default: break;
    }
}

/* A token inside the list of rows; `depth` counts from the list. */
static int take_in_events(struct trace *t, const struct json_token *token, int depth, struct err *e)
{
    if (depth == 0)
        return take_row(t, token, e);
    if (depth == 1 && token->type == JSON_TOKEN_OBJECT && t->key == FIELD_ARGS)
        t->in_args = true;
    else if (depth == 1 && token->type == JSON_TOKEN_OBJECT_END)
        t->in_args = false;
    else if (depth == 1 + t->in_args)
        take_value(t, token);
    else if (depth == 3 && t->in_args && t->key == FIELD_COUNT)
        nccl_args_value(&t->nccl, token);
    else if (depth == 3 && t->in_args)
        take_axis(t, token);
    return 0;
}

static int begin_events(struct trace *t, int depth, struct err *e)
{
    if (t->had_events)
        return err_set(e, ERR_INPUT, "%s: a second list of 'traceEvents' starts behind row %" PRId64, t->input->path,
                       t->rows);
    t->had_events = true;
    t->events_depth = depth;
    return 0;
}

static enum top_key top_key_of(const struct json_token *token)
{
    for (enum top_key key = TOP_EVENTS; key < TOP_KEYS; key++)
        if (is(token, top_keys[key]))
            return key;
    return TOP_OTHER;
}

/* After the rows it would come too late for them; a shift of all times changes no answer about one trace. */
static void take_base_time(struct trace *t, const struct json_token *token)
{
    struct decimal number;
    if (!t->had_events && read_decimal(token, 1, &number) && number.value <= EVENT_TIME_NS_MAX &&
        number.value >= -EVENT_TIME_NS_MAX)
        t->base_ns = number.value;
}

static enum other_key other_key_of(const struct json_token *token)
{
    for (enum other_key key = OTHER_NONE + 1; key < OTHER_KEYS; key++)
        if (is(token, other_keys[key]))
            return key;
    return OTHER_NONE;
}

static void take_other_value(struct trace *t, const struct json_token *token)
{
    struct decimal number;
    const bool is_number = token->type == JSON_TOKEN_NUMBER;
    t->is_ours |= t->other_key == OTHER_WRITER && token->type == JSON_TOKEN_STRING && is(token, "cpprof");
    t->waits_unknown |= t->other_key == OTHER_WAITS_UNKNOWN && is_number;
    t->sink->launches_only |= t->other_key == OTHER_LAUNCHES_ONLY && is_number;
    t->sink->lacks_migrations |= t->other_key == OTHER_MIGRATIONS_UNKNOWN && is_number;
    t->sink->is_mixed |= t->other_key == OTHER_MIXED && is_number;
    if (t->other_key == OTHER_SLACK && is_number && read_decimal(token, 1, &number) && number.value > 0 &&
        number.value <= SLACK_NS_MAX)
        t->sink->time_error_ns = number.value;
}

/* "rank device gpu": devices of several processes that are one GPU. */
static int take_gpu(struct trace *t, const struct json_token *token, struct err *e)
{
    char text[WORD_BYTES_MAX];
    int rank, device, gpu;
    snprintf(text, sizeof text, "%.*s", token->length < sizeof text ? (int)token->length : 0, token->text);
    if (!t->sink->gpus || sscanf(text, "%5d %5d %9d", &rank, &device, &gpu) != 3 || rank < 0 || rank > INT16_MAX ||
        device < 0 || device > INT16_MAX || t->sink->gpus->count == GPU_PLACES_MAX)
        return 0;
    return gpu_places_add(t->sink->gpus, (int16_t)rank, (int16_t)device, gpu, e);
}

static int take_other_data(struct trace *t, const struct json_token *token, struct err *e)
{
    if (token->depth == 2 && token->type == JSON_TOKEN_KEY) {
        t->other_key = other_key_of(token);
        t->caveat_key = 0;
        while (t->caveat_key < COUNT_OF(caveat_keys) && !is(token, caveat_keys[t->caveat_key].key))
            t->caveat_key++;
    }
    if (token->depth == 2 && token->type != JSON_TOKEN_KEY)
        take_other_value(t, token);
    if (token->depth == 3 && token->type == JSON_TOKEN_STRING && t->other_key == OTHER_GPUS)
        return take_gpu(t, token, e);
    if (token->depth != 3 || token->type != JSON_TOKEN_STRING || t->caveat_key == COUNT_OF(caveat_keys))
        return 0;
    t->sink->lacks_times |= caveat_keys[t->caveat_key].kind == CAVEAT_TIMES;
    t->sink->hides_anywhere |= caveat_keys[t->caveat_key].kind == CAVEAT_HIDDEN;
    const int length = token->length < CAVEAT_BYTES_MAX ? (int)token->length : CAVEAT_BYTES_MAX;
    return caveat_add(t->sink->caveats, caveat_keys[t->caveat_key].kind, e, "%.*s", length, token->text);
}

static void take_distributed(struct trace *t, const struct json_token *token)
{
    if (token->depth == 2 && token->type == JSON_TOKEN_KEY) {
        t->key_is_rank = is(token, "rank");
        t->key_is_world = is(token, "world_size");
    }
    if (token->depth == 2 && token->type == JSON_TOKEN_NUMBER && t->key_is_rank)
        read_rank(token, &t->sink->rank);
    if (token->depth == 2 && token->type == JSON_TOKEN_NUMBER && t->key_is_world)
        read_rank(token, &t->sink->world_size);
}

/* Takes a token of the list of GPUs. */
static void take_devices(struct trace *t, const struct json_token *token)
{
    struct decimal number;
    if (token->depth == 2 && token->type == JSON_TOKEN_OBJECT) {
        t->chip.name[0] = '\0';
        t->chip.major = -1;
    }
    if (token->depth == 3 && token->type == JSON_TOKEN_KEY) {
        t->key_is_name = is(token, "name");
        t->key_is_major = is(token, "computeMajor");
    }
    if (token->depth == 3 && token->type == JSON_TOKEN_STRING && t->key_is_name)
        snprintf(t->chip.name, sizeof t->chip.name, "%.*s", (int)(token->length < WORD_BYTES_MAX ? token->length : 0),
                 token->text);
    if (token->depth == 3 && token->type == JSON_TOKEN_NUMBER && t->key_is_major && read_decimal(token, 1, &number))
        t->chip.major = number.value;
    if (token->depth == 2 && token->type == JSON_TOKEN_OBJECT_END)
        t->sink->dependent_launch =
            dependent_launch_with(t->sink->dependent_launch, dependent_launch_of_chip(t->chip.name, t->chip.major));
}

/* Takes a token outside the list of rows. */
static int take_top(struct trace *t, const struct json_token *token, struct err *e)
{
    if (token->depth == 0 && token->type == JSON_TOKEN_ARRAY) {
        t->list_open = true;
        return begin_events(t, 1, e);
    }
    if (token->depth == 1 && token->type == JSON_TOKEN_KEY) {
        t->top = top_key_of(token);
        return 0;
    }
    switch (t->top) {
    case TOP_EVENTS: return token->depth == 1 && token->type == JSON_TOKEN_ARRAY ? begin_events(t, 2, e) : 0;
    case TOP_DISTRIBUTED: take_distributed(t, token); return 0;
    case TOP_DEVICES: take_devices(t, token); return 0;
    case TOP_OTHER_DATA: return take_other_data(t, token, e);
    case TOP_BASE_TIME:
        if (token->depth == 1 && token->type == JSON_TOKEN_NUMBER)
            take_base_time(t, token);
        return 0;
    default: return 0;
    }
}

static int take(void *context, const struct json_token *token, struct err *e)
{
    struct trace *t = context;
    if (t->events_depth && token->depth >= t->events_depth)
        return take_in_events(t, token, token->depth - t->events_depth, e);
    if (t->events_depth) { /* the end of the list of rows */
        t->events_depth = 0;
        t->list_open = false;
        t->top = TOP_OTHER;
        return 0;
    }
    return take_top(t, token, e);
}

/* The format allows the last bracket of a bare list to be missing, for programs that died. Rows may be missing then,
 * but none is damaged. */
static int keep_good_part(struct trace *t, const struct err *bad, bool cut, struct err *e)
{
    bool between_rows = cut && t->list_open && !t->in_row;
    if (bad->code != ERR_INPUT || (!t->gpu_events && !t->calls))
        return err_set(e, bad->code, "%s", bad->text);
    return caveat_add(t->sink->caveats, between_rows ? CAVEAT_WEAKENS : CAVEAT_TRUNCATED, e,
                      "%s; only the rows before are used: %" PRId64, bad->text, t->rows);
}

/* Returns one step of the last digit, for so many digits after the decimal point of microseconds. */
static int64_t step_ns(int digits)
{
    int64_t step = NS_PER_US;
    for (int i = 0; i < digits && step > 1; i++)
        step = (step + 9) / 10;
    return step;
}

static int add_notes(struct trace *t, struct err *e)
{
    const int64_t start = step_ns(t->start_digits), duration = step_ns(t->duration_digits);
    const int64_t step = start > duration ? start : duration;
    int rc = 0;
    if (step > 1 && t->sink->time_error_ns < (start + duration + 1) / 2) /* half a step of each of two numbers */
        t->sink->time_error_ns = (start + duration + 1) / 2;
    if (step > 1)
        rc = caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s: times are rounded to %" PRId64 " ns ('ts', 'dur')",
                        t->input->path, step);
    if (!rc && t->unplaced)
        rc = caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e,
                        "%s: rows that do not say on which device or stream they ran ('device', 'stream'): "
                        "%" PRId64,
                        t->input->path, t->unplaced);
    if (!rc && t->other_phases)
        rc = caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e,
                        "%s: %" PRId64 " rows of GPU work are no complete events (ph 'X') and left out", t->input->path,
                        t->other_phases);
    if (!rc && t->bad_scopes)
        rc = caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e,
                        "%s: rows of operators or Python functions that make no sense, and are left out: %" PRId64,
                        t->input->path, t->bad_scopes);
    return rc;
}

static int read_kineto(const struct open_input *input, struct reader_sink *sink, struct err *e)
{
    struct trace t = {.input = input, .sink = sink, .caveat_key = COUNT_OF(caveat_keys), .recorded_from_ns = INT64_MIN};
    str_init(&t.row.name);
    str_init(&t.row.domain);
    nccl_args_init(&t.nccl);
    list_keys(&t.keys);
    struct err bad = {0};
    bool cut;
    int rc = json_walk(input->file, input->path, take, &t, &cut, &bad);
    if (rc)
        rc = keep_good_part(&t, &bad, cut, e);
    else if (!t.gpu_events && !t.calls)
        rc = err_set(
            e, ERR_INPUT,
            "'%s' is a Chrome trace without work on the GPU: no row is a kernel, gpu_memcpy or gpu_memset; " REMEDY,
            input->path);
    else if (!t.gpu_events)
        rc = reader_note_calls_alone(sink, input->path, t.calls, t.launches, e);
    if (!rc && !t.has_ranks)
        rc = kineto_ranks_settle(&t.ranks, input->path, sink, e);
    sink->origin_ns = t.base_ns;
    sink->has_unplaced |= t.unplaced > 0;
    sink->may_lack_waits = !t.is_ours || t.waits_unknown; /* what was asked for is not in the trace */
    sink->recorded_from_ns = t.has_ranks || t.ranks.pids.ranks > 1 ? INT64_MIN : t.recorded_from_ns;
    if (!rc)
        rc = add_notes(&t, e);
    str_release(&t.row.name);
    str_release(&t.row.domain);
    kineto_ranks_release(&t.ranks);
    nccl_args_release(&t.nccl);
    return rc;
}

static bool has(const struct open_input *input, const char *word)
{
    return memmem(input->head, input->head_bytes, word, strlen(word)) != NULL;
}

static bool recognise(const struct open_input *input)
{
    if (!input->file || foreign_chrome_find(input))
        return false;
    const char *at = input->head;
    at += strncmp(at, "\xef\xbb\xbf", 3) ? 0 : 3;
    at += strspn(at, " \t\r\n");
    if (*at == '[')
        return has(input, "\"ph\"");
    return *at == '{' && (has(input, "\"traceEvents\"") || has(input, "\"schemaVersion\""));
}

const struct reader kineto_reader = {"Chrome trace of Kineto", recognise, read_kineto};
