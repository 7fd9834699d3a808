/* Do the rules hold? One line that says so, then every rule. */
#include "core/base/count_of.h"
#include "reports/rule_rows.h"

/* The statuses that are worth a word, the good one first. */
static const enum rule_status order[] = {RULE_PASS, RULE_FAIL, RULE_VACUOUS, RULE_INCONCLUSIVE};

static const char *count_words(struct arena *arena, const struct rule_results *results)
{
    static const char *const words[RULE_STATUSES] = {
        [RULE_PASS] = "pass", [RULE_FAIL] = "fail", [RULE_VACUOUS] = "vacuous", [RULE_INCONCLUSIVE] = "inconclusive"};
    size_t counts[RULE_STATUSES], rules = 0;
    rule_results_count(results, counts);
    for (size_t i = 0; i < RULE_STATUSES; i++)
        rules += counts[i];
    const char *text = arena_printf(arena, "%zu %s: ", rules, rules == 1 ? "rule" : "rules");
    const char *comma = "";
    for (size_t i = 0; i < COUNT_OF(order); i++)
        if (counts[order[i]]) {
            text = arena_printf(arena, "%s%s%zu %s", text, comma, counts[order[i]], words[order[i]]);
            comma = ", ";
        }
    return text;
}

int report_check(const struct check_report *r, struct document *out, struct err *e)
{
    document_paragraph(out);
    document_span(out, SPAN_STRONG, "%s", count_words(&out->arena, r->results));
    document_span(out, SPAN_PLAIN, " on ");
    document_span(out, SPAN_CODE, "%s", r->source);
    rule_rows_headline(r, "all rules hold", out);
    rule_rows_add(r, out);
    rule_rows_caveats(r, out);
    return out->failed ? err_memory(e) : 0;
}

json_t *json_check(const struct check_report *r)
{
    size_t counts[RULE_STATUSES];
    rule_results_count(r->results, counts);
    json_t *rules = json_object();
    for (size_t i = 0; i < COUNT_OF(order); i++)
        json_object_set_new(rules, rule_status_name(order[i]), json_integer((json_int_t)counts[order[i]]));
    return json_pack("{ss so so so so}", "schema", "cpprof.check/1", "source", json_text(r->source), "rules", rules,
                     "assertions", json_assertions(r), "caveats", json_caveats(r));
}

json_t *json_check_error(const struct check_failure *f)
{
    return json_pack("{ss so so}", "schema", "cpprof.check/1", "source", json_text(f->source), "error",
                     json_text(f->why));
}
