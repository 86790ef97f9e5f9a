/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/packet.h"

void tl_packet_set_bytes(struct tl_packet *packet, const uint8_t *bytes, size_t len)
{
    packet->bytes = bytes;
    packet->len = len;
    packet->header_len = fal_falcon_decode(bytes, len, &packet->falcon);
}

struct tl_packet tl_packet_of(const uint8_t *bytes, size_t len)
{
    struct tl_packet packet = {.dir = FAL_TO_SUT, .step = -1, .conn = 1};

    tl_packet_set_bytes(&packet, bytes, len);
    return packet;
}
