/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/roce/roce_judge.h"

#include "codecs/base/time_text.h"
#include "codecs/text/text.h"
#include "oracles/roce/end.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 400, LINE = 480, AROUND = 4 };

/* One step that is judged. */
struct judging {
    struct tl_roce_log *log;
    const struct tl_roce_step *step;
    size_t number;
    struct tl_case *out;
    uint64_t begin_ns, end_ns; /* packets of this time count, */
    size_t begin;              /* from this entry on */
    const char *side;
};

static char *words(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *words(const char *format, ...)
{
    char text[TEXT];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return strdup(text);
}

/* ---- problems ---- */

/* The packets around entry `index`, or the last ones of the play. */
static void add_ladder(const struct judging *j, struct tl_problem *p, size_t index)
{
    const struct tl_roce_log *log = j->log;
    size_t first = index == SIZE_MAX ? log->num_seen : index, last;

    first = first > AROUND ? first - AROUND : 0;
    last = index == SIZE_MAX ? log->num_seen : index + AROUND + 1;
    for (size_t i = first; i < last && i < log->num_seen; i++) {
        char line[LINE];

        tl_roce_log_line(&log->seen[i], line, sizeof line);
        if (!tl_ladder_add(&p->ladder, &p->num_ladder, line, i == index))
            return;
    }
}

/* Takes both texts. */
static void problem(const struct judging *j, enum fal_verdict verdict, enum tl_reason reason,
                    size_t index, char *expected, char *seen)
{
    struct tl_problem *p = tl_case_problem(j->out);
    char code[40];

    if (verdict > j->out->verdict) {
        j->out->verdict = verdict;
        j->out->reason = tl_reason(reason);
    }
    if (p == NULL) {
        free(expected);
        free(seen);
        return;
    }
    (void)snprintf(code, sizeof code, "%s/%s", tl_roce_verbs[j->step->verb],
                   j->step->rule != NULL ? j->step->rule : "");
    *p = (struct tl_problem){.kind = TL_PROBLEM_STEP,
                             .verdict = verdict,
                             .reason = tl_reason(reason),
                             .step = (int32_t)j->number,
                             .line = j->step->line,
                             .t_ns = index < j->log->num_seen ? j->log->seen[index].at_ns
                                                              : j->log->end_ns,
                             .text = strdup(j->step->text),
                             .step_code = strdup(code),
                             .expected = expected,
                             .seen = seen};
    add_ladder(j, p, index);
}

static const char *rule_text(const struct judging *j, char out[40])
{
    out[0] = 0;
    if (j->step->rule != NULL)
        (void)snprintf(out, 40, " (rule %.24s)", j->step->rule);
    return out;
}

/* ---- what a step is about ---- */

/* Finds the time of the step. False: the label that begins it was never set. */
static bool find_window(struct judging *j)
{
    const struct tl_roce_label *after = tl_roce_log_label(j->log, j->step->after);
    const struct tl_roce_label *until = tl_roce_log_label(j->log, j->step->until);

    j->begin = 0;
    j->begin_ns = 0;
    j->end_ns = j->log->end_ns;
    if (j->step->after != NULL) {
        if (after == NULL || !after->set)
            return false;
        j->begin_ns = after->at_ns;
        j->begin = after->index == SIZE_MAX ? 0 : after->index + 1;
    }
    j->begin_ns += j->step->start_ns;
    if (j->step->has_for)
        j->end_ns = j->begin_ns + j->step->for_ns;
    if (j->step->until != NULL) {
        if (until == NULL || !until->set)
            return false;
        j->end_ns = until->at_ns;
    }
    return true;
}

/* The next entry from `i` on that the step is about; SIZE_MAX: none. */
static size_t next_of(const struct judging *j, size_t i)
{
    for (; i < j->log->num_seen; i++) {
        const struct tl_roce_seen *seen = &j->log->seen[i];

        if (seen->at_ns > j->end_ns)
            break;
        if (seen->at_ns >= j->begin_ns && !seen->injected &&
            tl_roce_log_fits(j->log, j->step, seen))
            return i;
    }
    return SIZE_MAX;
}

static const char *who(const struct tl_roce_step *step)
{
    return step->from == TL_ROCE_A ? "end a" : step->from == TL_ROCE_B ? "end b" : "either end";
}

static const char *since(const struct judging *j, char out[80])
{
    if (j->step->after == NULL)
        (void)snprintf(out, 80, "the beginning");
    else
        (void)snprintf(out, 80, "'%.24s' (%s)", j->step->after,
                       fal_time_text(j->begin_ns - j->step->start_ns).text);
    return out;
}

/* ---- the verbs ---- */

static void judge_expect(struct judging *j)
{
    const struct tl_roce_step *step = j->step;
    const char *pattern = step->word[step->verb];
    char rule[40], from[80];
    size_t i;

    if (step->has_within && j->begin_ns + step->within_ns < j->end_ns)
        j->end_ns = j->begin_ns + step->within_ns;
    i = next_of(j, j->begin);
    if (i == SIZE_MAX) {
        /* The play may have ended before the time was over. */
        bool over = !step->has_within || j->begin_ns + step->within_ns <= j->log->end_ns;

        problem(j, over ? FAL_VERDICT_FAIL : FAL_VERDICT_INCONC,
                over ? TL_REASON_UNMET : TL_REASON_UNDECIDED, SIZE_MAX,
                words("a packet of %s with '%.120s' from %s on, by %s%s", who(step), pattern,
                      since(j, from), fal_time_text(j->end_ns).text, rule_text(j, rule)),
                words("no such packet"));
        return;
    }
    tl_roce_log_set(j->log, step, j->log->seen[i].at_ns, i);
    if (step->has_not_before && j->log->seen[i].at_ns < j->begin_ns + step->not_before_ns)
        problem(j, FAL_VERDICT_FAIL, TL_REASON_TOO_EARLY, i,
                words("a packet of %s with '%.120s' not before %s, which is %s after %s%s",
                      who(step), pattern, fal_time_text(j->begin_ns + step->not_before_ns).text,
                      fal_time_text(step->not_before_ns).text, since(j, from),
                      rule_text(j, rule)),
                words("it came at %s", fal_time_text(j->log->seen[i].at_ns).text));
}

static void judge_none(struct judging *j)
{
    size_t i = next_of(j, j->begin);
    char rule[40], from[80];

    if (i != SIZE_MAX)
        problem(j, FAL_VERDICT_FAIL, TL_REASON_UNEXPECTED, i,
                words("no packet of %s with '%.120s' from %s on, until %s%s", who(j->step),
                      j->step->word[j->step->verb], since(j, from),
                      fal_time_text(j->end_ns).text, rule_text(j, rule)),
                words("one came at %s", fal_time_text(j->log->seen[i].at_ns).text));
}

static void judge_count(struct judging *j)
{
    const struct tl_roce_step *step = j->step;
    uint64_t least = step->least != NULL ? strtoull(step->least, NULL, 10) : 0;
    uint64_t most = step->most != NULL ? strtoull(step->most, NULL, 10) : UINT64_MAX, n = 0;
    size_t last = SIZE_MAX;
    char rule[40], from[80];

    for (size_t i = next_of(j, j->begin); i != SIZE_MAX; i = next_of(j, i + 1)) {
        n++;
        last = i;
    }
    if (n < least || n > most)
        problem(j, FAL_VERDICT_FAIL, n < least ? TL_REASON_UNMET : TL_REASON_UNEXPECTED, last,
                words("%s%s%s%s%s packets of %s with '%.120s' from %s on, until %s%s",
                      least > 0 ? "at least " : "", least > 0 ? step->least : "",
                      least > 0 && step->most != NULL ? ", " : "",
                      step->most != NULL ? "at most " : "",
                      step->most != NULL ? step->most : "", who(step), step->word[step->verb],
                      since(j, from), fal_time_text(j->end_ns).text, rule_text(j, rule)),
                words("%" PRIu64 " came", n));
}

static uint64_t time_of(const char *text)
{
    const struct fal_vars none = {NULL, NULL};
    struct fal_duration duration;
    uint64_t ns = 0;

    if (text == NULL || fal_text_parse_duration(text, &duration, NULL) != 0 ||
        fal_duration_ns(&duration, &none, &ns, NULL) != 0)
        return 0;
    return ns;
}

static void judge_spacing(struct judging *j)
{
    double stretch = j->step->stretch > 0 ? j->step->stretch : 1;
    uint64_t least = (uint64_t)((double)time_of(j->step->least) * stretch);
    size_t before = next_of(j, j->begin);
    char rule[40];

    for (size_t i = before; before != SIZE_MAX; before = i) {
        i = next_of(j, before + 1);
        if (i == SIZE_MAX)
            return;
        if (j->log->seen[i].at_ns - j->log->seen[before].at_ns >= least)
            continue;
        problem(j, FAL_VERDICT_FAIL, TL_REASON_TOO_EARLY, i,
                words("packets of %s with '%.120s' at least %s apart%s", who(j->step),
                      j->step->word[j->step->verb], fal_time_text(least).text,
                      rule_text(j, rule)),
                words("two of them %s apart, the second at %s",
                      fal_time_text(j->log->seen[i].at_ns - j->log->seen[before].at_ns).text,
                      fal_time_text(j->log->seen[i].at_ns).text));
        return;
    }
}

static void judge_rate(struct judging *j)
{
    const struct tl_roce_step *step = j->step;
    uint64_t least = 0, most = UINT64_MAX, bytes = 0, rate, span = j->end_ns - j->begin_ns;
    size_t last = SIZE_MAX;
    char rule[40];

    if (j->end_ns > j->log->end_ns || span == 0) {
        problem(j, FAL_VERDICT_INCONC, TL_REASON_UNDECIDED, SIZE_MAX,
                words("a play that lasts until %s", fal_time_text(j->end_ns).text),
                words("it ended at %s", fal_time_text(j->log->end_ns).text));
        return;
    }
    if (step->least != NULL)
        FAL_IGNORE(tl_roce_rate(step->least, j->log->scenario->rate_bps, &least, NULL));
    if (step->most != NULL)
        FAL_IGNORE(tl_roce_rate(step->most, j->log->scenario->rate_bps, &most, NULL));
    for (size_t i = next_of(j, j->begin); i != SIZE_MAX; i = next_of(j, i + 1)) {
        bytes += j->log->seen[i].bytes;
        last = i;
    }
    rate = (uint64_t)((double)bytes * 8e9 / (double)span);
    if (rate < least || rate > most)
        problem(
            j, FAL_VERDICT_FAIL, rate < least ? TL_REASON_UNMET : TL_REASON_UNEXPECTED, last,
            words("packets of %s with '%.120s' at a rate of %s%s%s%s from %s to %s%s",
                  who(step), step->word[step->verb], step->least != NULL ? "at least " : "",
                  step->least != NULL ? step->least : "", step->most != NULL ? " at most " : "",
                  step->most != NULL ? step->most : "", fal_time_text(j->begin_ns).text,
                  fal_time_text(j->end_ns).text, rule_text(j, rule)),
            words("%.3f Gb/s", (double)rate / 1e9));
}

/* A packet by its queue pair and PSN. */
struct copy {
    unsigned conn, from;
    uint32_t psn;
    size_t index; /* in the log */
};

static int by_psn(const void *a, const void *b)
{
    const struct copy *x = a, *y = b;

    if (x->conn != y->conn)
        return x->conn < y->conn ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->psn != y->psn)
        return x->psn < y->psn ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool same_packet(const struct copy *a, const struct copy *b)
{
    return a->conn == b->conn && a->from == b->from && a->psn == b->psn;
}

/* Compares each packet of the sorted list with the one before it, if that has its PSN. Returns
 * false if no two packets have one PSN. */
static bool compare_copies(struct judging *j, const struct copy *list, size_t n)
{
    bool any = false;
    char rule[40];

    for (size_t i = 1; i < n; i++) {
        const struct tl_roce_seen *old = &j->log->seen[list[i - 1].index];
        const struct tl_roce_seen *new = &j->log->seen[list[i].index];

        if (!same_packet(&list[i - 1], &list[i]))
            continue;
        any = true;
        if (old->packet.data_len == new->packet.data_len && old->digest == new->digest)
            continue;
        problem(j, FAL_VERDICT_FAIL, TL_REASON_UNEXPECTED, list[i].index,
                words("packets of %s with '%.120s' that have one PSN have the same data%s",
                      who(j->step), j->step->word[j->step->verb], rule_text(j, rule)),
                words("PSN %" PRIu32 " with %zu bytes at %s, and with %zu%s at %s", list[i].psn,
                      old->packet.data_len, fal_time_text(old->at_ns).text,
                      new->packet.data_len,
                      old->packet.data_len == new->packet.data_len ? " other bytes" : "",
                      fal_time_text(new->at_ns).text));
        break;
    }
    return any;
}

static void judge_copies(struct judging *j)
{
    struct copy *list = calloc(j->log->num_seen + 1, sizeof *list);
    size_t n = 0;

    for (size_t i = next_of(j, j->begin); list != NULL && i != SIZE_MAX;
         i = next_of(j, i + 1)) {
        const struct tl_roce_seen *seen = &j->log->seen[i];

        if (seen->conn != 0)
            list[n++] = (struct copy){seen->conn, seen->from, seen->packet.bth.psn, i};
    }
    if (list != NULL)
        qsort(list, n, sizeof *list, by_psn);
    if (list == NULL || !compare_copies(j, list, n))
        problem(j, FAL_VERDICT_INCONC, TL_REASON_UNDECIDED, SIZE_MAX,
                words("a packet of %s with '%.120s' that is sent again", who(j->step),
                      j->step->word[j->step->verb]),
                words(list == NULL ? "out of memory" : "no PSN was sent twice"));
    free(list);
}

/* The post with that label. */
static size_t post_of(const struct tl_roce_log *log, const char *label)
{
    for (size_t i = 0; i < log->scenario->num_steps; i++)
        if (log->scenario->steps[i].as != NULL &&
            strcmp(log->scenario->steps[i].as, label) == 0)
            return i;
    return SIZE_MAX;
}

static void judge_ended(struct judging *j)
{
    const struct tl_roce_step *step = j->step;
    size_t post = post_of(j->log, step->word[TL_ROCE_ENDED]);
    uint64_t by_ns = step->has_within ? step->within_ns : j->log->end_ns;
    const char *how = step->status == 0 ? "well" : "in error";
    char rule[40];

    for (size_t i = 0; i < j->log->num_events; i++) {
        const struct fal_roce_event *e = &j->log->events[i].event;

        if (e->kind == FAL_ROCE_MESSAGE || e->id != post)
            continue;
        if ((e->kind == FAL_ROCE_DONE) == (step->status == 0) && e->at_ns <= by_ns)
            return;
        problem(j, FAL_VERDICT_FAIL, TL_REASON_UNEXPECTED, SIZE_MAX,
                words("the post '%.24s' ends %s by %s%s", step->word[TL_ROCE_ENDED], how,
                      fal_time_text(by_ns).text, rule_text(j, rule)),
                words("it ended %s at %s%s%s", e->kind == FAL_ROCE_DONE ? "well" : "in error",
                      fal_time_text(e->at_ns).text, e->why != NULL ? ": " : "",
                      e->why != NULL ? e->why : ""));
        return;
    }
    problem(j, FAL_VERDICT_FAIL, TL_REASON_UNMET, SIZE_MAX,
            words("the post '%.24s' ends %s by %s%s", step->word[TL_ROCE_ENDED], how,
                  fal_time_text(by_ns).text, rule_text(j, rule)),
            words("it did not end"));
}

/* The post of message number `message` of a queue pair, as its sender counts them. */
static const struct tl_roce_step *message_of(const struct tl_roce_log *log, unsigned sender,
                                             unsigned qp, uint64_t message)
{
    for (size_t i = 0; i < log->scenario->num_steps; i++) {
        const struct tl_roce_step *step = &log->scenario->steps[i];
        unsigned from = step->from == TL_ROCE_B ? 1 : 0;

        if (step->verb == TL_ROCE_POST && from == sender && step->qp == qp + 1 &&
            message-- == 0)
            return step;
    }
    return NULL;
}

/* Whether a message has the bytes that its sender gave it. */
static bool is_whole(const struct tl_roce_log *log, const struct tl_roce_happened *h)
{
    unsigned sender = 1 - h->end;
    const struct tl_roce_step *post = message_of(log, sender, h->event.qp, h->event.id);
    uint64_t digest = fal_roce_digest(0, NULL, 0);

    if (log->learns) /* the end compared the bytes itself */
        return h->event.digest != 0;
    if (post == NULL || post->length != h->event.length)
        return false;
    for (uint64_t i = 0; i < post->length; i++) {
        uint8_t byte = fal_roce_byte(log->conns[h->event.qp].qpn[sender], h->event.id, i);

        digest = fal_roce_digest(digest, &byte, 1);
    }
    return digest == h->event.digest;
}

static void judge_messages(struct judging *j)
{
    uint64_t n = 0, whole = 0;
    char rule[40];

    for (size_t i = 0; i < j->log->num_events; i++) {
        const struct tl_roce_happened *h = &j->log->events[i];

        if (h->event.kind != FAL_ROCE_MESSAGE || h->end != (unsigned)j->step->to)
            continue;
        n++;
        whole += is_whole(j->log, h);
    }
    if (n != j->step->value || whole != n)
        problem(
            j, FAL_VERDICT_FAIL, TL_REASON_UNMET, SIZE_MAX,
            words("%" PRIu64 " messages delivered at end %c, each whole and once%s",
                  j->step->value, j->step->to == TL_ROCE_A ? 'a' : 'b', rule_text(j, rule)),
            words("%" PRIu64 " delivered, %" PRIu64 " of them as they were sent", n, whole));
}

static void judge_step(struct judging *j)
{
    switch ((unsigned)j->step->verb) {
    case TL_ROCE_EXPECT: judge_expect(j); return;
    case TL_ROCE_EXPECT_NONE: judge_none(j); return;
    case TL_ROCE_COUNT: judge_count(j); return;
    case TL_ROCE_SPACING: judge_spacing(j); return;
    case TL_ROCE_RATE: judge_rate(j); return;
    case TL_ROCE_COPIES: judge_copies(j); return;
    case TL_ROCE_ENDED: judge_ended(j); return;
    case TL_ROCE_MESSAGES: judge_messages(j); return;
    default: return;
    }
}

void tl_roce_judge(struct tl_roce_log *log, bool posts, struct tl_case *out)
{
    out->verdict = FAL_VERDICT_PASS;
    for (size_t i = 0; i < log->scenario->num_steps; i++) {
        struct judging j = {
            .log = log, .step = &log->scenario->steps[i], .number = i, .out = out};
        bool about_posts = j.step->verb == TL_ROCE_ENDED || j.step->verb == TL_ROCE_MESSAGES;

        if (j.step->verb < TL_ROCE_EXPECT || (about_posts && !posts))
            continue;
        if (find_window(&j)) {
            judge_step(&j);
            continue;
        }
        problem(&j, FAL_VERDICT_INCONC, TL_REASON_SETUP, SIZE_MAX,
                words("a packet for the label that the step names"),
                words("no packet was the one that a step before it waits for, so this step "
                      "decides nothing"));
    }
    for (size_t i = 0; i < log->num_seen; i++)
        out->frames += log->seen[i].point == TL_ROCE_BRIDGE;
    out->duration_ns = log->end_ns;
}
