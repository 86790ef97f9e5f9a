/* SPDX-License-Identifier: Apache-2.0
 * play_verbs.c - plays the step `verbs`: a command for the RDMA upper layer of the SUT, or of
 * the tester. The scenario's names of objects stand for the handles that this side gave. */
#include "harness/play/players.h"

#include "harness/play/baton.h"
#include "harness/session/bench_sut.h"
#include "harness/session/offer.h"
#include "harness/session/verbs/session_verbs.h"
#include "harness/session/verbs/tester_verbs.h"
#include "oracles/payload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_MAX = 1 << 20, TEXT_LEN = 160 };

/* ---- objects ---- */

/* Or NULL. */
static const struct tl_object *object_named(const struct tl_objects *objects, const char *name)
{
    for (size_t i = 0; objects != NULL && i < objects->n; i++)
        if (strcmp(objects->list[i].name, name) == 0)
            return &objects->list[i];
    return NULL;
}

const char *tl_objects_find(const struct tl_objects *objects, const char *name)
{
    const struct tl_object *object = object_named(objects, name);

    return object != NULL ? object->handle : NULL;
}

/* False: out of memory, or more than OBJECTS_MAX. */
static bool add(struct tl_objects **objects, const struct tl_object *object)
{
    struct tl_objects *o = *objects;
    size_t i = 0;

    if (o == NULL)
        o = *objects = calloc(1, sizeof *o);
    if (o == NULL)
        return false;
    while (i < o->n && strcmp(o->list[i].name, object->name) != 0)
        i++;
    if (i == TL_OBJECTS_MAX)
        return false;
    o->list[i] = *object;
    o->n += i == o->n;
    return true;
}

/* All connections of a case share the objects. */
static void name_object(struct tl_interp *interp, const struct tl_verbs_step *step,
                        const char *handle)
{
    const struct tl_baton *baton = interp->baton;
    struct tl_object object = {.tester = step->tester};
    bool ok;

    (void)snprintf(object.name, sizeof object.name, "%s", step->as);
    (void)snprintf(object.handle, sizeof object.handle, "%s", handle);
    (void)snprintf(object.conn, sizeof object.conn, "%s", interp->session->connection.name);
    ok = add(&interp->objects, &object);
    for (unsigned i = 0; baton != NULL && i < baton->count; i++)
        if (baton->players[i] != NULL && baton->players[i] != interp)
            ok = add(&baton->players[i]->objects, &object) && ok;
    if (!ok)
        tl_interp_unplayable(interp, "verbs: more than 64 objects");
}

/* Whether a step of that side, on this connection, may use the object; else `why` says whose it
 * is. */
static bool belongs(const struct tl_interp *interp, const struct tl_object *object, bool tester,
                    char *why, size_t cap)
{
    if (object->tester != tester) {
        (void)snprintf(why, cap,
                       "verbs: '%s' is an object of the %s; expected one of the %s, or %s",
                       object->name, tester ? "SUT" : "tester", tester ? "tester" : "SUT",
                       tester ? "no \"side\"" : "\"side\": \"tester\"");
        return false;
    }
    if (tester && strcmp(object->conn, interp->session->connection.name) != 0) {
        (void)snprintf(why, cap,
                       "verbs: '%s' is an object of the tester on connection %.32s; each "
                       "connection has its own there",
                       object->name, object->conn);
        return false;
    }
    return true;
}

/* A name of the scenario becomes a handle. */
static bool resolve(struct tl_interp *interp, bool tester, char *name)
{
    const struct tl_object *object = object_named(interp->objects, name);
    char why[TEXT_LEN];

    if (name[0] == 0)
        return true;
    if (object != NULL && belongs(interp, object, tester, why, sizeof why)) {
        (void)snprintf(name, FAL_VERBS_NAME_MAX, "%s", object->handle);
        return true;
    }
    if (object == NULL)
        (void)snprintf(
            why, sizeof why,
            "verbs: no object is named '%s'; expected a step with \"as\": \"%s\" before", name,
            name);
    tl_interp_unplayable(interp, why);
    return false;
}

static bool resolve_all(struct tl_interp *interp, bool tester, const struct fal_shape *shape,
                        struct fal_verbs *verbs)
{
    for (size_t i = 0; i < shape->num_members; i++)
        if (shape->members[i].shape->kind == FAL_SHAPE_NAME &&
            strcmp(shape->members[i].key, "what") != 0 &&
            !resolve(interp, tester, (char *)verbs + shape->members[i].at))
            return false;
    for (size_t i = 0; i < verbs->num_sge; i++)
        if (!resolve(interp, tester, verbs->sgl[i].mr))
            return false;
    return true;
}

