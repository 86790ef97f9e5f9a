/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_steer.h"

#include "harness/session/session.h"
#include "harness/wire/protocol.h"
#include "oracles/cc/state.h"
#include "oracles/seq.h"

#include <math.h>
#include <string.h>

enum {
    BACKLOG = 256, /* pushes that the SUT has not sent yet; two windows */
    WINDOW = 128,  /* of the receiver */
    LENGTH = 64,
    CID_PART = 0x4343, /* of the seed */
    CID_MAX = 0xffffff,
    SEEN = 256,    /* ACKs and packets of a round whose times are kept */
    LAGGING = 2,   /* an answer that takes so many times as long as usual shows a disturbance */
    LATE_PART = 2, /* a packet in the last half of a round is too late to be counted surely */
};

/* How long ACKs are held: the round trip, and the longest delay that they can tell. */
#define HOLD_VIRTUAL_NS (512 * FAL_US)
#define HOLD_LIVE_NS    (5 * FAL_MS)
/* ACKs of a live tester leave one by one, as each has the time of its departure in its seal. */
#define APART_NS      (25 * FAL_US)
#define HOLD_MOST_NS  (80 * FAL_MS)
#define SILENCE_NS    (2 * FAL_S)
#define SILENT_ROUNDS 100
#define TICK_NS       131.072

/* Times are told and computed in whole ticks of two clocks. */
#define ERROR_TICKS 1.25

/* What was seen of the SUT. */
struct bench {
    const struct tl_cc_steer *steer;
    struct tl_session *session;
    uint32_t next_psn;
    uint64_t posted, sent;                  /* pushes: by commands; first copies */
    unsigned arrived;                       /* first copies of this round */
    uint64_t last_ns;                       /* when the last one of them came */
    uint64_t came_ns[SEEN], acked_ns[SEEN]; /* when each came; when each ACK left */
    unsigned acks;                          /* that left in this round */
    uint64_t usual_ns;                      /* how long the SUT mostly needs for an answer */
    bool repeated;                          /* a packet of this round was sent before */
    bool refused;                           /* the SUT has refused a post */
    uint64_t hold_ns, leave_ns, apart_ns;
    uint64_t silent_ns; /* since when nothing has come */
};

/* ---- what comes ---- */

static void take_packet(struct bench *b, const struct fal_event *event)
{
    const struct fal_ev_packet *p = &event->u.packet;

    if (p->dir != FAL_FROM_SUT || p->header_len <= 0 || p->bad != FAL_BAD_NOT ||
        event->conn != 1 || p->falcon.packet_type != FAL_PUSH_DATA)
        return;
    if (fal_seq_lt(p->falcon.psn, b->next_psn)) {
        b->repeated = true;
        return;
    }
    b->next_psn = p->falcon.psn + 1;
    if (b->arrived < SEEN)
        b->came_ns[b->arrived] = event->t_ns;
    b->arrived++;
    b->sent++;
    b->last_ns = event->t_ns;
}

static void take(void *ctx, const struct fal_event *event)
{
    struct bench *b = ctx;

    if (event->kind == FAL_EV_PACKET && event->u.packet.dir == FAL_TO_SUT) {
        if (b->acks < SEEN)
            b->acked_ns[b->acks++] = event->t_ns;
    } else if (event->kind == FAL_EV_PACKET)
        take_packet(b, event);
    else if (event->kind == FAL_EV_REPLY && !event->u.reply.ok)
        b->refused = true;
}

/* ---- the session ---- */

static bool broken(const struct bench *b)
{
    return b->session->broken.reason != TL_REASON_NONE;
}

static int broke(const struct bench *b, struct fal_error *err)
{
    return fal_fail(err,
                    b->session->broken.reason == TL_REASON_MEMORY ? FAL_ERR_MEM : FAL_ERR_IO,
                    "%.400s", b->session->broken.what.text);
}

