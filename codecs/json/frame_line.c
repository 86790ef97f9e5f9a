/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/json/frame_line.h"

#include "codecs/json/json.h"
#include "codecs/text/text.h"

/* PATH_PORT: a source port (the path's entropy) that no tool takes for a protocol; tcpdump does
 * so with 49152, the first of the dynamic ones. */
enum { PS_PER_NS = 1000, PATH_PORT = 61440 };

/* The members that a line gave of those which are filled in here. */
struct given {
    bool iv, sequence_number, src_port;
};

/* A line of input, which need not end in a NUL. */
struct text {
    const char *at;
    size_t len;
};

/* ---- JSON ---- */

/* --ip is about lines that do not say: an empty "ipv6" says it for them. */
static bool name_ip(const struct fal_frame_line *reader, json_t *object)
{
    if (reader->ip_version != 6 || json_object_get(object, "layers") != NULL ||
        json_object_get(object, "ipv4") != NULL || json_object_get(object, "ipv6") != NULL)
        return true;
    if (reader->encap == FAL_ENCAP_BARE && json_object_get(object, "eth") == NULL &&
        json_object_get(object, "udp") == NULL && json_object_get(object, "psp") == NULL)
        return true;
    return json_object_set_new(object, "ipv6", json_object()) == 0;
}

/* Gives the lengths and checksums that the line does not their initial values, for each layer
 * of the frame that it has been read into: so there is nothing left to compute. */
static bool give_all(const struct fal_frame *frame, json_t *object)
{
    for (size_t i = 0; i < frame->num_layers; i++) {
        const struct fal_layout *layout = fal_layer_layout(frame->layers[i].id);
        const char *name = fal_layer_name(frame->layers[i].id);

        for (size_t k = 0; layout != NULL && k < layout->num_fields; k++) {
            const struct fal_field *f = &layout->fields[k];
            json_t *layer = json_object_get(object, name);

            if (f->kind != FAL_LENGTH && f->kind != FAL_CHECK)
                continue;
            if (layer == NULL && json_object_set_new(object, name, layer = json_object()) != 0)
                return false;
            if (json_object_get(layer, f->name) == NULL &&
                json_object_set_new(layer, f->name, json_integer((json_int_t)f->initial)) != 0)
                return false;
        }
    }
    return true;
}

/* The source port is covered by checksums, and some checksums are computed by reading: so it is
 * filled in first. */
static bool lacks_port(const struct fal_frame *frame, const json_t *object)
{
    return fal_frame_has(frame, FAL_LAYER_UDP) &&
           json_object_get(json_object_get(object, "udp"), "src_port") == NULL;
}

static bool give_port(json_t *object)
{
    json_t *udp = json_object_get(object, "udp");

    if (udp == NULL && json_object_set_new(object, "udp", udp = json_object()) != 0)
        return false;
    return json_object_set_new(udp, "src_port", json_integer(PATH_PORT)) == 0;
}

static int read_object(struct fal_frame_line *reader, json_t *object, struct fal_frame *frame,
                       unsigned *keep, struct fal_error *err)
{
    int status;

    if (json_is_object(object) && !name_ip(reader, object))
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    status =
        fal_json_read_frame(object, reader->encap, frame,
                            (struct fal_json_storage){reader->storage, reader->cap}, keep, err);
    if (status != 0 || (!reader->raw && !lacks_port(frame, object)))
        return status;
    if (reader->raw ? !give_all(frame, object) : !give_port(object))
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    return fal_json_read_frame(object, reader->encap, frame,
                               (struct fal_json_storage){reader->storage, reader->cap}, keep,
                               err);
}

static struct given given_of(const json_t *object)
{
    struct given given;

    given.iv = json_object_get(json_object_get(object, "psp"), "iv") != NULL ||
               json_object_get(json_object_get(object, "esp"), "iv") != NULL;
    given.sequence_number =
        json_object_get(json_object_get(object, "esp"), "sequence_number") != NULL;
    given.src_port = json_object_get(json_object_get(object, "udp"), "src_port") != NULL;
    return given;
}

