/* SPDX-License-Identifier: Apache-2.0
 * mutate_frame.c - changes of a frame: of any of its headers, of the packet in it, of how it is
 * carried. Frames that are sealed are opened, changed inside, and sealed again. */
#include "fuzz/mutate/mutate.h"

#include <string.h>

enum { FRAME_PAYLOAD_MAX = 8192 };

/* A frame that is being changed: `keep` is what fal_frame_encode_with must not put right. */
struct work {
    struct fal_frame frame;
    unsigned keep;
};

static void open_frame(struct mutator *m, unsigned linktype, const uint8_t *in, size_t len,
                       uint8_t *scratch, struct fal_frame *frame)
{
    const struct fal_frame_options options = {
        .psp_keys = m->keys.psp, .esp_keys = m->keys.esp, .no_lint = true};

    frame->number = frame->ts_ns = 0;
    if (fal_frame_decode(&(struct fal_captured){in, len, len, linktype}, &options, scratch,
                         frame) != 0)
        frame->num_layers = 0;
}

/* Some header of the frame that has a table, or NULL. */
static void *any_header(struct mutator *m, struct fal_frame *frame,
                        const struct fal_layout **layout)
{
    for (unsigned tries = 0; tries < 8 && frame->num_layers > 0; tries++) {
        enum fal_layer_id id = frame->layers[mutate_below(m, frame->num_layers)].id;
        void *host = fal_frame_host(frame, id, layout);

        if (host != NULL)
            return host;
    }
    return NULL;
}

/* A field of that kind in any of the frame's headers, made wrong. */
static bool spoil_kind(struct mutator *m, struct fal_frame *frame, enum fal_kind kind)
{
    for (unsigned tries = 0; tries < 8; tries++) {
        const struct fal_layout *layout = NULL;
        void *host = any_header(m, frame, &layout);
        const struct fal_field *field = host != NULL ? mutate_pick_kind(m, layout, kind) : NULL;

        if (field == NULL)
            continue;
        /* The input is random: an error is as good. */
        FAL_IGNORE(
            fal_field_set(field, host, mutate_edge(m, field, fal_field_get(field, host))));
        return true;
    }
    return false;
}

static void spoil_seal(struct mutator *m, struct work *work)
{
    struct fal_span *icv = fal_frame_has(&work->frame, FAL_LAYER_ESP) ? &work->frame.esp_icv
                                                                      : &work->frame.psp_icv;
    uint8_t *copy = m->half;

    if (icv->len == 0 || icv->len > 16)
        return;
    memcpy(copy, icv->bytes, icv->len);
    copy[mutate_below(m, icv->len)] ^= (uint8_t)(1 + mutate_below(m, 255));
    icv->bytes = copy;
    work->keep |= FAL_KEEP_ICV;
}

/* Another encapsulation; what both have keeps its values where it is the same header. */
static void wrap(struct mutator *m, struct work *work)
{
    struct fal_frame *frame = &work->frame;
    enum fal_encap encap = (enum fal_encap)mutate_below(m, FAL_ENCAP_BARE);
    uint32_t spi = frame->psp.spi;

    fal_frame_encapsulate(frame, encap, mutate_below(m, 2) == 0 ? 4 : 6);
    frame->psp.spi = spi & 0x8000000f;
    frame->psp_state = frame->esp_state = FAL_PSP_NONE;
    frame->esp.spi = 0x100 + (uint32_t)mutate_below(m, 8); /* the samples' SAs */
    frame->esp_has_trailer = false;
    frame->trailer.len = frame->inner_trailer.len = 0;
    frame->psp.version = mutate_below(m, 4) & 3;
    fal_frame_chain(frame);
    work->keep = 0;
    m->wrapped = true;
}

static void splice(struct mutator *m, struct work *work, unsigned linktype,
                   const uint8_t *other, size_t other_len)
{
    struct fal_frame donor;

    open_frame(m, linktype, other, other_len, m->other_scratch, &donor);
    if (!fal_frame_has(&donor, FAL_LAYER_FALCON))
        return;
    if (mutate_below(m, 2) == 0) { /* its packet in our encapsulation */
        work->frame.falcon = donor.falcon;
        work->frame.payload = donor.payload;
    } else { /* our packet in its */
        donor.falcon = work->frame.falcon;
        donor.payload = work->frame.payload;
        work->frame = donor;
    }
    work->keep = 0;
    mutate_did(m, MUTATE_SPLICE);
}

