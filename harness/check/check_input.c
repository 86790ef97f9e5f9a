/* SPDX-License-Identifier: Apache-2.0
 * check_input.c - reads captures, by one thread or for a team of them. */
#include "harness/check/check.h"

#include "codecs/base/error.h"
#include "harness/capture/capture.h"
#include "harness/check/check_feed.h"
#include "harness/check/check_item.h"
#include "harness/check/check_team.h"
#include "harness/check/check_ulp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The readers of a capture, or of frames that are handed in. */
struct reader {
    struct tl_capture *capture; /* NULL: frames are handed in, and: */
    uint64_t dropped;           /* frames that were missed so far */
    bool several;               /* there are several interfaces */
    const char *path;
    struct tl_ulp *ulp;
    struct tl_check_desk desk;
    uint64_t first_ns; /* of this file */
};

struct tl_check_feed {
    struct tl_check *check;
    struct reader reader;
    struct tl_check_item item; /* the frame at hand, and its marks */
    struct fal_pcapng_packet marks;
};

static uint64_t dropped_so_far(const struct reader *reader)
{
    return reader->capture != NULL ? tl_capture_dropped(reader->capture) : reader->dropped;
}

static bool several_interfaces(const struct reader *reader)
{
    return reader->capture != NULL ? tl_capture_interfaces(reader->capture) > 1
                                   : reader->several;
}

/* ---- the beginning ---- */

/* Whether everything that a judge judges is known to be the SUT. */
static bool sut_known(const struct tl_check *check, int side)
{
    return check->options->have_sut || (check->any_given && side == 0);
}

/* If either end may be the SUT, ports are ignored, and only guarantees that hold in both
 * directions are kept. */
static void either_way(struct fal_ev_run *run)
{
    run->vantage = FAL_VANTAGE_MIDDLE;
    run->lossless_in = run->lossless_out = run->lossless_in && run->lossless_out;
    run->in_order_in = run->in_order_out = run->in_order_in && run->in_order_out;
    run->no_duplicates_in = run->no_duplicates_out =
        run->no_duplicates_in && run->no_duplicates_out;
}

static void begin_run(struct tl_check *check, const struct fal_event *run)
{
    for (int side = 0; side < 2 && check->judge[side] != NULL; side++) {
        struct fal_event whose = *run;

        if (!sut_known(check, side))
            either_way(&whose.u.run);
        tl_check_event(check, side, &whose);
    }
    check->index = 1;
}

static void run_of(const struct tl_check *check, const char *path, struct fal_event *run)
{
    *run = (struct fal_event){.kind = FAL_EV_RUN, .u.run = check->options->run};
    (void)snprintf(run->u.run.title, sizeof run->u.run.title, "%s", path);
    run->u.run.undeclared = !run->u.run.complete;
    run->u.run.may_miss = run->u.run.may_miss || check->options->lossy_capture;
}

void tl_check_begin_part(struct tl_check *part, const char *path)
{
    struct fal_event run;

    run_of(part, path, &run);
    begin_run(part, &run);
}

static int begin(struct tl_check *check, struct reader *reader, uint64_t frame_ns,
                 struct fal_error *err)
{
    struct fal_event run;
    uint64_t first_ns = UINT64_MAX;
    int failed = 0;

    run_of(check, reader->path, &run);
    if (reader->ulp != NULL)
        run.u.run.ordered_events = tl_check_ulp_ordered(reader->ulp);
    begin_run(check, &run);
    check->frame_ns = frame_ns;
    if (reader->ulp != NULL)
        failed = tl_check_ulp_begin(reader->ulp, check, frame_ns, &first_ns, err);
    check->first_ns = first_ns < frame_ns ? first_ns : frame_ns;
    for (size_t i = 0; i < tl_check_parts(check->team); i++) {
        struct tl_check *part = tl_check_part(check->team, i);

        begin_run(part, &run);
        part->first_ns = check->first_ns;
    }
    return failed;
}

/* ---- frames ---- */

