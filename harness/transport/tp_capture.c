/* SPDX-License-Identifier: Apache-2.0
 * tp_capture.c - see tp_capture.h. */
#include "harness/transport/tp_capture.h"

#include "harness/capture/capture.h"
#include "harness/transport/tp_tcp.h"

#include <arpa/inet.h>
#include <stdlib.h>

static int address(const char *text, fal_u128 *out, struct fal_error *err)
{
    struct in_addr v4;
    struct in6_addr v6;

    *out = 0;
    if (text == NULL)
        return 0;
    if (inet_pton(AF_INET, text, &v4) == 1) {
        *out = ntohl(v4.s_addr);
        return 0;
    }
    if (inet_pton(AF_INET6, text, &v6) != 1)
        return fal_fail(err, FAL_ERR_FORM, "--sut: expected an IP address, found '%.60s'",
                        text);
    for (unsigned i = 0; i < sizeof v6.s6_addr; i++)
        *out = *out << 8 | v6.s6_addr[i];
    return 0;
}

static int read_frames(struct tl_capture *capture, struct tl_tp_tcp *tcp, struct fal_error *err)
{
    struct tl_captured got;
    struct fal_frame *frame = calloc(1, sizeof *frame);
    int rc = 0;

    if (frame == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    while (rc == 0 && (rc = tl_capture_next(capture, &got, err)) == 1) {
        const struct fal_captured captured = {got.bytes, got.caplen, got.len, got.linktype};

        frame->number = got.number;
        frame->ts_ns = got.ts_ns;
        rc = 0;
        if (fal_frame_decode(&captured, NULL, NULL, frame) != 0)
            continue;
        rc = tl_tp_tcp_frame(tcp, frame);
        if (rc == FAL_ERR_RANGE)
            (void)fal_fail(err, rc, "more than %d frames of TCP; cut the capture, or filter it",
                           TL_TP_TCP_FRAMES);
        else if (rc != 0)
            (void)fal_fail(err, rc, "out of memory");
    }
    free(frame);
    return rc;
}

int tl_tp_capture_read(const char *path, const struct tl_tp_capture *how, struct fal_error *err)
{
    struct tl_capture *capture = NULL;
    struct tl_tp_tcp *tcp = NULL;
    fal_u128 sut;
    int rc = address(how->sut, &sut, err);

    if (rc != 0)
        return rc;
    capture = tl_capture_open(path, err);
    if (capture == NULL)
        return FAL_ERR_FORM;
    tcp = tl_tp_tcp_new(how->vantage, sut);
    rc = tcp != NULL ? read_frames(capture, tcp, err)
                     : fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (rc == 0)
        rc = tl_tp_tcp_events(tcp, how->event, how->ctx);
    if (rc == FAL_ERR_MEM)
        (void)fal_fail(err, rc, "out of memory");
    tl_tp_tcp_free(tcp);
    tl_capture_close(capture);
    return rc;
}
