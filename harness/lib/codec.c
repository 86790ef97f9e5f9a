/* SPDX-License-Identifier: Apache-2.0
 * codec.c - libtalon: frames to structures, JSON and text, and back. */
#include "harness/lib/setup.h"

#include "codecs/json/frame_line.h"
#include "codecs/json/json.h"
#include "codecs/text/frame_text.h"
#include "codecs/text/text_full.h"
#include "harness/capture/capture.h"
#include "harness/doc/options.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A frame as text, its issues below, takes less. */
enum { TEXT_MAX = 2 * FAL_TEXT_FULL_MAX };

struct talon_codec {
    char **words;
    size_t num_words;
    const char *psp_keys_path, *esp_keys_path; /* of the words */
    unsigned falcon_port;
    int ip; /* 0: 4, 1: 6 */
    struct fal_frame_options options;
    struct fal_frame_line reader;
    struct fal_frame frame;
    uint8_t *scratch; /* of decoding, and storage of the reader: TL_FRAME_MAX bytes */
    struct talon_packet packet;
};

#define TL_OPTIONS_OF struct talon_codec

static const struct tl_option option_list[] = {
    {TL_TEXT("--psp-keys", psp_keys_path, "FILE"), .help = "keys of PSP packets"},
    {TL_TEXT("--esp-keys", esp_keys_path, "FILE"), .help = "keys of ESP packets"},
    {TL_COUNT("--falcon-port", falcon_port, 1, UINT16_MAX),
     .help = "UDP port of plain Falcon (default 7777)"},
    {TL_CHOICE("--encap", reader.encap, "NAME", FAL_ENCAPS),
     .help = "encapsulation of packets whose line names no layers"},
    {TL_CHOICE("--ip", ip, "4|6", "4 6"), .help = "IP version of these packets"},
    {TL_FLAG("--raw", reader.raw), .help = "fill in nothing that a line does not give"},
};
static const struct tl_options codec_options = {"codec", option_list,
                                                sizeof option_list / sizeof *option_list};

/* ---- the object ---- */

static int prepare(struct talon_codec *codec, struct fal_error *err)
{
    int rc =
        tl_options_read(&codec_options, (int)codec->num_words + 1, codec->words, codec, err);

    if (rc == TL_OPTIONS_HELP)
        return fal_fail(err, FAL_ERR_FORM, "--help is for the command");
    if (rc != 0)
        return rc;
    codec->options.falcon_port = (uint16_t)codec->falcon_port;
    codec->reader.ip_version = codec->ip == 1 ? 6 : 4;
    codec->reader.storage = codec->scratch;
    codec->reader.cap = TL_FRAME_MAX;
    if (codec->psp_keys_path != NULL &&
        (codec->options.psp_keys = tl_psp_keys_open(codec->psp_keys_path, err)) == NULL)
        return FAL_ERR_FORM;
    if (codec->esp_keys_path != NULL &&
        (codec->options.esp_keys = tl_esp_keys_open(codec->esp_keys_path, err)) == NULL)
        return FAL_ERR_FORM;
    return 0;
}

struct talon_codec *talon_codec_new(const char *const *words, size_t count,
                                    struct talon_error *err)
{
    struct talon_codec *codec = count <= 1000 ? calloc(1, sizeof *codec) : NULL;
    struct fal_error why = {{0}};

    if (codec == NULL) {
        (void)tl_lib_fail_text(err, TALON_ERR_MEM, "out of memory");
        return NULL;
    }
    codec->num_words = count;
    codec->words = tl_lib_words("codec", words, count);
    codec->scratch = malloc(TL_FRAME_MAX);
    if (codec->words == NULL || codec->scratch == NULL)
        (void)tl_lib_fail_text(err, TALON_ERR_MEM, "out of memory, or a word is NULL");
    else if (prepare(codec, &why) == 0)
        return codec;
    else
        (void)tl_lib_fail(err, TALON_ERR_FORM, &why);
    talon_codec_free(codec);
    return NULL;
}

void talon_codec_free(struct talon_codec *codec)
{
    if (codec == NULL)
        return;
    fal_psp_keys_free(codec->options.psp_keys);
    fal_esp_keys_free(codec->options.esp_keys);
    tl_lib_words_free(codec->words, codec->num_words);
    free(codec->scratch);
    free(codec);
}

void talon_free(char *text)
{
    free(text);
}

/* ---- decoding ---- */

static int decode(struct talon_codec *codec, const struct talon_frame *frame, uint64_t number,
                  struct talon_error *err)
{
    struct tl_captured got;
    int rc = tl_lib_frame(frame, &got, err);

