/* SPDX-License-Identifier: Apache-2.0
 * roce_frame_text.c - a captured frame of RoCEv2 as a line of the notation, from which
 * `talon encode` makes the same packet. */
#include "codecs/frame/roce_frame.h"
#include "codecs/text/roce_text.h"
#include "codecs/text/text_impl.h"

enum { HEX_MAX = FAL_ROCE_HEX_MAX, WORD = 4 };

/* The packet of a frame with a RoCE layer. *len is the number of bytes after the BTH that were
 * on the wire. */
static void read_packet(const struct fal_frame *frame, struct fal_roce_packet *packet,
                        size_t *len)
{
    size_t before = fal_udp_layout.size_bytes + fal_roce_layout.size_bytes;

    *len = frame->udp.length > before ? frame->udp.length - before : 0;
    if (*len < frame->payload.len)
        *len = frame->payload.len;
    fal_roce_decode_rest(&frame->roce, frame->payload.bytes, frame->payload.len, *len, packet);
}

/* The notation has numbers of 64 bits and writes no wider field. */
static bool has_wide_value(struct fal_roce_packet *packet)
{
    for (size_t i = 0; i < packet->kind->num_headers; i++) {
        enum fal_roce_header header = packet->kind->headers[i];
        const struct fal_layout *layout = fal_roce_header_layout(header);

        for (size_t k = 0; k < layout->num_fields; k++)
            if (fal_u128_hi(fal_field_get(&layout->fields[k], fal_roce_host(packet, header))) !=
                0)
                return true;
    }
    return false;
}

/* True if the headers, the padding and the length are such that the encoder writes them from
 * the fields and the length of the data. */
static bool is_regular(struct fal_roce_packet *packet, size_t len)
{
    size_t pad = (WORD - packet->data_len % WORD) % WORD, headers;

    if (packet->state != FAL_ROCE_READ || !packet->has_icrc || packet->bth.pad != pad ||
        packet->data_len > FAL_ROCE_DATA_MAX || has_wide_value(packet))
        return false;
    headers = fal_roce_size(packet->kind) - fal_roce_layout.size_bytes;
    if (len != headers + packet->data_len + pad + FAL_ROCE_ICRC_LEN)
        return false;
    for (size_t i = 0; i < pad; i++)
        if (packet->data[packet->data_len + i] != 0)
            return false;
    return true;
}

/* True if the line can state the ICRC: it is right, or wrong in the bit that "icrc=bad" turns.
 */
static bool icrc_can_be_stated(const struct fal_frame *frame,
                               const struct fal_roce_packet *packet, bool *bad)
{
    const struct fal_layer *roce = fal_frame_layer(frame, FAL_LAYER_ROCE);
    uint32_t due = 0;
    enum fal_icrc_state state =
        fal_frame_icrc(frame, frame->payload.bytes - roce->len - roce->offset, &due);

    *bad = state == FAL_ICRC_BAD;
    return state == FAL_ICRC_GOOD || (*bad && packet->icrc == (due ^ 1));
}

/* "@8us b> " */
static void print_head(struct fal_out *out, const struct fal_frame *frame, uint64_t first_ns)
{
    bool v6 = fal_frame_has(frame, FAL_LAYER_IPV6);
    struct fal_roce_route back;

    fal_out_char(out, '@');
    fal_out_duration(out, frame->ts_ns > first_ns ? frame->ts_ns - first_ns : 0);
    fal_roce_route_lab(&back, v6, true);
    if (v6 ? frame->ipv6.src == back.src && frame->ipv6.dst == back.dst
           : frame->ipv4.src == back.src && frame->ipv4.dst == back.dst)
        fal_out_text(out, " b>");
    fal_out_text(out, " ");
}

static void print_tail(struct fal_out *out, const struct fal_frame *frame, bool bad_icrc)
{
    unsigned ecn = fal_frame_has(frame, FAL_LAYER_IPV6) ? frame->ipv6.ecn : frame->ipv4.ecn;
    struct fal_roce_route lab;

    fal_roce_route_lab(&lab, false, false);
    if (frame->udp.src_port != lab.src_port)
        fal_out_format(out, " port=%u", (unsigned)frame->udp.src_port);
    if (ecn != 0)
        fal_out_format(out, " ecn=%s", fal_name_of(&fal_names_ecn, ecn));
    if (bad_icrc)
        fal_out_text(out, " icrc=bad");
    fal_out_text(out, "  ");
}

/* Prints all bytes that UDP carries, unless there are none, or too many for a line. */
static enum fal_roce_shown print_bytes(struct fal_out *out, const struct fal_frame *frame,
                                       uint64_t first_ns)
{
    const struct fal_layer *roce = fal_frame_layer(frame, FAL_LAYER_ROCE);
    const struct fal_span *rest = roce != NULL ? &frame->payload : &frame->raw;
    size_t before = roce != NULL ? roce->len : 0;
    char hex[2 * HEX_MAX + 8];

    if (before + rest->len == 0 || before + rest->len > HEX_MAX)
        return FAL_ROCE_COMMENT;
    (void)fal_text_hex(rest->bytes - before, before + rest->len, hex, sizeof hex);
    print_head(out, frame, first_ns);
    fal_out_format(out, "roce %s", hex);
    print_tail(out, frame, false);
    return FAL_ROCE_BYTES;
}

enum fal_roce_shown fal_out_roce_line(struct fal_out *out, const struct fal_frame *frame,
                                      uint64_t first_ns)
{
    struct fal_roce_packet packet;
    char line[FAL_ROCE_TEXT_MAX];
    bool bad = false;
    size_t len;

    if (frame->truncated || frame->fragment || !fal_frame_has(frame, FAL_LAYER_UDP) ||
        frame->udp.dst_port != FAL_UDP_PORT_ROCE || fal_frame_has(frame, FAL_LAYER_PSP) ||
        fal_frame_has(frame, FAL_LAYER_ESP))
        return FAL_ROCE_COMMENT;
    if (!fal_frame_has(frame, FAL_LAYER_ROCE))
        return print_bytes(out, frame, first_ns);
    read_packet(frame, &packet, &len);
    if (!is_regular(&packet, len) || !icrc_can_be_stated(frame, &packet, &bad))
        return print_bytes(out, frame, first_ns);
    (void)fal_roce_text(&packet, line, sizeof line);
    print_head(out, frame, first_ns);
    fal_out_text(out, line);
    if (packet.bth.m == 0)
        fal_out_text(out, " m=0"); /* fal_roce_text never prints it, and 1 is usual */
    print_tail(out, frame, bad);
    return FAL_ROCE_LINE;
}

void fal_out_roce_fields(struct fal_out *out, const struct fal_frame *frame)
{
    struct fal_roce_packet packet;
    char line[FAL_ROCE_TEXT_MAX];
    size_t len;

    read_packet(frame, &packet, &len);
    (void)fal_roce_text(&packet, line, sizeof line);
    fal_out_format(out, ", %s", line);
}
