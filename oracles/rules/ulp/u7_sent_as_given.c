/* SPDX-License-Identifier: Apache-2.0
 * u7_sent_as_given.c - rule U7: the SUT sends what its upper layer gave it. The request packet
 * of a post has the kind, the length and the payload that the tester asked the SUT's upper
 * layer for, and the data of a pull those of its answer. Where the SUT reports the RSN of a
 * post only after the packet left, the packet waits among the facts; else the post waits here.
 * A post that is refused for lack of resources or credits (completions 0xB, 0xC of chapter 11)
 * gives its RSN back. While the reply to another post is still to be read, the packet may
 * belong to that one. So the rule decides when the transaction has ended otherwise, or never.
 */
#include "oracles/rules/judge/control.h"
#include "oracles/rules/judge/report.h"

#include <inttypes.h>
#include <string.h>

const struct fal_rule fal_about_u7 = {
    .id = "U7",
    .title = "the SUT sends the data that its upper layer gave it",
    .requirements = FAL_IDS("FTP-7.3-03", "FTP-7.3-04", "FTP-7.4-02", "FTP-7.5-05",
                            "FTP-8.1-01", "FTP-8.1-02", "FTP-8.1-03"),
    .role = "any",
    .needs = "ulp, posts and answers of the tester",
    .assumes = "",
    .shown = true,
    .doc = "Violated when the packet of a post differs from the post in kind, length or "
           "payload, or the data of a pull differ from the answer that the tester gave. A post "
           "that is longer than a packet may take several transactions, and is not judged. "
           "Neither is an answer with more data than the pull asked for: it must not be sent "
           "whole (rule X1).",
};

enum { GIVEN_MAX = 256 };

/* What was sent. */
struct sent {
    uint32_t length;
    uint64_t hash;
    bool push, known; /* known: length and payload were seen whole, the same in all copies */
    struct fal_at at;
};

/* What was given, and has not been seen on its way, or was seen otherwise. */
struct given {
    int64_t rsn;
    bool answer; /* data of a pull; else a post */
    enum fal_ulp_op op;
    uint32_t length;
    uint64_t hash;
    bool has_hash, otherwise;
    struct fal_at at;
    struct sent sent; /* otherwise */
};

struct state {
    struct fal_bag given;
    uint32_t asked; /* posts whose reply has not been read */
};

static const char *what_of(const struct given *given)
{
    if (given->answer)
        return "pull_data";
    return given->op == FAL_OP_PUSH ? "push_data" : "pull_request";
}

/* A property of a request or answer: what the upper layer gave, what the packet has. */
enum kind { TYPE, LENGTH, HASH };
struct property {
    const char *requirement;
    enum kind kind;
    uint64_t due, seen; /* TYPE: whether it is a push */
};

enum { PROPERTY_MAX = 48 };

/* A length is a number of bytes, in decimal; a hash is one of bits. */
static const char *property_text(enum kind kind, uint64_t value, char out[PROPERTY_MAX])
{
    if (kind == TYPE)
        (void)snprintf(out, PROPERTY_MAX, "%s", value != 0 ? "a push_data" : "a pull_request");
    else if (kind == LENGTH)
        (void)snprintf(out, PROPERTY_MAX, "length %" PRIu64, value);
    else
        (void)snprintf(out, PROPERTY_MAX, "payload hash 0x%" PRIx64, value);
    return out;
}

static void differs(struct fal_ctx *c, const struct given *given, const struct fal_at *effect,
                    const struct property *property)
{
    struct fal_break b = fal_break_begin(c, property->requirement);
    char number[FAL_NUMBER_MAX], text[PROPERTY_MAX] = "";
    bool type = property->kind == TYPE; /* what_of says it */

    fal_break_cause(&b, &given->at);
    fal_break_expected(
        &b, "a %s of RSN %s%s%s, as the upper layer gave it", what_of(given),
        fal_rsn_text(c, given->answer ? fal_in(c) : fal_out(c), (uint32_t)given->rsn, number),
        type ? "" : " with ", type ? "" : property_text(property->kind, property->due, text));
    fal_break_seen(&b, "%s", property_text(property->kind, property->seen, text));
    fal_break_end(c, &b, effect);
}

static void compare(struct fal_ctx *c, const struct given *given, const struct sent *sent)
{
    bool push = given->op == FAL_OP_PUSH;

    if (!sent->known)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (!given->answer && sent->push != push)
        differs(c, given, &sent->at, &(struct property){"FTP-8.1-01", TYPE, push, sent->push});
    else if (sent->length != given->length)
        differs(c, given, &sent->at,
                &(struct property){given->answer ? "FTP-8.1-03"
                                   : push        ? "FTP-7.5-05"
                                                 : "FTP-8.1-02",
                                   LENGTH, given->length, sent->length});
    else if (given->has_hash && sent->hash != given->hash)
        differs(c, given, &sent->at,
                &(struct property){given->answer ? "FTP-7.4-02" : "FTP-7.5-05", HASH,
                                   given->hash, sent->hash});
    else
        fal_holds(c);
}

static bool as_given(const struct given *given, const struct sent *sent)
{
    return sent->known && sent->push == (given->op == FAL_OP_PUSH) &&
           sent->length == given->length && (!given->has_hash || sent->hash == given->hash);
}

