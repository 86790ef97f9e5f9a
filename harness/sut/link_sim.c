/* SPDX-License-Identifier: Apache-2.0
 * link_sim.c - a SUT in virtual time behind the simulated network: waiting advances the time to
 * the next event. Control lines take no time and keep their order.
 * At equal times frames arrive first, then the SUT's timers run. The SUT's output reaches the
 * tester in the order in which the SUT produced it: lines at once, frames when the network
 * delivers them.
 * A corrupted frame never reaches an endpoint: each frame crosses the network with a hash
 * behind it, which stands for the checks of a real link (FCS, UDP checksum, ICV); a frame whose
 * hash is wrong is lost. */
#include "harness/sut/link_sim.h"
#include "harness/link/link.h"

#include "harness/sut/virtual_sut.h"
#include "harness/wire/control_io.h"
#include "oracles/payload.h"
#include "oracles/rng.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHECK_LEN = 8,
    SHORT_MAX = 1024, /* bytes of most arrivals */
    FRAME_MAX = 65535,
    FRAME_TTL = 64,
    NET_PART = 0x4e45,   /* part of the seed, for the network's random choices */
    STUCK_TICKS = 100000 /* limit of SUT timers in a row that do not advance the time */
};

/* An event that waits to be returned to the tester. */
struct arrival {
    struct arrival *next;
    enum tl_link_event kind;
    uint64_t at_ns;
    struct tl_sut_ip ip; /* of a frame */
    uint32_t path;       /* likewise */
    json_t *object;      /* of a line, or NULL */
    bool is_said;        /* the bytes are a struct tl_protocol_said */
    size_t len;
    _Alignas(8) char bytes[]; /* and a NUL */
};

struct link_sim {
    struct tl_link link;
    struct tl_link_caps caps;
    struct tl_virtual_sut *sut;
    struct fal_simnet *net;
    uint64_t now_ns;
    struct arrival *head, *tail, *taken;
    struct arrival *spare; /* short ones, to be used again */
    unsigned stuck;
    int next_ecn, next_ttl; /* of the next frame to the SUT; -1 and 0: the default */
    enum tl_flaw next_flaw; /* likewise */
    bool no_memory;
    bool corrupts; /* the network may change bytes of a frame */
    uint8_t frame[FRAME_MAX + CHECK_LEN];
};

static struct link_sim *sim_of(struct tl_link *link)
{
    return (struct link_sim *)link;
}

static void free_arrival(struct arrival *arrival)
{
    if (arrival != NULL)
        json_decref(arrival->object);
    free(arrival);
}

static struct arrival *new_arrival(struct link_sim *sim, size_t len)
{
    struct arrival *spare = sim->spare;

    if (len > SHORT_MAX)
        return malloc(sizeof *spare + len + 1);
    if (spare == NULL)
        return malloc(sizeof *spare + SHORT_MAX + 1);
    sim->spare = spare->next;
    return spare;
}

/* The arrival may be NULL. */
static void done_with(struct link_sim *sim, struct arrival *arrival)
{
    if (arrival == NULL || arrival->len > SHORT_MAX) {
        free_arrival(arrival);
        return;
    }
    json_decref(arrival->object);
    arrival->object = NULL;
    arrival->next = sim->spare;
    sim->spare = arrival;
}

/* Puts it behind the others; `head` tells what it is. */
static void arrive(struct link_sim *sim, const struct arrival *head, const void *bytes)
{
    size_t len = head->len;
    struct arrival *arrival = new_arrival(sim, len);

    if (arrival == NULL) {
        sim->no_memory = true;
        return;
    }
    *arrival = *head;
    arrival->at_ns = sim->now_ns;
    (void)json_incref(arrival->object);
    if (len > 0)
        memcpy(arrival->bytes, bytes, len);
    arrival->bytes[len] = 0;
    if (sim->tail != NULL)
        sim->tail->next = arrival;
    else
        sim->head = arrival;
    sim->tail = arrival;
}

