/* SPDX-License-Identifier: Apache-2.0
 * read_verbs.c - reads the steps `verbs` and `expect_verbs` by the tables of codecs/verbs. */
#include "harness/scenario/reader.h"
#include "harness/scenario/verbs_step.h"

#include <stdio.h>
#include <string.h>

enum { SLOTS_MAX = 64, KEYS_MAX = 32, KEY_MAX = 48 };

uint64_t tl_verbs_number(const struct fal_verbs *verbs, size_t at, size_t size)
{
    const char *from = (const char *)verbs + at;
    uint64_t wide = 0;
    uint32_t narrow;
    uint8_t byte;

    if (size == sizeof wide) {
        memcpy(&wide, from, sizeof wide);
    } else if (size == sizeof narrow) {
        memcpy(&narrow, from, sizeof narrow);
        wide = narrow;
    } else {
        memcpy(&byte, from, sizeof byte);
        wide = byte;
    }
    return wide;
}

int tl_verbs_set(struct fal_verbs *verbs, size_t at, size_t size, uint64_t number)
{
    char *to = (char *)verbs + at;
    uint32_t narrow = (uint32_t)number;

    if (size == sizeof number)
        memcpy(to, &number, sizeof number);
    else if (size == sizeof narrow && number <= UINT32_MAX)
        memcpy(to, &narrow, sizeof narrow);
    else
        return FAL_ERR_RANGE;
    return 0;
}

/* ---- members ---- */

static const struct fal_member *member_of(const struct fal_shape *shape, const char *key)
{
    for (size_t i = 0; i < shape->num_members; i++)
        if (tl_same(shape->members[i].key, key))
            return &shape->members[i];
    return NULL;
}

static void unknown(struct tl_reader *r, const struct tl_path *at, const char *key,
                    const struct fal_shape *shape)
{
    const char *keys[KEYS_MAX];
    size_t n = 0;

    for (; n < shape->num_members && n < KEYS_MAX; n++)
        keys[n] = shape->members[n].key;
    tl_reader_unknown(r, at, key, keys, n);
}

/* The words of a member that was read last, for tl_read_value: it takes no context. */
static int state_word(const char *word)
{
    const struct fal_member *state = member_of(&fal_verbs_replies[FAL_VERBS_QP_QUERY], "state");

    for (size_t i = 0; i < state->shape->num_words; i++)
        if (strcmp(state->shape->words[i], word) == 0)
            return (int)i;
    return -1;
}

static int done_word(const char *word)
{
    const struct fal_member *opcode = member_of(&fal_verbs_shapes[FAL_VERBS_WC], "opcode");

    for (size_t i = 0; i < opcode->shape->num_words; i++)
        if (strcmp(opcode->shape->words[i], word) == 0)
            return (int)i;
    return -1;
}

static struct tl_verbs_slot *add_slot(struct tl_reader *r, struct tl_verbs_slots *slots,
                                      const char *key, size_t at, size_t size)
{
    struct tl_verbs_slot *slot;

    if (slots->list == NULL)
        slots->list = fal_arena_alloc(&r->scenario->arena, SLOTS_MAX, sizeof *slots->list);
    if (slots->list == NULL || slots->n == SLOTS_MAX) {
        r->no_memory = true;
        return NULL;
    }
    slot = &slots->list[slots->n++];
    *slot = (struct tl_verbs_slot){
        .key = fal_arena_strdup(&r->scenario->arena, key), .at = at, .size = size};
    r->no_memory = r->no_memory || slot->key == NULL;
    return slot;
}

/* A number; `exact`: one value, which is computed when the step is played. */
static void read_number(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        tl_word_fn *words, bool exact, struct tl_value *out)
{
    if (tl_read_value(r, at, value, words, out) && exact &&
        (out->negated || (out->kind != TL_VALUE_NUMBER && out->kind != TL_VALUE_EXPR)))
        tl_reader_error(r, at, "expected one value");
}

