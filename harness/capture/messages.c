/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/capture/messages.h"

#include "oracles/rules/facts/rdma.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RSNS = 64 }; /* the newest ones of a message: a copy has one of them */

struct message {
    struct tl_message_part sum; /* of all its packets: bytes, packets, whole */
    uint64_t flow, to;
    uint64_t low, high; /* addresses of a WRITE, offsets of a SEND: the part that was seen */
    uint64_t end;       /* with has_last: where it ends */
    uint64_t sink_va;
    uint64_t begin_at; /* address of the packet that was seen first, whose RSN is begin_rsn */
    uint32_t begin_rsn, low_rsn, high_rsn;
    uint32_t dest_qp, rmsn, r_key, sn;
    uint32_t size; /* of its first or middle packets; 0: none was seen */
    uint32_t rsns[RSNS];
    bool has_first, has_last;
};

struct tl_messages {
    uint64_t next; /* number of messages so far */
    size_t kept;
    struct message ring[];
};

struct tl_messages *tl_messages_new(size_t kept)
{
    struct tl_messages *messages = calloc(1, sizeof *messages + kept * sizeof *messages->ring);

    if (messages != NULL)
        messages->kept = kept;
    return messages;
}

void tl_messages_free(struct tl_messages *messages)
{
    free(messages);
}

/* One segment of a SEND or WRITE, as its headers describe it. */
struct segment {
    const struct tl_message_packet *packet;
    enum fal_rdma_place place;
    bool send;
    uint32_t rsn, dest_qp, rmsn, r_key, len;
    uint64_t at; /* address of a WRITE, offset of a SEND */
};

static bool has_rsn(const struct message *m, uint32_t rsn)
{
    unsigned n = m->sum.packets < RSNS ? m->sum.packets : RSNS;

    if ((int32_t)(rsn - m->low_rsn) < 0 || (int32_t)(rsn - m->high_rsn) > 0)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (m->rsns[i] == rsn)
            return true;
    return false;
}

static bool is_whole_size(enum fal_rdma_place place)
{
    return place == FAL_RDMA_FIRST || place == FAL_RDMA_MIDDLE;
}

/* Whether a WRITE goes on there: right after or before what was seen, or, when packets are
 * missing in between, as far from its first packet as the RSNs say. */
static bool write_goes_on(const struct message *m, const struct segment *s)
{
    uint32_t size = m->size != 0 ? m->size : is_whole_size(s->place) ? s->len : 0;
    int64_t steps = (int32_t)(s->rsn - m->begin_rsn);

    if (s->at == m->high || (s->at + s->len == m->low && !m->has_first))
        return true;
    return size != 0 && steps != 0 && s->at - m->begin_at == (uint64_t)steps * size;
}

static bool goes_on(const struct message *m, const struct segment *s)
{
    if (m->sum.whole || m->flow != s->packet->flow || m->dest_qp != s->dest_qp ||
        (m->sum.kind == TL_MESSAGE_SEND) != s->send || m->sum.kind > TL_MESSAGE_WRITE)
        return false;
    if ((s->place == FAL_RDMA_FIRST && m->has_first) ||
        (s->place == FAL_RDMA_LAST && m->has_last))
        return false;
    if (s->send)
        return m->rmsn == s->rmsn;
    return m->r_key == s->r_key && write_goes_on(m, s);
}

/* The message that `i` others followed; NULL: it is forgotten, or there is none. */
static struct message *newest(struct tl_messages *messages, uint64_t i)
{
    return i < messages->next && i < messages->kept
               ? &messages->ring[(messages->next - 1 - i) % messages->kept]
               : NULL;
}

static struct message *add(struct tl_messages *messages, const struct tl_message_packet *packet,
                           enum tl_message_kind kind)
{
    struct message *m = &messages->ring[messages->next % messages->kept];

    *m = (struct message){.flow = packet->flow, .to = packet->to};
    m->sum.message = ++messages->next;
    m->sum.first_at = packet->at;
    m->sum.kind = kind;
    return m;
}

/* The message of a segment; a new one for a segment of none that is known. *copy: it was seen
 * before. */
static struct message *message_of(struct tl_messages *messages, const struct segment *s,
                                  bool *copy)
{
    struct message *m;

    *copy = true;
    for (uint64_t i = 0; (m = newest(messages, i)) != NULL; i++)
        if (m->flow == s->packet->flow && m->sum.kind <= TL_MESSAGE_WRITE && has_rsn(m, s->rsn))
            return m;
    *copy = false;
    for (uint64_t i = 0; (m = newest(messages, i)) != NULL; i++)
        if (goes_on(m, s))
            return m;
    m = add(messages, s->packet, s->send ? TL_MESSAGE_SEND : TL_MESSAGE_WRITE);
    m->dest_qp = s->dest_qp;
    m->rmsn = s->rmsn;
    m->r_key = s->r_key;
    m->low = m->high = m->begin_at = s->at;
    m->begin_rsn = m->low_rsn = m->high_rsn = s->rsn;
    return m;
}

static void join(struct message *m, const struct segment *s)
{
    m->rsns[m->sum.packets++ % RSNS] = s->rsn;
    m->sum.bytes += s->len;
    if ((int32_t)(s->rsn - m->low_rsn) < 0)
        m->low_rsn = s->rsn;
    if ((int32_t)(s->rsn - m->high_rsn) > 0)
        m->high_rsn = s->rsn;
    if (s->at < m->low)
        m->low = s->at;
    if (s->at + s->len > m->high)
        m->high = s->at + s->len;
    if (is_whole_size(s->place) && m->size == 0)
        m->size = s->len;
    m->has_first = m->has_first || s->place == FAL_RDMA_FIRST;
    if (s->place == FAL_RDMA_LAST) {
        m->has_last = true;
        m->end = s->at + s->len;
    }
    m->sum.whole = m->has_first && m->has_last && m->end - m->low == m->sum.bytes;
}

