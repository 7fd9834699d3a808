/* Which questions are asked of a bundle, and in which order? */
#include "analyzers/analyzer.h"

#include "analyzers/entries.h"

const struct analyzer analyzer_table[] = {
    {"selection", "did the kernel that was meant really run?", selection_analyze},
    {"program_selection", "did each program do the work that was to be measured?", program_selection_analyze},
    {"correctness", "is it right?", correctness_analyze},
    {"resources", "what does each variant occupy, and is any code the same?", resources_analyze},
    {"timing", "how long does each variant take?", timing_analyze},
    {"witness", "do the witnesses of an arm agree?", witness_analyze},
    {"compare", "is it faster beyond doubt?", compare_analyze},
    {"slowdown", "what does a slower one wait for?", slowdown_analyze},
    {"sweep", "how does it change with the size, and is that latency or bandwidth?", sweep_analyze},
    {"overlap", "what ran at the same time?", overlap_analyze},
    {"launch", "what does it cost to launch it?", launch_analyze},
    {"program_work", "is it the same work each time, and in each program?", program_work_analyze},
    {"bound", "what bounds it?", bound_analyze},
    {"roofline", "how near is it to what its operations and bytes would allow?", roofline_analyze},
    {"prediction", "what would help, and by how much?", prediction_analyze},
    {"hotspots", "where in the code does the time go?", hotspots_analyze},
    {"signals", "did the counters do what was expected of them?", signals_analyze},
    {"transition", "what became different?", transition_analyze},
    {"gain_trend", "how does the gain change with more blocks per SM, and why?", gain_trend_analyze},
    {"latency", "is latency hidden, and by what?", latency_analyze},
};
const size_t analyzer_count = sizeof analyzer_table / sizeof analyzer_table[0];

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
