/* SPDX-License-Identifier: Apache-2.0
 * results_read_impl.h - between the files of the reader of results. */
#ifndef TL_REPORTS_RESULTS_RESULTS_READ_IMPL_H
#define TL_REPORTS_RESULTS_RESULTS_READ_IMPL_H

#include "codecs/base/arena.h"
#include "codecs/base/error.h"
#include "reports/results/results.h"

#include <jansson.h>

/* Reads members of one object; the first thing that is wrong stays in *err. */
struct tl_take {
    const json_t *object;
    struct fal_arena *arena; /* where texts are kept */
    struct fal_error *err;
    int rc;
};

/* Of a member that may be missing: NULL, 0, false. */
const char *tl_take_text(struct tl_take *take, const char *key);
char *tl_take_own(struct tl_take *take, const char *key); /* the caller frees it */
uint64_t tl_take_number(struct tl_take *take, const char *key);
bool tl_take_flag(const struct tl_take *take, const char *key);
/* "0x..." or decimal, in a text. */
uint64_t tl_take_seed(struct tl_take *take, const char *key);
enum fal_verdict tl_take_verdict(struct tl_take *take, const char *key);
/* Which of `n` names the member is; -1 where it is missing. */
MUST_USE int tl_take_word(struct tl_take *take, const char *key, const char *(*name)(int i),
                          int n);
/* The array, or NULL; all of its items must be objects. */
const json_t *tl_take_list(struct tl_take *take, const char *key);
/* A member that must be there. */
void tl_take_must(struct tl_take *take, const char *key, json_type type);
/* A text as it is kept: NUL becomes U+FFFD. */
char *tl_take_copy(struct tl_take *take, const json_t *text);
/* Says what is wrong, once. */
void tl_take_fail(struct tl_take *take, int rc, const char *key, const char *what);

/* By its id; one that the catalogue does not have is made. NULL when out of memory. */
const struct fal_requirement *tl_take_requirement(struct tl_take *take, const char *id,
                                                  const char *text);
const struct fal_rule *tl_take_rule(struct tl_take *take, const char *id);

/* A case. 0, or an error with `err`; *out may hold something even then. */
MUST_USE int tl_case_read(const json_t *json, struct tl_case *out, struct fal_error *err);

#endif