/* Reads a packet that is a JSON object, and states in *given what it gives. */
static int read_json(struct fal_frame_line *reader, struct text line, struct given *given,
                     struct fal_frame *frame, unsigned *keep, struct fal_error *err)
{
    json_error_t at;
    json_t *object = json_loadb(line.at, line.len, JSON_REJECT_DUPLICATES, &at);
    int status;

    if (object == NULL)
        return fal_fail(err, FAL_ERR_FORM, "column %d: %s", at.column, at.text);
    status = read_object(reader, object, frame, keep, err);
    if (status == 0 && json_object_get(object, "ts_ns") == NULL)
        frame->ts_ns = reader->last_ns;
    *given = given_of(object);
    json_decref(object);
    return status;
}

/* ---- the notation ---- */

static int read_time(const struct fal_frame_line *reader, const struct fal_pattern *pattern,
                     uint64_t *ns, struct fal_error *err)
{
    uint64_t duration = 0;
    int status;

    *ns = reader->last_ns;
    switch (pattern->time) {
    case FAL_TIME_NONE: return 0;
    case FAL_TIME_WITHIN:
    case FAL_TIME_RANGE:
        return fal_fail(err, FAL_ERR_FORM,
                        "a range of times is for expectations; +T and @T say when a packet is");
    case FAL_TIME_AFTER:
    case FAL_TIME_AT: break;
    }
    status = fal_duration_ns(&pattern->from, NULL, &duration, err);
    if (status != 0)
        return status;
    if (pattern->time == FAL_TIME_AT)
        *ns = duration;
    else if (__builtin_add_overflow(reader->last_ns, duration, ns))
        return fal_fail(err, FAL_ERR_RANGE, "the time does not fit in 64 bits of nanoseconds");
    return 0;
}

static void swap64(uint64_t *a, uint64_t *b)
{
    uint64_t t = *a;

    *a = *b;
    *b = t;
}

static void swap_ends(struct fal_ipv4 *v4, struct fal_ipv6 *v6)
{
    fal_u128 wide = v6->src;
    uint32_t narrow = v4->src;

    v4->src = v4->dst;
    v4->dst = narrow;
    v6->src = v6->dst;
    v6->dst = wide;
}

/* From the SUT: the other way between the same two hosts. Ports stay: the destination's is the
 * protocol, the source's the path. */
static void turn_round(struct fal_frame *frame)
{
    swap64(&frame->eth.src, &frame->eth.dst);
    swap_ends(&frame->ipv4, &frame->ipv6);
    swap_ends(&frame->inner_ipv4, &frame->inner_ipv6);
}

static bool gives_length(const struct fal_pattern *pattern)
{
    for (size_t i = 0; i < pattern->num_items; i++)
        if (pattern->items[i].field->kind == FAL_LENGTH)
            return true;
    return false;
}

/* The packet that a pattern describes, all else at its initial value; relative numbers count
 * from 0. */
static int make_packet(struct fal_frame_line *reader, const struct fal_pattern *pattern,
                       struct fal_frame *frame, unsigned *keep, struct fal_error *err)
{
    struct fal_ulp_payload ulp;
    long long payload_len;
    int status;

    if (pattern->layout != NULL)
        fal_layout_init(pattern->layout, &frame->falcon);
    status = fal_pattern_apply(pattern, NULL, NULL, &frame->falcon, err);
    if (status == 0)
        status = fal_pattern_ulp(pattern, NULL, NULL, &frame->falcon, &ulp, err);
    if (status != 0)
        return status;
    payload_len = fal_pattern_payload_len(pattern, &frame->falcon);
    if (payload_len < 0)
        payload_len = (long long)ulp.headers_len + ulp.data_len + ulp.pad_len;
    if (payload_len > 0) {
        size_t len = (size_t)payload_len;

        if (len > reader->cap)
            return fal_fail(err, FAL_ERR_SHORT,
                            "payload_len: more bytes than a frame can have");
        memset(reader->storage, 0, len);
        memcpy(reader->storage, ulp.headers, len < ulp.headers_len ? len : ulp.headers_len);
        frame->payload = (struct fal_span){reader->storage, len};
    }
    if (gives_length(pattern))
        *keep |= FAL_KEEP_REQUEST_LENGTH;
    return 0;
}

