/* What does this machine allow, and what is to be done about the rest? */
#include "reports/doctor_report.h"

#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "reports/trace_words.h"

enum { LINKED_DEVICES_MAX = 64 };

/* ---- the answer ---- */

/* ": GPU, CUPTI" - what stops a command, each name once. */
static void add_reasons(struct str *out, const struct checkup *c, unsigned command)
{
    const char *separator = ": ";
    for (size_t i = 0; i < c->count; i++) {
        bool is_said = !(c->items[i].stops & command);
        for (size_t k = 0; k < i && !is_said; k++)
            is_said = c->items[k].stops & command && !strcmp(c->items[k].name, c->items[i].name);
        if (is_said)
            continue;
        str_addf(out, "%s%s", separator, c->items[i].name);
        separator = ", ";
    }
}

static void add_answer(const struct checkup *c, struct document *d)
{
    static const struct {
        unsigned command;
        const char *name;
    } commands[] = {{STOPS_RUN, "run"}, {STOPS_CAPTURE, "capture"}};
    const unsigned stops = checkup_stops(c);
    char notes[UNITS_TEXT_BYTES];
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        str_addf(&text, "%s%s %s", i ? "; " : "", commands[i].name,
                 stops & commands[i].command ? "cannot do what it should" : "works");
        add_reasons(&text, c, commands[i].command);
    }
    const size_t count = checkup_level_count(c, CHECK_NOTE);
    if (count)
        str_addf(&text, "; %s", words_count(notes, (int64_t)count, "note", "notes"));
    words_answer(d, &text);
}

/* ---- what to do, and all that was found ---- */

static void add_advice(const struct checkup *c, struct document *d)
{
    static const enum check_level order[] = {CHECK_MISSING, CHECK_NOTE};
    if (!checkup_level_count(c, CHECK_MISSING) && !checkup_level_count(c, CHECK_NOTE))
        return;
    document_heading(d, 2, "What to do");
    for (size_t k = 0; k < COUNT_OF(order); k++)
        for (size_t i = 0; i < c->count; i++) {
            const struct checkup_item *item = &c->items[i];
            if (item->level != order[k])
                continue;
            document_bullet(d);
            document_span(d, SPAN_STRONG, "%s", check_level_name(item->level));
            document_span(d, SPAN_PLAIN, ": %s: %s", item->name, item->found);
            if (*item->advice)
                document_span(d, SPAN_PLAIN, "; %s", item->advice);
        }
}

static void add_checks(const struct checkup *c, struct document *d)
{
    static const struct document_column columns[] = {
        {"group", false}, {"check", false}, {"level", false}, {"found", false}};
    document_heading(d, 2, "Checks");
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < c->count; i++) {
        document_cell(d, "%s", c->items[i].group);
        document_cell(d, "%s", c->items[i].name);
        document_cell(d, "%s", check_level_name(c->items[i].level));
        document_cell(d, "%s", c->items[i].found);
    }
}

/* ---- the GPUs ---- */

static void cell_number(struct document *d, const json_t *object, const char *key, double factor)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_number(value))
        document_cell(d, "%.0f", json_number_value(value) * factor);
    else
        document_cell(d, "n/a");
}

/* "345 / 1980": now and at most. */
static void cell_of_most(struct document *d, const json_t *object, const char *now, const char *most, double factor)
{
    const double a = json_get_number(object, now, NAN), b = json_get_number(object, most, NAN);
    if (isnan(a) && isnan(b))
        document_cell(d, "n/a");
    else if (isnan(b))
        document_cell(d, "%.0f", a * factor);
    else if (isnan(a))
        document_cell(d, "n/a / %.0f", b * factor);
    else
        document_cell(d, "%.0f / %.0f", a * factor, b * factor);
}

