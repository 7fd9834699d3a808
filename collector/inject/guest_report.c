/* What will the bundle say about this process? */
#define _GNU_SOURCE
#include "collector/inject/guest_report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/inject/guest_file.h"
#include "collector/inject/guest_gpus.h"
#include "core/base/str.h"

/* Only the last part: a bundle must not have paths of this machine. */
static json_t *program_name(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(path, '/');
    return json_text(slash ? slash + 1 : path);
}

static json_t *text_or_null(const char *text)
{
    return text ? json_text(text) : json_null();
}

static json_t *scope_members(const struct guest_settings *s)
{
    const long long ns_per_ms = 1000000;
    return json_pack("{s:s,s:s,s:b,s:b,s:o,s:o,s:o,s:o,s:I,s:I,s:I,s:I,s:I}", "trace", s->all_calls ? "api" : "launch",
                     "graphs", s->whole_graphs ? "graph" : "node", "from_start", s->from_start, "migrations",
                     s->migrations, "range", text_or_null(s->range), "range_domain", text_or_null(s->range_domain),
                     "when", text_or_null(s->when), "kernels", text_or_null(s->kernels), "delay_ms",
                     (json_int_t)(s->delay_ns / ns_per_ms), "duration_ms", (json_int_t)(s->duration_ns / ns_per_ms),
                     "flush_ms", (json_int_t)(s->flush_ns / ns_per_ms), "memory_mb",
                     (json_int_t)(s->memory_bytes >> 20), "sample_ns", (json_int_t)s->sample_ns);
}

int guest_report_open(struct guest_report *r, const struct guest_settings *settings, int index, const char *trace,
                      struct err *e)
{
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/process-capture-%d-%d.json", settings->directory, (int)getpid(), index);
    *r = (struct guest_report){.path = str_take(&path)};
    r->members = json_pack("{s:s,s:i,s:i,s:i,s:o,s:o,s:o,s:s,s:o,s:o,s:[],s:{}}", "role", "capture", "index", 0, "pid",
                           (int)getpid(), "parent_pid", (int)getppid(), "program", program_name(), "rank",
                           settings->rank < 0 ? json_null() : json_integer(settings->rank), "rank_source",
                           text_or_null(settings->rank_source), "state", "running", "trace", text_or_null(trace),
                           "scope", scope_members(settings), "missing", "dropped");
    return r->members && r->path ? 0 : err_memory(e);
}

void guest_report_cupti(struct guest_report *r, const struct cupti_api *api)
{
    json_object_set_new(r->members, "cupti",
                        json_pack("{s:i,s:s}", "version", (int)api->version, "library", api->found));
}

void guest_report_missing(struct guest_report *r, const char *what, const char *why)
{
    json_t *list = json_object_get(r->members, "missing"), *entry;
    size_t i;
    json_array_foreach (list, i, entry)
        if (!strcmp(json_get_text(entry, "what", ""), what) && !strcmp(json_get_text(entry, "why", ""), why))
            return;
    json_array_append_new(list, json_pack("{s:s,s:o}", "what", what, "why", json_text(why)));
}

void guest_report_gpus(struct guest_report *r)
{
    guest_gpus_describe(r->members);
    r->asked_gpus = true;
}

static json_t *dropped_members(const struct shard_writer *shard)
{
    static const char *const names[SHARD_KINDS] = {"unknown", "kernel", "copy",  "memset",  "migration",
                                                   "api",     "sync",   "range", "overhead"};
    json_t *members = json_object();
    for (size_t kind = 0; kind < SHARD_KINDS; kind++)
        if (shard->dropped[kind])
            json_object_set_new(members, names[kind], json_integer((json_int_t)shard->dropped[kind]));
    return members;
}

void guest_report_cost(struct guest_report *r, const struct guest_cost *cost, const struct shard_writer *shard)
{
    const struct activity_cost *t = &cost->trace;
    json_object_set_new(
        r->members, "collector",
        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "records", (json_int_t)t->records,
                  "record_bytes", (json_int_t)t->record_bytes, "unknown_records", (json_int_t)t->unknown_records,
                  "filtered", (json_int_t)t->filtered, "names_left_out", (json_int_t)shard->names_left_out, "decode_ns",
                  (json_int_t)t->decode_ns, "trace_bytes", (json_int_t)shard->written_bytes, "cpu_ns",
                  (json_int_t)cost->cpu_ns, "callbacks_ns", (json_int_t)(cost->callbacks_ns + t->callbacks_ns),
                  "buffers", (json_int_t)t->buffers, "lent_buffers", (json_int_t)t->lent_buffers, "peak_buffer_bytes",
                  (json_int_t)t->peak_bytes));
    json_object_set_new(r->members, "dropped", dropped_members(shard));
}

int guest_report_write(struct guest_report *r, const char *ended_by, struct err *e)
{
    if (ended_by) {
        json_object_set_new(r->members, "state", json_string("ended"));
        json_object_set_new(r->members, "ended_by", json_string(ended_by));
    }
    char *text = json_to_text(r->members);
    int rc = text ? guest_file_replace(r->path, text, strlen(text), e) : err_memory(e);
    free(text);
    return rc;
}
