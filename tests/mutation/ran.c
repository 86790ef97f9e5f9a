/* SPDX-License-Identifier: Apache-2.0
 * ran.c - notes which functions of the endpoint a SUT runs. `make mutation` links it with the
 * endpoint built by -finstrument-functions, and plays the suite once: a case in which a
 * function does not run needs no mutant of that function. */
#include "tests/mutation/ran.h"

#include <inttypes.h>
#include <stdio.h>

#define QUIET __attribute__((no_instrument_function))
enum { MAX = 4096 };

/* One SUT runs at a time (--jobs 1). */
static uintptr_t ran[MAX];

void __cyg_profile_func_enter(void *function, void *caller) QUIET;
void __cyg_profile_func_exit(void *function, void *caller) QUIET;

void __cyg_profile_func_enter(void *function, void *caller)
{
    uintptr_t at = (uintptr_t)function;

    (void)caller;
    for (size_t i = at / 4 % MAX, n = 0; n < MAX; n++, i = (i + 1) % MAX) {
        if (ran[i] == at)
            return;
        if (ran[i] == 0) {
            ran[i] = at;
            return;
        }
    }
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
}

void mutation_write_ran(int fd)
{
    for (size_t i = 0; i < MAX; i++) {
        /* Relative to a function whose place the symbol table tells. */
        if (ran[i] != 0)
            (void)dprintf(fd, " %" PRIdPTR,
                          (intptr_t)(ran[i] - (uintptr_t)&__cyg_profile_func_enter));
        ran[i] = 0;
    }
}