    if (rc != 0)
        return rc;
    codec->frame.number = number;
    codec->frame.ts_ns = got.ts_ns;
    /* Its link type is known. */
    FAL_IGNORE(
        fal_frame_decode(&(struct fal_captured){got.bytes, got.caplen, got.len, got.linktype},
                         &codec->options, codec->scratch, &codec->frame));
    return 0;
}

static void ipv4(const struct fal_ipv4 *header, struct talon_packet *out)
{
    uint32_t src = htobe32(header->src), dst = htobe32(header->dst);

    out->ip_version = 4;
    out->ecn = header->ecn;
    out->hop_limit = header->ttl;
    memcpy(out->source, &src, sizeof src);
    memcpy(out->destination, &dst, sizeof dst);
}

static void put_address(fal_u128 address, uint8_t out[16])
{
    uint64_t wide[2] = {htobe64(fal_u128_hi(address)), htobe64(fal_u128_lo(address))};

    memcpy(out, wide, sizeof wide);
}

static void ipv6(const struct fal_ipv6 *header, struct talon_packet *out)
{
    out->ip_version = 6;
    out->ecn = header->ecn;
    out->hop_limit = header->hop_limit;
    put_address(header->src, out->source);
    put_address(header->dst, out->destination);
}

/* What carries the Falcon packet; the innermost of two IP headers. */
static void carrier(const struct fal_frame *frame, struct talon_packet *out)
{
    const uint32_t layers = fal_frame_layers(frame);

    if ((layers & FAL_LAYER_BIT(FAL_LAYER_INNER_IPV4)) != 0)
        ipv4(&frame->inner_ipv4, out);
    else if ((layers & FAL_LAYER_BIT(FAL_LAYER_INNER_IPV6)) != 0)
        ipv6(&frame->inner_ipv6, out);
    else if ((layers & FAL_LAYER_BIT(FAL_LAYER_IPV4)) != 0)
        ipv4(&frame->ipv4, out);
    else if ((layers & FAL_LAYER_BIT(FAL_LAYER_IPV6)) != 0)
        ipv6(&frame->ipv6, out);
    if ((layers & FAL_LAYER_BIT(FAL_LAYER_UDP)) != 0) {
        out->source_port = frame->udp.src_port;
        out->destination_port = frame->udp.dst_port;
    }
    if ((layers & FAL_LAYER_BIT(FAL_LAYER_PSP)) != 0) {
        out->flags |= (uint32_t)TALON_PACKET_SEALED;
        out->spi = frame->psp.spi;
        out->iv = frame->psp.iv;
        out->flags |= frame->psp_state == FAL_PSP_GOOD ? (uint32_t)TALON_PACKET_OPENED : 0;
    }
    if ((layers & FAL_LAYER_BIT(FAL_LAYER_ESP)) != 0) {
        out->flags |= (uint32_t)TALON_PACKET_SEALED;
        out->spi = frame->esp.spi;
        out->flags |= frame->esp_state == FAL_PSP_GOOD ? (uint32_t)TALON_PACKET_OPENED : 0;
    }
}

static void bitmap(fal_u128 bits, uint64_t out[2])
{
    out[0] = fal_u128_lo(bits);
    out[1] = fal_u128_hi(bits);
}

static void falcon(const struct fal_falcon *header, struct talon_packet *out)
{
    out->version = header->version;
    out->type = header->packet_type;
    out->dest_cid = header->dest_cid;
    out->dest_function = header->dest_function;
    out->protocol_type = header->protocol_type;
    out->ack_req = header->ack_req;
    out->psn = header->psn;
    out->rsn = header->rsn;
    out->request_length = header->request_length;
    out->recv_data_base_psn = header->recv_data_base_psn;
    out->recv_req_base_psn = header->recv_req_base_psn;
    bitmap(header->data_ack_bitmap, out->data_ack_bitmap);
    bitmap(header->data_rx_bitmap, out->data_rx_bitmap);
    out->req_bitmap = header->req_bitmap;
    out->own = header->own;
    out->ecn_rx_count = header->ecn_rx_count;
    out->hop_count = header->hop_count;
    out->rx_buffer_occupancy = header->rx_buffer_occupancy;
    out->rue_info = header->rue_info;
    out->t1 = header->t1;
    out->t2 = header->t2;
    out->nack_code = header->nack_code;
    out->nack_psn = header->nack_psn;
    out->window = header->window;
    out->rnr_timeout = header->rnr_timeout;
    out->ulp_nack_code = header->ulp_nack_code;
    out->resync_code = header->resync_code;
    out->resync_packet_type = header->resync_packet_type;
    out->vendor_defined = header->vendor_defined;
}

