/* SPDX-License-Identifier: Apache-2.0
 * bench_cc.c - congestion control: prints how many events a second the reference model handles,
 * and how many results of it the judge compares. Time of this process's processor. */
#include "harness/cc/cc_engine.h"
#include "harness/cc/cc_judge.h"
#include "harness/cc/cc_traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 4096, SEED = 10 };

struct bench {
    struct fal_swift_params params;
    struct fal_swift swift;
    struct fal_cc_state states[2]
                              [TL_CC_TRAFFIC_CONNS]; /* of the block, and of the timed pass */
    struct tl_cc_traffic traffic;
    struct tl_cc_judge *judge;
    struct tl_cc_line lines[BLOCK];
    double player_s, judge_s;
};

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void play(struct bench *b, int pass, const struct tl_cc_line *line,
                 struct fal_cc_result *result)
{
    struct fal_cc_state *state = &b->states[pass][line->event.connection_id - 1];

    if (!line->keep)
        memset(state, 0, sizeof *state);
    fal_swift_process(&b->swift, state, line->now, &line->event, result);
}

static void make(struct bench *b)
{
    for (unsigned i = 0; i < BLOCK; i++) {
        struct tl_cc_line *line = &b->lines[i];

        line->params = b->params;
        tl_cc_traffic_next(&b->traffic, line);
        play(b, 0, line, &line->result);
        tl_cc_traffic_result(&b->traffic, line);
    }
}

/* Returns how many results are other ones than before, or outside: none. */
static unsigned measure(struct bench *b)
{
    double begin = seconds(), between;
    unsigned wrong = 0;

    for (unsigned i = 0; i < BLOCK; i++) {
        struct fal_cc_result result;

        play(b, 1, &b->lines[i], &result);
        wrong += result.fcwnd_fraction != b->lines[i].result.fcwnd_fraction;
    }
    between = seconds();
    for (unsigned i = 0; i < BLOCK; i++) {
        struct tl_cc_finding finding;

        wrong += tl_cc_judge_line(b->judge, &b->lines[i], &finding) != 1;
    }
    b->player_s += between - begin;
    b->judge_s += seconds() - between;
    return wrong;
}

int main(int argc, char **argv)
{
    unsigned blocks = argc > 1 ? (unsigned)atoi(argv[1]) / BLOCK + 1 : 100, wrong = 0;
    struct bench *b = calloc(1, sizeof *b);

    if (b == NULL || (b->judge = tl_cc_judge_new(0)) == NULL) {
        fputs("bench_cc: out of memory\n", stderr);
        free(b);
        return 4;
    }
    fal_swift_params_default(&b->params);
    if (fal_swift_init(&b->swift, &b->params, true, NULL) != 0)
        abort(); /* the defaults are within their ranges */
    tl_cc_traffic_begin(&b->traffic, SEED, &b->params);
    for (unsigned i = 0; i < blocks; i++) {
        make(b);
        wrong += measure(b);
    }
    printf("%.0f %.0f\n", blocks * (double)BLOCK / b->player_s,
           blocks * (double)BLOCK / b->judge_s);
    tl_cc_judge_free(b->judge);
    free(b);
    if (wrong > 0)
        fprintf(stderr, "bench_cc: %u results differ or are outside\n", wrong);
    return wrong > 0 ? 4 : 0;
}