static int read_notation(struct fal_frame_line *reader, const char *line, size_t len,
                         struct fal_frame *frame, unsigned *keep, struct fal_error *err)
{
    struct fal_pattern pattern;
    uint64_t ts_ns;
    int status;

    if (strlen(line) != len)
        return fal_fail(err, FAL_ERR_FORM, "column %zu: a NUL byte", strlen(line) + 1);
    status = fal_text_parse(line, &pattern, err);
    if (status == 0)
        status = read_time(reader, &pattern, &ts_ns, err);
    if (status != 0)
        return status;
    *frame = (struct fal_frame){.ts_ns = ts_ns};
    *keep = 0;
    if (pattern.hex_len == 0)
        status = make_packet(reader, &pattern, frame, keep, err);
    if (status != 0)
        return status;
    fal_frame_encapsulate(frame, reader->encap, reader->ip_version);
    if (pattern.hex_len > 0) {
        memcpy(reader->storage, pattern.hex, pattern.hex_len);
        frame->raw = (struct fal_span){reader->storage, pattern.hex_len};
        frame->layers[frame->num_layers - 1].id = FAL_LAYER_RAW;
    }
    if (pattern.dir == '<')
        turn_round(frame);
    return 0;
}

/* ---- both ---- */

/* An IV is the time of departure in picoseconds, and never used twice with one key. */
static void fill_iv(struct fal_frame_line *reader, struct fal_frame *frame)
{
    uint64_t iv = frame->ts_ns * PS_PER_NS;

    if (iv <= reader->last_iv)
        iv = reader->last_iv + 1;
    frame->psp.iv = frame->esp_iv.iv = iv;
    reader->last_iv = iv;
}

/* Nothing is computed: an ICV that is not given is zeros. */
static void keep_all(struct fal_frame *frame, unsigned *keep)
{
    static const uint8_t zeros[FAL_PSP_ICV_LEN];

    *keep = FAL_KEEP_LENGTHS | FAL_KEEP_CHECKSUMS | FAL_KEEP_REQUEST_LENGTH | FAL_KEEP_ICV;
    if (frame->psp_icv.len == 0)
        frame->psp_icv = (struct fal_span){zeros, sizeof zeros};
    if (frame->esp_icv.len == 0)
        frame->esp_icv = (struct fal_span){zeros, sizeof zeros};
}

int fal_frame_line_read(struct fal_frame_line *reader, const char *line, size_t len,
                        struct fal_frame *frame, unsigned *keep, struct fal_error *err)
{
    const char *at = line + strspn(line, " \t\r\n");
    struct given given = {false, false, false};
    int status;

    if (at == line + len || *at == '#')
        return 0;
    if (*at == '{' || *at == '[')
        status = read_json(reader, (struct text){line, len}, &given, frame, keep, err);
    else
        status = read_notation(reader, line, len, frame, keep, err);
    if (status != 0)
        return status;
    if (reader->raw)
        keep_all(frame, keep);
    if (!reader->raw && !given.iv &&
        (fal_frame_has(frame, FAL_LAYER_PSP) || fal_frame_has(frame, FAL_LAYER_ESP)))
        fill_iv(reader, frame);
    if (!reader->raw && !given.sequence_number && fal_frame_has(frame, FAL_LAYER_ESP))
        frame->esp.sequence_number = ++reader->last_sequence;
    if (!reader->raw && !given.src_port)
        frame->udp.src_port = PATH_PORT;
    reader->last_ns = frame->ts_ns;
    return 1;
}
