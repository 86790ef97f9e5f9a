/* SPDX-License-Identifier: Apache-2.0
 * play_word.c - plays the steps `verbs` and `nvme`: a command for an upper layer of the SUT, or
 * of the tester. The scenario's names of objects stand for the handles that this side gave. */
#include "harness/play/players.h"

#include "harness/play/baton.h"
#include "harness/session/bench_sut.h"
#include "harness/session/offer.h"
#include "harness/session/words/session_words.h"
#include "harness/session/words/tester_words.h"
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
static void name_object(struct tl_interp *interp, const struct tl_word_step *step,
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
        tl_interp_unplayable(interp, "more than 64 objects");
}

/* Whether a step of that side, on this connection, may use the object; else `why` says whose it
 * is. */
static bool belongs(const struct tl_interp *interp, const struct tl_object *object, bool tester,
                    char *why, size_t cap)
{
    if (object->tester != tester) {
        (void)snprintf(why, cap, "'%s' is an object of the %s; expected one of the %s, or %s",
                       object->name, tester ? "SUT" : "tester", tester ? "tester" : "SUT",
                       tester ? "no \"side\"" : "\"side\": \"tester\"");
        return false;
    }
    if (tester && strcmp(object->conn, interp->session->connection.name) != 0) {
        (void)snprintf(why, cap,
                       "'%s' is an object of the tester on connection %.32s; each "
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
        (void)snprintf(why, sizeof why,
                       "no object is named '%s'; expected a step with \"as\": \"%s\" before",
                       name, name);
    tl_interp_unplayable(interp, why);
    return false;
}

static bool resolve_all(struct tl_interp *interp, const struct tl_word_step *step,
                        union tl_word *word)
{
    const struct fal_shape *shape = &step->words->shapes[step->kind];
    bool verbs = step->words->upper == TL_UPPER_VERBS;

    for (size_t i = 0; i < shape->num_members; i++)
        if (shape->members[i].shape->kind == FAL_SHAPE_NAME &&
            strcmp(shape->members[i].key, "what") != 0 &&
            !resolve(interp, step->tester, (char *)word + shape->members[i].at))
            return false;
    for (size_t i = 0; verbs && i < word->verbs.num_sge; i++)
        if (!resolve(interp, step->tester, word->verbs.sgl[i].mr))
            return false;
    return true;
}

/* ---- the command ---- */

static bool set_slots(struct tl_interp *interp, const struct tl_word_slots *slots,
                      union tl_word *word)
{
    for (size_t i = 0; i < slots->n; i++) {
        const struct tl_word_slot *slot = &slots->list[i];
        char why[TEXT_LEN];
        uint64_t number;

        if (!tl_interp_number(interp, &slot->value, &number))
            return false;
        if (tl_word_set(word, slot->at, slot->size, number) == 0)
            continue;
        (void)snprintf(why, sizeof why, "%s: %" PRIu64 " is too large", slot->key, number);
        tl_interp_unplayable(interp, why);
        return false;
    }
    return true;
}

static bool has_slot(const struct tl_word_slots *slots, const char *key)
{
    for (size_t i = 0; i < slots->n; i++)
        if (strcmp(slots->list[i].key, key) == 0)
            return true;
    return false;
}

/* The word with handles and numbers; false: the session is broken. */
static bool word_of(struct tl_interp *interp, const struct tl_word_step *step,
                    union tl_word *ask)
{
    bool verbs = step->words->upper == TL_UPPER_VERBS;
    uint64_t seed = interp->session->config.seed; /* as "data" of packets has it */
    char *conn;

    *ask = step->ask;
    if (!resolve_all(interp, step, ask) || !set_slots(interp, &step->slots, ask))
        return false;
    if (verbs && step->kind == FAL_VERBS_MR_FILL && !has_slot(&step->slots, "seed"))
        ask->verbs.seed = seed;
    if (!verbs && (step->kind == FAL_NVME_POST || step->kind == FAL_NVME_DEV_FILL) &&
        !has_slot(&step->slots, "seed"))
        ask->nvme.seed = seed;
    conn = tl_word_conn(step->words, ask);
    if (conn != NULL)
        (void)snprintf(conn, FAL_VERBS_NAME_MAX, "%s", interp->session->connection.name);
    return true;
}

/* ---- the reply ---- */

static void unmet(struct tl_interp *interp, const char *seen)
{
    struct tl_miss *miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET, 0);

    (void)snprintf(miss->seen, sizeof miss->seen, "%s", seen);
}

/* Whether the slots fit: 1, 0 with `why`, or -1. `take` binds what is captured. */
static int slots_fit(struct tl_interp *interp, const struct tl_word_slots *slots,
                     const union tl_word *seen, bool take, char *why, size_t cap)
{
    for (size_t i = 0; i < slots->n; i++) {
        const struct tl_word_slot *slot = &slots->list[i];
        uint64_t number = tl_word_number(seen, slot->at, slot->size);
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

/* The bytes behind the hash must be the payload pattern: 1, 0 with `why`, or -1. `length`:
 * where the step does not say how many bytes there are. */
static int data_fits(struct tl_interp *interp, const struct tl_word_data *data, uint64_t length,
                     uint64_t hash, char *why, size_t cap)
{
    uint64_t tag, from, len, due;
    uint8_t *bytes;

    if (!data->given)
        return 1;
    if (!tl_interp_number(interp, &data->tag, &tag) ||
        !tl_interp_number(interp, &data->from, &from) ||
        !tl_interp_number(interp, &data->length, &len))
        return -1;
    len = len > 0 ? len : length;
    bytes = len <= SLICE_MAX ? malloc(len + 1) : NULL;
    if (bytes == NULL) {
        tl_interp_unplayable(interp, "data: expected at most 1048576 bytes");
        return -1;
    }
    fal_payload_slice(tag, interp->session->config.seed, from, bytes, len);
    due = fal_payload_hash(bytes, len);
    free(bytes);
    if (due == hash)
        return 1;
    if (why != NULL)
        (void)snprintf(why, cap,
                       "the hash of the range is 0x%016" PRIx64 ", not that of pattern %" PRIu64
                       " (0x%016" PRIx64 ")",
                       hash, tag, due);
    return 0;
}

/* Bytes of the range that a command names; 0: it names none. */
static uint64_t length_of(const struct tl_words *words, const union tl_word *ask)
{
    return words->upper == TL_UPPER_VERBS ? ask->verbs.length : 0;
}

static uint64_t hash_of(const struct tl_words *words, const union tl_word *seen)
{
    return words->upper == TL_UPPER_VERBS ? seen->verbs.hash : seen->nvme.hash;
}

static void take_reply(struct tl_interp *interp, const struct tl_word_step *step,
                       const union tl_word *ask, const union tl_word *seen)
{
    const struct fal_shape *shape = &step->words->replies[step->kind];
    char why[TEXT_LEN] = "";

    if (step->as != NULL && shape->members[0].shape->kind == FAL_SHAPE_NAME)
        name_object(interp, step, (const char *)seen + shape->members[0].at);
    for (size_t i = 0; i < step->num_binds; i++)
        tl_interp_bind(interp, step->binds[i].name,
                       tl_word_number(seen, step->binds[i].at, step->binds[i].size),
                       TL_INTEGER);
    if (slots_fit(interp, &step->reply, seen, true, why, sizeof why) == 0 ||
        data_fits(interp, &step->data, length_of(step->words, ask), hash_of(step->words, seen),
                  why, sizeof why) == 0)
        unmet(interp, why);
}

/* The tester's upper layer carries the word out, or the step cannot be played. */
static void ask_tester(struct tl_interp *interp, const struct tl_word_step *step)
{
    struct tl_session *session = interp->session;
    uint64_t begin = tl_session_now(session), packet = session->packets.next;
    union tl_word ask, answer;
    struct fal_error err = {{0}};
    char why[2 * TEXT_LEN];

    if (!word_of(interp, step, &ask))
        return;
    memset(&answer, 0, sizeof answer);
    if (tl_session_tester_word(session, step->words, &ask, &answer, &err) == 0) {
        take_reply(interp, step, &ask, &answer);
    } else if (session->broken.reason == TL_REASON_NONE) {
        (void)snprintf(why, sizeof why, "%s: the tester's upper layer refuses %s: %.200s",
                       step->words->name, step->words->names[step->kind], err.text);
        tl_interp_unplayable(interp, why);
    }
    if (interp->state == TL_INTERP_RUNNING)
        tl_interp_moment(interp, begin, tl_session_now(session), packet);
}

bool tl_play_word(struct tl_interp *interp, const struct tl_step *step)
{
    const struct tl_word_step *word = step->u.word;
    const struct tl_need need = {.verb =
                                     (enum tl_do)((unsigned)word->words->first + word->kind)};
    struct tl_session *session = interp->session;
    uint64_t begin = tl_session_now(session), packet = session->packets.next;
    union tl_word ask, answer;

    if (word->tester) {
        ask_tester(interp, word);
        return true;
    }
    if (tl_interp_lacks(interp, &need) || !word_of(interp, word, &ask))
        return true;
    if (tl_session_ask_word(session, word->words, &ask, &answer)) {
        if (word->refused)
            tl_interp_not_refused(interp, "the SUT carried it out");
        else
            take_reply(interp, word, &ask, &answer);
    } else if (session->broken.reason != TL_REASON_NONE) {
        return true;
    } else if ((!word->refused && !word->may_refuse) ||
               strcmp(session->answer_error, "failed") != 0) {
        tl_interp_command_refused(interp, &need);
    }
    if (interp->state == TL_INTERP_RUNNING)
        tl_interp_moment(interp, begin, tl_session_now(session), packet);
    return true;
}

/* ---- events ---- */

/* The names of objects: 1, or 0 with `why`. */
static int names_fit(const struct tl_interp *interp, const struct tl_word_pattern *pattern,
                     const union tl_word *seen, char *why, size_t cap)
{
    const struct fal_shape *shape = &pattern->words->shapes[pattern->kind];

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
    return 1;
}

int tl_interp_word_fits(struct tl_interp *interp, const struct tl_word_pattern *pattern,
                        const struct tl_seen_word *seen, bool take, char *why, size_t cap)
{
    int rc;

    if (seen->words != pattern->words || tl_word_kind(&seen->word) != pattern->kind) {
        if (why != NULL)
            (void)snprintf(why, cap, "it is the event %s",
                           seen->words->names[tl_word_kind(&seen->word)]);
        return 0;
    }
    if (names_fit(interp, pattern, &seen->word, why, cap) == 0)
        return 0;
    rc = slots_fit(interp, &pattern->slots, &seen->word, take, why, cap);
    return rc != 1 ? rc
                   : data_fits(interp, &pattern->data, 0, hash_of(pattern->words, &seen->word),
                               why, cap);
}
