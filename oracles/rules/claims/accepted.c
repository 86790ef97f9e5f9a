/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/claims/accepted.h"

#include "oracles/rules/judge/report.h"

enum { WAITING_MAX = 64 };

/* Its request and its answer were seen. */
enum { ANSWERED = FAL_REQ_PLACED | FAL_REQ_ANSWERED };

/* ---- what is known ---- */

/* The place of a transaction's request, if the facts about it are sound. `point` stays as it
 * is. */
static bool place(const struct fal_ctx *c, const struct fal_request *request,
                  struct fal_accepted *out)
{
    if (request == NULL ||
        (request->flags & (FAL_REQ_SENT | FAL_REQ_PLACED)) != (FAL_REQ_SENT | FAL_REQ_PLACED) ||
        (request->flags & FAL_REQ_VARIED) != 0)
        return false;
    out->window = (enum fal_window)request->window;
    out->x = request->psn;
    out->acked = out->event = false;
    return fal_stream_sent(fal_in_stream(c, out->window), out->x) != NULL;
}

bool fal_accepted_by_data(const struct fal_ctx *c, const struct fal_seen *q,
                          struct fal_accepted *out)
{
    if (q->request == NULL || q->request->type != FAL_PULL_REQUEST ||
        !place(c, q->request, out))
        return false;
    out->acked = true;
    out->point = *fal_point_of(q);
    return true;
}

bool fal_accepted_by_nack(const struct fal_ctx *c, const struct fal_seen *q,
                          struct fal_accepted *out)
{
    struct fal_stream *stream = &c->track->stream[fal_in(c)][FAL_WINDOW_DATA];
    const struct fal_falcon *f = q->falcon;
    const struct fal_sent *sent;

    if (f->window != FAL_WINDOW_DATA ||
        (f->nack_code != FAL_NACK_CIE && f->nack_code != FAL_NACK_NRE &&
         f->nack_code != FAL_NACK_CID))
        return false;
    *out = (struct fal_accepted){.window = FAL_WINDOW_DATA,
                                 .x = fal_stream_extend(stream, f->nack_psn),
                                 .point = *fal_point_of(q)};
    sent = fal_stream_sent(stream, out->x);
    return sent != NULL && sent->type == FAL_PUSH_DATA;
}

bool fal_accepted_by_event(const struct fal_ctx *c, const struct fal_event *event,
                           struct fal_accepted *out)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    const struct fal_request *request = fal_track_request(
        c->track, ulp->kind == FAL_ULP_COMPLETION ? FAL_FROM_SUT : FAL_TO_SUT, ulp->rsn);

    switch (ulp->kind) {
    case FAL_ULP_REQUEST:
        if (!place(c, request, out))
            return false;
        out->acked = request->type == FAL_PULL_REQUEST;
        break;
    case FAL_ULP_ACK: return false; /* fal_accepted_by_answer */
    case FAL_ULP_COMPLETION:
        /* of a transaction whose request was never sent it is not known whether it is a pull */
        if (request == NULL || ulp->code != 0 || request->type != FAL_PULL_REQUEST ||
            (request->flags & ANSWERED) != ANSWERED ||
            (request->flags & (FAL_REQ_VARIED | FAL_REQ_ANSWER_VARIED)) != 0)
            return false;
        *out = (struct fal_accepted){
            .window = FAL_WINDOW_DATA, .x = request->answer_psn, .acked = true};
        break;
    }
    out->event = true;
    out->point = (struct fal_point){.at = fal_at_event(event)};
    return true;
}

bool fal_accepted_by_answer(const struct fal_ctx *c, const struct fal_told *told,
                            struct fal_accepted *out)
{
    const struct fal_request *request = fal_track_request(c->track, FAL_TO_SUT, told->rsn);

