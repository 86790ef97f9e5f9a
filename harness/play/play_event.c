/* SPDX-License-Identifier: Apache-2.0
 * play_event.c - plays what upper layers are expected to hear, and not to hear. */
#include "harness/play/players.h"
#include "harness/session/words/session_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD_LEN = 160 };

static uint64_t member_of(const struct fal_ev_ulp *ulp, enum tl_event_member member)
{
    switch (member) {
    case TL_EVENT_RSN: return ulp->rsn;
    case TL_EVENT_OP: return (uint64_t)ulp->op;
    case TL_EVENT_LENGTH: return ulp->length;
    case TL_EVENT_TAG: return ulp->tag;
    case TL_EVENT_REDELIVERY: return ulp->redelivery;
    case TL_EVENT_ANSWER: return (uint64_t)ulp->answer;
    case TL_EVENT_CODE: return ulp->code;
    case TL_EVENT_NACK_CODE: return ulp->ulp_nack_code;
    case TL_EVENT_MEMBERS: break;
    }
    return 0;
}

/* A member's value as scenarios write it. */
static void print_member(enum tl_event_member member, uint64_t value, uint32_t base, char *out,
                         size_t cap)
{
    if (member == TL_EVENT_RSN)
        (void)snprintf(out, cap, "%" PRIu32 "r", (uint32_t)value - base);
    else if (member == TL_EVENT_OP && value <= FAL_OP_PULL)
        (void)snprintf(out, cap, "%s", tl_act_op_name((enum fal_ulp_op)value));
    else if (member == TL_EVENT_ANSWER && value <= FAL_ANSWER_WITHHOLD)
        (void)snprintf(out, cap, "%s", fal_answer_name((enum fal_answer)value));
    else
        (void)snprintf(out, cap, "%" PRIu64, value);
}

/* "length: due 65, seen 64" */
static struct fal_error difference(const struct tl_interp *interp, enum tl_event_member member,
                                   const struct tl_value *value, uint64_t seen, uint32_t base)
{
    char seen_text[32], due_text[32];
    struct fal_error out = {{0}};
    uint64_t due;

    print_member(member, seen, base, seen_text, sizeof seen_text);
    if (!value->negated && tl_value_get(value, base, &interp->scope, &due, NULL) == 0) {
        print_member(member, due, base, due_text, sizeof due_text);
        (void)snprintf(out.text, sizeof out.text, "%s: due %s, seen %s",
                       tl_event_member_name(member), due_text, seen_text);
    } else {
        (void)snprintf(out.text, sizeof out.text, "%s: seen %s", tl_event_member_name(member),
                       seen_text);
    }
    return out;
}

static int entry_fits(struct tl_interp *interp, const struct tl_cc_pattern *pattern,
                      const struct tl_seen_event *seen, bool take, char *why, size_t cap)
{
    if (seen->is_entry && seen->entry_kind == pattern->kind)
        return tl_interp_entry_fits(interp, pattern, seen->entry, take, why, cap);
    if (why != NULL)
        (void)snprintf(why, cap, "it is %s",
                       seen->is_entry ? "an entry of the other queue" : "no queue entry");
    return 0;
}

/* An event of an upper layer; NULL: it is another event, or no longer kept. */
static const struct tl_seen_word *word_of(const struct tl_session *session,
                                          const struct tl_seen_event *seen)
{
    return seen->is_word ? tl_session_word(session, seen->word) : NULL;
}

