/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/ladder_posts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 256, QPS = 64, GRH = 40 /* bytes that may lie before a datagram */ };

/* A work request. */
struct post {
    uint64_t number; /* from 1; 0: the place is free */
    int64_t id;      /* of its command */
    size_t item;
    uint32_t conn, rsn_first, rsn_count; /* rsn_count 0: not known */
    uint64_t wr_id;
    char queue[FAL_VERBS_NAME_MAX]; /* its queue pair; of a shared receive queue: "" */
    bool receives, done;
};

struct packet {
    size_t item;
    uint32_t conn, rsn, dest_qp;
    uint64_t message, bytes;
    bool used, of_sut; /* of_sut: of a request of the SUT, its answer included */
    bool ends;         /* the last packet of a message that takes a receive request */
    bool taken;        /* by a receive completion */
};

struct tl_posts {
    uint64_t num_posts, num_packets;
    size_t num_qps;
    struct post posts[KEPT];
    struct packet packets[KEPT];
    struct {
        char name[FAL_VERBS_NAME_MAX];
        uint32_t qpn;
    } qps[QPS];
};

struct tl_posts *tl_posts_new(void)
{
    return calloc(1, sizeof(struct tl_posts));
}

void tl_posts_free(struct tl_posts *posts)
{
    free(posts);
}

/* ---- packets ---- */

/* SENDs and datagrams take a receive request, and so do WRITEs with immediate data: the packet
 * that ends one has an SETH (RDMA 8.3.2), as each packet of a SEND. */
static bool takes_receive(const struct fal_ulp *ulp)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(ulp->rdma.rbth.opcode);

    for (size_t i = 0; kind != NULL && i < kind->num_headers; i++)
        if (kind->headers[i] == FAL_RDMA_SETH || kind->headers[i] == FAL_RDMA_DETH)
            return true;
    return false;
}

static bool carries(const struct post *post, const struct packet *packet)
{
    return !post->receives && packet->of_sut && packet->conn == post->conn &&
           packet->rsn - post->rsn_first < post->rsn_count && packet->item > post->item;
}

void tl_posts_take_packet(struct tl_posts *posts, struct tl_case *c,
                          const struct tl_posts_packet *packet)
{
    struct packet *kept = &posts->packets[posts->num_packets % KEPT];
    unsigned type = packet->falcon->packet_type;

    if (packet->ulp->state != FAL_ULP_READ || packet->ulp->protocol != FAL_PROTOCOL_RDMA)
        return;
    posts->num_packets++;
    *kept = (struct packet){.item = packet->item,
                            .conn = packet->conn,
                            .rsn = packet->falcon->rsn,
                            .dest_qp = packet->ulp->rdma.rbth.dest_qp,
                            .message = packet->message,
                            .bytes = packet->bytes,
                            .used = true,
                            .of_sut = packet->to_sut == (type == FAL_PULL_DATA)};
    kept->ends = packet->to_sut && type == FAL_PUSH_DATA &&
                 (packet->message == 0 || packet->whole) && takes_receive(packet->ulp);
    for (uint64_t i = 0; i < KEPT && i < posts->num_posts; i++) {
        const struct post *post = &posts->posts[(posts->num_posts - 1 - i) % KEPT];

        if (carries(post, kept)) {
            c->flow[kept->item].post = post->number;
            return;
        }
    }
}

/* ---- words ---- */

static void add_post(struct tl_posts *posts, struct tl_case *c, const struct fal_event *event,
                     size_t item)
{
    const struct fal_verbs *verbs = event->u.verbs.verbs;
    struct post *post = &posts->posts[posts->num_posts % KEPT];

    *post = (struct post){.number = ++posts->num_posts,
                          .id = event->u.verbs.id,
                          .item = item,
                          .conn = event->conn,
                          .wr_id = verbs->wr_id,
                          .receives = verbs->kind == FAL_VERBS_POST_RECV};
    memcpy(post->queue, verbs->qp, sizeof post->queue);
    c->flow[item].post = post->number;
}

/* The reply names the RSNs; packets may have left before it came. */
static void take_rsns(struct tl_posts *posts, struct tl_case *c, const struct fal_event *event)
{
    const struct fal_verbs *verbs = event->u.verbs.verbs;
    struct post *post = NULL;

    for (size_t i = 0; i < KEPT; i++)
        if (posts->posts[i].number > 0 && posts->posts[i].id == event->u.verbs.id)
            post = &posts->posts[i];
    if (post == NULL || !event->u.verbs.ok || !verbs->has_rsn)
        return;
    post->rsn_first = verbs->rsn_first;
    post->rsn_count = verbs->rsn_count;
    for (size_t i = 0; i < KEPT; i++)
        if (posts->packets[i].used && carries(post, &posts->packets[i]))
            c->flow[posts->packets[i].item].post = post->number;
}

