/* SPDX-License-Identifier: Apache-2.0
 * mutant_cc.c - plays a mutant of the reference model of Swift as a Rate Update Engine, and the
 * model beside it. The mutant's functions have the prefix mutant_ (cc_mutants.py). Prints one
 * line: "same" if no result differs from the model's; "outside EVENTS ID FIELD ..." if the
 * judge finds a result outside the band, after how many events; "inside DIFFERENT EVENTS" else.
 */
#include "harness/cc/cc_judge.h"
#include "harness/cc/cc_traffic.h"
#include "oracles/cc/reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int mutant_swift_init(struct fal_swift *swift, const struct fal_swift_params *params, bool plb,
                      struct fal_error *err);
void mutant_swift_read(struct fal_swift *swift, fal_cc_reading_set readings);
void mutant_swift_process(void *ctx, struct fal_cc_state *state, uint32_t now,
                          const struct fal_cc_event *event, struct fal_cc_result *result);

#define READ(name) (1U << FAL_CC_READING_##name)

/* Each reading stands in one of these, so that no code of the model is idle. */
static const fal_cc_reading_set sets[] = {
    0,
    FAL_CC_ISEKAI,
    READ(COUNTS) | READ(ALPHA_OF_SAMPLE) | READ(SCALING_LITERAL) | READ(GAP_GROWS) |
        READ(NACK_KEEPS_AVERAGES) | READ(RTO_GAP),
    READ(NIC_FACTOR) | READ(COUNTS_REPEATS) | READ(NACK_KEEPS_DIRECTION) | READ(RTT_AVERAGE) |
        READ(FIRST_SAMPLE) | READ(PLB_ON_NACKS) | READ(TARGET_ROUNDED) |
        READ(DIRECTION_OF_CHANGE),
};

enum { SETS = sizeof sets / sizeof sets[0], ROUNDS = 5 };

struct trial {
    struct tl_cc_judge *judge;
    struct fal_swift mutant, model;
    struct fal_cc_state states[2][TL_CC_TRAFFIC_CONNS];
    uint64_t events, different;
};

static bool begin(struct trial *t, const struct fal_swift_params *params,
                  fal_cc_reading_set set)
{
    struct fal_error err;

    memset(t->states, 0, sizeof t->states);
    if (fal_swift_init(&t->model, params, true, &err) != 0)
        return false;
    fal_swift_read(&t->model, set);
    if (mutant_swift_init(&t->mutant, params, true, &err) != 0) {
        printf("outside 0 - refuses parameters\n");
        return false;
    }
    mutant_swift_read(&t->mutant, set);
    return true;
}

/* One event. False: its result is outside, which is told. */
static bool play(struct trial *t, struct tl_cc_line *line)
{
    uint32_t conn = line->event.connection_id - 1;
    struct fal_cc_result own;
    uint8_t bytes[2][FAL_CC_ENTRY_LEN] = {{0}};
    struct tl_cc_finding finding;

    if (!line->keep)
        for (int i = 0; i < 2; i++)
            memset(&t->states[i][conn], 0, sizeof t->states[i][conn]);
    fal_swift_process(&t->model, &t->states[0][conn], line->now, &line->event, &own);
    mutant_swift_process(&t->mutant, &t->states[1][conn], line->now, &line->event,
                         &line->result);
    t->events++;
    /* A value that its field does not hold is a difference, too. */
    if (fal_cc_encode(FAL_CC_GEN1_LSB, FAL_CC_ENTRY_RESULT, &own, bytes[0], NULL) < 0 ||
        fal_cc_encode(FAL_CC_GEN1_LSB, FAL_CC_ENTRY_RESULT, &line->result, bytes[1], NULL) < 0)
        return printf("outside %" PRIu64 " - no entry\n", t->events) < 0;
    t->different += memcmp(bytes[0], bytes[1], sizeof bytes[0]) != 0;
    if (tl_cc_judge_line(t->judge, line, &finding) == 1)
        return true;
    printf("outside %" PRIu64 " %s %s\n", t->events,
           finding.requirement != NULL ? finding.requirement : "-", finding.what);
    return false;
}

static bool play_set(struct trial *t, unsigned set, uint64_t seed, unsigned events)
{
    bool inside = (t->judge = tl_cc_judge_new(0)) != NULL;

    for (unsigned round = 0; inside && round < ROUNDS; round++) {
        struct tl_cc_line line = {.format = FAL_CC_GEN1_LSB};
        struct tl_cc_traffic traffic;

        fal_swift_params_default(&line.params);
        if (round > 0)
            tl_cc_traffic_params(seed + round, &line.params);
        inside = begin(t, &line.params, sets[set]);
        tl_cc_traffic_begin(&traffic, seed + round, &line.params);
        for (unsigned i = 0; inside && i < events; i++) {
            tl_cc_traffic_next(&traffic, &line);
            inside = play(t, &line);
            tl_cc_traffic_result(&traffic, &line);
        }
    }
    tl_cc_judge_free(t->judge);
    return inside;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    unsigned events = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 2000;
    struct trial trial = {.events = 0};

    for (unsigned set = 0; set < SETS; set++)
        if (!play_set(&trial, set, seed + set * 100, events))
            return 0;
    if (trial.different == 0)
        puts("same");
    else
        printf("inside %" PRIu64 " %" PRIu64 "\n", trial.different, trial.events);
    return 0;
}
