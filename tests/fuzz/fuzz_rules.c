/* Does the rule parser survive any text? */
#include <stdlib.h>
#include <string.h>

#include "rules/rules.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rule_list *rules;
    struct err e = {0};
    char *text = malloc(size + 1);
    if (!text || rule_list_new(&rules, &e))
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        int rc = rule_list_add(rules, line, "fuzz", &e);
        if (rc > 0 || (rc && !*e.text))
            abort();
    }
    rule_list_free(rules);
    free(text);
    return 0;
}
