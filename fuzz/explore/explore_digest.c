/* SPDX-License-Identifier: Apache-2.0
 * explore_digest.c - the state at the end of a sequence, as a number.
 *
 * SUT, judge, tester's endpoint and network are deterministic in virtual time: what each of
 * them holds is determined by what it was given, and when. All of that is on the timeline:
 * packets with their bytes, commands, replies, events of upper layers, expired timers, dropped
 * packets; and the steps that act. So the digest is one of the history. Two sequences with
 * equal digests, at the same time since the connection was opened, have equal states, whatever
 * is in them. The judge remembers every packet it was shown, so a digest of the state itself
 * would distinguish nearly as many.
 *
 * Three things that leave no state are not in the digest: the place of a step in the scenario,
 * how a period of waiting is divided into steps, and where in a period without events a rule of
 * `on` was installed, or in which order several were: it acts on later packets alone, and rules
 * that drop, delay or duplicate the same packet commute. */
#include "fuzz/explore/explore.h"

#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

static uint64_t stir(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void mix(struct explore_digest *d, uint64_t value)
{
    d->hash = stir(d->hash + UINT64_C(0x9e3779b97f4a7c15) + value);
}

static uint64_t hash_of(const void *bytes, size_t len)
{
    return bytes != NULL ? fal_payload_hash(bytes, len) : 0;
}

static uint64_t text_of(const char *text)
{
    return text != NULL ? hash_of(text, strlen(text)) : 0;
}

static void mix_packet(struct explore_digest *d, const struct fal_ev_packet *p)
{
    mix(d, (uint64_t)p->dir << 32 | (uint64_t)p->origin << 16 | (uint64_t)p->bad);
    mix(d, hash_of(p->bytes, p->len));
    mix(d, (uint64_t)p->len << 32 | p->spi);
    mix(d, p->has_iv ? p->iv : 0);
    mix(d, p->path);
    mix(d, (uint64_t)p->carrier.encap << 32 | (uint64_t)p->carrier.next_header << 16 |
               p->carrier.inner_protocol);
}

static void mix_command(struct explore_digest *d, const struct fal_ev_command *c)
{
    mix(d, text_of(c->verb));
    mix(d, (uint64_t)c->rsn << 32 | c->code);
    mix(d, (uint64_t)c->answer << 32 | (uint64_t)c->op);
    mix(d, c->rnr_ns);
    mix(d, c->tag);
    mix(d, c->length);
    mix(d, c->hash);
}

static void mix_ulp(struct explore_digest *d, const struct fal_ev_ulp *u)
{
    mix(d, (uint64_t)u->kind << 48 | (uint64_t)u->op << 32 | u->rsn);
    mix(d, (uint64_t)u->length << 32 | u->code);
    mix(d, u->tag);
    mix(d, u->hash);
    mix(d, (uint64_t)u->redelivery << 48 | (uint64_t)u->answer << 32 | u->ulp_nack_code);
    mix(d, u->stamp_ns);
}

/* A step of an action, by its place in the action. The effects of a wait are its time alone. */
static void step(struct explore_digest *d, const struct fal_event *event)
{
    const char *text = event->u.text.text != NULL ? event->u.text.text : "";
    uint64_t who = stir(d->action + d->ordinal++);

    if (strncmp(text, "wait ", 5) == 0)
        return;
    if (strncmp(text, "on <", 4) == 0 || strncmp(text, "on >", 4) == 0) {
        d->waiting += stir(who);
        return;
    }
    mix(d, d->waiting);
    d->waiting = 0;
    mix(d, event->t_ns);
    mix(d, who);
}

static void note(struct explore_digest *d, const struct fal_event *event)
{
    const char *text = event->u.text.text != NULL ? event->u.text.text : "";

    d->action = text_of(text);
    d->ordinal = 0;
    if (d->ended || strstr(text, EXPLORE_END) == NULL)
        return;
    mix(d, d->waiting);
    mix(d, event->t_ns);
    d->ended = true;
    d->state = d->hash != 0 ? d->hash : 1;
}

void explore_digest_event(void *ctx, const struct fal_event *event)
{
    struct explore_digest *d = ctx;

    if (d->ended || event->kind == FAL_EV_TIMING)
        return;
    if (event->kind == FAL_EV_STEP || event->kind == FAL_EV_NOTE) {
        (event->kind == FAL_EV_STEP ? step : note)(d, event);
        return;
    }
    mix(d, d->waiting);
    d->waiting = 0;
    mix(d, event->t_ns);
    mix(d, (uint64_t)event->kind << 32 | event->conn);
    switch (event->kind) {
    case FAL_EV_PACKET: mix_packet(d, &event->u.packet); break;
    case FAL_EV_COMMAND: mix_command(d, &event->u.command); break;
    case FAL_EV_REPLY: mix(d, (uint64_t)event->u.reply.ok << 32 | event->u.reply.rsn); break;
    case FAL_EV_ULP: mix_ulp(d, &event->u.ulp); break;
    case FAL_EV_CM:
        mix(d, text_of(event->u.cm.what));
        mix(d, text_of(event->u.cm.text));
        break;
    case FAL_EV_MARK:
        mix(d, event->u.mark.mark);
        mix(d, event->u.mark.value);
        break;
    case FAL_EV_BENCH:
        mix(d, (uint64_t)event->u.bench.what << 32 | (uint64_t)event->u.bench.dir);
        mix(d, text_of(event->u.bench.text));
        break;
    case FAL_EV_CC:
        mix(d, (uint64_t)event->u.cc.queue << 32 | event->u.cc.now_ticks);
        for (size_t i = 0; i < sizeof event->u.cc.entry; i++)
            mix(d, event->u.cc.entry[i]);
        break;
    case FAL_EV_VERBS:
        mix(d, (uint64_t)event->u.verbs.phase << 32 | (uint64_t)event->u.verbs.verbs->kind);
        break;
    case FAL_EV_NVME:
        mix(d, (uint64_t)event->u.nvme.phase << 32 | (uint64_t)event->u.nvme.word->kind);
        break;
    case FAL_EV_INTERNAL: mix(d, text_of(event->u.text.text)); break;
    case FAL_EV_RUN:
    case FAL_EV_CONNECTION:
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
    case FAL_EV_TIMING:
    case FAL_EV_CLOSE:
    case FAL_EV_END: break;
    }
}

/* ---- a set of states ---- */

static size_t place(const struct explore_set *set, uint64_t state)
{
    size_t at = (size_t)stir(state) & (set->cap - 1);

    while (set->slots[at] != 0 && set->slots[at] != state)
        at = (at + 1) & (set->cap - 1);
    return at;
}

int explore_set_add(struct explore_set *set, uint64_t state)
{
    size_t at;

    if (set->count * 2 >= set->cap) {
        struct explore_set grown = {.cap = set->cap == 0 ? 4096 : set->cap * 2,
                                    .count = set->count};

        grown.slots = calloc(grown.cap, sizeof *grown.slots);
        if (grown.slots == NULL)
            return FAL_ERR_MEM;
        for (size_t i = 0; i < set->cap; i++)
            if (set->slots[i] != 0)
                grown.slots[place(&grown, set->slots[i])] = set->slots[i];
        free(set->slots);
        *set = grown;
    }
    at = place(set, state);
    if (set->slots[at] == state)
        return 0;
    set->slots[at] = state;
    set->count++;
    return 1;
}

void explore_set_free(struct explore_set *set)
{
    free(set->slots);
    *set = (struct explore_set){.cap = 0};
}
