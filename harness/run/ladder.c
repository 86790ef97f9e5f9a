/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/ladder.h"

#include "harness/capture/messages.h"
#include "harness/capture/ncmds.h"
#include "harness/capture/packet_line.h"
#include "harness/run/ladder_posts.h"
#include "harness/session/session.h"
#include "harness/session/words/session_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BEFORE = 30,     /* packets shown before the evidence, */
    AFTER = 8,       /* and after it */
    WHOLE = 400,     /* at most, of a whole conversation */
    FIRST_ROOM = 64, /* places for packets that went, at first */
    MESSAGES = 64,   /* of RDMA, kept to find that of a packet */
};

/* A packet that has a PSN and went one way. */
struct gone {
    bool used, to_sut;
    uint8_t type, len;
    uint32_t cid, psn, rsn;
};

struct builder {
    struct gone *gone; /* a hash table of `room` places, a power of two */
    size_t room, num_gone;
    struct tl_case *c;
    struct fal_connection connection;
    struct tl_messages *messages;
    struct tl_posts *posts;
    struct tl_ncmds *ncmds;
    bool has_connection;
    bool ok;
};

static bool is_same(const struct gone *a, const struct gone *b)
{
    return a->to_sut == b->to_sut && a->type == b->type && a->len == b->len &&
           a->cid == b->cid && a->psn == b->psn && a->rsn == b->rsn;
}

/* Its place, or the free one where it belongs. */
static size_t slot_of(const struct builder *b, const struct gone *g)
{
    uint64_t mixed = (((uint64_t)g->psn << 32 | g->rsn) + g->cid + g->to_sut + 2U * g->type) *
                     UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(mixed >> 32) & (b->room - 1);

    while (b->gone[slot].used && !is_same(&b->gone[slot], g))
        slot = (slot + 1) & (b->room - 1);
    return slot;
}

/* Keeps half of the table free. */
static bool make_room(struct builder *b)
{
    struct builder grown = {.room = b->room > 0 ? 2 * b->room : FIRST_ROOM};

    if (2 * (b->num_gone + 1) <= b->room)
        return true;
    grown.gone = calloc(grown.room, sizeof *grown.gone);
    if (grown.gone == NULL) {
        b->ok = false;
        return false;
    }
    for (size_t i = 0; i < b->room; i++)
        if (b->gone[i].used)
            grown.gone[slot_of(&grown, &b->gone[i])] = b->gone[i];
    free(b->gone);
    b->gone = grown.gone;
    b->room = grown.room;
    return true;
}

static bool is_evidence(const struct tl_case *c, uint64_t event)
{
    for (size_t i = 0; i < c->num_problems; i++)
        for (size_t k = 0; k < c->problems[i].num_evidence; k++)
            if (c->problems[i].evidence[k] == event)
                return true;
    return false;
}

static struct tl_flow_item *add(struct builder *b, enum tl_flow_kind kind,
                                const struct fal_event *event, const char *text)
{
    struct tl_flow_item *item = tl_case_flow(b->c);

    if (item == NULL) {
        b->ok = false;
        return NULL;
    }
    item->kind = kind;
    item->t_ns = event->t_ns;
    item->event = event->index;
    item->marked = is_evidence(b->c, event->index);
    item->text = strdup(text);
    b->ok &= item->text != NULL;
    return item;
}

/* Whether a header went that way before: the same type with the same PSN. Remembers it. */
static bool went_before(struct builder *b, const struct tl_flow_item *item)
{
    struct fal_falcon now = {0};
    const struct fal_layout *layout;
    struct gone gone;
    size_t slot;

    if (fal_falcon_decode(item->head, item->head_len, &now) <= 0)
        return false;
    layout = fal_falcon_layout(now.packet_type);
    if (layout == NULL || fal_layout_find(layout, "psn") == NULL)
        return false;
    gone = (struct gone){.used = true,
                         .to_sut = item->to_sut,
                         .type = (uint8_t)now.packet_type,
                         .len = item->head_len,
                         .cid = now.dest_cid,
                         .psn = now.psn,
                         .rsn = now.rsn};
    if (!make_room(b))
        return false;
    slot = slot_of(b, &gone);
    if (b->gone[slot].used)
        return true;
    b->gone[slot] = gone;
    b->num_gone++;
    return false;
}

