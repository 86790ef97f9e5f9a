/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/builtin.h"
#include "codecs/base/nearest.h"
#include "harness/sut/link_sim.h"

#include <stdio.h>
#include <string.h>

static const char random_name[] = "random";

enum { WORD_MAX = 64 };

int tl_twins_read(struct tl_twins *twins, const char *text, size_t len, struct fal_error *err)
{
    for (size_t at = 0;; at++) {
        const char *comma = memchr(text + at, ',', len - at);
        size_t n = comma != NULL ? (size_t)(comma - text) - at : len - at;
        int rc = 0;

        if (n == sizeof random_name - 1 && memcmp(text + at, random_name, n) == 0)
            twins->random = true;
        else
            rc = fal_twins_read(&twins->set, text + at, n, err);
        at += n;
        if (rc != 0 || at == len)
            return rc;
    }
}

struct fal_twin_set tl_twins_take(const struct tl_twins *twins, struct fal_rng *rng)
{
    struct fal_twin_set set = twins->set;

    if (twins->random)
        fal_twins_draw(&set, rng);
    return set;
}

static int add_engine_fault(struct tl_engine *engine, const char *name, struct fal_error *err)
{
    size_t n;
    const struct fal_cc_fault *faults = fal_cc_faults(&n);
    const char *names[128], *near;

    engine->fault = fal_cc_fault_find(name);
    if (engine->fault != NULL)
        return 0;
    n = n < sizeof names / sizeof *names ? n : sizeof names / sizeof *names;
    for (size_t i = 0; i < n; i++)
        names[i] = faults[i].name;
    near = fal_nearest(name, names, n);
    return fal_fail(err, FAL_ERR_FORM, "no fault '%s' of Swift%s%s%s (talon help swift)", name,
                    near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                    near != NULL ? "'?" : "");
}

/* A field of an entry whose host struct the format does not change. */
static int find_field(enum fal_cc_entry entry, const char *name, const struct fal_field **out,
                      struct fal_error *err)
{
    const struct fal_layout *layout = fal_cc_layout(FAL_CC_TABLE_MSB, entry);
    struct fal_nearest_list nearest = {.word = name};
    char near[100];

    *out = fal_layout_find(layout, name);
    if (*out != NULL)
        return 0;
    for (size_t i = 0; i < layout->num_fields; i++)
        fal_nearest_add(&nearest, layout->fields[i].name);
    fal_nearest_print(&nearest, near, sizeof near);
    return fal_fail(err, FAL_ERR_FORM, "no field '%s' in the queue's entries%s%s%s", name,
                    near[0] != 0 ? "; did you mean " : "", near, near[0] != 0 ? "?" : "");
}

static int add_engine_value(struct tl_engine *engine, const char *word, const char *value,
                            struct fal_error *err)
{
    size_t len = (size_t)(value - word - 1);

    if (len == 5 && memcmp(word, "fault", len) == 0)
        return add_engine_fault(engine, value, err);
    if (len == 7 && memcmp(word, "reading", len) == 0)
        return fal_cc_readings_read(&engine->readings, value, strlen(value), err);
    if (len == 7 && memcmp(word, "latency", len) == 0)
        return tl_slow_time(value, &engine->latency_ns, err);
    if (len == 11 && memcmp(word, "event-wrong", len) == 0)
        return find_field(FAL_CC_ENTRY_EVENT, value, &engine->event_wrong, err);
    if (len == 14 && memcmp(word, "result-ignored", len) == 0)
        return find_field(FAL_CC_ENTRY_RESULT, value, &engine->result_ignored, err);
    return fal_fail(err, FAL_ERR_FORM,
                    "'%s'; expected fault=NAME, reading=NAME, event-wrong=FIELD, "
                    "result-ignored=FIELD or latency=TIME",
                    word);
}

static int add_engine_word(struct tl_engine *engine, const char *word, struct fal_error *err)
{
    const char *equals = strchr(word, '=');
    uint64_t format;

    if (equals != NULL)
        return add_engine_value(engine, word, equals + 1, err);
    if (strcmp(word, "swift") == 0) {
        engine->swift = true;
    } else if (strcmp(word, "swift-isekai") == 0) {
        engine->swift = engine->isekai = true;
        engine->readings |= FAL_CC_ISEKAI;
        engine->format = FAL_CC_GEN1_LSB;
    } else if (strcmp(word, "other") == 0) {
        engine->other = true;
    } else if (strcmp(word, "batch") == 0) {
        engine->batch = true;
    } else if (fal_name_find(&fal_names_cc_format, word, &format)) {
        engine->format = (enum fal_cc_format)format;
    } else {
        return fal_fail(
            err, FAL_ERR_FORM,
            "'%s'; expected swift, swift-isekai, other, table-msb, gen1-lsb, batch, "
            "fault=NAME, reading=NAME, event-wrong=FIELD, result-ignored=FIELD or "
            "latency=TIME",
            word);
    }
    return 0;
}

