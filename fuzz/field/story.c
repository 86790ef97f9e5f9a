/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/field/story.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 64, FAR = 1 << 16 };

/* ---- frames ---- */

static bool grow(struct fld_story *story)
{
    size_t cap = story->cap_frames == 0 ? FIRST : story->cap_frames * 2;
    struct fld_frame *grown;

    if (story->num_frames < story->cap_frames)
        return true;
    grown = realloc(story->frames, cap * sizeof *grown);
    if (grown == NULL)
        return false;
    story->frames = grown;
    story->cap_frames = cap;
    return true;
}

static bool take(struct fld_story *story, const struct tl_recorded_frame *f, uint64_t first_ns)
{
    const struct fal_connection *setup = &story->finding.setup;
    bool to_sut = f->falcon.dest_cid == setup->sut.cid;
    size_t len = f->len + f->missing;

    if (f->header_len <= 0 || (!to_sut && f->falcon.dest_cid != setup->tester.cid))
        return true;
    if (!grow(story))
        return false;
    if (!story->has_encap && f->carrier.known) {
        story->has_encap = true;
        story->encap = f->carrier.encap;
    }
    story->frames[story->num_frames++] =
        (struct fld_frame){.t_ns = f->ts_ns > first_ns ? f->ts_ns - first_ns : 0,
                           .to_sut = to_sut,
                           .ecn = f->has_ip ? f->ecn : 0,
                           .payload_len = len - (size_t)f->header_len,
                           .falcon = f->falcon};
    return true;
}

static int read_frames(const struct fld_wish *wish, struct fld_story *story, uint64_t *first_ns,
                       struct fal_error *err)
{
    struct tl_recorder *recorder = tl_recorder_open(&wish->capture, err);
    struct tl_recorded_frame frame;
    bool any = false;
    int more = 0;

    if (recorder == NULL)
        return FAL_ERR_FORM;
    while (story->num_frames < FLD_FRAMES_MAX &&
           (more = tl_recorder_next(recorder, &frame, err)) > 0) {
        if (!any)
            *first_ns = frame.ts_ns;
        any = true;
        if (!take(story, &frame, *first_ns)) {
            more = fal_fail(err, FAL_ERR_MEM, "out of memory");
            break;
        }
    }
    tl_recorder_close(recorder);
    return more < 0 ? more : 0;
}

/* ---- initial numbers ---- */

/* The lowest number of a sequence so far. Numbers far from the first one are no part of it. */
struct lowest {
    bool any;
    uint32_t first, value;
};

static void lower(struct lowest *l, uint32_t value)
{
    int32_t from_first = (int32_t)(value - l->first);

    if (!l->any)
        *l = (struct lowest){true, value, value};
    else if (from_first > -FAR && from_first < FAR && (int32_t)(value - l->value) < 0)
        l->value = value;
}

struct numbers {
    struct lowest req_psn, data_psn, rsn;
};

static void settle(const struct numbers *n, struct fal_end *end)
{
    end->req_psn = n->req_psn.any ? n->req_psn.value : 0;
    end->data_psn = n->data_psn.any ? n->data_psn.value : 0;
    end->rsn = n->rsn.any ? n->rsn.value : 0;
}

/* Both ends count from the first number that one of them sends, or that the other one has as
 * the base of its window. */
static void infer_numbers(struct fld_story *story)
{
    struct numbers of[2] = {{{false, 0, 0}, {false, 0, 0}, {false, 0, 0}}}; /* sut, tester */
    struct fal_connection *setup = &story->finding.setup;

    for (size_t i = 0; i < story->num_frames; i++) {
        const struct fld_frame *f = &story->frames[i];
        const struct fal_falcon *p = &f->falcon;
        struct numbers *sender = &of[f->to_sut ? 1 : 0], *receiver = &of[f->to_sut ? 0 : 1];
        bool answer = p->packet_type == FAL_PULL_DATA ||
                      (p->packet_type == FAL_RESYNC && p->resync_packet_type == FAL_PULL_DATA);

        lower(&receiver->req_psn, p->recv_req_base_psn);
        lower(&receiver->data_psn, p->recv_data_base_psn);
        if (!fal_falcon_reliable(p->packet_type))
            continue;
        lower(fal_falcon_window(p) == FAL_WINDOW_REQ ? &sender->req_psn : &sender->data_psn,
              p->psn);
        lower(answer ? &receiver->rsn : &sender->rsn, p->rsn);
    }
    settle(&of[0], &setup->sut);
    settle(&of[1], &setup->tester);
}

/* ---- the whole ---- */

int fld_story_read(const struct fld_wish *wish, const struct fld_finding *finding,
                   struct fld_story *out, struct fal_error *err)
{
    uint64_t first_ns = 0;
    int rc;

    *out = (struct fld_story){.finding = *finding};
    rc = read_frames(wish, out, &first_ns, err);
    if (rc == 0 && !finding->initial_known)
        infer_numbers(out);
    if (rc == 0 && wish->ulp != NULL)
        rc = fld_story_acts(wish->ulp, out, first_ns, err);
    return rc;
}

void fld_story_free(struct fld_story *story)
{
    for (size_t i = 0; i < story->num_acts; i++)
        json_decref(story->acts[i].step);
    free(story->acts);
    free(story->frames);
}
