/* SPDX-License-Identifier: Apache-2.0
 * completions.c - completion queues that were armed, and the connections whose messages with SE
 * ask for an event of them. */
#include "oracles/rules/verbs/objects_impl.h"

#include <stdlib.h>
#include <string.h>

enum { CQS_MAX = 16384, FIRST_WAITING = 4 };

static struct fal_vcq *cq_of(const struct fal_objects *o, const char *name)
{
    return fal_objects_named(&o->cq_names, &o->cqs, name);
}

static struct fal_vcq *cq_on(const struct fal_objects *o, uint32_t conn)
{
    const struct fal_vqp *qp = fal_objects_rc_on(o, conn);

    return qp != NULL ? cq_of(o, qp->recv_cq) : NULL;
}

void fal_cq_armed(struct fal_objects *o, const struct fal_said *said)
{
    struct fal_vcq *cq = cq_of(o, said->asked->cq);

    if (cq == NULL) {
        cq = fal_list_add(o, &o->cqs, sizeof *cq, CQS_MAX);
        if (cq == NULL)
            return;
        memcpy(cq->name, said->asked->cq, sizeof cq->name);
        o->oom = !fal_index_add(&o->cq_names, fal_index_name(cq->name)) || o->oom;
    }
    cq->armed = said->event->index;
    cq->num = 0;
}

void fal_cq_event(struct fal_objects *o, const char *name)
{
    struct fal_vcq *cq = cq_of(o, name);

    if (cq == NULL)
        return;
    cq->armed = 0;
    cq->num = 0;
}

void fal_cq_solicited(struct fal_objects *o, uint32_t conn)
{
    struct fal_vcq *cq = o->cqs.num > 0 ? cq_on(o, conn) : NULL;
    struct fal_vconn *vconn = cq != NULL ? fal_objects_conn(o, conn) : NULL;

    if (vconn == NULL || cq->armed == 0 || vconn->waits == cq->armed)
        return;
    if (cq->num == cq->cap) {
        size_t cap = cq->cap == 0 ? FIRST_WAITING : 2 * cq->cap;
        uint32_t *grown = realloc(cq->waiting, cap * sizeof *grown);

        if (grown == NULL) {
            o->oom = true;
            return;
        }
        cq->waiting = grown;
        cq->cap = cap;
    }
    cq->waiting[cq->num++] = conn;
    vconn->waits = cq->armed;
}

void fal_cqs_free(struct fal_objects *o)
{
    for (size_t i = 0; i < o->cqs.num; i++)
        free(((struct fal_vcq *)fal_list_at(&o->cqs, i))->waiting);
    fal_list_free(&o->cqs);
    fal_index_free(&o->cq_names);
}

bool fal_objects_armed(const struct fal_objects *o, uint32_t conn)
{
    const struct fal_vcq *cq = o->cqs.num > 0 ? cq_on(o, conn) : NULL;

    return cq != NULL && cq->armed != 0;
}

uint32_t fal_objects_waiting(const struct fal_objects *o, const char *name, size_t i)
{
    const struct fal_vcq *cq = cq_of(o, name);

    return cq != NULL && i < cq->num ? cq->waiting[i] : 0;
}
