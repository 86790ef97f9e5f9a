/* SPDX-License-Identifier: Apache-2.0
 * property_test.c - random programs of verbs over a network that loses, duplicates and
 * reorders: in the end the memory of both ends is what model_testing.h says, and each request
 * has completed once, in its order.
 *
 * Either end has conforming variants, drawn at random.
 *
 * So that the result does not depend on time, data come from a part of memory that nobody
 * writes; where nothing is in order, no two requests touch the same bytes. */
#include "oracles/rng.h"
#include "oracles/ulp/rig/bench_verbs.h"
#include "oracles/ulp/rig/model_testing.h"
#include "tests/testing.h"

enum {
    SEEDS = 300,
    REQUESTS = 40,
    PART = MODEL_MEMORY / 4, /* data; what the peer writes; sinks; words */
    TARGETS = PART,
    SINKS = 2 * PART,
    WORDS = 3 * PART,
    SIDE_TAG = 100,
};

struct side {
    struct model_request requests[REQUESTS];
    unsigned flags[REQUESTS];
    uint32_t num, posted, completed, last_wr;
    uint32_t messages; /* those that take a receive request */
    uint32_t message_of[REQUESTS], recvs;
    struct model_list recv_of[REQUESTS];
    uint32_t recvs_posted, received;
    uint32_t next_target, next_sink, next_word;
    bool seen[REQUESTS], taken[REQUESTS], any_size;
};

struct program {
    struct bench *bench;
    struct model *model;
    struct fal_rng rng;
    uint64_t seed;
    enum fal_verbs_ordering ordering;
    uint32_t mtu;
    struct side sides[2];
};