/* Adds the headers of RDMA or NVMe to a packet's line, and the message that they belong to,
 * whose number *of gets. */
static void add_ulp(struct builder *b, const struct fal_event *event, char *line, size_t cap,
                    struct fal_ulp *ulp, struct tl_posts_packet *of)
{
    const struct fal_ev_packet *packet = &event->u.packet;
    const struct fal_ulp_bytes front = {.payload = packet->payload, .len = packet->payload_len};
    uint64_t to_sut = 2 * (uint64_t)event->conn, from_sut = to_sut + 1;
    bool there = packet->dir == FAL_TO_SUT;
    struct tl_message_part part;
    char text[TL_MESSAGE_TEXT];
    size_t len = strlen(line);

    fal_ulp_decode(&packet->falcon, packet->payload, packet->payload_len, ulp);
    of->bytes = fal_ulp_data_len(ulp, packet->payload_len);
    (void)fal_ulp_line(ulp, &front, packet->payload_len, line + len, cap - len);
    if (!tl_messages_take(b->messages,
                          &(struct tl_message_packet){.flow = there ? to_sut : from_sut,
                                                      .to = there ? to_sut : from_sut,
                                                      .back = there ? from_sut : to_sut,
                                                      .falcon = &packet->falcon,
                                                      .ulp = ulp,
                                                      .payload_len = packet->payload_len,
                                                      .at = event->index},
                          &part))
        return;
    len = strlen(line);
    (void)tl_message_text(&part, "event", text, sizeof text);
    (void)snprintf(line + len, cap - len, " # %s", text);
    of->message = part.message;
    of->bytes = part.bytes;
    of->whole = part.whole;
}

/* Says which command of NVMe the item belongs to, and adds it to the item's text. */
static void set_command(struct builder *b, struct tl_flow_item *item,
                        const struct tl_ncmds_place *place)
{
    char words[TL_NCMDS_TEXT], *text;

    item->command = place->command;
    item->part = place->part;
    item->ncmd = place->ncmd;
    if (place->command == 0 || item->text == NULL)
        return;
    (void)tl_ncmds_text(place, words, sizeof words);
    if (asprintf(&text, "%s # %s", item->text, words) < 0) {
        b->ok = false;
        return;
    }
    free(item->text);
    item->text = text;
}

static void take_command(struct builder *b, struct tl_flow_item *item,
                         const struct tl_posts_packet *packet)
{
    struct tl_ncmds_place place =
        tl_ncmds_take_packet(b->ncmds, &(struct tl_ncmds_packet){.conn = packet->conn,
                                                                 .to_sut = packet->to_sut,
                                                                 .falcon = packet->falcon,
                                                                 .ulp = packet->ulp});

    set_command(b, item, &place);
}

static void take_packet(struct builder *b, const struct fal_event *event)
{
    const struct fal_ev_packet *packet = &event->u.packet;
    char line[FAL_TEXT_MAX + FAL_ULP_TEXT_MAX + TL_MESSAGE_TEXT];
    struct tl_flow_item *item;
    struct fal_ulp ulp = {.state = FAL_ULP_NONE};
    struct tl_posts_packet of = {.conn = event->conn,
                                 .to_sut = packet->dir == FAL_TO_SUT,
                                 .falcon = &packet->falcon,
                                 .ulp = &ulp};
    size_t len;

    if (packet->header_len > 0) {
        tl_packet_line(event->conn == 1 ? &b->connection : NULL, packet->dir, &packet->falcon,
                       line, sizeof line);
        if (packet->payload_len > 0)
            add_ulp(b, event, line, sizeof line, &ulp, &of);
    } else {
        (void)fal_text_hex(packet->bytes, packet->len < 64 ? packet->len : 64, line,
                           sizeof line);
    }
    item = add(b, TL_FLOW_PACKET, event, line);
    if (item == NULL)
        return;
    item->message = of.message;
    of.item = b->c->num_flow - 1;
    item->to_sut = packet->dir == FAL_TO_SUT;
    item->step = packet->origin == FAL_ORIGIN_STEP ? packet->step : -1;
    len = packet->header_len > 0 ? (size_t)packet->header_len : 0;
    if (len > sizeof item->head)
        len = sizeof item->head;
    memcpy(item->head, packet->bytes, len);
    item->head_len = (uint8_t)len;
    item->again = went_before(b, item);
    if (ulp.state == FAL_ULP_READ) {
        tl_posts_take_packet(b->posts, b->c, &of);
        take_command(b, item, &of);
    }
}

