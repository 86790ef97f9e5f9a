/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/text/roce_text.h"

#include "codecs/text/text_impl.h"

#include <inttypes.h>

enum fal_roce_class fal_roce_class_of(const struct fal_roce_packet *packet)
{
    unsigned opcode = packet->bth.opcode;

    if (packet->kind == NULL)
        return FAL_ROCE_OTHER;
    if (opcode == FAL_ROCE_OP_cnp)
        return FAL_ROCE_CNP_CLASS;
    if (opcode == FAL_ROCE_OP_rc_ack)
        switch (fal_aeth_kind_of(packet->aeth.syndrome)) {
        case FAL_AETH_ACK: return FAL_ROCE_ACK;
        case FAL_AETH_NAK: return FAL_ROCE_NAK;
        case FAL_AETH_RNR: return FAL_ROCE_RNR;
        case FAL_AETH_RESERVED: return FAL_ROCE_OTHER;
        }
    if (opcode >= FAL_ROCE_OP_rc_read_response_first && opcode <= FAL_ROCE_OP_rc_atomic_ack)
        return FAL_ROCE_RESPONSE;
    return opcode <= FAL_ROCE_OP_rc_send_only_inv ? FAL_ROCE_REQUEST : FAL_ROCE_OTHER;
}

/* Returns true if the line leaves the value out, because it is the usual one, or (m) says
 * nothing. */
static bool usual(const struct fal_field *field, fal_u128 value)
{
    static const struct {
        const char *name;
        uint64_t value;
    } rows[] = {{"pad", 0}, {"tver", 0}, {"pkey", 0xffff}, {"m", 1}};

    if ((field->kind == FAL_RSVD || field->kind == FAL_FLAG) && value == 0)
        return true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(field->name, rows[i].name) == 0)
            return value == rows[i].value;
    return false;
}

static void print_header(struct fal_out *out, const struct fal_layout *layout, const void *host)
{
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];
        fal_u128 value = fal_field_get(f, host);
        const char *name = fal_name_of(f->names, (uint64_t)value);

        if (usual(f, value))
            continue;
        fal_out_char(out, ' ');
        if (layout != &fal_roce_layout && fal_layout_find(&fal_roce_layout, f->name) != NULL)
            fal_out_format(out, "%s.", layout->name); /* the bare name is the BTH's */
        fal_out_format(out, "%s=", f->alias != NULL ? f->alias : f->name);
        if (name != NULL)
            fal_out_text(out, name);
        else if (f->width_bits > 24 || strcmp(f->name, "syndrome") == 0)
            fal_out_format(out, "0x%" PRIx64, (uint64_t)value);
        else
            fal_out_format(out, "%" PRIu64, (uint64_t)value);
    }
}

size_t fal_roce_text(const struct fal_roce_packet *packet, char *text, size_t cap)
{
    struct fal_out start = fal_out_start(text, cap), *out = &start;
    struct fal_roce_packet p = *packet;
    int len;

    if (p.state == FAL_ROCE_NO_BTH) {
        fal_out_text(out, "roce, cut before its header ends");
        return (size_t)fal_out_end(out);
    }
    fal_out_text(out, "roce");
    print_header(out, &fal_roce_layout, &p.bth);
    for (size_t i = 0; p.state == FAL_ROCE_READ && i < p.kind->num_headers; i++) {
        const struct fal_layout *layout = fal_roce_header_layout(p.kind->headers[i]);

        fal_out_format(out, " / %s", layout->name);
        print_header(out, layout, fal_roce_host(&p, p.kind->headers[i]));
    }
    if (p.data_len > 0)
        fal_out_format(out, " / data=%zu", p.data_len);
    len = fal_out_end(out);
    return len < 0 ? 0 : (size_t)len;
}
