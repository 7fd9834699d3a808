/* Do a task and its solutions become variants, and is an incomplete one refused with its fault? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/runner/cases.h"
#include "collector/runner/judge/judged.h"
#include "collector/runner/judge/task_library.h"
#include "tests/test.h"

static int launches_nothing(void *state, const struct cpprof_call *call)
{
    (void)state, (void)call;
    return 0;
}

TEST(solutions_are_variants_of_their_task)
{
    const char *texts[] = {"v1=" LOADED_SOLUTION, LOADED_TASK, "v2=" LOADED_SOLUTION}; /* the task may come later */
    struct catalogue c = {0};
    struct err e = {0};
    assert_int_equal(catalogue_add_built_in(&c, &e), 0);
    assert_int_equal(catalogue_load_all(&c, texts, 3, &e), 0);
    const struct catalogue_entry *v1 = catalogue_find(&c, "v1");
    assert_non_null(v1);
    assert_ptr_equal(v1, catalogue_find(&c, "double/v1"));
    assert_string_equal(v1->library, "libloaded_solution.so");
    assert_string_equal(v1->variant->summary, "one value per thread");
    assert_string_equal(v1->variant->kernel_pattern, ".");
    assert_true(variant_is_judged(v1->variant));
    assert_false(variant_is_judged(catalogue_find(&c, "pipeline/sync")->variant));
    assert_null(catalogue_find(&c, "sync")); /* only solutions go by a name alone */
    const struct cpprof_config config = {.value = {100}};
    assert_true(v1->variant->bytes(&config) == 800);                         /* 100 floats in, 100 out */
    assert_true(v1->variant->flops(&config) != v1->variant->flops(&config)); /* not known: NAN */
    /* constant, sorted and one-hot, where a task says nothing */
    assert_int_equal(judged_draws(v1->variant), 1u << CPPROF_CONSTANT | 1u << CPPROF_SORTED | 1u << CPPROF_ONE_HOT);
    assert_int_equal(judged_draws(catalogue_find(&c, "pipeline/sync")->variant), 0);
    catalogue_release(&c);
}

/* A library that was compiled before a member was added has none of it. */
TEST(solutions_of_earlier_headers_have_no_set_up)
{
    struct cpprof_solution out, from = {.struct_bytes = offsetof(struct cpprof_solution, set_up),
                                        .abi = CPPROF_TASK_ABI,
                                        .launch = launches_nothing,
                                        .set_up = launches_nothing};
    struct err e = {0};
    assert_int_equal(solution_take(&out, &from, &e), 0);
    assert_null(out.set_up);
    from.struct_bytes = sizeof from;
    assert_int_equal(solution_take(&out, &from, &e), 0);
    assert_true(out.set_up == launches_nothing);
}

TEST(cases_are_chosen_by_names_alone)
{
    const char *texts[] = {LOADED_TASK, "v1=" LOADED_SOLUTION, "v2=" LOADED_SOLUTION}, *names[] = {"v1", "v?"};
    struct catalogue c = {0};
    struct err e = {0};
    struct case_list list = {0};
    assert_int_equal(catalogue_load_all(&c, texts, 3, &e), 0);
    const struct case_request request = {.catalogue = &c, .variants = names, .variant_count = 2, .baseline = "v2"};
    assert_int_equal(case_list_expand(&list, &request, &e), 0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0].name, "double/v2"); /* the baseline first */
    assert_string_equal(list.items[1].name, "double/v1");
    case_list_release(&list);
    catalogue_release(&c);
}

