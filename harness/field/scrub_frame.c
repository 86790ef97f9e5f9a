/* SPDX-License-Identifier: Apache-2.0
 * scrub_frame.c - walks through the layers of a frame. Each layer says which of its bytes stay;
 * what no layer claims is replaced. */
#include "harness/field/scrub_frame.h"

#include "codecs/frame/icrc.h"
#include "codecs/header/roce.h"

#include <inttypes.h>

enum {
    TRIES = 32,
    MAC_LEN = 6,
    IPV4_LEN = 4,
    IPV6_LEN = 16,
    IPV4_SRC = 12, /* offsets in the headers */
    IPV4_DST = 16,
    IPV4_CHECKSUM = 10,
    IPV6_SRC = 8,
    IPV6_DST = 24,
    UDP_CHECKSUM = 6,
    SLL_LEN = 4,
    SLL_ADDRESS = 6,
    SLL2_LEN = 11,
    SLL2_ADDRESS = 12,
    FALCON_TYPE_LEN = 8, /* version, CID and packet type are in so many bytes */
    CID_LEN = 4,
    OPTION_END = 0,
    OPTION_NOP = 1,
};

/* A frame at work. Bytes before `at` are done. */
struct work {
    struct tl_scrubber *s;
    const struct tl_captured *got;
    struct fal_frame frame;
    size_t at, len;
    unsigned tweak; /* of replaced bytes: another one gives others */
    int status;
};

static int decode(const struct fal_frame_options *options, const struct tl_captured *got,
                  const uint8_t *bytes, uint8_t *scratch, struct fal_frame *frame)
{
    frame->number = got->number;
    frame->ts_ns = got->ts_ns;
    return fal_frame_decode(&(struct fal_captured){bytes, got->caplen, got->len, got->linktype},
                            options, scratch, frame);
}

static bool opened(const struct fal_frame *frame)
{
    return frame->psp_state == FAL_PSP_GOOD || frame->esp_state == FAL_PSP_GOOD;
}

/* ---- stepping through a frame ---- */

static void keep(struct work *w, size_t n)
{
    w->at = n < w->len - w->at ? w->at + n : w->len;
}

static void hide(struct work *w, size_t n)
{
    size_t from = w->at;

    keep(w, n);
    if (w->status == 0 &&
        tl_disguise_bytes(w->s->disguise, w->tweak, w->s->out + from, w->at - from) != 0)
        w->status = FAL_ERR_MEM;
}

static void hide_to(struct work *w, size_t end)
{
    if (end > w->at)
        hide(w, end - w->at);
}

static void address(struct work *w, enum tl_address_kind kind)
{
    static const size_t sizes[] = {MAC_LEN, IPV4_LEN, IPV6_LEN};
    size_t len = sizes[kind];
    unsigned bits = (unsigned)len * 8;
    uint8_t *at = w->s->out + w->at;
    struct tl_address from = {.kind = kind};

    if (w->len - w->at < len) {
        hide(w, len);
        return;
    }
    from.value =
        kind == TL_ADDRESS_IPV6 ? fal_bits_get_wide(at, 0, 128) : fal_bits_get(at, 0, bits);
    from.value = tl_disguise_address(w->s->disguise, from);
    if (kind == TL_ADDRESS_IPV6)
        fal_bits_set_wide(at, 0, 128, from.value);
    else
        fal_bits_set(at, 0, bits, fal_u128_lo(from.value));
    keep(w, len);
}

/* ---- layers ---- */

static void link_address(struct work *w, const struct fal_layer *layer, size_t len_at,
                         size_t address_at)
{
    const uint8_t *header = w->s->out + layer->offset;

    keep(w, address_at);
    if (header[len_at] == MAC_LEN)
        address(w, TL_ADDRESS_MAC);
    hide_to(w, layer->offset + address_at + 8);
}

