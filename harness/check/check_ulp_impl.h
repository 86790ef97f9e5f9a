/* SPDX-License-Identifier: Apache-2.0
 * check_ulp_impl.h - the state of the events beside a capture, for check_ulp.c and
 * check_ulp_conn.c alone. */
#ifndef TL_HARNESS_CHECK_CHECK_ULP_IMPL_H
#define TL_HARNESS_CHECK_CHECK_ULP_IMPL_H

#include "harness/check/check_ulp.h"
#include "harness/doc/line_file.h"

/* Read, and not yet judged. */
struct tl_ulp_held {
    struct fal_event event;
    struct fal_event_storage storage;
    uint64_t at_ns; /* in the clock of the capture, the error taken into account */
    uint64_t hash;  /* of a timeline's packet, which is itself in the capture; else 0 */
    bool by_cid;    /* of the SUT's connection that has this CID by then; else of event.conn */
    bool barrier;   /* a command to every connection that is known by then */
    uint32_t cid;
};

struct tl_ulp {
    char *path;
    struct tl_file_lines lines;
    struct tl_ulp_words words;
    const struct tl_check_options *options;
    bool timeline, ordered, incomplete, ended;
    bool fed;       /* there is no file: lines are handed in */
    bool has_error; /* the error of the times was given */
    bool whole;     /* It says that no event is missing up to its end. */
    bool aligned;   /* the offset is known */
    bool failed;    /* nothing more is read */
    int64_t offset_ns;
    uint64_t error_ns;
    uint64_t last_ns; /* of the lines, as they say */
    uint64_t last_seq;
    struct tl_ulp_held *held; /* by at_ns */
    size_t num, cap;
    uint32_t *conns; /* of a timeline: its connection n is that of the check, 0: none */
    size_t num_conns;
    uint64_t events, unplaced;
    uint64_t begin_ns, end_ns; /* of the events judged; UINT64_MAX, 0: none */
    bool has_like;
    struct fal_ev_packet like; /* the timeline's packet that the frame at hand is; no bytes */
};

/* Finds the connection that a line names: its index in `check` plus 1. *conn 0: the line names
 * none, or all, or one by its CID (held->by_cid); UINT32_MAX: the timeline has no such one.
 * Returns 0 or FAL_ERR_FORM with `err`. */
int tl_ulp_find_conn(const struct tl_ulp *ulp, const struct tl_check *check,
                     const json_t *object, struct tl_ulp_held *held, uint32_t *conn,
                     struct fal_error *err);

/* Returns the index plus 1 of the connection whose CID at the SUT is `cid`, or 0. */
uint32_t tl_ulp_by_cid(const struct tl_check *check, uint32_t cid);

/* Takes a connection of a timeline: one that was given, or a new one of `check`. Returns 0,
 * FAL_ERR_FORM or FAL_ERR_MEM with `err`. */
int tl_ulp_take_connection(struct tl_ulp *ulp, struct tl_check *check,
                           const struct fal_event *event, struct fal_error *err);

#endif
