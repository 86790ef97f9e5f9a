/* SPDX-License-Identifier: Apache-2.0
 * pcapng_read.c - reads blocks of pcapng from bytes. Every length in a block is checked against
 * the bytes that exist. */
#include "codecs/pcapng/pcapng_wire.h"

#include <inttypes.h>

enum {
    NS_PER_S = 1000000000,
    US_PER_S = 1000000,
    TSRESOL_MICRO = 6,
    TSRESOL_BINARY = 0x80,
    TEN_TO_THE_19TH = 19
};

/* The unread rest of a block's body. */
struct body {
    const uint8_t *at;
    size_t left;
    bool big_endian;
};

static unsigned get16(const uint8_t *at, bool big_endian)
{
    uint16_t v;

    memcpy(&v, at, sizeof v);
    return big_endian ? be16toh(v) : le16toh(v);
}

static uint32_t get32(const uint8_t *at, bool big_endian)
{
    uint32_t v;

    memcpy(&v, at, sizeof v);
    return big_endian ? be32toh(v) : le32toh(v);
}

static uint64_t get64(const uint8_t *at, bool big_endian)
{
    uint64_t v;

    memcpy(&v, at, sizeof v);
    return big_endian ? be64toh(v) : le64toh(v);
}

static const uint8_t *step(struct body *body, size_t n)
{
    const uint8_t *at = body->at;

    body->at += n;
    body->left -= n;
    return at;
}

static unsigned take16(struct body *body)
{
    return get16(step(body, 2), body->big_endian);
}

static uint32_t take32(struct body *body)
{
    return get32(step(body, 4), body->big_endian);
}

/* ---- the head ---- */

static enum fal_pcapng_kind kind_of(uint32_t type)
{
    switch (type) {
    case PCAPNG_BLOCK_SECTION: return FAL_PCAPNG_SECTION;
    case PCAPNG_BLOCK_INTERFACE: return FAL_PCAPNG_INTERFACE;
    case PCAPNG_BLOCK_PACKET:
    case PCAPNG_BLOCK_OLD_PACKET:
    case PCAPNG_BLOCK_SIMPLE_PACKET: return FAL_PCAPNG_PACKET;
    case PCAPNG_BLOCK_STATISTICS: return FAL_PCAPNG_STATISTICS;
    default: return FAL_PCAPNG_OTHER;
    }
}

int fal_pcapng_head(const struct fal_pcapng_reader *reader,
                    const uint8_t head[FAL_PCAPNG_HEAD_LEN], enum fal_pcapng_kind *kind,
                    uint32_t *len, struct fal_error *err)
{
    uint32_t type = get32(head, reader->big_endian), magic = get32(head + 8, true);
    bool big_endian = reader->big_endian;

    if (type == PCAPNG_BLOCK_SECTION) {
        if (magic != PCAPNG_MAGIC && magic != PCAPNG_MAGIC_SWAPPED)
            return fal_fail(err, FAL_ERR_FORM,
                            "a section without the byte-order magic (0x%08" PRIx32 ")", magic);
        big_endian = magic == PCAPNG_MAGIC;
    } else if (!reader->in_section) {
        return fal_fail(err, FAL_ERR_FORM,
                        "no pcapng section, but a block of type 0x%08" PRIx32, type);
    }
    *kind = kind_of(type);
    *len = get32(head + 4, big_endian);
    if (*len < PCAPNG_FRAME || *len % 4 != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "a block cannot have %" PRIu32 " bytes: a multiple of 4 from 12 is due",
                        *len);
    return 0;
}

/* ---- options ---- */

struct option {
    unsigned code;
    struct fal_span value;
};

/* The next option: 1; 0 after the last; FAL_ERR_FORM when it runs out of its block. */
static int next_option(struct body *body, struct option *out, struct fal_error *err)
{
    size_t len;

    if (body->left == 0)
        return 0;
    if (body->left < 4)
        return fal_fail(err, FAL_ERR_FORM, "an option runs out of its block");
    out->code = take16(body);
    len = take16(body);
    if (out->code == PCAPNG_OPT_END)
        return 0;
    if (pcapng_padded(len) > body->left)
        return fal_fail(err, FAL_ERR_FORM, "option %u runs out of its block: it has %zu bytes",
                        out->code, len);
    out->value = (struct fal_span){body->at, len};
    body->at += pcapng_padded(len);
    body->left -= pcapng_padded(len);
    return 1;
}