/* More bits than random corruption ever flips. */
static uint64_t trace(enum tl_flaw flaw)
{
    return flaw == TL_FLAW_NONE ? 0 : UINT64_C(0x54616c6f6e0000) + flaw;
}

/* The hash that stands for the checks of a real link. A network that changes no bytes needs
 * none. */
static uint64_t check_of(const struct link_sim *sim, const uint8_t *bytes, size_t len)
{
    return sim->corrupts ? fal_payload_hash(bytes, len) : 0;
}

/* The marks of a frame: -1 and 0 stand for the usual ECN and TTL. */
struct marks {
    int ecn, ttl;
    enum tl_flaw flaw;
    uint32_t path; /* the source port; 0: unknown */
};

static int put_on_net(struct link_sim *sim, enum fal_dir dir, const uint8_t *bytes, size_t len,
                      struct marks marks)
{
    uint64_t hash = check_of(sim, bytes, len) ^ trace(marks.flaw);
    struct fal_falcon packet;
    const struct fal_simnet_frame frame = {
        .dir = dir,
        .at_ns = sim->now_ns,
        .bytes = sim->frame,
        .len = len + CHECK_LEN,
        .ecn = marks.ecn >= 0 ? (uint8_t)marks.ecn : FAL_ECN_ECT0,
        .ttl = marks.flaw == TL_FLAW_TTL_0 ? 1
               : marks.ttl > 0             ? (uint8_t)marks.ttl
                                           : FRAME_TTL,
        .path = marks.path,
        .packet = fal_simnet_has_rules(sim->net) && fal_falcon_decode(bytes, len, &packet) > 0
                      ? &packet
                      : NULL};

    if (len > FRAME_MAX)
        return FAL_ERR_RANGE;
    memcpy(sim->frame, bytes, len);
    memcpy(sim->frame + len, &hash, CHECK_LEN);
    return fal_simnet_put(sim->net, &frame);
}

/* False: the frame is lost. */
static bool intact(const struct link_sim *sim, const uint8_t *bytes, size_t *len,
                   enum tl_flaw *flaw)
{
    uint64_t hash;

    if (*len < CHECK_LEN)
        return false;
    *len -= CHECK_LEN;
    memcpy(&hash, bytes + *len, CHECK_LEN);
    hash ^= check_of(sim, bytes, *len);
    for (*flaw = TL_FLAW_NONE; *flaw < TL_FLAW_COUNT; ++*flaw)
        if (hash == trace(*flaw))
            return *flaw !=
                   TL_FLAW_FRAGMENT; /* a first fragment whose other fragments never come */
    return false;
}

/* Takes all outputs of the SUT. */
static void collect(struct link_sim *sim)
{
    struct tl_sut_out out;

    while (sim->sut->ops->next(sim->sut, &out)) {
        switch (out.kind) {
        case TL_SUT_LINE:
            arrive(sim,
                   &(struct arrival){.kind = TL_LINK_LINE,
                                     .object = out.object,
                                     .is_said = out.said != NULL,
                                     .len = out.len},
                   out.said != NULL ? (const void *)out.said : out.bytes);
            break;
        case TL_SUT_FRAME:
            if (put_on_net(sim, FAL_FROM_SUT, out.bytes, out.len,
                           (struct marks){-1, 0, TL_FLAW_NONE, out.path}) == FAL_ERR_MEM)
                sim->no_memory = true;
            break;
        }
    }
}

