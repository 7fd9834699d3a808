/* reason.h - the reasons of a question's verdict: one list gives the enum and the table with the key of JSON and rules
 * and the sentence for people. So a reason cannot lack either, and is compared as a value. */
#ifndef CPPROF_REASON_H
#define CPPROF_REASON_H

struct reason {
    const char *key;      /* "too_few_processes"; "" for none */
    const char *sentence; /* without numbers; "" where another text says it */
};

/* A list is a macro XXX_REASONS(X) of lines X(CODE, key, sentence). Its first line is what an empty row has.
 * enum xxx_reason {XXX_REASONS(REASON_CODE)};
 * const struct reason xxx_reasons[] = {XXX_REASONS(REASON_ROW)}; */
#define REASON_CODE(code, key, sentence) code,
#define REASON_ROW(code, key, sentence)  [code] = {key, sentence},

#endif
