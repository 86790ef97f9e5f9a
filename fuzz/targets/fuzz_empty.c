/* SPDX-License-Identifier: Apache-2.0
 * fuzz_empty.c - does nothing: what other targets' speed is measured against. */
#include "fuzz/targets/targets.h"

void fuzz_empty(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
}
