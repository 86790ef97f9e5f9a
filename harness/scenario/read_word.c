/* SPDX-License-Identifier: Apache-2.0
 * read_word.c - reads the steps `verbs` and `expect_verbs` by the tables of their words. */
#include "harness/scenario/reader.h"
#include "harness/scenario/word_step.h"

#include <stdio.h>
#include <string.h>

enum { SLOTS_MAX = 64, KEYS_MAX = 32, KEY_MAX = 48 };

uint64_t tl_word_number(const void *word, size_t at, size_t size)
{
    const char *from = (const char *)word + at;
    uint64_t wide = 0;
    uint32_t narrow;
    uint16_t half;
    uint8_t byte;

    if (size == sizeof wide) {
        memcpy(&wide, from, sizeof wide);
    } else if (size == sizeof narrow) {
        memcpy(&narrow, from, sizeof narrow);
        wide = narrow;
    } else if (size == sizeof half) {
        memcpy(&half, from, sizeof half);
        wide = half;
    } else {
        memcpy(&byte, from, sizeof byte);
        wide = byte;
    }
    return wide;
}

int tl_word_set(void *word, size_t at, size_t size, uint64_t number)
{
    char *to = (char *)word + at;
    uint32_t narrow = (uint32_t)number;
    uint16_t half = (uint16_t)number;
    uint8_t byte = (uint8_t)number;

    if (size == sizeof number)
        memcpy(to, &number, sizeof number);
    else if (size == sizeof narrow && number <= UINT32_MAX)
        memcpy(to, &narrow, sizeof narrow);
    else if (size == sizeof half && number <= UINT16_MAX)
        memcpy(to, &half, sizeof half);
    else if (size == sizeof byte && number <= UINT8_MAX)
        memcpy(to, &byte, sizeof byte);
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

/* ---- words of members in patterns: tl_read_value takes no context ---- */

static int index_of(const struct fal_shape *object, const char *key, const char *word)
{
    const struct fal_shape *shape = member_of(object, key)->shape;

    for (size_t i = 0; i < shape->num_words; i++)
        if (strcmp(shape->words[i], word) == 0)
            return (int)i;
    return -1;
}

static int state_word(const char *word)
{
    return index_of(&fal_verbs_replies[FAL_VERBS_QP_QUERY], "state", word);
}

static int done_word(const char *word)
{
    return index_of(&fal_verbs_shapes[FAL_VERBS_WC], "opcode", word);
}

static int op_word(const char *word)
{
    return index_of(&fal_nvme_word_shapes[FAL_NVME_DEV_CMD], "op", word);
}

static tl_word_fn *words_of_member(const char *key)
{
    if (tl_same(key, "op"))
        return op_word;
    return tl_same(key, "state") ? state_word : done_word;
}

static struct tl_word_slot *add_slot(struct tl_reader *r, struct tl_word_slots *slots,
                                     const char *key, size_t at, size_t size)
{
    struct tl_word_slot *slot;

    if (slots->list == NULL)
        slots->list = fal_arena_alloc(&r->scenario->arena, SLOTS_MAX, sizeof *slots->list);
    if (slots->list == NULL || slots->n == SLOTS_MAX) {
        r->no_memory = true;
        return NULL;
    }
    slot = &slots->list[slots->n++];
    *slot = (struct tl_word_slot){
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

static void put_flag(void *out, size_t at)
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
                      const struct fal_member *m, void *out)
{
    int word = tl_read_word(r, at, value, m->shape->words, m->shape->num_words);

    if (word >= 0)
        FAL_IGNORE(tl_word_set(out, m->at, m->size, (uint64_t)word));
}

static void read_sgl(struct tl_reader *r, const struct tl_path *at, json_t *value,
                     struct fal_verbs *out, struct tl_word_slots *slots)
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
            struct tl_word_slot *slot;

            (void)snprintf(key, sizeof key, "sgl[%zu].%s", i, keys[k]);
            slot = number != NULL ? add_slot(r, slots, key, place[k], size[k]) : NULL;
            if (slot != NULL)
                read_number(r, &here, number, NULL, true, &slot->value);
        }
    }
    out->num_sge = json_array_size(value);
}

