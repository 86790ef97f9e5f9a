/* SPDX-License-Identifier: Apache-2.0
 * held.c - the variant rnr-held: a message for which no receive request is posted waits at the
 * target, without an answer, and all that its strongly ordered queue pair gets after it. */
#include "oracles/ulp/link.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"

#include <stdlib.h>

bool fal_vb_held(const struct fal_verbs_engine *engine, uint32_t qp)
{
    for (const struct fal_vb_waiting *at = engine->held; at != NULL; at = at->next)
        if (at->qp == qp)
            return true;
    return false;
}

void fal_vb_hold(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    struct fal_vb_waiting *held = malloc(sizeof *held + request->raw_len);

    if (held == NULL) {
        engine->out_of_memory = true;
        return;
    }
    *held =
        (struct fal_vb_waiting){.rsn = request->rsn,
                                .qp = request->qp->self,
                                .len = request->raw_len,
                                .conn = request->link->conn,
                                .asked = request->asked,
                                .op = request->pull ? FAL_OP_PULL : FAL_OP_PUSH,
                                .expires_ns = engine->now_ns + request->link->give_up_ns / 2};
    if (request->raw_len > 0)
        memcpy(held->bytes, request->raw, request->raw_len);
    *engine->held_end = held;
    engine->held_end = &held->next;
}

void fal_vb_held_again(struct fal_verbs_engine *engine)
{
    struct fal_vb_waiting *all = engine->held, *next;

    engine->held = NULL;
    engine->held_end = &engine->held;
    for (struct fal_vb_waiting *at = all; at != NULL; at = next) {
        struct fal_vb_link *link = fal_vb_link(engine, at->conn);

        next = at->next;
        if (link != NULL && engine->now_ns < at->expires_ns)
            fal_vb_requested(engine, link,
                             &(struct fal_endpoint_out){.kind = FAL_OUT_REQUEST,
                                                        .conn = at->conn,
                                                        .op = at->op,
                                                        .rsn = at->rsn,
                                                        .length = at->asked,
                                                        .payload = at->bytes,
                                                        .payload_len = at->len});
        free(at);
    }
}

void fal_vb_held_free(struct fal_verbs_engine *engine)
{
    struct fal_vb_waiting *next;

    for (struct fal_vb_waiting *at = engine->held; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    engine->held = NULL;
    engine->held_end = &engine->held;
}
