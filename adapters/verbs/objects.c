/* SPDX-License-Identifier: Apache-2.0
 * objects.c - the table of handles, and lists of works that have not completed. */
#include "vendor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void va_add(struct va_device *device, struct va_head *object, enum va_kind kind)
{
    static const char *const prefix[VA_KINDS] = {
        [VA_AH] = "ah", [VA_QP] = "qp", [VA_SRQ] = "srq",  [VA_MR] = "mr",
        [VA_CQ] = "cq", [VA_PD] = "pd", [VA_CONN] = "conn"};

    object->kind = kind;
    (void)snprintf(object->name, sizeof object->name, "%s%llu", prefix[kind],
                   (unsigned long long)++device->made);
    object->next = device->objects;
    device->objects = object;
}

struct va_qp *va_qp_of_number(const struct va_device *device, uint32_t qpn)
{
    for (struct va_head *o = device->objects; o != NULL; o = o->next)
        if (o->kind == VA_QP && ((struct va_qp *)o)->qp->qp_num == qpn)
            return (struct va_qp *)o;
    return NULL;
}

static void free_memory(struct va_memory *memory)
{
    if (memory == NULL || --memory->users > 0)
        return;
    (void)munmap(memory->bytes, memory->size);
    free(memory);
}

static int free_region(struct va_mr *mr)
{
    int error = mr->mw != NULL ? ibv_dealloc_mw(mr->mw) : 0;

    mr->mw = NULL;
    if (error == 0 && mr->mr != NULL)
        error = ibv_dereg_mr(mr->mr);
    mr->mr = NULL;
    free_memory(mr->memory);
    return error;
}

static int free_qp(struct va_qp *qp)
{
    int error = ibv_destroy_qp(qp->qp);

    if (error != 0)
        return error;
    va_works_clear(&qp->sent);
    va_works_clear(&qp->received);
    return 0;
}

static int free_srq(struct va_srq *srq)
{
    int error = ibv_destroy_srq(srq->srq);

    if (error == 0)
        va_works_clear(&srq->received);
    return error;
}

/* Destroys the object in the device; the struct stays. */
static int release(struct va_device *device, struct va_head *object)
{
    switch (object->kind) {
    case VA_AH: return ibv_destroy_ah(((struct va_ah *)object)->ah);
    case VA_QP: return free_qp((struct va_qp *)object);
    case VA_SRQ: return free_srq((struct va_srq *)object);
    case VA_MR: return free_region((struct va_mr *)object);
    case VA_CQ: return ibv_destroy_cq(((struct va_cq *)object)->cq);
    case VA_PD: return ibv_dealloc_pd(((struct va_pd *)object)->pd);
    case VA_CONN: va_vendor()->close(device, (struct va_conn *)object); return 0;
    case VA_KINDS: break;
    }
    return EINVAL;
}

int va_remove(struct va_device *device, struct va_head *object)
{
    struct va_head **at = &device->objects;
    int error = release(device, object);

    if (error != 0)
        return error;
    while (*at != object)
        at = &(*at)->next;
    *at = object->next;
    free(object);
    return 0;
}

void va_remove_all(struct va_device *device)
{
    for (int kind = 0; kind < VA_KINDS; kind++) {
        struct va_head *next;

        for (struct va_head *o = device->objects; o != NULL; o = next) {
            next = o->next;
            if ((int)o->kind == kind && va_remove(device, o) != 0)
                (void)fprintf(stderr, "verbs_adapter: %s cannot be removed\n", o->name);
        }
    }
}

struct va_work *va_work_add(struct va_device *device, struct va_works *works, uint64_t wr_id)
{
    struct va_work *work = calloc(1, sizeof *work), **at = &works->first;

    if (work == NULL)
        return NULL;
    work->id = ++device->posted;
    work->wr_id = wr_id;
    while (*at != NULL)
        at = &(*at)->next;
    *at = work;
    return work;
}

struct va_work *va_work_take(struct va_works *works, uint64_t id)
{
    for (struct va_work **at = &works->first; *at != NULL; at = &(*at)->next) {
        struct va_work *work = *at;

        if (work->id != id)
            continue;
        *at = work->next;
        return work;
    }
    return NULL;
}

void va_works_clear(struct va_works *works)
{
    while (works->first != NULL)
        free(va_work_take(works, works->first->id));
}
