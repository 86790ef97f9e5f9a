/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/capture/frame_message.h"

#include "oracles/payload.h"

/* The addresses of both ends, the source's first; zeros where the frame has none. */
static void addresses(const struct fal_frame *frame, uint8_t out[32])
{
    bool v4 = fal_frame_has(frame, FAL_LAYER_IPV4), v6 = fal_frame_has(frame, FAL_LAYER_IPV6);

    fal_bits_set_wide(out, 0, 128,
                      v4   ? fal_u128_halves(0, frame->ipv4.src)
                      : v6 ? frame->ipv6.src
                           : fal_u128_halves(0, 0));
    fal_bits_set_wide(out, 128, 128,
                      v4   ? fal_u128_halves(0, frame->ipv4.dst)
                      : v6 ? frame->ipv6.dst
                           : fal_u128_halves(0, 0));
}

bool tl_frame_message(struct tl_messages *messages, const struct fal_frame *frame, char *out,
                      size_t cap)
{
    struct tl_message_packet packet = {.falcon = &frame->falcon,
                                       .ulp = &frame->ulp,
                                       .payload_len = frame->payload.len,
                                       .at = frame->number};
    uint8_t there[32], back[32], cid[4] = {0};
    struct tl_message_part part;

    if (!fal_frame_has(frame, FAL_LAYER_FALCON) || frame->ulp.state != FAL_ULP_READ ||
        frame->ulp.protocol != FAL_PROTOCOL_RDMA)
        return false;
    addresses(frame, there);
    for (unsigned i = 0; i < sizeof back; i++)
        back[i] = there[(i + 16) % sizeof back];
    fal_bits_set(cid, 0, 32, frame->falcon.dest_cid);
    packet.to = fal_payload_hash(there, sizeof there);
    packet.back = fal_payload_hash(back, sizeof back);
    packet.flow = fal_payload_hash_on(packet.to, cid, sizeof cid);
    if (!tl_messages_take(messages, &packet, &part))
        return false;
    (void)tl_message_text(&part, "frame", out, cap);
    return true;
}