/* The last packet that went that way did not arrive. */
static void drop_last(struct builder *b, bool to_sut)
{
    for (size_t i = b->c->num_flow; i-- > 0;) {
        struct tl_flow_item *item = &b->c->flow[i];

        if (item->kind == TL_FLOW_PACKET && item->to_sut == to_sut) {
            item->dropped = true;
            return;
        }
    }
}

/* Timers of the tester's endpoint, and the packets that the bench or the network took away. */
static void take_bench(struct builder *b, const struct fal_event *event)
{
    const struct fal_ev_bench *bench = &event->u.bench;
    const char *text = bench->text != NULL ? bench->text : "";
    struct tl_flow_item *item;

    switch (bench->what) {
    case FAL_BENCH_TIMER: (void)add(b, TL_FLOW_TIMER, event, text); break;
    case FAL_BENCH_GATE_DROP:
        if (bench->dir == FAL_FROM_SUT) {
            drop_last(b, false);
            break;
        }
        item = add(b, TL_FLOW_LOST, event, text);
        if (item != NULL)
            item->to_sut = true;
        break;
    case FAL_BENCH_NETWORK_LOSS:
        if (bench->dir == FAL_TO_SUT)
            drop_last(b, true);
        else
            (void)add(b, TL_FLOW_LOST, event, "a packet that was not observed");
        break;
    }
}

static void take_ulp(struct builder *b, const struct fal_event *event)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    char text[160];

    switch (ulp->kind) {
    case FAL_ULP_REQUEST:
        (void)snprintf(text, sizeof text, "request: %s of %" PRIu32 " bytes%s",
                       ulp->op == FAL_OP_PUSH ? "push" : "pull", ulp->length,
                       ulp->redelivery ? ", again" : "");
        break;
    case FAL_ULP_ACK:
        (void)snprintf(text, sizeof text, "answer: %s", fal_answer_name(ulp->answer));
        break;
    case FAL_ULP_COMPLETION:
        (void)snprintf(text, sizeof text, "completion, code %" PRIu32, ulp->code);
        break;
    }
    (void)add(b, TL_FLOW_ULP, event, text);
}

/* Posts and completions: the ends of a message. Replies are not shown. */
static void take_verbs(struct builder *b, const struct fal_event *event)
{
    const struct fal_verbs *verbs = event->u.verbs.verbs;
    const char *name = fal_verbs_names[verbs->kind];
    char text[160];

    if (event->u.verbs.phase == FAL_VERBS_ANSWERED) {
        tl_posts_take_word(b->posts, b->c, event, SIZE_MAX);
        return;
    }
    if (verbs->kind == FAL_VERBS_POST_SEND)
        (void)snprintf(text, sizeof text, "%s %s qp=%s wr_id=%" PRIu64 ", %" PRIu64 " bytes",
                       name, fal_verbs_op_names[verbs->op], verbs->qp, verbs->wr_id,
                       fal_verbs_length(verbs));
    else if (verbs->kind == FAL_VERBS_POST_RECV)
        (void)snprintf(text, sizeof text, "%s qp=%s%s wr_id=%" PRIu64, name, verbs->qp,
                       verbs->srq, verbs->wr_id);
    else if (verbs->kind == FAL_VERBS_WC)
        (void)snprintf(text, sizeof text, "%s qp=%s wr_id=%" PRIu64 " status=%" PRIu32, name,
                       verbs->qp, verbs->wr_id, verbs->status);
    else
        (void)snprintf(text, sizeof text, "%s", name);
    if (add(b, TL_FLOW_ULP, event, text) != NULL)
        tl_posts_take_word(b->posts, b->c, event, b->c->num_flow - 1);
}

