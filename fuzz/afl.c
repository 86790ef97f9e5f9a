/* SPDX-License-Identifier: Apache-2.0
 * afl.c - main() for AFL++: a deferred fork server, many inputs a process, inputs in shared
 * memory. Run by hand, without afl-fuzz, it takes one input from standard input. */
#include "fuzz/targets.h"

#include <unistd.h>

#ifndef __AFL_FUZZ_TESTCASE_LEN
#error "this file is for afl-clang-fast"
#endif

enum { INPUTS_A_PROCESS = 100000 };

__AFL_FUZZ_INIT();

int main(void)
{
    const unsigned char *input;
    static const uint8_t nothing[1];

    /* What libraries do at their first use is done before the fork. */
    (void)LLVMFuzzerTestOneInput(nothing, 0);
    __AFL_INIT();
    input = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(INPUTS_A_PROCESS))
        (void)LLVMFuzzerTestOneInput(input, (size_t)__AFL_FUZZ_TESTCASE_LEN);
    return 0;
}
