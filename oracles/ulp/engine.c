/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/engine.h"

#include "oracles/rng.h"
#include "oracles/ulp/complete.h"
#include "oracles/ulp/link.h"
#include "oracles/ulp/memory.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/qp.h"
#include "oracles/ulp/recv.h"
#include "oracles/ulp/send.h"
#include "oracles/ulp/target.h"

#include <stdlib.h>

enum { RNG_PART = 21 };

#define VA_FIRST UINT64_C(0x7f0000000000)

/* ---- life ---- */

static void start(struct fal_verbs_engine *engine)
{
    struct fal_rng rng = fal_rng_split(engine->config.seed, RNG_PART);

    engine->key_mask = (uint32_t)fal_rng_next(&rng);
    engine->qpn_first = (uint32_t)fal_rng_next(&rng) & (FAL_VB_NUMBER_MAX & ~0xffu);
    engine->next_va = VA_FIRST + (fal_rng_next(&rng) & 0xfffff000u);
    engine->expires_ns = FAL_NEVER;
    engine->held_end = &engine->held;
}

struct fal_verbs_engine *fal_verbs_new(const struct fal_verbs_config *config)
{
    struct fal_verbs_engine *engine = calloc(1, sizeof *engine);

    if (engine == NULL)
        return NULL;
    engine->config = *config;
    start(engine);
    if (!fal_vb_odd_start(engine)) {
        free(engine);
        return NULL;
    }
    return engine;
}

static void clear(struct fal_verbs_engine *engine)
{
    for (uint32_t i = 1; i <= engine->qps.num; i++)
        fal_vb_qp_clear(fal_vb_qp_get(engine, i));
    for (uint32_t i = 1; i <= engine->srqs.num; i++)
        fal_vb_srq_clear(fal_vb_row(&engine->srqs, i));
    for (uint32_t i = 1; i <= engine->mrs.num; i++)
        fal_vb_mr_end(engine, fal_vb_mr_get(engine, i));
    for (uint32_t i = 1; i <= engine->links.num; i++)
        fal_vb_link_clear(fal_vb_row(&engine->links, i));
    fal_vb_table_free(&engine->pds);
    fal_vb_table_free(&engine->cqs);
    fal_vb_table_free(&engine->srqs);
    fal_vb_table_free(&engine->mrs);
    fal_vb_table_free(&engine->qps);
    fal_vb_table_free(&engine->ahs);
    fal_vb_table_free(&engine->links);
    fal_vb_ring_free(&engine->events);
    fal_vb_held_free(engine);
    free(engine->blocked);
}

void fal_verbs_free(struct fal_verbs_engine *engine)
{
    if (engine == NULL)
        return;
    clear(engine);
    free(engine->odd);
    free(engine);
}

void fal_verbs_reset(struct fal_verbs_engine *engine)
{
    struct fal_verbs_config config = engine->config;
    struct fal_vb_odd *odd = engine->odd;

    clear(engine);
    *engine = (struct fal_verbs_engine){.config = config, .odd = odd};
    start(engine);
}

bool fal_verbs_out_of_memory(const struct fal_verbs_engine *engine)
{
    return engine->out_of_memory;
}

/* ---- commands ---- */

static int post_recv(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                     struct fal_error *err)
{
    int rc = fal_vb_post_recv(engine, ask, err);

    if (rc == 0)
        fal_vb_held_again(engine);
    return rc;
}

int fal_verbs_command(struct fal_verbs_engine *engine, uint32_t conn,
                      const struct fal_verbs *ask, struct fal_verbs *answer, uint64_t now_ns,
                      struct fal_error *err)
{
    *answer = (struct fal_verbs){.kind = ask->kind};
    engine->now_ns = now_ns;
    switch (ask->kind) {
    case FAL_VERBS_PD_CREATE: return fal_vb_pd_create(engine, answer, err);
    case FAL_VERBS_CQ_CREATE: return fal_vb_cq_create(engine, ask, answer, err);
    case FAL_VERBS_SRQ_CREATE: return fal_vb_srq_create(engine, ask, answer, err);
    case FAL_VERBS_MR_REG: return fal_vb_mr_reg(engine, ask, answer, err);
    case FAL_VERBS_MR_DEREG: return fal_vb_mr_dereg(engine, ask, err);
    case FAL_VERBS_MR_FILL: return fal_vb_mr_fill(engine, ask, err);
    case FAL_VERBS_MR_HASH: return fal_vb_mr_hash(engine, ask, answer, err);
    case FAL_VERBS_MR_WORD: return fal_vb_mr_word(engine, ask, answer, err);
    case FAL_VERBS_QP_CREATE: return fal_vb_qp_create(engine, ask, answer, err);
    case FAL_VERBS_QP_CONNECT: return fal_vb_qp_connect(engine, conn, ask, err);
    case FAL_VERBS_AH_CREATE: return fal_vb_ah_create(engine, conn, ask, answer, err);
    case FAL_VERBS_QP_QUERY: return fal_vb_qp_query(engine, ask, answer, err);
    case FAL_VERBS_POST_SEND: return fal_vb_post_send(engine, ask, answer, err);
    case FAL_VERBS_POST_RECV: return post_recv(engine, ask, err);
    case FAL_VERBS_CQ_ARM: return fal_vb_cq_arm(engine, ask, err);
    case FAL_VERBS_WC:
    case FAL_VERBS_CQ_EVENT:
    case FAL_VERBS_ASYNC:
    case FAL_VERBS_KINDS: break;
    }
    return fal_fail(err, FAL_ERR_FORM, "expected a command of the verbs");
}

/* ---- the endpoint ---- */

/* Answers go before requests (RDMA 6.5-04). */
static void credits_back(struct fal_verbs_engine *engine, struct fal_vb_link *link)
{
    fal_vb_answer_waiting(engine, link);
    fal_vb_pump_blocked(engine);
}

bool fal_verbs_take(struct fal_verbs_engine *engine, const struct fal_endpoint_out *out,
                    uint64_t now_ns)
{
    struct fal_vb_link *link = fal_vb_link(engine, out->conn);

    engine->now_ns = now_ns;
    if (link == NULL)
        return false;
    switch (out->kind) {
    case FAL_OUT_REQUEST: fal_vb_requested(engine, link, out); return true;
    case FAL_OUT_COMPLETE:
        fal_vb_completed(engine, link, out);
        credits_back(engine, link);
        return true;
    case FAL_OUT_CREDITS: credits_back(engine, link); return true;
    case FAL_OUT_CM:
        if (out->what != NULL && strcmp(out->what, "fatal") == 0 && !link->dead) {
            link->dead = true;
            fal_vb_link_lost(engine, link, true);
        }
        return false; /* others hear it too */
    case FAL_OUT_PACKET:
    case FAL_OUT_RUE:
    case FAL_OUT_NOTE: break;
    }
    return false;
}

/* ---- time ---- */

void fal_verbs_tick(struct fal_verbs_engine *engine, uint64_t now_ns)
{
    engine->now_ns = now_ns;
    if (engine->expires_ns > now_ns)
        return;
    engine->expires_ns = FAL_NEVER;
    for (uint32_t i = 1; i <= engine->qps.num; i++) {
        uint64_t next_ns = fal_vb_rq_expire(engine, fal_vb_qp_get(engine, i));

        if (next_ns < engine->expires_ns)
            engine->expires_ns = next_ns;
    }
}

uint64_t fal_verbs_deadline(const struct fal_verbs_engine *engine)
{
    return engine->expires_ns;
}
