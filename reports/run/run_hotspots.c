/* Where in its code does each kernel spend its time? */
#include <stdint.h>
#include <string.h>

#include "core/base/count_of.h"
#include "reports/run/run_report.h"

enum { SHOWN_LINES = 8, SHOWN_INSTRUCTIONS = 10, SHOWN_REASONS = 3 };

static const char *stall_words(const char *stall)
{
    return strcmp(stall, "selected") ? stall : "issuing";
}

/* "long_scoreboard 71%, barrier 12%": shares of `of`. */
static void add_reasons(struct document *d, const struct hot_reason *reasons, size_t count, double of)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < count && i < SHOWN_REASONS; i++)
        str_addf(&text, "%s%s %.0f%%", i ? ", " : "", stall_words(reasons[i].name), 100 * reasons[i].samples / of);
    document_cell(d, "%s", str_text(&text));
    d->failed |= text.failed;
    str_release(&text);
}

static void add_source(struct document *d, const char *file, double line)
{
    struct str text;
    str_init(&text);
    if (*file)
        str_add(&text, file);
    if (*file && line > 0)
        str_addf(&text, ":%.0f", line);
    if (text.length)
        document_cell_code(d, str_text(&text));
    else
        document_cell(d, "n/a");
    d->failed |= text.failed;
    str_release(&text);
}

/* What no kernel is as long as is damaged. */
static void add_offset(struct document *d, double offset)
{
    if (offset >= 0 && offset <= UINT32_MAX)
        document_cell(d, "0x%llx", (unsigned long long)offset);
    else
        document_cell(d, "n/a");
}

static void add_code(struct document *d, const char *text)
{
    if (*text)
        document_cell_code(d, text);
    else
        document_cell(d, "n/a");
}

static void add_instructions(const struct hotspots *h, struct document *d)
{
    static const struct document_column columns[] = {
        {"share", true}, {"source", false}, {"offset", true}, {"instruction", false}, {"its warps are seen", false}};
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < h->instructions.count && i < SHOWN_INSTRUCTIONS; i++) {
        const struct hot_instruction *hot = &h->instructions.items[i];
        document_cell_unit(d, UNIT_RATIO, hot->samples / h->samples);
        add_source(d, hot->file, hot->line);
        add_offset(d, hot->offset);
        add_code(d, hot->instruction);
        add_reasons(d, hot->reasons, hot->reason_count, hot->samples);
    }
}

static bool has_texts(const struct hotspots *h)
{
    for (size_t i = 0; i < h->lines.count; i++)
        if (*h->lines.items[i].text)
            return true;
    return false;
}

static void add_lines(const struct hotspots *h, struct document *d)
{
    static const struct document_column with_text[] = {
        {"share", true}, {"source", false}, {"line", false}, {"its warps are seen", false}};
    static const struct document_column without_text[] = {
        {"share", true}, {"source", false}, {"its warps are seen", false}};
    const bool has_text = has_texts(h);
    document_table(d, has_text ? with_text : without_text, has_text ? 4 : 3);
    for (size_t i = 0; i < h->lines.count && i < SHOWN_LINES; i++) {
        const struct hot_line *hot = &h->lines.items[i];
        document_cell_unit(d, UNIT_RATIO, hot->samples / h->samples);
        add_source(d, hot->file, hot->line);
        if (has_text)
            add_code(d, hot->text);
        add_reasons(d, hot->reasons, hot->reason_count, hot->samples);
    }
}

/* Samples that are known to be at some line. */
static double samples_at_lines(const struct hotspots *h)
{
    double sum = 0;
    for (size_t i = 0; i < h->lines.count; i++)
        sum += h->lines.items[i].samples;
    return sum;
}

static void write_kernel(const struct hotspots *h, struct document *d)
{
    document_paragraph(d);
    words_arm(d, h->variant, h->config);
    document_span(d, SPAN_PLAIN, ", ");
    words_kernel(d, h->kernel);
    document_span(d, SPAN_PLAIN, ", %.0f samples: ", h->samples);
    for (size_t i = 0; i < h->reasons.count && i < SHOWN_REASONS; i++)
        document_span(d, SPAN_PLAIN, "%s%s %.0f%%", i ? ", " : "", stall_words(h->reasons.items[i].name),
                      100 * h->reasons.items[i].samples / h->samples);
    document_span(d, SPAN_PLAIN, ". ");
}

static void write_by_line(const struct hotspots *h, struct document *d)
{
    document_span(d, SPAN_PLAIN, "A source line is known for %.0f%% of them. The hottest lines:",
                  100 * samples_at_lines(h) / h->samples);
    add_lines(h, d);
    const enum tier tier = document_evidence(d);
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "The hottest instructions of ");
    words_kernel(d, h->kernel);
    document_span(d, SPAN_PLAIN, ":");
    add_instructions(h, d);
    document_tier(d, tier);
}

static void write_by_instruction(const struct hotspots *h, struct document *d)
{
    document_span(d, SPAN_PLAIN, "Its source lines are not known: compile it with ");
    document_span(d, SPAN_CODE, "-lineinfo");
    document_span(d, SPAN_PLAIN, ". The hottest instructions:");
    add_instructions(h, d);
}

void run_hotspots_add(const struct analysis *a, struct document *d)
{
    if (!a->hotspots.count)
        return;
    document_heading(d, 2, "Where in the code");
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  "Shares of the warps that were seen at an instruction. A warp that waits is seen at the instruction "
                  "that cannot be issued yet: what it waits for was asked for by an earlier one.");
    for (size_t i = 0; i < a->hotspots.count; i++) {
        const struct hotspots *h = &a->hotspots.items[i];
        if (!(h->samples > 0))
            continue;
        write_kernel(h, d);
        if (h->lines.count)
            write_by_line(h, d);
        else
            write_by_instruction(h, d);
    }
}
