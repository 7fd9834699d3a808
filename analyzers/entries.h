/* entries.h - the questions that are asked of a bundle, in their order: each may read what those say that it needs. A
 * new one is a line here; its function is NAME_analyze. */
#ifndef CPPROF_ENTRIES_H
#define CPPROF_ENTRIES_H

#include <stdint.h>

#include "analyzers/analysis.h"
#include "core/base/err.h"

/* An arm is proven when it ran what was meant, its results are right, and no witness contradicts it. */
#define PROOF                                                                                                          \
    (QUESTION(selection) | QUESTION(program_selection) | QUESTION(correctness) | QUESTION(witness) | QUESTION(receipts))

/* X(NAME, NEEDS, QUESTION): NEEDS are the earlier questions whose rows it reads (tests/unit/analyzers/test_needs.c).
 * Two write into rows of others: receipts into those of selection (whoever needs a proof asks PROOF), prediction into
 * those of bound. */
#define ANALYZER_LIST(X)                                                                                               \
    X(selection, 0, "did the kernel that was meant really run?")                                                       \
    X(program_selection, 0, "did each program do the work that was to be measured?")                                   \
    X(correctness, 0, "is it right?")                                                                                  \
    X(resources, 0, "what does each variant occupy, and is any code the same?")                                        \
    X(timing, 0, "how long does each variant take?")                                                                   \
    X(witness, 0, "do the witnesses of an arm agree?")                                                                 \
    X(receipts, QUESTION(selection) | QUESTION(witness), "does a counter show that each solution did its work?")       \
    X(compare, PROOF | QUESTION(resources), "is it faster beyond doubt?")                                              \
    X(slowdown, QUESTION(compare), "what does a slower one wait for?")                                                 \
    X(sweep, QUESTION(compare), "how does it change with the size, and is that latency or bandwidth?")                 \
    X(overlap, QUESTION(timing), "what ran at the same time?")                                                         \
    X(launch, 0, "what does it cost to launch it?")                                                                    \
    X(program_work, 0, "is it the same work each time, and in each program?")                                          \
    X(bound, QUESTION(resources) | QUESTION(timing) | QUESTION(launch), "what bounds it?")                             \
    X(roofline, QUESTION(bound), "how near is it to what its operations and bytes would allow?")                       \
    X(solutions, PROOF | QUESTION(compare) | QUESTION(timing) | QUESTION(roofline),                                    \
      "does each solution of a task pass, and how fast is it?")                                                        \
    X(prediction, QUESTION(compare) | QUESTION(timing) | QUESTION(bound), "what would help, and by how much?")         \
    X(inside, PROOF | QUESTION(resources), "what happens inside it, and is its copying hidden?")                       \
    X(progress, 0, "does each launch end, and where are its warps if not?")                                            \
    X(slack, PROOF | QUESTION(resources) | QUESTION(inside),                                                           \
      "how much later may each phase begin before it costs time?")                                                     \
    X(hotspots, 0, "where in the code does the time go?")                                                              \
    X(counters_as_expected, 0, "did the counters do what was expected of them?")                                       \
    X(transition, QUESTION(resources) | QUESTION(compare) | QUESTION(bound), "what became different?")                 \
    X(gain_trend, QUESTION(compare), "how does the gain change with more blocks per SM, and why?")                     \
    X(latency, QUESTION(compare), "is latency hidden, and by what?")

#define QUESTION_NUMBER(name, needs, question) question_##name,
enum question_number { ANALYZER_LIST(QUESTION_NUMBER) QUESTION_COUNT };
#undef QUESTION_NUMBER

/* A set of questions is a sum of these. */
#define QUESTION(name) (UINT32_C(1) << question_##name)
#define QUESTIONS_ALL  ((UINT32_C(1) << QUESTION_COUNT) - 1)

/* Nothing to go by is no error: each adds what it can. */
#define ANALYZER_ENTRY(name, needs, question) int name##_analyze(struct analysis *a, struct err *e);
ANALYZER_LIST(ANALYZER_ENTRY)
#undef ANALYZER_ENTRY

#endif