static void read_remote(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        struct fal_verbs *out, struct tl_word_slots *slots)
{
    struct tl_path va = {.up = at, .key = "va"}, rkey = {.up = at, .key = "rkey"};
    struct tl_word_slot *slot;

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
                      const struct fal_member *m, void *out)
{
    struct fal_misfit wrong = {.depth = 0};

    if (m->shape->read(value, (char *)out + m->at, &wrong) != 0)
        tl_reader_error(r, at, "%s", wrong.text);
}

static void read_member(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        const struct fal_member *m, void *out, struct tl_word_slots *slots)
{
    bool exact = !slots->patterns;
    struct tl_word_slot *slot;

    switch ((int)m->shape->kind) {
    case FAL_SHAPE_NAME: read_name(r, at, value, (char *)out + m->at); break;
    case FAL_SHAPE_WORD:
        if (exact) {
            read_word(r, at, value, m, out);
            break;
        }
        slot = add_slot(r, slots, m->key, m->at, m->size);
        if (slot != NULL)
            read_number(r, at, value, words_of_member(m->key), false, &slot->value);
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

/* What a hash must be: "data", "from" and "bytes" in a reply or an event. */
static void read_data(struct tl_reader *r, const struct tl_path *at, json_t *object,
                      const struct fal_shape *shape, struct tl_word_data *out)
{
    json_t *data = json_object_get(object, "data"), *from = json_object_get(object, "from"),
           *length = json_object_get(object, "bytes");
    struct tl_path data_at = {.up = at, .key = "data"}, from_at = {.up = at, .key = "from"},
                   length_at = {.up = at, .key = "bytes"};

    out->given = data != NULL;
    if (data != NULL && member_of(shape, "hash") == NULL)
        tl_reader_error_key(r, &data_at, "\"data\" goes with a word that has a hash");
    if (data != NULL)
        read_number(r, &data_at, data, NULL, true, &out->tag);
    if (from != NULL)
        read_number(r, &from_at, from, NULL, true, &out->from);
    if (length != NULL)
        read_number(r, &length_at, length, NULL, true, &out->length);
}

static bool is_data(const char *key)
{
    return tl_same(key, "data") || tl_same(key, "from") || tl_same(key, "bytes");
}

/* Of a command or an event. */
static void read_members(struct tl_reader *r, const struct tl_path *at, json_t *object,
                         const struct fal_shape *shape, union tl_word *out,
                         struct tl_word_slots *slots)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        struct tl_path here = {.up = at, .key = key};
        const struct fal_member *m = member_of(shape, key);

        if (tl_same(key, "do") || tl_same(key, "event") || (slots->patterns && is_data(key)))
            continue;
        if (m == NULL)
            unknown(r, at, key, shape);
        else
            read_member(r, &here, value, m, out, slots);
    }
}

/* ---- the step ---- */

static bool has_name(const struct fal_member *m)
{
    return m->shape->kind == FAL_SHAPE_NAME;
}

static void read_as(struct tl_reader *r, const struct tl_path *at, const char *as,
                    struct tl_word_step *step)
{
    const struct fal_shape *reply = &step->words->replies[step->kind];
    struct tl_path here = {.up = at->up, .key = "as"};

    if (reply->num_members == 0 ||
        (step->words->upper == TL_UPPER_VERBS && !has_name(&reply->members[0]))) {
        tl_reader_error_key(r, &here, "%s makes nothing that could have a name",
                            step->words->names[step->kind]);
        return;
    }
    if (strlen(as) > 12) {
        tl_reader_error(r, &here, "expected a name of at most 12 characters");
        return;
    }
    step->as = as;
    step->binds = fal_arena_alloc(&r->scenario->arena, reply->num_members, sizeof *step->binds);
    if (step->binds == NULL) {
        r->no_memory = true;
        return;
    }
    for (size_t i = 0; i < reply->num_members; i++) {
        const struct fal_member *m = &reply->members[i];
        struct tl_word_bind *bind = &step->binds[step->num_binds];

        if (m->shape->kind != FAL_SHAPE_UINT &&
            (m->shape->kind != FAL_SHAPE_HEX || tl_same(m->key, "hash")))
            continue;
        (void)snprintf(bind->name, sizeof bind->name, "%.12s_%.16s", as, m->key);
        bind->at = m->at;
        bind->size = m->size;
        step->num_binds++;
    }
}

