/* Which questions are asked of a bundle, and in which order? */
#include "analyzers/analyzer.h"

#include "analyzers/entries.h"
#include "core/base/count_of.h"

#define ANALYZER_ROW(name, question) {#name, question, name##_analyze},
const struct analyzer analyzer_table[] = {ANALYZER_LIST(ANALYZER_ROW)};
#undef ANALYZER_ROW
const size_t analyzer_count = COUNT_OF(analyzer_table);

int analyzers_run(struct analysis *a, struct err *e)
{
    const int rc = analysis_join(a, e);
    if (rc)
        return rc;
    for (size_t i = 0; i < analyzer_count; i++)
        if (analyzer_table[i].run(a, e))
            return err_context(e, "while asking '%s'", analyzer_table[i].question);
    return 0;
}