/* What is submitted, completes, and reaches a device. Other commands set tables and devices up.
 */
static void take_nvme(struct builder *b, const struct fal_event *event)
{
    enum fal_nvme_word_kind kind = event->u.nvme.word->kind;
    struct tl_ncmds_place place;
    struct tl_flow_item *item;
    union tl_word word;
    char text[160];

    if (event->u.nvme.phase == FAL_VERBS_ANSWERED ||
        (kind < FAL_NVME_COMMANDS && kind != FAL_NVME_POST && kind != FAL_NVME_DEV_COMPLETE))
        return;
    tl_word_of_event(event, &word);
    tl_session_print_word(tl_words_of(TL_UPPER_NVME), &word, text, sizeof text);
    place = tl_ncmds_take_word(b->ncmds, &event->u.nvme);
    item = add(b, TL_FLOW_ULP, event, text);
    if (item != NULL)
        set_command(b, item, &place);
}

static void take_mark(struct builder *b, const struct fal_event *event)
{
    static const char *const names[] = {
        [FAL_MARK_TESTER_LATE] = "the tester was late",
        [FAL_MARK_GAP_IN] = "packets to the SUT may have gone unseen",
        [FAL_MARK_GAP_OUT] = "packets from the SUT may have gone unseen",
        [FAL_MARK_LOSSLESS_IN] = "nothing was lost towards the SUT",
        [FAL_MARK_LOSSLESS_OUT] = "nothing was lost from the SUT",
        [FAL_MARK_CLOCK_STEP] = "the clock was set",
        [FAL_MARK_SUT_LATE] = "the SUT's process did not respond",
    };

    if (event->u.mark.mark < FAL_MARK_BARRIER)
        (void)add(b, TL_FLOW_MARK, event, names[event->u.mark.mark]);
}

static void take(struct builder *b, const struct fal_event *event)
{
    struct tl_flow_item *item;
    const char *text;

    switch (event->kind) {
    case FAL_EV_CONNECTION:
        if (!b->has_connection)
            b->connection = event->u.connection;
        b->has_connection = true;
        break;
    case FAL_EV_PACKET: take_packet(b, event); break;
    case FAL_EV_BENCH: take_bench(b, event); break;
    case FAL_EV_ULP: take_ulp(b, event); break;
    case FAL_EV_CM: (void)add(b, TL_FLOW_ULP, event, event->u.cm.what); break;
    case FAL_EV_CC:
        (void)add(b, TL_FLOW_ULP, event,
                  event->u.cc.queue == FAL_CC_QUEUE_EVENT ? "event for the RUE"
                                                          : "result of the RUE");
        break;
    case FAL_EV_VERBS: take_verbs(b, event); break;
    case FAL_EV_NVME: take_nvme(b, event); break;
    case FAL_EV_MARK: take_mark(b, event); break;
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
        text = event->u.text.text != NULL ? event->u.text.text : "";
        item = add(b, event->kind == FAL_EV_STEP ? TL_FLOW_STEP : TL_FLOW_NOTE, event, text);
        if (item != NULL)
            item->step = event->u.text.step;
        break;
    case FAL_EV_RUN:
    case FAL_EV_INTERNAL:
    case FAL_EV_TIMING: /* of each case as a whole: c->timing */
    case FAL_EV_COMMAND:
    case FAL_EV_REPLY:
    case FAL_EV_CLOSE:
    case FAL_EV_END: break;
    }
}

/* The part that is shown: around the newest evidence of the first problem, or where it showed,
 * or the end. */
static void choose(const struct tl_case *c, bool whole, size_t *from, size_t *to)
{
    const struct tl_problem *p = c->num_problems > 0 ? &c->problems[0] : NULL;
    size_t n = c->num_flow, anchor = n > 0 ? n - 1 : 0;

    if (whole) {
        *from = 0;
        *to = n < WHOLE ? n : WHOLE;
        return;
    }
    if (p != NULL && p->num_evidence > 0) {
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < p->num_evidence; k++)
                if (c->flow[i].event == p->evidence[k])
                    anchor = i;
    } else if (p != NULL && p->kind != TL_PROBLEM_BENCH && p->kind != TL_PROBLEM_EXERCISE) {
        for (size_t i = 0; i < n; i++)
            if (c->flow[i].t_ns <= p->t_ns)
                anchor = i;
    }
    *from = anchor > BEFORE ? anchor - BEFORE : 0;
    *to = n - anchor > AFTER ? anchor + AFTER + 1 : n;
}

