/* SPDX-License-Identifier: Apache-2.0
 * odd_test.c - each fault of this layer acts in some scene, and shows: in packets, events or
 * memory. Each variant shows too, and changes no result. */
#include "oracles/ulp/rig/bench_verbs.h"
#include "oracles/ulp/state.h"
#include "tests/testing.h"

enum { MTU = 256, OTHER_KEY = 0x1000000 };

/* ---- what is seen ---- */

struct sight {
    uint64_t packets, events;
};

/* What looks, and may change what the target gets. */
struct view {
    struct sight sight;
    bool gap; /* requests from the fifth on leave a sequence number out */
    uint32_t requests;
    uint8_t bytes[FAL_VB_PACKET_MAX];
};

static void mix(uint64_t *hash, const void *bytes, size_t len)
{
    *hash = fal_payload_hash_on(*hash, bytes, len);
}

static void see_time(struct bench *b)
{
    mix(&((struct sight *)b->ctx)->packets, &b->pair.now_ns, sizeof b->pair.now_ns);
}

enum { SN_LOW_AT = 11, GAP_FROM = 5 };

static void leave_out(struct view *view, struct fal_endpoint_out *out)
{
    if (out->payload_len <= SN_LOW_AT || ++view->requests < GAP_FROM)
        return;
    memcpy(view->bytes, out->payload, out->payload_len);
    view->bytes[SN_LOW_AT]++; /* it is not 255 in that scene */
    out->payload = view->bytes;
}

static void see_packet(struct bench *b, unsigned side, struct fal_endpoint_out *out)
{
    struct view *view = b->ctx;
    struct sight *sight = &view->sight;

    if (view->gap && side == 1 && out->kind == FAL_OUT_REQUEST)
        leave_out(view, out);
    see_time(b);
    mix(&sight->packets, &side, sizeof side);
    mix(&sight->packets, &out->kind, sizeof out->kind);
    mix(&sight->packets, &out->op, sizeof out->op);
    mix(&sight->packets, &out->code, sizeof out->code);
    if (out->payload_len > 0)
        mix(&sight->packets, out->payload, out->payload_len);
}

static void see_event(struct bench *b, unsigned side, const struct fal_verbs *event)
{
    struct sight *sight = b->ctx;

    mix(&sight->events, &side, sizeof side);
    mix(&sight->events, event, sizeof *event);
}

/* ---- scenes ---- */

/* A word that may be refused. */
static void say(struct bench *b, unsigned side, struct fal_verbs ask)
{
    struct sight *sight = b->ctx;
    struct fal_verbs answer;
    int rc = bench_word(b, side, ask, &answer);

    mix(&sight->events, &rc, sizeof rc);
}

static void send(struct bench *b, unsigned side, enum fal_verbs_op op, uint64_t offset,
                 uint32_t length)
{
    struct fal_verbs ask = bench_send(b, side, op, offset, length);

    ask.flags |= FAL_VERBS_SOLICITED;
    ask.imm = 0x11223344;
    ask.compare = 5; /* not what is there */
    ask.swap = 9;
    ask.add = 3;
    ask.remote.va += 20000;
    if (op == FAL_VERBS_CAS || op == FAL_VERBS_FAA)
        ask.remote.va &= ~UINT64_C(7);
    say(b, side, ask);
}

static void settle(struct bench *b)
{
    bench_run(b, b->pair.now_ns + 20 * FAL_MS);
}

static void receive(struct bench *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct fal_verbs ask = {.kind = FAL_VERBS_POST_RECV, .wr_id = i, .num_sge = 2};

        bench_name(ask.qp, b->ends[1].qp.qp);
        for (unsigned k = 0; k < 2; k++) {
            bench_name(ask.sgl[k].mr, b->ends[1].mr.mr);
            ask.sgl[k].offset = 30000 + 2000 * (uint64_t)i + 1000 * k;
            ask.sgl[k].length = k == 0 ? 300 : 700;
        }
        say(b, 1, ask);
    }
}

static void all_operations(struct bench *b)
{
    static const uint32_t lengths[] = {5, 8, 700, 2 * MTU + 40, 256, 801};

    receive(b, 16);
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned op = 0; op < FAL_VERBS_OPS; op++)
            if (op != FAL_VERBS_SEND_INV)
                send(b, 0, (enum fal_verbs_op)op, 1000 * (uint64_t)i + op,
                     op >= FAL_VERBS_CAS ? 8 : lengths[i]);
    settle(b);
    receive(b, 8);
    settle(b);
}

