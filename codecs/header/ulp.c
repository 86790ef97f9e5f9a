/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/ulp.h"

/* ---- RDMA ---- */

#define COUNT(...) \
    (sizeof((const enum fal_rdma_header[]){__VA_ARGS__}) / sizeof(enum fal_rdma_header))
#define KIND(service, op, name, packet, requirement, data, ...)                    \
    [(service) << 5 | (op)] = {name,          requirement,        service, packet, \
                               {__VA_ARGS__}, COUNT(__VA_ARGS__), data},
#define RC_KIND(op, name, packet, requirement, data, ...) \
    KIND(FAL_RDMA_RC, op, #name, packet, requirement, data, FAL_RDMA_RBTH, __VA_ARGS__)
#define UD_KIND(op, name, packet, requirement, data, ...) \
    KIND(FAL_RDMA_UD, op, "ud_" #name, packet, requirement, data, FAL_RDMA_RBTH, __VA_ARGS__)
#define XRC_REQUEST(op, name, packet, requirement, data, ...)                      \
    KIND(FAL_RDMA_XRC, op, "xrc_" #name, packet, requirement, data, FAL_RDMA_RBTH, \
         FAL_RDMA_XRCETH, __VA_ARGS__)
#define XRC_RESPONSE(op, name, packet, requirement, data, ...) \
    KIND(FAL_RDMA_XRC, op, "xrc_" #name, packet, requirement, data, FAL_RDMA_RBTH, __VA_ARGS__)

const struct fal_rdma_kind *fal_rdma_kind(unsigned opcode)
{
    static const struct fal_rdma_kind kinds[256] = {
        FAL_RDMA_REQUESTS(RC_KIND) FAL_RDMA_RESPONSES(RC_KIND) FAL_RDMA_UD_REQUESTS(UD_KIND)
            FAL_RDMA_REQUESTS(XRC_REQUEST) FAL_RDMA_RESPONSES(XRC_RESPONSE)};

    return opcode < 256 && kinds[opcode].name != NULL ? &kinds[opcode] : NULL;
}

#define HEADER(h, H) [FAL_RDMA_##H] = {&fal_##h##_layout, offsetof(struct fal_rdma, h)}
static const struct {
    const struct fal_layout *layout;
    size_t member;
} headers[FAL_RDMA_HEADERS] = {
    HEADER(rbth, RBTH),           HEADER(reth, RETH),
    HEADER(seth, SETH),           HEADER(oeth, OETH),
    HEADER(steth, STETH),         HEADER(immdt, IMMDT),
    HEADER(atomiceth, ATOMICETH), HEADER(atomicacketh, ATOMICACKETH),
    HEADER(ieth, IETH),           HEADER(xrceth, XRCETH),
    HEADER(deth, DETH),
};

const struct fal_layout *fal_rdma_layout(enum fal_rdma_header header)
{
    return headers[header].layout;
}

void *fal_rdma_host(struct fal_rdma *rdma, enum fal_rdma_header header)
{
    return (uint8_t *)rdma + headers[header].member;
}

size_t fal_rdma_size(const struct fal_rdma_kind *kind)
{
    size_t size = 0;

    for (size_t i = 0; i < kind->num_headers; i++)
        size += headers[kind->headers[i]].layout->size_bytes;
    return size;
}

/* ---- NVMe ---- */

static const struct {
    const struct fal_layout *layout;
    enum fal_packet_type carrier;
} nvme_types[FAL_NVME_TYPES] = {
    [FAL_NVME_WRITE_REQUEST] = {&fal_nvme_write_request_layout, FAL_PUSH_DATA},
    [FAL_NVME_WRITE_DATA_REQUEST] = {&fal_nvme_write_data_request_layout, FAL_PULL_REQUEST},
    [FAL_NVME_WRITE_DATA_RESPONSE] = {&fal_nvme_write_data_response_layout, FAL_PULL_DATA},
    [FAL_NVME_WRITE_COMPLETION] = {&fal_nvme_write_completion_layout, FAL_PUSH_DATA},
    [FAL_NVME_READ_REQUEST] = {&fal_nvme_read_request_layout, FAL_PUSH_DATA},
    [FAL_NVME_READ_RESPONSE] = {&fal_nvme_read_response_layout, FAL_PUSH_DATA},
};

const struct fal_layout *fal_nvme_layout(unsigned packet_type)
{
    return packet_type < FAL_NVME_TYPES ? nvme_types[packet_type].layout : NULL;
}

const char *fal_nvme_type_name(unsigned packet_type)
{
    return fal_name_of(&fal_names_nvme_type, packet_type);
}

enum fal_packet_type fal_nvme_carrier(enum fal_nvme_type packet_type)
{
    return nvme_types[packet_type].carrier;
}

/* ---- which it is ---- */

static bool all_zero(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* The payload of a tester when the bytes do not matter: zeros, or the self-describing payload
 * of this project's tests, which begins with "TALN". `front`: bytes of the protocol's first
 * header. */
static bool is_filler(const uint8_t *payload, size_t len, size_t front)
{
    static const uint8_t magic[] = {'T', 'A', 'L', 'N'};

    if (len >= sizeof magic ? memcmp(payload, magic, sizeof magic) == 0
                            : memcmp(payload, magic, len) == 0)
        return true;
    return all_zero(payload, len < front ? len : front);
}

/* Three things to tell a protocol by; one of them may be wrong. */
static bool likely(bool version, bool reserved, bool type)
{
    return version + reserved + type >= 2;
}

static enum fal_ulp_state read_rdma(const struct fal_falcon *packet, const uint8_t *payload,
                                    size_t len, struct fal_ulp *out)
{
    size_t front = fal_rbth_layout.size_bytes, at = 0;
    const struct fal_rdma_kind *kind;
    struct fal_rbth rbth;

    out->size_bytes = front;
    if (is_filler(payload, len, front))
        return FAL_ULP_FILLER;
    if (len < front) /* version 1 and the reserved bits behind it are all to go by */
        return payload[0] == 0x10 && (len < 2 || payload[1] == 0) ? FAL_ULP_SHORT
                                                                  : FAL_ULP_UNKNOWN;
    fal_rbth_layout.decode(payload, &rbth);
    kind = fal_rdma_kind(rbth.opcode);
    if (!likely(rbth.version == 1, fal_rbth_layout.reserved_zero(&rbth),
                kind != NULL && kind->packet == (enum fal_packet_type)packet->packet_type))
        return FAL_ULP_UNKNOWN;
    if (kind == NULL) {
        memset(&out->rdma, 0, sizeof out->rdma);
        fal_rbth_layout.decode(payload, &out->rdma.rbth);
        return FAL_ULP_RESERVED;
    }
    out->size_bytes = fal_rdma_size(kind);
    if (len < out->size_bytes)
        return FAL_ULP_SHORT;
    memset(&out->rdma, 0, sizeof out->rdma);
    for (size_t i = 0; i < kind->num_headers; i++) {
        const struct fal_layout *layout = headers[kind->headers[i]].layout;

        layout->decode(payload + at, fal_rdma_host(&out->rdma, kind->headers[i]));
        at += layout->size_bytes;
    }
    return FAL_ULP_READ;
}

static enum fal_ulp_state read_nvme(const struct fal_falcon *packet, const uint8_t *payload,
                                    size_t len, struct fal_ulp *out)
{
    size_t front = fal_nbth_layout.size_bytes;
    unsigned version = payload[0] >> 4, type = payload[0] & 15u;
    const struct fal_layout *layout = fal_nvme_layout(type);
    bool carried =
        layout != NULL && nvme_types[type].carrier == (enum fal_packet_type)packet->packet_type;
    struct fal_nvme nbth;

    out->size_bytes = front;
    if (is_filler(payload, len, front))
        return FAL_ULP_FILLER;
    if (len < front)
        return version == 1 && carried ? FAL_ULP_SHORT : FAL_ULP_UNKNOWN;
    fal_nbth_layout.decode(payload, &nbth);
    if (!likely(version == 1, fal_nbth_layout.reserved_zero(&nbth), carried))
        return FAL_ULP_UNKNOWN;
    if (layout == NULL) {
        memset(&out->nvme, 0, sizeof out->nvme);
        fal_nbth_layout.decode(payload, &out->nvme);
        return FAL_ULP_RESERVED;
    }
    out->size_bytes = layout->size_bytes;
    if (len < layout->size_bytes)
        return FAL_ULP_SHORT;
    memset(&out->nvme, 0, sizeof out->nvme);
    layout->decode(payload, &out->nvme);
    return FAL_ULP_READ;
}

void fal_ulp_decode(const struct fal_falcon *packet, const uint8_t *payload, size_t len,
                    struct fal_ulp *out)
{
    bool carries = packet->packet_type == FAL_PULL_REQUEST ||
                   packet->packet_type == FAL_PULL_DATA || packet->packet_type == FAL_PUSH_DATA;

    out->state = FAL_ULP_NONE;
    out->size_bytes = 0;
    out->protocol = packet->protocol_type;
    if (!carries || len == 0)
        return;
    if (packet->protocol_type == FAL_PROTOCOL_RDMA)
        out->state = read_rdma(packet, payload, len, out);
    else if (packet->protocol_type == FAL_PROTOCOL_NVME)
        out->state = read_nvme(packet, payload, len, out);
}

unsigned fal_ulp_pad(const struct fal_ulp *ulp)
{
    return ulp->protocol == FAL_PROTOCOL_RDMA ? ulp->rdma.rbth.pad : 0;
}

size_t fal_ulp_data_len(const struct fal_ulp *ulp, size_t payload_len)
{
    size_t used = ulp->size_bytes + fal_ulp_pad(ulp);

    return payload_len > used ? payload_len - used : 0;
}

/* ---- writing ---- */

int fal_ulp_encode(const struct fal_ulp *ulp, uint8_t *out, size_t cap,
                   const struct fal_field **bad)
{
    struct fal_rdma rdma = ulp->rdma;
    const struct fal_rdma_kind *kind;
    const struct fal_layout *layout;
    size_t at = 0;

    if (ulp->state != FAL_ULP_READ)
        return FAL_ERR_TYPE;
    if (ulp->protocol == FAL_PROTOCOL_NVME) {
        layout = fal_nvme_layout(ulp->nvme.packet_type);
        return layout != NULL ? fal_layout_encode(layout, &ulp->nvme, out, cap, bad)
                              : FAL_ERR_TYPE;
    }
    kind = fal_rdma_kind(rdma.rbth.opcode);
    if (ulp->protocol != FAL_PROTOCOL_RDMA || kind == NULL)
        return FAL_ERR_TYPE;
    if (cap < fal_rdma_size(kind))
        return FAL_ERR_SHORT;
    for (size_t i = 0; i < kind->num_headers; i++) {
        int n =
            fal_layout_encode(fal_rdma_layout(kind->headers[i]),
                              fal_rdma_host(&rdma, kind->headers[i]), out + at, cap - at, bad);

        if (n < 0)
            return n;
        at += (size_t)n;
    }
    return (int)at;
}

const char *fal_ulp_name(unsigned protocol)
{
    return protocol == FAL_PROTOCOL_NVME ? "nvme" : "rdma";
}
