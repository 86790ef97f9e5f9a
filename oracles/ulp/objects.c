/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/objects.h"

#include "oracles/ulp/link.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS_FIRST = 8, OBJECTS_MAX = 65536, QUEUE_MAX = 4096 };

/* ---- tables ---- */

void *fal_vb_table_add(struct fal_vb_table *table, size_t size, uint32_t *number)
{
    void *row = calloc(1, size), **rows;

    if (row == NULL)
        return NULL;
    if (table->num == table->cap) {
        uint32_t cap = table->cap == 0 ? ROWS_FIRST : 2 * table->cap;

        rows = realloc(table->rows, cap * sizeof(void *));
        if (rows == NULL) {
            free(row);
            return NULL;
        }
        table->rows = rows;
        table->cap = cap;
    }
    table->rows[table->num++] = row;
    *number = table->num;
    return row;
}

void fal_vb_table_free(struct fal_vb_table *table)
{
    for (uint32_t i = 0; i < table->num; i++)
        free(table->rows[i]);
    free(table->rows);
    *table = (struct fal_vb_table){0};
}

/* ---- handles ---- */

static const struct {
    const char *name, *what;
    size_t table, size;
} kinds[] = {
    [FAL_VB_PD] = {"pd", "protection domain", offsetof(struct fal_verbs_engine, pds),
                   sizeof(struct fal_vb_pd)},
    [FAL_VB_CQ] = {"cq", "completion queue", offsetof(struct fal_verbs_engine, cqs),
                   sizeof(struct fal_vb_cq)},
    [FAL_VB_SRQ] = {"srq", "shared receive queue", offsetof(struct fal_verbs_engine, srqs),
                    sizeof(struct fal_vb_srq)},
    [FAL_VB_MR] = {"mr", "memory region", offsetof(struct fal_verbs_engine, mrs),
                   sizeof(struct fal_vb_mr)},
    [FAL_VB_QP] = {"qp", "queue pair", offsetof(struct fal_verbs_engine, qps),
                   sizeof(struct fal_vb_qp)},
    [FAL_VB_AH] = {"ah", "address handle", offsetof(struct fal_verbs_engine, ahs),
                   sizeof(struct fal_vb_ah)},
};

static const struct fal_vb_table *table_of(const struct fal_verbs_engine *engine,
                                           enum fal_vb_object kind)
{
    const void *at = (const uint8_t *)engine + kinds[kind].table;

    return at;
}

void fal_vb_name(enum fal_vb_object kind, uint32_t number, char out[FAL_VERBS_NAME_MAX])
{
    snprintf(out, FAL_VERBS_NAME_MAX, "%s%u", kinds[kind].name, number);
}

int fal_vb_find(const struct fal_verbs_engine *engine, enum fal_vb_object kind,
                const char *handle, const char *member, uint32_t *number, struct fal_error *err)
{
    size_t len = strlen(kinds[kind].name);
    const char *digits = handle + len;
    uint64_t n = 0;

    if (strncmp(handle, kinds[kind].name, len) == 0 && *digits != '0')
        for (; *digits >= '0' && *digits <= '9' && n <= UINT32_MAX; digits++)
            n = 10 * n + (uint64_t)(*digits - '0');
    if (n == 0 || *digits != 0 || n > table_of(engine, kind)->num)
        return fal_fail(err, FAL_ERR_RANGE, "%s '%s': there is no such %s", member, handle,
                        kinds[kind].what);
    *number = (uint32_t)n;
    return 0;
}

int fal_vb_find_if(const struct fal_verbs_engine *engine, enum fal_vb_object kind,
                   const char *handle, const char *member, uint32_t *number,
                   struct fal_error *err)
{
    *number = 0;
    return *handle == 0 ? 0 : fal_vb_find(engine, kind, handle, member, number, err);
}

int fal_vb_add(struct fal_verbs_engine *engine, enum fal_vb_object kind, void **row,
               uint32_t *number, struct fal_error *err)
{
    struct fal_vb_table *table = (void *)((uint8_t *)engine + kinds[kind].table);
    uint32_t most =
        engine->config.limits.objects > 0 ? engine->config.limits.objects : OBJECTS_MAX;

    if (table->num >= most) {
        fal_fail(err, FAL_ERR_RANGE, "%s: there are %u already, which is the most",
                 kinds[kind].what, most);
        return FAL_ERR_RANGE;
    }
    *row = fal_vb_table_add(table, kinds[kind].size, number);
    if (*row == NULL) {
        fal_fail(err, FAL_ERR_MEM, "out of memory");
        return FAL_ERR_MEM;
    }
    return 0;
}

