/* SPDX-License-Identifier: Apache-2.0
 * pcapng_write.c - blocks of pcapng to bytes. */
#include "codecs/pcapng/pcapng_wire.h"

enum { TEXT_MAX = 65535, NAME_MAX_LEN = 65000, RECORD_END = 0, RECORD_IPV4 = 1 };

/* Bytes so far; nothing is written once there is no room. */
struct out {
    uint8_t *bytes;
    size_t len, cap;
    bool full;
};

static uint8_t *room(struct out *out, size_t n)
{
    uint8_t *at = out->bytes + out->len;

    if (out->full || n > out->cap - out->len) {
        out->full = true;
        return NULL;
    }
    out->len += n;
    return at;
}

static void put(struct out *out, uint64_t value, unsigned n)
{
    uint8_t *at = room(out, n);

    for (unsigned i = 0; at != NULL && i < n; i++, value >>= 8)
        at[i] = (uint8_t)value;
}

static void put_bytes(struct out *out, const void *bytes, size_t len)
{
    size_t padded = pcapng_padded(len);
    uint8_t *at = room(out, padded);

    if (at == NULL || len == 0)
        return;
    memcpy(at, bytes, len);
    memset(at + len, 0, padded - len);
}

static void put_option(struct out *out, unsigned code, const void *bytes, size_t len)
{
    put(out, code, 2);
    put(out, len, 2);
    put_bytes(out, bytes, len);
}

static void put_number(struct out *out, unsigned code, uint64_t value, unsigned n)
{
    put(out, code, 2);
    put(out, n, 2);
    put(out, value, n);
}

static void begin(struct out *out, uint32_t type)
{
    put(out, type, 4);
    put(out, 0, 4); /* the length, when it is known */
}

static int end(struct out *out)
{
    struct out again;

    put(out, out->len + 4, 4);
    if (out->full)
        return FAL_ERR_SHORT;
    again = (struct out){.bytes = out->bytes, .len = 4, .cap = out->cap};
    put(&again, out->len, 4);
    return (int)out->len;
}

static struct out start(uint8_t *bytes, size_t cap)
{
    return (struct out){.bytes = bytes, .cap = cap < INT32_MAX ? cap : INT32_MAX};
}

int fal_pcapng_write_section(const char *application, uint8_t *bytes, size_t cap)
{
    struct out out = start(bytes, cap);

    if (application != NULL && strlen(application) > TEXT_MAX)
        return FAL_ERR_RANGE;
    begin(&out, PCAPNG_BLOCK_SECTION);
    put(&out, PCAPNG_MAGIC, 4);
    put(&out, PCAPNG_VERSION, 2);
    put(&out, 0, 2);
    put(&out, UINT64_MAX, 8); /* the section ends where the next begins */
    if (application != NULL) {
        put_option(&out, PCAPNG_OPT_APPLICATION, application, strlen(application));
        put(&out, PCAPNG_OPT_END, 4);
    }
    return end(&out);
}

int fal_pcapng_write_interface(const struct fal_pcapng_interface *interface, uint8_t *bytes,
                               size_t cap)
{
    struct out out = start(bytes, cap);
    const uint8_t tsresol = interface->tsresol;

    if (interface->linktype > UINT16_MAX || interface->name.len > TEXT_MAX ||
        interface->description.len > TEXT_MAX || interface->comment.len > TEXT_MAX)
        return FAL_ERR_RANGE;
    begin(&out, PCAPNG_BLOCK_INTERFACE);
    put(&out, interface->linktype, 2);
    put(&out, 0, 2);
    put(&out, interface->snaplen, 4);
    if (interface->name.len > 0)
        put_option(&out, PCAPNG_OPT_IF_NAME, interface->name.bytes, interface->name.len);
    if (interface->description.len > 0)
        put_option(&out, PCAPNG_OPT_IF_DESCRIPTION, interface->description.bytes,
                   interface->description.len);
    if (interface->comment.len > 0)
        put_option(&out, PCAPNG_OPT_COMMENT, interface->comment.bytes, interface->comment.len);
    put_option(&out, PCAPNG_OPT_IF_TSRESOL, &tsresol, 1);
    if (interface->tsoffset_s != 0)
        put_number(&out, PCAPNG_OPT_IF_TSOFFSET, (uint64_t)interface->tsoffset_s, 8);
    put(&out, PCAPNG_OPT_END, 4);
    return end(&out);
}

int fal_pcapng_write_names(const struct fal_pcapng_name *names, size_t n, uint8_t *bytes,
                           size_t cap)
{
    struct out out = start(bytes, cap);

    begin(&out, PCAPNG_BLOCK_NAMES);
    for (size_t i = 0; i < n; i++) {
        size_t len = 4 + strlen(names[i].name) + 1;
        uint8_t *at;

        if (len > NAME_MAX_LEN)
            return FAL_ERR_RANGE;
        put(&out, RECORD_IPV4, 2);
        put(&out, len, 2);
        at = room(&out, pcapng_padded(len));
        if (at == NULL)
            break;
        memset(at, 0, pcapng_padded(len));
        for (unsigned k = 0; k < 4; k++) /* as the wire has it */
            at[k] = (uint8_t)(names[i].ipv4 >> (24 - 8 * k));
        memcpy(at + 4, names[i].name, len - 5);
    }
    put(&out, RECORD_END, 4);
    return end(&out);
}

int fal_pcapng_write_packet(const struct fal_pcapng_packet *packet, uint8_t *bytes, size_t cap)
{
    struct out out = start(bytes, cap);

    if (packet->caplen > FAL_PCAPNG_FRAME_MAX || packet->num_comments > FAL_PCAPNG_COMMENTS_MAX)
        return FAL_ERR_RANGE;
    begin(&out, PCAPNG_BLOCK_PACKET);
    put(&out, packet->interface, 4);
    put(&out, packet->ts_ns >> 32, 4);
    put(&out, packet->ts_ns & UINT32_MAX, 4);
    put(&out, packet->caplen, 4);
    put(&out, packet->len, 4);
    put_bytes(&out, packet->bytes, packet->caplen);
    for (size_t i = 0; i < packet->num_comments; i++) {
        if (packet->comments[i].len > TEXT_MAX)
            return FAL_ERR_RANGE;
        put_option(&out, PCAPNG_OPT_COMMENT, packet->comments[i].bytes,
                   packet->comments[i].len);
    }
    if (packet->has_flags)
        put_number(&out, PCAPNG_OPT_FLAGS, packet->flags, 4);
    if (packet->drops > 0)
        put_number(&out, PCAPNG_OPT_DROPS, packet->drops, 8);
    if (packet->has_id)
        put_number(&out, PCAPNG_OPT_PACKET_ID, packet->id, 8);
    if (packet->num_comments > 0 || packet->has_flags || packet->drops > 0 || packet->has_id)
        put(&out, PCAPNG_OPT_END, 4);
    return end(&out);
}

int fal_pcapng_write_statistics(const struct fal_pcapng_statistics *statistics, uint64_t ts_ns,
                                uint8_t *bytes, size_t cap)
{
    struct out out = start(bytes, cap);

    begin(&out, PCAPNG_BLOCK_STATISTICS);
    put(&out, statistics->interface, 4);
    put(&out, ts_ns >> 32, 4);
    put(&out, ts_ns & UINT32_MAX, 4);
    put_number(&out, PCAPNG_OPT_IFDROP, statistics->drops, 8);
    put(&out, PCAPNG_OPT_END, 4);
    return end(&out);
}