/* ---- the command ---- */

static bool set_slots(struct tl_interp *interp, const struct tl_verbs_slots *slots,
                      struct fal_verbs *verbs)
{
    for (size_t i = 0; i < slots->n; i++) {
        const struct tl_verbs_slot *slot = &slots->list[i];
        char why[TEXT_LEN];
        uint64_t number;

        if (!tl_interp_number(interp, &slot->value, &number))
            return false;
        if (tl_verbs_set(verbs, slot->at, slot->size, number) == 0)
            continue;
        (void)snprintf(why, sizeof why, "verbs: %s: %" PRIu64 " is too large", slot->key,
                       number);
        tl_interp_unplayable(interp, why);
        return false;
    }
    return true;
}

static bool has_slot(const struct tl_verbs_slots *slots, const char *key)
{
    for (size_t i = 0; i < slots->n; i++)
        if (strcmp(slots->list[i].key, key) == 0)
            return true;
    return false;
}

/* The word with handles and numbers; false: the session is broken. */
static bool word_of(struct tl_interp *interp, const struct tl_verbs_step *step,
                    struct fal_verbs *ask)
{
    *ask = step->ask;
    if (!resolve_all(interp, step->tester, &fal_verbs_shapes[ask->kind], ask) ||
        !set_slots(interp, &step->slots, ask))
        return false;
    if (ask->kind == FAL_VERBS_MR_FILL && !has_slot(&step->slots, "seed"))
        ask->seed = interp->session->config.seed; /* as "data" of packets has it */
    (void)snprintf(ask->conn, sizeof ask->conn, "%s", interp->session->connection.name);
    return true;
}

/* ---- the reply ---- */

static void unmet(struct tl_interp *interp, const char *seen)
{
    struct tl_miss *miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET, 0);

    (void)snprintf(miss->seen, sizeof miss->seen, "%s", seen);
}

/* Whether the slots fit: 1, 0 with `why`, or -1. `take` binds what is captured. */
static int slots_fit(struct tl_interp *interp, const struct tl_verbs_slots *slots,
                     const struct fal_verbs *seen, bool take, char *why, size_t cap)
{
    for (size_t i = 0; i < slots->n; i++) {
        const struct tl_verbs_slot *slot = &slots->list[i];
        uint64_t number = tl_verbs_number(seen, slot->at, slot->size);
        struct fal_error err = {{0}};
        int rc = tl_value_match(&slot->value, 0, &interp->scope, number, &err);

        if (rc < 0)
            tl_interp_unplayable(interp, err.text);
        if (rc == 0 && why != NULL)
            (void)snprintf(why, cap, "%s is %" PRIu64, slot->key, number);
        if (rc != 1)
            return rc;
        if (take && slot->value.kind == TL_VALUE_CAPTURE)
            tl_interp_bind(interp, slot->value.name, number, TL_INTEGER);
    }
    return 1;
}

/* The range must hold the payload pattern. */
static void check_data(struct tl_interp *interp, const struct tl_verbs_step *step,
                       const struct fal_verbs *seen)
{
    uint64_t tag, from = 0, len = 0;
    char text[TEXT_LEN];
    uint8_t *bytes;
    uint64_t due;

    for (size_t i = 0; i < step->slots.n; i++)
        if (strcmp(step->slots.list[i].key, "length") == 0 &&
            !tl_interp_number(interp, &step->slots.list[i].value, &len))
            return;
    if (!tl_interp_number(interp, &step->tag, &tag) ||
        (step->from.kind == TL_VALUE_EXPR && !tl_interp_number(interp, &step->from, &from)))
        return;
    from = step->from.kind == TL_VALUE_NUMBER ? step->from.number : from;
    bytes = len <= SLICE_MAX ? malloc(len + 1) : NULL;
    if (bytes == NULL) {
        tl_interp_unplayable(interp, "verbs: mr_hash: expected at most 1048576 bytes");
        return;
    }
    fal_payload_slice(tag, interp->session->config.seed, from, bytes, len);
    due = fal_payload_hash(bytes, len);
    free(bytes);
    if (due == seen->hash)
        return;
    (void)snprintf(text, sizeof text,
                   "the hash of the range is 0x%016" PRIx64 ", not that of pattern %" PRIu64
                   " (0x%016" PRIx64 ")",
                   seen->hash, tag, due);
    unmet(interp, text);
}