/* Of a connection manager: the word counts, or the entry. */
static int cm_fits(struct tl_interp *interp, const struct tl_event_pattern *pattern,
                   const struct tl_seen_event *seen, bool take, char *why, size_t cap)
{
    const struct tl_seen_word *word = word_of(interp->session, seen);

    if (!seen->is_cm || !pattern->is_cm) {
        if (why != NULL)
            (void)snprintf(why, cap, "it is an event of another kind");
        return 0;
    }
    if (pattern->entry != NULL)
        return entry_fits(interp, pattern->entry, seen, take, why, cap);
    if (pattern->word != NULL && word != NULL)
        return tl_interp_word_fits(interp, pattern->word, word, take, why, cap);
    /* An entry is no error: "any" does not mean it. */
    if ((strcmp(pattern->what, "any") == 0 && !seen->is_entry && !seen->is_word) ||
        strcmp(pattern->what, seen->what) == 0)
        return 1;
    if (why != NULL)
        (void)snprintf(why, cap, "what: due %s, seen %s", pattern->what, seen->what);
    return 0;
}

int tl_interp_event_fits(struct tl_interp *interp, const struct tl_event_pattern *pattern,
                         const struct tl_seen_event *seen, bool take, char *why, size_t cap)
{
    uint32_t base = tl_interp_rsn_base(interp, seen->side, pattern->kind != FAL_ULP_COMPLETION);

    if (seen->is_cm || pattern->is_cm)
        return cm_fits(interp, pattern, seen, take, why, cap);
    if (seen->ulp.kind != pattern->kind) {
        if (why != NULL)
            (void)snprintf(why, cap, "event: due %s, seen %s",
                           tl_event_kind_name(pattern->kind),
                           tl_event_kind_name(seen->ulp.kind));
        return 0;
    }
    for (int m = 0; m < TL_EVENT_MEMBERS; m++) {
        uint64_t value;
        struct fal_error err;
        int rc;

        if (!pattern->given[m])
            continue;
        value = member_of(&seen->ulp, (enum tl_event_member)m);
        err.text[0] = 0;
        rc = tl_value_match(&pattern->values[m], base, &interp->scope, value, &err);
        if (rc < 0)
            tl_interp_unplayable(interp, err.text);
        if (rc == 0 && why != NULL)
            (void)snprintf(
                why, cap, "%s",
                difference(interp, (enum tl_event_member)m, &pattern->values[m], value, base)
                    .text);
        if (rc != 1)
            return rc < 0 ? -1 : 0;
    }
    for (int m = 0; take && m < TL_EVENT_MEMBERS; m++)
        if (pattern->given[m] && pattern->values[m].kind == TL_VALUE_CAPTURE)
            tl_interp_bind(interp, pattern->values[m].name,
                           member_of(&seen->ulp, (enum tl_event_member)m),
                           m == TL_EVENT_RSN ? TL_SEQUENCE : TL_INTEGER);
    return 1;
}

static bool event_matches(struct tl_interp *interp, const struct tl_step *step,
                          const struct tl_seen_event *seen, char *why, size_t cap)
{
    return tl_interp_event_fits(interp, step->u.expect_ulp.pattern, seen, false, why, cap) == 1;
}

static void print_word(const struct tl_seen_word *word, const char *time, char *out, size_t cap)
{
    char text[WORD_LEN];

    tl_session_print_word(word->words, &word->word, text, sizeof text);
    (void)snprintf(out, cap, "@%s %s", time, text);
}

void tl_interp_print_event(const struct tl_interp *interp, const struct tl_seen_event *seen,
                           char *out, size_t cap)
{
    const struct fal_ev_ulp *ulp = &seen->ulp;
    const struct tl_seen_word *word = word_of(interp->session, seen);
    uint32_t base = tl_interp_rsn_base(interp, seen->side, ulp->kind != FAL_ULP_COMPLETION);
    char time[64];
    int len;

    tl_session_print_time(seen->t_ns, time, sizeof time);
    if (word != NULL) {
        print_word(word, time, out, cap);
        return;
    }
    if (seen->is_cm) {
        (void)snprintf(out, cap, "@%s cm %s%s", time, seen->what,
                       !seen->is_entry                   ? ""
                       : seen->entry_kind == TL_CC_EVENT ? " event"
                                                         : " result");
        return;
    }
    len = snprintf(out, cap, "@%s %s rsn=%" PRIu32 "r", time, tl_event_kind_name(ulp->kind),
                   ulp->rsn - base);
    if (len < 0 || (size_t)len >= cap)
        return;
    out += len;
    cap -= (size_t)len;
    switch (ulp->kind) {
    case FAL_ULP_REQUEST:
        (void)snprintf(out, cap, " op=%s length=%" PRIu32 "%s", tl_act_op_name(ulp->op),
                       ulp->length, ulp->redelivery ? " redelivery=true" : "");
        break;
    case FAL_ULP_ACK:
        (void)snprintf(out, cap, " answer=%s", fal_answer_name(ulp->answer));
        break;
    case FAL_ULP_COMPLETION:
        (void)snprintf(out, cap, " code=%" PRIu32 " ulp_nack_code=%" PRIu32 " length=%" PRIu32,
                       ulp->code, ulp->ulp_nack_code, ulp->length);
        break;
    }
}

