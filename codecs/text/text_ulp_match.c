/* SPDX-License-Identifier: Apache-2.0
 * text_ulp_match.c - the part of a pattern for the upper layer against packets: written into
 * the payload of one that is to be sent, held against one that was seen. */
#include "codecs/header/ulp_fill.h"
#include "codecs/text/text_impl.h"

#include <assert.h>

enum { PAD_TO = 4, PAYLOAD_MAX = 65535 };

static const struct fal_field any_number = {.name = "data", .width_bits = 64, .kind = FAL_UINT};

/* ---- the data ---- */

static int data_number(const struct fal_scope *s, size_t index, uint64_t most, uint64_t *out)
{
    fal_u128 value = 0;
    int status = fal_scope_value(s, &any_number, &s->pattern->terms[index], &value);

    if (status == 0 && value > most)
        return fal_fail(s->err, FAL_ERR_RANGE, "data: a number is too large");
    *out = fal_u128_lo(value);
    return status;
}

static int data_of(const struct fal_scope *s, struct fal_ulp_payload *out)
{
    const struct fal_ulp_part *part = &s->pattern->ulp;
    uint64_t len = 0, offset = 0;
    int status = 0;

    if (!part->data)
        return 0;
    out->has_tag = part->has_tag;
    status = data_number(s, part->term, PAYLOAD_MAX, &len);
    if (status == 0 && part->has_tag)
        status = data_number(s, part->term + 1u, UINT64_MAX, &out->tag);
    if (status == 0 && part->has_tag)
        status = data_number(s, part->term + 2u, UINT32_MAX, &offset);
    out->data_len = (uint32_t)len;
    out->offset = (uint32_t)offset;
    return status;
}

int fal_pattern_data(const struct fal_pattern *pattern, const struct fal_vars *vars,
                     struct fal_ulp_payload *out, struct fal_error *err)
{
    struct fal_scope s = fal_scope_of(pattern, NULL, vars, NULL, err);

    *out = (struct fal_ulp_payload){0};
    return data_of(&s, out);
}

/* ---- sending ---- */

static bool gives(const struct fal_pattern *pattern, const struct fal_field *field)
{
    for (size_t i = 0; i < pattern->num_items + pattern->ulp.num_items; i++)
        if (pattern->items[i].field == field && pattern->items[i].match != FAL_MATCH_NE)
            return true;
    return false;
}

static bool gives_named(const struct fal_pattern *pattern, const struct fal_layout *layout,
                        const char *name)
{
    const struct fal_field *field = fal_layout_find(layout, name);

    return field != NULL && gives(pattern, field);
}

/* The host struct of an item's header. */
static void *host_of(const struct fal_pattern *pattern, struct fal_ulp *ulp,
                     const struct fal_item *item)
{
    if (pattern->ulp.protocol == FAL_PROTOCOL_RDMA)
        return fal_rdma_host(&ulp->rdma, (enum fal_rdma_header)(item->header - 1));
    return &ulp->nvme;
}

static void init_headers(const struct fal_ulp_part *part, struct fal_ulp *ulp)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(part->code);

    memset(ulp, 0, sizeof *ulp);
    ulp->state = FAL_ULP_READ;
    ulp->protocol = part->protocol;
    if (part->protocol == FAL_PROTOCOL_NVME) {
        fal_layout_init(part->bare ? &fal_nbth_layout : fal_nvme_layout(part->code),
                        &ulp->nvme);
        return;
    }
    fal_layout_init(&fal_rbth_layout, &ulp->rdma.rbth);
    if (part->bare)
        return;
    for (size_t i = 1; i < kind->num_headers; i++)
        fal_layout_init(fal_rdma_layout(kind->headers[i]),
                        fal_rdma_host(&ulp->rdma, kind->headers[i]));
    ulp->rdma.rbth.opcode = part->code;
}

