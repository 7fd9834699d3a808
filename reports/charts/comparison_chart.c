/* How far apart are the arms, and how far apart are the processes that say so? */
#include "reports/charts/comparison_chart.h"

#include <math.h>
#include <string.h>

#include "reports/charts/chart_text.h"
#include "reports/run/run_report.h"

enum { CHART_ROWS_MAX = 60, WIDTH = 960, ROW_HEIGHT = 40, REST_HEIGHT = 70 };

static const char *const colours[] = {
    [COMPARE_INCONCLUSIVE] = "0x6e7781", [COMPARE_FASTER] = "0x1a7f37",   [COMPARE_SLOWER] = "0xc62828",
    [COMPARE_EQUIVALENT] = "0x1f6feb",   [COMPARE_UNUSABLE] = "0x6e7781", [COMPARE_CONTRADICTED] = "0x6e7781"};

/* ---- what is drawn ---- */

static bool is_drawn(const struct comparison *c)
{
    return isfinite(c->ratio) && c->ratio > 0 && c->verdict < COMPARE_UNUSABLE;
}

static size_t drawn_count(const struct analysis *a)
{
    size_t count = 0;
    for (size_t i = 0; i < a->comparisons.count; i++)
        count += is_drawn(&a->comparisons.items[i]);
    return count;
}

/* Calls for each of the rows that have room, numbered from 1. */
static void each_row(const struct analysis *a, void *to,
                     void (*take)(void *to, size_t number, const struct comparison *c))
{
    size_t number = 0;
    for (size_t i = 0; i < a->comparisons.count && number < CHART_ROWS_MAX; i++)
        if (is_drawn(&a->comparisons.items[i]))
            take(to, ++number, &a->comparisons.items[i]);
}

static double time_in(const struct comparison_arm *arm, double process)
{
    for (size_t i = 0; i < arm->process_count; i++)
        if (arm->processes[i].process == process)
            return arm->processes[i].typical_ns;
    return NAN;
}

/* For a pair, the candidate over the baseline in the same process; for independent
 * arms over the baseline's median, over which its own processes are shown, too. */
static void each_process(const struct comparison *c, void *to, void (*take)(void *to, double ratio, bool of_baseline))
{
    for (size_t i = 0; i < c->cand.process_count; i++) {
        const struct timing_process *p = &c->cand.processes[i];
        const double ratio = p->typical_ns / (c->paired ? time_in(&c->base, p->process) : c->baseline_ns);
        if (isfinite(ratio))
            take(to, ratio, false);
    }
    for (size_t i = 0; i < c->base.process_count && !c->paired; i++)
        if (isfinite(c->base.processes[i].typical_ns / c->baseline_ns))
            take(to, c->base.processes[i].typical_ns / c->baseline_ns, true);
}

struct range {
    double low, high;
};

static void widen(void *to, double ratio, bool of_baseline)
{
    struct range *r = to;
    (void)of_baseline;
    r->low = fmin(r->low, ratio);
    r->high = fmax(r->high, ratio);
}

static void widen_by_row(void *to, size_t number, const struct comparison *c)
{
    (void)number;
    widen(to, c->ratio, false);
    if (isfinite(c->ci_high)) {
        widen(to, c->ci_low, false);
        widen(to, c->ci_high, false);
    }
    each_process(c, to, widen);
}

/* ---- the script ---- */

static void add_label(struct str *out, size_t number, const struct comparison *c)
{
    str_addf(out, "set label \"");
    chart_add_quoted(out, c->candidate);
    str_add(out, "\\n");
    chart_add_quoted(out, c->config);
    if (!strcmp(c->cache, "cold"))
        str_add(out, ", cold L2");
    str_addf(out, "\" at graph -0.02, first -%zu right noenhanced offset 0, 0.5\n", number);
}

static void add_verdict(struct str *out, size_t number, const struct comparison *c)
{
    char gain[UNITS_TEXT_BYTES];
    const bool saturates = c->speedup > GAIN_SATURATES;
    str_add(out, "set label \"");
    chart_add_quoted(out, comparison_verdict_name(c->verdict));
    str_add(out, saturates ? "\\nspeedup " : "\\ngain ");
    chart_add_quoted(out, saturates ? unit_format_factor(gain, c->speedup) : unit_format(gain, UNIT_RATIO, c->gain));
    str_addf(out, "\" at graph 1.02, first -%zu left noenhanced offset 0, 0.5 textcolor rgb %s\n", number,
             colours[c->verdict]);
}

static void add_texts(void *to, size_t number, const struct comparison *c)
{
    add_label(to, number, c);
    add_verdict(to, number, c);
}

/* y, ratio, ends of the interval, colour: an interval without ends is its middle. */
static void add_interval(void *to, size_t number, const struct comparison *c)
{
    const bool ends = isfinite(c->ci_low) && isfinite(c->ci_high);
    str_addf(to, "%.2f %.9g %.9g %.9g %s\n", 0.12 - (double)number, c->ratio, ends ? c->ci_low : c->ratio,
             ends ? c->ci_high : c->ratio, colours[c->verdict]);
}

