/* Which bars lead from the time of one arm to that of the other? */
#include "reports/pictures/lost_time_picture.h"

#include <math.h>
#include <string.h>

#include "core/base/units.h"
#include "reports/pictures/axis.h"
#include "reports/pictures/canvas.h"
#include "reports/pictures/characters.h"
#include "reports/pictures/drawing.h"
#include "reports/run/run_report.h"

enum {
    ROW = 24,
    BAR = 16,
    TOP = 6,
    LABEL_END = 190, /* names end here */
    PLOT = 200,      /* ... and bars begin here */
    PLOT_END = 470,  /* changes stand behind it */
    CUT = 12,        /* the begin of a bar whose length is more than it shows */
    AXIS = 34        /* height of ticks and their words */
};

/* The columns of characters: name, change, bar. */
enum { NAME_COLUMNS = 26, CHANGE_COLUMNS = 12, BAR_COLUMNS = CHARACTER_COLUMNS - NAME_COLUMNS - CHANGE_COLUMNS - 2 };

struct scale {
    double low, high;
    bool is_cut; /* it does not begin at 0 */
};

/* All that bars reach. */
static struct scale scale_of(const struct lost_time_picture *p)
{
    struct scale s = {fmin(p->from_ns, p->to_ns), fmax(p->from_ns, p->to_ns), false};
    double at = p->from_ns;
    for (size_t i = 0; i < p->count; i++) {
        at += p->bars[i].change_ns;
        s.low = fmin(s.low, at);
        s.high = fmax(s.high, at);
    }
    /* Where all happens in the upper quarter, that is shown. */
    s.is_cut = s.low > 0.75 * s.high;
    s.low = s.is_cut ? s.low - 0.25 * (s.high - s.low) : fmin(0, s.low);
    if (!(s.high > s.low))
        s = (struct scale){0, s.high > 0 ? s.high : 1, false};
    return s;
}

static double share_of(const struct scale *s, double ns)
{
    return (ns - s->low) / (s->high - s->low);
}

static double x_of(const struct scale *s, double ns)
{
    return PLOT + share_of(s, ns) * (PLOT_END - PLOT);
}

static const char *signed_time(char text[static UNITS_TEXT_BYTES + 1], double ns)
{
    text[0] = '+';
    unit_format(text + 1, UNIT_NS, ns);
    return ns > 0 ? text : text + 1;
}

/* ---- SVG ---- */

static enum ink bar_ink(const struct lost_bar *bar)
{
    return bar->kind == LOST_BAR_UNEXPLAINED ? INK_GREY : bar->change_ns < 0 ? INK_GREEN : INK_ORANGE;
}

static void draw_axis(struct canvas *c, const struct scale *s, double bottom)
{
    const double step = axis_step(s->high - s->low, 3);
    double ticks[AXIS_TICKS_MAX];
    const size_t count = axis_multiples(s->low, s->high, step, ticks);
    for (size_t i = 0; i < count; i++) {
        char text[UNITS_TEXT_BYTES];
        const double x = x_of(s, ticks[i]);
        canvas_line(c, x, TOP, x, bottom, 1, INK_GRID);
        canvas_text(c, x, bottom + 16, TEXT_MIDDLE, INK_FAINT, axis_time(text, ticks[i], step, s->high));
    }
    if (s->is_cut)
        canvas_text(c, LABEL_END, bottom + 16, TEXT_END, INK_FAINT, "not from 0");
}

static void draw_total(struct canvas *c, const struct scale *s, double y, const char *name, double ns)
{
    char text[UNITS_TEXT_BYTES];
    const double x = x_of(s, fmax(s->low, fmin(0, s->high)));
    if (s->is_cut)
        canvas_hatch(c, x, y + 4, CUT, BAR, INK_BLUE);
    canvas_rect(c, x + (s->is_cut ? CUT : 0), y + 4, x_of(s, ns) - x - (s->is_cut ? CUT : 0), BAR, INK_BLUE);
    canvas_text_in(c, LABEL_END, y + 17, LABEL_END, TEXT_END, INK_TEXT, name);
    canvas_text(c, PLOT_END + 8, y + 17, TEXT_START, INK_TEXT, unit_format(text, UNIT_NS, ns));
}

