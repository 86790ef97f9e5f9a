/* SPDX-License-Identifier: Apache-2.0
 * fibers.c - stacks, and the switch between them. makecontext begins a fiber. From then on
 * _setjmp and _longjmp switch, because swapcontext makes a system call for the mask of signals,
 * which is the same for all fibers. The sanitizers know swapcontext and do not know such a use
 * of _longjmp, so swapcontext switches for them. */

/* With it, _longjmp ends the process if it does not jump to a caller. */
#undef _FORTIFY_SOURCE

#include "harness/link/fibers.h"

#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__has_feature)
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS(address_sanitizer)
#define ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || HAS(thread_sanitizer)
#define TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#if defined(ASAN) || defined(TSAN)
#define SANITIZED 1
#endif
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(from, to) 0u
#define VALGRIND_STACK_DEREGISTER(id)     (void)(id)
#endif

/* Where the fiber, or the code that resumed it, goes on. */
struct place {
#ifdef SANITIZED
    ucontext_t at;
#else
    jmp_buf at;
#endif
#ifdef ASAN
    void *fake_stack; /* of AddressSanitizer */
    const void *bottom;
    size_t bytes;
#endif
#ifdef TSAN
    void *tsan;
#endif
};

struct tl_fiber {
    struct tl_fiber *next; /* of those that are not in use */
    struct tl_stacks *stacks;
    char *map; /* the guard, then the stack */
    unsigned valgrind;
    void (*run)(void *arg);
    void *arg;
    bool begun, ended;
    ucontext_t entry;
    struct place inside, outside;
};

struct tl_stacks {
    pthread_mutex_t lock;
    struct tl_fiber *unused;
};

/* ---- stacks ---- */

static char *stack_of(const struct tl_fiber *fiber)
{
    return fiber->map + TL_FIBER_GUARD_BYTES;
}

static void unmap(struct tl_fiber *fiber)
{
    VALGRIND_STACK_DEREGISTER(fiber->valgrind);
    (void)munmap(fiber->map, TL_FIBER_GUARD_BYTES + TL_FIBER_STACK_BYTES);
    free(fiber);
}

static struct tl_fiber *map(void)
{
    struct tl_fiber *fiber = calloc(1, sizeof *fiber);

    if (fiber == NULL)
        return NULL;
    fiber->map = mmap(NULL, TL_FIBER_GUARD_BYTES + TL_FIBER_STACK_BYTES, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (fiber->map == MAP_FAILED) {
        free(fiber);
        return NULL;
    }
    fiber->valgrind =
        VALGRIND_STACK_REGISTER(stack_of(fiber), stack_of(fiber) + TL_FIBER_STACK_BYTES - 1);
    if (mprotect(stack_of(fiber), TL_FIBER_STACK_BYTES, PROT_READ | PROT_WRITE) != 0) {
        unmap(fiber);
        return NULL;
    }
    /* A huge page would be cleared for the few kilobytes that are used. */
    (void)madvise(stack_of(fiber), TL_FIBER_STACK_BYTES, MADV_NOHUGEPAGE);
    return fiber;
}

struct tl_stacks *tl_stacks_new(void)
{
    struct tl_stacks *stacks = calloc(1, sizeof *stacks);

    if (stacks != NULL && pthread_mutex_init(&stacks->lock, NULL) != 0) {
        free(stacks);
        return NULL;
    }
    return stacks;
}

void tl_stacks_free(struct tl_stacks *stacks)
{
    if (stacks == NULL)
        return;
    while (stacks->unused != NULL) {
        struct tl_fiber *fiber = stacks->unused;

        stacks->unused = fiber->next;
        unmap(fiber);
    }
    (void)pthread_mutex_destroy(&stacks->lock);
    free(stacks);
}

/* NULL: none is unused. */
static struct tl_fiber *take(struct tl_stacks *stacks)
{
    struct tl_fiber *fiber;

    (void)pthread_mutex_lock(&stacks->lock);
    fiber = stacks->unused;
    if (fiber != NULL)
        stacks->unused = fiber->next;
    (void)pthread_mutex_unlock(&stacks->lock);
    return fiber;
}

struct tl_fiber *tl_fiber_new(struct tl_stacks *stacks, void (*run)(void *arg), void *arg)
{
    struct tl_fiber *fiber = stacks != NULL ? take(stacks) : NULL;

