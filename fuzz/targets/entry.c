/* SPDX-License-Identifier: Apache-2.0
 * entry.c - what every fuzzer's program of a target has in common: the input in memory of just
 * its length, so that a sanitizer sees what reads beyond, and nothing left in use behind it.
 * Compiled once a target with FUZZ_TARGET its name, and once without for the replayer. */
#include "fuzz/targets/targets.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_broken(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)fputs("fuzz: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    abort();
}

/* Of the sanitizers' run-time library; absent in plain builds. */
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

size_t fuzz_bytes_in_use(void)
{
    return __sanitizer_get_current_allocated_bytes != NULL
               ? __sanitizer_get_current_allocated_bytes()
               : 0;
}

/* Memory that a library keeps after its first use is not a leak; memory that grows with each
 * input is. */
enum { LEAK_ROUNDS = 3 };

void fuzz_run(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
    unsigned grew = 0;

    if (size > target->max_len)
        return;
    for (unsigned round = 0; round < LEAK_ROUNDS && grew == round; round++) {
        size_t before = fuzz_bytes_in_use();
        uint8_t *exact = malloc(size > 0 ? size : 1);

        if (exact == NULL)
            return;
        memcpy(exact, data, size);
        target->run(exact, size);
        free(exact);
        grew += fuzz_bytes_in_use() > before;
    }
    if (grew == LEAK_ROUNDS)
        fuzz_broken("%s: memory is left in use", target->name);
}

#ifdef FUZZ_TARGET
#define NAME_OF(name) #name
#define NAME(name)    NAME_OF(name)
#define ROW(target, max, form, text) \
    {                                \
        .name = #target,             \
        .max_len = (max),            \
        .format = (form),            \
        .doc = (text),               \
    },

/* Only its own target is linked: the others' rows have no function. */
#define RUN_OF(name) fuzz_##name
#define RUN(name)    RUN_OF(name)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct fuzz_target rows[] = {FUZZ_TARGETS(ROW)};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fuzz_target target = rows[i];

        if (strcmp(target.name, NAME(FUZZ_TARGET)) == 0) {
            target.run = RUN(FUZZ_TARGET);
            fuzz_run(&target, data, size);
        }
    }
    return 0;
}
#endif