/* IPv4 options: their types and lengths stay. */
static void ipv4_options(struct work *w, size_t end)
{
    while (w->at < end) {
        uint8_t type = w->s->out[w->at];
        size_t len = w->at + 1 < end ? w->s->out[w->at + 1] : 0;

        if (type == OPTION_NOP || type == OPTION_END) {
            keep(w, 1);
        } else if (len < 2 || len > end - w->at) {
            break;
        } else {
            keep(w, 2);
            hide(w, len - 2);
        }
    }
    hide_to(w, end);
}

static void ipv4(struct work *w, const struct fal_layer *layer)
{
    keep(w, IPV4_SRC);
    address(w, TL_ADDRESS_IPV4);
    address(w, TL_ADDRESS_IPV4);
    ipv4_options(w, layer->offset + layer->len);
}

static void ipv6(struct work *w)
{
    keep(w, IPV6_SRC);
    address(w, TL_ADDRESS_IPV6);
    address(w, TL_ADDRESS_IPV6);
}

/* Extension headers: what they say of the next one and of their length stays, and what is
 * judged (fragments, segments left). */
static void ipv6_ext(struct work *w, struct fal_span ext, unsigned type)
{
    while (ext.len > 0) {
        bool fragment = type == FAL_PROTOCOL_FRAGMENT, routing = type == FAL_PROTOCOL_ROUTING;
        struct fal_span one = fal_ipv6_ext_next(&ext, &type);
        size_t stays = fragment ? one.len : routing ? 4 : 2;

        if (one.len == 0)
            break;
        keep(w, stays);
        hide(w, one.len - stays);
    }
}

/* The bytes in the clear of a packet that PSP keeps sealed: the inner IP header up to its
 * addresses, and the CID. */
static void psp_clear(struct work *w)
{
    const struct fal_frame *f = &w->frame;
    const struct fal_span *clear = &f->psp_clear;
    size_t end = w->at + clear->len, inner = 0, stays = 0;

    if (f->psp.next_header == FAL_PROTOCOL_IPV4 && clear->len > 0) {
        inner = 4u * (clear->bytes[0] & 15);
        stays = IPV4_SRC;
    } else if (f->psp.next_header == FAL_PROTOCOL_IPV6) {
        inner = fal_ipv6_layout.size_bytes;
        stays = IPV6_SRC;
    }
    if (clear->len > inner && inner >= stays) {
        keep(w, stays);
        hide(w, inner - stays);
        keep(w, clear->len - inner < CID_LEN ? clear->len - inner : CID_LEN);
    }
    hide_to(w, end);
}

static void psp(struct work *w, const struct fal_layer *layer)
{
    keep(w, layer->len);
    if (&w->frame.layers[w->frame.num_layers - 1] == layer)
        psp_clear(w);
}

/* What was not read as a packet; but of a bad Falcon packet, what is read of it stays. */
static void raw(struct work *w, const struct fal_layer *layer)
{
    const struct fal_frame *f = &w->frame;
    size_t stays = 0;

    if (fal_frame_meant_falcon(f, w->s->given.falcon_port) && f->psp_state != FAL_PSP_BAD &&
        f->esp_state != FAL_PSP_BAD) {
        const struct fal_layout *layout = fal_falcon_layout(f->falcon.packet_type);

        stays = layer->len < FALCON_TYPE_LEN || layout == NULL ? (size_t)FALCON_TYPE_LEN
                                                               : layout->size_bytes;
    }
    keep(w, stays < layer->len ? stays : layer->len);
    hide_to(w, layer->offset + layer->len);
}