static void drop(struct fal_ctx *c, int64_t rsn, bool answer, const struct sent *sent)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->given.num; i++) {
        struct given *slot = FAL_BAG(&state->given, struct given, i), given = *slot;

        if (given.rsn != rsn || given.answer != answer || (given.otherwise && sent != NULL))
            continue;
        if (sent != NULL && sent->known && !answer && state->asked > 0 &&
            !as_given(&given, sent)) {
            slot->otherwise = true;
            slot->sent = *sent;
            return;
        }
        fal_bag_remove(&state->given, sizeof given, i);
        if (sent != NULL)
            compare(c, &given, sent);
        return;
    }
}

/* The packet that was not as it was given: told now, or of another post. */
static void settle(struct fal_ctx *c, unsigned i, bool given_back)
{
    struct state *state = c->state;
    struct given given = *FAL_BAG(&state->given, struct given, i);

    fal_bag_remove(&state->given, sizeof given, i);
    if (given.otherwise && !given_back)
        compare(c, &given, &given.sent);
}

static void add(struct fal_ctx *c, const struct given *given)
{
    struct state *state = c->state;
    struct given *slot;

    drop(c, given->rsn, given->answer, NULL);
    if (state->given.num == GIVEN_MAX)
        fal_bag_remove(&state->given, sizeof *slot, 0);
    slot = fal_bag_add(&state->given, sizeof *slot, GIVEN_MAX);
    if (slot == NULL)
        c->track->oom = true;
    else
        *slot = *given;
}

static void command(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (strcmp(event->u.command.verb, "post") == 0)
        state->asked++;
}

static void posted(struct fal_ctx *c, const struct fal_posted *posted)
{
    struct state *state = c->state;
    const struct fal_request *r;
    struct given given = {.op = posted->op,
                          .length = posted->length,
                          .hash = posted->hash,
                          .has_hash = posted->has_hash,
                          .at = posted->written};

    state->asked -= state->asked > 0;
    /* a longer one may take several transactions */
    if (!posted->ok || !posted->has_rsn || posted->length > c->track->setup.params.mtu)
        return;
    given.rsn = fal_track_rsn(c->track, fal_out(c), posted->rsn);
    drop(c, given.rsn, false, NULL); /* an RSN that comes again was given back */
    r = fal_track_request(c->track, fal_out(c), posted->rsn);
    if (r != NULL && (r->flags & FAL_REQ_SENT) != 0)
        compare(c, &given,
                &(struct sent){r->length, r->hash, r->type == FAL_PUSH_DATA,
                               (r->flags & (FAL_REQ_PARTIAL | FAL_REQ_VARIED)) == 0, r->first});
    else if (r == NULL || (r->flags & FAL_REQ_RESYNC) == 0)
        add(c, &given);
}

/* More data than the pull asked for must not be sent (8.1, rule X1). What the SUT makes of such
 * an answer is its own matter. */
static bool answers_too_much(const struct fal_request *r, uint32_t length)
{
    return r != NULL && (r->flags & FAL_REQ_SENT) != 0 &&
           (length > r->length || (r->flags & (FAL_REQ_VARIED | FAL_REQ_PARTIAL)) != 0);
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), told->rsn);
    struct given given = {.rsn = fal_track_rsn(c->track, fal_in(c), told->rsn),
                          .answer = true,
                          .op = FAL_OP_PULL,
                          .length = told->length,
                          .hash = told->hash,
                          .has_hash = true,
                          .at = told->written};

    if (!told->held || told->answer != FAL_ANSWER_DATA || !told->has_hash ||
        answers_too_much(r, told->length))
        return;
    if (r != NULL && (r->flags & FAL_REQ_ANSWERED) != 0)
        compare(
            c, &given,
            &(struct sent){r->answer_length, r->answer_hash, false,
                           (r->flags & (FAL_REQ_ANSWER_PARTIAL | FAL_REQ_ANSWER_VARIED)) == 0,
                           r->answer});
    else
        add(c, &given);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct state *state = c->state;
    struct sent sent;

    if (!q->reliable || state->given.num == 0)
        return;
    sent = (struct sent){q->length, q->hash, q->type == FAL_PUSH_DATA,
                         !q->packet->truncated && !q->doubtful, q->at};
    drop(c, q->rsn, q->type == FAL_PULL_DATA,
         q->falcon->packet_type == FAL_RESYNC ? NULL : &sent);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_ev_ulp *e = &event->u.ulp;
    const struct state *state = c->state;
    int64_t rsn;

    if (e->kind != FAL_ULP_COMPLETION || state->given.num == 0)
        return;
    rsn = fal_track_rsn(c->track, fal_out(c), e->rsn);
    for (unsigned i = 0; i < state->given.num; i++) {
        const struct given *given = FAL_BAG(&state->given, struct given, i);

        if (given->rsn == rsn && !given->answer) {
            settle(c, i, fal_code_gives_back(e->code));
            return;
        }
    }
}

const struct fal_rule_impl fal_rule_u7 = {
    .about = &fal_about_u7,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 1,
    .posted = posted,
    .told = told,
    .command = command,
    .on_ulp = FAL_ON_COMPLETION,
    .ulp = ulp,
    .out = out,
    .on_out = FAL_ON_WAITING,
    .release = fal_bag_release,
};
