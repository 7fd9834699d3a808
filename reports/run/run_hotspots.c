/* Where in its code does each kernel spend its time? */
#include <stdint.h>
#include <string.h>

#include "reports/run/run_report.h"

enum { SHOWN_INSTRUCTIONS = 10, SHOWN_REASONS = 3 };

static const char *reason_words(const char *reason)
{
    return strcmp(reason, "selected") ? reason : "issuing";
}

/* "long_scoreboard 71%, barrier 12%": shares of `of`. */
static void add_reasons(struct document *d, const struct hot_reason *reasons, size_t count, double of)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < count && i < SHOWN_REASONS; i++)
        str_addf(&text, "%s%s %.0f%%", i ? ", " : "", reason_words(reasons[i].reason), 100 * reasons[i].samples / of);
    document_cell(d, "%s", str_text(&text));
    d->failed |= text.failed;
    str_release(&text);
}

static void add_source(struct document *d, const struct hot_instruction *hot)
{
    struct str text;
    str_init(&text);
    if (*hot->file)
        str_add(&text, hot->file);
    if (*hot->file && hot->line > 0)
        str_addf(&text, ":%.0f", hot->line);
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

static void add_instructions(const struct hotspots *h, struct document *d)
{
    static const struct document_column columns[] = {
        {"share", true}, {"source", false}, {"offset", true}, {"instruction", false}, {"its warps are seen", false}};
    document_table(d, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < h->instructions.count && i < SHOWN_INSTRUCTIONS; i++) {
        const struct hot_instruction *hot = &h->instructions.items[i];
        document_cell_unit(d, UNIT_RATIO, hot->samples / h->samples);
        add_source(d, hot);
        add_offset(d, hot->offset);
        if (*hot->instruction)
            document_cell_code(d, hot->instruction);
        else
            document_cell(d, "n/a");
        add_reasons(d, hot->reasons, hot->reason_count, hot->samples);
    }
}

static void write_kernel(const struct hotspots *h, struct document *d)
{
    document_paragraph(d);
    words_arm(d, h->variant, h->config);
    document_span(d, SPAN_PLAIN, ", ");
    words_kernel(d, h->kernel);
    document_span(d, SPAN_PLAIN, ", %.0f samples: ", h->samples);
    for (size_t i = 0; i < h->reasons.count && i < SHOWN_REASONS; i++)
        document_span(d, SPAN_PLAIN, "%s%s %.0f%%", i ? ", " : "", reason_words(h->reasons.items[i].reason),
                      100 * h->reasons.items[i].samples / h->samples);
    document_span(d, SPAN_PLAIN, ". The hottest instructions:");
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
        add_instructions(h, d);
    }
}