/* Each in a process of its own: a library that was loaded stays as it is. */
static int refusal_of(const char *variable, const char *fault, const char *const *texts, size_t count, char *text,
                      size_t bytes)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (!child) {
        struct catalogue c = {0};
        struct err e = {0};
        if (variable)
            setenv(variable, fault, 1);
        const int rc = catalogue_load_all(&c, texts, count, &e);
        if (write(pipes[1], e.text, strlen(e.text)) < 0 || c.count != 0)
            _exit(1);
        catalogue_release(&c);
        _exit(rc == ERR_USAGE ? 2 : 1);
    }
    close(pipes[1]);
    const ssize_t got = read(pipes[0], text, bytes - 1);
    text[got > 0 ? got : 0] = '\0';
    close(pipes[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(faults_are_refused)
{
    static const char *const both[] = {LOADED_TASK, "v1=" LOADED_SOLUTION}, *const alone[] = {"v1=" LOADED_SOLUTION},
                             *const two[] = {LOADED_TASK, LOADED_TASK}, *const nothing[] = {LOADED_TASK, "v1=./none"},
                             *const same[] = {LOADED_TASK, "v1=" LOADED_SOLUTION, "v1=" LOADED_SOLUTION},
                             *const swapped[] = {LOADED_TASK, "v1=" LOADED_TASK}, *const plain[] = {LOADED_SOLUTION};
    static const struct {
        const char *variable, *fault;
        const char *const *texts;
        size_t count;
        const char *says;
    } faults[] = {
        {"LOADED_TASK_FAULT", "s", both, 1, "its struct_bytes is 8: set it to sizeof(struct cpprof_task)"},
        {"LOADED_TASK_FAULT", "a", both, 1, "it is of ABI 99, this program of 1"},
        {"LOADED_TASK_FAULT", "r", both, 1, "'reference' is NULL"},
        {"LOADED_TASK_FAULT", "i", both, 1, "it has 0 inputs: from 1 to 16 are possible"},
        {"LOADED_TASK_FAULT", "o", both, 1, "it has 1 outputs and no table of them"},
        {"LOADED_TASK_FAULT", "t", both, 1, "its tolerance has no argument"},
        {"LOADED_TASK_FAULT", "n", both, 2, "its name 'no family//v1' is not of the form family/variant"},
        {"LOADED_TASK_FAULT", "c", both, 1, "task 'double': all inputs are constant"},
        {"LOADED_TASK_FAULT", "C", both, 1, "task 'double': 'constant_inputs' is 0x2, and it has 1 inputs"},
        {"LOADED_TASK_FAULT", "N", both, 1, "cpprof_export_task() returned NULL"},
        {"LOADED_SOLUTION_FAULT", "s", both, 2, "its struct_bytes is 8: set it to sizeof(struct cpprof_solution)"},
        {"LOADED_SOLUTION_FAULT", "a", both, 2, "it is of ABI 99, this program of 1"},
        {"LOADED_SOLUTION_FAULT", "l", both, 2, "'launch' is NULL"},
        {"LOADED_SOLUTION_FAULT", "N", both, 2, "cpprof_export_solution() returned NULL"},
        {NULL, "", alone, 1, "a solution needs its task"},
        {NULL, "", two, 2, "a run has one task, and this is the second"},
        {NULL, "", nothing, 2, "No such file or directory"},
        {NULL, "", swapped, 2, "it does not export cpprof_export_solution()"},
        {NULL, "", plain, 1, "it does not export cpprof_variants()"},
    };
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        char text[600];
        const int status =
            refusal_of(faults[i].variable, faults[i].fault, faults[i].texts, faults[i].count, text, sizeof text);
        if (status != 2 || !strstr(text, faults[i].says) || !strstr(text, "cannot load '"))
            fail_msg("fault %zu: status %d, '%s' without '%s'", i, status, text, faults[i].says);
    }
    struct catalogue c = {0};
    struct err e = {0};
    assert_int_equal(catalogue_load_all(&c, same, 3, &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "has one of this name already"));
    catalogue_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_variants_of_their_task),
        cmocka_unit_test(solutions_of_earlier_headers_have_no_set_up),
        cmocka_unit_test(cases_are_chosen_by_names_alone),
        cmocka_unit_test(faults_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