/* Writes to the same bytes, and additions one after the other. */
static void again(struct bench *b)
{
    for (unsigned i = 0; i < 2; i++) {
        struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_WRITE, 100 * (uint64_t)i, 64);

        ask.remote.va = b->ends[1].mr.va + 25000;
        say(b, 0, ask);
    }
    send(b, 0, FAL_VERBS_FAA, 0, 8);
    send(b, 0, FAL_VERBS_READ, 0, 64);
    settle(b);
}

static void read_fragments(struct bench *b)
{
    struct fal_verbs more = bench_reg(b, 0, 4096, FAL_VERBS_LOCAL_WRITE);
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_READ, 0, 100);

    ask.num_sge = 2;
    bench_name(ask.sgl[1].mr, more.mr);
    ask.sgl[1].length = 900;
    say(b, 0, ask);
    settle(b);
}

static void bad_keys(struct bench *b)
{
    struct fal_verbs reg = {.kind = FAL_VERBS_MR_REG, .length = 64, .offset = 4096};
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_WRITE, 0, 64);

    reg.access = FAL_VERBS_REMOTE_WRITE;
    ask.remote.rkey ^= OTHER_KEY; /* the low byte is right */
    say(b, 0, ask);
    bench_name(reg.pd, b->ends[1].pd);
    bench_name(reg.within, b->ends[1].mr.mr);
    reg = bench_do(b, 1, reg);
    ask.remote = (struct fal_verbs_remote){reg.va + 1, reg.rkey}; /* one byte beyond */
    say(b, 0, ask);
    reg = (struct fal_verbs){
        .kind = FAL_VERBS_MR_REG, .length = 64, .access = FAL_VERBS_REMOTE_WRITE};
    bench_name(reg.pd, bench_do(b, 1, (struct fal_verbs){.kind = FAL_VERBS_PD_CREATE}).pd);
    reg = bench_do(b, 1, reg);
    ask.remote = (struct fal_verbs_remote){reg.va, reg.rkey};
    say(b, 0, ask);
    settle(b);
    say(b, 0, ask); /* after the error */
    send(b, 0, FAL_VERBS_READ, 0, 10);
    ask = bench_send(b, 0, FAL_VERBS_READ, 0, 10);
    ask.remote.rkey ^= OTHER_KEY + 1;
    say(b, 0, ask);
    settle(b);
}

static void invalidate(struct bench *b)
{
    struct fal_verbs mr = bench_reg(b, 1, 64, FAL_VERBS_REMOTE_WRITE | FAL_VERBS_INVALIDATE);
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_SEND_INV, 0, 800);

    ask.inv = mr.rkey;
    ask.sgl[0].length = 8;
    say(b, 0, ask);
    bench_run(b, b->pair.now_ns + 100 * FAL_US);
    receive(b, 2);
    settle(b);
    ask = bench_send(b, 0, FAL_VERBS_WRITE, 0, 8);
    ask.remote = (struct fal_verbs_remote){mr.va, mr.rkey};
    say(b, 0, ask);
    settle(b);
}

/* An error with requests behind it. */
static void fail_and_go_on(struct bench *b)
{
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_WRITE, 0, 64);

    ask.remote.rkey++;
    say(b, 0, ask);
    for (unsigned i = 0; i < 3; i++)
        send(b, 0, FAL_VERBS_WRITE, 0, 64);
    settle(b);
    send(b, 0, FAL_VERBS_WRITE, 0, 64);
    settle(b);
}

/* More messages than a byte can count. */
static void many(struct bench *b)
{
    for (unsigned i = 0; i < 260; i++) {
        receive(b, 1);
        send(b, 0, FAL_VERBS_SEND, 0, 1);
        bench_run(b, b->pair.now_ns + 100 * FAL_US);
    }
    settle(b);
}

/* The connection is closed under requests that nobody has acknowledged. */
static void closed(struct bench *b)
{
    for (unsigned i = 0; i < 3; i++)
        send(b, 0, FAL_VERBS_WRITE, 0, 10 + i);
    fal_verbs_detach(b->ends[0].engine, b->pair.conn[0]);
    bench_collect(b, 0);
}

static void no_receive(struct bench *b)
{
    send(b, 0, FAL_VERBS_SEND, 0, 64);
    bench_run(b, b->pair.now_ns + 100 * FAL_US);
    receive(b, 2);
    send(b, 0, FAL_VERBS_SEND, 0, 64);
    settle(b);
}

/* The send queue is full while a request of the peer comes. */
static void full_queue(struct bench *b)
{
    while (true) {
        struct fal_verbs answer;

        if (bench_word(b, 0, bench_send(b, 0, FAL_VERBS_WRITE, 0, 64), &answer) != 0)
            break;
    }
    send(b, 1, FAL_VERBS_READ, 0, 64);
    settle(b);
}