struct points {
    struct str *out;
    const struct comparison *of;
    size_t number;
    bool of_baseline;
};

static void add_point(void *to, double ratio, bool of_baseline)
{
    const struct points *p = to;
    if (of_baseline == p->of_baseline)
        str_addf(p->out, "%.2f %.9g %s\n", (of_baseline ? -0.24 : -0.16) - (double)p->number, ratio,
                 colours[p->of->verdict]);
}

static void add_processes(void *to, size_t number, const struct comparison *c)
{
    each_process(c, &(struct points){to, c, number, false}, add_point);
}

static void add_baseline_processes(void *to, size_t number, const struct comparison *c)
{
    each_process(c, &(struct points){to, c, number, true}, add_point);
}

static void add_axes(struct str *out, const struct analysis *a, size_t rows)
{
    const double below = 1 - a->margin, above = 1 / (1 - a->margin);
    struct range range = {below, above};
    each_row(a, &range, widen_by_row);
    const bool wide = range.high > 20 * range.low;
    const double pad = wide ? 0 : 0.04 * (range.high - range.low), factor = wide ? 1.2 : 1;
    const int height = REST_HEIGHT + ROW_HEIGHT * (int)rows;
    str_addf(
        out,
        "set encoding utf8\n"
        "set terminal svg size %d,%d dynamic noenhanced font \"sans-serif,13\" background \"#ffffff\"\n"
        "set lmargin at screen 0.40\nset rmargin at screen 0.84\nset tmargin at screen %.4f\nset bmargin at screen %.4f\n"
        "unset key\nset xtics nomirror\nunset ytics\nset border 1\nset grid xtics linecolor rgb \"#e4e7eb\"\nset format x \"%%g\"\n"
        "set xlabel \"time of the candidate / time of its baseline: left of 1 is faster\"\n%s",
        WIDTH, height, 1 - 10.0 / height, (REST_HEIGHT - 10.0) / height, wide ? "set logscale x\n" : "");
    str_addf(out, "set xrange [%.9g:%.9g]\nset yrange [-%zu.5:-0.5]\n", range.low / factor - pad,
             range.high * factor + pad, rows);
    str_addf(
        out,
        "set object rectangle from %.9g, graph 0 to %.9g, graph 1 fillcolor rgb \"#e3e8ee\" fillstyle solid noborder "
        "behind\nset arrow from 1, graph 0 to 1, graph 1 nohead linecolor rgb \"#57606a\" dashtype 2 back\n",
        below, above);
}

static void add_data(struct str *out, const struct analysis *a, const char *name,
                     void (*add)(void *to, size_t number, const struct comparison *c))
{
    str_addf(out, "$%s << end_of_data\n", name);
    each_row(a, out, add);
    str_add(out, "end_of_data\n");
}

static void note_independent(void *to, size_t number, const struct comparison *c)
{
    (void)number;
    *(bool *)to |= !c->paired;
}

bool comparison_chart_script(const struct analysis *a, struct str *out)
{
    const size_t count = drawn_count(a), rows = count < CHART_ROWS_MAX ? count : CHART_ROWS_MAX;
    bool independent = false;
    if (!rows)
        return false;
    each_row(a, &independent, note_independent);
    add_axes(out, a, rows);
    each_row(a, out, add_texts);
    add_data(out, a, "intervals", add_interval);
    add_data(out, a, "processes", add_processes);
    if (independent)
        add_data(out, a, "baselines", add_baseline_processes);
    str_addf(
        out,
        "plot $intervals using 2:1:3:4:5 with xerrorbars pointtype 5 pointsize 0.5 linewidth 2.5 linecolor rgb variable, "
        "$processes using 2:1:3 with points pointtype 7 pointsize 0.35 linecolor rgb variable%s\n",
        independent ? ", $baselines using 2:1:3 with points pointtype 6 pointsize 0.45 linecolor rgb variable" : "");
    return true;
}

void comparison_chart_add(const struct analysis *a, struct document *d)
{
    const size_t count = drawn_count(a);
    struct str script;
    str_init(&script);
    if (comparison_chart_script(a, &script)) {
        d->failed |= script.failed;
        document_chart(d, str_text(&script));
        document_span(
            d, SPAN_PLAIN,
            "Bar: the ratio with its interval. Dots: the processes, each as candidate over baseline; of arms that "
            "did not share their processes, over the baseline's median, and as rings the baseline's own. Shaded: "
            "within the margin, no difference.");
        if (count > CHART_ROWS_MAX)
            document_span(d, SPAN_PLAIN, " The first %d of %zu comparisons; the tables have them all.", CHART_ROWS_MAX,
                          count);
    }
    str_release(&script);
}
