/* SPDX-License-Identifier: Apache-2.0
 * sealer.c - seals and opens by means of the frame stack (codecs/frame/frame.h), which needs IP
 * and UDP headers around a packet; placeholder headers are added and removed, and never reach a
 * wire. */
#include "harness/wire/sealer.h"

#include "codecs/base/error.h"
#include "harness/wire/key_file.h"
#include "oracles/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OUTER_IP = 20,
    OUTER_UDP = 8,
    FRAME_MAX = 65535 + TL_SEAL_ROOM,
    MASTER_LEN = 32,
    SPI_BITS = 31, /* the bit above these selects the master key */
    ESP_KEY_LEN = 16,
    ESP_SALT_LEN = 4,
    KEY_TEXT = 2 * FAL_PSP_KEY_MAX + 1,
    CLEAR_LEN = 4,     /* of a Falcon packet: version and CID (7.1) */
    FIRST_SPI = 0x100, /* ESP reserves smaller SPIs */
};

struct tl_sealer {
    bool unproven; /* also return packets that fail the ICV check */
    enum fal_encap encap;
    struct fal_rng rng;
    uint32_t next_spi, sequence; /* of ESP */
    unsigned generation;         /* its lowest bit selects the current master key */
    uint8_t master[2][MASTER_LEN];
    json_t *issued, *learnt;        /* lists of SAs */
    const json_t *file, *own_file;  /* borrowed; NULL: keys are exchanged */
    size_t next_own;                /* index of the SA of own_file to issue next */
    struct fal_frame_keys to, from; /* packets to this end, and from this end */
    struct fal_frame frame;
    bool is_laid; /* `laid` is a frame of `laid_encap` as lay_out makes it */
    enum fal_encap laid_encap;
    struct fal_frame laid;
    uint8_t wrapped[FRAME_MAX], scratch[FRAME_MAX];
};

static bool is_esp(const struct tl_sealer *sealer)
{
    return sealer->encap == FAL_ENCAP_ESP_TRANSPORT || sealer->encap == FAL_ENCAP_ESP_TUNNEL;
}

