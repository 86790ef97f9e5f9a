/* SPDX-License-Identifier: Apache-2.0
 * logic_subject.h - the transport logic that a command names: a built-in one, a vendor's
 * library (lib:FILE.so), or a model that is a program (exec:COMMAND). The latter two run in a
 * process of their own. */
#ifndef TL_HARNESS_LOGIC_LOGIC_SUBJECT_H
#define TL_HARNESS_LOGIC_LOGIC_SUBJECT_H

#include "codecs/base/error.h"
#include "oracles/logic/setup.h"

struct tl_logic_child;

struct tl_logic_subject {
    const struct fal_logic *logic;
    struct tl_logic_child *child; /* NULL: built in */
};

/* Finds or starts it. Returns 0; FAL_ERR_FORM when the word names none, FAL_ERR_IO when it
 * cannot be started or refuses, FAL_ERR_MEM; with `err`. `answer_s`: seconds for each answer.
 */
MUST_USE int tl_logic_open(struct tl_logic_subject *subject, const char *word,
                           unsigned answer_s, struct fal_error *err);
void tl_logic_close(struct tl_logic_subject *subject);
/* The setup's flow knows the child. */
void tl_logic_bind(const struct tl_logic_subject *subject, struct fal_logic_setup *setup);
/* Becomes true when the child fails (bench.h); NULL for a built-in logic. */
const bool *tl_logic_stop(const struct tl_logic_subject *subject);
/* Returns 0, or FAL_ERR_IO with `err`: why the child failed. */
MUST_USE int tl_logic_failed(const struct tl_logic_subject *subject, struct fal_error *err);

#endif
