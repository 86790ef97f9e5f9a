/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/link.h"

#include "oracles/endpoint/afford.h"
#include "oracles/seq.h"
#include "oracles/ulp/events.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/qp.h"
#include "oracles/ulp/send.h"

#include <stdlib.h>

enum { OPEN_FIRST = 16, RX_WORDS = FAL_ENDPOINT_OPEN_MAX / 64 };

struct fal_vb_link *fal_vb_link(const struct fal_verbs_engine *engine, uint32_t conn)
{
    struct fal_vb_link *link = fal_vb_row(&engine->links, conn);

    return link != NULL && link->conn != 0 ? link : NULL;
}

/* ---- attaching ---- */

int fal_verbs_attach(struct fal_verbs_engine *engine, uint32_t conn,
                     const struct fal_params *params)
{
    struct fal_endpoint_state state;
    struct fal_vb_link *link;
    uint32_t number;

    if (conn == 0 || fal_vb_link(engine, conn) != NULL ||
        fal_endpoint_state(engine->config.endpoint, conn, &state) != 0)
        return FAL_ERR_RANGE;
    while (engine->links.num < conn)
        if (fal_vb_table_add(&engine->links, sizeof *link, &number) == NULL)
            return FAL_ERR_MEM;
    link = fal_vb_row(&engine->links, conn);
    *link = (struct fal_vb_link){.conn = conn,
                                 .ordered = params->ordered,
                                 .flow_control = params->flow_control,
                                 .mtu = params->mtu,
                                 .give_up_ns = 2 * params->transaction_timeout_ns,
                                 .sn = engine->config.first_sn > 0 ? engine->config.first_sn
                                                                   : 1, /* RDMA 8.2-13 */
                                 .rx_base = state.target_brsn};
    link->waiting_end = &link->waiting;
    return 0;
}

