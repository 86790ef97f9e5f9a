/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/learned.h"

#include "codecs/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEDIAN = 50, P95 = 95, PERCENT = 100, QUARTER = 4, TWO_SPEEDS = 4, TIME_MAX = 40 };

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

uint64_t tl_percentile(uint64_t *list, size_t n, unsigned percent)
{
    size_t rank = (n * percent + PERCENT - 1) / PERCENT; /* of the n, from 1 */

    if (n == 0)
        return 0;
    qsort(list, n, sizeof *list, by_size);
    return list[rank > 0 ? rank - 1 : 0];
}

uint64_t tl_quarter_more(uint64_t ns)
{
    return ns + (ns + QUARTER - 1) / QUARTER;
}

static bool has_two_speeds(uint64_t *answers, size_t n)
{
    return tl_percentile(answers, n, P95) > TWO_SPEEDS * tl_percentile(answers, n, MEDIAN);
}

void tl_learned_kind(struct tl_learned *learned, uint64_t *answers, size_t n)
{
    uint64_t p95_ns = tl_percentile(answers, n, P95);

    if (p95_ns > learned->value_ns)
        learned->value_ns = p95_ns;
    learned->two_speeds |= has_two_speeds(answers, n);
}

void tl_learned_conclude(struct tl_learned *learned, uint64_t *answers, size_t n)
{
    tl_learned_kind(learned, answers, n);
    learned->answers = n;
    learned->p95_ns = tl_percentile(answers, n, P95);
    learned->median_ns = tl_percentile(answers, n, MEDIAN);
    learned->max_ns = n > 0 ? answers[n - 1] : 0;
    learned->value_ns = n < TL_LEARNED_LEAST ? 0 : tl_quarter_more(learned->value_ns);
    learned->two_speeds &= n >= TL_LEARNED_LEAST;
}

static const char *what(const struct tl_learned *l)
{
    return l->turnaround && l->pipeline ? "turnaround and pipeline allowance"
           : l->turnaround              ? "turnaround"
                                        : "pipeline allowance";
}

static void say_measured(const struct tl_learned *l, char line[TL_LEARNED_LINE])
{
    char value[TIME_MAX], median[TIME_MAX], p95[TIME_MAX], max[TIME_MAX];

    (void)fal_text_duration(l->value_ns, value, sizeof value);
    (void)fal_text_duration(l->median_ns, median, sizeof median);
    (void)fal_text_duration(l->p95_ns, p95, sizeof p95);
    (void)fal_text_duration(l->max_ns, max, sizeof max);
    if (l->answers < TL_LEARNED_LEAST)
        (void)snprintf(line, TL_LEARNED_LINE,
                       "the SUT declares no %s, and answered only %" PRIu64
                       " of the packets that measure it; at least %d are needed",
                       what(l), l->answers, (int)TL_LEARNED_LEAST);
    else
        (void)snprintf(line, TL_LEARNED_LINE,
                       "the SUT declares no %s; learned from %" PRIu64
                       " answers: %s (median %s, 95th percentile %s, longest %s)",
                       what(l), l->answers, value, median, p95, max);
}

static void say_what_to_declare(const struct tl_learned *l, char line[TL_LEARNED_LINE])
{
    char value[TIME_MAX], turnaround[TIME_MAX + 24] = "", pipeline[TIME_MAX + 24] = "";

    if (l->answers >= TL_LEARNED_LEAST)
        (void)fal_text_duration(l->value_ns > l->max_ns ? l->value_ns : l->max_ns, value,
                                sizeof value);
    else
        (void)snprintf(value, sizeof value, "TIME");
    if (l->turnaround)
        (void)snprintf(turnaround, sizeof turnaround, " --param turnaround=%s", value);
    if (l->pipeline)
        (void)snprintf(pipeline, sizeof pipeline, " --param pipeline=%s", value);
    (void)snprintf(line, TL_LEARNED_LINE,
                   "a learned value excuses and never convicts: for full verdicts declare the "
                   "values in the IXIT (--ixit), or with%s%s",
                   turnaround, pipeline);
}

bool tl_learned_line(const struct tl_learned *l, size_t n, char line[TL_LEARNED_LINE])
{
    char median[TIME_MAX];

    if (!l->turnaround && !l->pipeline)
        return false;
    switch (n) {
    case 0: say_measured(l, line); return true;
    case 1: say_what_to_declare(l, line); return true;
    case 2:
        (void)fal_text_duration(l->median_ns, median, sizeof median);
        (void)snprintf(
            line, TL_LEARNED_LINE,
            "answers come in two speeds: half of all take at most %s, and of all or of "
            "one kind the slowest 5 %% take more than 4 times as long as half of them",
            median);
        return l->two_speeds;
    default: return false;
    }
}

/* ---- in results ---- */

#define L(member) FAL_AT(struct tl_learned, member)

static const struct fal_member members[] = {
    {"turnaround", &fal_shape_yes, 0, L(turnaround), .doc = "the SUT declares no turnaround"},
    {"pipeline", &fal_shape_yes, 0, L(pipeline), .doc = "it declares no pipeline allowance"},
    {"answers", &fal_shape_wide, 0, L(answers), .doc = "that were measured"},
    {"median_ns", &fal_shape_wide, 0, L(median_ns)},
    {"p95_ns", &fal_shape_wide, 0, L(p95_ns), .doc = "the 95th percentile"},
    {"max_ns", &fal_shape_wide, 0, L(max_ns)},
    {"value_ns", &fal_shape_wide, 0, L(value_ns),
     .doc = "the learned value, before it is capped by the timers of a connection: the highest "
            "95th percentile of one kind of answer plus 25 %; 0: fewer than 64 answers"},
    {"two_speeds", &fal_shape_yes, 0, L(two_speeds),
     .doc =
         "a 95th percentile, of all answers or of one kind, is more than 4 times the median"},
};
static const struct fal_shape plain = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(members)};

/* Where nothing was to be learned there is no such member. */
static int write_learned(const void *in, json_t **out)
{
    struct tl_learned learned;

    memcpy(&learned, in, sizeof learned);
    *out = NULL;
    if (!learned.turnaround && !learned.pipeline)
        return 0;
    *out = fal_shape_write(&plain, &learned);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

const struct fal_shape tl_learned_shape = {
    .kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(members), .write = write_learned};