uint64_t tl_find_event(struct tl_interp *interp, const struct tl_step *step, uint64_t from,
                       uint64_t earliest_ns, uint64_t deadline_ns)
{
    struct tl_session *session = interp->session;
    uint64_t n = from;

    if (n < tl_session_first_event(session))
        n = tl_session_first_event(session);
    for (; n < session->events.next; n++) {
        const struct tl_seen_event *seen = tl_session_event(session, n);

        if (seen->side == step->u.expect_ulp.side && seen->t_ns >= earliest_ns &&
            seen->t_ns <= deadline_ns && event_matches(interp, step, seen, NULL, 0))
            return n;
    }
    return UINT64_MAX;
}

void tl_take_event(struct tl_interp *interp, const struct tl_step *step, uint64_t number)
{
    struct tl_session *session = interp->session;
    const struct tl_seen_event *seen = tl_session_event(session, number);
    bool live = tl_session_live(session), early = seen->t_ns < interp->earliest_ns;
    enum tl_side side = step->u.expect_ulp.side;

    (void)tl_interp_event_fits(interp, step->u.expect_ulp.pattern, seen, true, NULL, 0);
    if (interp->next_event[side] <= number)
        interp->next_event[side] = number + 1;
    if (early || seen->t_ns > interp->deadline_ns) {
        struct tl_miss *miss =
            tl_interp_missed(interp, early || !live ? FAL_VERDICT_FAIL : FAL_VERDICT_INCONC,
                             early ? TL_REASON_TOO_EARLY : TL_REASON_LATE, 0);

        if (early)
            tl_interp_early(interp, miss, interp->earliest_ns - seen->t_ns);
        miss->t_ns = seen->t_ns;
        tl_interp_print_event(interp, seen, miss->seen, sizeof miss->seen);
    }
    /* Packets that came of the step before may have come before the news of it. */
    tl_interp_matched(interp, seen->t_ns);
}

static bool take_event(struct tl_interp *interp, const struct tl_step *step)
{
    uint64_t n = tl_find_event(interp, step, interp->scanned, 0, FAL_NEVER);

    if (n == UINT64_MAX) {
        interp->scanned = interp->session->events.next;
        return false;
    }
    if (interp->state == TL_INTERP_RUNNING)
        tl_take_event(interp, step, n);
    return true;
}

/* The newest event of that side and kind that no step has taken, else the newest. */
void tl_nearest_event(struct tl_interp *interp, const struct tl_step *step,
                      struct tl_miss *miss)
{
    const struct tl_session *session = interp->session;
    enum tl_side side = step->u.expect_ulp.side;
    uint64_t from = interp->next_event[side];