static int wrong_length(const struct option *option, struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_FORM, "option %u cannot have %zu bytes", option->code,
                    option->value.len);
}

/* ---- sections and interfaces ---- */

static int read_section(struct fal_pcapng_reader *reader, const uint8_t *block, size_t len,
                        struct fal_error *err)
{
    bool big_endian = get32(block + 8, true) == PCAPNG_MAGIC;
    unsigned major;

    if (len < PCAPNG_FRAME + PCAPNG_SECTION_BODY)
        return fal_fail(err, FAL_ERR_FORM, "a section of %zu bytes: 28 are due at least", len);
    major = get16(block + 12, big_endian);
    if (major != PCAPNG_VERSION)
        return fal_fail(err, FAL_ERR_FORM, "pcapng of version %u: only 1 is known", major);
    reader->in_section = true;
    reader->big_endian = big_endian;
    reader->num_interfaces = 0;
    return 0;
}

static int interface_option(const struct option *option, bool big_endian,
                            struct fal_pcapng_interface *out, struct fal_error *err)
{
    const struct fal_span *value = &option->value;

    switch (option->code) {
    case PCAPNG_OPT_IF_NAME: out->name = *value; return 0;
    case PCAPNG_OPT_IF_TSRESOL:
        if (value->len != 1)
            return wrong_length(option, err);
        out->tsresol = *value->bytes;
        return 0;
    case PCAPNG_OPT_IF_TSOFFSET:
        if (value->len != 8)
            return wrong_length(option, err);
        out->tsoffset_s = (int64_t)get64(value->bytes, big_endian);
        return 0;
    default: return 0;
    }
}

static int read_interface(struct fal_pcapng_reader *reader, struct body *body,
                          struct fal_pcapng_interface *out, struct fal_error *err)
{
    struct option option = {0};
    int status;

    if (body->left < PCAPNG_INTERFACE_BODY)
        return fal_fail(err, FAL_ERR_FORM, "an interface of %zu bytes: 8 are due at least",
                        body->left);
    if (reader->num_interfaces == FAL_PCAPNG_INTERFACES_MAX)
        return fal_fail(err, FAL_ERR_FORM, "more than %d interfaces in a section",
                        FAL_PCAPNG_INTERFACES_MAX);
    *out = (struct fal_pcapng_interface){.tsresol = TSRESOL_MICRO};
    out->linktype = take16(body);
    (void)step(body, 2);
    out->snaplen = take32(body);
    while ((status = next_option(body, &option, err)) > 0)
        if (interface_option(&option, body->big_endian, out, err) != 0)
            return FAL_ERR_FORM;
    if (status < 0)
        return status;
    reader->interfaces[reader->num_interfaces] = *out;
    reader->interfaces[reader->num_interfaces++].name = (struct fal_span){0};
    return 0;
}

/* ---- times ---- */

/* `ticks` of 2^-bits s. Beyond 34 bits a fraction says less than a tenth of a nanosecond, and
 * would not fit the product. */
static uint64_t binary_ns(uint64_t ticks, unsigned bits, uint64_t *s)
{
    uint64_t fraction = ticks;

    *s = bits < 64 ? ticks >> bits : 0;
    if (bits < 64)
        fraction = ticks & ((UINT64_C(1) << bits) - 1);
    if (bits > 34) {
        fraction = bits - 34 < 64 ? fraction >> (bits - 34) : 0;
        bits = 34;
    }
    return fraction * NS_PER_S >> bits;
}

/* `ticks` of 10^-digits s. */
static uint64_t decimal_ns(uint64_t ticks, unsigned digits, uint64_t *s)
{
    uint64_t unit = 1, ns;

    if (digits == 9) { /* by a constant: these two are what programs write */
        *s = ticks / NS_PER_S;
        return ticks % NS_PER_S;
    }
    if (digits == TSRESOL_MICRO) {
        *s = ticks / US_PER_S;
        return ticks % US_PER_S * 1000;
    }
    if (digits > TEN_TO_THE_19TH) { /* all of them less than 2 s: the last digits are cut */
        for (; digits > TEN_TO_THE_19TH && ticks > 0; digits--)
            ticks /= 10;
        digits = TEN_TO_THE_19TH;
    }
    for (unsigned i = 0; i < digits; i++)
        unit *= 10;
    *s = ticks / unit;
    ns = ticks % unit;
    for (; digits > 9; digits--)
        ns /= 10;
    for (; digits < 9; digits++)
        ns *= 10;
    return ns;
}

