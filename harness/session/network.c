/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/network.h"

#include "codecs/base/nearest.h"
#include "codecs/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 64, PPM = 1000000 };

/* How the value of a setting is written, and where it goes. */
enum form { TIME, SHARE, COUNT, RATE, HOPS };

#define SETTING(name, form, member)                         \
    {                                                       \
        name, form, offsetof(struct fal_impairment, member) \
    }

static const struct setting {
    const char *name;
    enum form form;
    size_t offset;
} settings[] = {
    SETTING("latency", TIME, latency_ns),
    SETTING("jitter", TIME, jitter_ns),
    SETTING("loss", SHARE, loss_ppm),
    SETTING("duplicate", SHARE, duplicate_ppm),
    SETTING("reorder", SHARE, reorder_ppm),
    SETTING("reorder-by", TIME, reorder_ns),
    SETTING("corrupt", SHARE, corrupt_ppm),
    SETTING("mark", SHARE, ce_ppm),
    SETTING("rate", RATE, rate_bps),
    SETTING("queue", COUNT, queue_bytes),
    SETTING("mark-at", COUNT, ecn_bytes),
    SETTING("mtu", COUNT, mtu),
    SETTING("hops", HOPS, hops),
};

static const char *const actions[] = {"drop-frame", "duplicate-frame", "delay-frame",
                                      "corrupt-frame", "mark-frame"};

enum { NUM_SETTINGS = sizeof settings / sizeof *settings, NUM_ACTIONS = 5 };

/* ---- values ---- */

static bool whole(const char *text, uint64_t max, uint64_t *out, char **end)
{
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, end, 10);
    return errno == 0 && *out <= max;
}

static bool number(const char *text, uint64_t max, uint64_t *out)
{
    char *end;

    return whole(text, max, out, &end) && *end == 0;
}

/* "20us" */
static bool duration(const char *text, uint64_t *out)
{
    struct fal_duration d;

    return fal_text_parse_duration(text, &d, NULL) >= 0 &&
           fal_duration_ns(&d, NULL, out, NULL) == 0 && *out <= 3600 * FAL_S;
}

/* "1%", "0.25%", to a millionth of the whole. */
static bool share(const char *text, uint64_t *ppm)
{
    uint64_t scale = PPM / 100;
    char *end;

    if (!whole(text, 100, ppm, &end))
        return false;
    *ppm *= scale;
    if (*end == '.') {
        for (end++; *end >= '0' && *end <= '9' && scale >= 10; end++) {
            scale /= 10;
            *ppm += scale * (uint64_t)(*end - '0');
        }
    }
    return strcmp(end, "%") == 0 && *ppm <= PPM;
}

#define RATE_MAX UINT64_C(1000000000000000000)

/* Bits per second: "400G". */
static bool rate(const char *text, uint64_t *bps)
{
    static const char units[] = "kMG";
    uint64_t factor = 1000;
    char *end;

    if (!whole(text, RATE_MAX, bps, &end) || *bps == 0)
        return false;
    if (*end == 0)
        return true;
    for (const char *unit = units; *unit != 0; unit++, factor *= 1000)
        if (*end == *unit && end[1] == 0)
            return !__builtin_mul_overflow(*bps, factor, bps) && *bps <= RATE_MAX;
    return false;
}

static const char *const form_words[] = {
    [TIME] = "a time such as 20us", [SHARE] = "a share such as 0.5%",
    [COUNT] = "a number of bytes",  [RATE] = "bits per second such as 100G",
    [HOPS] = "a number up to 255",
};

static void store(struct fal_impairment *impair, const struct setting *setting, uint64_t value)
{
    char *member = (char *)impair + setting->offset;
    uint32_t narrow = (uint32_t)value;
    uint8_t byte = (uint8_t)value;

    switch (setting->form) {
    case TIME:
    case RATE: memcpy(member, &value, sizeof value); break;
    case SHARE:
    case COUNT: memcpy(member, &narrow, sizeof narrow); break;
    case HOPS: memcpy(member, &byte, sizeof byte); break;
    }
}

static bool read_form(enum form form, const char *text, uint64_t *value)
{
    switch (form) {
    case TIME: return duration(text, value);
    case SHARE: return share(text, value);
    case COUNT: return number(text, UINT32_MAX, value);
    case RATE: return rate(text, value);
    case HOPS: return number(text, UINT8_MAX, value);
    }
    return false;
}

/* ---- items ---- */

static int read_setting(char *item, int dir, struct tl_target *target, struct fal_error *err)
{
    char *value = strchr(item, '=');
    const char *names[NUM_SETTINGS + NUM_ACTIONS], *near;
    uint64_t v;

    if (value != NULL)
        *value++ = 0;
    for (size_t i = 0; i < NUM_SETTINGS; i++) {
        names[i] = settings[i].name;
        if (strcmp(item, settings[i].name) != 0)
            continue;
        if (value == NULL || !read_form(settings[i].form, value, &v))
            return fal_fail(err, FAL_ERR_FORM, "%s: expected %s", item,
                            form_words[settings[i].form]);
        for (int d = 0; d < 2; d++)
            if (dir == FAL_SIMNET_ANY || dir == d)
                store(&target->impair[d], &settings[i], v);
        return 0;
    }
    memcpy(names + NUM_SETTINGS, actions, sizeof actions);
    near = fal_nearest(item, names, NUM_SETTINGS + NUM_ACTIONS);
    return fal_fail(err, FAL_ERR_FORM, "no '%s'%s", item, fal_hint(near, "").text);
}