/* The members of the RBTH and the lengths that the line leaves open. */
static void fill_rdma(const struct fal_scope *s, struct fal_falcon *packet,
                      struct fal_rdma *rdma, const struct fal_ulp_payload *payload)
{
    const struct fal_pattern *p = s->pattern;
    const struct fal_layout *falcon = fal_falcon_layout(packet->packet_type);
    const struct fal_field *rsn = fal_layout_find(falcon, "rsn");
    const struct fal_rdma_kind *kind = fal_rdma_kind(p->ulp.code);

    if (rsn != NULL && !gives_named(p, &fal_rbth_layout, "sequence_number"))
        rdma->rbth.sequence_number = packet->rsn - fal_relative_zero(s->rel, packet, rsn) + 1;
    if (!gives_named(p, &fal_rbth_layout, "pad"))
        rdma->rbth.pad = payload->pad_len;
    if (!p->ulp.bare)
        fal_rdma_fill(kind,
                      (struct fal_rdma_given){gives_named(p, &fal_reth_layout, "length"),
                                              gives_named(p, falcon, "request_length")},
                      (size_t)payload->data_len + rdma->rbth.pad, rdma, packet);
}

/* Writes the headers of the operation; the code in them may be another. */
static int encode(const struct fal_scope *s, struct fal_ulp *ulp, struct fal_ulp_payload *out)
{
    const struct fal_ulp_part *part = &s->pattern->ulp;
    uint8_t *at = out->headers;
    uint8_t opcode = ulp->rdma.rbth.opcode;
    int n;

    if (part->protocol == FAL_PROTOCOL_NVME) {
        n = fal_layout_encode(part->bare ? &fal_nbth_layout : fal_nvme_layout(part->code),
                              &ulp->nvme, at, sizeof out->headers, NULL);
    } else if (part->bare) {
        n = fal_layout_encode(&fal_rbth_layout, &ulp->rdma.rbth, at, sizeof out->headers, NULL);
    } else {
        ulp->rdma.rbth.opcode = part->code;
        n = fal_ulp_encode(ulp, at, sizeof out->headers, NULL);
        ulp->rdma.rbth.opcode = opcode;
        if (n > 0)
            fal_rbth_layout.encode(&ulp->rdma.rbth, at);
    }
    if (n < 0)
        return fal_fail(s->err, n, "%s: the headers cannot be encoded",
                        fal_ulp_name(part->protocol));
    out->headers_len = (uint8_t)n;
    return 0;
}

int fal_pattern_ulp(const struct fal_pattern *pattern, const struct fal_relative *rel,
                    const struct fal_vars *vars, struct fal_falcon *packet,
                    struct fal_ulp_payload *out, struct fal_error *err)
{
    struct fal_scope s = fal_scope_of(pattern, rel, vars, packet, err);
    const struct fal_layout *falcon = fal_falcon_layout(packet->packet_type);
    struct fal_ulp ulp;
    int status;

    *out = (struct fal_ulp_payload){0};
    if (pattern->ulp.protocol == 0)
        return 0;
    if (pattern->ulp.any)
        return fal_fail(err, FAL_ERR_FORM,
                        "'any' can be expected only: to send it takes an operation");
    status = data_of(&s, out);
    if (status != 0)
        return status;
    if (!gives_named(pattern, falcon, "protocol_type"))
        packet->protocol_type = pattern->ulp.protocol;
    init_headers(&pattern->ulp, &ulp);
    for (size_t i = 0; status == 0 && i < pattern->ulp.num_items; i++) {
        const struct fal_item *item = &pattern->items[pattern->num_items + i];

        status = fal_scope_apply(&s, item, host_of(pattern, &ulp, item));
    }
    if (status != 0)
        return status;
    if (pattern->ulp.protocol == FAL_PROTOCOL_RDMA) {
        out->pad_len = (uint8_t)((PAD_TO - out->data_len % PAD_TO) % PAD_TO);
        fill_rdma(&s, packet, &ulp.rdma, out);
    }
    return encode(&s, &ulp, out);
}

/* ---- expecting ---- */

