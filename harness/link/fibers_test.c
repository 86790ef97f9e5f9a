/* SPDX-License-Identifier: Apache-2.0
 * fibers_test.c - fibers go on where they yielded, keep what is on their stacks, use stacks
 * again, and cannot leave them. */
#include "harness/link/fibers.h"
#include "tests/testing.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIBERS = 64, ROUNDS = 50, FRAME = 2048, CAUGHT = 42, ELSEWHERE = 43, RETURNED = 44 };

struct worker {
    struct tl_fiber *fiber;
    unsigned number, rounds, sum;
    unsigned lost; /* values that were not kept */
    char *log;     /* its digit is appended; or NULL */
    uintptr_t local;
};

/* Its values lie on its stack and in registers. */
static void work(void *arg)
{
    struct worker *w = arg;
    volatile unsigned own[32];
    double real = w->number;
    char digit[2] = {(char)('0' + w->number % 10), 0};

    w->local = (uintptr_t)own;
    for (unsigned i = 0; i < 32; i++)
        own[i] = w->number * 100 + i;
    for (unsigned round = 0; round < w->rounds; round++) {
        if (w->log != NULL)
            strcat(w->log, digit);
        tl_fiber_yield(w->fiber);
        for (unsigned i = 0; i < 32; i++)
            w->lost += own[i] != w->number * 100 + i;
        real = real + 0.5;
        w->sum++;
    }
    w->lost += real > w->number + 0.5 * w->rounds || real < w->number + 0.5 * w->rounds;
    if (w->log != NULL)
        strcat(w->log, "e");
}

static void make(struct worker *w, struct tl_stacks *stacks)
{
    w->fiber = tl_fiber_new(stacks, work, w);
    ck_assert_ptr_nonnull(w->fiber);
}

START_TEST(they_take_turns)
{
    char log[32] = "";
    struct worker a = {.number = 1, .rounds = 2, .log = log};
    struct worker b = {.number = 2, .rounds = 1, .log = log};

    make(&a, NULL);
    make(&b, NULL);
    ck_assert(!tl_fiber_resume(b.fiber));
    ck_assert(!tl_fiber_resume(a.fiber));
    strcat(log, "m");
    ck_assert(!tl_fiber_resume(a.fiber));
    ck_assert(tl_fiber_resume(b.fiber));
    ck_assert(tl_fiber_resume(a.fiber));
    ck_assert_str_eq(log, "21m1ee");
    tl_fiber_free(a.fiber);
    tl_fiber_free(b.fiber);
}
END_TEST

static void play_many(struct tl_stacks *stacks)
{
    static struct worker workers[FIBERS];
    unsigned left = FIBERS;

    memset(workers, 0, sizeof workers);
    for (unsigned i = 0; i < FIBERS; i++) {
        workers[i].number = i;
        workers[i].rounds = ROUNDS + i;
        make(&workers[i], stacks);
    }
    for (unsigned round = 0; left > 0; round++)
        for (unsigned i = 0; i < FIBERS; i++)
            if (round <= workers[i].rounds)
                left -= tl_fiber_resume(workers[i].fiber);
    for (unsigned i = 0; i < FIBERS; i++) {
        ck_assert_uint_eq(workers[i].sum, ROUNDS + i);
        ck_assert_uint_eq(workers[i].lost, 0);
        tl_fiber_free(workers[i].fiber);
    }
}

START_TEST(many_keep_their_values)
{
    play_many(NULL);
}
END_TEST

/* Counts the mappings of the process that are as large as a stack. */
static unsigned mapped(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    unsigned long from, to;
    unsigned count = 0;
    char line[512];

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL)
        count +=
            sscanf(line, "%lx-%lx rw-p", &from, &to) == 2 && to - from == TL_FIBER_STACK_BYTES;
    (void)fclose(f);
    return count;
}

START_TEST(a_stack_is_used_again)
{
    struct tl_stacks *stacks = tl_stacks_new();
    struct worker w = {.rounds = 3};
    uintptr_t first = 0;

    ck_assert_ptr_nonnull(stacks);
    for (unsigned i = 0; i < 5; i++) {
        w.sum = 0;
        make(&w, stacks);
        while (!tl_fiber_resume(w.fiber))
            ;
        ck_assert_uint_eq(w.sum, 3);
        tl_fiber_free(w.fiber);
        first = i == 0 ? w.local : first;
        ck_assert_uint_eq(w.local, first);
    }
    tl_stacks_free(stacks);
}
END_TEST