static void layer(struct work *w, const struct fal_layer *layer)
{
    const struct fal_frame *f = &w->frame;

    hide_to(w, layer->offset);
    switch (layer->id) {
    case FAL_LAYER_ETH:
        address(w, TL_ADDRESS_MAC);
        address(w, TL_ADDRESS_MAC);
        break;
    case FAL_LAYER_SLL: link_address(w, layer, SLL_LEN + 1, SLL_ADDRESS); break;
    case FAL_LAYER_SLL2: link_address(w, layer, SLL2_LEN, SLL2_ADDRESS); break;
    case FAL_LAYER_IPV4:
    case FAL_LAYER_INNER_IPV4: ipv4(w, layer); break;
    case FAL_LAYER_IPV6:
    case FAL_LAYER_INNER_IPV6: ipv6(w); break;
    case FAL_LAYER_IPV6_EXT: ipv6_ext(w, f->ipv6_ext, f->ipv6.next_header); break;
    case FAL_LAYER_INNER_IPV6_EXT:
        ipv6_ext(w, f->inner_ipv6_ext, f->inner_ipv6.next_header);
        break;
    case FAL_LAYER_PSP: psp(w, layer); return;
    case FAL_LAYER_RAW: raw(w, layer); break;
    case FAL_LAYER_VLAN:
    case FAL_LAYER_INNER_VLAN:
    case FAL_LAYER_UDP:
    case FAL_LAYER_ESP:
    case FAL_LAYER_FALCON:
    case FAL_LAYER_ROCE:
    case FAL_LAYER_COUNT: break;
    }
    if (layer->offset + layer->len > w->at)
        keep(w, layer->offset + layer->len - w->at);
}

/* ---- headers of RDMA ---- */

/* Fields that are secrets or data of the application, and how they are replaced. */
static const struct {
    const char *name;
    bool virtual_address;
} secrets[] = {
    {"virtual_address", true}, {"r_key", false},         {"l_key", false},
    {"queue_key", false},      {"compare", false},       {"immediate_data", false},
    {"swap_or_add", false},    {"original_data", false},
};

static void secret(struct work *w, const struct fal_field *field, uint8_t *header)
{
    uint8_t bytes[9] = {0}; /* fal_bits_get may read a ninth, in the eyes of a compiler */

    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        if (strcmp(field->name, secrets[i].name) != 0)
            continue;
        if (secrets[i].virtual_address) {
            fal_bits_set(header, field->offset_bits, 64,
                         tl_disguise_virtual(w->s->disguise,
                                             fal_bits_get(header, field->offset_bits, 64)));
            return;
        }
        fal_bits_set(bytes, 0, field->width_bits,
                     fal_bits_get(header, field->offset_bits, field->width_bits));
        if (tl_disguise_bytes(w->s->disguise, 0, bytes, field->width_bits / 8u) != 0)
            w->status = FAL_ERR_MEM;
        fal_bits_set(header, field->offset_bits, field->width_bits,
                     fal_bits_get(bytes, 0, field->width_bits));
    }
}

static void header(struct work *w, const struct fal_layout *layout)
{
    uint8_t *at = w->s->out + w->at;

    if (w->len - w->at < layout->size_bytes) {
        hide(w, layout->size_bytes);
        return;
    }
    for (size_t i = 0; i < layout->num_fields; i++)
        secret(w, &layout->fields[i], at);
    keep(w, layout->size_bytes);
}

/* ---- what follows the layers ---- */

/* The front of a payload whose bytes do not matter to its sender: zeros, or a tester's mark.
 * It stays also where it is not read as such, as in a copy of the packet whose header is wrong:
 * copies must have the same payload. */
static size_t filler(const uint8_t *bytes, size_t len)
{
    static const uint8_t magic[] = {'T', 'A', 'L', 'N'};
    size_t n = len < sizeof magic ? len : sizeof magic;

    if (memcmp(bytes, magic, n) == 0)
        return n;
    n = 0;
    while (n < len && bytes[n] == 0)
        n++;
    return n;
}

/* Padding that is all zeros stays by itself. */
static void falcon_payload(struct work *w, size_t end)
{
    const struct fal_ulp *ulp = &w->frame.ulp;
    size_t len = end - w->at, data = fal_ulp_data_len(ulp, len);
    const struct fal_rdma_kind *kind;

    switch (ulp->state) {
    case FAL_ULP_READ:
    case FAL_ULP_RESERVED:
        kind = ulp->protocol == FAL_PROTOCOL_RDMA ? fal_rdma_kind(ulp->rdma.rbth.opcode) : NULL;
        for (size_t i = 0; kind != NULL && i < kind->num_headers; i++)
            header(w, fal_rdma_layout(kind->headers[i]));
        if (kind == NULL)
            keep(w, ulp->size_bytes);
        hide(w, data);
        break;
    case FAL_ULP_SHORT: keep(w, len < FAL_ULP_BYTES_MAX ? len : FAL_ULP_BYTES_MAX); break;
    case FAL_ULP_FILLER:
    case FAL_ULP_NONE:
    case FAL_ULP_UNKNOWN: keep(w, filler(w->s->out + w->at, len)); break;
    }
    hide_to(w, end);
}

