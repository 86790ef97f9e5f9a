/* SPDX-License-Identifier: Apache-2.0
 * world_watch.c - what the judge of a world is shown: from where, from when on, and how much of
 * it. Nothing here changes what happens. */
#include "tests/world/world_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool eye_chance(struct world *w, uint32_t ppm)
{
    return ppm > 0 && fal_rng_below(&w->eye, 1000000) < ppm;
}

static void show(struct world *w, struct fal_event *event)
{
    event->index = w->index++;
    event->t_ns = w->now_ns;
    fal_judge_event(w->judge, event);
    if (w->config->recorder.event != NULL)
        w->config->recorder.event(w->config->recorder.ctx, event);
}

/* Nothing comes on the timeline before the gap that it may show. */
static void say_gaps(struct world *w)
{
    for (int d = 0; d < 2; d++) {
        struct fal_event event = {.kind = FAL_EV_MARK};

        if (w->unseen[d] == 0)
            continue;
        event.u.mark.mark = d == FAL_TO_SUT ? FAL_MARK_GAP_IN : FAL_MARK_GAP_OUT;
        event.u.mark.value = eye_chance(w, 500000) ? w->unseen[d] : 0;
        w->unseen[d] = 0;
        show(w, &event);
    }
}

/* An observer that begins late knows the connections, but not their first numbers. */
static void begin(struct world *w)
{
    bool late = w->config->skip_packets > 0;

    w->watching = true;
    show(w, &w->run);
    for (uint32_t c = 0; c < w->conns; c++) {
        struct fal_event event = {.kind = FAL_EV_CONNECTION, .conn = c + 1};
        struct fal_connection *k = &event.u.connection;

        *k = w->setup[c];
        if (late) {
            k->initial_known = false;
            k->tester = (struct fal_end){.cid = k->tester.cid, .function = k->tester.function};
            k->sut = (struct fal_end){.cid = k->sut.cid, .function = k->sut.function};
        }
        if (w->config->unknown_params) {
            fal_params_default(&k->params, true);
            k->params.ordered = w->setup[c].params.ordered;
            k->params.rack_tlp = w->setup[c].params.rack_tlp;
            k->unknown_params = FAL_PARAM_ALL;
        }
        show(w, &event);
    }
}

void world_watch(struct world *w)
{
    if (w->config->skip_packets == 0)
        begin(w);
}

static bool hidden(const struct world *w, enum fal_event_kind kind)
{
    return !w->watching ||
           (w->config->wire_only && (kind == FAL_EV_COMMAND || kind == FAL_EV_REPLY ||
                                     kind == FAL_EV_ULP || kind == FAL_EV_CM));
}

void world_record(struct world *w, struct fal_event *event)
{
    if (hidden(w, event->kind))
        return;
    say_gaps(w);
    show(w, event);
}

uint64_t world_tell(struct world *w, const struct fal_event *event)
{
    struct late *last = w->num_late > 0 ? &w->late[w->num_late - 1] : NULL;
    uint64_t due = w->now_ns;
    struct fal_event now = *event;

    if (w->config->late_events_ns > 0)
        due += fal_rng_below(&w->eye, w->config->late_events_ns + 1);
    if (w->config->late_events_ns == 0) {
        world_record(w, &now);
        return w->now_ns;
    }
    if (last != NULL && due < last->due_ns)
        due = last->due_ns; /* one stream keeps its order */
    if (w->num_late == LATE_MAX)
        world_read_late(w, true);
    w->late[w->num_late++] = (struct late){due, *event};
    return due;
}

uint64_t world_tell_ulp(struct world *w, struct fal_ev_ulp ulp, uint32_t conn)
{
    struct fal_event event = {.kind = FAL_EV_ULP, .conn = conn};

    ulp.seq = ++w->ulp_seq;
    ulp.text = "";
    event.u.ulp = ulp;
    return world_tell(w, &event);
}

void world_tell_cm(struct world *w, const char *what, uint32_t conn)
{
    struct fal_event event = {.kind = FAL_EV_CM, .conn = conn};

    (void)snprintf(event.u.cm.what, sizeof event.u.cm.what, "%s", what);
    event.u.cm.seq = ++w->ulp_seq;
    event.u.cm.text = "";
    world_tell(w, &event);
}

uint64_t world_late_ns(const struct world *w)
{
    return w->num_late > 0 ? w->late[0].due_ns : FAL_NEVER;
}

void world_read_late(struct world *w, bool all)
{
    size_t n = 0;

    for (; n < w->num_late && (all || w->late[n].due_ns <= w->now_ns); n++)
        world_record(w, &w->late[n].event);
    w->num_late -= n;
    memmove(w->late, w->late + n, w->num_late * sizeof *w->late);
}