/* Processes everything that is due by now. */
static void run_due(struct link_sim *sim)
{
    for (;;) {
        struct fal_simnet_frame got;

        if (fal_simnet_take(sim->net, sim->now_ns, &got)) {
            struct tl_sut_ip ip = {.ecn = got.ecn, .ttl = got.ttl};
            enum tl_flaw flaw;

            sim->stuck = 0;
            if (!intact(sim, got.bytes, &got.len, &flaw))
                continue;
            ip.damaged = tl_bad_below(tl_flaw_bad(flaw));
            if (got.dir == FAL_TO_SUT)
                sim->sut->ops->frame(sim->sut, got.bytes, got.len, ip, sim->now_ns);
            else
                arrive(sim,
                       &(struct arrival){
                           .kind = TL_LINK_FRAME, .ip = ip, .path = got.path, .len = got.len},
                       got.bytes);
        } else if (sim->sut->ops->deadline(sim->sut) <= sim->now_ns &&
                   sim->stuck < STUCK_TICKS) {
            sim->stuck++;
            sim->sut->ops->tick(sim->sut, sim->now_ns);
        } else {
            return;
        }
        collect(sim);
    }
}

static struct tl_link_caps sim_caps(const struct tl_link *link)
{
    return ((const struct link_sim *)link)->caps;
}

static uint64_t sim_now(struct tl_link *link)
{
    return sim_of(link)->now_ns;
}

static void sim_mark(struct tl_link *link, int ecn, int ttl)
{
    struct link_sim *sim = sim_of(link);

    sim->next_ecn = ecn;
    sim->next_ttl = ttl;
}

static const char *sim_spoil(struct tl_link *link, enum tl_flaw flaw)
{
    sim_of(link)->next_flaw = flaw;
    return NULL;
}

static int sim_send(struct tl_link *link, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                    struct fal_error *err)
{
    struct link_sim *sim = sim_of(link);
    int rc = put_on_net(sim, FAL_TO_SUT, bytes, len,
                        (struct marks){sim->next_ecn, sim->next_ttl, sim->next_flaw, 0});

    sim_mark(link, -1, 0);
    sim->next_flaw = TL_FLAW_NONE;
    *sent_ns = sim->now_ns;
    if (rc == FAL_ERR_RANGE)
        return fal_fail(err, FAL_ERR_IO, "a frame of %zu bytes is too long: the link takes %d",
                        len, FRAME_MAX);
    return rc == 0 ? 0 : fal_fail(err, FAL_ERR_IO, "out of memory");
}

/* A line has been given to the SUT: what comes of it. */
static int after_line(struct link_sim *sim, struct fal_error *err)
{
    collect(sim);
    run_due(sim);
    if (sim->sut->ops->broken(sim->sut) != NULL)
        return fal_fail(err, FAL_ERR_IO, "%s", sim->sut->ops->broken(sim->sut));
    return sim->no_memory ? fal_fail(err, FAL_ERR_IO, "out of memory") : 0;
}

static int sim_send_object(struct tl_link *link, json_t *object, struct fal_error *err)
{
    struct link_sim *sim = sim_of(link);

    run_due(sim); /* frames that have arrived by now precede the line */
    sim->sut->ops->object(sim->sut, object, sim->now_ns);
    return after_line(sim, err);
}

static int sim_send_command(struct tl_link *link, struct tl_protocol_command *command,
                            struct fal_error *err)
{
    struct link_sim *sim = sim_of(link);

    run_due(sim); /* as above */
    sim->sut->ops->command(sim->sut, command, sim->now_ns);
    return after_line(sim, err);
}

static int sim_send_line(struct tl_link *link, const char *line, size_t len,
                         struct fal_error *err)
{
    struct link_sim *sim = sim_of(link);

    if (len > TL_LINE_MAX)
        return fal_fail(err, FAL_ERR_IO,
                        "a control line of %zu bytes is too long: the limit is %d", len,
                        TL_LINE_MAX);
    run_due(sim); /* frames that have arrived by now precede the line */
    sim->sut->ops->line(sim->sut, line, len, sim->now_ns);
    return after_line(sim, err);
}

/* Returns the oldest event, if it happened by the deadline. */
static bool take(struct link_sim *sim, uint64_t deadline_ns, struct tl_link_got *got)
{
    struct arrival *first = sim->head;

    if (first == NULL || first->at_ns > deadline_ns)
        return false;
    sim->head = first->next;
    if (sim->head == NULL)
        sim->tail = NULL;
    sim->taken = first;
    got->at_ns = first->at_ns;
    got->read_ns = sim->now_ns;
    if (first->is_said)
        got->said = (const void *)first->bytes;
    else if (first->object == NULL)
        got->bytes = (const uint8_t *)first->bytes;
    got->object = first->object;
    got->len = first->len;
    got->ecn = first->ip.ecn;
    got->ttl = first->ip.ttl;
    got->path = first->path;
    return true;
}

