/* entries.h - the questions that are asked of a bundle, in their order: each may read what earlier ones said. A new one
 * is a line here; its function is NAME_analyze. */
#ifndef CPPROF_ENTRIES_H
#define CPPROF_ENTRIES_H

#include "analyzers/analysis.h"
#include "core/base/err.h"

/* X(NAME, QUESTION) */
#define ANALYZER_LIST(X)                                                                                               \
    X(selection, "did the kernel that was meant really run?")                                                          \
    X(program_selection, "did each program do the work that was to be measured?")                                      \
    X(correctness, "is it right?")                                                                                     \
    X(resources, "what does each variant occupy, and is any code the same?")                                           \
    X(timing, "how long does each variant take?")                                                                      \
    X(witness, "do the witnesses of an arm agree?")                                                                    \
    X(receipts, "does a counter show that each solution did its work?")                                                \
    X(compare, "is it faster beyond doubt?")                                                                           \
    X(slowdown, "what does a slower one wait for?")                                                                    \
    X(sweep, "how does it change with the size, and is that latency or bandwidth?")                                    \
    X(overlap, "what ran at the same time?")                                                                           \
    X(launch, "what does it cost to launch it?")                                                                       \
    X(program_work, "is it the same work each time, and in each program?")                                             \
    X(bound, "what bounds it?")                                                                                        \
    X(roofline, "how near is it to what its operations and bytes would allow?")                                        \
    X(solutions, "does each solution of a task pass, and how fast is it?")                                             \
    X(prediction, "what would help, and by how much?")                                                                 \
    X(inside, "what happens inside it, and is its copying hidden?")                                                    \
    X(progress, "does each launch end, and where are its warps if not?")                                               \
    X(slack, "how much later may each phase begin before it costs time?")                                              \
    X(hotspots, "where in the code does the time go?")                                                                 \
    X(counters_as_expected, "did the counters do what was expected of them?")                                          \
    X(transition, "what became different?")                                                                            \
    X(gain_trend, "how does the gain change with more blocks per SM, and why?")                                        \
    X(latency, "is latency hidden, and by what?")

/* Nothing to go by is no error: each adds what it can. */
#define ANALYZER_ENTRY(name, question) int name##_analyze(struct analysis *a, struct err *e);
ANALYZER_LIST(ANALYZER_ENTRY)
#undef ANALYZER_ENTRY

#endif
