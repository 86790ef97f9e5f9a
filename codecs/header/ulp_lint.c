/* SPDX-License-Identifier: Apache-2.0
 * ulp_lint.c - the headers of RDMA and NVMe held against their specifications. Bits that only
 * the figures reserve give a warning, whatever else their requirement asks for (AMB-27). */
#include "codecs/header/lint.h"
#include "codecs/header/ulp.h"

/* The input of all checks. */
struct look {
    const struct fal_falcon *packet;
    const char *layer;
    size_t data;     /* bytes after the headers */
    bool truncated;  /* lengths say nothing */
    uint32_t offset; /* of the payload in the frame */
    struct fal_issues *issues;
};

/* The subject of an issue; `field` may be NULL; `at`: byte of the payload. */
struct at {
    const char *requirement;
    const struct fal_field *field;
    size_t at;
};

static void add(const struct look *k, enum fal_lint lint, const struct at *at, uint64_t seen,
                uint64_t due)
{
    fal_lint_add_values(k->issues, lint,
                        &(struct fal_lint_at){at->requirement, k->layer, at->field,
                                              k->offset + (uint32_t)at->at},
                        seen, due);
}

/* Bit 18 alone may stand for AckReq, which the table of the RBTH has and its figure has not
 * (AMB-R02). */
static const char *field_requirement(const struct fal_field *f, fal_u128 seen)
{
    return f == fal_layout_find(&fal_rbth_layout, "reserved_0") && fal_u128_lo(seen) == 1
               ? "RDMA-8.2-06"
               : f->requirement;
}

/* The fields of a header at byte `at` of the payload, by its table. */
static void lint_fields(const struct look *k, const struct fal_layout *layout, const void *host,
                        size_t at)
{
    if (layout->legal(host))
        return;
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];
        fal_u128 seen = fal_field_get(f, host);

        if (!fal_field_legal(f, seen))
            fal_lint_add_values(k->issues,
                                f->kind == FAL_RSVD    ? FAL_LINT_ULP_RESERVED
                                : f->kind == FAL_CONST ? FAL_LINT_CONSTANT
                                                       : FAL_LINT_CODE,
                                &(struct fal_lint_at){field_requirement(f, seen), k->layer, f,
                                                      k->offset + (uint32_t)at},
                                seen, f->initial);
    }
}

/* The Falcon packet is of another type than the ULP's packet asks for. */
static void lint_carrier(const struct look *k, enum fal_packet_type due,
                         const char *requirement, const struct fal_layout *layout,
                         const char *field)
{
    if (k->packet->packet_type != due)
        add(k, FAL_LINT_ULP_CARRIER,
            &(struct at){requirement, fal_layout_find(layout, field), 0},
            k->packet->packet_type, due);
}

/* ---- RDMA ---- */

enum { STETH_RESPONSE = 24, ATOMIC_RESPONSE = 32 }; /* RBTH, STETH; and AtomicAckETH */

/* The requirement that a payload violates whose length is not that of the headers of its
 * operation: the sentence about them in the text, where there is one, else the row of the
 * table. `more`: bytes follow that the operation has not. */
static const char *headers_requirement(const struct fal_rdma_kind *kind, unsigned opcode,
                                       bool more)
{
    if (kind->service == FAL_RDMA_XRC && kind->packet != FAL_PULL_DATA && !more)
        return "RDMA-8.3.9-02";
    if (kind->service != FAL_RDMA_RC)
        return kind->requirement;
    switch (opcode & 31u) {
    case 0: /* send_first, send_middle */
    case 1: return "RDMA-6.7-06";
    case 7: /* write_middle, write_last */
    case 8: return "RDMA-6.7-09";
    case 12: return more ? "RDMA-6.7-14" : kind->requirement;
    case 18: return more ? "RDMA-8.3-01" : kind->requirement;
    case 19:
    case 20: return "RDMA-8.3.6-01";
    default: return kind->requirement;
    }
}

static size_t offset_of(const struct fal_rdma_kind *kind, enum fal_rdma_header header)
{
    size_t at = 0;

    for (size_t i = 0; kind->headers[i] != header; i++)
        at += fal_rdma_layout(kind->headers[i])->size_bytes;
    return at;
}

/* Data and pad bytes make whole words (AMB-R16). */
static void lint_pad(const struct look *k, const struct fal_rdma *rdma)
{
    size_t without = k->data >= rdma->rbth.pad ? k->data - rdma->rbth.pad : 0;

    if (k->data % 4 != 0 || rdma->rbth.pad > k->data)
        add(k, FAL_LINT_PAD, &(struct at){NULL, fal_layout_find(&fal_rbth_layout, "pad"), 0},
            rdma->rbth.pad, (4 - without % 4) % 4);
}

/* Length is that of the segment; of the whole operation in all packets of a WRITE but an Only
 * is a reading that stands (AMB-R07). */