static void put_flag(struct fal_verbs *out, size_t at)
{
    const bool yes = true;

    if (at != 0)
        memcpy((char *)out + at, &yes, sizeof yes);
}

static void read_name(struct tl_reader *r, const struct tl_path *at, json_t *value, char *out)
{
    const char *text = json_string_value(value);

    if (text == NULL || *text == 0 || strlen(text) >= FAL_VERBS_NAME_MAX)
        tl_reader_error(r, at, "expected a name, at most %d characters",
                        FAL_VERBS_NAME_MAX - 1);
    else
        memcpy(out, text, strlen(text) + 1);
}

static void read_word(struct tl_reader *r, const struct tl_path *at, json_t *value,
                      const struct fal_member *m, struct fal_verbs *out)
{
    int word = tl_read_word(r, at, value, m->shape->words, m->shape->num_words);

    if (word >= 0)
        FAL_IGNORE(tl_verbs_set(out, m->at, m->size, (uint64_t)word));
}

static void read_sgl(struct tl_reader *r, const struct tl_path *at, json_t *value,
                     struct fal_verbs *out, struct tl_verbs_slots *slots)
{
    size_t i;
    json_t *item;

    json_array_foreach(value, i, item)
    {
        static const char *const keys[] = {"offset", "length"};
        const size_t size[] = {sizeof out->sgl[i].offset, sizeof out->sgl[i].length};
        const size_t place[] = {(size_t)((char *)&out->sgl[i].offset - (char *)out),
                                (size_t)((char *)&out->sgl[i].length - (char *)out)};
        struct tl_path element = {.up = at, .index = i};
        struct tl_path name = {.up = &element, .key = "mr"};

        read_name(r, &name, json_object_get(item, "mr"), out->sgl[i].mr);
        for (unsigned k = 0; k < 2; k++) {
            struct tl_path here = {.up = &element, .key = keys[k]};
            json_t *number = json_object_get(item, keys[k]);
            char key[KEY_MAX];
            struct tl_verbs_slot *slot;

            (void)snprintf(key, sizeof key, "sgl[%zu].%s", i, keys[k]);
            slot = number != NULL ? add_slot(r, slots, key, place[k], size[k]) : NULL;
            if (slot != NULL)
                read_number(r, &here, number, NULL, true, &slot->value);
        }
    }
    out->num_sge = json_array_size(value);
}

static void read_remote(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        struct fal_verbs *out, struct tl_verbs_slots *slots)
{
    struct tl_path va = {.up = at, .key = "va"}, rkey = {.up = at, .key = "rkey"};
    struct tl_verbs_slot *slot;

    slot = add_slot(r, slots, "remote.va", offsetof(struct fal_verbs, remote.va),
                    sizeof out->remote.va);
    if (slot != NULL)
        read_number(r, &va, json_object_get(value, "va"), NULL, true, &slot->value);
    slot = add_slot(r, slots, "remote.rkey", offsetof(struct fal_verbs, remote.rkey),
                    sizeof out->remote.rkey);
    if (slot != NULL)
        read_number(r, &rkey, json_object_get(value, "rkey"), NULL, true, &slot->value);
    out->has_remote = true;
}

/* A list of words that are bits: its own table reads it. */
static void read_bits(struct tl_reader *r, const struct tl_path *at, json_t *value,
                      const struct fal_member *m, struct fal_verbs *out)
{
    struct fal_misfit wrong = {.depth = 0};

    if (m->shape->read(value, (char *)out + m->at, &wrong) != 0)
        tl_reader_error(r, at, "%s", wrong.text);
}

static void read_member(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        const struct fal_member *m, struct fal_verbs *out,
                        struct tl_verbs_slots *slots)
{
    bool exact = !slots->patterns;
    struct tl_verbs_slot *slot;