    if (told->answer != FAL_ANSWER_ACK || !place(c, request, out) ||
        request->type != FAL_PUSH_DATA)
        return false;
    if (fal_may_be_reclaimed(c, request, told->known.t_ns))
        return false; /* an answer to what was given up acknowledges nothing */
    out->acked = out->event = true;
    out->point = (struct fal_point){.at = told->known};
    return true;
}

/* ---- what waits ---- */

/* Whether a claim says it; bits count in EACKs only. */
static bool covers(int64_t base, fal_u128 ack, fal_u128 received,
                   const struct fal_accepted *word)
{
    uint64_t n = (uint64_t)(word->x - base);

    return word->x < base ||
           (n < 128 && fal_u128_test(word->acked ? ack : received, (unsigned)n));
}

/* After a window was learned anew its old numbers mean nothing. */
static void follow(const struct fal_ctx *c, struct fal_accepted_list *list)
{
    const struct fal_stream *streams = c->track->stream[fal_in(c)];

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        if (list->epoch[w] == streams[w].epoch)
            continue;
        list->epoch[w] = streams[w].epoch;
        fal_bag_free(&list->bag);
    }
}

/* Whether the list has the word already. Most words are about a higher number than all before,
 * so the list is not looked through for them. */
static bool is_listed(const struct fal_accepted_list *list, const struct fal_accepted *word)
{
    if (list->bag.num == 0 || word->x > list->highest[word->window])
        return false;
    for (unsigned i = 0; i < list->bag.num; i++) {
        const struct fal_accepted *old = FAL_BAG(&list->bag, struct fal_accepted, i);

        if (old->window == word->window && old->x == word->x && old->acked == word->acked)
            return true;
    }
    return false;
}

void fal_accepted_add(const struct fal_ctx *c, struct fal_accepted_list *list,
                      const struct fal_accepted *word)
{
    const struct fal_stream *stream = fal_in_stream(c, word->window);
    struct fal_accepted *new;

    follow(c, list);
    if (!stream->based || covers(stream->base, stream->acked, stream->received, word))
        return;
    if (is_listed(list, word))
        return;
    if (list->bag.num == WAITING_MAX)
        fal_bag_remove(&list->bag, sizeof *word, 0);
    new = fal_bag_add(&list->bag, sizeof *word, WAITING_MAX);
    if (new == NULL) {
        c->track->oom = true;
        return;
    }
    if (list->bag.num == 1) {
        list->back = false;
        list->highest[0] = list->highest[1] = INT64_MIN;
    } else if (word->point.at.t_ns < new[-1].point.at.t_ns) {
        list->back = true;
    }
    if (word->x > list->highest[word->window])
        list->highest[word->window] = word->x;
    *new = *word;
}

void fal_accepted_ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct fal_accepted word;

    if (fal_accepted_by_event(c, event, &word))
        fal_accepted_add(c, c->state, &word);
}

void fal_accepted_told(struct fal_ctx *c, const struct fal_told *told)
{
    struct fal_accepted word;

    if (fal_accepted_by_answer(c, told, &word))
        fal_accepted_add(c, c->state, &word);
}

void fal_accepted_mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct fal_accepted_list *list = c->state;

    if (fal_marks_gap(event, fal_out(c)))
        list->gap_index = event->index;
}

/* ---- the check ---- */

/* Whether q could show it: an EACK shows a whole window, a BACK that no bit of a request or an
 * acknowledged number is set, all others their bases only. */
static bool shows(const struct fal_seen *q, const struct fal_accepted *word)
{
    int64_t base = q->claim[word->window].base;

    if (q->falcon->packet_type == FAL_EACK)
        return true;
    return word->acked && (word->x == base || q->falcon->packet_type == FAL_BACK);
}