/* Whether the headers that were seen are those of the part's operation. */
static int kind_matches(const struct fal_scope *s, const struct fal_ulp *seen)
{
    const struct fal_ulp_part *part = &s->pattern->ulp;
    bool nvme = part->protocol == FAL_PROTOCOL_NVME;
    const char *due = "a reserved operation", *was = due;

    if (seen == NULL || seen->protocol != part->protocol ||
        (seen->state != FAL_ULP_READ && seen->state != FAL_ULP_RESERVED))
        return fal_fail(s->err, 0, "upper layer: due %s, seen no headers of it",
                        fal_ulp_name(part->protocol));
    if (seen->state == FAL_ULP_READ)
        was = nvme ? fal_nvme_type_name(seen->nvme.packet_type)
                   : fal_rdma_kind(seen->rdma.rbth.opcode)->name;
    if (!part->bare && !part->any)
        due = nvme ? fal_nvme_type_name(part->code) : fal_rdma_kind(part->code)->name;
    if (part->any ? seen->state == FAL_ULP_READ : strcmp(due, was) == 0)
        return 1;
    return fal_fail(s->err, 0, "upper layer: due %s, seen %s",
                    part->any ? "a known operation" : due, was);
}

/* The item's field in the headers that were seen; NULL: they have none. */
static const struct fal_field *field_seen(const struct fal_scope *s, const struct fal_ulp *seen,
                                          const struct fal_item *item)
{
    const struct fal_rdma_kind *kind;

    if (!s->pattern->ulp.any)
        return item->field;
    if (s->pattern->ulp.protocol == FAL_PROTOCOL_NVME)
        return fal_layout_find(fal_nvme_layout(seen->nvme.packet_type), item->field->name);
    kind = fal_rdma_kind(seen->rdma.rbth.opcode);
    for (size_t i = 0; i < kind->num_headers; i++)
        if (kind->headers[i] == (enum fal_rdma_header)(item->header - 1))
            return item->field;
    return NULL;
}

static int item_matches(const struct fal_scope *s, struct fal_ulp *seen,
                        const struct fal_item *item)
{
    const struct fal_field *field = field_seen(s, seen, item);

    assert(item->field != NULL);
    if (field != NULL)
        return fal_scope_holds(s, item, field, host_of(s->pattern, seen, item));
    if (item->match == FAL_MATCH_NE)
        return 1; /* what is not there is not that value */
    return fal_fail(s->err, 0, "%s: due, but the packet has none", item->field->name);
}

static int data_matches(const struct fal_scope *s, const struct fal_seen_packet *seen)
{
    unsigned pad = fal_ulp_pad(seen->ulp);
    size_t rest = seen->payload_len - seen->ulp->size_bytes;
    struct fal_ulp_payload due = {0};
    int status = data_of(s, &due);

    if (status != 0)
        return status;
    if (!s->pattern->ulp.data || (rest >= pad && due.data_len == rest - pad))
        return 1;
    return fal_fail(s->err, 0, "data: due %u bytes, seen %zu with %u bytes of padding",
                    (unsigned)due.data_len, rest, pad);
}

int fal_ulp_part_match(const struct fal_scope *s, const struct fal_seen_packet *seen,
                       const struct fal_capture *capture)
{
    const struct fal_ulp_part *part = &s->pattern->ulp;
    const struct fal_item *items = s->pattern->items + s->pattern->num_items;
    struct fal_ulp ulp;
    int status;

    if (part->protocol == 0)
        return 1;
    status = kind_matches(s, seen->ulp);
    if (status != 1)
        return status;
    ulp = *seen->ulp;
    for (size_t i = 0; i < part->num_items; i++) {
        status = item_matches(s, &ulp, &items[i]);
        if (status != 1)
            return status;
    }
    status = data_matches(s, seen);
    for (size_t i = 0; status == 1 && capture != NULL && i < part->num_items; i++) {
        const struct fal_field *field = field_seen(s, &ulp, &items[i]);

        if (field != NULL)
            fal_scope_capture(s, &items[i], field, host_of(s->pattern, &ulp, &items[i]),
                              capture);
    }
    return status;
}