/* Queue pairs with modes that do not go together, and lengths. */
static void modes(struct bench *b)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_QP_CREATE, .ordering = FAL_VERBS_UNORDERED};

    bench_name(ask.pd, b->ends[0].pd);
    bench_name(ask.send_cq, b->ends[0].send_cq);
    bench_name(ask.recv_cq, b->ends[0].recv_cq);
    say(b, 0, ask);
    receive(b, 4);
    send(b, 0, FAL_VERBS_SEND, 0, 2 * MTU);
    send(b, 0, FAL_VERBS_WRITE_IMM, 0, 2 * MTU);
    settle(b);
}

/* A request that names a queue pair of another connection. */
static void other_connection(struct bench *b)
{
    struct fal_verbs create = {.kind = FAL_VERBS_QP_CREATE, .path_mtu = MTU}, qps[2];
    struct fal_verbs connect = {.kind = FAL_VERBS_QP_CONNECT}, ask;

    bench_open_other(b);
    create.ordering = b->ends[0].qp.ordering;
    create.errors = b->ends[0].qp.errors;
    for (unsigned side = 0; side < 2; side++) {
        bench_name(create.pd, b->ends[side].pd);
        bench_name(create.send_cq, b->ends[side].send_cq);
        bench_name(create.recv_cq, b->ends[side].recv_cq);
        qps[side] = bench_do(b, side, create);
        bench_name(connect.qp, qps[side].qp);
        bench_name(connect.conn, "d");
        connect.dest_qpn = b->ends[1 - side].qp.qpn; /* that of the first connection */
        say(b, side, connect);
    }
    ask = bench_send(b, 0, FAL_VERBS_WRITE, 0, 64);
    bench_name(ask.qp, qps[0].qp);
    say(b, 0, ask);
    settle(b);
    send(b, 0, FAL_VERBS_WRITE, 0, 64);
    settle(b);
}

/* The target answers a queue pair that did not ask. */
static void answers_for_another(struct bench *b)
{
    struct fal_verbs create = {.kind = FAL_VERBS_QP_CREATE, .path_mtu = MTU}, qps[2];
    struct fal_verbs connect = {.kind = FAL_VERBS_QP_CONNECT}, ask;

    bench_open_other(b);
    create.ordering = b->ends[0].qp.ordering;
    create.errors = b->ends[0].qp.errors;
    for (unsigned side = 0; side < 2; side++) {
        bench_name(create.pd, b->ends[side].pd);
        bench_name(create.send_cq, b->ends[side].send_cq);
        bench_name(create.recv_cq, b->ends[side].recv_cq);
        qps[side] = bench_do(b, side, create);
    }
    for (unsigned side = 0; side < 2; side++) {
        bench_name(connect.qp, qps[side].qp);
        bench_name(connect.conn, "d");
        connect.dest_qpn = side == 0 ? qps[1].qpn : b->ends[0].qp.qpn;
        say(b, side, connect);
    }
    ask = bench_send(b, 0, FAL_VERBS_READ, 0, 64);
    bench_name(ask.qp, qps[0].qp);
    say(b, 0, ask);
    settle(b);
}

static void one_by_one(struct bench *b)
{
    ((struct view *)b->ctx)->gap = true;
    for (unsigned i = 0; i < 8; i++) {
        send(b, 0, FAL_VERBS_WRITE, 0, 64);
        settle(b);
    }
}

/* ---- XRC ---- */

/* A queue pair of the second connection; "" for no shared receive queue. */
static struct fal_verbs xrc_pair(struct bench *b, unsigned side, const char *srq)
{
    struct fal_verbs create = {.kind = FAL_VERBS_QP_CREATE,
                               .type = side == 0 ? FAL_VERBS_XRC_INI : FAL_VERBS_XRC_TGT,
                               .path_mtu = MTU,
                               .ordering = b->ends[0].qp.ordering,
                               .errors = b->ends[0].qp.errors};

    bench_name(create.pd, b->ends[side].pd);
    bench_name(create.send_cq, b->ends[side].send_cq);
    bench_name(create.recv_cq, b->ends[side].recv_cq);
    bench_name(create.srq, srq);
    return bench_do(b, side, create);
}