    if (fiber == NULL)
        fiber = map();
    if (fiber == NULL)
        return NULL;
    fiber->stacks = stacks;
    fiber->run = run;
    fiber->arg = arg;
    fiber->begun = fiber->ended = false;
    fiber->inside = fiber->outside = (struct place){0};
#ifdef ASAN
    fiber->inside.bottom = stack_of(fiber);
    fiber->inside.bytes = TL_FIBER_STACK_BYTES;
    __asan_unpoison_memory_region(stack_of(fiber), TL_FIBER_STACK_BYTES);
#endif
#ifdef TSAN
    fiber->inside.tsan = __tsan_create_fiber(0);
#endif
    return fiber;
}

void tl_fiber_free(struct tl_fiber *fiber)
{
    struct tl_stacks *stacks;

    if (fiber == NULL)
        return;
    assert(fiber->ended || !fiber->begun);
#ifdef TSAN
    __tsan_destroy_fiber(fiber->inside.tsan);
#endif
    stacks = fiber->stacks;
    if (stacks == NULL) {
        unmap(fiber);
        return;
    }
    (void)pthread_mutex_lock(&stacks->lock);
    fiber->next = stacks->unused;
    stacks->unused = fiber;
    (void)pthread_mutex_unlock(&stacks->lock);
}

/* ---- the switch ---- */

/* ThreadSanitizer counts calls and returns on each stack: a function that is entered on one
 * stack cannot return on another. */
#define INLINE static inline __attribute__((always_inline))

/* Says that the stack of `to` will be used; `ends`: and that of `from` never again. */
INLINE void announce(struct place *from, const struct place *to, bool ends)
{
#ifdef ASAN
    __sanitizer_start_switch_fiber(ends ? NULL : &from->fake_stack, to->bottom, to->bytes);
#endif
#ifdef TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    (void)from, (void)to, (void)ends;
}

/* Says that the stack of `here` is used; `before`: that of the other end, which is learned. */
INLINE void arrive(const struct place *here, struct place *before)
{
#ifdef ASAN
    __sanitizer_finish_switch_fiber(here->fake_stack, &before->bottom, &before->bytes);
#endif
    (void)here, (void)before;
}

/* The code at the place goes on. */
INLINE void go(struct place *to)
{
#ifdef SANITIZED
    (void)setcontext(&to->at);
#else
    _longjmp(to->at, 1);
#endif
    abort();
}

/* Leaves the stack on which the function runs, and returns when it is used again. `entry`: of a
 * fiber that begins; NULL: it goes on. */
static void leave(struct place *from, struct place *to, ucontext_t *entry)
{
#ifdef SANITIZED
    volatile bool left = false;

    (void)getcontext(&from->at);
    if (left)
        return;
    left = true;
#else
    if (_setjmp(from->at) != 0)
        return;
#endif
    announce(from, to, false);
    if (entry != NULL)
        (void)setcontext(entry);
    go(to);
}

/* The first function on a stack. makecontext hands over int alone. */
static void enter(unsigned high, unsigned low)
{
    uint64_t self = (uint64_t)high << 32 | low;
    struct tl_fiber *fiber =
        (struct tl_fiber *)(uintptr_t)self; // NOLINT(performance-no-int-to-ptr)

    arrive(&fiber->inside, &fiber->outside);
    fiber->run(fiber->arg);
    fiber->ended = true;
    announce(&fiber->inside, &fiber->outside, true);
    go(&fiber->outside);
}

/* Makes the place where a fiber begins. */
static void prepare(struct tl_fiber *fiber)
{
    uint64_t self = (uintptr_t)fiber;

    (void)getcontext(&fiber->entry);
    fiber->entry.uc_stack.ss_sp = stack_of(fiber);
    fiber->entry.uc_stack.ss_size = TL_FIBER_STACK_BYTES;
    fiber->entry.uc_link = NULL;
    makecontext(&fiber->entry, (void (*)(void))enter, 2, (unsigned)(self >> 32),
                (unsigned)self);
}

bool tl_fiber_resume(struct tl_fiber *fiber)
{
    bool begins = !fiber->begun;

    assert(!fiber->ended);
    if (begins)
        prepare(fiber);
    fiber->begun = true;
#ifdef TSAN
    fiber->outside.tsan = __tsan_get_current_fiber();
#endif
    leave(&fiber->outside, &fiber->inside, begins ? &fiber->entry : NULL);
    arrive(&fiber->outside, &fiber->inside);
    return fiber->ended;
}

void tl_fiber_yield(struct tl_fiber *fiber)
{
    leave(&fiber->inside, &fiber->outside, NULL);
    arrive(&fiber->inside, &fiber->outside);
}
