/* SPDX-License-Identifier: Apache-2.0
 * afl.c - main() for AFL++: a deferred fork server, many inputs a process, inputs in shared
 * memory. Run by hand, or built by another compiler, it takes one input from standard input. */
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS_A_PROCESS = 100000 };

#ifdef __AFL_FUZZ_TESTCASE_LEN
/* AFL++'s macros expand to code that causes warnings, which cannot be fixed here. */
#pragma clang diagnostic ignored "-Wgnu-statement-expression"
#pragma clang diagnostic ignored "-Wshorten-64-to-32"
#pragma clang diagnostic ignored "-Wextra-semi"
__AFL_FUZZ_INIT();
#else
enum { STDIN_MAX = 1 << 20 };
static uint8_t from_stdin[STDIN_MAX];
static size_t from_stdin_len;

static int once(unsigned inputs)
{
    static int done;
    ssize_t n;

    (void)inputs;
    if (done)
        return 0;
    done = 1;
    while (from_stdin_len < STDIN_MAX && (n = read(STDIN_FILENO, from_stdin + from_stdin_len,
                                                   STDIN_MAX - from_stdin_len)) > 0)
        from_stdin_len += (size_t)n;
    return 1;
}

#define __AFL_INIT()            (void)0
#define __AFL_LOOP(n)           once(n)
#define __AFL_FUZZ_TESTCASE_BUF from_stdin
#define __AFL_FUZZ_TESTCASE_LEN from_stdin_len
#endif

int main(void)
{
    const unsigned char *input;
    static const uint8_t nothing[1];

    /* Libraries initialise themselves at their first use: do this before the fork. */
    (void)LLVMFuzzerTestOneInput(nothing, 0);
    __AFL_INIT();
    input = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(INPUTS_A_PROCESS))
        (void)LLVMFuzzerTestOneInput(input, (size_t)__AFL_FUZZ_TESTCASE_LEN);
    return 0;
}
