/* SPDX-License-Identifier: Apache-2.0
 * lib_host.h - starts the child processes in which libraries run (talon_sut.h): a small process
 * that forks one for each SUT. It is forked from the tester while that has one thread, since a
 * process with several threads cannot be forked and then load a library. */
#ifndef TL_HARNESS_SUT_LIB_HOST_H
#define TL_HARNESS_SUT_LIB_HOST_H

#include "codecs/base/error.h"
#include "harness/link/child.h"

#include <stdint.h>
#include <sys/types.h>

struct tl_lib_host;

/* The argument by which `talon` becomes such a process (tl_lib_host_run). */
#define TL_LIB_HOST_VERB "lib-host"

/* Call it while no other thread runs. `program`: the path of `talon`; NULL: the process is a
 * copy of the caller's. The caller frees it with tl_lib_host_end. Returns 0, or FAL_ERR_IO,
 * FAL_ERR_MEM with `err`. */
MUST_USE int tl_lib_host_start(struct tl_lib_host **out, const char *program,
                               struct fal_error *err);
/* Serves the tester, which is connected to descriptor 3, until it ends. */
void tl_lib_host_run(void);
/* Starts a child that loads the library at `path` and drives it by the messages below,
 * which come over `channel`; its standard output and error go to `said`. May be called by any
 * thread. The child is a child of the caller's process. Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_lib_host_fork(struct tl_lib_host *host, const char *path, int channel, int said,
                              pid_t *pid, struct fal_error *err);
/* Takes a child that has unloaded its library and waits for the next; false: there is none. */
bool tl_lib_host_take(struct tl_lib_host *host, struct tl_child *child);
/* Keeps such a child; false: it keeps enough. */
bool tl_lib_host_keep(struct tl_lib_host *host, const struct tl_child *child);
/* Ends the children that it keeps. NULL: nothing happens. */
void tl_lib_host_end(struct tl_lib_host *host);

/* ---- the messages ----
 * Both ends run the same program, so they are structs as they lie in memory. The child answers
 * each message by any number of outputs and one TL_LIB_DONE, or by one TL_LIB_FAILED. */

enum {
    TL_LIB_BYTES_MAX = 65536,   /* limit of a frame or a line */
    TL_LIB_OUTPUTS_MAX = 100000 /* limit of outputs after one message */
};

enum tl_lib_do {
    TL_LIB_CREATE, /* loads the library; `now_ns` is the seed */
    TL_LIB_FRAME,
    TL_LIB_LINE,
    TL_LIB_TICK,
    TL_LIB_DESTROY, /* unloads the library; CREATE may follow */
};

/* `len` bytes follow. */
struct tl_lib_message {
    uint64_t now_ns;
    uint32_t what, len;
    uint8_t ecn, ttl; /* of a frame */
};

enum tl_lib_say { TL_LIB_SAYS_FRAME, TL_LIB_SAYS_LINE, TL_LIB_DONE, TL_LIB_FAILED };

/* `len` bytes follow: a frame, a line, the text of a failure. */
struct tl_lib_answer {
    uint64_t next_ns; /* DONE: when the next timer is due */
    uint32_t what, len;
};

/* Drives the library at `path` until the channel ends, in a process of its own. Returns its
 * exit status. */
int tl_lib_serve(const char *path, int channel);

#endif
