/* SPDX-License-Identifier: Apache-2.0
 * wire_only.h - a SUT without a control channel: its connections were set up by other means
 * before the run, and a file (talon/connections/1, `talon run --connections`) says how. Each
 * case takes one of them that is as the scenario wants it; none is used twice, for nobody can
 * bring it back to its beginning. What upper layers are told is not seen: a case that needs to
 * act there is skipped, and one that only looks there is judged by its packets. */
#ifndef TL_HARNESS_SESSION_WIRE_ONLY_H
#define TL_HARNESS_SESSION_WIRE_ONLY_H

#include "codecs/base/error.h"
#include "harness/scenario/scenario.h"
#include "oracles/timeline.h"

struct tl_wire;

/* 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_wire_load(const char *path, struct tl_wire **out, struct fal_error *err);
void tl_wire_free(struct tl_wire *wire);

/* The properties of the path that the file states. */
struct tl_wire_path {
    bool lossless_in, lossless_out, in_order;
};
struct tl_wire_path tl_wire_path(const struct tl_wire *wire);

/* Why the scenario cannot be played without a control channel (static text); NULL: it can. */
const char *tl_wire_unplayable(const struct tl_scenario *scenario, enum fal_encap encap);

/* The first unused connection that fits the scenario, or NULL. With `take` it is used from then
 * on. */
const struct fal_connection *tl_wire_find(struct tl_wire *wire,
                                          const struct tl_scenario *scenario, bool take);
/* The same, whether it is used or not: for a SUT that can be restarted. */
bool tl_wire_ever(const struct tl_wire *wire, const struct tl_scenario *scenario);
/* Whether one of them has that CID at the tester's end. */
bool tl_wire_has_cid(const struct tl_wire *wire, uint32_t cid);
/* What the scenario needs of its connection, where it differs from the default: "rto=1s
 * ordered=0 sut.cid=17". */
void tl_wire_asks(const struct tl_scenario *scenario, char *out, size_t cap);
/* Whether any connection is unused. */
bool tl_wire_left(const struct tl_wire *wire);
/* After a restart of the SUT: all connections are unused again. */
void tl_wire_renew(struct tl_wire *wire);

#endif
