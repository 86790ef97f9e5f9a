/* SPDX-License-Identifier: Apache-2.0
 * logic_child.h - a transport logic in a process of its own. A library is served in a fork by
 * records of fixed size; a program reads and writes lines of JSON (docs/transport-logic.md). */
#ifndef TL_HARNESS_LOGIC_LOGIC_CHILD_H
#define TL_HARNESS_LOGIC_LOGIC_CHILD_H

#include "codecs/base/error.h"
#include "oracles/logic/logic.h"

enum tl_logic_do { TL_LOGIC_HELLO, TL_LOGIC_INIT, TL_LOGIC_INCOMING, TL_LOGIC_PERIODIC };

enum { TL_LOGIC_WHY = 300 };

/* Between this process and the fork that serves a library. The pointers in it are not used. */
struct tl_logic_record {
    enum tl_logic_do what;
    struct fal_logic_config config; /* of INIT */
    struct fal_logic_in in;         /* of INCOMING, PERIODIC */
    struct fal_logic_flow flow;     /* before; in the answer after */
    struct fal_logic logic;         /* of the answer to HELLO */
    char why[TL_LOGIC_WHY];         /* of the answer to HELLO: why it is refused; else empty */
};

struct tl_logic_child;

/* Starts it and asks for its name. Returns 0, or FAL_ERR_IO, FAL_ERR_MEM with `err`. */
MUST_USE int tl_logic_child_open(struct tl_logic_child **out, bool library, const char *what,
                                 unsigned answer_s, struct fal_error *err);
/* NULL is allowed. */
void tl_logic_child_close(struct tl_logic_child *child);
/* Its logic: the functions ask the process. config.context of its flows is the child. */
const struct fal_logic *tl_logic_child_logic(const struct tl_logic_child *child);
const bool *tl_logic_child_stop(const struct tl_logic_child *child);
const char *tl_logic_child_why(const struct tl_logic_child *child);

/* Serves the library on that socket until it closes. Returns the exit status. */
int tl_logic_serve(const char *path, int in, int out);

#endif