static enum tl_link_event sim_error(struct link_sim *sim, struct tl_link_got *got,
                                    const char *what)
{
    got->at_ns = got->read_ns = sim->now_ns;
    (void)fal_fail(&got->error, FAL_ERR_IO, "%s", what);
    return TL_LINK_ERROR;
}

static enum tl_link_event sim_wait(struct tl_link *link, uint64_t deadline_ns,
                                   struct tl_link_got *got)
{
    struct link_sim *sim = sim_of(link);

    *got = (struct tl_link_got){0};
    done_with(sim, sim->taken);
    sim->taken = NULL;
    for (;;) {
        uint64_t net, sut, next;

        run_due(sim);
        if (sim->no_memory)
            return sim_error(sim, got, "out of memory");
        if (sim->sut->ops->broken(sim->sut) != NULL && sim->head == NULL)
            return sim_error(sim, got, sim->sut->ops->broken(sim->sut));
        if (take(sim, deadline_ns, got))
            return sim->taken->kind;
        if (sim->head != NULL)
            break; /* it happened after the deadline, which has passed */
        net = fal_simnet_deadline(sim->net);
        sut = sim->sut->ops->deadline(sim->sut);
        next = net < sut ? net : sut;
        if (next <= sim->now_ns)
            return sim_error(sim, got,
                             "the SUT's timer is due but its deadline does not advance");
        if (next > deadline_ns || next == FAL_NEVER)
            break;
        sim->now_ns = next;
        sim->stuck = 0;
    }
    if (deadline_ns == FAL_NEVER)
        return sim_error(sim, got, "no event is left: nothing will ever happen");
    if (deadline_ns > sim->now_ns) {
        sim->now_ns = deadline_ns;
        sim->stuck = 0;
    }
    got->at_ns = got->read_ns = sim->now_ns;
    return TL_LINK_TIMEOUT;
}

static uint64_t sim_drops(struct tl_link *link)
{
    (void)link;
    return 0;
}

/* The hash check drops damaged frames. */
static void sim_lost(struct tl_link *link, uint64_t out[2])
{
    const struct fal_simnet_counts n = fal_simnet_counts(sim_of(link)->net);

    for (int dir = 0; dir < 2; dir++)
        out[dir] = n.lost[dir] + n.overflowed[dir] + n.oversized[dir] + n.expired[dir] +
                   n.corrupted[dir];
}

/* Of the directions in which it may lose a frame: of others the judge knows that it does not.
 */
static void sim_trials(struct tl_link *link, uint64_t trials[2], uint64_t lost[2])
{
    const struct tl_link_caps *caps = &sim_of(link)->caps;
    const struct fal_simnet_trials t = fal_simnet_trials(sim_of(link)->net);
    const bool lossless[2] = {
        [FAL_TO_SUT] = caps->lossless_in, [FAL_FROM_SUT] = caps->lossless_out};

    for (int dir = 0; dir < 2; dir++) {
        trials[dir] = lossless[dir] ? 0 : t.trials[dir];
        lost[dir] = lossless[dir] ? 0 : t.lost[dir];
    }
}

static uint64_t sim_under_way_ns(struct tl_link *link)
{
    uint64_t last_ns = fal_simnet_last_arrival(sim_of(link)->net, FAL_TO_SUT);

    return last_ns > sim_of(link)->now_ns ? last_ns - sim_of(link)->now_ns : 0;
}

static void sim_disturbed(struct tl_link *link, uint64_t duplicated[2], uint64_t overtaken[2])
{
    const struct fal_simnet_counts n = fal_simnet_counts(sim_of(link)->net);

    memcpy(duplicated, n.duplicated, sizeof n.duplicated);
    memcpy(overtaken, n.overtaken, sizeof n.overtaken);
}

