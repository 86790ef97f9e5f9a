/* SPDX-License-Identifier: Apache-2.0
 * check_item.c - frames become events. Each packet is judged twice: each side is once the SUT.
 */
#include "harness/check/check_item.h"

#include "harness/check/check_ulp.h"
#include "oracles/payload.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int tl_check_desk_init(struct tl_check_desk *desk)
{
    desk->scratch = malloc(TL_FRAME_MAX);
    desk->frame = calloc(1, sizeof *desk->frame);
    return desk->scratch == NULL || desk->frame == NULL ? FAL_ERR_MEM : 0;
}

void tl_check_desk_free(struct tl_check_desk *desk)
{
    free(desk->frame);
    free(desk->scratch);
    *desk = (struct tl_check_desk){NULL, NULL};
}

void tl_check_item_copy(struct tl_check_item *to, const struct tl_check_item *from)
{
    memcpy(to, from, from->opened ? sizeof *to : offsetof(struct tl_check_item, packet));
}

/* By layers, as any frame can be decoded. */
static void open_by_layers(const struct tl_check_options *options,
                           const struct tl_check_desk *desk, struct tl_check_item *item)
{
    const struct tl_captured *got = &item->got;
    struct fal_frame_options decode = options->frame;

    decode.no_content = true; /* the event of the packet is linted */
    desk->frame->number = item->number;
    desk->frame->ts_ns = got->ts_ns;
    /* The capture was opened: its link type is known. */
    FAL_IGNORE(fal_frame_decode(
        &(struct fal_captured){got->bytes, got->caplen, got->len, got->linktype}, &decode,
        desk->scratch, desk->frame));
    tl_check_packet_of(&options->frame, desk->frame, item->hash, &item->packet);
    if (item->hash)
        item->shard = tl_check_shard(item->packet.from, item->packet.to);
}

void tl_check_open(const struct tl_check_options *options, const struct tl_check_desk *desk,
                   struct tl_check_item *item)
{
    if (item->hash ||
        !tl_check_packet_usual(&options->frame, &item->got, item->number, &item->packet))
        open_by_layers(options, desk, item);
    item->opened = true;
}

/* ---- whom it concerns ---- */

static void tell(struct tl_check *check, struct tl_check_conn *conn, int sut, uint64_t t_ns)
{
    struct fal_event event = {.kind = FAL_EV_CONNECTION,
                              .index = check->index,
                              .t_ns = t_ns,
                              .conn = (uint32_t)(conn - check->conns) + 1,
                              .u.connection = conn->setup};

    if (sut == 1) {
        event.u.connection.sut = conn->setup.tester;
        event.u.connection.tester = conn->setup.sut;
    }
    if (!conn->listed[sut]) {
        conn->listed[sut] = true;
        conn->listed_at[sut] = check->index;
    }
    conn->told[sut] = true;
    if (sut == 0 || !check->both_ends)
        tl_check_event(check, sut, &event);
}

int tl_check_sut_side(const struct tl_check *check, const struct tl_check_conn *conn)
{
    if (check->options->have_sut)
        for (int side = 0; side < 2; side++)
            if (tl_host_eq(conn->host[side], check->options->sut))
                return side;
    return conn->given && !check->options->have_sut ? 0 : -1;
}

/* If SUTs are known, vantage and path are stated for them, and with events of their upper
 * layers silence means that nothing happened; so other ends are not judged. */
static bool judged(const struct tl_check *check, const struct tl_check_conn *conn, int side)
{
    if (!check->options->have_sut && !conn->given)
        return check->options->ulp == NULL && !check->any_given;
    return tl_check_sut_side(check, conn) == side;
}

/* Time of the judges, which never goes back. */
static uint64_t judge_time(struct tl_check *check, uint64_t at_ns)
{
    uint64_t t_ns = at_ns > check->first_ns ? at_ns - check->first_ns : 0;

    if (t_ns > check->last_ns)
        check->last_ns = t_ns;
    return check->last_ns;
}

/* So much later an event stands than its time says, because frames before it are younger. */
static uint64_t moved_ns(const struct tl_check *check, uint64_t at_ns, uint64_t t_ns)
{
    uint64_t own_ns = at_ns > check->first_ns ? at_ns - check->first_ns : 0;

    return t_ns - own_ns;
}

bool tl_check_control(struct tl_check *check, uint64_t at_ns, struct fal_event *event)
{
    struct tl_check_conn *conn = event->conn > 0 ? &check->conns[event->conn - 1] : NULL;
    int side = conn != NULL ? tl_check_sut_side(check, conn) : -1;

    if (conn != NULL && side < 0)
        return false;
    event->t_ns = judge_time(check, at_ns);
    if (event->kind == FAL_EV_ULP && event->u.ulp.has_within)
        event->u.ulp.within_ns += moved_ns(check, at_ns, event->t_ns);
    if (side >= 0 && !conn->told[side])
        tell(check, conn, side, event->t_ns);
    event->index = check->index++;
    tl_check_tell_story(check, event, side == 0);
    for (int sut = 0; sut < (check->both_ends ? 1 : 2); sut++)
        if (side < 0 || side == sut)
            tl_check_event(check, sut, event);
    return true;
}

