/* test.h - what each program of cmocka begins with. */
#ifndef CPPROF_TEST_H
#define CPPROF_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/count_of.h"

/* Begins a test that asks nothing of cmocka's state. */
#define TEST(name) static void name(__attribute__((unused)) void **state)

#endif