static int open_connection(struct bench *b, struct fal_error *err)
{
    const struct tl_cc_steer *steer = b->steer;
    struct fal_rng rng = fal_rng_split(steer->seed, CID_PART);
    struct fal_connection setup = {.initial_known = true};
    const struct tl_end_setup wishes = {.has_cid = false};

    fal_params_default(&setup.params, tl_session_live(b->session));
    if (steer->given != NULL)
        tl_given_params_apply(steer->given, &setup.params);
    fal_cc_start(&setup.params);
    setup.params.rto_ns = FAL_S; /* ACKs are held for long. */
    setup.params.transaction_timeout_ns = 1000 * FAL_S;
    setup.params.tx_window_data = WINDOW;
    setup.tester.cid = 1 + (uint32_t)fal_rng_below(&rng, CID_MAX);
    setup.tester.req_psn = (uint32_t)fal_rng_next(&rng);
    setup.tester.data_psn = (uint32_t)fal_rng_next(&rng);
    setup.tester.rsn = (uint32_t)fal_rng_next(&rng);
    if (tl_session_open(b->session, &setup, &wishes) != 0)
        return broke(b, err);
    b->next_psn = b->session->connection.sut.data_psn;
    return 0;
}

/* Gives the SUT parameters of Swift. */
static int set_params(struct bench *b, struct fal_error *err)
{
    if (b->steer->set == NULL)
        return 0;
    tl_session_command(b->session, json_pack("{s:s, s:O}", "do", "cc_config", "params",
                                             (json_t *)b->steer->set));
    if (!tl_session_await_answer(b->session))
        return broke(b, err);
    if (b->session->answer_ok)
        return 0;
    return fal_fail(err, FAL_ERR_TYPE,
                    "--set: the adapter answered `cc_config` with \"%s%s%.200s\"; leave the "
                    "option out, and set the parameters by the means of the device",
                    b->session->answer_error, b->session->answer_why[0] != 0 ? ": " : "",
                    b->session->answer_why);
}

/* Posts pushes, so that the window is always what limits the sender. */
static void refill(struct bench *b)
{
    while (b->posted < b->sent + BACKLOG && !broken(b)) {
        const char *conn = b->session->connection.name;
        struct tl_protocol_command order = {.verb = TL_DO_POST,
                                            .conn = conn,
                                            .op = FAL_OP_PUSH,
                                            .length = LENGTH,
                                            .has_length = true,
                                            .tag = ++b->posted,
                                            .has_tag = true};

        if (tl_session_takes_orders(b->session))
            tl_session_order(b->session, &order);
        else
            tl_session_command(b->session, json_pack("{s:s, s:s, s:s, s:i, s:I}", "do", "post",
                                                     "conn", conn, "op", "push", "length",
                                                     LENGTH, "tag", (json_int_t)b->posted));
    }
}

/* The ACKs that are held leave now and tell the step; later ones wait. */
static void steer_acks(struct bench *b, const struct tl_cc_tell *step)
{
    const struct fal_steer steer = {.on = true,
                                    .together = true,
                                    .apart_ns = b->apart_ns,
                                    .has_delay = true,
                                    .has_hops = true,
                                    .has_level = true,
                                    .delay_ns = (uint64_t)ceil(step->delay * TICK_NS),
                                    .hops = step->hops,
                                    .level = step->level};

    b->session->steered = true;
    if (fal_endpoint_steer_acks(b->session->endpoint, b->session->conn, &steer) != 0)
        tl_session_break(b->session, TL_REASON_MEMORY, "out of memory");
}

static void pump(struct bench *b, uint64_t until_ns)
{
    while (!broken(b) && !tl_session_pump(b->session, until_ns))
        ;
}

/* Plays a round: the ACKs of the packets that came in the last one leave and tell the step.
 * Those of the packets that come now are held. */
static void play(struct bench *b, const struct tl_cc_tell *step)
{
    uint64_t from_ns = b->leave_ns;

    b->leave_ns += b->hold_ns;
    steer_acks(b, step);
    b->session->lines = 0; /* they are limited by the backlog */
    b->arrived = b->acks = 0;
    b->repeated = false;
    b->last_ns = from_ns;
    refill(b);
    pump(b, b->leave_ns - 1);
}