static void add_devices(const json_t *devices, struct document *d)
{
    static const struct document_column columns[] = {
        {"GPU", true},    {"name", false},      {"PCI", false}, {"SMs", true}, {"memory", true},
        {"SM MHz", true}, {"memory MHz", true}, {"C", true},    {"W", true},   {"processes", true}};
    if (!json_array_size(devices))
        return;
    document_heading(d, 2, "GPUs");
    document_table(d, columns, COUNT_OF(columns));
    size_t i;
    json_t *device;
    json_array_foreach (devices, i, device) {
        const json_t *processes = json_object_get(device, "processes");
        cell_number(d, device, "ordinal", 1);
        document_cell(d, "%s", json_get_text(device, "name", "unknown"));
        document_cell(d, "%s", json_get_text(device, "pci", "unknown"));
        cell_number(d, device, "sm_count", 1);
        document_cell_unit(d, UNIT_BYTES, json_get_number(device, "memory_bytes", NAN));
        cell_of_most(d, device, "sm_clock_mhz", "sm_clock_max_mhz", 1);
        cell_of_most(d, device, "memory_clock_mhz", "memory_clock_max_mhz", 1);
        cell_of_most(d, device, "temperature_c", "slowdown_c", 1);
        cell_of_most(d, device, "power_mw", "power_limit_mw", 1e-3);
        if (json_is_array(processes))
            document_cell(d, "%zu", json_array_size(processes));
        else
            document_cell(d, "n/a");
    }
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  "Of two values the first is now, the second the most: clocks, the temperature at which the GPU "
                  "slows down, the power limit.");
}

/* ---- the links ---- */

static const json_t *link_between(const json_t *links, size_t a, size_t b)
{
    const long long low = (long long)(a < b ? a : b), high = (long long)(a < b ? b : a);
    size_t i;
    json_t *link;
    json_array_foreach (links, i, link)
        if (json_get_integer(link, "a", -1) == low && json_get_integer(link, "b", -1) == high)
            return link;
    return NULL;
}

/* "NV18", "SYS"; "SYS host" when the GPUs cannot read each other's memory. */
static void cell_link(struct document *d, const json_t *links, size_t a, size_t b)
{
    const json_t *link = a == b ? NULL : link_between(links, a, b);
    const long long nvlinks = json_get_integer(link, "nvlinks", 0);
    const char *refused = json_is_false(json_object_get(link, "access")) ? " host" : "";
    if (a == b)
        document_cell(d, "-");
    else if (nvlinks > 0)
        document_cell(d, "NV%lld%s", nvlinks, refused);
    else
        document_cell(d, "%s%s", json_get_text(link, "topology", "unknown"), refused);
}

static void add_links(const json_t *links, size_t count, struct document *d)
{
    struct document_column columns[LINKED_DEVICES_MAX + 1] = {{"", false}};
    if (!json_array_size(links) || count > LINKED_DEVICES_MAX)
        return;
    for (size_t i = 0; i < count; i++)
        columns[i + 1] = (struct document_column){arena_printf(&d->arena, "GPU%zu", i), false};
    document_heading(d, 2, "Links");
    document_table(d, columns, count + 1);
    for (size_t a = 0; a < count; a++) {
        document_cell(d, "GPU%zu", a);
        for (size_t b = 0; b < count; b++)
            cell_link(d, links, a, b);
    }
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  "NV18: 18 NVLinks. Without NVLink the way over PCIe: PIX one switch, PXB several switches, PHB "
                  "the processor's PCIe root, NODE several roots of one NUMA node, SYS between NUMA nodes. 'host': "
                  "no peer access, copies go through host memory.");
}

int report_doctor(const struct checkup *c, struct document *out, struct err *e)
{
    const json_t *devices = json_object_get(c->probe, "devices");
    add_answer(c, out);
    add_advice(c, out);
    add_checks(c, out);
    add_devices(devices, out);
    add_links(json_object_get(c->probe, "links"), json_array_size(devices), out);
    if (c->ceilings)
        doctor_ceilings_add(c->ceilings, out);
    return out->failed || c->failed ? err_memory(e) : 0;
}