    (void)snprintf(miss->seen, sizeof miss->seen, "no such event");
    if (from < tl_session_first_event(session))
        from = tl_session_first_event(session);
    for (uint64_t n = session->events.next; n-- > from;) {
        const struct tl_seen_event *seen = tl_session_event(session, n);
        const struct tl_event_pattern *due = step->u.expect_ulp.pattern;
        const struct tl_seen_word *word = word_of(session, seen);
        bool same =
            seen->is_cm == due->is_cm && seen->ulp.kind == due->kind &&
            (due->entry == NULL || (seen->is_entry && seen->entry_kind == due->entry->kind)) &&
            (due->word == NULL || (word != NULL && word->words == due->word->words &&
                                   tl_word_kind(&word->word) == due->word->kind));

        if (seen->side != side || (!same && miss->why[0] != 0))
            continue;
        (void)event_matches(interp, step, seen, miss->why, sizeof miss->why);
        tl_interp_print_event(interp, seen, miss->seen, sizeof miss->seen);
        if (same)
            return;
    }
}

/* None but those that earlier steps have taken. */
bool tl_play_expect_no_event(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                             bool idle)
{
    struct tl_session *session = interp->session;
    enum tl_side side = step->u.expect_ulp.side;
    uint64_t ns;

    if (fresh) {
        if (!tl_interp_duration(interp, &step->from, &ns))
            return true;
        interp->wake_ns = interp->anchor.from_ns + ns;
        interp->scanned = interp->next_event[side];
    }
    if (interp->scanned < tl_session_first_event(session))
        interp->scanned = tl_session_first_event(session);
    for (; interp->scanned < session->events.next; interp->scanned++) {
        const struct tl_seen_event *seen = tl_session_event(session, interp->scanned);
        struct tl_miss *miss;
        char why[100];

        if (seen->side != side || seen->t_ns > interp->wake_ns ||
            !event_matches(interp, step, seen, why, sizeof why))
            continue;
        miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNEXPECTED, 0);
        miss->needs_lossless = true;
        miss->loss = TL_REASON_IN_LOSS;
        miss->t_ns = seen->t_ns;
        tl_interp_unexpected(interp, miss, interp->anchor.from_ns, interp->wake_ns);
        tl_interp_print_event(interp, seen, miss->seen, sizeof miss->seen);
        return true;
    }
    if (interp->state != TL_INTERP_RUNNING)
        return true;
    if (!idle || tl_session_now(session) < interp->wake_ns)
        return false;
    tl_interp_nothing_came(interp);
    return true;
}

/* Whether the step waits for a queue entry and none of its queue came. A device may leave
 * events out (10.6.1, AMB-43), so that proves nothing. */
static bool no_entry_came(struct tl_interp *interp, const struct tl_event_pattern *due)
{
    const struct tl_session *session = interp->session;
    uint64_t n = interp->next_event[TL_SIDE_SUT], first = tl_session_first_event(session);

    if (due->entry == NULL)
        return false;
    for (n = n > first ? n : first; n < session->events.next; n++) {
        const struct tl_seen_event *seen = tl_session_event(session, n);

        if (seen->is_entry && seen->entry_kind == due->entry->kind &&
            tl_interp_entry_concerns(interp, due->entry, seen->entry))
            return false;
    }
    return true;
}

bool tl_play_expect_ulp(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                        bool idle)
{
    struct tl_session *session = interp->session;
    bool live = tl_session_live(session);
    struct tl_miss *miss;

    if (fresh) {
        if (!tl_interp_window(interp, step))
            return true;
        interp->scanned = interp->next_event[step->u.expect_ulp.side];
        interp->wake_ns = interp->deadline_ns + (live ? TL_GRACE_NS : 0);
    }
    if (take_event(interp, step) || interp->state != TL_INTERP_RUNNING)
        return true;
    if (!idle || tl_session_now(session) < interp->wake_ns)
        return false;
    if (no_entry_came(interp, step->u.expect_ulp.pattern)) {
        miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_UNDECIDED, 0);
        (void)snprintf(miss->seen, sizeof miss->seen, "no such entry");
        return true;
    }
    miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET, interp->anchor.early_ns);
    miss->needs_lossless = true;
    miss->loss = TL_REASON_IN_LOSS;
    tl_nearest_event(interp, step, miss);
    return true;
}
