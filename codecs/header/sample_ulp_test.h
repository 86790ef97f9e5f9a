/* SPDX-License-Identifier: Apache-2.0
 * sample_ulp_test.h - for tests: valid payloads of RDMA and NVMe, by seed. */
#ifndef FAL_CODECS_HEADER_SAMPLE_ULP_TEST_H
#define FAL_CODECS_HEADER_SAMPLE_ULP_TEST_H

#include "codecs/header/bitloop_test.h"
#include "codecs/header/ulp.h"

/* Random values in a header, where they are free. */
static inline void sample_header(uint64_t *state, const struct fal_layout *layout, void *host)
{
    fal_layout_init(layout, host);
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];
        fal_u128 v = (fal_u128)test_random(state) << 64;

        v |= test_random(state);

        if (f->kind != FAL_RSVD && f->kind != FAL_CONST && f->kind != FAL_CODE)
            FAL_IGNORE(fal_field_set(f, host, v & fal_u128_ones(f->width_bits)));
    }
}

/* A valid RDMA packet of that opcode with its data: sets the Falcon packet's type, protocol
 * and, where it has one, request_length. Returns the payload's length, at most 60 + 4 *
 * `words`. */
static inline size_t sample_rdma(uint64_t *state, unsigned opcode, size_t words,
                                 struct fal_falcon *packet, struct fal_ulp *ulp, uint8_t *out)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);
    size_t data = kind->data ? 4 * (test_random(state) % (words + 1)) : 0;
    struct fal_rdma *rdma = &ulp->rdma;
    int n;

    memset(ulp, 0, sizeof *ulp);
    ulp->state = FAL_ULP_READ;
    ulp->protocol = FAL_PROTOCOL_RDMA;
    ulp->size_bytes = fal_rdma_size(kind);
    for (size_t i = 0; i < kind->num_headers; i++)
        sample_header(state, fal_rdma_layout(kind->headers[i]),
                      fal_rdma_host(rdma, kind->headers[i]));
    rdma->rbth.opcode = (uint8_t)opcode;
    if (data == 0)
        rdma->rbth.pad = 0;
    for (size_t i = 0; i < kind->num_headers; i++)
        if (kind->headers[i] == FAL_RDMA_RETH)
            rdma->reth.length =
                (uint32_t)(kind->data ? data - rdma->rbth.pad : test_random(state) % 4097);
    packet->packet_type = (uint8_t)kind->packet;
    packet->protocol_type = FAL_PROTOCOL_RDMA;
    if (kind->packet == FAL_PUSH_DATA)
        packet->request_length = (uint16_t)(ulp->size_bytes + data);
    if (kind->packet == FAL_PULL_REQUEST)
        packet->request_length =
            (opcode & 31) == 12 ? (uint16_t)(24 + (rdma->reth.length + 3) / 4 * 4) : 32;
    n = fal_ulp_encode(ulp, out, ulp->size_bytes, NULL);
    test_random_bytes(state, out + ulp->size_bytes, data);
    return n < 0 ? 0 : (size_t)n + data;
}

/* The same of NVMe. */
static inline size_t sample_nvme(uint64_t *state, enum fal_nvme_type type, size_t words,
                                 struct fal_falcon *packet, struct fal_ulp *ulp, uint8_t *out)
{
    const struct fal_layout *layout = fal_nvme_layout(type);
    bool carries = type == FAL_NVME_READ_RESPONSE || type == FAL_NVME_WRITE_DATA_RESPONSE;
    size_t data = carries ? 4 * (test_random(state) % (words + 1)) : 0;
    int n;

    memset(ulp, 0, sizeof *ulp);
    ulp->state = FAL_ULP_READ;
    ulp->protocol = FAL_PROTOCOL_NVME;
    ulp->size_bytes = layout->size_bytes;
    sample_header(state, layout, &ulp->nvme);
    ulp->nvme.inv = 0;
    packet->packet_type = (uint8_t)fal_nvme_carrier(type);
    packet->protocol_type = FAL_PROTOCOL_NVME;
    if (packet->packet_type == FAL_PUSH_DATA)
        packet->request_length = (uint16_t)(ulp->size_bytes + data);
    if (packet->packet_type == FAL_PULL_REQUEST)
        packet->request_length = (uint16_t)(36 + test_random(state) % 4225);
    n = fal_ulp_encode(ulp, out, ulp->size_bytes, NULL);
    test_random_bytes(state, out + ulp->size_bytes, data);
    return n < 0 ? 0 : (size_t)n + data;
}

/* One that a Falcon packet of that type may carry; no XRC, of which there is a note. */
static inline size_t sample_ulp(uint64_t *state, enum fal_packet_type type, size_t words,
                                struct fal_falcon *packet, struct fal_ulp *ulp, uint8_t *out)
{
    for (;;) {
        uint64_t dice = test_random(state);
        unsigned opcode = dice >> 8 & 127, nvme = (unsigned)(dice >> 16) % FAL_NVME_TYPES;
        const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);

        if ((dice & 1) && fal_nvme_carrier((enum fal_nvme_type)nvme) == type)
            return sample_nvme(state, (enum fal_nvme_type)nvme, words, packet, ulp, out);
        if ((dice & 1) == 0 && kind != NULL && kind->packet == type)
            return sample_rdma(state, opcode, words, packet, ulp, out);
    }
}

#endif