static void note_queue_pair(struct tl_posts *posts, const struct fal_verbs *verbs)
{
    if (posts->num_qps == QPS)
        return;
    memcpy(posts->qps[posts->num_qps].name, verbs->qp, sizeof verbs->qp);
    posts->qps[posts->num_qps++].qpn = verbs->qpn;
}

/* The oldest post that this completion can be of, or NULL. */
static struct post *post_of(struct tl_posts *posts, const struct fal_verbs *wc)
{
    bool receives = wc->opcode >= FAL_VERBS_DONE_RECV, fails = wc->status != 0;

    for (uint64_t i = posts->num_posts > KEPT ? posts->num_posts - KEPT : 0;
         i < posts->num_posts; i++) {
        struct post *post = &posts->posts[i % KEPT];

        if (!post->done && post->wr_id == wc->wr_id &&
            (strcmp(post->queue, wc->qp) == 0 || (post->queue[0] == 0 && post->receives)) &&
            (post->receives == receives || fails)) /* the opcode of a failure may be absent */
            return post;
    }
    return NULL;
}

/* Whether the completion may be that of the message which this packet ends. */
static bool received(const struct packet *packet, uint32_t qpn, uint32_t byte_len)
{
    return packet->used && packet->ends && !packet->taken && packet->dest_qp == qpn &&
           (packet->bytes == byte_len || packet->bytes + GRH == byte_len);
}

static void mark_message(struct tl_posts *posts, struct tl_case *c, struct packet *end,
                         uint64_t number)
{
    end->taken = true;
    c->flow[end->item].post = number;
    for (size_t i = 0; i < KEPT && end->message > 0; i++)
        if (posts->packets[i].used && posts->packets[i].message == end->message)
            c->flow[posts->packets[i].item].post = number;
}

static void take_received(struct tl_posts *posts, struct tl_case *c, const struct fal_verbs *wc,
                          uint64_t number)
{
    for (size_t q = 0; q < posts->num_qps; q++) {
        if (strcmp(posts->qps[q].name, wc->qp) != 0)
            continue;
        for (uint64_t i = posts->num_packets > KEPT ? posts->num_packets - KEPT : 0;
             i < posts->num_packets; i++) {
            struct packet *packet = &posts->packets[i % KEPT];

            if (received(packet, posts->qps[q].qpn, wc->byte_len)) {
                mark_message(posts, c, packet, number);
                return;
            }
        }
    }
}

void tl_posts_take_word(struct tl_posts *posts, struct tl_case *c,
                        const struct fal_event *event, size_t item)
{
    const struct fal_verbs *verbs = event->u.verbs.verbs;
    bool answered = event->u.verbs.phase == FAL_VERBS_ANSWERED;
    struct post *post;

    if (answered && verbs->kind == FAL_VERBS_POST_SEND)
        take_rsns(posts, c, event);
    else if (answered && verbs->kind == FAL_VERBS_QP_CREATE && event->u.verbs.ok)
        note_queue_pair(posts, verbs);
    if (item == SIZE_MAX)
        return;
    if (verbs->kind == FAL_VERBS_POST_SEND || verbs->kind == FAL_VERBS_POST_RECV) {
        add_post(posts, c, event, item);
    } else if (verbs->kind == FAL_VERBS_WC && (post = post_of(posts, verbs)) != NULL) {
        post->done = true;
        c->flow[item].post = post->number;
        if (post->receives && verbs->status == 0)
            take_received(posts, c, verbs, post->number);
    }
}

/* ---- the texts ---- */

bool tl_posts_write(struct tl_case *c)
{
    for (size_t i = 0; i < c->num_flow; i++) {
        struct tl_flow_item *item = &c->flow[i];
        char *text;

        if (item->post == 0 || item->text == NULL)
            continue;
        if (asprintf(&text, "%s%s post %" PRIu64, item->text,
                     strstr(item->text, " # ") != NULL ? "," : " #", item->post) < 0)
            return false;
        free(item->text);
        item->text = text;
    }
    return true;
}
