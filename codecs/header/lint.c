/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/lint.h"
#include "codecs/header/headers.h"

static const char falcon[] = "falcon";

enum { RUE_BITS_MIN = 21 }; /* of rue_info, by the narrower figure: beyond them is dispute */

void fal_lint_fields(const struct fal_layout *layout, const void *host, const char *layer,
                     uint32_t offset, struct fal_issues *issues)
{
    if (layout->legal(host))
        return;
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *field = &layout->fields[i];
        enum fal_lint lint;
        fal_u128 seen;

        if (field->kind == FAL_RSVD)
            lint = FAL_LINT_RESERVED;
        else if (field->kind == FAL_CONST)
            lint = FAL_LINT_CONSTANT;
        else if (field->kind == FAL_CODE)
            lint = FAL_LINT_CODE;
        else
            continue; /* every value is legal */
        seen = fal_field_get(field, host);
        if (!fal_field_legal(field, seen))
            fal_lint_add_values(issues, lint,
                                &(struct fal_lint_at){field->requirement, layer, field, offset},
                                seen, field->initial);
    }
}

/* An issue of one field of a Falcon packet. */
static void add(struct fal_issues *issues, enum fal_lint lint, const struct fal_field *field,
                uint32_t offset, fal_u128 seen, fal_u128 due)
{
    fal_lint_add_values(issues, lint, &(struct fal_lint_at){NULL, falcon, field, offset}, seen,
                        due);
}

static void lint_nack(const struct fal_falcon *p, uint32_t offset, struct fal_issues *issues)
{
    if (p->rnr_timeout != 0 && p->nack_code != FAL_NACK_RNR)
        add(issues, FAL_LINT_RNR_TIMEOUT, fal_layout_find(&fal_nack_layout, "rnr_timeout"),
            offset, p->rnr_timeout, 0);
}

/* 9.1.6: OWN asks for an EACK, so a BACK has none (AMB-20). */
static void lint_back(const struct fal_falcon *p, uint32_t offset, struct fal_issues *issues)
{
    if (p->own != 0)
        add(issues, FAL_LINT_OWN, fal_layout_find(&fal_back_layout, "own"), offset, p->own, 0);
}

/* Bit 0 of data_rx_bitmap is legal: a push received, not yet acknowledged by its ULP (AMB-01).
 */
static void lint_eack(const struct fal_falcon *p, uint32_t offset, struct fal_issues *issues)
{
    fal_u128 base = 1, req = p->req_bitmap;
    fal_u128 not_rx = p->data_ack_bitmap & ~p->data_rx_bitmap;

    if (fal_u128_test(p->data_ack_bitmap, 0))
        add(issues, FAL_LINT_ACK_BASE, fal_layout_find(&fal_eack_layout, "data_ack_bitmap"),
            offset, p->data_ack_bitmap, p->data_ack_bitmap & ~base);
    if (fal_u128_test(req, 0))
        add(issues, FAL_LINT_ACK_BASE, fal_layout_find(&fal_eack_layout, "req_bitmap"), offset,
            req, req & ~base);
    if (not_rx != 0)
        add(issues, FAL_LINT_ACK_WITHOUT_RX,
            fal_layout_find(&fal_eack_layout, "data_rx_bitmap"), offset, p->data_rx_bitmap,
            p->data_rx_bitmap | p->data_ack_bitmap);
}

/* The highest bit of RUE info: of the table, not of the figure (AMB-04, AMB-05). */
static void lint_rue(const struct fal_layout *layout, const struct fal_falcon *p,
                     uint32_t offset, struct fal_issues *issues)
{
    const struct fal_field *field;
    uint32_t bit;

    if (p->rue_info >> RUE_BITS_MIN == 0)
        return;
    field = fal_layout_find(layout, "rue_info");
    bit = UINT32_C(1) << (field->width_bits - 1);
    if ((p->rue_info & bit) != 0)
        fal_lint_add_values(issues, FAL_LINT_RUE_BIT,
                            &(struct fal_lint_at){NULL, falcon, field, offset}, p->rue_info,
                            p->rue_info & ~bit);
}