/* ---- marks ---- */

void tl_check_gap(struct tl_check *check)
{
    static const enum fal_mark marks[] = {FAL_MARK_GAP_IN, FAL_MARK_GAP_OUT};

    if (check->both_ends) {
        check->now = check->index++;
        fal_judge_gap(check->judge[0], check->now, check->last_ns);
        return;
    }
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < 2; i++) {
            struct fal_event event = {.kind = FAL_EV_MARK,
                                      .index = check->index,
                                      .t_ns = check->last_ns,
                                      .u.mark = {marks[i], 0}};

            tl_check_event(check, side, &event);
        }
    }
    check->index++;
}

static void advance(struct tl_check *check, uint64_t t_ns)
{
    if (t_ns > check->last_ns)
        check->last_ns = t_ns;
}

void tl_check_marks(struct tl_check *check, const struct tl_check_item *item, unsigned marks)
{
    if ((marks & item->marks) == 0)
        return;
    advance(check, item->before_ns);
    if ((marks & item->marks & TL_CHECK_MISSED_EARLIER) != 0)
        tl_check_gap(check);
    if ((marks & item->marks & TL_CHECK_MISSED) != 0)
        tl_check_gap(check);
    if ((marks & item->marks & TL_CHECK_STEPPED) != 0) {
        struct fal_event step = {.kind = FAL_EV_MARK, .u.mark.mark = FAL_MARK_CLOCK_STEP};

        (void)tl_check_control(check, 0, &step);
    }
}

/* ---- packets ---- */

/* The event without its place, its connection and its direction. */
static void make_event(const struct tl_check_packet *from, bool with_ulp,
                       struct fal_event *event)
{
    struct fal_ev_packet *packet = &event->u.packet;

    event->kind = FAL_EV_PACKET;
    packet->dir = FAL_TO_SUT; /* until its receiver is known */
    packet->origin = FAL_ORIGIN_FOREIGN;
    packet->step = -1;
    packet->frame = (uint32_t)from->number;
    packet->path = from->path;
    packet->error_ns = 0;
    packet->truncated = from->truncated;
    packet->has_iv = from->has_iv;
    packet->iv = from->iv;
    packet->spi = from->spi;
    packet->carrier = from->carrier;
    packet->bad = FAL_BAD_NOT;
    packet->bytes = from->bytes;
    packet->len = from->len;
    packet->header_len = fal_falcon_decode(from->bytes, from->len, &packet->falcon);
    fal_event_unhashed(packet);
    packet->payload_hash = with_ulp ? fal_payload_hash(packet->payload, packet->payload_len)
                                    : fal_payload_mark(packet->payload, packet->payload_len);
}

static void judge_packet(struct tl_check *check, const struct tl_ulp *ulp,
                         const struct tl_check_packet *from)
{
    struct fal_event event;
    struct fal_ev_packet *packet = &event.u.packet;
    struct tl_check_conn *conn;
    int receiver = 0;

    make_event(from, ulp != NULL, &event);
    if (ulp != NULL)
        tl_check_ulp_like(ulp, packet);
    conn = tl_check_find(check, from->from, from->to, packet->falcon.dest_cid,
                         packet->header_len > 0, &receiver);
    if (conn == NULL) {
        check->strangers++;
        return;
    }
    event.index = check->index;
    event.t_ns = check->last_ns;
    event.conn = (uint32_t)(conn - check->conns) + 1;
    conn->heard[receiver] = true;
    check->packets++;
    check->unnamed += !judged(check, conn, 0) && !judged(check, conn, 1);
    tl_check_tell_story(check, &event, receiver == 0);
    for (int sut = 0; sut < 2; sut++) {
        if (!judged(check, conn, sut))
            continue;
        if (!conn->told[sut])
            tell(check, conn, sut, event.t_ns);
        packet->dir = receiver == sut ? FAL_TO_SUT : FAL_FROM_SUT;
        if (check->both_ends && sut == 1) /* the one judge has judged it */
            continue;
        tl_check_event(check, sut, &event);
    }
}

void tl_check_packet(struct tl_check *check, const struct tl_ulp *ulp,
                     const struct tl_check_item *item)
{
    const struct tl_check_packet *packet = &item->packet;

    advance(check, item->t_ns);
    if (item->hash && tl_check_seen_before(check, packet, item->shard, item->interface))
        ;
    else if (!packet->readable)
        check->strangers++;
    else if (packet->damaged && (ulp == NULL || !tl_check_ulp_bad(ulp)))
        check->damaged++; /* The path may have done it: it says nothing of its sender. */
    else
        judge_packet(check, ulp, packet);
    check->index++;
}
