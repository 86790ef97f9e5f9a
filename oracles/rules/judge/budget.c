/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/budget.h"

#include "oracles/rules/judge/judge_state.h"

#include <math.h>
#include <stdlib.h>

enum {
    TOLD = 20,  /* Among fewer packets a share says nothing. */
    SHARE = 20, /* One event in so many is believed of a path that was not measured. */

    RELIABLE = 1000, /* Among this many packets some would show how the path behaves. */
    FREE = 16,       /* excuses that prove nothing yet */
    EACH = 8         /* One lost packet may excuse this many instances. */
};

/* Of each test. A run has one for each rule and excuse, 670 at most, so one run in 1,500 has a
 * false alarm, and that is no fail. */
static const double ALARM = 1e-6;

/* ---- the test ---- */

/* ln n!, by Stirling's series, whose error is below 1e-12 from 32 on. */
static double log_factorial(uint64_t of)
{
    double n = (double)of, sum = 0;

    if (of >= 32)
        return n * log(n) - n + log(2 * M_PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n * n * n) +
               1 / (1260 * n * n * n * n * n);
    for (unsigned i = 2; i <= of; i++)
        sum += log(i);
    return sum;
}

static double log_choose(uint64_t n, uint64_t k)
{
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

double fal_budget_tail(uint64_t n, uint64_t k, struct fal_trials path)
{
    uint64_t marked = k + path.losses, top = marked < n ? marked : n;
    double term, sum = 0;

    if (k == 0)
        return 1;
    if (k > n || path.losses > path.trials)
        return k > n ? 0 : 1;
    term = exp(log_choose(n, k) + log_choose(path.trials, path.losses) -
               log_choose(n + path.trials, marked));
    /* Each term from the one before it; behind the mean they shrink fast. */
    for (uint64_t i = k; i <= top; i++) {
        sum += term;
        if (term < sum * 1e-15)
            break;
        term *= (double)(n - i) / (double)(i + 1) * (double)(marked - i) /
                (double)(path.trials - (marked - i) + 1);
    }
    return sum < 1 ? sum : 1;
}

bool fal_budget_each(const struct fal_rule *rule)
{
    size_t n, i = fal_rule_number(rule);
    const struct fal_rule_impl *const *table = fal_rule_table(&n);

    return i < n && table[i]->each;
}

enum fal_budget_word fal_budget_word(uint64_t n, uint64_t k, struct fal_trials path)
{
    if (path.trials >= FAL_BUDGET_MEASURED)
        return fal_budget_tail(n, k, path) < ALARM ? FAL_BUDGET_BEYOND : FAL_BUDGET_FITS;
    return n >= TOLD && k > n / SHARE ? FAL_BUDGET_UNMEASURED : FAL_BUDGET_FITS;
}

uint64_t fal_budget_allowed(uint64_t n, struct fal_trials path)
{
    uint64_t low = 0, high = n + 1;

    while (high - low > 1) {
        uint64_t k = low + (high - low) / 2;

        if (fal_budget_word(n, k, path) == FAL_BUDGET_FITS)
            low = k;
        else
            high = k;
    }
    return low;
}

/* ---- what the packets of the run show ---- */

void fal_measure(struct fal_measured measured[FAL_DIRS], const struct fal_track *track,
                 const struct fal_seen *seen)
{
    struct fal_measured *m = &measured[seen->dir], *other = &measured[fal_dir_other(seen->dir)];
    const struct fal_stream *stream;

    m->packets++;
    for (unsigned w = 0; seen->falcon->packet_type == FAL_EACK && w < FAL_WINDOWS; w++) {
        fal_u128 bits = seen->claim[w].received;
        int top = fal_u128_top(bits);

        if (top >= 0 && bits != fal_u128_ones((unsigned)top + 1))
            other->shown++;
    }
    if (!seen->reliable)
        return;
    stream = &track->stream[seen->dir][seen->window];
    m->reliable++;
    if (seen->prior != NULL)
        m->repeats++;
    else if (seen->x < stream->next)
        m->late++;
    else if (stream->based && seen->x > stream->next)
        m->holes += (uint64_t)(seen->x - stream->next);
}

void fal_measured_add(struct fal_measured *sum, const struct fal_measured *more)
{
    sum->packets += more->packets;
    sum->reliable += more->reliable;
    sum->holes += more->holes;
    sum->late += more->late;
    sum->repeats += more->repeats;
    sum->shown += more->shown;
}

/* The direction of an excuse, and what was seen of its kind. Copies that the subject sends are
 * no evidence for it: in-loss is meant to excuse that the subject retransmits what was
 * acknowledged. */
static bool evidence(const struct fal_measured measured[FAL_DIRS], enum fal_excuse excuse,
                     const struct fal_measured **path, uint64_t *seen)
{
    const struct fal_measured *in = &measured[FAL_TO_SUT], *out = &measured[FAL_FROM_SUT];

    switch (excuse) {
    case FAL_EXCUSE_IN_LOSS:
    case FAL_EXCUSE_IN_REORDER:
        *path = in;
        *seen = in->holes + in->late + in->shown + in->repeats;
        return true;
    case FAL_EXCUSE_OUT_LOSS:
    case FAL_EXCUSE_OUT_REORDER:
        *path = out;
        *seen = out->holes + out->late;
        return true;
    case FAL_EXCUSE_OUT_DUP:
        *path = out;
        *seen = out->repeats;
        return true;
    case FAL_EXCUSE_IN_DUP: /* Nothing shows such an event. */
    case FAL_EXCUSE_CAPTURE_GAP:
    case FAL_EXCUSE_PIPELINE:
    case FAL_EXCUSE_RESOURCE_DROP:
    case FAL_EXCUSE_STALE_NACK:
    case FAL_EXCUSE_CC_UNKNOWN:
    case FAL_EXCUSE_CONFIG:
    case FAL_EXCUSE_TURNAROUND:
    case FAL_EXCUSE_CLOCK:
    case FAL_EXCUSE_TESTER_LATE:
    case FAL_EXCUSE_WRITE_ORDER:
    case FAL_EXCUSE_READING:
    case FAL_EXCUSE_COUNT: break;
    }
    return false;
}

uint64_t fal_seen_allowed(const struct fal_measured measured[FAL_DIRS], enum fal_excuse excuse)
{
    const struct fal_measured *path;
    uint64_t seen, unseen;

    if (!evidence(measured, excuse, &path, &seen) || path->reliable < RELIABLE)
        return UINT64_MAX;
    /* An event that did not happen in n packets may still happen three times in n. */
    unseen = 3 * path->packets / path->reliable;
    return FREE + EACH * (seen + unseen);
}

/* ---- what a judge counted ---- */

static void spend(struct fal_spent *spent, const struct fal_rule_result *r)
{
    spent->decided += fal_result_decided(r);
    spent->open += fal_result_open(r);
    for (unsigned e = 0; e < FAL_EXCUSE_PATHS; e++) {
        spent->excused[e] += r->excused[e];
        spent->events[e] += r->events[e];
    }
}

struct fal_budget *fal_budget_new(const struct fal_judge *judge)
{
    struct fal_budget *budget = calloc(1, sizeof *budget);
    unsigned ends = judge->asking->both_ends ? 2 : 1;

    for (unsigned end = 0; budget != NULL && end < ends; end++) {
        struct fal_result_walk walk = {.end = end};
        const struct fal_rule_result *r;

        while ((r = fal_judge_next_result(judge, &walk)) != NULL)
            spend(&budget->of[ends == 2 ? end : (unsigned)r->subject][fal_rule_number(r->rule)],
                  r);
    }
    return budget;
}

void fal_judge_join(struct fal_judge *judge, const struct fal_judge *other)
{
    for (unsigned d = 0; d < FAL_DIRS; d++)
        fal_measured_add(&judge->measured[d], &other->measured[d]);
    for (unsigned s = 0; judge->budget != NULL && other->budget != NULL && s < 2; s++) {
        for (unsigned i = 0; i < FAL_RULES_MAX; i++) {
            struct fal_spent *sum = &judge->budget->of[s][i];
            const struct fal_spent *more = &other->budget->of[s][i];

            sum->decided += more->decided;
            sum->open += more->open;
            for (unsigned e = 0; e < FAL_EXCUSE_PATHS; e++) {
                sum->excused[e] += more->excused[e];
                sum->events[e] += more->events[e];
            }
        }
    }
    judge->oom = judge->oom || other->oom;
    judge->shown->decided = false;
}

bool fal_judge_enough(const struct fal_judge *judge, unsigned end, const struct fal_rule *rule)
{
    size_t i = fal_rule_number(rule);
    const struct fal_spent *spent;

    if (judge->budget == NULL || i >= FAL_RULES_MAX)
        return true;
    spent = &judge->budget->of[end][i];
    return fal_power_enough(spent->decided, spent->open);
}

/* The path that an excuse blames, as seen from that end. */
static enum fal_dir path_of(enum fal_excuse excuse, unsigned end)
{
    bool in = excuse == FAL_EXCUSE_IN_LOSS || excuse == FAL_EXCUSE_IN_DUP ||
              excuse == FAL_EXCUSE_IN_REORDER;

    return in == (end == 0) ? FAL_TO_SUT : FAL_FROM_SUT;
}

static bool is_loss(enum fal_excuse excuse)
{
    return excuse == FAL_EXCUSE_IN_LOSS || excuse == FAL_EXCUSE_OUT_LOSS;
}

/* What was measured of the path, if it tells of such events: the trials tell of losses, and
 * events are told apart by the round trip. */
static struct fal_trials trials_of(const struct fal_judge *judge, unsigned end,
                                   enum fal_excuse excuse)
{
    bool known = judge->bench.paths[judge->asking->both_ends ? 0 : end].round_known;

    return is_loss(excuse) && known ? judge->config.trials[path_of(excuse, end)]
                                    : (struct fal_trials){0, 0};
}

/* Compares a rule with a path that was measured, or with none if its own instances say how many
 * packets could have been lost. */
static bool is_suspect(const struct fal_judge *judge, unsigned end,
                       const struct fal_rule_impl *impl, struct fal_suspect *s)
{
    const struct fal_spent *spent = &judge->budget->of[end][fal_rule_number(impl->about)];
    struct fal_trials path = trials_of(judge, end, s->excuse);
    enum fal_budget_word word;

    s->rule = impl->about;
    s->used = spent->events[s->excuse];
    if (s->used == 0 || (!impl->each && path.trials < FAL_BUDGET_MEASURED))
        return false;
    /* Where a loss makes the instance, all packets of that direction are those that could have
     * been lost: more never raises an alarm. */
    s->of = impl->each ? spent->decided + spent->excused[s->excuse]
                       : judge->measured[path_of(s->excuse, end)].packets + s->used;
    word = fal_budget_word(s->of, s->used, path);
    s->unmeasured = word == FAL_BUDGET_UNMEASURED;
    if (word != FAL_BUDGET_FITS)
        s->allowed = fal_budget_allowed(s->of, path);
    return word != FAL_BUDGET_FITS;
}

/* Compares all rules with what the packets of the run show, where nothing was measured. */
static bool is_seen_suspect(const struct fal_judge *judge, unsigned end, struct fal_suspect *s)
{
    /* by direction, as seen from the end that is the SUT */
    const struct fal_measured measured[FAL_DIRS] = {judge->measured[end],
                                                    judge->measured[1 - end]};

    if (trials_of(judge, end, s->excuse).trials >= FAL_BUDGET_MEASURED)
        return false;
    s->allowed = fal_seen_allowed(measured, s->excuse);
    s->of = judge->measured[path_of(s->excuse, end)].packets;
    s->unmeasured = true;
    for (unsigned i = 0; i < FAL_RULES_MAX; i++)
        s->used += judge->budget->of[end][i].excused[s->excuse];
    return s->used > s->allowed;
}

bool fal_judge_suspect_of(const struct fal_judge *judge, unsigned end, size_t i,
                          struct fal_suspect *out)
{
    size_t n;
    const struct fal_rule_impl *const *table = fal_rule_table(&n);

    for (enum fal_excuse e = 0; judge->budget != NULL && e < FAL_EXCUSE_PATHS; e++) {
        *out = (struct fal_suspect){.excuse = e};
        if (is_seen_suspect(judge, end, out) && i-- == 0)
            return true;
        for (size_t rule = 0; rule < n; rule++) {
            *out = (struct fal_suspect){.excuse = e};
            if (is_suspect(judge, end, table[rule], out) && i-- == 0)
                return true;
        }
    }
    return false;
}

bool fal_judge_suspect(const struct fal_judge *judge, size_t i, struct fal_suspect *out)
{
    return fal_judge_suspect_of(judge, 0, i, out);
}