#define HOLD(p, condition)                                                          \
    do {                                                                            \
        if (!(condition))                                                           \
            ck_abort_msg("%s; repeat with: %s", #condition, test_again((p)->seed)); \
    } while (0)

static uint32_t below(struct program *p, uint32_t n)
{
    return (uint32_t)fal_rng_below(&p->rng, n);
}

/* ---- drawing ---- */

static uint32_t draw_length(struct program *p, bool one)
{
    static const int near[] = {-1, 0, 1};
    uint32_t whole = below(p, one ? 2 : 4) * p->mtu;

    if (below(p, 4) == 0)
        return below(p, 6);
    if (below(p, 3) == 0 && whole > 0)
        return whole + (uint32_t)(one ? near[below(p, 2)] : near[below(p, 3)]);
    return below(p, (one ? 1 : 3) * p->mtu + 1);
}

/* A place for `length` bytes in a part of memory: a new one, or any where order decides. */
static uint32_t draw_place(struct program *p, uint32_t part, uint32_t *next, uint32_t length)
{
    uint32_t at;

    if (p->ordering == FAL_VERBS_STRONG)
        return part + below(p, PART - length);
    at = *next;
    *next += length;
    HOLD(p, *next <= PART);
    return part + at;
}

/* Cuts `length` bytes into pieces. */
static struct model_list draw_list(struct program *p, uint32_t part, uint32_t *next,
                                   uint32_t length)
{
    struct model_list list = {.num = 1 + below(p, MODEL_PIECES)};

    for (uint32_t i = 0; i < list.num; i++) {
        uint32_t n = i + 1 == list.num ? length : below(p, length + 1);

        list.pieces[i].length = n;
        list.pieces[i].offset =
            next != NULL ? draw_place(p, part, next, n) : part + below(p, PART - n);
        length -= n;
    }
    return list;
}

static void draw_request(struct program *p, unsigned side, struct model_request *request)
{
    struct side *own = &p->sides[side], *peer = &p->sides[1 - side];
    bool unordered = p->ordering == FAL_VERBS_UNORDERED;
    uint32_t length;

    request->op = (enum model_op)below(p, MODEL_FAA + 1);
    length = draw_length(p, unordered && (request->op == MODEL_SEND ||
                                          (request->op == MODEL_WRITE_IMM && !own->any_size)));
    if (request->op >= MODEL_CAS) {
        uint32_t word = p->ordering == FAL_VERBS_STRONG ? below(p, 16) : own->next_word++;

        request->remote = WORDS + 8 * word;
        request->list.num = 1;
        request->list.pieces[0].length = 8;
        request->list.pieces[0].offset = draw_place(p, SINKS, &own->next_sink, 8);
        request->compare = below(p, 3);
        request->operand = below(p, 3);
        return;
    }
    if (request->op == MODEL_READ) {
        uint32_t from = p->ordering == FAL_VERBS_STRONG && below(p, 2) ? TARGETS : 0;

        request->list = draw_list(p, SINKS, &own->next_sink, length);
        request->remote = from + below(p, PART - length);
        return;
    }
    request->list = draw_list(p, 0, NULL, length);
    if (request->op != MODEL_SEND)
        request->remote = draw_place(p, TARGETS, &peer->next_target, length);
    own->message_of[own->messages++] = (uint32_t)(request - own->requests);
    if (request->op == MODEL_SEND || request->op == MODEL_WRITE_IMM)
        return;
    own->messages--;
}

/* Receive requests for all messages of the peer. */
static void draw_recvs(struct program *p, unsigned side)
{
    struct side *own = &p->sides[side], *peer = &p->sides[1 - side];

    for (uint32_t i = 0; i < peer->messages; i++) {
        const struct model_request *request = &peer->requests[peer->message_of[i]];
        uint32_t length = request->op == MODEL_SEND ? model_length(&request->list) : 0;

        if (p->ordering == FAL_VERBS_UNORDERED) /* any message may take it */
            length = p->mtu;
        own->recv_of[i] = draw_list(p, TARGETS, &own->next_target, length + below(p, 9));
    }
    own->recvs = peer->messages;
}

static const struct fal_impairment impairments[] = {
    {.latency_ns = 5000},
    {.latency_ns = 5000, .loss_ppm = 50000},
    {.latency_ns = 5000, .jitter_ns = 40000, .duplicate_ppm = 100000},
    {.latency_ns = 5000,
     .loss_ppm = 150000,
     .duplicate_ppm = 50000,
     .reorder_ppm = 300000,
     .reorder_ns = 60000},
};

/* When a Write with immediate data is reported, all its data are there. */
static void check_written(struct bench *b, unsigned side, const struct fal_verbs *event)
{
    struct program *p = b->ctx;
    const struct model_request *request;
    struct fal_verbs ask = {.kind = FAL_VERBS_MR_HASH}, answer;

    if (event->kind != FAL_VERBS_WC || event->opcode != FAL_VERBS_DONE_RECV_IMM ||
        p->ordering == FAL_VERBS_STRONG)
        return;
    request = &p->sides[1 - side].requests[event->imm % REQUESTS];
    bench_name(ask.mr, b->ends[side].mr.mr);
    ask.offset = request->remote;
    ask.length = model_length(&request->list);
    HOLD(p, fal_verbs_command(b->ends[side].engine, 0, &ask, &answer, b->pair.now_ns,
                              &b->err) == 0);
    HOLD(p, answer.hash ==
                fal_payload_hash(p->model->ends[side].memory + request->remote, ask.length));
}

static void draw(struct program *p, uint64_t seed)
{
    static const uint32_t mtus[] = {256, 1024, 512};
    struct bench_plan plan = {.seed = seed, .memory = MODEL_MEMORY};

    *p = (struct program){.seed = seed, .rng = {seed}};
    p->ordering = (enum fal_verbs_ordering)below(p, FAL_VERBS_ORDERINGS);
    p->mtu = mtus[below(p, 3)];
    plan.qp.ordering = p->ordering;
    plan.qp.errors = p->ordering == FAL_VERBS_UNORDERED || below(p, 2) ? FAL_VERBS_ERRORS_CIE
                                                                       : FAL_VERBS_ERRORS_VERBS;
    plan.qp.path_mtu = p->mtu;
    plan.qp.rd_atomic = 1 + below(p, 16);
    plan.qp.sq = 4 + below(p, 40);
    plan.qp.sge = MODEL_PIECES;
    plan.impairment = impairments[below(p, sizeof impairments / sizeof *impairments)];
    fal_params_default(&plan.params, false);
    plan.params.transaction_timeout_ns = 100 * FAL_S;
    plan.params.max_attempts = 60;
    if (below(p, 3) == 0) {
        plan.params.credit_req_pkt_tx = 1 + below(p, 8);
        plan.params.credit_data_pkt_tx = 1 + below(p, 3);
    }
    for (unsigned side = 0; side < 2; side++)
        for (int id = FAL_TWIN_ULP_FIRST; id < FAL_TWIN_NVME_FIRST; id++)
            if (below(p, 5) == 0)
                fal_twin_add(&plan.twins[side], (enum fal_twin_id)id);
    for (unsigned side = 0; side < 2; side++)
        p->sides[side].any_size = fal_twin_in(&plan.twins[side], FAL_TWIN_WRITE_IMM_ANY_SIZE);
    p->model = calloc(1, sizeof *p->model);
    ck_assert_ptr_nonnull(p->model);
    for (unsigned side = 0; side < 2; side++)
        for (p->sides[side].num = 0; p->sides[side].num < REQUESTS; p->sides[side].num++) {
            struct side *own = &p->sides[side];

            draw_request(p, side, &own->requests[own->num]);
            own->flags[own->num] = below(p, 8);
        }
    for (unsigned side = 0; side < 2; side++)
        draw_recvs(p, side);
    p->bench = bench_new(&plan);
    p->bench->told = check_written;
    p->bench->ctx = p;
    for (unsigned side = 0; side < 2; side++) {
        bench_fill(p->bench, side, 0, PART, SIDE_TAG + side);
        fal_payload_fill(SIDE_TAG + side, 0, p->model->ends[side].memory, PART);
    }
}

/* ---- running ---- */

static void put_list(const struct bench_end *end, const struct model_list *list,
                     struct fal_verbs *ask)
{
    ask->num_sge = list->num;
    for (uint32_t i = 0; i < list->num; i++) {
        bench_name(ask->sgl[i].mr, end->mr.mr);
        ask->sgl[i].offset = list->pieces[i].offset;
        ask->sgl[i].length = list->pieces[i].length;
    }
}

static const enum fal_verbs_op verbs_of[] = {[MODEL_SEND] = FAL_VERBS_SEND_IMM,
                                             [MODEL_WRITE] = FAL_VERBS_WRITE,
                                             [MODEL_WRITE_IMM] = FAL_VERBS_WRITE_IMM,
                                             [MODEL_READ] = FAL_VERBS_READ,
                                             [MODEL_CAS] = FAL_VERBS_CAS,
                                             [MODEL_FAA] = FAL_VERBS_FAA};

/* False: its queue is full. */
static bool post(struct program *p, unsigned side)
{
    struct side *own = &p->sides[side];
    const struct model_request *request = &own->requests[own->posted];
    struct fal_verbs ask = bench_send(p->bench, side, verbs_of[request->op], 0, 0), answer;
    int rc;

    put_list(&p->bench->ends[side], &request->list, &ask);
    ask.wr_id = own->posted;
    ask.imm = own->posted; /* tells the peer which it is */
    ask.flags = own->flags[own->posted];
    ask.remote.va = p->bench->ends[1 - side].mr.va + request->remote;
    ask.swap = ask.add = request->operand;
    ask.compare = request->compare;
    rc = bench_word(p->bench, side, ask, &answer);
    if (rc == FAL_VERBS_BUSY)
        return false;
    HOLD(p, rc == 0);
    model_request(p->model, side, request, false);
    own->posted++; /* its packets are under way for a while, so the model is first */
    return true;
}

static void post_recv(struct program *p, unsigned side)
{
    struct side *own = &p->sides[side];
    struct fal_verbs ask = {.kind = FAL_VERBS_POST_RECV, .wr_id = own->recvs_posted}, answer;

    bench_name(ask.qp, p->bench->ends[side].qp.qp);
    put_list(&p->bench->ends[side], &own->recv_of[own->recvs_posted], &ask);
    HOLD(p, bench_word(p->bench, side, ask, &answer) == 0);
    model_recv(p->model, side, &own->recv_of[own->recvs_posted]);
    own->recvs_posted++;
}

static void take_recv(struct program *p, unsigned side, const struct fal_verbs *wc)
{
    struct side *own = &p->sides[side], *peer = &p->sides[1 - side];
    const struct model_request *request;

    HOLD(p, wc->has_imm && wc->imm < REQUESTS && wc->wr_id < own->recvs_posted);
    request = &peer->requests[wc->imm];
    HOLD(p, !own->taken[wc->wr_id]);
    own->taken[wc->wr_id] = true;
    if (p->ordering != FAL_VERBS_UNORDERED) {
        HOLD(p, wc->wr_id == own->received);
        HOLD(p, peer->message_of[own->received] == wc->imm);
    }
    own->received++;
    HOLD(p,
         wc->byte_len == model_length(&request->list) || wc->opcode == FAL_VERBS_DONE_RECV_IMM);
    if (request->op == MODEL_SEND)
        model_place(p->model, 1 - side, &request->list, (uint32_t)wc->wr_id);
}

static void take_events(struct program *p)
{
    for (unsigned side = 0; side < 2; side++) {
        struct side *own = &p->sides[side];
        const struct fal_verbs *wc;

        while ((wc = bench_event(p->bench, side, FAL_VERBS_WC)) != NULL) {
            HOLD(p, wc->status == 0);
            if (wc->opcode >= FAL_VERBS_DONE_RECV) {
                take_recv(p, side, wc);
                continue;
            }
            HOLD(p, wc->wr_id < own->posted && !own->seen[wc->wr_id]);
            HOLD(p, (own->flags[wc->wr_id] & FAL_VERBS_SIGNALED) != 0);
            HOLD(p, p->ordering == FAL_VERBS_UNORDERED || own->completed == 0 ||
                        wc->wr_id > own->last_wr);
            own->seen[wc->wr_id] = true;
            own->last_wr = (uint32_t)wc->wr_id;
            own->completed++;
        }
    }
}

/* The model carries out a request when it is posted, but a Send when it is received; for strong
 * queue pairs replay() does all again, in order. */
static bool step(struct program *p)
{
    unsigned side = below(p, 2);
    struct side *own = &p->sides[side];

    if (below(p, 3) == 0)
        bench_run(p->bench, p->bench->pair.now_ns + below(p, 60) * FAL_US);
    if (below(p, 2) == 0 && own->recvs_posted < own->recvs)
        post_recv(p, side);
    else if (own->posted < own->num && !post(p, side))
        bench_run(p->bench, p->bench->pair.now_ns + FAL_MS);
    take_events(p);
    return p->sides[0].posted < REQUESTS || p->sides[1].posted < REQUESTS ||
           p->sides[0].recvs_posted < p->sides[0].recvs ||
           p->sides[1].recvs_posted < p->sides[1].recvs;
}

/* On strong queue pairs all that an end does to the memory of the other is in order: one pass
 * over its requests tells the result. */
static void replay(struct program *p)
{
    struct model *m = p->model;

    for (unsigned side = 0; side < 2; side++) {
        memset(m->ends[side].memory + PART, 0, MODEL_MEMORY - PART);
        m->ends[side].num_taken = 0;
    }
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < REQUESTS; i++)
            model_request(m, side, &p->sides[side].requests[i], true);
}