/* Notes the frame `item->got` and gaps that the capture reports before it. Statistics report
 * frames that were missed at an unknown earlier place: verdicts since the last statistics may
 * depend on them. */
static void read_item(struct tl_check *check, const struct reader *reader,
                      struct tl_check_item *item)
{
    const struct tl_captured *got = &item->got;
    uint64_t dropped = dropped_so_far(reader);
    uint64_t t_ns = got->ts_ns > check->first_ns ? got->ts_ns - check->first_ns : 0;

    item->number = got->number + check->frames_before;
    item->index = check->index;
    item->before_ns = check->last_ns;
    item->t_ns = t_ns > check->last_ns ? t_ns : check->last_ns;
    item->interface = got->marks != NULL ? got->marks->interface : 0;
    item->hash = check->options->doubles_ns > 0 || several_interfaces(reader);
    item->opened = false;
    item->marks = 0;
    if (dropped != check->told_dropped) {
        item->marks |= TL_CHECK_MISSED_EARLIER;
        check->dropped += dropped - check->told_dropped;
        check->told_dropped = dropped;
        check->dropped_late = true;
    }
    if (got->marks != NULL && got->marks->drops > 0) {
        item->marks |= TL_CHECK_MISSED;
        check->dropped += got->marks->drops;
    }
    if (got->ts_ns < check->frame_ns) {
        check->disorder++;
        if (check->frame_ns - got->ts_ns > check->options->run.clock_error_ns)
            item->marks |= TL_CHECK_STEPPED;
    }
    check->frame_ns = got->ts_ns;
    if (check->options->shard.total > 0)
        check->store = (check->store ^ got->ts_ns ^ (uint64_t)got->len << 44) *
                       UINT64_C(0x9e3779b97f4a7c15);
}

/* Finds the shard of a frame. Frames whose hosts show only when they are decoded, and sealed
 * ones, are decoded here: seals must be opened in order. */
static void find_shard(struct tl_check *check, struct reader *reader,
                       struct tl_check_item *item)
{
    if (tl_check_shard_of(&check->options->frame, &item->got, &item->shard))
        return;
    tl_check_open(check->options, &reader->desk, item);
    item->shard = tl_check_shard(item->packet.from, item->packet.to);
}

/* The index after those of a frame and of its marks. */
static uint64_t index_after(const struct tl_check_item *item)
{
    uint64_t index = item->index + 1;

    for (unsigned marks = item->marks; marks != 0; marks &= marks - 1)
        index++;
    return index;
}

/* Judges a frame of this process's shard; of the others only what concerns all connections. */
static void judge_shard(struct tl_check *check, struct reader *reader,
                        struct tl_check_item *item)
{
    const struct tl_shard *shard = &check->options->shard;

    tl_check_marks(check, item, TL_CHECK_MISSED_EARLIER | TL_CHECK_MISSED | TL_CHECK_STEPPED);
    find_shard(check, reader, item);
    if (item->shard % shard->total == shard->number - 1) {
        if (!item->opened)
            tl_check_open(check->options, &reader->desk, item);
        tl_check_packet(check, NULL, item);
    }
    check->index = index_after(item);
    check->last_ns = item->t_ns;
}

/* Judges a frame, and the upper-layer events before it. */
static int judge_here(struct tl_check *check, struct reader *reader, struct tl_check_item *item,
                      struct fal_error *err)
{
    int failed = 0;

    tl_check_marks(check, item, TL_CHECK_MISSED_EARLIER);
    tl_check_open(check->options, &reader->desk, item);
    if (reader->ulp != NULL)
        failed =
            tl_check_ulp_until(reader->ulp, check, item->got.ts_ns,
                               (struct fal_span){item->packet.bytes, item->packet.len}, err);
    tl_check_marks(check, item, TL_CHECK_MISSED | TL_CHECK_STEPPED);
    tl_check_packet(check, reader->ulp, item);
    return failed;
}

/* Hands a frame to the thread that judges its connection. */
static int judge_there(struct tl_check *check, struct reader *reader,
                       struct tl_check_item *item, struct fal_error *err)
{
    find_shard(check, reader, item);
    check->last_ns = item->t_ns;
    check->index = index_after(item);
    return tl_check_team_put(check->team, item, err);
}

