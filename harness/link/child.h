/* SPDX-License-Identifier: Apache-2.0
 * child.h - an implementation in virtual time that runs as a child process: its pipes, its
 * outputs, its end. The tester writes a message and reads the answer; a child that is silent,
 * floods or ends does not hold up the tester (virtual_exec.c, virtual_lib.c). Its standard
 * error is passed on to that of the tester, and its last lines are kept. */
#ifndef TL_HARNESS_LINK_CHILD_H
#define TL_HARNESS_LINK_CHILD_H

#include "codecs/base/error.h"
#include "harness/link/stop.h"

#include <sys/types.h>

enum { TL_CHILD_TAIL = 8192 };

struct tl_child_output {
    struct tl_child_output *next;
    bool is_line; /* of the control channel; else a frame */
    size_t len;
    uint8_t bytes[];
};

struct tl_child_config {
    unsigned answer_s; /* limit of each answer, in seconds of wall-clock time; 0: 30 */
    int warden;        /* is told the child's process group (keeper.h); 0: nobody is */
};

struct tl_child {
    pid_t pid;         /* also its process group; 0: none was started */
    int warden;        /* where the process group is reported (keeper.h); 0: nowhere */
    int to, from, err; /* its input, its output (both may be the same), its standard error */
    bool reaped;       /* waitpid has returned its status */
    int64_t answer_ms; /* wall-clock limit for one answer */
    const char *name;  /* of it in messages, "the SUT's process" */
    char *in;          /* bytes read but not used yet: in_cap bytes */
    size_t in_start, in_end, in_cap;
    bool deaf; /* it does not read its input any more */
    struct tl_child_output *head, *tail, *taken;
    unsigned outputs; /* since the last message */
    struct tl_stop stop;
    struct fal_error why;
    char said[TL_CHILD_TAIL]; /* the end of its standard error */
    size_t said_len;
};

/* Uses what has been read: child->in from in_start to in_end. Returns true when the answer is
 * complete. */
typedef bool tl_child_take(void *ctx);

/* A child that is not started yet. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_child_init(struct tl_child *child, size_t in_cap,
                           const struct tl_child_config *config);
/* A child that served another SUT begins as one that was just started. */
void tl_child_renew(struct tl_child *child, const struct tl_child_config *config);
/* The child runs. */
void tl_child_started(struct tl_child *child, pid_t pid);
/* Writes a message and reads until the answer to it is complete. It does both at once, since
 * the child may write before it has read everything. Returns when the answer is complete or the
 * child has stopped. */
void tl_child_exchange(struct tl_child *child, const void *bytes, size_t len,
                       tl_child_take *take, void *ctx);
/* The child is about to be given a frame. */
void tl_child_frame(struct tl_child *child, const uint8_t *bytes, size_t len, uint64_t now_ns);
/* The child did not keep to its protocol; `what` says how ("sent a line that is ..."). Only
 * the first reason counts. */
void tl_child_fail(struct tl_child *child, const char *what);
static inline bool tl_child_stopped(const struct tl_child *child)
{
    return child->stop.how != TL_STOP_NONE;
}
/* Keeps an output; copied. */
void tl_child_keep(struct tl_child *child, bool is_line, const void *bytes, size_t len);
/* The oldest output, valid until the next call; NULL: there is none. */
const struct tl_child_output *tl_child_next(struct tl_child *child);
/* Ends the child by closing its input, and kills it if that does not help. Frees what the
 * struct holds. */
void tl_child_free(struct tl_child *child);

#endif