START_TEST(what_was_mapped_is_unmapped)
{
    struct tl_stacks *stacks = tl_stacks_new();
    unsigned before = mapped();

    ck_assert_ptr_nonnull(stacks);
    play_many(NULL);
    ck_assert_uint_eq(mapped(), before);
    play_many(stacks);
    play_many(stacks);
    ck_assert_uint_eq(mapped(), before + FIBERS);
    tl_stacks_free(stacks);
    ck_assert_uint_eq(mapped(), before);
}
END_TEST

START_TEST(one_that_never_began_is_freed)
{
    struct worker w = {.rounds = 1};

    make(&w, NULL);
    tl_fiber_free(w.fiber);
    tl_fiber_free(NULL);
    tl_stacks_free(NULL);
    ck_assert_uint_eq(w.sum, 0);
}
END_TEST

static void *in_thread(void *stacks)
{
    for (unsigned i = 0; i < 20; i++) {
        struct worker w = {.number = i, .rounds = i};

        make(&w, stacks);
        while (!tl_fiber_resume(w.fiber))
            ;
        ck_assert_uint_eq(w.sum, i);
        tl_fiber_free(w.fiber);
    }
    return NULL;
}

START_TEST(threads_share_stacks)
{
    struct tl_stacks *stacks = tl_stacks_new();
    pthread_t threads[4];

    ck_assert_ptr_nonnull(stacks);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, in_thread, stacks), 0);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    tl_stacks_free(stacks);
}
END_TEST

/* ---- too deep ---- */

static uintptr_t top; /* of the stack that overflows */

static void caught(int signal, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr;
    uintptr_t depth = top - at;

    (void)signal, (void)context;
    _exit(at < top && depth > TL_FIBER_STACK_BYTES - FRAME * 8 &&
                  depth < TL_FIBER_STACK_BYTES + TL_FIBER_GUARD_BYTES
              ? CAUGHT
              : ELSEWHERE);
}

static unsigned descend(unsigned depth)
{
    volatile char frame[FRAME];

    frame[0] = (char)depth;
    if (top == 0)
        top = (uintptr_t)frame;
    if (depth == 0)
        return 0;
    return descend(depth - 1) + (unsigned)frame[0];
}

static void too_deep(void *arg)
{
    (void)arg;
    /* Deeper than this stack and the next ones, which it would destroy. */
    (void)descend((unsigned)(3 * TL_FIBER_STACK_BYTES / FRAME));
}

/* Below the stack that overflows there are other stacks. */
static void overflow(void)
{
    static char other[1 << 16];
    const stack_t alternative = {.ss_sp = other, .ss_size = sizeof other};
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct tl_fiber *fiber = tl_fiber_new(NULL, too_deep, NULL);

    for (unsigned i = 0; i < 4; i++)
        (void)tl_fiber_new(NULL, too_deep, NULL);
    if (fiber == NULL || sigaltstack(&alternative, NULL) != 0 ||
        sigaction(SIGSEGV, &action, NULL) != 0 || sigaction(SIGBUS, &action, NULL) != 0)
        _exit(1);
    (void)tl_fiber_resume(fiber);
    _exit(RETURNED);
}

START_TEST(an_overflow_ends_at_the_guard)
{
    pid_t child = fork();
    int status;

    ck_assert_int_ge(child, 0);
    if (child == 0)
        overflow();
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == CAUGHT, "status %x",
                  (unsigned)status);
}
END_TEST

static void nothing(void *arg)
{
    (void)arg;
}

START_TEST(it_is_not_resumed_after_its_end)
{
    struct tl_fiber *fiber = tl_fiber_new(NULL, nothing, NULL);

    ck_assert(tl_fiber_resume(fiber));
    (void)tl_fiber_resume(fiber);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fibers");
    TCase *tc = tcase_create("fibers");

    tcase_add_test(tc, they_take_turns);
    tcase_add_test(tc, many_keep_their_values);
    tcase_add_test(tc, a_stack_is_used_again);
    tcase_add_test(tc, what_was_mapped_is_unmapped);
    tcase_add_test(tc, one_that_never_began_is_freed);
    tcase_add_test(tc, threads_share_stacks);
    tcase_add_test(tc, an_overflow_ends_at_the_guard);
    test_add_assertion(tc, it_is_not_resumed_after_its_end);
    suite_add_tcase(suite, tc);
    return suite;
}