void fal_vb_link_clear(struct fal_vb_link *link)
{
    struct fal_vb_waiting *next;

    free(link->open);
    free(link->rx_bits);
    free(link->parts);
    for (struct fal_vb_waiting *at = link->waiting; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    *link = (struct fal_vb_link){0};
}

void fal_verbs_detach(struct fal_verbs_engine *engine, uint32_t conn)
{
    struct fal_vb_link *link = fal_vb_link(engine, conn);

    if (link == NULL)
        return;
    link->dead = true;
    fal_vb_link_lost(engine, link, false);
    fal_vb_link_clear(link);
}

/* ---- credits ---- */

bool fal_vb_affords(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                    enum fal_spend spend, uint32_t length)
{
    return fal_endpoint_affords(engine->config.endpoint, link->conn, engine->config.cell, spend,
                                length);
}

/* ---- transactions under way ---- */

static int grow(struct fal_vb_link *link)
{
    uint32_t cap = link->open_cap == 0 ? OPEN_FIRST : 2 * link->open_cap;
    struct fal_vb_open *open = calloc(cap, sizeof *open);

    if (open == NULL)
        return FAL_ERR_MEM;
    for (uint64_t tag = link->first_tag; tag < link->next_tag; tag++)
        open[tag & (cap - 1)] = link->open[tag & (link->open_cap - 1)];
    free(link->open);
    link->open = open;
    link->open_cap = cap;
    return 0;
}

struct fal_vb_open *fal_vb_open_add(struct fal_verbs_engine *engine, struct fal_vb_link *link,
                                    uint64_t *tag)
{
    struct fal_vb_open *open;

    if (link->next_tag - link->first_tag >= FAL_VB_OPEN_MAX)
        return NULL;
    if (link->next_tag - link->first_tag >= link->open_cap && grow(link) != 0) {
        engine->out_of_memory = true;
        return NULL;
    }
    *tag = link->next_tag++;
    open = &link->open[*tag & (link->open_cap - 1)];
    *open = (struct fal_vb_open){.used = true};
    return open;
}

bool fal_vb_open_take(struct fal_vb_link *link, uint64_t tag, struct fal_vb_open *out)
{
    struct fal_vb_open *open;

    if (tag < link->first_tag || tag >= link->next_tag)
        return false;
    open = &link->open[tag & (link->open_cap - 1)];
    if (!open->used)
        return false;
    *out = *open;
    open->used = false;
    while (link->first_tag < link->next_tag &&
           !link->open[link->first_tag & (link->open_cap - 1)].used)
        link->first_tag++;
    return true;
}

/* ---- requests of the peer ---- */

static uint64_t *word_of(const struct fal_vb_link *link, uint32_t rsn)
{
    return &link->rx_bits[rsn / 64 % RX_WORDS];
}

void fal_vb_arrived(struct fal_verbs_engine *engine, struct fal_vb_link *link, uint32_t rsn)
{
    if (fal_seq_lt(rsn, link->rx_base) || rsn - link->rx_base >= FAL_ENDPOINT_OPEN_MAX)
        return;
    if (rsn == link->rx_base && link->rx_bits == NULL) {
        link->rx_base++;
        return;
    }
    if (link->rx_bits == NULL)
        link->rx_bits = calloc(RX_WORDS, sizeof *link->rx_bits);
    if (link->rx_bits == NULL) {
        engine->out_of_memory = true;
        return;
    }
    *word_of(link, rsn) |= UINT64_C(1) << rsn % 64;
    for (; (*word_of(link, link->rx_base) >> link->rx_base % 64 & 1) != 0; link->rx_base++)
        *word_of(link, link->rx_base) &= ~(UINT64_C(1) << link->rx_base % 64);
}

bool fal_vb_all_before(const struct fal_vb_link *link, uint32_t rsn)
{
    return fal_seq_le(rsn, link->rx_base);
}

void fal_vb_part_put(struct fal_verbs_engine *engine, struct fal_vb_link *link,
                     const struct fal_vb_part *part)
{
    if (link->parts == NULL)
        link->parts = calloc(FAL_VB_PARTS, sizeof *link->parts);
    if (link->parts == NULL) {
        engine->out_of_memory = true;
        return;
    }
    link->parts[part->rsn % FAL_VB_PARTS] = *part;
    link->parts[part->rsn % FAL_VB_PARTS].used = true;
}

uint32_t fal_vb_parts_before(struct fal_vb_link *link, uint32_t rsn, uint64_t va)
{
    uint32_t sum = 0;

    for (uint32_t back = 1; link->parts != NULL && back < FAL_VB_PARTS; back++) {
        struct fal_vb_part *part = &link->parts[(rsn - back) % FAL_VB_PARTS];

        if (!part->used || part->rsn != rsn - back || part->va + part->length != va)
            continue; /* of another request */
        part->used = false;
        sum += part->length;
        va = part->va;
        if (part->first)
            break;
    }
    return sum;
}

/* ---- answers ---- */

void fal_vb_answer(struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                   uint32_t rsn, struct fal_endpoint_in in)
{
    int rc;

    in.kind = FAL_IN_RESPOND;
    in.conn = link->conn;
    in.rsn = rsn;
    rc = fal_endpoint_input(engine->config.endpoint, &in, engine->now_ns, NULL);
    if (rc == FAL_ERR_MEM)
        engine->out_of_memory = true;
}

static void answer_data(struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                        uint32_t rsn, const uint8_t *bytes, uint32_t len)
{
    fal_vb_answer(
        engine, link, rsn,
        (struct fal_endpoint_in){.answer = FAL_ANSWER_DATA, .payload = bytes, .length = len});
}

void fal_vb_answer_data(struct fal_verbs_engine *engine, struct fal_vb_link *link, uint32_t qp,
                        uint32_t rsn, const uint8_t *bytes, uint32_t len)
{
    struct fal_vb_qp *of = fal_vb_qp_get(engine, qp);
    struct fal_vb_waiting *late;

    if (link->waiting == NULL &&
        fal_vb_either(engine, true, fal_vb_at_answer_time(engine, link)) &&
        fal_vb_affords(engine, link, FAL_SPEND_RESPONSE, len)) {
        answer_data(engine, link, rsn, bytes, len);
        return;
    }
    late = malloc(sizeof *late + len);
    if (late == NULL) {
        engine->out_of_memory = true;
        return;
    }
    *late = (struct fal_vb_waiting){.rsn = rsn, .qp = qp, .len = len};
    memcpy(late->bytes, bytes, len);
    *link->waiting_end = late;
    link->waiting_end = &late->next;
    if (of != NULL)
        of->responses++;
}

void fal_vb_answer_waiting(struct fal_verbs_engine *engine, struct fal_vb_link *link)
{
    struct fal_vb_waiting *late;

    while ((late = link->waiting) != NULL &&
           fal_vb_either(engine, true, fal_vb_at_answer_time(engine, link)) &&
           fal_vb_affords(engine, link, FAL_SPEND_RESPONSE, late->len)) {
        struct fal_vb_qp *of = fal_vb_qp_get(engine, late->qp);

        link->waiting = late->next;
        if (link->waiting == NULL)
            link->waiting_end = &link->waiting;
        if (of != NULL)
            of->responses--;
        answer_data(engine, link, late->rsn, late->bytes, late->len);
        free(late);
    }
}
