/* SPDX-License-Identifier: Apache-2.0
 * allocator.h - for one test program each: an allocator that counts what is in use and fails
 * when it is told to. To be included by the NAME_test.c alone.
 *
 * The sanitizers and valgrind bring allocators of their own: allocator_in_charge() is then
 * false, and the figures mean nothing. */
#ifndef TL_TESTS_ALLOCATOR_H
#define TL_TESTS_ALLOCATOR_H

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define OWN_ALLOCATOR 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_ALLOCATOR 0
#endif
#endif
#ifndef OWN_ALLOCATOR
#define OWN_ALLOCATOR 1
#endif

/* Volatile: compilers know that malloc() changes no variable of ours. */
static volatile struct {
    long countdown; /* allocations until one fails, from 1; 0: none will */
    bool failed;    /* one has */
    long blocks;    /* in use */
    long calls;     /* of malloc(), calloc() and realloc() so far */
    size_t bytes, most;
} allocator;

#if OWN_ALLOCATOR

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *p);

static bool allocator_fails(void)
{
    allocator.calls++;
    if (allocator.countdown == 0 || --allocator.countdown > 0)
        return false;
    allocator.failed = true;
    return true;
}

static void *allocator_count(void *p)
{
    if (p == NULL)
        return NULL;
    allocator.blocks++;
    allocator.bytes += malloc_usable_size(p);
    if (allocator.bytes > allocator.most)
        allocator.most = allocator.bytes;
    return p;
}

static void allocator_forget(void *p)
{
    if (p == NULL)
        return;
    allocator.blocks--;
    allocator.bytes -= malloc_usable_size(p);
}

/* Libraries use these, too: objects are compiled with hidden symbols. */
#pragma GCC visibility push(default)
void *malloc(size_t size)
{
    return allocator_fails() ? NULL : allocator_count(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return allocator_fails() ? NULL : allocator_count(__libc_calloc(n, size));
}

void *realloc(void *old, size_t size)
{
    void *p;

    if (allocator_fails())
        return NULL;
    allocator_forget(old);
    p = __libc_realloc(old, size);
    return allocator_count(p != NULL ? p : old);
}

void free(void *p)
{
    allocator_forget(p);
    __libc_free(p);
}
#pragma GCC visibility pop

#endif

static inline bool allocator_in_charge(void)
{
    const char *preloaded = getenv("LD_PRELOAD"); /* valgrind replaces some of these, not all */
    long before = allocator.blocks;
    void *volatile p = malloc(1);
    bool yes = allocator.blocks != before &&
               (preloaded == NULL || strstr(preloaded, "vgpreload") == NULL);

    free(p);
    return yes;
}

#endif
