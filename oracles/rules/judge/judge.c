/* SPDX-License-Identifier: Apache-2.0
 * judge.c - makes and frees a judge, and passes each event to the file of its kind (events/).
 */
#include "oracles/rules/judge/judge.h"

#include "oracles/rules/events/events.h"
#include "oracles/rules/judge/ask.h"
#include "oracles/rules/judge/order.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct fal_judge *fal_judge_new(const struct fal_judge_config *config)
{
    struct fal_judge *judge = malloc(sizeof *judge);

    if (judge == NULL)
        return NULL;
    memset(judge, 0, offsetof(struct fal_judge, control.list));
    judge->config = *config;
    fal_bench_run(&judge->bench, &(struct fal_ev_run){.delay_max_ns = FAL_NEVER});
    judge->readings = config->common != NULL ? config->common : &judge->own_readings;
    judge->asking = config->asking;
    if (judge->asking == NULL)
        judge->asking = judge->own = fal_asking_new(config);
    if (judge->asking == NULL) {
        free(judge);
        return NULL;
    }
    fal_conns_init(&judge->conns, judge->asking->cells, judge->asking->state_size,
                   config->at_hand_bytes);
    judge->strays = fal_conn_new(&judge->conns, 0);
    judge->shown = malloc(sizeof *judge->shown);
    if (judge->shown != NULL)
        memset(judge->shown, 0, offsetof(struct fal_shown, all));
    if (judge->strays == NULL || judge->shown == NULL ||
        !fal_tallies_init(&judge->shown->tallies, judge->asking->cells)) {
        fal_judge_free(judge);
        return NULL;
    }
    return judge;
}

struct fal_common *fal_common_new(void)
{
    return calloc(1, sizeof(struct fal_common));
}

void fal_common_free(struct fal_common *common)
{
    free(common);
}

void fal_judge_free(struct fal_judge *judge)
{
    if (judge == NULL)
        return;
    for (size_t i = 0; i < judge->conns.num; i++)
        fal_let_go(judge, judge->conns.list[i]);
    if (judge->strays != NULL)
        fal_release_states(judge, judge->strays->live);
    fal_conn_free(judge->strays);
    fal_conns_free(&judge->conns);
    free(judge->budget);
    fal_objects_free(judge->bench.objects);
    fal_blocks_free(judge->bench.blocks);
    if (judge->shown != NULL)
        fal_tallies_free(&judge->shown->tallies);
    free(judge->shown);
    fal_asking_free(judge->own);
    free(judge->audit);
    free(judge);
}

void fal_judge_event(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn;

    if (judge->finished)
        return;
    if (!judge->bench.started) {
        judge->bench.started = true;
        judge->bench.start_ns = event->t_ns;
    }
    judge->now_ns = event->t_ns;
    judge->now_index = event->index;
    judge->takes = event->kind != FAL_EV_MARK && event->kind != FAL_EV_CM &&
                   event->kind != FAL_EV_CLOSE && event->kind != FAL_EV_END;
    switch (event->kind) {
    case FAL_EV_RUN: fal_bench_run(&judge->bench, &event->u.run); break;
    case FAL_EV_CONNECTION: fal_take_connection(judge, event); break;
    case FAL_EV_PACKET: fal_take_packet(judge, event); break;
    case FAL_EV_COMMAND:
    case FAL_EV_REPLY:
    case FAL_EV_ULP: fal_take_control(judge, event); break;
    case FAL_EV_CM: fal_take_cm(judge, event); break;
    case FAL_EV_CC: fal_take_entry(judge, event); break;
    case FAL_EV_VERBS: fal_take_verbs(judge, event); break;
    case FAL_EV_MARK: fal_take_mark(judge, event); break;
    case FAL_EV_NVME: fal_take_nvme(judge, event); break;
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
    case FAL_EV_TIMING:
    case FAL_EV_BENCH:
    case FAL_EV_INTERNAL: break;
    case FAL_EV_CLOSE:
        conn = fal_conns_find(&judge->conns, event->conn);
        if (conn != NULL)
            fal_finish_conn(judge, conn);
        break;
    case FAL_EV_END: fal_judge_finish(judge); break;
    }
}

void fal_judge_gap(struct fal_judge *judge, uint64_t index, uint64_t t_ns)
{
    if (judge->finished)
        return;
    judge->now_ns = t_ns;
    judge->now_index = index;
    for (size_t i = 0; i < judge->conns.num; i++) {
        struct fal_conn *conn = judge->conns.list[i];

        if (judge->bench.run.may_miss)
            fal_may_have_missed(judge, conn, index);
        fal_may_have_missed(judge, conn, index);
    }
}

void fal_judge_finish(struct fal_judge *judge)
{
    if (judge->finished)
        return;
    judge->takes = false;
    for (size_t i = 0; i < judge->conns.num; i++)
        fal_finish_conn(judge, judge->conns.list[i]);
    judge->oom = judge->oom || judge->strays->live->tallies.oom;
    judge->finished = true;
    if (judge->config.whole) {
        judge->budget = fal_budget_new(judge);
        judge->oom = judge->oom || judge->budget == NULL;
    }
}
