/* SPDX-License-Identifier: Apache-2.0
 * upper_words.h - words of upper layers on the tester's side of the control protocol: commands,
 * replies and events become events of the timeline, and each gets the connection that it
 * belongs to. Part of upper.c and upper_command.c. */
#ifndef TL_HARNESS_SESSION_WORDS_UPPER_WORDS_H
#define TL_HARNESS_SESSION_WORDS_UPPER_WORDS_H

#include "harness/session/upper_state.h"
#include "harness/wire/words.h"

/* The connection of a queue pair or an address handle. */
struct tl_upper_name {
    char name[FAL_VERBS_NAME_MAX], conn[FAL_NAME_MAX];
};

/* A post that names an address handle: its completion belongs to the connection of that. */
struct tl_upper_post {
    char qp[FAL_VERBS_NAME_MAX], conn[FAL_NAME_MAX];
    uint64_t wr_id;
};

enum { TL_UPPER_POSTS = 256 }; /* the last ones, that are kept */

struct tl_upper_words {
    union tl_word asked, answered, told; /* the last ones */
    struct tl_upper_name *names;
    size_t num_names, cap_names;
    struct tl_upper_post posts[TL_UPPER_POSTS]; /* a ring */
    size_t num_posts;                           /* so far */
};

/* A command is written: *asked, which waits for its answer, gets what its reply needs. It may
 * be a word of an upper layer; one whose members do not fit their table is left an ordinary
 * command. False when out of memory. */
bool tl_upper_word_asked(struct tl_upper *upper, struct tl_upper_asked *asked,
                         const json_t *command);
/* The same of a command that goes as a struct, which has a word. */
bool tl_upper_word_ordered(struct tl_upper *upper, struct tl_upper_asked *asked,
                           const struct tl_protocol_command *command);
/* Fills `event` of the command that was written last. */
void tl_upper_word_event(const struct tl_upper *upper, const struct tl_upper_asked *asked,
                         struct fal_event *event);

/* Its reply was read (upper->object, or NULL: it has no members). */
enum tl_upper_got tl_upper_word_answered(struct tl_upper *upper,
                                         const struct tl_upper_asked *asked,
                                         struct tl_upper_line *out);
/* An event was read (upper->object). */
enum tl_upper_got tl_upper_word_told(struct tl_upper *upper,
                                     const struct tl_protocol_event *event,
                                     struct tl_upper_line *out);
/* Whether a command has that name. */
bool tl_upper_is_word(const char *verb);

/* An epoch begins: all handles have died. */
void tl_upper_words_forget(struct tl_upper *upper);
void tl_upper_words_free(struct tl_upper *upper);

#endif