static int take_frame(struct tl_check *check, struct reader *reader, struct tl_check_item *item,
                      struct fal_error *err)
{
    if (check->index == 0) {
        int failed = begin(check, reader, item->got.ts_ns, err);

        reader->first_ns = item->got.ts_ns;
        if (failed != 0)
            return failed;
    }
    read_item(check, reader, item);
    if (check->options->shard.total > 0) {
        judge_shard(check, reader, item);
        return 0;
    }
    return check->team != NULL ? judge_there(check, reader, item, err)
                               : judge_here(check, reader, item, err);
}

/* ---- files ---- */

/* The end of a file: frames that its last statistics say were missed. */
static void end_file(struct tl_check *check, const struct reader *reader)
{
    uint64_t dropped = dropped_so_far(reader);

    if (dropped == check->told_dropped)
        return;
    check->dropped += dropped - check->told_dropped;
    check->told_dropped = dropped;
    check->dropped_late = true;
    if (check->team == NULL) {
        tl_check_gap(check);
        return;
    }
    for (size_t i = 0; i < tl_check_parts(check->team); i++) {
        struct tl_check *part = tl_check_part(check->team, i);

        part->index = check->index;
        part->last_ns = check->last_ns;
        tl_check_gap(part);
    }
    check->index++;
}

static int read_frames(struct tl_check *check, struct reader *reader, struct fal_error *err)
{
    struct tl_check_item item;
    struct fal_error late, why;
    int more = 0, failed = 0;

    late.text[0] = why.text[0] = '\0';
    while (!check->out_of_memory &&
           (more = tl_capture_next(reader->capture, &item.got, err)) > 0) {
        int status = take_frame(check, reader, &item, &why);

        if (status != 0 && failed == 0) {
            failed = status;
            late = why;
        }
        check->frames = item.got.number;
        if (check->options->progress != NULL)
            check->options->progress(check->options->progress_ctx, reader->capture,
                                     check->frames_before + check->frames);
    }
    if (more == 0 && failed != 0) {
        *err = late;
        more = failed;
    }
    return more;
}

/* The last frame was judged: so are the events after it, and the end of the file. */
static int end_capture(struct tl_check *check, struct reader *reader, int result,
                       struct fal_error *err)
{
    end_file(check, reader);
    if (reader->ulp != NULL && check->index > 0 && result == 0)
        result =
            tl_check_ulp_until(reader->ulp, check, UINT64_MAX, (struct fal_span){NULL, 0}, err);
    if (reader->ulp != NULL && check->index > 0 && result == 0)
        result = tl_check_ulp_meets(reader->ulp, reader->first_ns, check->frame_ns, err);
    if (reader->ulp != NULL) {
        check->ulp_events += tl_check_ulp_events(reader->ulp);
        check->ulp_unplaced += tl_check_ulp_unplaced(reader->ulp);
    }
    if (check->out_of_memory)
        return fal_fail(err, FAL_ERR_MEM, "%s: out of memory, or over a million connections",
                        reader->path);
    return result;
}

static int read_capture(struct tl_check *check, struct reader *reader, struct fal_error *err)
{
    int result = read_frames(check, reader, err);

    if (check->team != NULL) {
        tl_check_team_rest(check->team);
        check->packets = 0;
        for (size_t i = 0; i < tl_check_parts(check->team); i++)
            check->packets += tl_check_part(check->team, i)->packets;
    }
    return end_capture(check, reader, result, err);
}