static void lint_no_payload(const struct fal_layout *layout, size_t payload_len,
                            uint32_t offset, struct fal_issues *issues)
{
    if (payload_len > 0)
        fal_lint_add_values(issues, FAL_LINT_PAYLOAD,
                            &(struct fal_lint_at){layout->requirement, falcon, NULL,
                                                  offset + (uint32_t)layout->size_bytes},
                            payload_len, 0);
}

void fal_lint_packet(const struct fal_falcon *packet, size_t payload_len, bool truncated,
                     uint32_t offset, struct fal_issues *issues)
{
    const struct fal_layout *layout = fal_falcon_layout(packet->packet_type);

    if (layout == NULL)
        return;
    fal_lint_fields(layout, packet, falcon, offset, issues);
    switch ((enum fal_packet_type)packet->packet_type) {
    case FAL_PULL_REQUEST: /* followed by the ULP's headers */
    case FAL_PULL_DATA: /* has no length field */ return;
    case FAL_PUSH_DATA:
        if (!truncated && packet->request_length != payload_len)
            add(issues, FAL_LINT_REQUEST_LENGTH, fal_layout_find(layout, "request_length"),
                offset, packet->request_length, payload_len);
        return;
    case FAL_RESYNC: break;
    case FAL_NACK:
        lint_nack(packet, offset, issues);
        lint_rue(layout, packet, offset, issues);
        break;
    case FAL_BACK:
        lint_back(packet, offset, issues);
        lint_rue(layout, packet, offset, issues);
        break;
    case FAL_EACK:
        lint_eack(packet, offset, issues);
        lint_rue(layout, packet, offset, issues);
        break;
    }
    lint_no_payload(layout, payload_len, offset, issues);
}

/* Checks a packet whose header is incomplete: the fields at the front that all types share, as
 * far as they are present. `layout`: of its type, or of the base header. */
static void lint_front(const struct fal_falcon *packet, const struct fal_layout *layout,
                       size_t len, uint32_t offset, struct fal_issues *issues)
{
    const struct fal_field *version = fal_layout_find(layout, "version");
    const struct fal_field *type = fal_layout_find(layout, "packet_type");

    if (len >= 4 && packet->version != version->initial)
        fal_lint_add_values(
            issues, FAL_LINT_CONSTANT,
            &(struct fal_lint_at){version->requirement, falcon, version, offset},
            packet->version, version->initial);
    if (len >= 8 && fal_falcon_layout(packet->packet_type) == NULL)
        fal_lint_add_values(issues, FAL_LINT_CODE,
                            &(struct fal_lint_at){type->requirement, falcon, type, offset},
                            packet->packet_type, type->initial);
}

void fal_lint_falcon(const uint8_t *bytes, size_t len, bool truncated, uint32_t offset,
                     struct fal_issues *issues)
{
    struct fal_falcon packet;
    int header = fal_falcon_decode(bytes, len, &packet);
    const struct fal_layout *layout = &fal_pull_data_layout; /* the base header alone */
    const char *requirement = "FTP-7.2-01";

    if (header >= 0) {
        fal_lint_packet(&packet, len - (size_t)header, truncated, offset, issues);
        return;
    }
    if (header == FAL_ERR_SHORT) {
        layout = fal_falcon_layout(packet.packet_type);
        requirement = layout->requirement;
    }
    lint_front(&packet, layout, len, offset, issues);
    if (header == FAL_ERR_TYPE && len >= 8)
        return; /* no type, no length to miss */
    fal_lint_add_values(issues, truncated ? FAL_LINT_CAPTURED_SHORT : FAL_LINT_FALCON_SHORT,
                        &(struct fal_lint_at){requirement, falcon, NULL, offset}, len,
                        layout->size_bytes);
}