static uint64_t time_ns(uint64_t ticks, const struct fal_pcapng_interface *interface)
{
    unsigned power = interface->tsresol & (TSRESOL_BINARY - 1u);
    bool binary = (interface->tsresol & TSRESOL_BINARY) != 0;
    uint64_t s, ns = binary ? binary_ns(ticks, power, &s) : decimal_ns(ticks, power, &s);
    const int64_t max_s = INT64_MAX / NS_PER_S - 1;
    int64_t sum;

    if (s > INT64_MAX)
        s = INT64_MAX;
    if (__builtin_add_overflow((int64_t)s, interface->tsoffset_s, &sum))
        sum = INT64_MAX; /* only the positive end can be passed: s is not negative */
    if (sum < 0)
        return 0;
    return sum > max_s ? INT64_MAX : (uint64_t)sum * NS_PER_S + ns;
}

/* ---- packets ---- */

static int packet_option(const struct option *option, bool big_endian,
                         struct fal_pcapng_packet *out, struct fal_error *err)
{
    const struct fal_span *value = &option->value;

    switch (option->code) {
    case PCAPNG_OPT_COMMENT:
        if (out->num_comments < FAL_PCAPNG_COMMENTS_MAX)
            out->comments[out->num_comments++] = *value;
        else
            out->comments_dropped++;
        return 0;
    case PCAPNG_OPT_FLAGS:
        if (value->len != 4)
            return wrong_length(option, err);
        out->has_flags = true;
        out->flags = get32(value->bytes, big_endian);
        return 0;
    case PCAPNG_OPT_DROPS:
        if (value->len != 8)
            return wrong_length(option, err);
        out->drops = get64(value->bytes, big_endian);
        return 0;
    case PCAPNG_OPT_PACKET_ID:
        if (value->len != 8)
            return wrong_length(option, err);
        out->has_id = true;
        out->id = get64(value->bytes, big_endian);
        return 0;
    default: return 0;
    }
}

static int no_interface(const struct fal_pcapng_packet *packet, struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_FORM,
                    "a packet of interface %" PRIu32 ", which no block describes",
                    packet->interface);
}

/* The frame's bytes, which stand at `body`. */
static int take_frame(struct body *body, struct fal_pcapng_packet *out, struct fal_error *err)
{
    if (out->caplen > body->left || pcapng_padded(out->caplen) > body->left)
        return fal_fail(err, FAL_ERR_FORM,
                        "a packet of %" PRIu32 " bytes in a block that has %zu for it",
                        out->caplen, body->left);
    if (out->caplen > FAL_PCAPNG_FRAME_MAX)
        return fal_fail(err, FAL_ERR_FORM, "has %" PRIu32 " bytes, more than any frame (%d)",
                        out->caplen, FAL_PCAPNG_FRAME_MAX);
    out->bytes = body->at;
    body->at += pcapng_padded(out->caplen);
    body->left -= pcapng_padded(out->caplen);
    if (out->len < out->caplen) /* a capture that says less than it has lies */
        out->len = out->caplen;
    return 0;
}

/* A block without interface, time and captured length. */
static int read_simple(const struct fal_pcapng_reader *reader, struct body *body,
                       struct fal_pcapng_packet *out, struct fal_error *err)
{
    uint32_t snaplen;

    if (reader->num_interfaces == 0)
        return no_interface(out, err);
    snaplen = reader->interfaces[0].snaplen;
    if (body->left < PCAPNG_SIMPLE_BODY)
        return fal_fail(err, FAL_ERR_FORM, "a packet block without its length");
    out->caplen = out->len = take32(body);
    if (snaplen != 0 && out->caplen > snaplen)
        out->caplen = snaplen;
    return take_frame(body, out, err);
}

static int read_packet(const struct fal_pcapng_reader *reader, struct body *body, bool old,
                       struct fal_pcapng_packet *out, struct fal_error *err)
{
    struct option option = {0};
    uint64_t ticks;
    int status;