static void draw_bar(struct canvas *c, const struct scale *s, double y, const struct lost_bar *bar, double from_ns)
{
    char text[UNITS_TEXT_BYTES + 1];
    const double from = x_of(s, from_ns), to = x_of(s, from_ns + bar->change_ns);
    const double x = fmin(from, to), width = fmax(1.5, fabs(to - from));
    if (bar->kind == LOST_BAR_UNEXPLAINED && width > 6)
        canvas_hatch(c, fmin(x, PLOT_END - width), y + 4, width, BAR, INK_GREY);
    else
        canvas_rect(c, fmin(x, PLOT_END - width), y + 4, width, BAR, bar_ink(bar));
    canvas_line(c, from, y - ROW + 4 + BAR, from, y + 4, 1, INK_FAINT);
    canvas_text_in(c, LABEL_END, y + 17, LABEL_END, TEXT_END, INK_TEXT, bar->name);
    canvas_text(c, PLOT_END + 8, y + 17, TEXT_START, INK_TEXT, signed_time(text, bar->change_ns));
}

void lost_time_picture_draw(const struct lost_time_picture *p, struct canvas *c)
{
    const struct scale s = scale_of(p);
    const double bottom = TOP + ROW * ((double)p->count + 2);
    double at_ns = p->from_ns, y = TOP;
    canvas_set_height(c, bottom + AXIS - 10);
    draw_axis(c, &s, bottom);
    draw_total(c, &s, y, p->from, p->from_ns);
    for (size_t i = 0; i < p->count; i++) {
        draw_bar(c, &s, y += ROW, &p->bars[i], at_ns);
        at_ns += p->bars[i].change_ns;
    }
    draw_total(c, &s, y + ROW, p->to, p->to_ns);
}

/* ---- characters ---- */

static void write_line(struct str *out, const struct scale *s, const char *name, const char *change, double from_ns,
                       double to_ns)
{
    struct str bar;
    str_init(&bar);
    characters_left(out, name, NAME_COLUMNS);
    characters_right(out, change, CHANGE_COLUMNS);
    str_add(out, "  ");
    characters_bar(&bar, share_of(s, fmin(from_ns, to_ns)) * BAR_COLUMNS,
                   share_of(s, fmax(from_ns, to_ns)) * BAR_COLUMNS, BAR_COLUMNS);
    while (bar.length && bar.text[bar.length - 1] == ' ')
        bar.text[--bar.length] = '\0';
    str_add(out, str_text(&bar));
    str_add_char(out, '\n');
    out->failed |= bar.failed;
    str_release(&bar);
}

/* The changes that matter, and one bar for all others. */
static void keep_largest(struct lost_time_picture *p, size_t most)
{
    double rest_ns = 0;
    while (p->count > most) {
        size_t least = 0;
        for (size_t i = 1; i < p->count; i++)
            if (fabs(p->bars[i].change_ns) <= fabs(p->bars[least].change_ns))
                least = i;
        rest_ns += p->bars[least].change_ns;
        memmove(&p->bars[least], &p->bars[least + 1], (p->count - least - 1) * sizeof p->bars[0]);
        p->count--;
    }
    p->bars[p->count++] = (struct lost_bar){.name = "all else", .kind = LOST_BAR_OTHER, .change_ns = rest_ns};
}

