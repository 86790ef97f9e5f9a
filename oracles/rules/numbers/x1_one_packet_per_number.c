/* SPDX-License-Identifier: Apache-2.0
 * x1_one_packet_per_number.c - rule X1: a PSN stands for one packet and an RSN for one PSN.
 * Every copy of a PSN has the same type, RSN, length and payload. A pull_data answers a
 * pull_request that was sent, with no more data than it asked for. AR, bases and timestamps may
 * differ between copies. Rule S2 checks what a Resync carries. */
#include "oracles/rules/judge/report.h"

#include <inttypes.h>

const struct fal_rule fal_about_x1 = {
    .id = "X1",
    .title = "a PSN stands for one packet, and an RSN for one PSN",
    .requirements = FAL_IDS("FTP-6.1.1-02", "FTP-7.2-27", "FTP-7.3-06", "FTP-7.4-03",
                            "FTP-8.1-01", "FTP-8.1-03", "FTP-8.5.3.2-03", "FTP-9-12",
                            "FTP-9-16", "FTP-9.1.3-01", "FTP-9.1.3-05", "FTP-9.1.5-04"),
    .role = "transmitter",
    .needs = "wire",
    .assumes = "one-psn-per-rsn (pull_data)",
    .shown = true,
    .doc = "Violated by copies of a PSN that differ in type, RSN, length or payload; by an RSN "
           "with two PSNs; by a pull_data without a pull_request, or with more data than it "
           "asked for. AR, bases and timestamps may differ.",
};

static void broken(struct fal_ctx *c, const struct fal_seen *q, const char *requirement,
                   const struct fal_at *cause, const char *what, const char *number)
{
    struct fal_break b = fal_break_begin(c, requirement);
    char line[FAL_LINE_MAX];

    if (cause != NULL)
        fal_break_cause(&b, cause);
    fal_break_expected(&b, "%s %s", what, number);
    fal_break_seen(&b, "%s", fal_line(c, q->packet, line));
    fal_break_end(c, &b, &q->at);
}

/* Against the copies of its PSN so far; true when something was compared and equal. */
static bool same_packet(struct fal_ctx *c, const struct fal_seen *q, bool *bad)
{
    const struct fal_sent *first = q->prior;
    char number[FAL_NUMBER_MAX];
    const char *what = NULL, *requirement = "FTP-9-12";

    if (first == NULL)
        return false;
    if (first->rsn != q->rsn) {
        what = "the RSN of the first copy of PSN";
        requirement = "FTP-9.1.3-01";
    } else if (first->type != q->type) {
        what = "the type of the first copy of PSN";
        requirement = "FTP-9.1.3-01";
    } else if (first->copies > 0 && !q->packet->truncated &&
               (first->flags & FAL_SENT_PARTIAL) == 0) {
        if (first->length != q->length)
            what = "the length of the first copy of PSN";
        else if (first->hash != q->hash)
            what = "the payload of the first copy of PSN";
    }
    if (what == NULL)
        return true;
    (void)fal_psn_text(fal_out_stream(c, q->window), q->x, number);
    broken(c, q, requirement, &first->first, what, number);
    *bad = true;
    return false;
}

/* The other side put one RSN on two PSNs, so that each may have been answered. */
static bool asked_twice(const struct fal_ctx *c)
{
    return (c->track->broken[fal_in(c)] & FAL_ASSUME_RSN_UNIQUE) != 0;
}

/* Against the other packets of its transaction; true when there were some, and they agree. */
static bool same_number(struct fal_ctx *c, const struct fal_seen *q, bool *bad)
{
    const struct fal_request *r = q->request;
    const char *what = "one PSN for RSN";
    const struct fal_at *first;
    char number[FAL_NUMBER_MAX];
    bool answer = q->type == FAL_PULL_DATA;

    if (r == NULL || (r->flags & (answer ? FAL_REQ_ANSWERED : FAL_REQ_PLACED)) == 0 ||
        (answer && asked_twice(c)))
        return false;
    if ((answer ? r->answer_psn : r->psn) == q->x && (answer || r->window == q->window))
        return true;
    first = answer ? &r->answer : (r->flags & FAL_REQ_SENT) != 0 ? &r->first : NULL;
    (void)fal_rsn_text(c, q->space, q->falcon->rsn, number);
    broken(c, q, "FTP-9-16", first, what, number);
    *bad = true;
    return false;
}

/* A pull_data needs its pull_request. */
static bool answers(struct fal_ctx *c, const struct fal_seen *q, bool *bad)
{
    const struct fal_request *r = q->request;
    char number[FAL_NUMBER_MAX];

    if (q->falcon->packet_type != FAL_PULL_DATA || asked_twice(c))
        return false;
    if (r != NULL && (r->flags & FAL_REQ_SENT) != 0 && r->type == FAL_PULL_REQUEST) {
        if (q->length <= r->length || (r->flags & (FAL_REQ_VARIED | FAL_REQ_PARTIAL)) != 0)
            return true;
        (void)fal_rsn_text(c, q->space, q->falcon->rsn, number);
        broken(c, q, "FTP-8.1-03", &r->first, "no more data than was asked for by RSN", number);
        *bad = true;
        return false;
    }
    if (fal_track_request_may(c->track, q->space, q->falcon->rsn)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return false;
    }
    (void)fal_rsn_text(c, q->space, q->falcon->rsn, number);
    broken(c, q, "FTP-8.5.3.2-03",
           r != NULL && (r->flags & FAL_REQ_SENT) != 0 ? &r->first : NULL,
           "no pull_data without a pull_request of RSN", number);
    *bad = true;
    return false;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    bool bad = false, held;

    if (!q->reliable || q->falcon->packet_type == FAL_RESYNC)
        return;
    held = same_packet(c, q, &bad);
    if (!bad)
        held = same_number(c, q, &bad) || held;
    if (!bad)
        held = answers(c, q, &bad) || held;
    if (!bad && held)
        fal_holds(c);
}

const struct fal_rule_impl fal_rule_x1 = {
    .about = &fal_about_x1,
    .power = 1,
    .out = out,
    .on_out = FAL_ON_RELIABLE,
};