static void roce_payload(struct work *w, size_t end)
{
    const struct fal_roce_kind *kind = fal_roce_kind(w->frame.roce.opcode);
    struct fal_roce_packet packet;
    size_t wire = w->frame.udp.length, before = 8 + fal_roce_layout.size_bytes;

    fal_roce_decode_rest(
        &w->frame.roce, w->s->out + w->at, end - w->at,
        wire > before && wire - before > end - w->at ? wire - before : end - w->at, &packet);
    for (size_t i = 0; kind != NULL && packet.state == FAL_ROCE_READ && i < kind->num_headers;
         i++)
        header(w, fal_roce_header_layout(kind->headers[i]));
    hide(w, packet.state == FAL_ROCE_READ ? packet.data_there : 0);
    hide_to(w, end);
}

/* ESP's padding counts 1, 2, 3. */
static void esp_trailer(struct work *w)
{
    size_t n = w->frame.esp_padding.len;
    bool usual = true;

    for (size_t i = 0; i < n && w->at + i < w->len; i++)
        usual &= w->s->out[w->at + i] == (uint8_t)(i + 1);
    if (usual)
        keep(w, n);
    else
        hide(w, n);
    keep(w, FAL_ESP_TRAILER_MIN);
}

static void rest(struct work *w)
{
    const struct fal_frame *f = &w->frame;
    size_t end = w->at + f->payload.len;

    if (end > w->len)
        end = w->len;
    if (fal_frame_has(f, FAL_LAYER_FALCON))
        falcon_payload(w, end);
    else if (fal_frame_has(f, FAL_LAYER_ROCE))
        roce_payload(w, end);
    hide_to(w, end);
    hide(w, f->inner_trailer.len);
    if (f->esp_has_trailer)
        esp_trailer(w);
    hide(w, f->psp_icv.len + f->esp_icv.len);
    hide_to(w, w->len);
}

/* ---- checksums and seals ---- */