    switch ((int)m->shape->kind) {
    case FAL_SHAPE_NAME: read_name(r, at, value, (char *)out + m->at); break;
    case FAL_SHAPE_WORD:
        if (exact) {
            read_word(r, at, value, m, out);
            break;
        }
        slot = add_slot(r, slots, m->key, m->at, m->size);
        if (slot != NULL)
            read_number(r, at, value, tl_same(m->key, "state") ? state_word : done_word, false,
                        &slot->value);
        break;
    case FAL_SHAPE_FLAG:
        if (json_is_true(value))
            put_flag(out, m->at);
        break;
    case FAL_SHAPE_OBJECT: read_remote(r, at, value, out, slots); break;
    case FAL_SHAPE_LIST:
        if (m->shape->read != NULL)
            read_bits(r, at, value, m, out);
        else
            read_sgl(r, at, value, out, slots);
        break;
    default:
        slot = add_slot(r, slots, m->key, m->at, m->size);
        if (slot != NULL)
            read_number(r, at, value, NULL, exact, &slot->value);
        break;
    }
    put_flag(out, m->has);
}

/* Of a command or an event. */
static void read_members(struct tl_reader *r, const struct tl_path *at, json_t *object,
                         struct fal_verbs *out, struct tl_verbs_slots *slots)
{
    const struct fal_shape *shape = &fal_verbs_shapes[out->kind];
    const char *select = out->kind < FAL_VERBS_COMMANDS ? "do" : "event";
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        struct tl_path here = {.up = at, .key = key};
        const struct fal_member *m = member_of(shape, key);

        if (tl_same(key, select))
            continue;
        if (m == NULL)
            unknown(r, at, key, shape);
        else
            read_member(r, &here, value, m, out, slots);
    }
}

/* ---- the step ---- */

/* The command makes an object, which `as` names. */
static bool makes(enum fal_verbs_kind kind)
{
    return fal_verbs_replies[kind].num_members > 0 &&
           fal_verbs_replies[kind].members[0].shape->kind == FAL_SHAPE_NAME;
}

static void read_as(struct tl_reader *r, const struct tl_path *at, const char *as,
                    struct tl_verbs_step *verbs)
{
    const struct fal_shape *reply = &fal_verbs_replies[verbs->ask.kind];
    struct tl_path here = {.up = at->up, .key = "as"};

    if (!makes(verbs->ask.kind)) {
        tl_reader_error_key(r, &here, "%s makes nothing that could have a name",
                            fal_verbs_names[verbs->ask.kind]);
        return;
    }
    if (strlen(as) > 12) {
        tl_reader_error(r, &here, "expected a name of at most 12 characters");
        return;
    }
    verbs->as = as;
    verbs->binds =
        fal_arena_alloc(&r->scenario->arena, reply->num_members, sizeof *verbs->binds);
    if (verbs->binds == NULL) {
        r->no_memory = true;
        return;
    }
    for (size_t i = 0; i < reply->num_members; i++) {
        const struct fal_member *m = &reply->members[i];
        struct tl_verbs_bind *bind = &verbs->binds[verbs->num_binds];

        if (m->shape->kind != FAL_SHAPE_UINT &&
            (m->shape->kind != FAL_SHAPE_HEX || tl_same(m->key, "hash")))
            continue;
        (void)snprintf(bind->name, sizeof bind->name, "%.12s_%.16s", as, m->key);
        bind->at = m->at;
        bind->size = m->size;
        verbs->num_binds++;
    }
}

/* What the reply must be. "data" and "from" are of mr_hash. */
static void read_reply(struct tl_reader *r, const struct tl_path *at, json_t *reply,
                       struct tl_verbs_step *verbs)
{
    struct tl_path here = {.up = at->up, .key = "reply"};
    json_t *data = json_object_get(reply, "data"), *from = json_object_get(reply, "from");
    struct tl_path data_at = {.up = &here, .key = "data"},
                   from_at = {.up = &here, .key = "from"};
    struct fal_verbs seen = {.kind = verbs->ask.kind};
    const char *key;
    json_t *value;