/* Leaves out the events that are not shown, and states how many. */
static bool leave_out(struct tl_case *c, size_t from, size_t to)
{
    struct tl_case kept = {.num_flow = 0};
    uint64_t left = 0;

    for (size_t i = 0; i < c->num_flow; i++) {
        struct tl_flow_item *item = &c->flow[i], *copy;

        if ((i < from || i >= to) && !item->marked) {
            left++;
            continue;
        }
        if (left > 0) {
            copy = tl_case_flow(&kept);
            if (copy == NULL)
                break;
            copy->kind = TL_FLOW_GAP;
            copy->t_ns = item->t_ns;
            copy->event = left;
            left = 0;
        }
        copy = tl_case_flow(&kept);
        if (copy == NULL)
            break;
        *copy = *item;
        item->text = NULL;
    }
    if (left > 0) {
        struct tl_flow_item *copy = tl_case_flow(&kept);

        if (copy != NULL) {
            copy->kind = TL_FLOW_GAP;
            copy->t_ns = c->duration_ns;
            copy->event = left;
        }
    }
    for (size_t i = 0; i < c->num_flow; i++)
        free(c->flow[i].text);
    free(c->flow);
    c->flow = kept.flow;
    c->num_flow = kept.num_flow;
    return c->flow != NULL || c->num_flow == 0;
}

/* Whether a line is of an event that a ladder does not show. Talon writes the kind first, and
 * many lines of a timeline are such events: they need not be read. */
static bool is_left_out(const char *line, size_t len)
{
    static const char *const kinds[] = {"command", "reply", "timing", "close", "end"};
    static const char start[] = "{\"event\":\"";
    size_t begin = sizeof start - 1;

    if (len <= begin || memcmp(line, start, begin) != 0)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]);

        if (len > begin + n && memcmp(line + begin, kinds[i], n) == 0 && line[begin + n] == '"')
            return true;
    }
    return false;
}

int tl_ladder_make(const char *timeline, size_t len, bool whole, struct tl_case *c,
                   struct fal_error *err)
{
    struct builder b = {.c = c,
                        .messages = tl_messages_new(MESSAGES),
                        .posts = tl_posts_new(),
                        .ncmds = tl_ncmds_new()};
    struct fal_event_storage storage = {0};
    const char *end = timeline + len;
    size_t from, to;
    int rc = 0;

    b.ok = b.messages != NULL && b.posts != NULL && b.ncmds != NULL;
    for (size_t i = 0; i < c->num_flow; i++)
        free(c->flow[i].text);
    free(c->flow);
    c->flow = NULL;
    c->num_flow = 0;
    for (bool first = true; rc == 0 && b.ok && timeline < end; first = false) {
        const char *newline = memchr(timeline, '\n', (size_t)(end - timeline));
        size_t n = newline != NULL ? (size_t)(newline - timeline) : (size_t)(end - timeline);
        struct fal_event event;
        json_error_t where;
        json_t *object;

        if (!first && !is_left_out(timeline, n)) { /* the first one names the schema */
            object = json_loadb(timeline, n, 0, &where);
            rc = object == NULL ? fal_fail(err, FAL_ERR_FORM, "the timeline: %s", where.text)
                                : fal_event_from_json(object, &event, &storage, err);
            if (rc == 0)
                take(&b, &event);
            json_decref(object);
        }
        timeline += n + (newline != NULL);
    }
    fal_event_storage_free(&storage);
    tl_messages_free(b.messages);
    tl_posts_free(b.posts);
    tl_ncmds_free(b.ncmds);
    b.ok = b.ok && tl_posts_write(c);
    free(b.gone);
    if (rc == 0 && b.ok) {
        choose(c, whole, &from, &to);
        b.ok = leave_out(c, from, to);
    }
    return rc == 0 && !b.ok ? fal_fail(err, FAL_ERR_MEM, "the flow: out of memory") : rc;
}
