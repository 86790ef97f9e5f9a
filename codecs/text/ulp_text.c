/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/bits.h"
#include "codecs/header/ulp.h"
#include "codecs/text/text_impl.h"

#include <inttypes.h>
#include <string.h>

/* Whether a value goes without saying. */
static bool usual(const struct fal_field *field, fal_u128 value)
{
    switch (field->kind) {
    case FAL_CONST:
    case FAL_RSVD: return fal_field_legal(field, value);
    case FAL_CODE: return true; /* the opcode or type, which the line begins with */
    case FAL_FLAG: return value == 0;
    case FAL_UINT:
    case FAL_PSN:
    case FAL_RSN:
    case FAL_BITMAP:
    case FAL_LENGTH:
    case FAL_CHECK:
    case FAL_MAC:
    case FAL_IPV4:
    case FAL_IPV6: break;
    }
    return field->width_bits == 2 && value == 0; /* pad */
}

/* `prefix` and `dot`: the header's name, or empty texts. */
static void put_fields(struct fal_out *line, const struct fal_layout *layout, const void *host,
                       const char *prefix, const char *dot)
{
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];
        fal_u128 value = fal_field_get(f, host);

        if (usual(f, value))
            continue;
        fal_out_format(line, " %s%s%s=", prefix, dot, f->alias != NULL ? f->alias : f->name);
        if (f->width_bits > 32)
            fal_out_radix(line, value, false);
        else
            fal_out_number(line, fal_u128_lo(value));
    }
}

/* The first header, which is all that is known of a reserved operation. */
static void put_reserved(struct fal_out *line, const struct fal_ulp *ulp)
{
    if (ulp->protocol == FAL_PROTOCOL_RDMA) {
        fal_out_format(line, "rdma rbth opcode=%u", (unsigned)ulp->rdma.rbth.opcode);
        put_fields(line, &fal_rbth_layout, &ulp->rdma.rbth, "", "");
    } else {
        fal_out_format(line, "nvme nbth packet_type=%u", (unsigned)ulp->nvme.packet_type);
        put_fields(line, &fal_nbth_layout, &ulp->nvme, "", "");
    }
}

size_t fal_ulp_text(const struct fal_ulp *ulp, char *out, size_t cap)
{
    struct fal_out line = fal_out_start(out, cap);
    struct fal_rdma rdma;
    const struct fal_rdma_kind *kind;

    if (ulp->state == FAL_ULP_RESERVED)
        put_reserved(&line, ulp);
    if (ulp->state != FAL_ULP_READ)
        return (size_t)fal_out_end(&line);
    if (ulp->protocol == FAL_PROTOCOL_NVME) {
        fal_out_format(&line, "nvme %s", fal_nvme_type_name(ulp->nvme.packet_type));
        put_fields(&line, fal_nvme_layout(ulp->nvme.packet_type), &ulp->nvme, "", "");
        return (size_t)fal_out_end(&line);
    }
    rdma = ulp->rdma;
    kind = fal_rdma_kind(rdma.rbth.opcode);
    fal_out_format(&line, "rdma %s", kind->name);
    for (size_t i = 0; i < kind->num_headers; i++) {
        const struct fal_layout *layout = fal_rdma_layout(kind->headers[i]);

        put_fields(&line, layout, fal_rdma_host(&rdma, kind->headers[i]),
                   i > 0 ? layout->name : "", i > 0 ? "." : "");
    }
    return (size_t)fal_out_end(&line);
}

/* Data of a tester begin with "TALN", their tag in 8 bytes and 4 bytes of zeros. */
static bool find_tag(const struct fal_ulp *ulp, const struct fal_ulp_bytes *front, size_t data,
                     uint64_t *tag)
{
    enum { MAGIC = 4, TAG = 8, NAME = 16 };
    static const uint8_t zeros[NAME - MAGIC - TAG];
    const uint8_t *at = front->payload + ulp->size_bytes;

    if (data < NAME || front->len < ulp->size_bytes + NAME || memcmp(at, "TALN", MAGIC) != 0 ||
        memcmp(at + MAGIC + TAG, zeros, sizeof zeros) != 0)
        return false;
    *tag = fal_bits_get(at, MAGIC * 8, TAG * 8);
    return true;
}

size_t fal_ulp_line(const struct fal_ulp *ulp, const struct fal_ulp_bytes *front,
                    size_t payload_len, char *out, size_t cap)
{
    struct fal_out line = fal_out_start(out, cap);
    char text[FAL_ULP_TEXT_MAX];
    uint64_t tag;
    size_t data;

    if (ulp->state != FAL_ULP_READ && ulp->state != FAL_ULP_RESERVED)
        return (size_t)fal_out_end(&line);
    (void)fal_ulp_text(ulp, text, sizeof text);
    fal_out_format(&line, " / %s", text);
    data = fal_ulp_data_len(ulp, payload_len);
    if (data > 0)
        fal_out_format(&line, " data=%zu", data);
    if (find_tag(ulp, front, data, &tag))
        fal_out_format(&line, "@%" PRIu64, tag);
    return (size_t)fal_out_end(&line);
}
