/* SPDX-License-Identifier: Apache-2.0
 * bench_capture ENCAPSULATION COUNT FILE [KEYS]: a capture that decode, tcpdump and tshark are
 * timed on: COUNT valid frames of all packet types in turn, of 72 to 4096 bytes (packets with
 * payload have random ones), sealed with the PSP keys where the encapsulation is one of PSP. */
#include "harness/capture/capture.h"

#include <stdio.h>
#include <stdlib.h>

enum { FRAME_MAX = 4096, OVERHEAD_MAX = 160 };

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void make_packet(uint64_t *state, unsigned i, struct fal_frame *frame)
{
    static const enum fal_packet_type types[] = {FAL_PULL_REQUEST, FAL_PULL_DATA, FAL_PUSH_DATA,
                                                 FAL_RESYNC,       FAL_BACK,      FAL_EACK,
                                                 FAL_NACK};
    struct fal_falcon *f = &frame->falcon;

    fal_falcon_init(f, types[i % 7]);
    f->dest_cid = (uint32_t)(next_random(state) & 0xffffff);
    f->psn = (uint32_t)next_random(state);
    f->rsn = (uint32_t)next_random(state);
    f->recv_data_base_psn = (uint32_t)next_random(state);
    f->recv_req_base_psn = (uint32_t)next_random(state);
    frame->payload.len = 0;
    if (f->packet_type == FAL_PULL_REQUEST)
        f->request_length = 4096;
    if (f->packet_type == FAL_PUSH_DATA || f->packet_type == FAL_PULL_DATA)
        frame->payload.len = next_random(state) % (FRAME_MAX - OVERHEAD_MAX);
}

static int make(struct tl_capture_writer *writer, unsigned long count, enum fal_encap encap,
                struct fal_psp_keys *keys, struct fal_error *err)
{
    static const uint8_t payload[FRAME_MAX] = {'T', 'A', 'L', 'N'};
    static uint8_t bytes[2 * FRAME_MAX];
    uint64_t state = 1;
    int status = 0;

    for (unsigned long i = 0; status == 0 && i < count; i++) {
        struct fal_frame frame = {.payload = {payload, 0}};
        int n;

        make_packet(&state, (unsigned)i, &frame);
        fal_frame_encapsulate(&frame, encap, 4);
        frame.psp.iv = i + 1;
        n = fal_frame_encode(&frame, keys, 0, bytes, sizeof bytes, NULL);
        if (n < 0)
            return fal_fail(err, n, "frame %lu cannot be encoded: %d", i + 1, n);
        status =
            tl_capture_write(writer, i * UINT64_C(1000), bytes, (uint32_t)n, (uint32_t)n, err);
    }
    return status;
}

int main(int argc, char **argv)
{
    int encap = argc >= 4 ? fal_encap_from(argv[1]) : -1, status = 1;
    unsigned long count = argc >= 4 ? strtoul(argv[2], NULL, 10) : 0;
    struct fal_psp_keys *keys = NULL;
    struct tl_capture_writer *writer;
    struct fal_error err = {{0}};

    if (encap < 0 || encap == FAL_ENCAP_BARE || count == 0) {
        fputs("usage: bench_capture ENCAPSULATION COUNT FILE [KEYS]\n", stderr);
        return 2;
    }
    writer = tl_capture_create(argv[3], FAL_LINKTYPE_ETHERNET, &err);
    if (writer == NULL)
        goto done;
    if (argc > 4 && (keys = tl_psp_keys_open(argv[4], &err)) == NULL)
        goto done;
    status = make(writer, count, (enum fal_encap)encap, keys, &err) != 0;
    if (tl_capture_finish(writer, &err) != 0)
        status = 1;
    writer = NULL;
done:
    if (status != 0)
        fprintf(stderr, "bench_capture: %s\n", err.text);
    FAL_IGNORE(tl_capture_finish(writer, NULL));
    fal_psp_keys_free(keys);
    return status;
}