static void change(struct mutator *m, struct work *work, unsigned linktype,
                   const uint8_t *other, size_t other_len)
{
    static const enum mutate_op ops[] = {
        MUTATE_EDGE,    MUTATE_EDGE,   MUTATE_FLIP,   MUTATE_FLIP,   MUTATE_SEQUENCE,
        MUTATE_TYPE,    MUTATE_TYPE,   MUTATE_SPLICE, MUTATE_WRAP,   MUTATE_PAYLOAD,
        MUTATE_PAYLOAD, MUTATE_LENGTH, MUTATE_CHECK,  MUTATE_REPAIR, MUTATE_FRESH,
    };
    struct fal_frame *frame = &work->frame;
    enum mutate_op op = ops[mutate_below(m, sizeof ops / sizeof *ops)];
    const struct fal_layout *layout = NULL;
    void *host;

    switch (op) {
    case MUTATE_EDGE:
    case MUTATE_FLIP:
        host = mutate_below(m, 2) == 0 ? fal_frame_host(frame, FAL_LAYER_FALCON, &layout)
                                       : any_header(m, frame, &layout);
        if (host != NULL && layout != NULL)
            mutate_host(m, layout, host);
        break;
    case MUTATE_SPLICE: splice(m, work, linktype, other, other_len); break;
    case MUTATE_WRAP:
        wrap(m, work);
        mutate_did(m, op);
        break;
    case MUTATE_LENGTH:
        if (mutate_below(m, 3) == 0) {
            (void)mutate_falcon(m, op, &frame->falcon, &frame->payload);
            work->keep |= FAL_KEEP_REQUEST_LENGTH;
        } else if (spoil_kind(m, frame, FAL_LENGTH)) {
            work->keep |= FAL_KEEP_LENGTHS;
            mutate_did(m, op);
        }
        break;
    case MUTATE_CHECK:
        if (mutate_below(m, 2) == 0) {
            spoil_seal(m, work);
        } else if (spoil_kind(m, frame, FAL_CHECK)) {
            work->keep |= FAL_KEEP_CHECKSUMS;
        }
        mutate_did(m, op);
        break;
    case MUTATE_REPAIR:
        fal_frame_chain(frame);
        work->keep = 0;
        (void)mutate_falcon(m, op, &frame->falcon, &frame->payload);
        break;
    case MUTATE_SEQUENCE:
    case MUTATE_TYPE:
    case MUTATE_PAYLOAD:
    case MUTATE_FRESH: (void)mutate_falcon(m, op, &frame->falcon, &frame->payload); break;
    case MUTATE_SWITCHES:
    case MUTATE_SWAP:
    case MUTATE_DUPLICATE:
    case MUTATE_DROP:
    case MUTATE_OPS: break;
    }
}

/* One header of the wire, in place: what cannot be put together again. */
static size_t patch(struct mutator *m, const struct fal_frame *frame, const uint8_t *in,
                    size_t len, uint8_t *out, size_t cap)
{
    if (len > cap || len == 0)
        return 0;
    memcpy(out, in, len);
    for (unsigned tries = 0; tries < 8 && frame->num_layers > 0; tries++) {
        const struct fal_layer *layer = &frame->layers[mutate_below(m, frame->num_layers)];
        const struct fal_layout *layout = layer->id == FAL_LAYER_FALCON
                                              ? fal_falcon_layout(frame->falcon.packet_type)
                                              : fal_layer_layout(layer->id);

        if (layout == NULL || layer->offset > len || layout->size_bytes > len - layer->offset)
            continue;
        mutate_wire(m, layout, out + layer->offset);
        return len;
    }
    out[mutate_below(m, len)] ^= (uint8_t)(1u << mutate_below(m, 8));
    mutate_did(m, MUTATE_FLIP);
    return len;
}

size_t mutate_frame(struct mutator *m, unsigned linktype, struct fal_span in,
                    struct fal_span other, uint8_t *out, size_t cap)
{
    struct work work = {.keep = FAL_KEEP_REQUEST_LENGTH};
    struct fal_frame before;
    int n = 0;

    if (in.len > MUTATE_ROOM || other.len > MUTATE_ROOM)
        return 0;
    m->wrapped = false;
    open_frame(m, linktype, in.bytes, in.len, m->scratch, &work.frame);
    before = work.frame;
    if (fal_frame_has(&work.frame, FAL_LAYER_FALCON) && mutate_below(m, 16) != 0) {
        if (mutate_below(m, 4) == 0) /* what is wrong stays so */
            work.keep = FAL_KEEP_LENGTHS | FAL_KEEP_REQUEST_LENGTH;
        if (mutate_below(m, 8) == 0)
            work.keep |= FAL_KEEP_CHECKSUMS;
        for (uint64_t times = 1 + mutate_below(m, 3); times > 0; times--)
            change(m, &work, linktype, other.bytes, other.len);
        n = fal_frame_encode_with(&work.frame, &m->keys, work.keep, out, cap, NULL);
    } else if (!fal_frame_has(&work.frame, FAL_LAYER_FALCON)) {
        m->given_up = true;
    }
    if (n > 0)
        return (size_t)n;
    m->wrapped = false;
    return patch(m, &before, in.bytes, in.len, out, cap);
}
