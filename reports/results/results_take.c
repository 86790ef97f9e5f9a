/* SPDX-License-Identifier: Apache-2.0
 * results_take.c - members of talon/results/1, one by one. */
#include "reports/results/results_read_impl.h"

#include <stdlib.h>
#include <string.h>

void tl_take_fail(struct tl_take *take, int rc, const char *key, const char *what)
{
    if (take->rc == 0)
        take->rc = fal_fail(take->err, rc, "\"%s\": %s", key, what);
}

char *tl_take_copy(struct tl_take *take, const json_t *text)
{
    static const char shown[] = "\xef\xbf\xbd"; /* U+FFFD */
    const char *from = json_string_value(text);
    size_t len = json_string_length(text), nuls = 0;
    char *out, *to;

    for (size_t i = 0; i < len; i++)
        nuls += from[i] == 0;
    out = fal_arena_alloc(take->arena, len + nuls * 2 + 1, 1);
    if (out == NULL) {
        tl_take_fail(take, FAL_ERR_MEM, "text", "out of memory");
        return NULL;
    }
    to = out;
    for (size_t i = 0; i < len; i++) {
        size_t n = from[i] == 0 ? 3 : 1;

        memcpy(to, from[i] == 0 ? shown : &from[i], n);
        to += n;
    }
    return out;
}

const char *tl_take_text(struct tl_take *take, const char *key)
{
    const json_t *value = json_object_get(take->object, key);

    if (value == NULL || json_is_null(value))
        return NULL;
    if (json_is_string(value))
        return tl_take_copy(take, value);
    tl_take_fail(take, FAL_ERR_FORM, key, "expected a text");
    return NULL;
}

char *tl_take_own(struct tl_take *take, const char *key)
{
    const char *text = tl_take_text(take, key);
    char *own = text != NULL ? strdup(text) : NULL;

    if (text != NULL && own == NULL)
        tl_take_fail(take, FAL_ERR_MEM, key, "out of memory");
    return own;
}

uint64_t tl_take_number(struct tl_take *take, const char *key)
{
    const json_t *value = json_object_get(take->object, key);

    if (value == NULL)
        return 0;
    if (json_is_integer(value) && json_integer_value(value) >= 0)
        return (uint64_t)json_integer_value(value);
    tl_take_fail(take, FAL_ERR_FORM, key, "expected a number");
    return 0;
}

bool tl_take_flag(const struct tl_take *take, const char *key)
{
    return json_is_true(json_object_get(take->object, key));
}

uint64_t tl_take_seed(struct tl_take *take, const char *key)
{
    const char *text = tl_take_text(take, key);
    char *end;
    uint64_t seed;

    if (text == NULL)
        return 0;
    seed = strtoull(text, &end, 0);
    if (*end != 0 || end == text)
        tl_take_fail(take, FAL_ERR_FORM, key, "expected a number in a text");
    return seed;
}

enum fal_verdict tl_take_verdict(struct tl_take *take, const char *key)
{
    const char *text = tl_take_text(take, key);
    int verdict = text != NULL ? fal_verdict_from(text) : -1;

    if (verdict < 0)
        tl_take_fail(take, FAL_ERR_FORM, key, "expected a verdict");
    return verdict < 0 ? FAL_VERDICT_NONE : (enum fal_verdict)verdict;
}

int tl_take_word(struct tl_take *take, const char *key, const char *(*name)(int i), int n)
{
    const char *text = tl_take_text(take, key);

    if (text == NULL)
        return -1;
    for (int i = 0; i < n; i++)
        if (strcmp(text, name(i)) == 0)
            return i;
    tl_take_fail(take, FAL_ERR_FORM, key, "a word that is not known");
    return -1;
}

const json_t *tl_take_list(struct tl_take *take, const char *key)
{
    const json_t *list = json_object_get(take->object, key);

    if (list == NULL)
        return NULL;
    if (!json_is_array(list)) {
        tl_take_fail(take, FAL_ERR_FORM, key, "expected a list");
        return NULL;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!json_is_object(json_array_get(list, i))) {
            tl_take_fail(take, FAL_ERR_FORM, key, "expected a list of objects");
            return NULL;
        }
    }
    return list;
}

void tl_take_must(struct tl_take *take, const char *key, json_type type)
{
    const json_t *value = json_object_get(take->object, key);

    if (value == NULL)
        tl_take_fail(take, FAL_ERR_FORM, key, "is missing");
    else if (json_typeof(value) != type)
        tl_take_fail(take, FAL_ERR_FORM, key, "is of another type");
}

const struct fal_requirement *tl_take_requirement(struct tl_take *take, const char *id,
                                                  const char *text)
{
    const struct fal_requirement *known = fal_requirement_find(id);
    struct fal_requirement *made;

    if (known != NULL)
        return known;
    made = fal_arena_alloc(take->arena, 1, sizeof *made);
    if (made == NULL) {
        tl_take_fail(take, FAL_ERR_MEM, "requirement", "out of memory");
        return NULL;
    }
    *made = (struct fal_requirement){
        .id = id,
        .spec = "",
        .section = "",
        .title = "",
        .level = "",
        .role = "",
        .layer = "",
        .text = text != NULL ? text : "not in this version's catalogue",
        .observable = "",
        .stimulus = "",
        .verdict = "",
        .on_breach = "fail",
    };
    return made;
}

const struct fal_rule *tl_take_rule(struct tl_take *take, const char *id)
{
    static const char *const none[] = {NULL};
    const struct fal_rule *known = fal_rule_find(id);
    struct fal_rule *made;

    if (known != NULL)
        return known;
    made = fal_arena_alloc(take->arena, 1, sizeof *made);
    if (made == NULL) {
        tl_take_fail(take, FAL_ERR_MEM, "rule", "out of memory");
        return NULL;
    }
    *made = (struct fal_rule){.id = id,
                              .title = "not a rule of this version",
                              .requirements = none,
                              .role = "",
                              .needs = "",
                              .assumes = "",
                              .doc = ""};
    return made;
}
