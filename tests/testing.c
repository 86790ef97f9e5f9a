/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/testing.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t test_seed(uint64_t fallback)
{
    const char *text = getenv("TALON_SEED");

    return text != NULL ? strtoull(text, NULL, 0) : fallback;
}

const char *test_again(uint64_t seed)
{
    static char text[512];

    (void)snprintf(text, sizeof text, "TALON_SEED=%llu %s", (unsigned long long)seed,
                   program_invocation_name);
    return text;
}

void test_add_assertion(TCase *tc, const TTest *test)
{
    const char *fork = getenv("CK_FORK");

    if (fork == NULL || strcmp(fork, "no") != 0)
        tcase_add_test_raise_signal(tc, test, SIGABRT);
}

unsigned long test_rounds(unsigned long rounds)
{
    const char *text = getenv("TALON_TIMES");
    double scaled = text != NULL ? (double)rounds * strtod(text, NULL) : (double)rounds;

    return scaled < 1 ? 1 : (unsigned long)scaled;
}

unsigned long test_stride(void)
{
    return 100 / test_rounds(100) + (100 % test_rounds(100) != 0);
}

int main(void)
{
    SRunner *runner = srunner_create(test_suite());
    int failed;

    srunner_run_all(runner, CK_ENV); /* CK_VERBOSITY, CK_FORK, CK_TAP_LOG_FILE_NAME */
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