struct fal_vb_qp *fal_vb_qp_of(const struct fal_verbs_engine *engine, uint32_t qpn)
{
    return fal_vb_qp_get(engine, (qpn - engine->qpn_first) & FAL_VB_NUMBER_MAX);
}

/* ---- simple objects ---- */

static int depth_fits(const struct fal_verbs_engine *engine, uint32_t depth,
                      struct fal_error *err)
{
    uint32_t most = engine->config.limits.queue > 0 ? engine->config.limits.queue : QUEUE_MAX;

    return depth >= 1 && depth <= most
               ? 0
               : fal_fail(err, FAL_ERR_RANGE, "depth %u: expected 1 to %u", depth, most);
}

int fal_vb_pd_create(struct fal_verbs_engine *engine, struct fal_verbs *answer,
                     struct fal_error *err)
{
    uint32_t number = 0;
    void *row;
    int rc = fal_vb_add(engine, FAL_VB_PD, &row, &number, err);

    if (rc == 0)
        fal_vb_name(FAL_VB_PD, number, answer->pd);
    return rc;
}

int fal_vb_cq_create(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                     struct fal_verbs *answer, struct fal_error *err)
{
    uint32_t number = 0;
    void *row = NULL;
    int rc = depth_fits(engine, ask->depth, err);

    if (rc == 0)
        rc = fal_vb_add(engine, FAL_VB_CQ, &row, &number, err);
    if (rc != 0)
        return rc;
    ((struct fal_vb_cq *)row)->depth = ask->depth;
    fal_vb_name(FAL_VB_CQ, number, answer->cq);
    return 0;
}

int fal_vb_srq_create(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                      struct fal_verbs *answer, struct fal_error *err)
{
    uint32_t number = 0, pd = 0;
    struct fal_vb_srq *srq;
    void *row = NULL;
    int rc = depth_fits(engine, ask->depth, err);

    if (rc == 0)
        rc = fal_vb_find(engine, FAL_VB_PD, ask->pd, "pd", &pd, err);
    if (rc == 0)
        rc = fal_vb_add(engine, FAL_VB_SRQ, &row, &number, err);
    if (rc != 0)
        return rc;
    srq = row;
    srq->pd = pd;
    srq->depth = ask->depth;
    srq->xrc = ask->xrc;
    fal_vb_name(FAL_VB_SRQ, number, answer->srq);
    answer->srqn = number;
    return 0;
}

int fal_vb_ah_create(struct fal_verbs_engine *engine, uint32_t conn,
                     const struct fal_verbs *ask, struct fal_verbs *answer,
                     struct fal_error *err)
{
    uint32_t number = 0, pd = 0;
    struct fal_vb_ah *ah;
    void *row = NULL;
    int rc = fal_vb_find(engine, FAL_VB_PD, ask->pd, "pd", &pd, err);

    if (rc == 0 && fal_vb_link(engine, conn) == NULL)
        return fal_fail(err, FAL_ERR_RANGE,
                        "conn '%s': expected an open connection whose upper layer is verbs",
                        ask->conn);
    if (rc == 0)
        rc = fal_vb_add(engine, FAL_VB_AH, &row, &number, err);
    if (rc != 0)
        return rc;
    ah = row;
    *ah = (struct fal_vb_ah){.pd = pd, .conn = conn};
    fal_vb_name(FAL_VB_AH, number, answer->ah);
    return 0;
}

int fal_vb_cq_arm(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                  struct fal_error *err)
{
    struct fal_vb_cq *cq;
    uint32_t number = 0;
    int rc = fal_vb_find(engine, FAL_VB_CQ, ask->cq, "cq", &number, err);

    if (rc != 0)
        return rc;
    cq = fal_vb_row(&engine->cqs, number);
    if (cq->armed != FAL_VB_ARMED) /* the wider wish stays */
        cq->armed = ask->solicited_only ? FAL_VB_ARMED_SOLICITED : FAL_VB_ARMED;
    return 0;
}