/* The difference that changed bytes make to a sum (RFC 1624). */
static uint32_t change(uint32_t sum, const uint8_t *before, const uint8_t *after, size_t len)
{
    for (size_t i = 0; i < len; i += 2) {
        unsigned low_b = i + 1 < len ? before[i + 1] : 0,
                 low_a = i + 1 < len ? after[i + 1] : 0;
        unsigned was = (unsigned)before[i] << 8 | low_b, is = (unsigned)after[i] << 8 | low_a;

        sum += (~was & 0xffff) + is;
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

static void adjust(uint8_t *checksum, uint32_t sum, bool udp)
{
    uint32_t old = (uint32_t)fal_bits_get(checksum, 0, 16);
    uint32_t is = (~old & 0xffff) + sum;

    if (sum == 0 || sum == 0xffff)
        return; /* nothing changed */
    is = (is & 0xffff) + (is >> 16);
    is = ~is & 0xffff;
    fal_bits_set(checksum, 0, 16, is == 0 && udp ? 0xffff : is);
}

static void ipv4_checksum(struct work *w, enum fal_layer_id id)
{
    const struct fal_layer *ip = fal_frame_layer(&w->frame, id);

    if (ip == NULL || ip->len < fal_ipv4_layout.size_bytes)
        return;
    adjust(w->s->out + ip->offset + IPV4_CHECKSUM,
           change(0, w->s->plain + ip->offset, w->s->out + ip->offset, ip->len), false);
}

/* With the pseudo header; the bytes before are those of the wire. */
static void udp_checksum(struct work *w)
{
    const struct fal_layer *udp = fal_frame_layer(&w->frame, FAL_LAYER_UDP);
    const struct fal_layer *v4 = fal_frame_layer(&w->frame, FAL_LAYER_IPV4);
    const struct fal_layer *v6 = fal_frame_layer(&w->frame, FAL_LAYER_IPV6);
    const uint8_t *before = w->got->bytes;
    uint8_t *after = w->s->out;
    uint32_t sum = 0;
    size_t len, at;

    if (udp == NULL || w->frame.udp.checksum == 0)
        return;
    len =
        w->frame.udp.length < w->len - udp->offset ? w->frame.udp.length : w->len - udp->offset;
    if (v4 != NULL || v6 != NULL) {
        at = v4 != NULL ? v4->offset + IPV4_SRC : v6->offset + IPV6_SRC;
        sum = change(0, before + at, after + at, v4 != NULL ? 2 * IPV4_LEN : 2 * IPV6_LEN);
    }
    adjust(after + udp->offset + UDP_CHECKSUM,
           change(sum, before + udp->offset, after + udp->offset, len), true);
}

/* The receiver of the scrubbed frame. */
static struct fal_psp_dst receiver(const struct work *w, const uint8_t *bytes)
{
    const struct fal_layer *v4 = fal_frame_layer(&w->frame, FAL_LAYER_IPV4);
    const struct fal_layer *v6 = fal_frame_layer(&w->frame, FAL_LAYER_IPV6);
    struct fal_psp_dst dst = {0};

    if (v4 != NULL)
        memcpy(dst.bytes, bytes + v4->offset + IPV4_DST, dst.len = IPV4_LEN);
    else if (v6 != NULL)
        memcpy(dst.bytes, bytes + v6->offset + IPV6_DST, dst.len = IPV6_LEN);
    return dst;
}

/* Where the ICV of an opened packet ends. */
static size_t sealed_end(const struct work *w)
{
    const struct fal_span *icv =
        w->frame.psp_state == FAL_PSP_GOOD ? &w->frame.psp_icv : &w->frame.esp_icv;

    return (size_t)(icv->bytes - w->got->bytes) + icv->len;
}

/* Draws the keys that the scrubbed packet is read with. */
static int draw_keys(struct work *w)
{
    const struct fal_frame *f = &w->frame;
    struct fal_psp_dst was = receiver(w, w->got->bytes), dst = receiver(w, w->s->out);
    struct fal_esp_form form;

    if (fal_frame_has(f, FAL_LAYER_PSP) && w->s->given.psp_keys != NULL &&
        f->psp_state != FAL_PSP_NO_KEY && tl_fresh_psp(w->s->fresh) == NULL)
        return FAL_ERR_MEM;
    if (fal_frame_has(f, FAL_LAYER_ESP) &&
        fal_esp_find(w->s->given.esp_keys, &was, f->esp.spi, &form) &&
        tl_fresh_esp(w->s->fresh, &dst, f->esp.spi, &form, f->esp_sequence_high) == NULL)
        return FAL_ERR_MEM;
    return 0;
}

static int reseal(struct work *w)
{
    struct fal_frame *f = &w->frame;
    struct fal_psp_dst dst = receiver(w, w->s->out);
    const struct fal_layer *sealed =
        fal_frame_layer(f, f->psp_state == FAL_PSP_GOOD ? FAL_LAYER_PSP : FAL_LAYER_ESP);
    uint8_t *packet = w->s->out + sealed->offset;
    size_t len = sealed_end(w) - sealed->offset;
    struct fal_frame_keys keys = tl_fresh_in_use(w->s->fresh);

    return f->psp_state == FAL_PSP_GOOD
               ? fal_psp_seal_in_place(keys.psp, &dst, packet, len)
               : fal_esp_seal_in_place(keys.esp, &dst, f->esp_sequence_high, packet, len);
}

/* The frame with what its seal hides in the clear, at the same place. */
static void open_in_place(struct work *w)
{
    const struct fal_frame *f = &w->frame;
    bool is_psp = f->psp_state == FAL_PSP_GOOD;
    const struct fal_layer *sealed = fal_frame_layer(f, is_psp ? FAL_LAYER_PSP : FAL_LAYER_ESP);
    size_t at;

    memcpy(w->s->plain, w->got->bytes, w->len);
    if (!opened(f))
        return;
    at = sealed->offset + (is_psp ? (size_t)FAL_PSP_HEADER_LEN : sealed->len);
    memcpy(w->s->plain + at, w->s->scratch,
           sealed_end(w) - (is_psp ? f->psp_icv.len : f->esp_icv.len) - at);
}

/* ---- a frame ---- */

static void finish_icrc(struct work *w)
{
    const struct fal_layer *ip = fal_frame_layer(&w->frame, FAL_LAYER_IPV4);
    const struct fal_layer *udp = fal_frame_layer(&w->frame, FAL_LAYER_UDP);

    if (fal_frame_icrc(&w->frame, w->got->bytes, NULL) != FAL_ICRC_GOOD)
        return;
    if (ip == NULL)
        ip = fal_frame_layer(&w->frame, FAL_LAYER_IPV6);
    if (!fal_icrc_put(w->s->out, udp->offset + (size_t)w->frame.udp.length, ip->offset))
        w->status = FAL_ERR_TYPE;
}

static int rewrite(struct work *w)
{
    memcpy(w->s->out, w->s->plain, w->len);
    w->at = 0;
    w->status = 0;
    for (size_t i = 0; i < w->frame.num_layers; i++)
        layer(w, &w->frame.layers[i]);
    rest(w);
    ipv4_checksum(w, FAL_LAYER_IPV4);
    ipv4_checksum(w, FAL_LAYER_INNER_IPV4);
    if (w->status == 0)
        w->status = draw_keys(w);
    if (w->status == 0 && opened(&w->frame))
        w->status = reseal(w);
    finish_icrc(w);
    udp_checksum(w);
    return w->status;
}

/* Whether the scrubbed frame is read as the original one: the same layers, issues, and headers
 * of the upper layer. Replaced bytes may look like the upper layer's headers by chance. */
static bool reads_alike(const struct work *w)
{
    const struct fal_frame *was = &w->frame;
    struct fal_frame_options options = w->s->given;
    const struct fal_frame_keys keys = tl_fresh_in_use(w->s->fresh);
    struct fal_frame is;

    options.psp_keys = keys.psp;
    options.esp_keys = keys.esp;
    if (decode(&options, w->got, w->s->out, w->s->scratch, &is) != 0 ||
        is.num_layers != was->num_layers || is.damaged != was->damaged ||
        is.ulp.state != was->ulp.state || is.issues.count != was->issues.count)
        return false;
    for (size_t i = 0; i < is.num_layers; i++)
        if (is.layers[i].id != was->layers[i].id || is.layers[i].len != was->layers[i].len)
            return false;
    for (size_t i = 0; i < is.issues.count; i++)
        if (strcmp(is.issues.list[i].code, was->issues.list[i].code) != 0)
            return false;
    return true;
}

int tl_scrub_frame(struct tl_scrubber *scrubber, const struct tl_captured *got,
                   struct fal_error *err)
{
    struct work w = {.s = scrubber, .got = got, .len = got->caplen};
    int status = decode(&scrubber->given, got, got->bytes, scrubber->scratch, &w.frame);

    if (status != 0)
        return fal_fail(err, status, "frame %" PRIu64 ": link type %u is not supported",
                        got->number, got->linktype);
    open_in_place(&w);
    scrubber->resealed = opened(&w.frame);
    do
        status = rewrite(&w);
    while (status == 0 && !reads_alike(&w) && ++w.tweak < TRIES);
    if (status == FAL_ERR_MEM)
        return fal_fail(err, status, "out of memory");
    if (status != 0)
        return fal_fail(err, status, "frame %" PRIu64 ": it cannot be sealed again",
                        got->number);
    if (w.tweak == TRIES)
        return fal_fail(err, FAL_ERR_FORM,
                        "frame %" PRIu64 ": without its addresses and payload it would be "
                        "read differently; leave it out of the capture",
                        got->number);
    return 0;
}

/* ---- before the first frame is scrubbed ---- */

/* The seal must be opened, or replaced. */
static int check_seal(const struct tl_scrubber *scrubber, const struct fal_frame *frame,
                      struct fal_error *err)
{
    bool is_psp = fal_frame_has(frame, FAL_LAYER_PSP);
    bool is_esp = fal_frame_has(frame, FAL_LAYER_ESP);

    if (scrubber->replace_sealed ||
        (is_psp ? frame->psp_state != FAL_PSP_NO_KEY
                : !is_esp || frame->esp_state != FAL_PSP_NO_KEY || frame->unauthenticated))
        return 0;
    return fal_fail(err, FAL_ERR_KEY,
                    "frame %" PRIu64 ": no key opens this packet of %s, SPI 0x%08" PRIx32
                    "; give its keys by --%s-keys FILE, or replace the bytes of all packets "
                    "that stay sealed by --replace-sealed",
                    frame->number, is_psp ? "PSP" : "ESP",
                    is_psp ? frame->psp.spi : frame->esp.spi, is_psp ? "psp" : "esp");
}

int tl_scrub_note(struct tl_scrubber *scrubber, const struct tl_captured *got,
                  struct fal_error *err)
{
    struct fal_frame frame;
    struct tl_address found[10];
    size_t n = 0;
    int status = decode(&scrubber->given, got, got->bytes, scrubber->scratch, &frame);

    if (status != 0)
        return fal_fail(err, status, "frame %" PRIu64 ": link type %u is not supported",
                        got->number, got->linktype);
    if (fal_frame_has(&frame, FAL_LAYER_ETH)) {
        found[n++] = (struct tl_address){TL_ADDRESS_MAC, frame.eth.src};
        found[n++] = (struct tl_address){TL_ADDRESS_MAC, frame.eth.dst};
    }
    if (fal_frame_has(&frame, FAL_LAYER_SLL))
        found[n++] = (struct tl_address){TL_ADDRESS_MAC, frame.sll.address >> 16};
    if (fal_frame_has(&frame, FAL_LAYER_SLL2))
        found[n++] = (struct tl_address){TL_ADDRESS_MAC, frame.sll2.address >> 16};
    if (fal_frame_has(&frame, FAL_LAYER_IPV4)) {
        found[n++] = (struct tl_address){TL_ADDRESS_IPV4, frame.ipv4.src};
        found[n++] = (struct tl_address){TL_ADDRESS_IPV4, frame.ipv4.dst};
    }
    if (fal_frame_has(&frame, FAL_LAYER_INNER_IPV4)) {
        found[n++] = (struct tl_address){TL_ADDRESS_IPV4, frame.inner_ipv4.src};
        found[n++] = (struct tl_address){TL_ADDRESS_IPV4, frame.inner_ipv4.dst};
    }
    if (fal_frame_has(&frame, FAL_LAYER_IPV6)) {
        found[n++] = (struct tl_address){TL_ADDRESS_IPV6, frame.ipv6.src};
        found[n++] = (struct tl_address){TL_ADDRESS_IPV6, frame.ipv6.dst};
    }
    if (fal_frame_has(&frame, FAL_LAYER_INNER_IPV6)) {
        found[n++] = (struct tl_address){TL_ADDRESS_IPV6, frame.inner_ipv6.src};
        found[n++] = (struct tl_address){TL_ADDRESS_IPV6, frame.inner_ipv6.dst};
    }
    status = check_seal(scrubber, &frame, err);
    while (status == 0 && n-- > 0) {
        status = tl_disguise_note(scrubber->disguise, found[n]);
        if (status != 0)
            (void)fal_fail(err, status,
                           status == FAL_ERR_MEM ? "out of memory"
                                                 : "more than 4 million addresses");
    }
    return status;
}