int tl_engine_read(struct tl_engine *engine, const char *text, size_t len,
                   struct fal_error *err)
{
    for (size_t at = 0;;) {
        const char *comma = memchr(text + at, ',', len - at);
        size_t n = comma != NULL ? (size_t)(comma - text) - at : len - at;
        char word[WORD_MAX];
        int rc;

        (void)snprintf(word, sizeof word, "%.*s", (int)n, text + at);
        rc = add_engine_word(engine, word, err);
        if (rc != 0 || comma == NULL)
            return rc;
        at += n + 1;
    }
}

static int read_engine(struct tl_builtin *b, const char *text, size_t len,
                       struct fal_error *err)
{
    int rc = tl_engine_read(&b->engine, text, len, err);

    if (rc == 0 && b->engine.isekai)
        fal_twin_add(&b->twins.set, FAL_TWIN_RUE_EVENT_ONE_AT_A_TIME);
    return rc;
}

static int read_faults(struct tl_builtin *b, const char *text, size_t len,
                       struct fal_error *err)
{
    return fal_faults_read(&b->faults, text, len, err);
}

static int read_twins(struct tl_builtin *b, const char *text, size_t len, struct fal_error *err)
{
    return tl_twins_read(&b->twins, text, len, err);
}

static int read_offer(struct tl_builtin *b, const char *text, size_t len, struct fal_error *err)
{
    return tl_limits_offer(&b->limits, text, len, err);
}

static int read_without(struct tl_builtin *b, const char *text, size_t len,
                        struct fal_error *err)
{
    return tl_limits_without(&b->limits, text, len, err);
}

static int read_fixed(struct tl_builtin *b, const char *text, size_t len, struct fal_error *err)
{
    return tl_limits_fixed(&b->limits, text, len, err);
}

static int read_delay(struct tl_builtin *b, const char *text, size_t len, struct fal_error *err)
{
    return tl_slow_read(&b->slow, text, len, err);
}

static int read_lanes(struct tl_builtin *b, const char *text, size_t len, struct fal_error *err)
{
    char word[WORD_MAX];

    (void)snprintf(word, sizeof word, "%.*s", (int)len, text);
    return tl_slow_time(word, &b->twins.set.lanes_ns, err);
}

/* What may follow "builtin". */
static const struct part {
    const char *key;
    int (*read)(struct tl_builtin *b, const char *text, size_t len, struct fal_error *err);
} parts[] = {{":fault=", read_faults},    {":twin=", read_twins},  {":offer=", read_offer},
             {":without=", read_without}, {":fixed=", read_fixed}, {":delay=", read_delay},
             {":lanes=", read_lanes},     {":cc=", read_engine}};

static const struct part *part_of(const char *text)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(text, parts[i].key, strlen(parts[i].key)) == 0)
            return &parts[i];
    return NULL;
}

/* Reads up to the next key, or to the end. */
static size_t list_len(const char *text)
{
    size_t len = 0;

    while (text[len] != 0 && part_of(text + len) == NULL)
        len++;
    return len;
}

int tl_builtin_read(struct tl_builtin *builtin, const char *text, struct fal_error *err)
{
    while (*text != 0) {
        const struct part *part = part_of(text);
        size_t len;
        int rc;

        if (part == NULL)
            return fal_fail(err, FAL_ERR_FORM,
                            "'%.60s': expected builtin[:fault=NAME,...][:twin=NAME,...]"
                            "[:offer=LEVEL][:without=COMMAND,...][:fixed=PARAM=VALUE,...]"
                            "[:delay=TIME,...][:lanes=TIME][:cc=WORD,...]",
                            text);
        text += strlen(part->key);
        len = list_len(text);
        rc = part->read(builtin, text, len, err);
        if (rc != 0)
            return rc;
        text += len;
    }
    return 0;
}
