/* SPDX-License-Identifier: Apache-2.0
 * r1_no_claim_of_unsent.c - rule R1: a base or a bit says that packets arrived. For each of
 * them a copy, or a Resync, must have been sent before. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_r1 = {
    .id = "R1",
    .title = "no packet is acknowledged that was not sent",
    .requirements = FAL_IDS(
        "FTP-6.6.1-02", "FTP-6.6.6-01", "FTP-7.2-20", "FTP-7.2-21", "FTP-7.2-22",
        "FTP-7.7.1-07", "FTP-7.7.1-08", "FTP-7.7.2-03", "FTP-7.7.2-04", "FTP-7.7.2-05",
        "FTP-7.7.2-06", "FTP-7.8-06", "FTP-7.8-07", "FTP-9-01", "FTP-9.2.1-01", "FTP-9.2.1-04",
        "FTP-9.2.1-07", "FTP-9.2.1-08", "FTP-9.2.1-09", "FTP-9.2.2.4-11", "FTP-9.2.5-04"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "",
    .doc = "A base in any packet, or a bit of an EACK, states that packets arrived. Violated "
           "when no copy and no Resync of such a number was sent before the claim. Not judged "
           "where packets may have gone unseen: before a capture began, in a gap of it, or "
           "where a third party's stream has a gap.",
};

struct state {
    uint64_t epoch[FAL_WINDOWS];
    int64_t
        reported[FAL_WINDOWS]; /* numbers below it were reported, as a base passed over them */
};

/* One claim under examination: what is new in it, and the first number that was not sent. */
struct look {
    struct fal_ctx *c;
    const struct fal_seen *q;
    enum fal_window window;
    int64_t reported;
    unsigned news, maybe;
    bool broken;
    int64_t unsent;
};

static void claimed(struct look *look, int64_t x)
{
    switch (fal_track_was_sent(look->c->track, fal_in(look->c), look->window, x)) {
    case FAL_WAS_SENT: break;
    case FAL_MAY_BE_SENT: look->maybe++; break;
    case FAL_NOT_SENT:
        if (!look->broken)
            look->unsent = x;
        look->broken = true;
        break;
    }
}

static void visit(void *ctx, const struct fal_new *fresh)
{
    struct look *look = ctx;

    look->news++;
    if (fresh->sent == NULL)
        claimed(look, fresh->x);
}

/* A base beyond everything that was sent: the first number that surely was not sent, or the
 * very first one. */
static void beyond(struct look *look)
{
    const struct fal_stream *stream = fal_in_stream(look->c, look->window);
    int64_t base = look->q->claim[look->window].base;
    int64_t x = stream->next > look->reported ? stream->next : look->reported;

    if (!stream->based || x >= base)
        return;
    look->news++;
    claimed(look, stream->doubt > x && stream->doubt < base ? stream->doubt : x);
}

static const char *requirement(const struct look *look)
{
    const struct fal_claim *claim = &look->q->claim[look->window];
    uint64_t n = (uint64_t)(look->unsent - claim->base);

    if (look->unsent < claim->base)
        return look->window == FAL_WINDOW_REQ ? "FTP-9.2.1-01" : "FTP-9.2.1-04";
    if (look->window == FAL_WINDOW_REQ)
        return "FTP-9.2.1-07";
    return fal_u128_test(claim->ack, (unsigned)n) ? "FTP-9.2.1-08" : "FTP-9.2.1-09";
}

static void report(struct look *look)
{
    struct fal_break b = fal_break_begin(look->c, requirement(look));
    const struct fal_stream *stream = fal_in_stream(look->c, look->window);
    const struct fal_sent *last = fal_stream_sent(stream, stream->next - 1);
    char number[FAL_NUMBER_MAX], line[FAL_LINE_MAX];

    (void)fal_psn_text(stream, look->unsent, number);
    if (last != NULL)
        fal_break_cause(&b, &last->first); /* the highest that was sent */
    fal_break_expected(&b, "no acknowledgement of %s PSN %s, of which no copy was sent before",
                       fal_window_word(look->window), number);
    fal_break_seen(&b, "%s", fal_line(look->c, look->q->packet, line));
    fal_break_end(look->c, &b, &look->q->at);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    unsigned held = 0, maybe = 0;
    bool broken = false;

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        const struct fal_stream *stream = fal_in_stream(c, (enum fal_window)w);
        struct look look = {.c = c, .q = q, .window = (enum fal_window)w};

        if (state->epoch[w] != stream->epoch) {
            state->epoch[w] = stream->epoch;
            state->reported[w] = 0;
        }
        look.reported = state->reported[w];
        fal_track_news(c->track, q, look.window, visit, &look);
        beyond(&look);
        if (look.broken) {
            report(&look);
            if (q->claim[w].base > state->reported[w])
                state->reported[w] = q->claim[w].base;
        }
        broken = broken || look.broken;
        held += look.news - look.maybe;
        maybe += look.maybe;
    }
    if (broken)
        return;
    if (maybe > 0)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (held > 0)
        fal_holds(c);
}

const struct fal_rule_impl fal_rule_r1 = {
    .about = &fal_about_r1,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_NEWS,
};
