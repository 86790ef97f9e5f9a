/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/nvme/engine.h"

#include "oracles/nvme/device.h"
#include "oracles/nvme/initiator.h"
#include "oracles/nvme/link.h"
#include "oracles/nvme/odd.h"
#include "oracles/nvme/target.h"
#include "oracles/rng.h"

#include <stdlib.h>
#include <string.h>

enum { RNG_PART = 40, IMAGE_BLOCKS = 65536 };

/* ---- memory ---- */

void *fal_nv_alloc(struct fal_nvme_engine *engine, size_t n, size_t size)
{
    void *memory = calloc(n, size);

    if (memory == NULL)
        engine->out_of_memory = true;
    return memory;
}

bool fal_nv_list_add(struct fal_nvme_engine *engine, struct fal_nv_list *list, void *item)
{
    if (list->num == list->cap) {
        size_t cap = list->cap == 0 ? 4 : 2 * list->cap;
        void **items = realloc(list->items, cap * sizeof(void *));

        if (items == NULL) {
            engine->out_of_memory = true;
            return false;
        }
        list->items = items;
        list->cap = cap;
    }
    list->items[list->num++] = item;
    return true;
}

void fal_nv_list_take(struct fal_nv_list *list, size_t at)
{
    list->num--;
    memmove(&list->items[at], &list->items[at + 1], (list->num - at) * sizeof(void *));
}

void fal_nv_list_free(struct fal_nv_list *list)
{
    for (size_t i = 0; i < list->num; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct fal_nv_list){0};
}

/* ---- life ---- */

static void start(struct fal_nvme_engine *engine)
{
    struct fal_rng rng = fal_rng_split(engine->config.seed, RNG_PART);

    engine->function = (uint32_t)fal_rng_next(&rng) & FAL_NV_TAG_MASK;
    engine->next_icmd = (uint32_t)fal_rng_next(&rng) & FAL_NV_TAG_MASK;
    engine->ncmds.head = engine->ncmds.tail = fal_rng_next(&rng) & FAL_NV_TAG_MASK;
    engine->first_ncmd = engine->ncmds.head;
    engine->next_tcmd = fal_rng_next(&rng) & FAL_NV_TAG_MASK;
    engine->image.max =
        engine->config.image_blocks > 0 ? engine->config.image_blocks : IMAGE_BLOCKS;
}

struct fal_nvme_engine *fal_nvme_engine_new(const struct fal_nvme_config *config)
{
    struct fal_nvme_engine *engine = calloc(1, sizeof *engine);

    if (engine == NULL)
        return NULL;
    engine->config = *config;
    start(engine);
    if (!fal_nv_odd_start(engine)) {
        free(engine);
        return NULL;
    }
    return engine;
}

static void clear_commands(struct fal_nvme_engine *engine)
{
    for (uint64_t n = engine->ncmds.head; n < engine->ncmds.tail; n++) {
        const struct fal_nv_ncmd *ncmd = fal_vb_ring_get(&engine->ncmds, n);

        if (ncmd != NULL && --ncmd->icmd->open == 0)
            fal_nv_icmd_free(ncmd->icmd);
    }
    fal_vb_ring_free(&engine->ncmds);
}

static void clear(struct fal_nvme_engine *engine)
{
    for (size_t i = 0; i < engine->links.num; i++)
        fal_nv_link_clear(engine->links.items[i]);
    fal_nv_list_free(&engine->links);
    fal_nv_list_free(&engine->spaces);
    free(engine->rows);
    clear_commands(engine);
    while (engine->tcmds.num > 0)
        fal_nv_tcmd_free(engine->tcmds.items[--engine->tcmds.num]);
    fal_nv_list_free(&engine->tcmds);
    fal_nv_list_free(&engine->dcmds);
    fal_nv_list_free(&engine->formats);
    fal_nv_image_free(&engine->image);
    fal_vb_ring_free(&engine->events);
}

void fal_nvme_engine_free(struct fal_nvme_engine *engine)
{
    if (engine == NULL)
        return;
    clear(engine);
    fal_nv_odd_free(engine->odd);
    free(engine);
}

void fal_nvme_engine_reset(struct fal_nvme_engine *engine)
{
    struct fal_nvme_config config = engine->config;
    struct fal_nv_odd *odd = engine->odd;

    clear(engine);
    *engine = (struct fal_nvme_engine){.config = config, .odd = odd};
    start(engine);
}

bool fal_nvme_engine_out_of_memory(const struct fal_nvme_engine *engine)
{
    return engine->out_of_memory;
}

/* ---- words ---- */

int fal_nvme_engine_command(struct fal_nvme_engine *engine, uint32_t conn,
                            const struct fal_nvme_word *ask, struct fal_nvme_word *answer,
                            uint64_t now_ns, struct fal_error *err)
{
    *answer = (struct fal_nvme_word){.kind = ask->kind};
    engine->now_ns = now_ns;
    switch (ask->kind) {
    case FAL_NVME_NS: return fal_nv_set_ns(engine, ask, answer, err);
    case FAL_NVME_LBA: return fal_nv_set_row(engine, conn, ask, err);
    case FAL_NVME_POST: return fal_nv_post(engine, ask, answer, err);
    case FAL_NVME_DEV_FORMAT: return fal_nv_dev_format(engine, ask, err);
    case FAL_NVME_DEV_FILL: return fal_nv_dev_fill(engine, ask, err);
    case FAL_NVME_DEV_HASH: return fal_nv_dev_hash(engine, ask, answer, err);
    case FAL_NVME_DEV_POLICY: fal_nv_dev_policy(engine, ask); return 0;
    case FAL_NVME_DEV_COMPLETE: return fal_nv_dev_complete(engine, ask, err);
    case FAL_NVME_DEV_IDENTIFY: fal_nv_dev_identify(engine, ask, answer); return 0;
    case FAL_NVME_CQE:
    case FAL_NVME_DEV_CMD:
    case FAL_NVME_KINDS: break;
    }
    return fal_fail(err, FAL_ERR_FORM, "expected a command of NVMe");
}

