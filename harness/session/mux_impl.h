/* SPDX-License-Identifier: Apache-2.0
 * mux_impl.h - between mux.c (turns and frames) and mux_control.c (lines). */
#ifndef TL_HARNESS_SESSION_MUX_IMPL_H
#define TL_HARNESS_SESSION_MUX_IMPL_H

#include "codecs/base/error.h"
#include "harness/session/mux.h"

enum { TL_MUX_SPIS = 16, TL_MUX_LOCAL = 80 };

/* A frame or line that waits for a copy. */
struct tl_mux_item {
    struct tl_mux_item *next;
    enum tl_link_event kind;
    struct tl_link_got got;   /* without its bytes; an object belongs to the item */
    json_t *sa;               /* of a struct tl_protocol_said; or NULL */
    _Alignas(8) char bytes[]; /* and a NUL; or a struct tl_protocol_said */
};

struct tl_mux_copy {
    struct tl_link link; /* first */
    struct tl_mux *mux;
    unsigned number;
    struct tl_bench bench;
    struct tl_fiber *fiber; /* plays */
    bool over, waits, due;
    uint64_t deadline_ns;
    unsigned stage;
    struct tl_mux_item *head, *tail, *taken;
    uint64_t drops;
    struct tl_link_timing timing; /* frames that the base lost since the last question */
    int ecn, ttl;                 /* of its next frame; -1, 0: as usual */
    enum tl_flaw flaw;            /* likewise */
    bool has_port;
    char local[TL_MUX_LOCAL]; /* the port's address */

    /* Its connection. */
    char conn[FAL_NAME_MAX]; /* the SUT's handle; "": not open */
    uint32_t cid, sut_cid;
    uint32_t spis[TL_MUX_SPIS]; /* the newest SPIs of packets to this copy */
    unsigned num_spis;
    bool esp;                /* they are of ESP, not of PSP */
    uint64_t sent, received; /* frames since the reset */
    uint64_t seq;            /* number of the last event that the copy got */
    json_t *reset;           /* the reset that it asked for, which waits for the other copies */
    int64_t reset_id;
    int64_t epoch;      /* of lanes: the epoch that the lane knows */
    uint64_t late_base; /* likewise: the SUT's late_ns when the lane's case began */
};

/* A command of a copy, by the number under which the SUT knows it. */
struct tl_mux_asked {
    int64_t id, local;
    unsigned copy;
    bool open, reset, counters;
    bool ends; /* of lanes: the `close` that stands for a reset */
    bool beat; /* of lanes: a `barrier` without a connection */
};

struct tl_mux {
    struct tl_bench *base;
    struct tl_link_ops ops; /* of the copies' links */
    unsigned count;
    void (*play)(void *ctx, unsigned copy); /* of tl_mux_play */
    void *play_ctx;
    bool no_memory;
    bool objects;     /* the SUT is in this process: lines are not text, but JSON objects, or
                         structs unless the copies are lanes */
    bool lanes;       /* the copies are lanes: each plays cases of its own */
    bool unsettled;   /* of lanes: the counters no longer prove anything; they should end */
    bool stray;       /* of lanes: a frame of the SUT belongs to no lane */
    unsigned stale;   /* lines of an old epoch, since the copies began */
    unsigned misses;  /* of lanes: answers to `counters` in a row that differ from ours */
    uint64_t late_ns; /* of lanes: the largest late_ns that the SUT reported */
    uint64_t sent, received; /* frames of all copies since the reset */
    struct tl_mux_asked *asked;
    size_t num_asked, cap_asked;
    struct tl_mux_copy *copies;
};

/* Queues it for a copy, or for all copies that play. An object in `got` is given as it is; if
 * `got` has a struct tl_protocol_said, `bytes` is that struct. */
void tl_mux_give(struct tl_mux_copy *copy, enum tl_link_event kind,
                 const struct tl_link_got *got, const void *bytes, size_t len);
void tl_mux_give_all(struct tl_mux *mux, enum tl_link_event kind,
                     const struct tl_link_got *got);

/* Sends a line of a copy to the SUT. Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_mux_send_line(struct tl_mux_copy *copy, const char *line, size_t len,
                              struct fal_error *err);
/* The same of a command as JSON (taken). */
MUST_USE int tl_mux_send_object(struct tl_mux_copy *copy, json_t *command,
                                struct fal_error *err);
/* The same of a command as a struct, with its id in the copy. The SUT may take its rules. */
MUST_USE int tl_mux_send_command(struct tl_mux_copy *copy, struct tl_protocol_command *command,
                                 struct fal_error *err);
/* Takes a line of the SUT. */
void tl_mux_line(struct tl_mux *mux, const struct tl_link_got *got);
/* Writes a command (borrowed) for a copy; `local`: its id in the copy. */
MUST_USE int tl_mux_write(struct tl_mux_copy *copy, const json_t *command, int64_t local,
                          struct fal_error *err);
/* Gives an object to a copy under its own number, which is the member `key`. The object itself
 * is changed, and not kept. */
void tl_mux_give_object(struct tl_mux_copy *copy, json_t *object, const char *key,
                        int64_t number, const struct tl_link_got *got);
void tl_mux_item_free(struct tl_mux_item *item);
/* Prepares the copies of a new mux. Frees it on failure. */
struct tl_mux *tl_mux_make(struct tl_bench *bench, unsigned copies, struct tl_stacks *stacks,
                           struct fal_error *err);

/* Lanes (mux_lanes.c). A lane asks for a reset: closes its connection. */
MUST_USE int tl_mux_lane_reset(struct tl_mux_copy *copy, struct fal_error *err);
/* The lane's connection is closed: answers its reset. */
void tl_mux_lane_new(struct tl_mux_copy *copy);
/* Changes a reply to `counters` to what the lane should see. */
void tl_mux_lane_counters(struct tl_mux_copy *copy, json_t *object);

/* Resets the SUT when all copies that play have asked for it. */
MUST_USE int tl_mux_reset(struct tl_mux *mux, struct fal_error *err);

#endif
