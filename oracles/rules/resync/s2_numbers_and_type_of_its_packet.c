/* SPDX-License-Identifier: Apache-2.0
 * s2_numbers_and_type_of_its_packet.c - rule S2: a Resync carries PSN, RSN and type of the
 * packet that it replaces, and that packet was sent. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_s2 = {
    .id = "S2",
    .title = "a Resync carries the numbers and the type of the packet that it replaces",
    .requirements = FAL_IDS("FTP-6.6.5-02", "FTP-7.2-26", "FTP-9.1.8-03", "FTP-9.1.8-04"),
    .role = "transmitter",
    .needs = "wire",
    .assumes = "",
    .shown = true,
    .doc = "Violated by an RSN, type or PSN other than the packet had, and by a Resync of a "
           "PSN that was never sent. A Resync of a pull_request may use a PSN of the data "
           "window (AMB-13), but then always. That of one that was never sent tells nothing "
           "about the window.",
};

static void broken(struct fal_ctx *c, const struct fal_seen *q, const char *requirement,
                   const struct fal_at *cause, const char *what, const char *number)
{
    fal_broken(c,
               &(struct fal_blame){requirement, {cause}, .effect = &q->at, .packet = q->packet},
               "%s %s", what, number);
}

/* Which window its PSN is of: a Resync of a pull_request may count in the data window. */
static bool window_reading(struct fal_ctx *c, const struct fal_seen *q, bool own_window)
{
    if (fal_read_as(c, FAL_AMB_13, own_window ? FAL_READ_DEFAULT : FAL_READ_OTHER, &q->at))
        return true;
    broken(c, q, "FTP-9.1.8-03", fal_read_by(c, FAL_AMB_13),
           "the PSN in the same window as before", "(AMB-13)");
    return false;
}

/* The packet has not been seen. */
static void unseen(struct fal_ctx *c, const struct fal_seen *q, const char *number)
{
    struct fal_path path = fal_path_out(c);

    if (q->falcon->resync_code == FAL_RESYNC_LOCAL_XLR ||
        q->falcon->resync_code == FAL_RESYNC_TIMED_OUT)
        fal_undecided(c, FAL_EXCUSE_CONFIG); /* it may have been dropped before it was sent */
    else if (c->track->undeclared ||
             fal_track_was_sent(c->track, fal_out(c), q->window, q->x) != FAL_NOT_SENT)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (!path.lossless || c->track->gap_index[fal_out(c)] > 0)
        fal_excused(c, FAL_EXCUSE_OUT_LOSS);
    else if (!path.in_order)
        fal_excused(c, FAL_EXCUSE_OUT_REORDER);
    else if (fal_pipeline_ns(c) > 0)
        fal_excused(c, FAL_EXCUSE_PIPELINE);
    else
        broken(c, q, "FTP-9.1.8-03", NULL, "no Resync of a packet that was never sent: PSN",
               number);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_sent *first = q->prior;
    const struct fal_request *r = q->request;
    bool answer = q->type == FAL_PULL_DATA, placed;
    char psn[FAL_NUMBER_MAX], rsn[FAL_NUMBER_MAX];

    if (q->falcon->packet_type != FAL_RESYNC)
        return;
    (void)fal_psn_text(fal_out_stream(c, q->window), q->x, psn);
    (void)fal_rsn_text(c, q->space, q->falcon->rsn, rsn);
    placed = r != NULL && (r->flags & (answer ? FAL_REQ_ANSWERED : FAL_REQ_PLACED)) != 0;
    if (first != NULL && first->rsn == q->rsn && first->type == q->type) {
        if (q->type == FAL_PULL_REQUEST && first->copies > 0)
            (void)window_reading(c, q, true);
        else
            fal_holds(c);
    } else if (placed && q->type == FAL_PULL_REQUEST && r->psn != q->x) {
        (void)window_reading(c, q, false);
    } else if (first != NULL && first->rsn != q->rsn) {
        broken(c, q, "FTP-9.1.8-03", &first->first, "the RSN of the first copy of PSN", psn);
    } else if (first != NULL) {
        broken(c, q, "FTP-9.1.8-04", &first->first, "the type of the first copy of PSN", psn);
    } else if (placed && (answer ? r->answer_psn : r->psn) != q->x) {
        broken(c, q, "FTP-9.1.8-03",
               answer                           ? &r->answer
               : (r->flags & FAL_REQ_SENT) != 0 ? &r->first
                                                : NULL,
               "one PSN for RSN", rsn);
    } else {
        unseen(c, q, psn);
    }
}

const struct fal_rule_impl fal_rule_s2 = {
    .about = &fal_about_s2,
    .power = 1,
    .out = out,
    .on_out = FAL_ON_RESYNC,
};