    verbs->has_data = data != NULL;
    verbs->reply.patterns = true;
    if (data != NULL && verbs->ask.kind != FAL_VERBS_MR_HASH)
        tl_reader_error_key(r, &data_at, "\"data\" goes with \"do\": \"mr_hash\"");
    if (data != NULL)
        read_number(r, &data_at, data, NULL, true, &verbs->tag);
    if (from != NULL)
        read_number(r, &from_at, from, NULL, true, &verbs->from);
    json_object_foreach(reply, key, value)
    {
        struct tl_path inner = {.up = &here, .key = key};
        const struct fal_member *m = member_of(&fal_verbs_replies[verbs->ask.kind], key);

        if (value == data || value == from)
            continue;
        if (m == NULL)
            unknown(r, &here, key, &fal_verbs_replies[verbs->ask.kind]);
        else
            read_member(r, &inner, value, m, &seen, &verbs->reply);
    }
}

static void check_must(struct tl_reader *r, const struct tl_path *at, json_t *object,
                       const struct fal_shape *shape)
{
    for (size_t i = 0; i < shape->num_members; i++) {
        const struct fal_member *m = &shape->members[i];

        if ((m->flags & FAL_MUST) != 0 && json_object_get(object, m->key) == NULL &&
            !tl_same(m->key, "conn"))
            tl_reader_error(r, at, "%s: missing; expected %s", m->key, m->doc);
    }
}

void tl_read_verbs(struct tl_reader *r, const struct tl_path *at, json_t *value,
                   struct tl_step_draft *d)
{
    struct tl_verbs_step *verbs = fal_arena_alloc(&r->scenario->arena, 1, sizeof *verbs);
    const struct fal_shape *shape;

    d->step.verb = TL_VERBS;
    d->step.u.verbs = verbs;
    if (verbs == NULL) {
        r->no_memory = true;
        return;
    }
    verbs->ask.kind = fal_verbs_kind_of(json_string_value(json_object_get(value, "do")));
    shape = &fal_verbs_shapes[verbs->ask.kind];
    read_members(r, at, value, &verbs->ask, &verbs->slots);
    check_must(r, at, value, shape);
    if (d->as != NULL)
        read_as(r, at, d->as, verbs);
    if (d->reply != NULL)
        read_reply(r, at, d->reply, verbs);
    verbs->tester = d->side == TL_SIDE_TESTER;
    if (d->side == TL_SIDE_TESTER && (d->refused || d->may_refuse))
        tl_reader_error_key(
            r, &(struct tl_path){.up = at->up, .key = d->refused ? "refused" : "may_refuse"},
            "goes with the SUT: nothing is decided about the tester's upper "
            "layer; remove it or \"side\"");
    verbs->refused = d->refused;
    verbs->may_refuse = d->may_refuse;
    tl_step_say(d, d->side == TL_SIDE_TESTER ? "verbs tester" : "verbs");
    tl_step_describe(d, value);
    if (d->reply != NULL) {
        tl_step_say(d, " =>");
        tl_step_describe(d, d->reply);
    }
    if (d->refused)
        tl_step_say(d, " => refused");
}

void tl_read_verbs_pattern(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           struct tl_event_pattern *out)
{
    struct tl_verbs_pattern *pattern = fal_arena_alloc(&r->scenario->arena, 1, sizeof *pattern);

    out->is_cm = true;
    memcpy(out->what, "verbs", sizeof "verbs");
    out->verbs = pattern;
    if (pattern == NULL) {
        r->no_memory = true;
        return;
    }
    pattern->due.kind = fal_verbs_kind_of(json_string_value(json_object_get(value, "event")));
    pattern->slots.patterns = true;
    read_members(r, at, value, &pattern->due, &pattern->slots);
}
