/* SPDX-License-Identifier: Apache-2.0
 * testing.h - each NAME_test.c defines test_suite(); testing.c is the one main() of them all.
 *
 * Environment: TALON_SEED repeats a property test (decimal or 0x); TALON_TIMES multiplies its
 * rounds. */
#ifndef TL_TESTS_TESTING_H
#define TL_TESTS_TESTING_H

#include <check.h>
#include <stdint.h>

Suite *test_suite(void);

/* The seed of this run: TALON_SEED, or `fallback`. A property test prints the seed of a failing
 * round in its message, in a form that can be given back. */
uint64_t test_seed(uint64_t fallback);

/* The command that repeats this program with that seed; valid until the next call. */
const char *test_again(uint64_t seed);

/* Adds a test that an assertion must end. Without a process for each test (CK_FORK=no) that
 * would end all of them, and the test is left out. */
void test_add_assertion(TCase *tc, const TTest *test);

/* `rounds` times TALON_TIMES (default 1; 0.1 is a tenth), at least one. */
unsigned long test_rounds(unsigned long rounds);

/* Which items of a long table a test looks at: each, or each n-th when TALON_TIMES is 1/n. */
unsigned long test_stride(void);

#endif
