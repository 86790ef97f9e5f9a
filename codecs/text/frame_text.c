/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/text/frame_text.h"

#include "codecs/text/text_impl.h"

#include <arpa/inet.h>
#include <inttypes.h>

enum { HEX_MAX = 512, ADDRESS_MAX = INET6_ADDRSTRLEN + 2 };

/* ---- where it came from ---- */

/* Of the inner header of a tunnel when `inner`. */
static void address(const struct fal_frame *frame, bool inner, bool source, char *out,
                    size_t cap)
{
    const struct fal_ipv4 *v4 = inner ? &frame->inner_ipv4 : &frame->ipv4;
    const struct fal_ipv6 *v6 = inner ? &frame->inner_ipv6 : &frame->ipv6;
    uint8_t bytes[16] = {0};

    if (fal_frame_has(frame, inner ? FAL_LAYER_INNER_IPV4 : FAL_LAYER_IPV4)) {
        fal_bits_set(bytes, 0, 32, source ? v4->src : v4->dst);
        (void)inet_ntop(AF_INET, bytes, out, (socklen_t)cap);
    } else {
        fal_bits_set_wide(bytes, 0, 128, source ? v6->src : v6->dst);
        (void)inet_ntop(AF_INET6, bytes, out, (socklen_t)cap);
    }
}

static void print_end(struct fal_out *out, const struct fal_frame *frame, bool source)
{
    bool v6 = fal_frame_has(frame, FAL_LAYER_IPV6);
    char text[ADDRESS_MAX];

    address(frame, false, source, text, sizeof text);
    if (!fal_frame_has(frame, FAL_LAYER_UDP))
        fal_out_format(out, "%s", text);
    else
        fal_out_format(out, v6 ? "[%s]:%u" : "%s:%u", text,
                       (unsigned)(source ? frame->udp.src_port : frame->udp.dst_port));
}

static bool is_tunnel(const struct fal_frame *frame)
{
    return fal_frame_has(frame, FAL_LAYER_INNER_IPV4) ||
           fal_frame_has(frame, FAL_LAYER_INNER_IPV6);
}

static void print_inner(struct fal_out *out, const struct fal_frame *frame)
{
    char source[ADDRESS_MAX], destination[ADDRESS_MAX];

    if (!is_tunnel(frame))
        return;
    address(frame, true, true, source, sizeof source);
    address(frame, true, false, destination, sizeof destination);
    fal_out_format(out, " (%s > %s)", source, destination);
}

/* A sealed packet may be a tunnel without our seeing it: what follows says so, in the header of
 * PSP, in the sealed trailer of ESP. */
static void print_encap(struct fal_out *out, const struct fal_frame *frame)
{
    bool tunnel = is_tunnel(frame);

    if (fal_frame_has(frame, FAL_LAYER_PSP))
        fal_out_format(
            out, " %s spi=0x%08" PRIx32,
            fal_encap_name(tunnel || frame->psp.next_header == 4 || frame->psp.next_header == 41
                               ? FAL_ENCAP_PSP_TUNNEL
                               : FAL_ENCAP_PSP_TRANSPORT),
            frame->psp.spi);
    else if (fal_frame_has(frame, FAL_LAYER_ESP))
        fal_out_format(out, " %s spi=0x%08" PRIx32,
                       tunnel ? fal_encap_name(FAL_ENCAP_ESP_TUNNEL)
                       : fal_frame_has(frame, FAL_LAYER_FALCON)
                           ? fal_encap_name(FAL_ENCAP_ESP_TRANSPORT)
                           : "esp",
                       frame->esp.spi);
    else if (frame->linktype == FAL_LINKTYPE_USER0)
        fal_out_format(out, " %s", fal_encap_name(FAL_ENCAP_BARE));
    else if (fal_frame_has(frame, FAL_LAYER_UDP))
        fal_out_format(out, " %s", fal_encap_name(FAL_ENCAP_UDP));
}

/* Why it stays sealed, and the CID if it is in the clear. */
static void print_sealed(struct fal_out *out, const struct fal_frame *frame)
{
    bool psp = fal_frame_has(frame, FAL_LAYER_PSP);
    enum fal_psp_state state = psp ? frame->psp_state : frame->esp_state;
    uint32_t cid;

    fal_out_format(out, ", %s",
                   state == FAL_PSP_BAD         ? "wrong ICV"
                   : state == FAL_PSP_TRUNCATED ? "sealed and cut"
                                                : "sealed, no key");
    if (fal_frame_sealed_cid(frame, &cid))
        fal_out_format(out, ", cid=%" PRIu32, cid);
}

static void print_origin(struct fal_out *out, const struct fal_frame *frame)
{
    bool psp = fal_frame_has(frame, FAL_LAYER_PSP), esp = fal_frame_has(frame, FAL_LAYER_ESP);

    fal_out_format(out, "# %" PRIu64, frame->number);
    if (fal_frame_has(frame, FAL_LAYER_IPV4) || fal_frame_has(frame, FAL_LAYER_IPV6)) {
        fal_out_char(out, ' ');
        print_end(out, frame, true);
        fal_out_text(out, " > ");
        print_end(out, frame, false);
    }
    print_encap(out, frame);
    print_inner(out, frame);
    if (frame->unauthenticated)
        fal_out_text(out, ", not authenticated");
    if ((psp || esp) && !fal_frame_has(frame, FAL_LAYER_FALCON) && !frame->unauthenticated &&
        (psp ? frame->psp_state : frame->esp_state) != FAL_PSP_GOOD)
        print_sealed(out, frame);
    if (frame->truncated)
        fal_out_format(out, ", %" PRIu32 " of %" PRIu32 " bytes captured", frame->caplen,
                       frame->len);
}