/* The longest time from an ACK to the packet that shows that it had come: the delay of the ACK
 * is within it. The last packet is let out by the last ACK, and so on backwards: a fall holds
 * back the packets of the first ACKs, and a rise adds packets at the end. */
static uint64_t longest_answer_ns(const struct bench *b)
{
    unsigned came = b->arrived < SEEN ? b->arrived : SEEN;
    unsigned none = b->acks > came ? b->acks - came : 0; /* ACKs that let out no packet */
    uint64_t longest = 0;

    for (unsigned i = 0; i < b->acks && came > 0; i++) {
        uint64_t came_ns = b->came_ns[i > none ? i - none : 0];

        if (came_ns > b->acked_ns[i] && came_ns - b->acked_ns[i] > longest)
            longest = came_ns - b->acked_ns[i];
    }
    return longest;
}

/* Whether packets still came shortly before the end of the round, or the tester was late. The
 * next rounds are longer then, for a while. */
static bool was_late(struct bench *b)
{
    bool late = b->last_ns + b->hold_ns / LATE_PART > b->leave_ns ||
                tl_session_now(b->session) > b->leave_ns + b->hold_ns / LATE_PART;

    if (late) {
        b->leave_ns = tl_session_now(b->session);
        b->hold_ns = b->hold_ns < HOLD_MOST_NS ? b->hold_ns + b->hold_ns / 4 : b->hold_ns;
    } else if (b->hold_ns > HOLD_LIVE_NS) {
        b->hold_ns -= b->hold_ns / 64;
    }
    return late;
}

static struct tl_cc_round ended(struct bench *b)
{
    struct tl_cc_round round = {
        .outstanding = b->arrived, .sound = !b->repeated, .over = ERROR_TICKS};
    uint64_t answer_ns = longest_answer_ns(b);

    if (!tl_session_live(b->session))
        return round;
    round.over += (double)answer_ns / TICK_NS;
    round.sound =
        !was_late(b) && round.sound && (b->usual_ns == 0 || answer_ns < LAGGING * b->usual_ns);
    if (b->usual_ns == 0)
        b->usual_ns = answer_ns;
    /* It follows the median: as many answers are longer as are shorter. */
    b->usual_ns = answer_ns > b->usual_ns ? b->usual_ns + b->usual_ns / 16 + 1
                                          : b->usual_ns - b->usual_ns / 16;
    return round;
}

/* ---- the measurement ---- */

static int check_progress(struct bench *b, struct fal_error *err)
{
    uint64_t now_ns = b->leave_ns;

    if (broken(b))
        return broke(b, err);
    if (b->refused)
        return fal_fail(err, FAL_ERR_IO,
                        "the SUT refuses a `post` (push of %d bytes); expected room for %d "
                        "pushes that wait",
                        LENGTH, BACKLOG);
    if (b->arrived > 0)
        b->silent_ns = now_ns;
    if (now_ns - b->silent_ns > SILENCE_NS &&
        now_ns - b->silent_ns > SILENT_ROUNDS * b->hold_ns)
        return fal_fail(err, FAL_ERR_IO,
                        "the SUT has sent no push for %.0f s, although %d wait; expected one "
                        "in each round trip",
                        (double)(now_ns - b->silent_ns) / FAL_S, BACKLOG);
    return 0;
}

/* The count of a round is complete when the next one is played: then its ACKs have told the
 * step, and let out the packets of the next one. */
static int measure(struct bench *b, struct tl_cc_measure *m, struct fal_error *err)
{
    const struct tl_cc_tell first = m->step;
    struct tl_cc_round round;
    bool more = true;
    int rc;

    b->leave_ns = b->silent_ns = tl_session_now(b->session);
    play(b, &first);
    rc = check_progress(b, err);
    round = ended(b);
    while (more && rc == 0) {
        const struct tl_cc_tell told = m->step;

        play(b, &told);
        rc = check_progress(b, err);
        if (rc != 0)
            break;
        if (b->steer->rounds != NULL)
            (void)fprintf(b->steer->rounds, "%u %.0f %u %u %u%s\n", m->rounds, told.delay,
                          told.hops, told.level, round.outstanding,
                          round.sound ? "" : " disturbed");
        more = tl_cc_measure_round(m, &round);
        round = ended(b);
    }
    return rc;
}