int talon_decode(struct talon_codec *codec, const struct talon_frame *frame,
                 const struct talon_packet **packet, struct talon_error *err)
{
    const struct fal_frame *f = &codec->frame;
    struct talon_packet *out = &codec->packet;
    int rc = decode(codec, frame, 0, err);

    if (rc != 0)
        return rc;
    *out = (struct talon_packet){.payload = f->payload.bytes,
                                 .payload_length = f->payload.len,
                                 .num_issues = f->issues.count};
    carrier(f, out);
    if (fal_frame_has(f, FAL_LAYER_FALCON)) {
        out->flags |= (uint32_t)TALON_PACKET_FALCON;
        falcon(&f->falcon, out);
    }
    out->flags |= f->damaged ? (uint32_t)TALON_PACKET_DAMAGED : 0;
    out->flags |= f->truncated ? (uint32_t)TALON_PACKET_TRUNCATED : 0;
    out->flags |= f->fragment ? (uint32_t)TALON_PACKET_FRAGMENT : 0;
    if (f->issues.count > 0) {
        out->flags |= (uint32_t)TALON_PACKET_ISSUES;
        out->issue = f->issues.list[0].message;
    }
    *packet = out;
    return 0;
}

int talon_decode_json(struct talon_codec *codec, const struct talon_frame *frame,
                      uint64_t number, char **text, struct talon_error *err)
{
    json_t *json;
    int rc = decode(codec, frame, number, err);

    if (rc != 0)
        return rc;
    json = fal_json_frame(&codec->frame);
    *text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return *text != NULL ? 0 : tl_lib_fail_text(err, TALON_ERR_MEM, "out of memory");
}

int talon_decode_text(struct talon_codec *codec, const struct talon_frame *frame,
                      uint64_t number, char **text, struct talon_error *err)
{
    int rc = decode(codec, frame, number, err);
    size_t len;

    if (rc != 0)
        return rc;
    *text = malloc(TEXT_MAX);
    if (*text == NULL)
        return tl_lib_fail_text(err, TALON_ERR_MEM, "out of memory");
    (void)fal_frame_text(&codec->frame, codec->frame.ts_ns, codec->options.falcon_port, *text,
                         TEXT_MAX);
    len = strlen(*text);
    if (len > 0 && (*text)[len - 1] == '\n')
        (*text)[len - 1] = '\0';
    return 0;
}

/* ---- encoding ---- */

/* The reason why fal_frame_encode_with refused the frame. */
static int not_encoded(const struct talon_codec *codec, int code, const struct fal_field *bad,
                       struct talon_error *err)
{
    const struct fal_frame *frame = &codec->frame;
    struct fal_error why;

    if (code == FAL_ERR_KEY)
        (void)fal_fail(&why, code, "there is no key for SPI 0x%08" PRIx32,
                       fal_frame_has(frame, FAL_LAYER_ESP) ? frame->esp.spi : frame->psp.spi);
    else if (code == FAL_ERR_RANGE && bad != NULL)
        (void)fal_fail(&why, code, "%s: the value does not fit in %u bits", bad->name,
                       (unsigned)bad->width_bits);
    else if (code == FAL_ERR_SHORT)
        (void)fal_fail(&why, code, "the frame is longer than the buffer");
    else if (code == FAL_ERR_MEM)
        (void)fal_fail(&why, code, "out of memory");
    else
        (void)fal_fail(&why, code, "the frame cannot be encoded");
    return tl_lib_fail(err, code, &why);
}

int talon_encode(struct talon_codec *codec, const char *line, uint8_t *out, size_t capacity,
                 struct talon_frame *frame, struct talon_error *err)
{
    const struct fal_frame_keys keys = {codec->options.psp_keys, codec->options.esp_keys};
    const struct fal_field *bad = NULL;
    struct fal_error why = {{0}};
    unsigned keep = 0;
    int len =
        fal_frame_line_read(&codec->reader, line, strlen(line), &codec->frame, &keep, &why);

    if (len == 0)
        return tl_lib_fail_text(err, TALON_ERR_FORM, "the line has no packet");
    if (len < 0)
        return tl_lib_fail(err, len, &why);
    len = fal_frame_encode_with(&codec->frame, &keys, keep, out, capacity, &bad);
    if (len < 0)
        return not_encoded(codec, len, bad, err);
    *frame = (struct talon_frame){
        .time_ns = codec->frame.ts_ns,
        .bytes = out,
        .captured = (uint32_t)len,
        .length = (uint32_t)len + (codec->frame.len - codec->frame.caplen),
        .linktype = codec->frame.linktype,
    };
    return 0;
}