static void hex(const uint8_t *bytes, size_t len, char *out)
{
    for (size_t i = 0; i < len; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static void draw(struct fal_rng *rng, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)fal_rng_next(rng);
}

static void drop_keys(struct fal_frame_keys *keys)
{
    fal_psp_keys_free(keys->psp);
    fal_esp_keys_free(keys->esp);
    *keys = (struct fal_frame_keys){0};
}

/* Replaces a list of SAs. Returns 0, or FAL_ERR_FORM, FAL_ERR_MEM with `err`; the old keys then
 * stay. */
static int read_keys(struct tl_sealer *sealer, json_t *sas, struct fal_frame_keys *keys,
                     struct fal_error *err)
{
    struct fal_frame_keys fresh = {0};
    json_t *file = json_pack("{s:O}", "sas", sas);

    if (file == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (is_esp(sealer))
        fresh.esp = fal_esp_keys_new(file, err);
    else
        fresh.psp = fal_psp_keys_new(file, err);
    json_decref(file);
    if (fresh.esp == NULL && fresh.psp == NULL)
        return FAL_ERR_FORM;
    drop_keys(keys);
    *keys = fresh;
    return 0;
}

struct tl_sealer *tl_sealer_new(enum fal_encap encap, uint64_t seed)
{
    struct tl_sealer *sealer = calloc(1, sizeof *sealer);

    if (sealer == NULL)
        return NULL;
    sealer->encap = encap;
    sealer->rng = fal_rng_split(seed, 0x5345);
    sealer->next_spi = FIRST_SPI + (uint32_t)fal_rng_below(&sealer->rng, 1u << 16);
    draw(&sealer->rng, sealer->master[0], MASTER_LEN);
    draw(&sealer->rng, sealer->master[1], MASTER_LEN);
    sealer->issued = json_array();
    sealer->learnt = json_array();
    if (sealer->issued == NULL || sealer->learnt == NULL) {
        tl_sealer_free(sealer);
        return NULL;
    }
    return sealer;
}

void tl_sealer_free(struct tl_sealer *sealer)
{
    if (sealer == NULL)
        return;
    drop_keys(&sealer->to);
    drop_keys(&sealer->from);
    json_decref(sealer->issued);
    json_decref(sealer->learnt);
    free(sealer);
}

static json_t *esp_sa(struct tl_sealer *sealer, const char *spi)
{
    uint8_t key[ESP_KEY_LEN], salt[ESP_SALT_LEN];
    char key_text[KEY_TEXT], salt_text[2 * ESP_SALT_LEN + 1];

    draw(&sealer->rng, key, sizeof key);
    draw(&sealer->rng, salt, sizeof salt);
    hex(key, sizeof key, key_text);
    hex(salt, sizeof salt, salt_text);
    return json_pack("{s:s, s:s, s:s, s:s}", "spi", spi, "algorithm", "aes-gcm-128", "key",
                     key_text, "salt", salt_text);
}

static json_t *psp_sa(struct tl_sealer *sealer, uint32_t spi, const char *spi_text)
{
    uint8_t key[FAL_PSP_KEY_MAX];
    char text[KEY_TEXT];
    int len = fal_psp_derive(sealer->master[spi >> SPI_BITS], spi, 0, key);

    if (len < 0)
        return NULL;
    hex(key, (size_t)len, text);
    return json_pack("{s:s, s:i, s:s}", "spi", spi_text, "version", 0, "key", text);
}

void tl_sealer_file(struct tl_sealer *sealer, const json_t *file, bool own)
{
    if (!own) {
        sealer->file = file;
        return;
    }
    sealer->own_file = file;
    (void)tl_key_file_masters(file, sealer->master);
}

/* Returns the next SA of the file that belongs to the current generation. */
static json_t *own_sa(struct tl_sealer *sealer, uint32_t *spi)
{
    uint32_t generation = sealer->generation & 1;

    while (tl_key_file_spi(sealer->own_file, sealer->next_own, spi)) {
        sealer->next_own++;
        if (is_esp(sealer) || *spi >> SPI_BITS == generation)
            return tl_key_file_sa(sealer->own_file, is_esp(sealer), *spi);
    }
    return NULL;
}

/* Returns an SA of the file without its key. */
static int issue_own(struct tl_sealer *sealer, uint32_t *spi, json_t **sa)
{
    bool listed = json_object_get(sealer->own_file, "sas") != NULL;
    struct fal_error err;
    char text[16];
    json_t *made;

    if (!listed)
        *spi = (sealer->next_spi++ & ((1u << SPI_BITS) - 1)) |
               (uint32_t)(sealer->generation & 1) << SPI_BITS;
    made =
        listed ? own_sa(sealer, spi) : tl_key_file_sa(sealer->own_file, is_esp(sealer), *spi);
    if (made == NULL)
        return FAL_ERR_KEY;
    (void)snprintf(text, sizeof text, "0x%08" PRIx32, *spi);
    *sa = json_pack("{s:s}", "spi", text);
    if (*sa == NULL || json_array_append(sealer->issued, made) != 0 ||
        read_keys(sealer, sealer->issued, &sealer->to, &err) != 0) {
        json_decref(made);
        json_decref(*sa);
        return FAL_ERR_MEM;
    }
    json_decref(made);
    return 0;
}

void tl_sealer_issue_after(struct tl_sealer *sealer, uint32_t spi)
{
    sealer->next_spi = (spi & ((1u << SPI_BITS) - 1)) + 1;
}

int tl_sealer_issue(struct tl_sealer *sealer, uint32_t *spi, json_t **sa)
{
    struct fal_error err;
    char text[16];
    json_t *made;

    if (sealer->own_file != NULL)
        return issue_own(sealer, spi, sa);
    *spi = sealer->next_spi++ & ((1u << SPI_BITS) - 1);
    if (!is_esp(sealer))
        *spi |= (uint32_t)(sealer->generation & 1) << SPI_BITS;
    (void)snprintf(text, sizeof text, "0x%08" PRIx32, *spi);
    made = is_esp(sealer) ? esp_sa(sealer, text) : psp_sa(sealer, *spi, text);
    if (made == NULL || json_array_append(sealer->issued, made) != 0 ||
        read_keys(sealer, sealer->issued, &sealer->to, &err) != 0) {
        json_decref(made);
        return FAL_ERR_MEM;
    }
    *sa = made;
    return 0;
}

int tl_sealer_turn(struct tl_sealer *sealer)
{
    struct fal_error err;
    size_t i = 0;

    sealer->generation++;
    if (is_esp(sealer) || sealer->own_file != NULL) /* the file holds both generations */
        return 0;
    draw(&sealer->rng, sealer->master[sealer->generation & 1], MASTER_LEN);
    /* SAs issued under the overwritten key must not work any more. */
    while (i < json_array_size(sealer->issued)) {
        const char *text =
            json_string_value(json_object_get(json_array_get(sealer->issued, i), "spi"));

        if (strtoul(text, NULL, 16) >> SPI_BITS == (sealer->generation & 1))
            (void)json_array_remove(sealer->issued, i);
        else
            i++;
    }
    return read_keys(sealer, sealer->issued, &sealer->to, &err);
}

/* ESP's null algorithm has no key. */
static bool needs_key(const json_t *sa)
{
    const char *algorithm = json_string_value(json_object_get(sa, "algorithm"));

    return algorithm == NULL || strcmp(algorithm, "null") != 0;
}

int tl_sealer_learn(struct tl_sealer *sealer, const json_t *sa, uint32_t *spi,
                    struct fal_error *err)
{
    json_t *given = json_object_get(sa, "spi"), *copy, *longer;
    const char *text = json_string_value(given);
    int rc;

    if (given == NULL)
        return fal_fail(err, FAL_ERR_FORM, "sa: expected an object with spi and key");
    *spi =
        text != NULL ? (uint32_t)strtoul(text, NULL, 0) : (uint32_t)json_integer_value(given);
    if (sealer->file != NULL && json_object_get(sa, "key") == NULL) {
        copy = tl_key_file_sa(sealer->file, is_esp(sealer), *spi);
        if (copy == NULL)
            return fal_fail(err, FAL_ERR_FORM,
                            "sa: the key file has no SA for SPI 0x%08" PRIx32, *spi);
    } else if (json_object_get(sa, "key") == NULL && needs_key(sa)) {
        return fal_fail(err, FAL_ERR_FORM,
                        "sa: no key for SPI 0x%08" PRIx32 ", and no key file was given; give "
                        "one with %s, or send the key in the sa",
                        *spi, is_esp(sealer) ? "--esp-keys" : "--psp-keys");
    } else {
        copy = json_deep_copy(sa);
    }
    longer = json_copy(sealer->learnt);
    if (copy == NULL || longer == NULL || json_array_append(longer, copy) != 0) {
        json_decref(copy);
        json_decref(longer);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    json_decref(copy);
    rc = read_keys(sealer, longer, &sealer->from, err);
    if (rc != 0) {
        json_decref(longer);
        return rc;
    }
    json_decref(sealer->learnt);
    sealer->learnt = longer;
    return 0;
}

/* Builds the layers around a packet from IP on, with the Falcon packet as opaque bytes. */
static size_t outer_len(const struct tl_sealer *sealer)
{
    return fal_frame_has(&sealer->frame, FAL_LAYER_UDP) ? OUTER_IP + OUTER_UDP : OUTER_IP;
}

static enum fal_encap other_mode(enum fal_encap encap)
{
    switch (encap) {
    case FAL_ENCAP_PSP_TRANSPORT: return FAL_ENCAP_PSP_TUNNEL;
    case FAL_ENCAP_PSP_TUNNEL: return FAL_ENCAP_PSP_TRANSPORT;
    case FAL_ENCAP_ESP_TRANSPORT: return FAL_ENCAP_ESP_TUNNEL;
    case FAL_ENCAP_ESP_TUNNEL: return FAL_ENCAP_ESP_TRANSPORT;
    case FAL_ENCAP_UDP:
    case FAL_ENCAP_BARE:
    case FAL_ENCAP_COUNT: break;
    }
    return encap;
}

static void lay_out(struct tl_sealer *sealer, enum fal_encap encap)
{
    struct fal_frame *frame = &sealer->laid;

    if (!sealer->is_laid || sealer->laid_encap != encap) {
        *frame = (struct fal_frame){0};
        frame->falcon.packet_type = FAL_PUSH_DATA;
        fal_frame_encapsulate(frame, encap, 4);
        frame->linktype = FAL_LINKTYPE_RAW;
        frame->num_layers--; /* without Ethernet */
        memmove(frame->layers, frame->layers + 1, frame->num_layers * sizeof *frame->layers);
        sealer->is_laid = true;
        sealer->laid_encap = encap;
    }
    sealer->frame = *frame;
}

static void spoil_frame(enum tl_spoil spoil, bool has_vc, uint8_t *out, size_t *len)
{
    switch (spoil) {
    case TL_SPOIL_NOTHING: break;
    case TL_SPOIL_ICV: out[*len - 1] ^= 0x01; break;
    case TL_SPOIL_PAYLOAD: out[*len - FAL_PSP_ICV_LEN - 1] ^= 0x80; break;
    case TL_SPOIL_HEADER: out[15] ^= 0x04; break;
    case TL_SPOIL_CUT: *len -= FAL_PSP_ICV_LEN - 1; break;
    case TL_SPOIL_FLAGS: out[3] ^= 0x80; break;
    case TL_SPOIL_CLEAR: out[has_vc ? 24 : 16] ^= 0x01; break;
    }
}

void tl_sealer_unproven(struct tl_sealer *sealer)
{
    sealer->unproven = true;
}

int tl_sealer_seal(struct tl_sealer *sealer, const struct fal_seal *seal, enum tl_spoil spoil,
                   struct fal_span in, uint8_t *out, size_t cap)
{
    struct fal_frame *frame = &sealer->frame;
    const struct fal_field *bad;
    size_t skip, n;
    int rc;

    if (seal->flaw == FAL_SEAL_NONE) {
        if (in.len > cap)
            return FAL_ERR_SHORT;
        memcpy(out, in.bytes, in.len);
        return (int)in.len;
    }
    lay_out(sealer,
            seal->flaw == FAL_SEAL_OTHER_MODE ? other_mode(sealer->encap) : sealer->encap);
    frame->psp.spi = frame->esp.spi = seal->spi;
    frame->psp.iv = frame->esp_iv.iv = seal->iv;
    frame->psp.v = seal->has_vc;
    frame->psp_vc.vc = seal->vc;
    frame->esp.sequence_number = ++sealer->sequence;
    fal_frame_chain(frame);
    if (in.len < CLEAR_LEN && frame->psp.crypt_offset > 0)
        frame->psp.crypt_offset--; /* the packet is too short to leave anything in the clear */
    if (seal->flaw == FAL_SEAL_CRYPT_OFFSET)
        frame->psp.crypt_offset++;
    if (seal->flaw == FAL_SEAL_NEXT_HEADER)
        frame->psp.next_header = frame->esp_trailer.next_header = FAL_PROTOCOL_NONE;
    frame->layers[frame->num_layers - 1].id = FAL_LAYER_RAW;
    frame->raw = in;
    skip = outer_len(sealer);
    rc = fal_frame_encode_with(frame, &sealer->from, 0, sealer->wrapped, sizeof sealer->wrapped,
                               &bad);
    if (rc < 0)
        return rc;
    n = (size_t)rc - skip;
    if (n > cap)
        return FAL_ERR_SHORT;
    memcpy(out, sealer->wrapped + skip, n);
    spoil_frame(spoil, seal->has_vc, out, &n);
    return (int)n;
}

/* Puts the headers in front of a received packet. Returns their length. */
static size_t wrap(struct tl_sealer *sealer, const uint8_t *bytes, size_t len)
{
    const struct fal_field *bad;
    size_t skip;

    lay_out(sealer, sealer->encap);
    skip = outer_len(sealer);
    fal_frame_chain(&sealer->frame);
    sealer->frame.num_layers = skip == OUTER_IP ? 1 : 2;
    sealer->frame.payload = (struct fal_span){bytes, len};
    return fal_frame_encode_with(&sealer->frame, NULL, 0, sealer->wrapped,
                                 sizeof sealer->wrapped, &bad) < 0
               ? 0
               : skip;
}

bool tl_seal_is_clear(const uint8_t *bytes, size_t len)
{
    return len >= CLEAR_LEN && bytes[0] >> 4 == 1;
}

static bool is_tunnel(const struct fal_frame *frame)
{
    return fal_frame_has(frame, FAL_LAYER_INNER_IPV4) ||
           fal_frame_has(frame, FAL_LAYER_INNER_IPV6);
}

struct fal_carrier tl_carrier_of(const struct fal_frame *frame)
{
    uint32_t layers = fal_frame_layers(frame);
    bool tunnel, psp = (layers & FAL_LAYER_BIT(FAL_LAYER_PSP)) != 0;

    if (!psp && (layers & FAL_LAYER_BIT(FAL_LAYER_ESP)) == 0)
        return (struct fal_carrier){.known = true,
                                    .encap = (layers & FAL_LAYER_BIT(FAL_LAYER_UDP)) != 0
                                                 ? FAL_ENCAP_UDP
                                                 : FAL_ENCAP_BARE};
    tunnel = is_tunnel(frame);
    return (struct fal_carrier){
        .known = true,
        .encap = psp ? (tunnel ? FAL_ENCAP_PSP_TUNNEL : FAL_ENCAP_PSP_TRANSPORT)
                     : (tunnel ? FAL_ENCAP_ESP_TUNNEL : FAL_ENCAP_ESP_TRANSPORT),
        .next_header = psp ? frame->psp.next_header : frame->esp_trailer.next_header,
        .inner_protocol = fal_frame_has(frame, FAL_LAYER_INNER_IPV4)
                              ? frame->inner_ipv4.protocol
                          : tunnel ? frame->inner_ipv6.next_header
                                   : 0,
        .crypt_offset = psp ? frame->psp.crypt_offset : 0,
        .has_vc = psp && frame->psp.v,
        .vc = psp && frame->psp.v ? frame->psp_vc.vc : 0,
    };
}

/* The packet contains an inner IP header although the connection is not a tunnel. */
static void step_over_ip(struct tl_opened *out)
{
    unsigned version = out->len > 0 ? out->bytes[0] >> 4 : 0;
    size_t header = version == 4 ? 20 : version == 6 ? 40 : 0;

    if (out->len < header)
        return;
    out->bytes += header;
    out->len -= header;
}

int tl_sealer_open(struct tl_sealer *sealer, const uint8_t *bytes, size_t len,
                   struct tl_opened *out)
{
    const struct fal_frame_options options = {
        .psp_keys = sealer->to.psp, .esp_keys = sealer->to.esp, .unproven = sealer->unproven};
    struct fal_frame *frame = &sealer->frame;
    const struct fal_layer *falcon;
    size_t skip = len + OUTER_IP + OUTER_UDP <= UINT16_MAX ? wrap(sealer, bytes, len) : 0;

    *out = (struct tl_opened){.integrity = FAL_DAMAGED};
    if (tl_seal_is_clear(bytes, len)) {
        *out = (struct tl_opened){.integrity = FAL_INTACT,
                                  .carrier = {.known = true, .encap = FAL_ENCAP_UDP},
                                  .bytes = bytes,
                                  .len = len};
        return 0;
    }
    if (skip == 0)
        return 0;
    /* Raw IP is a known link type. */
    FAL_IGNORE(fal_frame_decode(
        &(struct fal_captured){sealer->wrapped, skip + len, skip + len, FAL_LINKTYPE_RAW},
        &options, sealer->scratch, frame));
    if (fal_frame_has(frame, FAL_LAYER_PSP))
        out->seal = (struct fal_seal){.present = true,
                                      .has_vc = frame->psp.v,
                                      .spi = frame->psp.spi,
                                      .iv = frame->psp.iv,
                                      .vc = frame->psp.v ? frame->psp_vc.vc : 0};
    else if (fal_frame_has(frame, FAL_LAYER_ESP))
        out->seal = (struct fal_seal){.present = true,
                                      .spi = frame->esp.spi,
                                      .iv = frame->esp_has_iv ? frame->esp_iv.iv : 0};
    else
        return FAL_ERR_TYPE;
    falcon = fal_frame_layer(frame, FAL_LAYER_FALCON);
    if (frame->psp_state != FAL_PSP_GOOD && frame->esp_state != FAL_PSP_GOOD) {
        out->integrity = FAL_NOT_OPENED;
        if (falcon != NULL) {
            out->bytes = frame->payload.bytes - falcon->len;
            out->len = frame->payload.len + falcon->len;
            return 0;
        }
        out->bytes = frame->psp_clear.bytes;
        out->len = frame->psp_clear.len;
        return 0;
    }
    out->carrier = tl_carrier_of(frame);
    out->integrity = frame->damaged ? FAL_DAMAGED : FAL_INTACT;
    out->bytes = falcon != NULL ? frame->payload.bytes - falcon->len : frame->raw.bytes;
    out->len = falcon != NULL ? frame->payload.len + falcon->len : frame->raw.len;
    if (falcon == NULL)
        step_over_ip(out);
    return 0;
}
