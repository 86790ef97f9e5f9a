/* SPDX-License-Identifier: Apache-2.0
 * tp_capture.c - see tp_capture.h. */
#include "harness/transport/tp_capture.h"

#include "harness/capture/capture.h"
#include "harness/transport/tp_roce.h"
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

/* One of them is used. */
struct adapters {
    struct tl_tp_tcp *tcp;
    struct tl_tp_roce *roce;
};

static int take(const struct adapters *to, const struct tl_captured *got,
                struct fal_frame *frame)
{
    const struct fal_captured captured = {got->bytes, got->caplen, got->len, got->linktype};

    if (to->roce != NULL)
        return tl_tp_roce_frame(to->roce, &captured, got->ts_ns, got->number);
    frame->number = got->number;
    frame->ts_ns = got->ts_ns;
    return fal_frame_decode(&captured, NULL, NULL, frame) != 0
               ? 0
               : tl_tp_tcp_frame(to->tcp, frame);
}

static int read_frames(struct tl_capture *capture, const struct adapters *to,
                       struct fal_error *err)
{
    struct tl_captured got;
    struct fal_frame *frame = calloc(1, sizeof *frame);
    int rc = 0;

    if (frame == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    while (rc == 0 && (rc = tl_capture_next(capture, &got, err)) == 1) {
        rc = take(to, &got, frame);
        if (rc == FAL_ERR_RANGE)
            (void)fal_fail(err, rc, "more than %d frames of %s; cut the capture, or filter it",
                           to->roce != NULL ? (int)TL_TP_ROCE_PACKETS : (int)TL_TP_TCP_FRAMES,
                           to->roce != NULL ? "RoCEv2" : "TCP");
        else if (rc != 0)
            (void)fal_fail(err, rc, "out of memory");
    }
    free(frame);
    return rc;
}

static int open_adapter(const struct tl_tp_capture *how, fal_u128 sut, struct adapters *to)
{
    const struct tl_tp_roce_setup setup = {.vantage = how->vantage,
                                           .sut = sut,
                                           .from_start = how->from_start,
                                           .pairs = how->pairs,
                                           .num_pairs = how->num_pairs};

    if (how->roce)
        to->roce = tl_tp_roce_new(&setup);
    else
        to->tcp = tl_tp_tcp_new(how->vantage, sut);
    return to->roce != NULL || to->tcp != NULL ? 0 : FAL_ERR_MEM;
}

int tl_tp_capture_read(const char *path, const struct tl_tp_capture *how, size_t *left_out,
                       struct fal_error *err)
{
    struct tl_capture *capture = NULL;
    struct adapters to = {NULL, NULL};
    fal_u128 sut;
    int rc = address(how->sut, &sut, err);

    *left_out = 0;
    if (rc != 0)
        return rc;
    if (how->sut_host != NULL)
        sut = *how->sut_host;
    capture = tl_capture_open(path, err);
    if (capture == NULL)
        return FAL_ERR_FORM;
    rc = open_adapter(how, sut, &to) == 0 ? read_frames(capture, &to, err)
                                          : fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (rc == 0)
        rc = to.roce != NULL ? tl_tp_roce_events(to.roce, how->event, how->ctx, left_out)
                             : tl_tp_tcp_events(to.tcp, how->event, how->ctx);
    if (rc == FAL_ERR_MEM)
        (void)fal_fail(err, rc, "out of memory");
    tl_tp_tcp_free(to.tcp);
    tl_tp_roce_free(to.roce);
    tl_capture_close(capture);
    return rc;
}
