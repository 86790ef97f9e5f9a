/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/report.h"

#include "codecs/text/text.h"
#include "oracles/catalogue.h"
#include "oracles/rules/facts/rdma.h"
#include "oracles/rules/judge/judge_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Findings handed out for one rule, connection and subject; beyond them breaks are only
 * counted. */
enum { FINDINGS_MAX = 64 };

void fal_holds(struct fal_ctx *c)
{
    fal_tallies_hold(c->tallies, c->cell);
}

void fal_excused_at(struct fal_ctx *c, enum fal_excuse excuse, uint64_t t_ns, uint64_t span_ns)
{
    uint64_t in_ns, out_ns;

    (void)fal_tallies_count(c->tallies, c->cell, FAL_ENDED_EXCUSED + (unsigned)excuse);
    if (excuse < FAL_EXCUSE_PATHS)
        fal_tallies_event(c->tallies, c->cell, excuse, t_ns,
                          span_ns + (fal_round_ns(c, &in_ns, &out_ns) ? in_ns + out_ns : 0));
}

void fal_excused(struct fal_ctx *c, enum fal_excuse excuse)
{
    fal_excused_at(c, excuse, c->now_ns, 0);
}

void fal_undecided(struct fal_ctx *c, enum fal_excuse what)
{
    (void)what; /* for reports about the rule: results only count them */
    (void)fal_tallies_count(c->tallies, c->cell, FAL_ENDED_UNDECIDED);
}

void fal_self_held(struct fal_ctx *c, bool trusted)
{
    if (trusted)
        fal_holds(c);
    else
        fal_undecided(c, FAL_EXCUSE_CLOCK);
}

void fal_undecided_all(struct fal_ctx *c, struct fal_bag *waiting, enum fal_excuse what)
{
    for (unsigned i = 0; i < waiting->num; i++)
        fal_undecided(c, what);
    fal_bag_free(waiting);
}

static void lost_or_undecided(struct fal_ctx *c, struct fal_bag *waiting, bool lossless,
                              enum fal_excuse loss)
{
    for (unsigned i = 0; !lossless && i < waiting->num; i++)
        fal_excused(c, loss);
    if (lossless)
        fal_undecided_all(c, waiting, FAL_EXCUSE_CONFIG);
    fal_bag_free(waiting);
}

void fal_in_lost_or_undecided(struct fal_ctx *c, struct fal_bag *waiting)
{
    lost_or_undecided(c, waiting, fal_path_in(c).lossless, FAL_EXCUSE_IN_LOSS);
}

void fal_out_lost_or_undecided(struct fal_ctx *c, struct fal_bag *waiting)
{
    lost_or_undecided(c, waiting, fal_path_out(c).lossless, FAL_EXCUSE_OUT_LOSS);
}

/* What other events may still do about the reading comes first: those of other threads, or of
 * other shards. */
static void in_turn(const struct fal_ctx *c, enum fal_amb amb, enum fal_window window,
                    enum fal_reading_look how)
{
    const struct fal_judge_config *config = c->config;
    struct fal_common *common = config->common;

    if (common != NULL && common->watched && !fal_amb_free(amb))
        fal_reading_look(c->readings,
                         &common->watch[c->readings - common->of_subject][amb][window], amb,
                         window, how, c->now_index);
    if (config->in_turn != NULL && !fal_amb_free(amb) &&
        !fal_reading_settled(c->readings, amb, window))
        config->in_turn(config->ctx);
}

static enum fal_reading_look look_of(unsigned set)
{
    return set == FAL_READ_ANY ? FAL_LOOK_TAKE_ANY : FAL_LOOK_TAKE_ONE;
}

bool fal_read_window_as(struct fal_ctx *c, enum fal_amb amb, enum fal_window window,
                        unsigned set, const struct fal_at *at)
{
    in_turn(c, amb, window, look_of(set));
    switch (fal_reading_take(c->readings, amb, window, set, at)) {
    case FAL_READING_DEFAULT: fal_holds(c); return true;
    case FAL_READING_OTHER: fal_excused(c, FAL_EXCUSE_READING); return true;
    case FAL_READING_NONE: break;
    }
    return false;
}

bool fal_read_as(struct fal_ctx *c, enum fal_amb amb, unsigned set, const struct fal_at *at)
{
    return fal_read_window_as(c, amb, (enum fal_window)0, set, at);
}

void fal_excused_as(struct fal_ctx *c, enum fal_excuse excuse, enum fal_amb amb,
                    const struct fal_at *at)
{
    if (excuse != FAL_EXCUSE_READING || !fal_read_as(c, amb, FAL_READ_OTHER, at))
        fal_excused(c, excuse);
}