static void lint_write_length(const struct look *k, const struct fal_rdma_kind *kind,
                              const struct fal_rdma *rdma, bool only)
{
    size_t at = offset_of(kind, FAL_RDMA_RETH), data = k->data - rdma->rbth.pad;

    if (rdma->rbth.pad > k->data || rdma->reth.length == data)
        return;
    add(k, rdma->reth.length > data && !only ? FAL_LINT_RETH_WHOLE : FAL_LINT_RETH_LENGTH,
        &(struct at){"RDMA-8.3.1-04", fal_layout_find(&fal_reth_layout, "length"), at},
        rdma->reth.length, data);
}

/* request_length counts the headers of the response, the data and its padding (FTP 7.3). */
static void lint_read_length(const struct look *k, const struct fal_rdma_kind *kind,
                             const struct fal_rdma *rdma)
{
    uint64_t length = rdma->reth.length, seen = k->packet->request_length;

    if (seen != STETH_RESPONSE + length && seen != STETH_RESPONSE + (length + 3) / 4 * 4)
        add(k, FAL_LINT_RETH_LENGTH,
            &(struct at){NULL, fal_layout_find(&fal_reth_layout, "length"),
                         offset_of(kind, FAL_RDMA_RETH)},
            length, seen > STETH_RESPONSE ? seen - STETH_RESPONSE : 0);
}

static void lint_operation(const struct look *k, const struct fal_rdma_kind *kind,
                           const struct fal_rdma *rdma)
{
    switch (rdma->rbth.opcode & 31u) {
    case 6: /* write_first, write_middle, write_last, write_last_imm */
    case 7:
    case 8:
    case 9:
        if (!k->truncated)
            lint_write_length(k, kind, rdma, false);
        break;
    case 10: /* write_only, write_only_imm */
    case 11:
        if (!k->truncated)
            lint_write_length(k, kind, rdma, true);
        break;
    case 12:
        if (k->packet->packet_type == FAL_PULL_REQUEST)
            lint_read_length(k, kind, rdma);
        break;
    case 19: /* the atomics */
    case 20:
        if (k->packet->packet_type == FAL_PULL_REQUEST &&
            k->packet->request_length != ATOMIC_RESPONSE)
            add(k, FAL_LINT_ULP_REQUEST_LENGTH, &(struct at){"FTP-7.3-04", NULL, 0},
                k->packet->request_length, ATOMIC_RESPONSE);
        break;
    default: break;
    }
}

static void lint_rdma(const struct look *k, const struct fal_rdma *rdma)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(rdma->rbth.opcode);
    size_t at = 0;

    for (size_t i = 0; i < kind->num_headers; i++) {
        const struct fal_layout *layout = fal_rdma_layout(kind->headers[i]);

        lint_fields(k, layout, fal_rdma_host((struct fal_rdma *)rdma, kind->headers[i]), at);
        at += layout->size_bytes;
    }
    lint_carrier(k, kind->packet, kind->requirement, &fal_rbth_layout, "opcode");
    if (kind->service == FAL_RDMA_XRC)
        fal_lint_add(k->issues, FAL_LINT_XRC, NULL, k->layer,
                     fal_layout_find(&fal_rbth_layout, "opcode"), k->offset);
    if (kind->data && !k->truncated)
        lint_pad(k, rdma);
    if (!kind->data && k->data > 0)
        add(k, FAL_LINT_PAYLOAD,
            &(struct at){headers_requirement(kind, rdma->rbth.opcode, true), NULL, at}, k->data,
            0);
    if (kind->service != FAL_RDMA_UD)
        lint_operation(k, kind, rdma);
}

/* ---- NVMe ---- */

static const char *const nvme_carriers[FAL_NVME_TYPES] = {
    "NVME-8.1.3-01", "NVME-8.1.3-02", "NVME-8.1.3-03",
    "NVME-8.1.3-04", "NVME-8.1.3-05", "NVME-8.1.3-06",
};

static void lint_nvme_lengths(const struct look *k, const struct fal_nvme *nvme,
                              const struct fal_layout *layout)
{
    enum { LEAST = 36, MOST = LEAST + FAL_NVME_DATA_MAX }; /* of a Write Data Response */
    enum fal_nvme_type type = (enum fal_nvme_type)nvme->packet_type;
    uint64_t request = k->packet->request_length;

    if (type == FAL_NVME_READ_RESPONSE || type == FAL_NVME_WRITE_DATA_RESPONSE) {
        if (k->data > FAL_NVME_DATA_MAX)
            add(k, FAL_LINT_NVME_DATA,
                &(struct at){type == FAL_NVME_READ_RESPONSE ? "NVME-8.4-06" : "NVME-8.7-04",
                             NULL, layout->size_bytes},
                k->data, FAL_NVME_DATA_MAX);
    } else if (k->data > 0) {
        add(k, FAL_LINT_PAYLOAD, &(struct at){layout->requirement, NULL, layout->size_bytes},
            k->data, 0);
    }
    if (type == FAL_NVME_WRITE_DATA_REQUEST && k->packet->packet_type == FAL_PULL_REQUEST &&
        (request < LEAST || request > MOST))
        add(k, FAL_LINT_ULP_REQUEST_LENGTH, &(struct at){"NVME-8.6-02", NULL, 0}, request,
            request < LEAST ? LEAST : MOST);
}