/* ---- events ---- */

void fal_nv_event(struct fal_nvme_engine *engine, const struct fal_nvme_word *event)
{
    struct fal_nvme_word *kept = malloc(sizeof *kept);

    if (kept == NULL || fal_vb_ring_put(&engine->events, engine->events.tail, kept) != 0) {
        free(kept);
        engine->out_of_memory = true;
        return;
    }
    *kept = *event;
}

bool fal_nvme_engine_next(struct fal_nvme_engine *engine, struct fal_nvme_word *event)
{
    struct fal_nvme_word *kept = fal_vb_ring_clear(&engine->events, engine->events.head);

    if (kept == NULL)
        return false;
    engine->events.head++;
    *event = *kept;
    free(kept);
    return true;
}

/* ---- the endpoint ---- */

void fal_nv_requested(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                      const struct fal_endpoint_out *out)
{
    bool push = out->op == FAL_OP_PUSH;
    const struct fal_falcon packet = {.packet_type = push ? FAL_PUSH_DATA : FAL_PULL_REQUEST,
                                      .protocol_type = FAL_PROTOCOL_NVME};
    struct fal_ulp ulp;

    if (fal_nv_either(engine, false, fal_nv_at_delivered(engine, link, out)))
        return;
    fal_ulp_decode(&packet, out->payload, out->payload_len, &ulp);
    if (ulp.state != FAL_ULP_READ || ulp.nvme.version != 1 ||
        fal_nvme_carrier((enum fal_nvme_type)ulp.nvme.packet_type) !=
            (enum fal_packet_type)packet.packet_type) {
        fal_nv_respond(engine, link, out->rsn, push ? FAL_ANSWER_ACK : FAL_ANSWER_NRE);
    } else if (ulp.nvme.packet_type == FAL_NVME_READ_REQUEST ||
               ulp.nvme.packet_type == FAL_NVME_WRITE_REQUEST)
        fal_nv_from_initiator(engine, link, out, &ulp.nvme);
    else
        fal_nv_from_target(engine, link, out, &ulp.nvme);
    link->next_rsn++;
    fal_nv_seam(engine, fal_nv_at_served(engine, link));
}

static void completed(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                      const struct fal_endpoint_out *out)
{
    fal_nv_seam(engine, fal_nv_at_ended(engine, out));
    if (link->open > 0)
        link->open--;
    switch (fal_nv_tag_what(out->tag)) {
    case FAL_NV_REQUEST:
        if (out->code != FAL_CMPL_ACK)
            fal_nv_request_failed(engine, fal_nv_tag_number(out->tag));
        break;
    case FAL_NV_PULL: fal_nv_pulled(engine, link, out); break;
    case FAL_NV_ANSWER:
    case FAL_NV_DATA: break;
    }
}

static void lost(struct fal_nvme_engine *engine, struct fal_nv_link *link)
{
    if (link->dead)
        return;
    link->dead = true;
    fal_nv_link_clear(link);
    fal_nv_initiator_lost(engine, link->conn);
    fal_nv_target_lost(engine, link->conn);
}

void fal_nvme_engine_detach(struct fal_nvme_engine *engine, uint32_t conn)
{
    for (size_t i = 0; i < engine->links.num; i++) {
        struct fal_nv_link *link = engine->links.items[i];

        if (link->conn != conn)
            continue;
        lost(engine, link);
        fal_nv_list_take(&engine->links, i);
        free(link);
        return;
    }
}

bool fal_nvme_engine_take(struct fal_nvme_engine *engine, const struct fal_endpoint_out *out,
                          uint64_t now_ns)
{
    struct fal_nv_link *link = fal_nv_link(engine, out->conn);

    engine->now_ns = now_ns;
    if (link == NULL)
        return false;
    switch (out->kind) {
    case FAL_OUT_REQUEST: fal_nv_requested(engine, link, out); return true;
    case FAL_OUT_COMPLETE:
        completed(engine, link, out);
        fal_nv_pump_all(engine);
        return true;
    case FAL_OUT_CREDITS: fal_nv_pump_all(engine); return true;
    case FAL_OUT_CM:
        if (out->what != NULL && strcmp(out->what, "fatal") == 0)
            lost(engine, link);
        return false; /* others hear it too */
    case FAL_OUT_PACKET:
    case FAL_OUT_RUE:
    case FAL_OUT_NOTE: break;
    }
    return false;
}

/* ---- time ---- */

void fal_nvme_engine_tick(struct fal_nvme_engine *engine, uint64_t now_ns)
{
    engine->now_ns = now_ns;
    fal_nv_dev_tick(engine);
}

uint64_t fal_nvme_engine_deadline(const struct fal_nvme_engine *engine)
{
    return fal_nv_dev_deadline(engine);
}
