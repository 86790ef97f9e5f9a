/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/nvme/link.h"

#include "oracles/endpoint/afford.h"
#include "oracles/nvme/odd.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_MAX = 1024, WHAT_SHIFT = 62, INDEX_BITS = 16 };

struct fal_nv_link *fal_nv_link(const struct fal_nvme_engine *engine, uint32_t conn)
{
    for (size_t i = 0; conn != 0 && i < engine->links.num; i++) {
        struct fal_nv_link *link = engine->links.items[i];

        if (link->conn == conn)
            return link;
    }
    return NULL;
}

uint32_t fal_nv_headers(const struct fal_nvme *header, uint8_t *out, size_t cap)
{
    int n = fal_layout_encode(fal_nvme_layout(header->packet_type), header, out, cap, NULL);

    assert(n > 0);
    return (uint32_t)n;
}

/* ---- tags ---- */

uint64_t fal_nv_tag(const struct fal_nv_packet *packet)
{
    return (uint64_t)packet->what << WHAT_SHIFT | packet->number << INDEX_BITS | packet->index;
}

enum fal_nv_post fal_nv_tag_what(uint64_t tag)
{
    return (enum fal_nv_post)(tag >> WHAT_SHIFT);
}

uint64_t fal_nv_tag_number(uint64_t tag)
{
    return (tag & ((UINT64_C(1) << WHAT_SHIFT) - 1)) >> INDEX_BITS;
}

uint32_t fal_nv_tag_index(uint64_t tag)
{
    return (uint32_t)(tag & ((1U << INDEX_BITS) - 1));
}

/* ---- sending ---- */

static void input(struct fal_nvme_engine *engine, const struct fal_endpoint_in *in)
{
    /* Other errors mean that the request or the connection is over. */
    if (fal_endpoint_input(engine->config.endpoint, in, engine->now_ns, NULL) == FAL_ERR_MEM)
        engine->out_of_memory = true;
}

void fal_nv_respond(struct fal_nvme_engine *engine, const struct fal_nv_link *link,
                    uint32_t rsn, enum fal_answer answer)
{
    input(engine,
          &(struct fal_endpoint_in){
              .kind = FAL_IN_RESPOND, .conn = link->conn, .rsn = rsn, .answer = answer});
}

/* Answers need no room among this end's own transactions. */
static bool can_take(const struct fal_nvme_engine *engine, const struct fal_nv_link *link,
                     const struct fal_nv_packet *packet)
{
    enum fal_spend spend = packet->what == FAL_NV_DATA   ? FAL_SPEND_RESPONSE
                           : packet->what == FAL_NV_PULL ? FAL_SPEND_PULL
                                                         : FAL_SPEND_PUSH;
    uint32_t length = packet->what == FAL_NV_PULL ? packet->asked : packet->len;

    return (packet->what == FAL_NV_DATA || link->open < OPEN_MAX) &&
           fal_endpoint_affords(engine->config.endpoint, link->conn, engine->config.cell, spend,
                                length);
}

static void hand_over(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                      const struct fal_nv_packet *packet)
{
    struct fal_endpoint_in in = {
        .conn = link->conn, .payload = packet->bytes, .length = packet->len};

    if (packet->what == FAL_NV_DATA) {
        in.kind = FAL_IN_RESPOND;
        in.rsn = packet->rsn;
        in.answer = FAL_ANSWER_DATA;
    } else {
        in.kind = FAL_IN_POST;
        in.op = packet->op;
        in.tag = fal_nv_tag(packet);
        link->open++;
    }
    if (packet->what != FAL_NV_DATA && packet->op == FAL_OP_PULL) {
        in.length = packet->asked;
        in.payload_len = packet->len;
    }
    input(engine, &in);
}

void fal_nv_pump(struct fal_nvme_engine *engine, struct fal_nv_link *link)
{
    while (link->first != NULL && !link->dead && can_take(engine, link, link->first)) {
        struct fal_nv_packet *packet = link->first;

        link->first = packet->next;
        if (link->first == NULL)
            link->end = &link->first;
        hand_over(engine, link, packet);
        free(packet);
    }
}

void fal_nv_pump_all(struct fal_nvme_engine *engine)
{
    for (size_t i = 0; i < engine->links.num; i++)
        fal_nv_pump(engine, engine->links.items[i]);
}

void fal_nv_send(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                 const struct fal_nv_packet *packet, const uint8_t *bytes, uint32_t len)
{
    struct fal_nv_packet *kept;

    if (link->dead)
        return;
    kept = malloc(sizeof *kept + len);
    if (kept == NULL) {
        engine->out_of_memory = true;
        return;
    }
    *kept = *packet;
    kept->next = NULL;
    kept->len = len;
    memcpy(kept->bytes, bytes, len);
    if (packet->what == FAL_NV_DATA) { /* before what waits: the peer has asked for it */
        kept->next = link->first;
        if (link->first == NULL)
            link->end = &kept->next;
        link->first = kept;
    } else {
        *link->end = kept;
        link->end = &kept->next;
    }
    fal_nv_pump(engine, link);
}

/* ---- attaching ---- */

int fal_nvme_engine_attach(struct fal_nvme_engine *engine, uint32_t conn,
                           const struct fal_params *params)
{
    struct fal_endpoint_state state;
    struct fal_nv_link *link;

    if (conn == 0 || fal_nv_link(engine, conn) != NULL ||
        fal_endpoint_state(engine->config.endpoint, conn, &state) != 0)
        return FAL_ERR_RANGE;
    if (fal_nv_either(engine, params->ordered, fal_nv_at_ordered(engine, params->ordered)) ||
        fal_nv_either(engine, params->mtu < FAL_NVME_MTU,
                      fal_nv_at_mtu(engine, params->mtu < FAL_NVME_MTU)))
        return FAL_ERR_RANGE;
    link = fal_nv_alloc(engine, 1, sizeof *link);
    if (link == NULL)
        return FAL_ERR_MEM;
    link->conn = conn;
    link->next_rsn = state.target_brsn;
    link->end = &link->first;
    if (!fal_nv_list_add(engine, &engine->links, link)) {
        free(link);
        return FAL_ERR_MEM;
    }
    return 0;
}

void fal_nv_link_clear(struct fal_nv_link *link)
{
    struct fal_nv_packet *next;

    for (struct fal_nv_packet *at = link->first; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    link->first = NULL;
    link->end = &link->first;
}