static void lint_nvme(const struct look *k, const struct fal_nvme *nvme)
{
    const struct fal_layout *layout = fal_nvme_layout(nvme->packet_type);

    lint_fields(k, layout, nvme, 0);
    lint_carrier(k, fal_nvme_carrier((enum fal_nvme_type)nvme->packet_type),
                 nvme_carriers[nvme->packet_type], layout, "packet_type");
    if (nvme->inv && nvme->packet_type != FAL_NVME_WRITE_DATA_RESPONSE)
        add(k, FAL_LINT_INV, &(struct at){"NVME-8.2-06", fal_layout_find(layout, "inv"), 0}, 1,
            0);
    lint_nvme_lengths(k, nvme, layout);
}

/* ---- what could not be read ---- */

/* The requirement that a reserved opcode breaks (8.1.3, AMB-R14). */
static const char *reserved_opcode(unsigned opcode)
{
    switch (opcode >> 5) {
    case FAL_RDMA_RC: return "RDMA-8.1.3-26";
    case FAL_RDMA_UD: return "RDMA-8.1.3-27";
    case FAL_RDMA_XRC: return "RDMA-8.2-09"; /* InfiniBand reserves it, too */
    default: return "RDMA-8.1.3-01";
    }
}

static void lint_reserved(const struct look *k, bool nvme, const uint8_t *payload)
{
    if (nvme)
        add(k, FAL_LINT_CODE,
            &(struct at){"NVME-8.1.3-07", fal_layout_find(&fal_nbth_layout, "packet_type"), 0},
            payload[0] & 15u, FAL_NVME_WRITE_REQUEST);
    else
        add(k, FAL_LINT_CODE,
            &(struct at){reserved_opcode(payload[3]),
                         fal_layout_find(&fal_rbth_layout, "opcode"), 0},
            payload[3], 4);
}

/* Whether the payload is the answer to a pull that ended in error, which may lack the headers
 * after the RBTH (AMB-R23). */
static bool is_error_answer(const struct look *k, const struct fal_rbth *rbth)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(rbth->opcode);

    return rbth->complete_in_error && k->packet->packet_type == FAL_PULL_DATA && kind != NULL &&
           kind->packet == FAL_PULL_DATA;
}

static void lint_short(const struct look *k, bool nvme, const uint8_t *payload, size_t len,
                       size_t due)
{
    const struct fal_layout *layout =
        nvme ? fal_nvme_layout(payload[0] & 15u) : &fal_rbth_layout;
    const char *requirement = nvme ? fal_nbth_layout.requirement : fal_rbth_layout.requirement;
    struct fal_rbth rbth;

    if (!nvme && len >= fal_rbth_layout.size_bytes) {
        fal_rbth_layout.decode(payload, &rbth);
        if (is_error_answer(k, &rbth)) {
            lint_fields(k, &fal_rbth_layout, &rbth, 0);
            return;
        }
    }
    if (nvme && len >= fal_nbth_layout.size_bytes)
        requirement = layout->requirement;
    else if (!nvme && len >= fal_rbth_layout.size_bytes)
        requirement = headers_requirement(fal_rdma_kind(payload[3]), payload[3], false);
    if (k->truncated)
        add(k, FAL_LINT_CAPTURED_SHORT, &(struct at){NULL, NULL, 0}, len, due);
    else
        add(k, FAL_LINT_ULP_SHORT, &(struct at){requirement, NULL, 0}, len, due);
}

void fal_ulp_lint(const struct fal_falcon *packet, const struct fal_ulp *ulp,
                  const struct fal_ulp_bytes *bytes, struct fal_issues *issues)
{
    struct look k = {.packet = packet,
                     .layer = fal_ulp_name(ulp->protocol),
                     .truncated = bytes->truncated,
                     .offset = bytes->offset,
                     .issues = issues};
    bool nvme = ulp->protocol == FAL_PROTOCOL_NVME;

    switch (ulp->state) {
    case FAL_ULP_NONE:
    case FAL_ULP_FILLER: return;
    case FAL_ULP_READ:
        k.data = bytes->len - ulp->size_bytes;
        if (nvme)
            lint_nvme(&k, &ulp->nvme);
        else
            lint_rdma(&k, &ulp->rdma);
        return;
    case FAL_ULP_UNKNOWN: /* any bytes may be a tester's; these say that they are not */
        if (bytes->payload[0] >> 4 == 1)
            fal_lint_add(issues, FAL_LINT_ULP_UNKNOWN, NULL, k.layer, NULL, bytes->offset);
        return;
    case FAL_ULP_SHORT:
        lint_short(&k, nvme, bytes->payload, bytes->len, ulp->size_bytes);
        return;
    case FAL_ULP_RESERVED: lint_reserved(&k, nvme, bytes->payload); return;
    }
}
