/* SPDX-License-Identifier: Apache-2.0
 * fibers.h - functions that take turns in one thread, each on a stack of its own: a fiber goes
 * on until it yields, and then the code that resumed it goes on. Nothing runs at the same time,
 * so what fibers share needs no lock, and a switch costs a few nanoseconds and no system call.
 * (A thread that hands a turn to another thread needs the kernel for it.) Below each stack
 * there is memory that cannot be accessed: too deep a recursion ends the process, and changes
 * nothing else. AddressSanitizer, ThreadSanitizer and valgrind are told about the stacks. */
#ifndef TL_HARNESS_LINK_FIBERS_H
#define TL_HARNESS_LINK_FIBERS_H

#include <stdbool.h>

/* Room on a stack: what a thread has by default. Only the pages that were used take memory. */
#define TL_FIBER_STACK_BYTES (8ul << 20)
/* Memory below a stack that nobody may access. It is more than one page, because the frame of
 * one call may be larger than that. */
#define TL_FIBER_GUARD_BYTES (64ul << 10)

struct tl_fiber;
/* Stacks that are not in use, and are kept for later fibers. Threads may share it. */
struct tl_stacks;

/* NULL when out of memory. */
struct tl_stacks *tl_stacks_new(void);
/* Call it when all fibers on these stacks are freed. NULL is allowed. */
void tl_stacks_free(struct tl_stacks *stacks);

/* Makes a fiber that will call run(arg) when it is resumed first. `stacks` is borrowed; NULL:
 * the stack is not kept for others. NULL when out of memory. */
struct tl_fiber *tl_fiber_new(struct tl_stacks *stacks, void (*run)(void *arg), void *arg);
/* Lets the fiber go on until it yields or ends; true: it has ended. It must not have ended
 * before, and it must always be the same thread that resumes it. */
bool tl_fiber_resume(struct tl_fiber *fiber);
/* The fiber itself calls it. Returns when the fiber is resumed. */
void tl_fiber_yield(struct tl_fiber *fiber);
/* The fiber has ended, or was never resumed. NULL is allowed. */
void tl_fiber_free(struct tl_fiber *fiber);

#endif