void lost_time_picture_write(const struct lost_time_picture *whole, size_t most, struct str *characters)
{
    struct lost_time_picture short_one = *whole, *p = &short_one;
    if (most && p->count > most + 1)
        keep_largest(p, most);
    const struct scale s = scale_of(p);
    char text[UNITS_TEXT_BYTES + 1];
    const double begin_ns = fmax(s.low, fmin(0, s.high));
    double at_ns = p->from_ns;
    write_line(characters, &s, p->from, unit_format(text, UNIT_NS, p->from_ns), begin_ns, p->from_ns);
    for (size_t i = 0; i < p->count; i++) {
        const struct lost_bar *bar = &p->bars[i];
        write_line(characters, &s, bar->name, signed_time(text, bar->change_ns), at_ns, at_ns + bar->change_ns);
        at_ns += bar->change_ns;
    }
    write_line(characters, &s, p->to, unit_format(text, UNIT_NS, p->to_ns), begin_ns, p->to_ns);
    if (s.is_cut)
        str_add(characters, "Bars do not begin at 0.\n");
}

/* ---- words ---- */

static const struct lost_bar *largest(const struct lost_time_picture *p, double sign)
{
    const struct lost_bar *found = NULL;
    for (size_t i = 0; i < p->count; i++)
        if (p->bars[i].kind == LOST_BAR_PART && p->bars[i].change_ns * sign > 0 &&
            (!found || fabs(p->bars[i].change_ns) > fabs(found->change_ns)))
            found = &p->bars[i];
    return found;
}

static void say_bar(struct str *says, const struct lost_bar *bar, const char *lead)
{
    char text[UNITS_TEXT_BYTES + 1];
    if (bar)
        str_addf(says, "%s%s, %s (%s)", lead, bar->name, signed_time(text, bar->change_ns), bar->meaning);
}

void lost_time_picture_say(const struct lost_time_picture *p, struct str *says)
{
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    const bool faster = p->to_ns < p->from_ns;
    const struct lost_bar *main = largest(p, faster ? -1 : 1), *against = largest(p, faster ? 1 : -1);
    str_addf(says, "From %s of %s to %s of %s", unit_format(from, UNIT_NS, p->from_ns), p->from,
             unit_format(to, UNIT_NS, p->to_ns), p->to);
    say_bar(says, main, faster ? ": what shrinks most is " : ": what grows most is ");
    say_bar(says, against,
            main ? (faster ? "; what grows most is " : "; what shrinks most is ")
                 : (faster ? ": what grows most is " : ": what shrinks most is "));
}

static void write_caption(const struct lost_time_picture *p, struct document *d)
{
    document_span(d, SPAN_PLAIN, "Time of one launch, ");
    words_arm(d, p->to, p->config);
    document_span(d, SPAN_PLAIN, " after ");
    document_span(d, SPAN_CODE, "%s", p->from);
    document_span(d, SPAN_PLAIN,
                  ": each bar is a part of \"Where the time goes\" that shrinks or grows, and all of them add up. "
                  "Not explained is what the timing and the traced launches do not agree on.");
}

/* ---- the document ---- */

void lost_time_picture_add_one(const struct analysis *a, const struct comparison *c, struct document *d)
{
    struct lost_time_picture p;
    struct drawing w;
    if (!lost_time_picture_of(&p, a, c))
        return;
    drawing_init(&w);
    lost_time_picture_draw(&p, &w.canvas);
    lost_time_picture_write(&p, d->tier == TIER_SCREEN ? CHANGES_ON_A_SCREEN : 0, &w.characters);
    lost_time_picture_say(&p, &w.says);
    drawing_add(&w, "lost-time", d);
    write_caption(&p, d);
}

void lost_time_picture_add(const struct analysis *a, struct document *d)
{
    const struct comparison *most = NULL;
    double most_ns = -1;
    for (size_t i = 0; i < a->comparisons.count; i++) {
        struct lost_time_picture p;
        const struct comparison *c = &a->comparisons.items[i];
        const double ns = fabs(c->candidate_ns - c->baseline_ns);
        if (!(ns > most_ns) || c->verdict >= COMPARE_UNUSABLE || !lost_time_picture_of(&p, a, c))
            continue;
        most = c;
        most_ns = ns;
    }
    if (most)
        lost_time_picture_add_one(a, most, d);
}
