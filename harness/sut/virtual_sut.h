/* SPDX-License-Identifier: Apache-2.0
 * virtual_sut.h - the interface to an implementation in virtual time: the built-in one, a
 * library (talon_sut.h), or a process in lockstep (docs/sut-protocol.md, "Lockstep"). The
 * simulated link drives them all in the same way. */
#ifndef TL_HARNESS_SUT_VIRTUAL_SUT_H
#define TL_HARNESS_SUT_VIRTUAL_SUT_H

#include "codecs/base/error.h"
#include "harness/link/child.h"
#include "harness/sut/slow.h"
#include "harness/sut/sut.h"

struct tl_virtual_sut;
struct tl_lib_host; /* lib_host.h */

struct tl_virtual_sut_ops {
    void (*frame)(struct tl_virtual_sut *sut, const uint8_t *bytes, size_t len,
                  struct tl_sut_ip ip, uint64_t now_ns);
    void (*line)(struct tl_virtual_sut *sut, const char *line, size_t len, uint64_t now_ns);
    /* The same of a line as a JSON object (borrowed). NULL: it takes text only. */
    void (*object)(struct tl_virtual_sut *sut, json_t *object, uint64_t now_ns);
    /* The same of a command as a struct (tl_sut_command_in). NULL likewise. */
    void (*command)(struct tl_virtual_sut *sut, struct tl_protocol_command *command,
                    uint64_t now_ns);
    void (*tick)(struct tl_virtual_sut *sut, uint64_t now_ns);
    /* Returns when its next timer is due, FAL_NEVER when none is set. */
    uint64_t (*deadline)(struct tl_virtual_sut *sut);
    /* Gets its next output, oldest first, valid until the next call; `conn` is 0. False: none.
     */
    bool (*next)(struct tl_virtual_sut *sut, struct tl_sut_out *out);
    /* Returns why the SUT has failed, or NULL. */
    const char *(*broken)(struct tl_virtual_sut *sut);
    /* How it stopped, of a SUT that runs as a child process; valid until `free`. NULL: it does
     * not run as one. */
    const struct tl_stop *(*stopped)(struct tl_virtual_sut *sut);
    /* As of struct tl_link_ops; NULL: not known. */
    void (*faults)(const struct tl_virtual_sut *sut, uint64_t *chances, uint64_t *acts);
    void (*free)(struct tl_virtual_sut *sut);
};

/* The members that every implementation has. Its functions have these names in its file. */
#define TL_VIRTUAL_SUT_OPS                                                          \
    .frame = frame, .line = line, .tick = tick, .deadline = deadline, .next = next, \
    .broken = broken, .free = release

struct tl_virtual_sut {
    const struct tl_virtual_sut_ops *ops;
};

/* Each function returns a SUT that the caller frees with ops->free, or NULL with `err`. */
struct tl_virtual_sut *tl_virtual_builtin(const struct tl_sut_config *config,
                                          struct fal_error *err);
/* The built-in SUT `inner`, which it owns, with packets that leave late; `inner` itself if
 * `how` is not given. NULL with `err`, and when `inner` is NULL. */
struct tl_virtual_sut *tl_virtual_slow(struct tl_virtual_sut *inner, const struct tl_slow *how,
                                       uint64_t seed, struct fal_error *err);
/* How a library is started. */
struct tl_lib_config {
    struct tl_child_config child;
    uint64_t seed;
    bool fresh;               /* in a process that no other SUT has run in */
    struct tl_lib_host *host; /* starts the child (lib_host.h); NULL: one of its own, and no
                                 other thread runs now */
};

/* `path` names a shared library, which a child process loads and drives. For both: the caller's
 * program must ignore SIGPIPE, since the child may end before it is written to. */
struct tl_virtual_sut *tl_virtual_lib(const char *path, const struct tl_lib_config *config,
                                      struct fal_error *err);
/* `command` is run by the shell and communicates by its standard input and output. */
struct tl_virtual_sut *tl_virtual_exec(const char *command, uint64_t seed,
                                       const struct tl_child_config *config,
                                       struct fal_error *err);

#endif
