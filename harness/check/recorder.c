/* SPDX-License-Identifier: Apache-2.0
 * recorder.c - reads along a capture, packet by packet. */
#include "harness/check/recording.h"

#include "harness/check/check_packet.h"

#include "codecs/base/error.h"
#include "harness/capture/capture.h"
#include "harness/wire/sealer.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECTION_BITS = 3 };

struct tl_recorder {
    struct tl_capture *capture;
    struct tl_check_options options;
    struct tl_check check; /* it pairs directions and judges nothing */
    bool started;
    json_t *connections;
    struct fal_frame frame;
    uint8_t scratch[TL_FRAME_MAX];
};

const struct tl_check *tl_recorder_check(const struct tl_recorder *recorder)
{
    return &recorder->check;
}

static int open_keys(struct tl_recorder *r, const struct tl_recording_config *config,
                     struct fal_error *err)
{
    struct fal_frame_options *frame = &r->options.frame;

    frame->falcon_port = (uint16_t)config->falcon_port;
    if (config->psp_keys != NULL) {
        frame->psp_keys = tl_psp_keys_open(config->psp_keys, err);
        if (frame->psp_keys == NULL)
            return FAL_ERR_FORM;
    }
    if (config->esp_keys != NULL) {
        frame->esp_keys = tl_esp_keys_open(config->esp_keys, err);
        if (frame->esp_keys == NULL)
            return FAL_ERR_FORM;
    }
    return 0;
}

/* The file of connections: general settings, and each connection. */
static int open_connections(struct tl_recorder *r, const char *path, struct fal_error *err)
{
    const json_t *list = NULL;
    struct fal_error why = {{0}};
    json_error_t where;
    int rc = 0;

    if (path != NULL) {
        r->connections = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
        if (r->connections == NULL)
            return fal_fail(err, FAL_ERR_FORM, "%.200s:%d: %s", path, where.line, where.text);
        rc = tl_check_setup(r->connections, &r->options, &list, &why);
        if (rc != 0)
            return fal_fail(err, rc, "%.100s: %.250s", path, why.text);
    }
    if (tl_check_start(&r->check, &r->options) != 0)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    r->started = true;
    for (size_t i = 0; i < json_array_size(list); i++) {
        rc = tl_check_add(&r->check, json_array_get(list, i), &why);
        if (rc != 0)
            return fal_fail(err, rc, "%.100s: connection %zu: %.250s", path, i + 1, why.text);
    }
    return 0;
}

struct tl_recorder *tl_recorder_open(const struct tl_recording_config *config,
                                     struct fal_error *err)
{
    struct tl_recorder *r = calloc(1, sizeof *r);

    if (r == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    r->options.run.delay_max_ns = FAL_NEVER;
    fal_params_default(&r->options.params, true);
    if (config->sut != NULL && !tl_host_read(config->sut, &r->options.sut)) {
        (void)fal_fail(err, FAL_ERR_FORM, "'%.60s' is no IP address", config->sut);
        goto fail;
    }
    r->options.have_sut = config->sut != NULL;
    if (open_keys(r, config, err) != 0 || open_connections(r, config->connections, err) != 0)
        goto fail;
    if (config->path == NULL)
        return r;
    r->capture = tl_capture_open(config->path, err);
    if (r->capture != NULL)
        return r;
fail:
    tl_recorder_close(r);
    return NULL;
}

void tl_recorder_close(struct tl_recorder *r)
{
    if (r == NULL)
        return;
    if (r->started)
        tl_check_free(&r->check);
    tl_capture_close(r->capture);
    fal_psp_keys_free(r->options.frame.psp_keys);
    fal_esp_keys_free(r->options.frame.esp_keys);
    json_decref(r->connections);
    free(r);
}

/* ECN of the header that routers saw. */
static void take_ip(const struct fal_frame *frame, struct tl_recorded_frame *out)
{
    if (fal_frame_has(frame, FAL_LAYER_IPV4))
        out->ecn = (uint8_t)frame->ipv4.ecn;
    else if (fal_frame_has(frame, FAL_LAYER_IPV6))
        out->ecn = (uint8_t)frame->ipv6.ecn;
    else
        return;
    out->has_ip = true;
    out->ip_at = fal_frame_layer(frame, fal_frame_has(frame, FAL_LAYER_IPV4) ? FAL_LAYER_IPV4
                                                                             : FAL_LAYER_IPV6)
                     ->offset;
}

/* The surroundings of the packet: which end sealed it, and where it is in the frame. */
static void take_carrier(const struct fal_frame *frame, const struct tl_captured *got,
                         struct tl_recorded_frame *out)
{
    if (fal_frame_has(frame, FAL_LAYER_UDP))
        out->path = frame->udp.src_port;
    if (out->bytes >= got->bytes && out->bytes < got->bytes + got->caplen)
        out->at = (size_t)(out->bytes - got->bytes);
    out->carrier = tl_carrier_of(frame);
    if (fal_frame_has(frame, FAL_LAYER_PSP))
        out->seal =
            (struct fal_seal){.present = true, .spi = frame->psp.spi, .iv = frame->psp.iv};
    else if (fal_frame_has(frame, FAL_LAYER_ESP))
        out->seal = (struct fal_seal){.present = true,
                                      .spi = frame->esp.spi,
                                      .iv = frame->esp_has_iv ? frame->esp_iv.iv : 0};
}

/* The packet of a frame, and whose it is. */
static int take_packet(struct tl_recorder *r, const struct tl_captured *got,
                       struct tl_recorded_frame *out, struct fal_error *err)
{
    const struct fal_frame *frame = &r->frame;
    struct fal_span bytes = tl_check_packet_bytes(frame);
    const struct tl_check_conn *conn;