enum fal_reading fal_read_take(struct fal_ctx *c, enum fal_amb amb, unsigned set,
                               const struct fal_at *at)
{
    in_turn(c, amb, (enum fal_window)0, look_of(set));
    return fal_reading_take(c->readings, amb, (enum fal_window)0, set, at);
}

const struct fal_at *fal_read_by(const struct fal_ctx *c, enum fal_amb amb)
{
    in_turn(c, amb, (enum fal_window)0, FAL_LOOK_CITE);
    return &c->readings->of[amb][0].by;
}

unsigned fal_read_left(struct fal_ctx *c, enum fal_amb amb)
{
    in_turn(c, amb, (enum fal_window)0, FAL_LOOK_LEFT);
    return fal_reading_left(c->readings, amb, (enum fal_window)0);
}

struct fal_break fal_break_begin(struct fal_ctx *c, const char *requirement)
{
    return (struct fal_break){
        .finding = {.rule = c->impl->about,
                    .instance = FAL_BROKEN,
                    .requirement = requirement,
                    .subject = c->subject,
                    .end = c->subject == FAL_SUBJECT_SUT && c->in == FAL_FROM_SUT,
                    .conn = c->conn,
                    .t_ns = c->now_ns,
                    .step = -1}};
}

void fal_break_cause(struct fal_break *b, const struct fal_at *at)
{
    struct fal_finding *f = &b->finding;

    b->scripted = b->scripted || at->origin != FAL_ORIGIN_ENDPOINT;
    if (f->num_evidence == FAL_EVIDENCE_MAX - 1) /* the last place is the effect's */
        return;
    f->evidence[f->num_evidence] = at->index;
    f->evidence_frames[f->num_evidence++] = at->frame;
}

void fal_break_expected(struct fal_break *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(b->finding.expected, sizeof b->finding.expected, format, args);
    va_end(args);
}

void fal_break_seen(struct fal_break *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(b->finding.seen, sizeof b->finding.seen, format, args);
    va_end(args);
}

enum fal_verdict fal_finding_breach(const struct fal_finding *finding)
{
    const struct fal_requirement *r =
        finding->requirement != NULL ? fal_requirement_find(finding->requirement) : NULL;
    enum fal_verdict breach = r != NULL ? fal_requirement_breach(r) : FAL_VERDICT_FAIL;

    return finding->warn && breach == FAL_VERDICT_FAIL ? FAL_VERDICT_WARN : breach;
}

void fal_break_end(struct fal_ctx *c, struct fal_break *b, const struct fal_at *effect)
{
    struct fal_finding *f = &b->finding;
    struct fal_tally t;
    enum fal_ending ending = FAL_ENDED_WARN;

    b->scripted = b->scripted || effect->origin != FAL_ORIGIN_ENDPOINT;
    f->evidence[f->num_evidence] = effect->index;
    f->evidence_frames[f->num_evidence++] = effect->frame;
    f->step = effect->step;
    f->asked = c->subject == FAL_SUBJECT_TESTER && b->scripted;
    if (f->asked)
        ending = FAL_ENDED_ASKED;
    else if (fal_finding_breach(f) == FAL_VERDICT_FAIL)
        ending = FAL_ENDED_FAIL;
    (void)fal_tallies_count(c->tallies, c->cell, ending);
    if (c->config->finding == NULL)
        return;
    t = fal_tallies_of(c->tallies, c->cell);
    if (t.broken_asked + t.broken_fail + t.broken_warn <= FINDINGS_MAX)
        c->config->finding(c->config->ctx, f);
}

void fal_broken(struct fal_ctx *c, const struct fal_blame *blame, const char *expected, ...)
{
    struct fal_break b = fal_break_begin(c, blame->requirement);
    char line[FAL_LINE_MAX];
    va_list args;

    for (size_t i = 0; i < sizeof blame->cause / sizeof *blame->cause; i++)
        if (blame->cause[i] != NULL)
            fal_break_cause(&b, blame->cause[i]);
    va_start(args, expected);
    (void)vsnprintf(b.finding.expected, sizeof b.finding.expected, expected, args);
    va_end(args);
    b.finding.warn = blame->warn;
    fal_break_seen(&b, "%s",
                   blame->packet != NULL ? fal_line(c, blame->packet, line) : blame->seen);
    fal_break_end(c, &b, blame->effect);
}

static struct fal_text_style style_of(const struct fal_connection *setup, enum fal_dir dir)
{
    const struct fal_end *own = dir == FAL_TO_SUT ? &setup->tester : &setup->sut;
    const struct fal_end *peer = dir == FAL_TO_SUT ? &setup->sut : &setup->tester;