int tl_check_capture(struct tl_check *check, const char *path, struct fal_error *err)
{
    struct reader reader = {.capture = tl_capture_open(path, err), .path = path};
    int result = FAL_ERR_FORM;

    if (reader.capture == NULL)
        goto done;
    if (tl_check_desk_init(&reader.desk) != 0) {
        result = fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto done;
    }
    if (check->options->ulp != NULL &&
        (reader.ulp = tl_check_ulp_open(check->options, err)) == NULL)
        goto done;
    check->beside_run = reader.ulp != NULL && tl_check_ulp_of_run(reader.ulp);
    if (check->options->shard.total > 0 && check->index == 0 && !tl_check_hosts_given(check)) {
        result = fal_fail(err, FAL_ERR_FORM,
                          "--shard: frames are shared out by the addresses of their ends, and "
                          "--connections names a connection without both; add them");
        goto done;
    }
    if (check->index == 0 && check->team == NULL && tl_check_unite(check) != 0) {
        result = fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto done;
    }
    if (check->team == NULL && check->index == 0 && tl_check_team_can(check)) {
        check->team = tl_check_team_new(check, err);
        if (check->team == NULL)
            goto done;
    }
    check->frames_before += check->frames;
    check->frames = 0;
    check->told_dropped = 0;
    result = read_capture(check, &reader, err);
done:
    tl_check_ulp_close(reader.ulp);
    tl_check_desk_free(&reader.desk);
    tl_capture_close(reader.capture);
    return result;
}

/* ---- frames that are handed in ---- */

struct tl_check_feed *tl_check_feed_open(struct tl_check *check, bool several,
                                         struct fal_error *err)
{
    struct tl_check_feed *feed = calloc(1, sizeof *feed);

    if (feed == NULL || tl_check_desk_init(&feed->reader.desk) != 0) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        tl_check_feed_close(feed);
        return NULL;
    }
    feed->check = check;
    feed->reader.several = several;
    feed->reader.path = "frames";
    return feed;
}

void tl_check_feed_close(struct tl_check_feed *feed)
{
    if (feed == NULL)
        return;
    tl_check_ulp_close(feed->reader.ulp);
    tl_check_desk_free(&feed->reader.desk);
    free(feed);
}

int tl_check_feed_events(struct tl_check_feed *feed, struct fal_span head,
                         struct fal_error *err)
{
    if (feed->check->index > 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "events of the upper layer must be announced before "
                        "the first frame");
    feed->reader.ulp = tl_check_ulp_fed(feed->check->options, head, err);
    return feed->reader.ulp != NULL ? 0 : FAL_ERR_FORM;
}

int tl_check_feed_event(struct tl_check_feed *feed, struct fal_span line, struct fal_error *err)
{
    return tl_check_ulp_line(feed->reader.ulp, feed->check, line, err);
}

/* Before the first frame: what a file is opened with. */
static int begin_feed(struct tl_check_feed *feed, struct fal_error *err)
{
    struct tl_check *check = feed->check;

    if (feed->reader.ulp == NULL && check->options->ulp != NULL) {
        feed->reader.ulp = tl_check_ulp_open(check->options, err);
        if (feed->reader.ulp == NULL)
            return FAL_ERR_FORM;
    }
    check->beside_run = feed->reader.ulp != NULL && tl_check_ulp_of_run(feed->reader.ulp);
    return tl_check_unite(check) == 0 ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

int tl_check_feed_frame(struct tl_check_feed *feed, const struct tl_captured *got,
                        uint32_t interface, uint64_t drops, struct fal_error *err)
{
    struct tl_check *check = feed->check;
    int failed = check->index == 0 ? begin_feed(feed, err) : 0;

    if (failed != 0)
        return failed;
    feed->item.got = *got;
    feed->item.got.number = ++check->frames;
    feed->item.got.marks = &feed->marks;
    feed->marks.interface = interface;
    feed->marks.drops = drops;
    failed = take_frame(check, &feed->reader, &feed->item, err);
    if (check->out_of_memory)
        return fal_fail(err, FAL_ERR_MEM, "out of memory, or over a million connections");
    return failed;
}

void tl_check_feed_dropped(struct tl_check_feed *feed, uint64_t frames)
{
    feed->reader.dropped = frames;
}

int tl_check_feed_end(struct tl_check_feed *feed, struct fal_error *err)
{
    int result = 0;

    if (feed->reader.ulp != NULL)
        result = tl_check_ulp_end(feed->reader.ulp, err);
    return end_capture(feed->check, &feed->reader, result, err);
}