/* The window did not follow the delay: there is nothing to be estimated. */
static int stuck(const struct bench *b, const struct tl_cc_measure *m, struct fal_error *err)
{
    double told_us = m->step.delay * TICK_NS / FAL_US;

    if (m->stuck == TL_CC_STUCK_NOT)
        return 0;
    if (m->stuck == TL_CC_STUCK_HIGH)
        return fal_fail(err, FAL_ERR_TYPE,
                        "the SUT's window does not fall: %u packets in each of %u round trips "
                        "whose ACKs tell a fabric delay of %.0f us; expected Swift (10.3): "
                        "switch it on in the SUT",
                        m->seen, m->same, told_us);
    return fal_fail(err, FAL_ERR_TYPE,
                    "the SUT's window does not rise: it stays below %u packets in %u round "
                    "trips whose ACKs tell a fabric delay of %.0f us%s",
                    m->seen + 1, m->same, told_us,
                    tl_session_live(b->session)
                        ? "; the way of the ACKs may add more than the target: measure on a "
                          "quiet host, or a longer target (--set base_delay_target=16000)"
                        : "; expected Swift (10.3) with a fabric_additive_increment above 0");
}

int tl_cc_steer_check(const struct tl_cc_steer *steer, struct fal_error *err)
{
    const struct tl_bench *bench = steer->bench;
    enum tl_ics_answer swift =
        steer->ics != NULL ? steer->ics->items[TL_ICS_SWIFT] : bench->ics.items[TL_ICS_SWIFT];

    if (bench->upper == NULL)
        return fal_fail(err, FAL_ERR_TYPE,
                        "the SUT has no control channel; measure needs --control, to open a "
                        "sealed connection and to post pushes");
    if (bench->level < 2)
        return fal_fail(err, FAL_ERR_TYPE,
                        "the adapter offers level L%u; measure needs L2, to post pushes "
                        "(docs/sut-protocol.md)",
                        bench->level);
    if (swift == TL_ICS_NO)
        return fal_fail(err, FAL_ERR_TYPE,
                        "the SUT states that it has no Swift (ICS item 'swift'); measure "
                        "estimates parameters of Swift only");
    return 0;
}

int tl_cc_steer_run(const struct tl_cc_steer *steer, const struct tl_cc_declared *declared,
                    struct tl_cc_measure *m, struct fal_error *err)
{
    bool live = steer->bench->caps.live;
    struct bench b = {.steer = steer,
                      .hold_ns = live ? HOLD_LIVE_NS : HOLD_VIRTUAL_NS,
                      .apart_ns = live ? APART_NS : 0};
    const struct tl_session_config config = {.bench = steer->bench,
                                             .ics = steer->ics,
                                             .title = "talon cc measure",
                                             .given = steer->given,
                                             .seed = steer->seed,
                                             .timeout_ns = steer->timeout_ns,
                                             .late_ns = FAL_MS,
                                             .acks = true,
                                             .retransmission = true,
                                             .ulp = true,
                                             .encap = steer->encap,
                                             .psp_keys = steer->psp_keys,
                                             .esp_keys = steer->esp_keys,
                                             .event = take,
                                             .event_ctx = &b};
    const struct tl_cc_exact exact = {
        .most = floor((double)b.hold_ns / TICK_NS), .under = ERROR_TICKS, .live = live};
    int rc;

    tl_cc_measure_begin(m, declared, &exact);
    b.session = tl_session_new(&config);
    if (b.session == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    rc = broken(&b) ? broke(&b, err) : open_connection(&b, err);
    if (rc == 0)
        rc = set_params(&b, err);
    if (rc == 0)
        rc = measure(&b, m, err);
    if (rc == 0)
        rc = stuck(&b, m, err);
    tl_session_free(b.session);
    return rc;
}
