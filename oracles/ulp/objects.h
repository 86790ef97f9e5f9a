/* SPDX-License-Identifier: Apache-2.0
 * objects.h - the tables of an engine, and handles: "pd1", "cq1", "srq1", "mr1", "qp1", "ah1".
 */
#ifndef FAL_ORACLES_ULP_OBJECTS_H
#define FAL_ORACLES_ULP_OBJECTS_H

#include "oracles/ulp/state.h"

/* A new row of `size` zero bytes; its number in *number. NULL when out of memory. */
void *fal_vb_table_add(struct fal_vb_table *table, size_t size, uint32_t *number);
/* The row of that number, or NULL. */
static inline void *fal_vb_row(const struct fal_vb_table *table, uint32_t number)
{
    return number > 0 && number <= table->num ? table->rows[number - 1] : NULL;
}
/* Frees the rows and the table. */
void fal_vb_table_free(struct fal_vb_table *table);

enum fal_vb_object {
    FAL_VB_PD,
    FAL_VB_CQ,
    FAL_VB_SRQ,
    FAL_VB_MR,
    FAL_VB_QP,
    FAL_VB_AH,
};

/* Writes the handle of an object. */
void fal_vb_name(enum fal_vb_object kind, uint32_t number, char out[FAL_VERBS_NAME_MAX]);

/* The number of the object with that handle. Returns 0, or FAL_ERR_RANGE with a sentence;
 * `member` is that of the word. */
MUST_USE int fal_vb_find(const struct fal_verbs_engine *engine, enum fal_vb_object kind,
                         const char *handle, const char *member, uint32_t *number,
                         struct fal_error *err);
/* The same for a member that may be absent: then *number is 0. */
MUST_USE int fal_vb_find_if(const struct fal_verbs_engine *engine, enum fal_vb_object kind,
                            const char *handle, const char *member, uint32_t *number,
                            struct fal_error *err);

/* A new row of that kind. Returns 0, FAL_ERR_RANGE when there are as many as may be, or
 * FAL_ERR_MEM. */
MUST_USE int fal_vb_add(struct fal_verbs_engine *engine, enum fal_vb_object kind, void **row,
                        uint32_t *number, struct fal_error *err);

static inline struct fal_vb_qp *fal_vb_qp_get(const struct fal_verbs_engine *engine,
                                              uint32_t number)
{
    return fal_vb_row(&engine->qps, number);
}

static inline struct fal_vb_mr *fal_vb_mr_get(const struct fal_verbs_engine *engine,
                                              uint32_t number)
{
    return fal_vb_row(&engine->mrs, number);
}

/* The number that a peer knows a queue pair by (24 bits), and the queue pair of a number. */
static inline uint32_t fal_vb_qpn(const struct fal_verbs_engine *engine, uint32_t qp)
{
    return (engine->qpn_first + qp) & FAL_VB_NUMBER_MAX;
}
struct fal_vb_qp *fal_vb_qp_of(const struct fal_verbs_engine *engine, uint32_t qpn);

/* pd_create, cq_create, srq_create, ah_create, cq_arm. */
MUST_USE int fal_vb_pd_create(struct fal_verbs_engine *engine, struct fal_verbs *answer,
                              struct fal_error *err);
MUST_USE int fal_vb_cq_create(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                              struct fal_verbs *answer, struct fal_error *err);
MUST_USE int fal_vb_srq_create(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                               struct fal_verbs *answer, struct fal_error *err);
MUST_USE int fal_vb_ah_create(struct fal_verbs_engine *engine, uint32_t conn,
                              const struct fal_verbs *ask, struct fal_verbs *answer,
                              struct fal_error *err);
MUST_USE int fal_vb_cq_arm(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                           struct fal_error *err);

#endif
