/* SPDX-License-Identifier: Apache-2.0
 * acme_target.c - acme's parser under Talon's fuzzing: frames from Talon's corpus, changed by
 * Talon's mutator; what acme reads is held against what Talon reads, field by field. This file
 * is what a vendor writes: the table, and what must hold. */
#include "codecs/frame/frame.h"
#include "fuzz/example/acme.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Their members, our fields (talon list fields). */
#define ROW(theirs, ours)                                                               \
    {                                                                                   \
        ours, offsetof(struct acme_pkt, theirs), sizeof(((struct acme_pkt *)0)->theirs) \
    }
static const struct {
    const char *name;
    size_t offset, size;
} rows[] = {
    ROW(type, "packet_type"),
    ROW(proto, "protocol_type"),
    ROW(ar, "ack_req"),
    ROW(cid, "dest_cid"),
    ROW(fn, "dest_function"),
    ROW(dbase, "recv_data_base_psn"),
    ROW(rbase, "recv_req_base_psn"),
    ROW(psn, "psn"),
    ROW(rsn, "rsn"),
    ROW(len, "request_length"),
    ROW(req_bits, "req_bitmap"),
    ROW(ack_bits, "data_ack_bitmap"),
    ROW(rx_bits, "data_rx_bitmap"),
    ROW(t1, "t1"),
    ROW(t2, "t2"),
    ROW(hops, "hop_count"),
    ROW(occupancy, "rx_buffer_occupancy"),
    ROW(ecn, "ecn_rx_count"),
    ROW(own, "own"),
    ROW(nack_code, "nack_code"),
    ROW(nack_psn, "nack_psn"),
    ROW(rnr, "rnr_timeout"),
    ROW(window, "window"),
};

static fal_u128 their_value(const struct acme_pkt *pkt, size_t row)
{
    const uint8_t *at = (const uint8_t *)pkt + rows[row].offset;
    fal_u128 value = 0;

    switch (rows[row].size) {
    case 1: value = *at; break;
    case 2: value = *(const uint16_t *)(const void *)at; break;
    case 4: value = *(const uint32_t *)(const void *)at; break;
    case 8: value = *(const uint64_t *)(const void *)at; break;
    default: /* two halves, the low one first */
        value = fal_u128_halves(((const uint64_t *)(const void *)at)[1],
                                ((const uint64_t *)(const void *)at)[0]);
        break;
    }
    return value;
}

static void differ(const char *what, fal_u128 theirs, fal_u128 ours)
{
    fprintf(stderr, "differential: %s: they read 0x%llx%016llx, Talon 0x%llx%016llx\n", what,
            (unsigned long long)fal_u128_hi(theirs), (unsigned long long)fal_u128_lo(theirs),
            (unsigned long long)fal_u128_hi(ours), (unsigned long long)fal_u128_lo(ours));
    abort();
}

/* A packet that Talon reads, and finds whole, must be read by them, to the same values. */
static void compare(const struct fal_frame *frame, enum acme_status status,
                    const struct acme_pkt *pkt)
{
    const struct fal_layout *layout = fal_falcon_layout(frame->falcon.packet_type);

    if (status != ACME_OK)
        differ("refused", (uint64_t)status, ACME_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fal_field *field = fal_layout_find(layout, rows[i].name);
        fal_u128 theirs = their_value(pkt, i), ours = 0;

        if (field == NULL)
            continue; /* this packet type has no such field */
        ours = fal_field_get(field, &frame->falcon);
        if (theirs != ours)
            differ(rows[i].name, theirs, ours);
    }
    if (pkt->payload_len != frame->payload.len)
        differ("payload length", pkt->payload_len, frame->payload.len);
}

/* Tags of 802.1Q alone: 802.1ad's, and what was used before it, are no business of acme's. */
static int their_tags(const struct fal_frame *frame)
{
    return (!fal_frame_has(frame, FAL_LAYER_VLAN) || frame->eth.ethertype == 0x8100) &&
           (!fal_frame_has(frame, FAL_LAYER_INNER_VLAN) || frame->vlan.ethertype == 0x8100);
}

/* The features that acme declares: plain Falcon, sent to UDP port 7777 (Talon reads what comes
 * from it too), no extension headers of IPv6, no fragments. */
static int theirs_to_read(const struct fal_frame *frame)
{
    return fal_frame_has(frame, FAL_LAYER_FALCON) && fal_frame_has(frame, FAL_LAYER_UDP) &&
           !fal_frame_has(frame, FAL_LAYER_PSP) && !fal_frame_has(frame, FAL_LAYER_ESP) &&
           !fal_frame_has(frame, FAL_LAYER_IPV6_EXT) && !frame->damaged && !frame->fragment &&
           frame->falcon.version == 1 && frame->udp.dst_port == 7777 && their_tags(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fal_frame frame = {.number = 1};
    uint8_t *scratch = malloc(size + 1);
    struct acme_pkt pkt;
    enum acme_status status;

    if (scratch == NULL)
        return 0;
    status = acme_parse(data, size, &pkt);
    if (status == ACME_OK)
        (void)acme_receive(&pkt);
    if (fal_frame_decode(&(struct fal_captured){data, size, size, FAL_LINKTYPE_ETHERNET}, NULL,
                         scratch, &frame) == 0) {
        if (theirs_to_read(&frame))
            compare(&frame, status, &pkt);
        else if (status == ACME_OK && !fal_frame_has(&frame, FAL_LAYER_FALCON))
            differ("taken", ACME_OK, ACME_NOT_FALCON);
    }
    free(scratch);
    return 0;
}