    if (body->left < PCAPNG_PACKET_BODY)
        return fal_fail(err, FAL_ERR_FORM, "a packet block of %zu bytes: 20 are due at least",
                        body->left);
    out->interface = old ? take16(body) : take32(body);
    if (old) {
        out->drops = take16(body);
        if (out->drops == 0xffff) /* unknown */
            out->drops = 0;
    }
    if (out->interface >= reader->num_interfaces)
        return no_interface(out, err);
    ticks = take32(body);
    ticks = ticks << 32 | take32(body);
    out->ts_ns = time_ns(ticks, &reader->interfaces[out->interface]);
    out->caplen = take32(body);
    out->len = take32(body);
    status = take_frame(body, out, err);
    if (status != 0)
        return status;
    while ((status = next_option(body, &option, err)) > 0)
        if (packet_option(&option, body->big_endian, out, err) != 0)
            return FAL_ERR_FORM;
    return status;
}

static int read_statistics(const struct fal_pcapng_reader *reader, struct body *body,
                           struct fal_pcapng_statistics *out, struct fal_error *err)
{
    struct option option = {0};
    int status;

    if (body->left < PCAPNG_STATISTICS_BODY)
        return fal_fail(err, FAL_ERR_FORM,
                        "a statistics block of %zu bytes: 12 are due at least", body->left);
    *out = (struct fal_pcapng_statistics){.interface = take32(body)};
    (void)step(body, 8); /* its time */
    if (out->interface >= reader->num_interfaces)
        return fal_fail(err, FAL_ERR_FORM,
                        "statistics of interface %" PRIu32 ", which no block describes",
                        out->interface);
    while ((status = next_option(body, &option, err)) > 0) {
        if (option.code != PCAPNG_OPT_IFDROP && option.code != PCAPNG_OPT_OSDROP)
            continue;
        if (option.value.len != 8)
            return wrong_length(&option, err);
        if (__builtin_add_overflow(out->drops, get64(option.value.bytes, body->big_endian),
                                   &out->drops))
            out->drops = UINT64_MAX;
    }
    return status;
}

static void clear_packet(struct fal_pcapng_packet *out)
{
    /* Comments are written before they count: clearing them costs more than a packet. */
    memset(out, 0, offsetof(struct fal_pcapng_packet, comments));
}

int fal_pcapng_read(struct fal_pcapng_reader *reader, const uint8_t *block, size_t len,
                    struct fal_pcapng_block *out, struct fal_error *err)
{
    struct body body;
    uint32_t said = 0, type;

    if (len < FAL_PCAPNG_HEAD_LEN)
        return fal_fail(err, FAL_ERR_FORM, "a block of %zu bytes: 12 are due at least", len);
    if (fal_pcapng_head(reader, block, &out->kind, &said, err) != 0)
        return FAL_ERR_FORM;
    if (said != len)
        return fal_fail(err, FAL_ERR_FORM,
                        "a block of %" PRIu32 " bytes, of which %zu are there", said, len);
    body = (struct body){.at = block + 8, .left = len - PCAPNG_FRAME};
    body.big_endian = out->kind == FAL_PCAPNG_SECTION ? get32(block + 8, true) == PCAPNG_MAGIC
                                                      : reader->big_endian;
    if (get32(block + len - 4, body.big_endian) != said)
        return fal_fail(err, FAL_ERR_FORM,
                        "a block whose two lengths differ: %" PRIu32 ", %" PRIu32, said,
                        get32(block + len - 4, body.big_endian));
    switch (out->kind) {
    case FAL_PCAPNG_SECTION: return read_section(reader, block, len, err);
    case FAL_PCAPNG_INTERFACE: return read_interface(reader, &body, &out->interface, err);
    case FAL_PCAPNG_STATISTICS: return read_statistics(reader, &body, &out->statistics, err);
    case FAL_PCAPNG_OTHER: return 0;
    case FAL_PCAPNG_PACKET: break;
    }
    clear_packet(&out->packet);
    type = get32(block, reader->big_endian);
    if (type == PCAPNG_BLOCK_SIMPLE_PACKET)
        return read_simple(reader, &body, &out->packet, err);
    return read_packet(reader, &body, type == PCAPNG_BLOCK_OLD_PACKET, &out->packet, err);
}
