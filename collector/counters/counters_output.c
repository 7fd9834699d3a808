/* What was counted, and what was not? */
#define _GNU_SOURCE
#include "collector/counters/counters_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/inject/guest_file.h"
#include "core/base/array.h"
#include "core/base/str.h"

int counters_output_init(struct counters_output *o, const char *directory, char *const *metrics, size_t metric_count,
                         struct err *e)
{
    *o = (struct counters_output){.directory = strdup(directory), .metrics = metrics, .metric_count = metric_count};
    strtab_init(&o->kernels);
    o->report = json_pack("{s:[],s:[]}", "kernels", "missing");
    o->changed = true; /* a file is also written when nothing was counted */
    return o->report && o->directory ? 0 : err_memory(e);
}

int counters_output_add(struct counters_output *o, uint32_t kernel, long launch, bool is_warm_up, double *values,
                        struct err *e)
{
    struct counted_launch *slot = ARRAY_PUSH(&o->launches);
    if (!slot) {
        free(values);
        return err_memory(e);
    }
    *slot = (struct counted_launch){kernel, launch, is_warm_up, values};
    o->changed = true;
    return 0;
}

void counters_output_missing(struct counters_output *o, const char *what, const char *why)
{
    json_t *list = json_object_get(o->report, "missing");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!strcmp(json_get_text(json_array_get(list, i), "what", ""), what) &&
            !strcmp(json_get_text(json_array_get(list, i), "why", ""), why))
            return;
    json_array_append_new(list, json_pack("{s:o,s:o}", "what", json_text(what), "why", json_text(why)));
    o->changed = true;
}

void counters_output_kernel(struct counters_output *o, uint32_t kernel, json_t *facts)
{
    json_object_set_new(facts, "kernel", json_text(strtab_text(&o->kernels, kernel)));
    json_array_append_new(json_object_get(o->report, "kernels"), facts);
}

/* Symbols need no quotes; other names get them. */
static void add_cell(struct str *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        str_add(out, text);
        return;
    }
    str_add_char(out, '"');
    for (; *text; text++) {
        str_add_char(out, *text);
        if (*text == '"')
            str_add_char(out, '"');
    }
    str_add_char(out, '"');
}

static bool is_warm_up(const struct counters_output *o, size_t at)
{
    for (size_t i = 1; at == 0 && i < o->launches.count; i++)
        if (o->launches.items[i].kernel == o->launches.items[0].kernel)
            return true;
    return false;
}

static void add_rows(struct str *out, const struct counters_output *o, const struct counted_launch *launch)
{
    for (size_t i = 0; i < o->metric_count; i++) {
        add_cell(out, strtab_text(&o->kernels, launch->kernel));
        str_addf(out, ",%ld,", launch->launch);
        add_cell(out, o->metrics[i]);
        str_add_char(out, ',');
        if (isfinite(launch->values[i]))
            str_addf(out, "%.17g", launch->values[i]);
        str_add_char(out, '\n');
    }
}

static int write_rows(const struct counters_output *o, const char *path, struct err *e)
{
    struct str text;
    str_init(&text);
    str_add(&text, "kernel,launch,metric,value\n");
    for (size_t i = 0; i < o->launches.count; i++)
        if (!o->launches.items[i].is_warm_up && !is_warm_up(o, i))
            add_rows(&text, o, &o->launches.items[i]);
    const int rc = text.failed ? err_memory(e) : guest_file_replace(path, str_text(&text), text.length, e);
    str_release(&text);
    return rc;
}

int counters_output_write(struct counters_output *o, struct err *e)
{
    if (!o->changed)
        return 0;
    o->changed = false;
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/counters-%ld.json", o->directory, (long)getpid());
    char *report = json_to_text(o->report);
    int rc = path.failed || !report ? err_memory(e) : guest_file_replace(str_text(&path), report, strlen(report), e);
    free(report);
    str_clear(&path);
    str_addf(&path, "%s/metrics-%ld.csv", o->directory, (long)getpid());
    if (!rc && o->launches.count)
        rc = path.failed ? err_memory(e) : write_rows(o, str_text(&path), e);
    str_release(&path);
    return rc;
}