static void sim_faults(struct tl_link *link, uint64_t *chances, uint64_t *acts)
{
    const struct tl_virtual_sut *sut = sim_of(link)->sut;

    *chances = *acts = 0;
    if (sut->ops->faults != NULL)
        sut->ops->faults(sut, chances, acts);
}

static const struct tl_stop *sim_stopped(struct tl_link *link)
{
    struct tl_virtual_sut *sut = sim_of(link)->sut;
    const struct tl_stop *stop = sut->ops->stopped != NULL ? sut->ops->stopped(sut) : NULL;

    return stop != NULL && stop->how != TL_STOP_NONE ? stop : NULL;
}

static void free_arrivals(struct arrival *arrival)
{
    while (arrival != NULL) {
        struct arrival *next = arrival->next;

        free_arrival(arrival);
        arrival = next;
    }
}

static void sim_free(struct tl_link *link)
{
    struct link_sim *sim = sim_of(link);

    free_arrivals(sim->head);
    free_arrivals(sim->spare);
    free_arrival(sim->taken);
    fal_simnet_free(sim->net);
    if (sim->sut != NULL)
        sim->sut->ops->free(sim->sut);
    free(sim);
}

static const struct tl_link_ops sim_ops = {
    .caps = sim_caps,
    .now_ns = sim_now,
    .send = sim_send,
    .mark = sim_mark,
    .spoil = sim_spoil,
    .send_line = sim_send_line,
    .wait = sim_wait,
    .drops = sim_drops,
    .lost = sim_lost,
    .trials = sim_trials,
    .disturbed = sim_disturbed,
    .under_way_ns = sim_under_way_ns,
    .faults = sim_faults,
    .stopped = sim_stopped,
    .free = sim_free,
};

/* Returns whether every frame that is sent in this direction arrives. */
static bool lossless(const struct fal_impairment *i)
{
    return i->loss_ppm == 0 && i->corrupt_ppm == 0 && i->mtu == 0 && i->hops < FRAME_TTL &&
           (i->rate_bps == 0 || i->queue_bytes == 0);
}

/* The guarantees that a rule of the network removes. */
static void rule_caps(struct tl_link_caps *caps, const struct fal_simnet_rule *rule)
{
    switch (rule->action) {
    case FAL_SIMNET_DROP:
    case FAL_SIMNET_CORRUPT:
        caps->lossless_in &= rule->dir == FAL_FROM_SUT;
        caps->lossless_out &= rule->dir == FAL_TO_SUT;
        break;
    case FAL_SIMNET_DUPLICATE: caps->no_duplicates = false; break;
    case FAL_SIMNET_DELAY:
        caps->in_order = false;
        if (caps->delay_max_ns != FAL_NEVER)
            caps->delay_max_ns += rule->delay_ns;
        break;
    case FAL_SIMNET_MARK_CE: caps->unmarked_in &= rule->dir == FAL_FROM_SUT; break;
    }
}

/* The guarantees that the network keeps. */
static struct tl_link_caps caps_of(const struct tl_link_sim_config *config)
{
    const struct fal_impairment *impair = config->impair;
    struct tl_link_caps caps = {
        .name = "sim",
        .control = true,
        .lossless_in = lossless(&impair[FAL_TO_SUT]),
        .lossless_out = lossless(&impair[FAL_FROM_SUT]),
        .no_duplicates = true,
        .in_order = true,
        .delay_min_ns = FAL_NEVER,
    };