/* What the reply must be. */
static void read_reply(struct tl_reader *r, const struct tl_path *at, json_t *reply,
                       struct tl_word_step *step)
{
    struct tl_path here = {.up = at->up, .key = "reply"};
    const struct fal_shape *shape = &step->words->replies[step->kind];
    union tl_word seen = {.verbs = {.wr_id = 0}};

    step->reply.patterns = true;
    read_data(r, &here, reply, shape, &step->data);
    read_members(r, &here, reply, shape, &seen, &step->reply);
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

/* The words whose steps have that key: "verbs", "expect_nvme". */
static const struct tl_words *words_of(const char *key)
{
    size_t len = strlen(key);

    for (int i = TL_UPPER_RAW + 1; i < TL_UPPERS; i++) {
        const struct tl_words *words = tl_words_of((enum tl_upper_layer)i);
        size_t n = strlen(words->name);

        if (len >= n && strcmp(key + len - n, words->name) == 0)
            return words;
    }
    return NULL;
}

static void read_command(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         const struct tl_step_draft *d, struct tl_word_step *step)
{
    const struct fal_shape *shape;

    step->words = words_of(at->key);
    step->kind = tl_words_find(step->words, json_string_value(json_object_get(value, "do")));
    shape = &step->words->shapes[step->kind];
    for (size_t i = 0; i < shape->num_members; i++)
        if (shape->members[i].initial != 0)
            FAL_IGNORE(tl_word_set(&step->ask, shape->members[i].at, shape->members[i].size,
                                   shape->members[i].initial));
    read_members(r, at, value, shape, &step->ask, &step->slots);
    tl_word_begin(step->kind, &step->ask);
    check_must(r, at, value, shape);
    if (d->as != NULL)
        read_as(r, at, d->as, step);
    if (d->reply != NULL)
        read_reply(r, at, d->reply, step);
    step->tester = d->side == TL_SIDE_TESTER;
    step->refused = d->refused;
    step->may_refuse = d->may_refuse;
}

void tl_read_order(struct tl_reader *r, const struct tl_path *at, json_t *value,
                   struct tl_step_draft *d)
{
    struct tl_word_step *step = fal_arena_alloc(&r->scenario->arena, 1, sizeof *step);

    d->step.verb = TL_WORD;
    d->step.u.word = step;
    if (step == NULL) {
        r->no_memory = true;
        return;
    }
    read_command(r, at, value, d, step);
    if (step->tester && (d->refused || d->may_refuse))
        tl_reader_error_key(
            r, &(struct tl_path){.up = at->up, .key = d->refused ? "refused" : "may_refuse"},
            "goes with the SUT: nothing is decided about the tester's upper "
            "layer; remove it or \"side\"");
    tl_step_say(d, "%s%s", step->words->name, step->tester ? " tester" : "");
    tl_step_describe(d, value);
    if (d->reply != NULL) {
        tl_step_say(d, " =>");
        tl_step_describe(d, d->reply);
    }
    if (d->refused)
        tl_step_say(d, " => refused");
}

void tl_read_told(struct tl_reader *r, const struct tl_path *at, json_t *value,
                  struct tl_event_pattern *out)
{
    struct tl_word_pattern *pattern = fal_arena_alloc(&r->scenario->arena, 1, sizeof *pattern);
    const struct tl_words *words = words_of(at->key);
    const struct fal_shape *shape;

    out->is_cm = true;
    (void)snprintf(out->what, sizeof out->what, "%s", words->name);
    out->word = pattern;
    if (pattern == NULL) {
        r->no_memory = true;
        return;
    }
    pattern->words = words;
    pattern->kind = tl_words_find(words, json_string_value(json_object_get(value, "event")));
    shape = &words->shapes[pattern->kind];
    pattern->slots.patterns = true;
    read_data(r, at, value, shape, &pattern->data);
    read_members(r, at, value, shape, &pattern->due, &pattern->slots);
}