void world_record_packet(struct world *w, enum fal_dir dir, const struct world_packet *packet)
{
    const struct world_envelope *envelope = packet->envelope;
    struct fal_event event = {.kind = FAL_EV_PACKET, .conn = packet->conn};
    bool foreign = w->config->vantage != FAL_VANTAGE_TESTER || w->config->skip_packets > 0;

    w->outcome->packets[dir]++;
    if (w->passed++ < w->config->skip_packets)
        return;
    if (!w->watching)
        begin(w);
    if (eye_chance(w, w->config->capture_loss_ppm)) {
        w->unseen[dir] += w->config->loss_is_told;
        return;
    }
    event.u.packet = (struct fal_ev_packet){
        .dir = dir,
        .origin = foreign ? FAL_ORIGIN_FOREIGN : packet->origin,
        .step = packet->origin == FAL_ORIGIN_STEP && !foreign ? 1 : -1,
        .has_iv = w->sealed && (envelope->seal.present || (w->trials.kinds & WORLD_SEALS) == 0),
        .iv = envelope->iv,
        .spi = envelope->seal.spi,
        .bad = envelope->bad,
        .bytes = packet->bytes,
        .len = (uint32_t)packet->len};
    fal_event_packet(&event.u.packet);
    world_record(w, &event);
}

void world_record_barrier(struct world *w)
{
    for (uint32_t c = 1; c <= w->conns && !w->config->wire_only; c++) {
        struct fal_event command = {.kind = FAL_EV_COMMAND, .conn = c},
                         mark = {.kind = FAL_EV_MARK, .conn = c};

        command.u.command =
            (struct fal_ev_command){.id = ++w->command_id, .verb = "barrier", .text = ""};
        world_record(w, &command);
        world_read_late(w, true);
        mark.u.mark.mark = FAL_MARK_BARRIER;
        world_record(w, &mark);
    }
}

bool world_killed(const struct world_kill *kills, size_t n, const struct world_kill *kill)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(kills[i].rule, kill->rule) == 0 &&
            strcmp(kills[i].requirement, kill->requirement) == 0)
            return true;
    return false;
}

static void note_kill(struct world_outcome *outcome, const struct fal_finding *f)
{
    struct world_kill kill = {f->rule->id, f->requirement != NULL ? f->requirement : "-"};

    if (outcome->num_kills < WORLD_KILLS_MAX &&
        !world_killed(outcome->kills, outcome->num_kills, &kill))
        outcome->kills[outcome->num_kills++] = kill;
}

/* Whether a packet that the capture missed may explain a violation. */
static bool may_be_missed(const struct world *w, const struct fal_rule *rule)
{
    return w->run.u.run.undeclared && !rule->shown && !rule->alone;
}

void world_finding(void *ctx, const struct fal_finding *f)
{
    struct world *w = ctx;

    if (may_be_missed(w, f->rule))
        return;
    if (f->instance == FAL_BROKEN && f->subject == FAL_SUBJECT_SUT)
        note_kill(w->outcome, f);
    /* in a trial the tester errs */
    if (w->outcome->why[0] == 0 && f->instance == FAL_BROKEN && !f->asked &&
        fal_finding_breach(f) >= FAL_VERDICT_FAIL &&
        ((w->trials.kinds == 0 && !w->inexact) || f->subject == FAL_SUBJECT_SUT))
        (void)snprintf(
            w->outcome->why, sizeof w->outcome->why,
            "%s (%s) broken by the %s at %" PRIu64 " ns, event %" PRIu64 ": due %s; seen %s",
            f->rule->id, f->requirement != NULL ? f->requirement : "-",
            f->subject == FAL_SUBJECT_SUT ? "SUT" : "tester", f->t_ns,
            f->num_evidence > 0 ? f->evidence[f->num_evidence - 1] : 0, f->expected, f->seen);
}

void world_sum_up(struct world *w)
{
    const struct fal_rule_result *r;
    struct fal_suspect suspect;

    for (size_t i = 0; (r = fal_judge_result(w->judge, i)) != NULL; i++) {
        if (r->subject != FAL_SUBJECT_SUT || may_be_missed(w, r->rule))
            continue;
        w->outcome->sut = fal_verdict_worse(w->outcome->sut, r->verdict);
        w->outcome->exercised[fal_rule_number(r->rule)] += r->holds + r->broken;
        w->outcome->broken[fal_rule_number(r->rule)] |= r->broken > 0;
    }
    w->outcome->inexact = w->inexact;
    w->outcome->verdict =
        w->inexact || w->run.u.run.undeclared ? w->outcome->sut : fal_judge_verdict(w->judge);
    for (int i = 0; i < FAL_FAULT_COUNT; i++)
        w->outcome->acts[i] = fal_endpoint_fault_acts(w->ep[SUT], (enum fal_fault_id)i) +
                              world_verbs_acts(w, (enum fal_fault_id)i) +
                              world_nvme_acts(w, (enum fal_fault_id)i);
    w->outcome->suspect = fal_judge_suspect(w->judge, 0, &suspect);
    for (uint32_t c = 0; c < w->conns; c++)
        for (int side = 0; side < SIDES; side++)
            w->outcome->stuck |= !fal_endpoint_quiet(w->ep[side], w->numbers[c][side]);
}
