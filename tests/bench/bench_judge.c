/* SPDX-License-Identifier: Apache-2.0
 * bench_judge.c - what a judge of one side holds of a connection. Prints bytes: of one that is
 * quiet and packed, and of each of its PSNs that is outstanding; the same of one that is
 * active: packets were exchanged, and nothing of it is packed. */
#include "oracles/rules/judge/judge.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONNS = 20000, ACTIVE = 500, PUSHES = 64 }; /* a judge packs none of 500 */

static size_t held(void)
{
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

static struct fal_judge *start(void)
{
    struct fal_judge_config config = {.sut_alone = true, .at_hand_bytes = 1};
    struct fal_event run = {.kind = FAL_EV_RUN};
    struct fal_judge *judge = fal_judge_new(&config);

    if (judge == NULL) {
        fputs("bench_judge: out of memory\n", stderr);
        exit(4); /* NOLINT(concurrency-mt-unsafe) */
    }
    run.u.run = (struct fal_ev_run){.vantage = FAL_VANTAGE_MIDDLE, .delay_max_ns = FAL_NEVER};
    fal_judge_event(judge, &run);
    return judge;
}

static void open_conn(struct fal_judge *judge, uint32_t number, uint64_t index)
{
    struct fal_event event = {
        .kind = FAL_EV_CONNECTION, .index = index, .t_ns = index * 50, .conn = number};

    fal_params_default(&event.u.connection.params, true);
    event.u.connection.sut.cid = event.u.connection.tester.cid = number;
    fal_judge_event(judge, &event);
}

static void packet(struct fal_judge *judge, uint32_t number, uint64_t index,
                   const struct fal_falcon *f, uint32_t payload)
{
    struct fal_event event = {
        .kind = FAL_EV_PACKET, .index = index, .t_ns = index * 50, .conn = number};
    uint8_t bytes[FAL_HEADER_MAX + 64] = {0};
    int n = fal_falcon_encode(f, NULL, 0, bytes, sizeof bytes, NULL);

    event.u.packet = (struct fal_ev_packet){.dir = payload > 0 ? FAL_FROM_SUT : FAL_TO_SUT,
                                            .origin = FAL_ORIGIN_FOREIGN,
                                            .step = -1,
                                            .frame = (uint32_t)index,
                                            .bytes = bytes,
                                            .len = (uint32_t)n + payload};
    fal_event_packet(&event.u.packet);
    fal_judge_event(judge, &event);
}

/* A push from the SUT's side. */
static void push(struct fal_judge *judge, uint32_t number, uint32_t psn, uint64_t index)
{
    struct fal_falcon f;

    fal_falcon_init(&f, FAL_PUSH_DATA);
    f.dest_cid = number;
    f.psn = f.rsn = psn;
    packet(judge, number, index, &f, 64 - psn % 8); /* that hashes differ */
}

/* The other side's acknowledgement of all below that PSN. */
static void acknowledge(struct fal_judge *judge, uint32_t number, uint32_t psn, uint64_t index)
{
    struct fal_falcon f;

    fal_falcon_init(&f, FAL_BACK);
    f.dest_cid = number;
    f.recv_data_base_psn = psn;
    packet(judge, number, index, &f, 0);
}

/* Bytes of a connection with so many PSNs outstanding, of so many connections. Before them so
 * many others were acknowledged. */
static size_t bytes_of(uint32_t conns, uint32_t acknowledged, uint32_t pushes)
{
    size_t before = held(), after;
    struct fal_judge *judge = start();
    uint64_t index = 1;

    for (uint32_t number = 1; number <= conns; number++) {
        open_conn(judge, number, index++);
        for (uint32_t psn = 0; psn < acknowledged; psn++)
            push(judge, number, psn, index++);
        if (acknowledged > 0)
            acknowledge(judge, number, acknowledged, index++);
        for (uint32_t psn = 0; psn < pushes; psn++)
            push(judge, number, acknowledged + psn, index++);
    }
    after = held();
    fal_judge_free(judge);
    return (after - before) / conns;
}

int main(void)
{
    size_t idle = bytes_of(CONNS, 0, 0), full = bytes_of(CONNS, 0, PUSHES);
    size_t active = bytes_of(ACTIVE, 8, 0), busy = bytes_of(ACTIVE, 8, PUSHES);

    printf("%zu %zu %zu %zu\n", idle, (full - idle) / PUSHES, active, (busy - active) / PUSHES);
    return 0;
}