    /* A packet damaged on the path proves nothing about its sender; neither does one that
     * cannot be opened. */
    if (!tl_check_is_falcon(&r->options.frame, frame) || frame->damaged)
        return 0;
    out->bytes = bytes.bytes;
    out->len = bytes.len;
    out->cut = frame->truncated || frame->fragment;
    out->header_len = fal_falcon_decode(bytes.bytes, bytes.len, &out->falcon);
    take_ip(frame, out);
    take_carrier(frame, got, out);
    conn = tl_check_find(&r->check, tl_host_of(frame, fal_frame_layers(frame), true),
                         tl_host_of(frame, fal_frame_layers(frame), false),
                         out->falcon.dest_cid, out->header_len > 0, &out->receiver);
    if (r->check.out_of_memory)
        return fal_fail(err, FAL_ERR_MEM, "out of memory, or over a million connections");
    if (conn != NULL)
        out->conn = (uint32_t)(conn - r->check.conns) + 1;
    return 0;
}

/* Whether a mirror or another interface captured the frame before. */
static bool is_double(struct tl_recorder *r, const struct tl_captured *got)
{
    struct tl_check_packet packet;

    if (r->capture == NULL ||
        (r->options.doubles_ns == 0 && tl_capture_interfaces(r->capture) < 2))
        return false;
    tl_check_packet_of(&r->options.frame, &r->frame, true, &packet);
    return tl_check_seen_before(&r->check, &packet, tl_check_shard(packet.from, packet.to),
                                got->marks != NULL ? got->marks->interface : 0);
}

int tl_recorder_take(struct tl_recorder *r, const struct tl_captured *got,
                     struct tl_recorded_frame *out, struct fal_error *err)
{
    int rc;

    *out = (struct tl_recorded_frame){.number = got->number, .ts_ns = got->ts_ns};
    if (got->marks != NULL && got->marks->has_flags) {
        out->outbound = (got->marks->flags & DIRECTION_BITS) == FAL_PCAPNG_OUTBOUND;
        out->inbound = (got->marks->flags & DIRECTION_BITS) == FAL_PCAPNG_INBOUND;
    }
    r->frame.number = got->number;
    r->frame.ts_ns = got->ts_ns;
    /* The capture was opened: its link type is known. */
    FAL_IGNORE(fal_frame_decode(
        &(struct fal_captured){got->bytes, got->caplen, got->len, got->linktype},
        &r->options.frame, r->scratch, &r->frame));
    if (is_double(r, got))
        return 0;
    rc = take_packet(r, got, out, err);
    if (out->len > 0 && got->len > got->caplen && got->len - got->caplen <= UINT16_MAX)
        out->missing = got->len - got->caplen;
    return rc;
}

int tl_recorder_next(struct tl_recorder *r, struct tl_recorded_frame *out,
                     struct fal_error *err)
{
    struct tl_captured got;
    int rc = tl_capture_next(r->capture, &got, err);

    if (rc <= 0)
        return rc;
    rc = tl_recorder_take(r, &got, out, err);
    return rc == 0 ? 1 : rc;
}
