/* SPDX-License-Identifier: Apache-2.0
 * upper_state.h - the inside of the tester's side of the control protocol, shared by upper.c
 * (what is read) and upper_command.c (what is written). */
#ifndef TL_HARNESS_SESSION_UPPER_STATE_H
#define TL_HARNESS_SESSION_UPPER_STATE_H

#include "harness/session/upper.h"

/* A command that waits for its answer. */
struct tl_upper_asked {
    int64_t id;
    bool reset;
    const struct tl_words *words; /* of which it is one; NULL: of none */
    unsigned word;
    char conn_name[FAL_NAME_MAX];
    char qp[FAL_VERBS_NAME_MAX]; /* the queue pair that the word names, or "" */
};

struct tl_words;       /* harness/wire/words.h */
struct tl_upper_words; /* words/upper_words.h */

struct tl_upper {
    int64_t epoch, last_id;
    int64_t epoch_begin; /* the last id of the epochs before */
    uint64_t seq;        /* of the last event read */
    struct tl_upper_asked *asked;
    size_t num_asked, cap_asked;
    json_t *object; /* the last line, and its text; NULL: it came as an object, and nobody
                       wants its text */
    char *text;
    char *command; /* the text of the last command; likewise */
    bool no_text;
    struct fal_payload_hashes *hashes; /* borrowed, or NULL */
    struct tl_upper_words *words;      /* NULL before the first word */
};

#endif