static const char *requirement(const struct fal_seen *q, const struct fal_accepted *word)
{
    bool req = word->window == FAL_WINDOW_REQ;

    if (fal_falcon_reliable(q->falcon->packet_type))
        return "FTP-9.1.6-04";
    if (q->falcon->packet_type == FAL_NACK)
        return "FTP-9.1.7-02";
    if (word->acked && word->x == q->claim[word->window].base)
        return req ? "FTP-9.2.1-03" : "FTP-9.2.1-06";
    if (q->falcon->packet_type == FAL_BACK)
        return req ? "FTP-9.1.6-11" : "FTP-9.1.6-12";
    if (!word->acked)
        return "FTP-9.2.1-09";
    return req ? "FTP-9.2.2.4-09" : "FTP-9.2.1-08";
}

static void broken(struct fal_ctx *c, const struct fal_accepted *word, const struct fal_seen *q)
{
    const struct fal_stream *stream = fal_in_stream(c, word->window);
    const struct fal_sent *sent = fal_stream_sent(stream, word->x);
    struct fal_break b = fal_break_begin(c, requirement(q, word));
    char number[FAL_NUMBER_MAX], line[FAL_LINE_MAX];

    if (sent != NULL)
        fal_break_cause(&b, &sent->first);
    fal_break_cause(&b, &word->point.at);
    fal_break_expected(&b, "%s PSN %s covered by the %s: it was %s before, as %s says",
                       fal_window_word(word->window), fal_psn_text(stream, word->x, number),
                       word->acked && q->falcon->packet_type != FAL_EACK
                           ? "base (or an EACK sent)"
                           : "base or its bit",
                       word->acked ? "acknowledged" : "received",
                       word->event ? "the upper layer" : "an older packet");
    fal_break_seen(&b, "%s", fal_line(c, q->packet, line));
    fal_break_end(c, &b, &q->at);
}

/* Since when a NACK may have taken the rx bit back: an event may be read long after it, and a
 * NACK may be for a packet that was NACKed before. */
static uint64_t since(const struct fal_ctx *c, const struct fal_accepted *word)
{
    const struct fal_stream *stream = fal_in_stream(c, word->window);
    const struct fal_sent *sent = fal_stream_sent(stream, word->x);

    if (sent == NULL)
        return word->point.at.index;
    return word->x < stream->doubt ? 0 : sent->first.index; /* 0: before any copy was seen */
}

enum ended { WAITS, DONE };

static enum ended check(struct fal_ctx *c, const struct fal_accepted_list *list,
                        const struct fal_accepted *word, const struct fal_seen *q)
{
    const struct fal_claim *claim = &q->claim[word->window];
    bool covered = covers(claim->base, claim->ack, claim->received, word);
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;
    enum fal_order order;

    if (!covered && !shows(q, word))
        return WAITS;
    order = word->event ? fal_event_before(c, &word->point.at, q, &why)
                        : fal_implied_before(c, &word->point, fal_point_of(q), &why);
    if (order != FAL_BEFORE)
        return WAITS;
    if (covered)
        fal_holds(c);
    else if (!word->acked && fal_rx_may_go(c, word->x, since(c, word), list->gap_index, &why))
        fal_excused_as(c, why, FAL_AMB_65, &q->at);
    else
        broken(c, word, q);
    return DONE;
}

void fal_accepted_check(struct fal_ctx *c, struct fal_accepted_list *list,
                        const struct fal_seen *q)
{
    struct fal_reach reach = {UINT64_MAX, UINT64_MAX};

    follow(c, list);
    if (list->bag.num == 0)
        return;
    if (fal_only_witness(c))
        reach = fal_witness_reach(c, q);
    for (unsigned i = 0; i < list->bag.num;) {
        const struct fal_accepted *word = FAL_BAG(&list->bag, struct fal_accepted, i);

        bool near = word->point.at.t_ns >= reach.t_ns;

        if (word->point.at.index >= reach.index || (near && !list->back))
            return; /* they stand in the order in which they were said */
        if (!near && check(c, list, word, q) == DONE)
            fal_bag_remove(&list->bag, sizeof(struct fal_accepted), i);
        else
            i++;
    }
}