static void take_reply(struct tl_interp *interp, const struct tl_verbs_step *step,
                       const struct fal_verbs *seen)
{
    const struct fal_shape *shape = &fal_verbs_replies[step->ask.kind];
    char why[TEXT_LEN] = "";

    if (step->as != NULL)
        name_object(interp, step, (const char *)seen + shape->members[0].at);
    for (size_t i = 0; i < step->num_binds; i++)
        tl_interp_bind(interp, step->binds[i].name,
                       tl_verbs_number(seen, step->binds[i].at, step->binds[i].size),
                       TL_INTEGER);
    if (slots_fit(interp, &step->reply, seen, true, why, sizeof why) == 0)
        unmet(interp, why);
    else if (step->has_data)
        check_data(interp, step, seen);
}

/* The tester's upper layer carries the word out, or the step cannot be played. */
static void ask_tester(struct tl_interp *interp, const struct tl_verbs_step *step)
{
    struct tl_session *session = interp->session;
    uint64_t begin = tl_session_now(session), packet = session->packets.next;
    struct fal_verbs ask, answer = {.kind = step->ask.kind};
    struct fal_error err = {{0}};
    char why[2 * TEXT_LEN];

    if (!word_of(interp, step, &ask))
        return;
    if (tl_session_tester_verbs(session, &ask, &answer, &err) == 0) {
        take_reply(interp, step, &answer);
    } else if (session->broken.reason == TL_REASON_NONE) {
        (void)snprintf(why, sizeof why, "verbs: the tester's upper layer refuses %s: %.200s",
                       fal_verbs_names[ask.kind], err.text);
        tl_interp_unplayable(interp, why);
    }
    if (interp->state == TL_INTERP_RUNNING)
        tl_interp_moment(interp, begin, tl_session_now(session), packet);
}

bool tl_play_verbs(struct tl_interp *interp, const struct tl_step *step)
{
    const struct tl_verbs_step *verbs = step->u.verbs;
    const struct tl_need need = {.verb = (enum tl_do)(TL_DO_PD_CREATE + (int)verbs->ask.kind)};
    struct tl_session *session = interp->session;
    uint64_t begin = tl_session_now(session), packet = session->packets.next;
    struct fal_verbs ask, answer;

    if (verbs->tester) {
        ask_tester(interp, verbs);
        return true;
    }
    if (tl_interp_lacks(interp, &need) || !word_of(interp, verbs, &ask))
        return true;
    if (tl_session_verbs(session, &ask, &answer)) {
        if (verbs->refused)
            unmet(interp, "the SUT carried it out");
        else
            take_reply(interp, verbs, &answer);
    } else if (session->broken.reason != TL_REASON_NONE) {
        return true;
    } else if ((!verbs->refused && !verbs->may_refuse) ||
               strcmp(session->answer_error, "failed") != 0) {
        tl_interp_command_refused(interp, &need);
    }
    if (interp->state == TL_INTERP_RUNNING)
        tl_interp_moment(interp, begin, tl_session_now(session), packet);
    return true;
}

/* ---- events ---- */

int tl_interp_verbs_fits(struct tl_interp *interp, const struct tl_verbs_pattern *pattern,
                         const struct fal_verbs *seen, bool take, char *why, size_t cap)
{
    const struct fal_shape *shape = &fal_verbs_shapes[pattern->due.kind];

    if (seen->kind != pattern->due.kind) {
        if (why != NULL)
            (void)snprintf(why, cap, "it is the event %s", fal_verbs_names[seen->kind]);
        return 0;
    }
    for (size_t i = 0; i < shape->num_members; i++) {
        const struct fal_member *m = &shape->members[i];
        const char *name = (const char *)&pattern->due + m->at,
                   *handle = (const char *)seen + m->at, *due;

        if (m->shape->kind != FAL_SHAPE_NAME || name[0] == 0)
            continue;
        due = strcmp(m->key, "what") == 0 ? name : tl_objects_find(interp->objects, name);
        if (due != NULL && strcmp(due, handle) == 0)
            continue;
        if (why != NULL)
            (void)snprintf(why, cap, "%s is %.40s", m->key, handle);
        return 0;
    }
    return slots_fit(interp, &pattern->slots, seen, take, why, cap);
}