    for (unsigned dir = 0; dir < 2; dir++) {
        const struct fal_impairment *i = &impair[dir];
        uint64_t least = fal_impairment_delay_min_ns(i), most = fal_impairment_delay_max_ns(i);

        if (i->duplicate_ppm != 0)
            caps.no_duplicates = false;
        if (i->jitter_ns != 0 || i->reorder_ppm != 0)
            caps.in_order = false;
        if (least < caps.delay_min_ns)
            caps.delay_min_ns = least;
        if (most > caps.delay_max_ns)
            caps.delay_max_ns = most;
        if (i->mtu > 0 && (caps.mtu == 0 || i->mtu < caps.mtu))
            caps.mtu = i->mtu;
    }
    caps.hops_declared = true;
    caps.hops_in = impair[FAL_TO_SUT].hops;
    caps.unmarked_in = impair[FAL_TO_SUT].ce_ppm == 0 && impair[FAL_TO_SUT].ecn_bytes == 0;
    for (size_t i = 0; i < config->num_rules; i++)
        rule_caps(&caps, &config->rules[i]);
    return caps;
}

/* A link whose lines are JSON objects. */
static const struct tl_link_ops sim_object_ops = {
    .caps = sim_caps,
    .now_ns = sim_now,
    .send = sim_send,
    .mark = sim_mark,
    .spoil = sim_spoil,
    .send_line = sim_send_line,
    .send_object = sim_send_object,
    .send_command = sim_send_command,
    .wait = sim_wait,
    .drops = sim_drops,
    .lost = sim_lost,
    .trials = sim_trials,
    .disturbed = sim_disturbed,
    .under_way_ns = sim_under_way_ns,
    .faults = sim_faults,
    .stopped = sim_stopped,
    .free = sim_free,
};

static bool may_corrupt(const struct tl_link_sim_config *config)
{
    bool corrupts = config->impair[0].corrupt_ppm != 0 || config->impair[1].corrupt_ppm != 0;

    for (size_t i = 0; i < config->num_rules; i++)
        corrupts |= config->rules[i].action == FAL_SIMNET_CORRUPT;
    return corrupts;
}

static struct tl_virtual_sut *open_sut(const struct tl_link_sim_config *config,
                                       struct fal_error *err)
{
    const struct tl_sut_config builtin = {.seed = config->seed,
                                          .faults = config->faults,
                                          .twins = config->twins,
                                          .limits = config->limits,
                                          .engine = config->engine,
                                          .hashes = config->hashes,
                                          .objects = config->objects};

    const struct tl_lib_config child = {
        .child = {.answer_s = config->answer_s, .warden = config->warden},
        .seed = config->seed,
        .fresh = config->fresh,
        .host = config->host};

    if (config->lib != NULL)
        return tl_virtual_lib(config->lib, &child, err);
    if (config->exec != NULL)
        return tl_virtual_exec(config->exec, config->seed, &child.child, err);
    return tl_virtual_slow(tl_virtual_builtin(&builtin, err), &config->slow, config->seed, err);
}

struct tl_link *tl_link_sim_open(const struct tl_link_sim_config *config, struct fal_error *err)
{
    struct fal_rng rng = fal_rng_split(config->seed, NET_PART);
    struct link_sim *sim = malloc(sizeof *sim);

    if (sim == NULL)
        goto fail;
    memset(sim, 0, offsetof(struct link_sim, frame)); /* `frame` is written before it is read */
    sim->link.ops = config->objects && config->lib == NULL && config->exec == NULL
                        ? &sim_object_ops
                        : &sim_ops;
    sim->next_ecn = -1;
    sim->corrupts = may_corrupt(config);
    sim->caps = caps_of(config);
    sim->net = fal_simnet_new(config->impair, fal_rng_next(&rng));
    if (sim->net == NULL)
        goto fail;
    sim->sut = open_sut(config, err);
    if (sim->sut == NULL) {
        sim_free(&sim->link);
        return NULL;
    }
    for (size_t i = 0; i < config->num_rules; i++)
        if (fal_simnet_add_rule(sim->net, &config->rules[i]) != 0)
            goto fail;
    return &sim->link;

fail:
    if (sim != NULL)
        sim_free(&sim->link);
    (void)fal_fail(err, FAL_ERR_MEM, "the simulated link: out of memory");
    return NULL;
}