static void xrc(struct bench *b)
{
    struct fal_verbs srq = {.kind = FAL_VERBS_SRQ_CREATE, .depth = 8, .xrc = true}, tgt, ini;
    struct fal_verbs connect = {.kind = FAL_VERBS_QP_CONNECT}, ask;
    uint32_t srqn;

    bench_open_other(b);
    bench_name(srq.pd, b->ends[1].pd);
    srqn = bench_do(b, 1, srq).srqn;
    tgt = xrc_pair(b, 1, "");
    ini = xrc_pair(b, 0, "");
    bench_name(connect.conn, "d");
    bench_name(connect.qp, tgt.qp);
    connect.dest_qpn = ini.qpn;
    say(b, 1, connect);
    bench_name(connect.qp, ini.qp);
    connect.dest_qpn = tgt.qpn;
    say(b, 0, connect);
    ask = (struct fal_verbs){.kind = FAL_VERBS_POST_RECV, .wr_id = 5, .num_sge = 1};
    bench_name(ask.srq, "srq1");
    bench_name(ask.sgl[0].mr, b->ends[1].mr.mr);
    ask.sgl[0].length = 100;
    say(b, 1, ask);
    for (unsigned op = 0; op < FAL_VERBS_OPS; op += FAL_VERBS_WRITE) {
        ask = bench_send(b, 0, (enum fal_verbs_op)op, 200, op == FAL_VERBS_CAS ? 8 : 80);
        bench_name(ask.qp, ini.qp);
        ask.srqn = srqn;
        say(b, 0, ask);
    }
    settle(b);
    bench_name(connect.qp, xrc_pair(b, 0, "").qp); /* a second one */
    say(b, 0, connect);
}

/* ---- datagrams ---- */

static void datagrams(struct bench *b)
{
    struct fal_verbs ah = {.kind = FAL_VERBS_AH_CREATE};

    if (b->ends[0].qp.qkey == 0)
        b->ends[0].qp.qkey = 7;
    bench_open_other(b);
    receive(b, 6);
    for (unsigned i = 0; i < 6; i++) {
        struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_SEND, 0, i == 5 ? MTU + 1 : 100 + i);

        bench_name(ah.pd, b->ends[0].pd);
        bench_name(ah.conn, i % 2 == 0 ? "c" : "d");
        bench_name(ask.ah, bench_do(b, 0, ah).ah);
        ask.dest_qpn = b->ends[1].qp.qpn;
        ask.qkey = 7 + (i == 3);
        say(b, 0, ask);
    }
    settle(b);
}

static const struct scene {
    const char *name;
    void (*play)(struct bench *b);
    bool ud, tight;
} scenes[] = {
    {"all operations", all_operations, false, false},
    {"once more", again, false, false},
    {"fragments", read_fragments, false, false},
    {"bad keys", bad_keys, false, false},
    {"invalidate", invalidate, false, false},
    {"an error", fail_and_go_on, false, false},
    {"closed", closed, false, false},
    {"no receive request", no_receive, false, false},
    {"many messages", many, false, false},
    {"a full queue", full_queue, false, false},
    {"modes", modes, false, false},
    {"another connection", other_connection, false, false},
    {"datagrams", datagrams, true, false},
    {"few credits", all_operations, false, true},
    {"answers for another", answers_for_another, false, false},
    {"one by one", one_by_one, false, false},
    {"XRC", xrc, false, false},
};

enum { SCENES = sizeof scenes / sizeof *scenes, FORMS = 4 };

static struct fal_params few_credits(void)
{
    struct fal_params params;

    fal_params_default(&params, false);
    params.mtu = BENCH_MTU;
    params.credit_req_pkt_tx = 2;
    params.credit_data_pkt_tx = 1;
    return params;
}

/* What a scene looks like. `form`: the ordering; the last is weak in the mode of verbs. */
static struct sight look(const struct scene *scene, unsigned form, const struct bench_plan *odd,
                         enum fal_fault_id fault, uint64_t *acts)
{
    struct bench_plan plan = *odd;
    struct view view = {.sight = {1, 1}};
    struct bench *b;