/* One condition of a rule, or how long it delays. */
static int read_condition(char *word, struct fal_simnet_rule *rule, struct fal_error *err)
{
    char *value = strchr(word, '=');
    uint64_t v = 0;

    if (value != NULL)
        *value++ = 0;
    for (unsigned type = 0; value == NULL && type < 16; type++) {
        const char *name = fal_falcon_layout(type) != NULL ? fal_falcon_type_name(type) : NULL;

        if (name != NULL && strcmp(word, name) == 0) {
            rule->type = (int)type;
            return 0;
        }
    }
    if (value == NULL && (strcmp(word, "req") == 0 || strcmp(word, "data") == 0)) {
        rule->window = *word == 'r' ? FAL_WINDOW_REQ : FAL_WINDOW_DATA;
        return 0;
    }
    if (value != NULL && strcmp(word, "by") == 0 && rule->action == FAL_SIMNET_DELAY)
        return duration(value, &rule->delay_ns)
                   ? 0
                   : fal_fail(err, FAL_ERR_FORM, "by: expected a time such as 20us");
    if (value == NULL || !number(value, UINT32_MAX, &v))
        return fal_fail(
            err, FAL_ERR_FORM,
            "'%s': expected a packet type, req, data, psn=N, rsn=N, nth=N, times=N%s", word,
            rule->action == FAL_SIMNET_DELAY ? " or by=TIME" : "");
    if (strcmp(word, "psn") == 0)
        rule->psn = (int64_t)v;
    else if (strcmp(word, "rsn") == 0)
        rule->rsn = (int64_t)v;
    else if (strcmp(word, "nth") == 0)
        rule->nth = (uint32_t)v;
    else if (strcmp(word, "times") == 0)
        rule->times = (uint32_t)v;
    else
        return fal_fail(err, FAL_ERR_FORM, "no condition '%s'", word);
    return 0;
}

/* `rest`: the text after the action, or NULL. A rule without a count acts once. */
static int read_rule(int action, char *rest, int dir, struct tl_target *target,
                     struct fal_error *err)
{
    struct fal_simnet_rule rule = FAL_SIMNET_RULE;
    char *save = NULL;

    rule.action = (enum fal_simnet_action)action;
    rule.dir = dir;
    rule.times = 1;
    for (char *word = rest != NULL ? strtok_r(rest, ":", &save) : NULL; word != NULL;
         word = strtok_r(NULL, ":", &save))
        if (read_condition(word, &rule, err) != 0)
            return FAL_ERR_FORM;
    if (rule.action == FAL_SIMNET_DELAY && rule.delay_ns == 0)
        return fal_fail(err, FAL_ERR_FORM, "delay-frame: lacks by=TIME");
    if (target->num_rules == TL_NETWORK_RULES_MAX)
        return fal_fail(err, FAL_ERR_FORM, "more than %d frames to act on",
                        TL_NETWORK_RULES_MAX);
    target->rules[target->num_rules++] = rule;
    return 0;
}

static int read_item(char *item, struct tl_target *target, struct fal_error *err)
{
    int dir = FAL_SIMNET_ANY;
    char *rest;

    if (strncmp(item, "in:", 3) == 0 || strncmp(item, "out:", 4) == 0) {
        dir = *item == 'i' ? FAL_TO_SUT : FAL_FROM_SUT;
        item = strchr(item, ':') + 1;
    }
    rest = strchr(item, ':');
    for (int i = 0; i < NUM_ACTIONS; i++) {
        size_t len = strlen(actions[i]);

        if (strncmp(item, actions[i], len) == 0 && (item[len] == 0 || item[len] == ':'))
            return read_rule(i, rest != NULL ? rest + 1 : NULL, dir, target, err);
    }
    return read_setting(item, dir, target, err);
}

int tl_network_read(const char *text, struct tl_target *target, struct fal_error *err)
{
    while (*text != 0) {
        size_t len = strcspn(text, ",");
        char item[WORD_MAX * 2];

        if (len >= sizeof item)
            return fal_fail(err, FAL_ERR_FORM, "'%.20s...' is too long", text);
        memcpy(item, text, len);
        item[len] = 0;
        if (read_item(item, target, err) != 0)
            return FAL_ERR_FORM;
        text += len + (text[len] == ',');
    }
    /* A queue without a limit would set no limit to the time of a frame. */
    for (unsigned dir = 0; dir < 2; dir++)
        if (target->impair[dir].rate_bps > 0 && target->impair[dir].queue_bytes == 0)
            return fal_fail(err, FAL_ERR_FORM, "rate: lacks queue=BYTES");
    return 0;
}