    return (struct fal_text_style){.relative = setup->initial_known,
                                   .req_psn = own->req_psn,
                                   .data_psn = own->data_psn,
                                   .rsn = own->rsn,
                                   .peer_req_psn = peer->req_psn,
                                   .peer_data_psn = peer->data_psn,
                                   .peer_rsn = peer->rsn};
}

/* Whether the packet belongs to the judged connection: numbers of others begin elsewhere. */
static bool is_addressed_to(const struct fal_connection *setup,
                            const struct fal_ev_packet *packet)
{
    const struct fal_end *to = packet->dir == FAL_TO_SUT ? &setup->sut : &setup->tester;

    return packet->falcon.dest_cid == to->cid;
}

/* The headers of RDMA behind those of Falcon. */
static void add_rdma(const struct fal_ev_packet *packet, char out[FAL_LINE_MAX])
{
    const struct fal_ulp_bytes front = {.payload = packet->payload, .len = packet->payload_len};
    size_t len = strlen(out);
    struct fal_ulp ulp;

    fal_ulp_decode(&packet->falcon, packet->payload, packet->payload_len, &ulp);
    (void)fal_ulp_line(&ulp, &front, packet->payload_len, out + len, FAL_LINE_MAX - len);
}

const char *fal_line(const struct fal_ctx *c, const struct fal_ev_packet *packet,
                     char out[FAL_LINE_MAX])
{
    struct fal_text_style style = {0};

    out[0] = 0;
    if (packet->header_len <= 0) {
        size_t len = packet->len < 40 ? packet->len : 40; /* enough to recognise it */

        (void)fal_text_hex(packet->bytes, len, out, FAL_LINE_MAX);
        return out;
    }
    if (c->track != NULL && is_addressed_to(&c->track->setup, packet))
        style = style_of(&c->track->setup, packet->dir);
    (void)fal_text_packet(&packet->falcon, &style, out, FAL_LINE_MAX);
    if (fal_rdma_likely(packet))
        add_rdma(packet, out);
    return out;
}

const char *fal_psn_text(const struct fal_stream *stream, int64_t x, char out[FAL_NUMBER_MAX])
{
    if (stream->known && x >= stream->first)
        (void)snprintf(out, FAL_NUMBER_MAX, "%" PRId64 "r", x - stream->first);
    else
        (void)snprintf(out, FAL_NUMBER_MAX, "%" PRIu32, (uint32_t)x);
    return out;
}

const char *fal_rsn_text(const struct fal_ctx *c, enum fal_dir space, uint32_t rsn,
                         char out[FAL_NUMBER_MAX])
{
    const struct fal_connection *setup = &c->track->setup;
    uint32_t first = space == FAL_TO_SUT ? setup->tester.rsn : setup->sut.rsn;

    if (setup->initial_known && fal_seq_le(first, rsn))
        (void)snprintf(out, FAL_NUMBER_MAX, "%" PRIu32 "r", rsn - first);
    else
        (void)snprintf(out, FAL_NUMBER_MAX, "%" PRIu32, rsn);
    return out;
}

const char *fal_window_word(enum fal_window window)
{
    return window == FAL_WINDOW_REQ ? "request" : "data";
}

static uint64_t excuses(const struct fal_tally *t)
{
    uint64_t sum = t->undecided;

    for (unsigned i = 0; i < FAL_EXCUSE_COUNT; i++)
        sum += t->excused[i];
    return sum;
}

/* For our own side: whether it violated the rule unasked. */
static enum fal_verdict tester_verdict(const struct fal_tally *t)
{
    if (t->broken_fail + t->broken_warn > 0)
        return FAL_VERDICT_ERROR;
    return t->holds > 0 ? FAL_VERDICT_PASS : FAL_VERDICT_NONE;
}

enum fal_verdict fal_count_verdict(const struct fal_rule_impl *impl, enum fal_subject subject,
                                   const struct fal_tally *t)
{
    uint64_t met = t->holds + t->excused[FAL_EXCUSE_READING];
    uint64_t open = excuses(t) - t->excused[FAL_EXCUSE_READING];

    if (subject == FAL_SUBJECT_TESTER)
        return tester_verdict(t);
    if (t->broken_fail > 0)
        return FAL_VERDICT_FAIL;
    if (t->holds + t->broken_warn + excuses(t) == 0)
        return FAL_VERDICT_NONE;
    if (met < impl->power && t->broken_warn == 0)
        return FAL_VERDICT_INCONC;
    if (t->broken_warn > 0 || t->excused[FAL_EXCUSE_READING] > 0)
        return FAL_VERDICT_WARN;
    return open > met ? FAL_VERDICT_INCONC : FAL_VERDICT_PASS;
}