/* ---- the packet ---- */

/* Whether the raw layer stands where a Falcon packet should: then its bytes are worth a line.
 */
static bool is_broken_packet(const struct fal_frame *frame, uint16_t port)
{
    return frame->raw.len > 0 && frame->raw.len <= HEX_MAX &&
           fal_frame_meant_falcon(frame, port);
}

/* A push says its payload's length by itself; a cut one says more than was captured. */
static void print_payload_len(struct fal_out *out, const struct fal_frame *frame)
{
    bool push = frame->falcon.packet_type == FAL_PUSH_DATA;

    if (frame->payload.len != (push ? frame->falcon.request_length : 0u) &&
        !(push && frame->truncated))
        fal_out_format(out, " payload_len=%zu", frame->payload.len);
}

static void print_ulp(struct fal_out *out, const struct fal_frame *frame)
{
    char text[FAL_ULP_TEXT_MAX + 32];

    (void)fal_ulp_line(
        &frame->ulp,
        &(struct fal_ulp_bytes){.payload = frame->payload.bytes, .len = frame->payload.len},
        frame->payload.len, text, sizeof text);
    fal_out_text(out, text);
}

static bool print_packet(struct fal_out *out, const struct fal_frame *frame, uint64_t first_ns,
                         uint16_t port)
{
    char text[4 + 2 * HEX_MAX + 1], time[32];
    bool whole = fal_frame_has(frame, FAL_LAYER_FALCON);

    _Static_assert(sizeof text >= FAL_TEXT_MAX, "the longest packet");
    if (!whole && !is_broken_packet(frame, port))
        return false;
    if (whole)
        (void)fal_text_packet(&frame->falcon, NULL, text, sizeof text);
    else
        (void)fal_text_hex(frame->raw.bytes, frame->raw.len, text, sizeof text);
    (void)fal_text_duration(frame->ts_ns > first_ns ? frame->ts_ns - first_ns : 0, time,
                            sizeof time);
    fal_out_format(out, "@%s %s", time, text);
    if (whole) {
        print_payload_len(out, frame);
        print_ulp(out, frame);
    }
    fal_out_text(out, "  ");
    return true;
}

/* ---- issues ---- */

static void print_value(struct fal_out *out, fal_u128 value)
{
    if (fal_u128_hi(value) != 0)
        fal_out_format(out, "0x%" PRIx64 "%016" PRIx64, fal_u128_hi(value), fal_u128_lo(value));
    else
        fal_out_format(out, "%" PRIu64, fal_u128_lo(value));
}

static void print_issue(struct fal_out *out, const struct fal_issue *issue)
{
    fal_out_format(out, "    # %s %s: %s", fal_severity_name(issue->severity), issue->code,
                   issue->layer);
    if (issue->field != NULL)
        fal_out_format(out, ".%s", issue->field);
    fal_out_format(out, " at byte %" PRIu32, issue->offset);
    if (issue->has_values) {
        fal_out_text(out, ": seen ");
        print_value(out, issue->seen);
        fal_out_text(out, ", due ");
        print_value(out, issue->due);
    }
    fal_out_format(out, ": %s", issue->message);
    if (issue->requirement != NULL)
        fal_out_format(out, " (%s)", issue->requirement);
    fal_out_char(out, '\n');
}

int fal_frame_text(const struct fal_frame *frame, uint64_t first_ns, uint16_t falcon_port,
                   char *text, size_t cap)
{
    struct fal_out start = fal_out_start(text, cap), *out = &start;
    bool shown = print_packet(out, frame, first_ns, falcon_port);
    enum fal_roce_shown roce =
        shown ? FAL_ROCE_COMMENT : fal_out_roce_line(out, frame, first_ns);
    const char *before = ", no Falcon: ";

    print_origin(out, frame);
    if (!shown && fal_frame_has(frame, FAL_LAYER_RAW)) {
        for (size_t i = 0; i < frame->num_layers; i++, before = " ")
            fal_out_format(out, "%s%s", before, fal_layer_name(frame->layers[i].id));
        fal_out_format(out, ", %" PRIu32 " bytes", frame->len);
    }
    if (roce != FAL_ROCE_LINE && fal_frame_has(frame, FAL_LAYER_ROCE))
        fal_out_roce_fields(out, frame);
    if (frame->ts_ns < first_ns) {
        char time[32];

        (void)fal_text_duration(first_ns - frame->ts_ns, time, sizeof time);
        fal_out_format(out, ", %s before the first", time);
    }
    fal_out_char(out, '\n');
    for (size_t i = 0; i < frame->issues.count; i++)
        print_issue(out, &frame->issues.list[i]);
    if (frame->issues.dropped > 0)
        fal_out_format(out, "    # and %zu more\n", frame->issues.dropped);
    return fal_out_end(out);
}