    plan.qp.path_mtu = form == 3 ? 4 * MTU : MTU;
    plan.qp.sq = 60;
    plan.qp.sge = 4;
    plan.qp.ordering = form == 3 ? FAL_VERBS_STRONG : (enum fal_verbs_ordering)form;
    plan.qp.errors = form == 3 ? FAL_VERBS_ERRORS_VERBS : FAL_VERBS_ERRORS_CIE;
    if (scene->ud) {
        plan.qp.type = FAL_VERBS_UD;
        plan.qp.qkey = 7;
        plan.qp.has_qkey = true;
    }
    if (scene->tight)
        plan.params = few_credits();
    plan.first_sn = UINT32_MAX - 10;
    plan.impairment = (struct fal_impairment){
        .latency_ns = 5000, .reorder_ppm = form == 0 ? 0 : 300000, .reorder_ns = 20000};
    plan.seed = 77;
    b = bench_new(&plan);
    b->watch = see_packet;
    b->told = see_event;
    b->ctx = &view;
    bench_fill(b, 0, 0, 65536, 1);
    bench_fill(b, 1, 0, 65536, 2);
    scene->play(b);
    for (unsigned side = 0; side < 2; side++) {
        uint64_t hash = bench_hash(b, side, 0, 65536), chances, all;

        mix(&view.sight.events, &hash, sizeof hash);
        *acts += fal_verbs_fault_acts(b->ends[side].engine, fault);
        fal_verbs_faults(b->ends[side].engine, &chances, &all);
        ck_assert_uint_eq(all, fal_verbs_fault_acts(b->ends[side].engine, fault));
        ck_assert_uint_ge(chances, all);
    }
    mix(&view.sight.packets, &b->pair.trace, sizeof b->pair.trace);
    bench_free(b);
    return view.sight;
}

/* Whether the plan looks otherwise than a plain one in some scene. */
static bool shows(const struct bench_plan *odd, enum fal_fault_id fault, uint64_t *acts)
{
    const struct bench_plan plain = {0};
    uint64_t none = 0;
    bool seen = false;

    *acts = 0;
    for (unsigned i = 0; i < SCENES; i++)
        for (unsigned form = 0; form < FORMS; form++) {
            struct sight with = look(&scenes[i], form, odd, fault, acts);
            struct sight without = look(&scenes[i], form, &plain, fault, &none);

            seen |= memcmp(&with, &without, sizeof with) != 0;
            if (seen && (*acts > 0 || !fal_fault_any(&odd->faults[0])))
                return true;
        }
    return seen;
}

START_TEST(each_fault_acts_and_shows)
{
    enum fal_fault_id fault = (enum fal_fault_id)(FAL_FAULT_ULP_FIRST + _i);
    struct bench_plan plan = {0};
    uint64_t acts;
    size_t n;
    bool seen;

    for (unsigned side = 0; side < 2; side++)
        fal_fault_add(&plan.faults[side], fault);
    seen = shows(&plan, fault, &acts);
    ck_assert_msg(acts > 0, "%s does not act", fal_faults(&n)[fault].name);
    ck_assert_msg(seen, "%s does not show", fal_faults(&n)[fault].name);
}
END_TEST

START_TEST(each_variant_shows)
{
    enum fal_twin_id twin = (enum fal_twin_id)(FAL_TWIN_ULP_FIRST + _i);
    struct bench_plan plan = {0};
    uint64_t acts;
    size_t n;

    for (unsigned side = 0; side < 2; side++)
        fal_twin_add(&plan.twins[side], twin);
    ck_assert_msg(shows(&plan, FAL_FAULT_RBTH_VERSION_0, &acts), "%s does not show",
                  fal_twins(&n)[twin].name);
}
END_TEST

START_TEST(a_fault_acts_when_its_parameters_say)
{
    const struct scene *scene = &scenes[0];
    struct bench_plan plan = {0};
    struct fal_fault_how how = {.id = FAL_FAULT_RBTH_VERSION_0, .from = UINT32_MAX};
    uint64_t acts = 0;

    ck_assert_int_eq(fal_fault_add_how(&plan.faults[0], &how), 0);
    (void)look(scene, 0, &plan, how.id, &acts);
    ck_assert_uint_eq(acts, 0);
    how.from = 0;
    how.one_in = 8;
    ck_assert_int_eq(fal_fault_add_how(&plan.faults[0], &how), 0);
    (void)look(scene, 0, &plan, how.id, &acts);
    ck_assert_uint_gt(acts, 0);
    ck_assert_uint_lt(acts, 60);
    acts = 0;
    how.one_in = 1;
    how.when = FAL_WHEN_SECOND_WINDOW; /* more requests than the scene has */
    ck_assert_int_eq(fal_fault_add_how(&plan.faults[0], &how), 0);
    (void)look(&scenes[1], 0, &plan, how.id, &acts);
    ck_assert_uint_eq(acts, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("verbs faults and variants");
    TCase *tc = tcase_create("odd");

    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, each_fault_acts_and_shows, 0,
                        FAL_FAULT_NVME_FIRST - FAL_FAULT_ULP_FIRST);
    tcase_add_loop_test(tc, each_variant_shows, 0, FAL_TWIN_NVME_FIRST - FAL_TWIN_ULP_FIRST);
    tcase_add_test(tc, a_fault_acts_when_its_parameters_say);
    suite_add_tcase(suite, tc);
    return suite;
}
