/* SPDX-License-Identifier: Apache-2.0
 * mux_lanes.c - lanes: copies that each play cases of their own, one after another. A lane must
 * not reset the device or wait for the other lanes. */
#include "harness/session/mux_impl.h"

#include <string.h>

enum {
    MISSES_MAX = 200 /* answers in a row: frames in flight of busy lanes explain fewer */
};

struct tl_mux *tl_mux_new_lanes(struct tl_bench *bench, unsigned lanes,
                                struct tl_stacks *stacks, struct fal_error *err)
{
    struct tl_mux *mux;
    struct tl_upper_line reply;
    int rc = tl_bench_call(bench, json_pack("{s:s, s:s}", "do", "reset", "scope", "device"),
                           &reply, err);

    if (rc == FAL_ERR_TYPE) /* each case reports that it needs `reset` */
        return NULL;
    if (rc != 0) {
        bench->dead = true;
        bench->why = *err;
        return NULL;
    }
    mux = tl_mux_make(bench, lanes, stacks, err);
    if (mux == NULL)
        return NULL;
    mux->lanes = true;
    for (unsigned i = 0; i < lanes; i++)
        mux->copies[i].epoch = tl_upper_epoch(bench->upper);
    return mux;
}

bool tl_mux_unsettled(const struct tl_mux *mux)
{
    return mux->unsettled;
}

bool tl_mux_strayed(const struct tl_mux *mux)
{
    return mux->stray;
}

void tl_mux_lane_new(struct tl_mux_copy *copy)
{
    struct tl_mux *mux = copy->mux;
    struct tl_bench *base = mux->base;
    struct tl_link_got got = {.at_ns = base->link->ops->now_ns(base->link)};
    json_int_t epoch = copy->epoch;
    json_t *reply = json_pack("{s:b, s:I, s:[]}", "ok", 1, "new_epoch", epoch + 1, "survives");

    got.read_ns = got.at_ns;
    if (reply == NULL)
        mux->no_memory = true;
    else
        tl_mux_give_object(copy, reply, "id", copy->reset_id, &got);
    json_decref(reply);
    json_decref(copy->reset);
    copy->reset = NULL;
    copy->epoch++;
    if (copy->conn[0] != 0) /* late frames for this CID belong to no later case */
        base->old_cids[base->num_old_cids++ % TL_BENCH_OLD_CIDS] = copy->cid;
    copy->sent = copy->received = 0;
    copy->late_base = mux->late_ns;
    copy->conn[0] = 0;
    copy->num_spis = 0;
}

int tl_mux_lane_reset(struct tl_mux_copy *copy, struct fal_error *err)
{
    json_t *close;
    int rc;

    if (copy->conn[0] == 0) {
        tl_mux_lane_new(copy);
        return 0;
    }
    close = json_pack("{s:s, s:s}", "do", "close", "conn", copy->conn);
    if (close == NULL)
        return fal_fail(err, FAL_ERR_IO, "out of memory");
    rc = tl_mux_write(copy, close, 0, err);
    json_decref(close);
    return rc;
}

/* The SUT counts since the device was reset, which is when the lanes began. Frames that are in
 * flight at this moment, of whichever lane, count as missing; the lane asks again. */
static int64_t missing(uint64_t sent, json_int_t arrived)
{
    return (int64_t)sent - (int64_t)arrived;
}

/* The SUT's largest delay since the lanes began says nothing about this case, if it was known
 * before the case began. */
static void lane_late(struct tl_mux_copy *copy, json_t *object)
{
    json_int_t late = json_integer_value(json_object_get(object, "late_ns"));

    if (late <= 0)
        return;
    if ((uint64_t)late > copy->mux->late_ns)
        copy->mux->late_ns = (uint64_t)late;
    if ((uint64_t)late <= copy->late_base)
        (void)json_object_set_new(object, "late_ns", json_integer(0));
}

void tl_mux_lane_counters(struct tl_mux_copy *copy, json_t *object)
{
    struct tl_mux *mux = copy->mux;
    int64_t in =
        missing(mux->sent, json_integer_value(json_object_get(object, "frames_received")));
    int64_t out =
        -missing(mux->received, json_integer_value(json_object_get(object, "frames_sent")));
    json_int_t seen_in, seen_out;

    mux->misses = in == 0 && out == 0 ? 0 : mux->misses + 1;
    mux->unsettled |= mux->misses > MISSES_MAX;
    seen_in = (json_int_t)copy->sent - in;
    seen_out = (json_int_t)copy->received + out;
    (void)json_object_set_new(object, "frames_received", json_integer(seen_in));
    (void)json_object_set_new(object, "frames_sent", json_integer(seen_out));
    lane_late(copy, object);
}
