/* SPDX-License-Identifier: Apache-2.0
 * queues.c - pd_create, cq_create, cq_arm, srq_create, ah_create. */
#include "vendor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Takes a new object in and says its handle under `key`. */
static enum talon_client_done made(struct va_device *device, struct va_head *object,
                                   enum va_kind kind, json_t *reply, const char *key)
{
    va_add(device, object, kind);
    (void)json_object_set_new(reply, key, json_string(object->name));
    return TALON_CLIENT_DONE;
}

static enum talon_client_done refused(struct va_device *device, const char **why,
                                      const char *command, void *object)
{
    free(object);
    return va_fail(device, why, "%s: the device refuses it: %s", command,
                   strerror(errno != 0 ? errno : ENOMEM));
}

enum talon_client_done va_pd_create(void *ctx, const json_t *command, json_t *reply,
                                    const char **why)
{
    struct va_device *device = ctx;
    struct va_pd *pd = calloc(1, sizeof *pd);

    (void)command;
    if (pd == NULL || (pd->pd = ibv_alloc_pd(device->context)) == NULL)
        return refused(device, why, "pd_create", pd);
    return made(device, &pd->head, VA_PD, reply, "pd");
}

enum talon_client_done va_cq_create(void *ctx, const json_t *command, json_t *reply,
                                    const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct va_range range = {.min = 1, .max = 65536};
    struct va_cq *cq;
    uint64_t depth;

    if (!va_number(&args, "depth", range, &depth))
        return TALON_CLIENT_FAILED;
    cq = calloc(1, sizeof *cq);
    if (cq == NULL ||
        (cq->cq = ibv_create_cq(device->context, (int)depth, cq, device->channel, 0)) == NULL)
        return refused(device, why, "cq_create", cq);
    return made(device, &cq->head, VA_CQ, reply, "cq");
}

enum talon_client_done va_cq_arm(void *ctx, const json_t *command, json_t *reply,
                                 const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct va_cq *cq = va_object(&args, "cq", VA_CQ, false);
    bool solicited_only;
    int error;

    (void)reply;
    if (cq == NULL || !va_flag(&args, "solicited_only", &solicited_only))
        return TALON_CLIENT_FAILED;
    error = ibv_req_notify_cq(cq->cq, solicited_only);
    if (error != 0)
        return va_fail(device, why, "cq: %s cannot be armed: %s", cq->head.name,
                       strerror(error));
    return TALON_CLIENT_DONE;
}

enum talon_client_done va_srq_create(void *ctx, const json_t *command, json_t *reply,
                                     const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct va_range range = {.min = 1, .max = 65536};
    struct va_range sges = {.min = 1, .max = VA_SGE_MAX, .optional = true, .otherwise = 4};
    struct va_pd *pd = va_object(&args, "pd", VA_PD, false);
    struct ibv_srq_init_attr attr = {.srq_context = NULL};
    struct va_srq *srq;
    uint64_t depth, sge;
    uint32_t number = 0;
    bool xrc;

    if (pd == NULL || !va_number(&args, "depth", range, &depth) ||
        !va_number(&args, "sge", sges, &sge) || !va_flag(&args, "xrc", &xrc))
        return TALON_CLIENT_FAILED;
    if (xrc) {
        *why = "xrc: this adapter has no XRC";
        return TALON_CLIENT_UNSUPPORTED;
    }
    attr.attr.max_wr = (uint32_t)depth;
    attr.attr.max_sge = (uint32_t)sge;
    srq = calloc(1, sizeof *srq);
    if (srq == NULL || (srq->srq = ibv_create_srq(pd->pd, &attr)) == NULL)
        return refused(device, why, "srq_create", srq);
    srq->max_sge = (uint32_t)sge;
    if (ibv_get_srq_num(srq->srq, &number) == 0)
        (void)json_object_set_new(reply, "srqn", json_integer(number));
    return made(device, &srq->head, VA_SRQ, reply, "srq");
}

enum talon_client_done va_ah_create(void *ctx, const json_t *command, json_t *reply,
                                    const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct va_pd *pd = va_object(&args, "pd", VA_PD, false);
    struct va_conn *conn = pd != NULL ? va_object(&args, "conn", VA_CONN, false) : NULL;
    struct ibv_ah_attr attr = {.is_global = 1, .port_num = 1};
    struct va_ah *ah;

    if (conn == NULL)
        return TALON_CLIENT_FAILED;
    attr.grh = (struct ibv_global_route){
        .dgid = conn->gid, .sgid_index = device->gid_index, .hop_limit = 64};
    ah = calloc(1, sizeof *ah);
    if (ah == NULL || (ah->ah = ibv_create_ah(pd->pd, &attr)) == NULL)
        return refused(device, why, "ah_create", ah);
    return made(device, &ah->head, VA_AH, reply, "ah");
}