static bool take_segment(struct tl_messages *messages, const struct segment *s,
                         struct tl_message_part *part)
{
    bool copy;
    struct message *m = message_of(messages, s, &copy);

    if (!copy)
        join(m, s);
    *part = m->sum;
    part->copy = copy;
    part->len = s->len;
    part->has_offset = s->send || m->has_first;
    part->offset = s->send ? s->at : s->at - m->low;
    part->whole = m->sum.whole && !copy;
    return true;
}

/* Of a request of Falcon's pull: READs have a RETH, atomic operations have none. */
static bool is_read(unsigned opcode)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);

    for (size_t i = 0; i < kind->num_headers; i++)
        if (kind->headers[i] == FAL_RDMA_RETH)
            return true;
    return false;
}

static bool take_request(struct tl_messages *messages, const struct tl_message_packet *packet,
                         struct tl_message_part *part)
{
    const struct fal_rdma *rdma = &packet->ulp->rdma;
    bool read = is_read(rdma->rbth.opcode);
    struct message *m;

    for (uint64_t i = 0; (m = newest(messages, i)) != NULL; i++)
        if (m->flow == packet->flow && m->sum.kind >= TL_MESSAGE_READ &&
            m->rsns[0] == packet->falcon->rsn) {
            *part = m->sum;
            part->copy = true;
            return true;
        }
    m = add(messages, packet, read ? TL_MESSAGE_READ : TL_MESSAGE_ATOMIC);
    m->rsns[0] = packet->falcon->rsn;
    m->sn = rdma->rbth.sequence_number;
    m->sink_va = rdma->steth.virtual_address;
    m->sum.bytes = rdma->reth.length;
    m->sum.packets = 1;
    *part = m->sum;
    return true;
}

/* A response returns the RSN, the sequence number and the STETH of its request
 * (RDMA 8.2, 8.3.4).
 */
static bool take_response(struct tl_messages *messages, const struct tl_message_packet *packet,
                          size_t data, struct tl_message_part *part)
{
    const struct fal_rdma *rdma = &packet->ulp->rdma;
    struct message *m;

    for (uint64_t i = 0; (m = newest(messages, i)) != NULL; i++) {
        if (m->sum.kind < TL_MESSAGE_READ || m->to != packet->back ||
            m->rsns[0] != packet->falcon->rsn || m->sn != rdma->rbth.sequence_number ||
            m->sink_va != rdma->steth.virtual_address)
            continue;
        *part = m->sum;
        part->response = true;
        part->copy = m->sum.whole;
        part->len = (uint32_t)data;
        part->whole = !m->sum.whole;
        m->sum.packets += !m->sum.whole;
        part->packets = m->sum.packets;
        m->sum.whole = true;
        return true;
    }
    return false;
}

bool tl_messages_take(struct tl_messages *messages, const struct tl_message_packet *packet,
                      struct tl_message_part *part)
{
    const struct fal_rdma *rdma = &packet->ulp->rdma;
    unsigned opcode = rdma->rbth.opcode, type = packet->falcon->packet_type;
    struct segment s = {.packet = packet, .rsn = packet->falcon->rsn};

    if (packet->ulp->state != FAL_ULP_READ || packet->ulp->protocol != FAL_PROTOCOL_RDMA ||
        type != fal_rdma_kind(opcode)->packet)
        return false;
    s.len = (uint32_t)fal_ulp_data_len(packet->ulp, packet->payload_len);
    if (type == FAL_PULL_DATA)
        return take_response(messages, packet, s.len, part);
    if (type == FAL_PULL_REQUEST)
        return take_request(messages, packet, part);
    s.place = fal_rdma_place(opcode);
    s.send = fal_rdma_is_send(opcode);
    if (s.place == FAL_RDMA_ONLY)
        return false;
    s.dest_qp = rdma->rbth.dest_qp;
    s.rmsn = rdma->seth.rmsn;
    s.r_key = rdma->reth.r_key;
    s.at = s.send ? rdma->oeth.message_offset : rdma->reth.virtual_address;
    return take_segment(messages, &s, part);
}

/* ---- in words ---- */

static const char *name_of(enum tl_message_kind kind)
{
    switch (kind) {
    case TL_MESSAGE_SEND: return "send";
    case TL_MESSAGE_WRITE: return "write";
    case TL_MESSAGE_READ: return "read";
    case TL_MESSAGE_ATOMIC: break;
    }
    return "atomic operation";
}

int tl_message_text(const struct tl_message_part *part, const char *word, char *out, size_t cap)
{
    char name[64], place[64] = "", whole[64] = "";

    if (part->message > 0)
        (void)snprintf(name, sizeof name, "%" PRIu64, part->message);
    else
        (void)snprintf(name, sizeof name, "of %.20s %" PRIu64, word, part->first_at);
    if (part->response)
        (void)snprintf(place, sizeof place, ", response");
    else if (part->kind <= TL_MESSAGE_WRITE && part->has_offset && part->len > 0)
        (void)snprintf(place, sizeof place, ", bytes %" PRIu64 " to %" PRIu64, part->offset,
                       part->offset + part->len - 1);
    else if (part->kind == TL_MESSAGE_READ)
        (void)snprintf(place, sizeof place, " of %" PRIu64 " bytes", part->bytes);
    if (part->whole && !part->response)
        (void)snprintf(whole, sizeof whole, ", whole: %u packets, %" PRIu64 " bytes",
                       part->packets, part->bytes);
    return snprintf(out, cap, "message %s: %s%s%s%s", name, name_of(part->kind), place,
                    part->copy ? ", again" : "", whole);
}
