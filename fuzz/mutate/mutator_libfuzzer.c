/* SPDX-License-Identifier: Apache-2.0
 * mutator_libfuzzer.c - the mutator in a program of clang's libFuzzer: every other change is
 * ours, the rest libFuzzer's own. Compiled once a target with FUZZ_TARGET its name. */
#include "fuzz/mutate/mutate.h"

#include <stdlib.h>
#include <string.h>

#ifndef FUZZ_TARGET
#define FUZZ_TARGET frame
#endif

#define FORMAT_OF_ROW(name, max, form, doc) enum { FORMAT_##name = form };
FUZZ_TARGETS(FORMAT_OF_ROW)

#define FORMAT_OF(name) FORMAT_##name
#define FORMAT(name)    FORMAT_OF(name)

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
    struct mutator *mutator = NULL;
    uint8_t *out = NULL;
    size_t n = 0;

    if ((enum fuzz_format)FORMAT(FUZZ_TARGET) == FUZZ_FORMAT_BYTES || seed % 2 == 0)
        return LLVMFuzzerMutate(data, size, max);
    mutator = mutator_new((enum fuzz_format)FORMAT(FUZZ_TARGET), seed);
    out = malloc(max > 0 ? max : 1);
    if (mutator != NULL && out != NULL && max > 0) {
        n = mutate(mutator, (struct fal_span){data, size}, (struct fal_span){NULL, 0}, out,
                   max);
        memcpy(data, out, n);
    }
    free(out);
    mutator_free(mutator);
    return n > 0 ? n : size;
}
