/* SPDX-License-Identifier: Apache-2.0
 * failing_openssl_test.h - for one test program each: an allocator for OpenSSL
 * (CRYPTO_set_mem_functions) that fails at the n-th call from now, n in fail_at. */
#ifndef FAL_CODECS_SEAL_FAILING_OPENSSL_TEST_H
#define FAL_CODECS_SEAL_FAILING_OPENSSL_TEST_H

#include <stdbool.h>
#include <stdlib.h>

static long fail_at = -1;

static bool fails(void)
{
    return fail_at > 0 && --fail_at == 0;
}

static void *test_malloc(size_t n, const char *where, int line)
{
    (void)where;
    (void)line;
    return fails() ? NULL : malloc(n);
}

static void *test_realloc(void *p, size_t n, const char *where, int line)
{
    (void)where;
    (void)line;
    return fails() ? NULL : realloc(p, n);
}

static void test_free(void *p, const char *where, int line)
{
    (void)where;
    (void)line;
    free(p);
}

#endif