static void compare(struct program *p)
{
    for (unsigned side = 0; side < 2; side++) {
        struct fal_verbs ask = {.kind = FAL_VERBS_MR_WORD};
        const struct model_end *end = &p->model->ends[side];

        if (bench_hash(p->bench, side, 0, MODEL_MEMORY) ==
            fal_payload_hash(end->memory, MODEL_MEMORY))
            continue;
        bench_name(ask.mr, p->bench->ends[side].mr.mr);
        for (uint32_t at = 0; at < MODEL_MEMORY; at += 8) {
            ask.offset = at;
            if (bench_do(p->bench, side, ask).value != model_word(end, at))
                ck_abort_msg("memory of side %u differs at %u; repeat with: %s", side, at,
                             test_again(p->seed));
        }
        ck_abort_msg("hash of side %u differs; repeat with: %s", side, test_again(p->seed));
    }
}

static void run_seed(uint64_t seed)
{
    struct program *p = malloc(sizeof *p);

    ck_assert_ptr_nonnull(p);
    draw(p, seed);
    while (step(p))
        continue;
    bench_settle(p->bench);
    take_events(p);
    for (unsigned side = 0; side < 2; side++) {
        const struct side *own = &p->sides[side];

        HOLD(p, own->received == own->recvs);
        for (uint32_t i = 0; i < REQUESTS; i++)
            HOLD(p, own->seen[i] == ((own->flags[i] & FAL_VERBS_SIGNALED) != 0));
    }
    if (p->ordering == FAL_VERBS_STRONG)
        replay(p);
    compare(p);
    bench_free(p->bench);
    free(p->model);
    free(p);
}

START_TEST(RDMA_6_2_01_random_programs_leave_the_memory_of_the_model)
{
    uint64_t first = test_seed(1);
    unsigned long rounds = getenv("TALON_SEED") != NULL ? 1 : test_rounds(SEEDS);

    for (unsigned long i = 0; i < rounds; i++)
        run_seed(first + i);
    printf("verbs programs of seeds %llu..%llu\n", (unsigned long long)first,
           (unsigned long long)(first + rounds - 1));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("verbs properties");
    TCase *tc = tcase_create("properties");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, RDMA_6_2_01_random_programs_leave_the_memory_of_the_model);
    suite_add_tcase(suite, tc);
    return suite;
}
