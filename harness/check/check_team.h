/* SPDX-License-Identifier: Apache-2.0
 * check_team.h - several threads judge a capture. One thread reads it; each of the others
 * judges the connections between some of the hosts, with judges of its own (a part). What the
 * judges of all connections must agree on, they ask for in the order of the frames, so the
 * results are those of one thread. */
#ifndef TL_HARNESS_CHECK_CHECK_TEAM_H
#define TL_HARNESS_CHECK_CHECK_TEAM_H

#include "harness/check/check_item.h"

enum { TL_CHECK_JOBS_MAX = 64 };

struct tl_check_team;

/* Whether a capture can be judged by several threads, and the options ask for it: not with
 * events of an upper layer, nor with given connections whose hosts are to be learned. */
bool tl_check_team_can(const struct tl_check *check);
/* Starts the threads. Returns NULL with `err`. */
struct tl_check_team *tl_check_team_new(struct tl_check *check, struct fal_error *err);
/* A team without threads, whose `num` parts take their results from the shards of a capture
 * (check_part.h). The same returns. */
struct tl_check_team *tl_check_team_of_shards(struct tl_check *check, unsigned num,
                                              struct fal_error *err);
const struct tl_check_shared *tl_check_team_shared(const struct tl_check_team *team);
void tl_check_team_free(struct tl_check_team *team); /* NULL is fine */

/* Whether the hosts of all connections that were given are known: only then the hosts of a
 * packet say which part judges it. */
bool tl_check_hosts_given(const struct tl_check *check);

/* A part of a team of shards takes up what the capture with that path declares. */
void tl_check_begin_part(struct tl_check *part, const char *path);

/* The parts, which nobody but the caller may use as long as no item was put since the last
 * rest. A team that is NULL has none. */
size_t tl_check_parts(const struct tl_check_team *team);
struct tl_check *tl_check_part(struct tl_check_team *team, size_t i);
/* The part that judges a shard. */
size_t tl_check_part_of(const struct tl_check_team *team, unsigned shard);

/* Hands over an item, whose bytes are copied. Returns 0, or FAL_ERR_MEM with `err`; the check
 * is then out of memory, as when a part is. */
MUST_USE int tl_check_team_put(struct tl_check_team *team, const struct tl_check_item *item,
                               struct fal_error *err);
/* Waits until all items are judged. */
void tl_check_team_rest(struct tl_check_team *team);
/* Finishes all parts at the same time (tl_check_finish) and ends the threads. */
void tl_check_team_finish(struct tl_check_team *team);

#endif
