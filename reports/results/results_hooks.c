/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/results_hooks.h"

#include "reports/base/utf8.h"

#include <stdlib.h>
#include <string.h>

int tl_no_memory(struct fal_misfit *wrong)
{
    (void)fal_misfit_say(wrong, "out of memory");
    return FAL_ERR_MEM;
}

/* ---- texts ---- */

const char *tl_text_keep(const json_t *text, struct fal_misfit *wrong)
{
    static const char shown[] = "\xef\xbf\xbd"; /* U+FFFD */
    const char *from = json_string_value(text);
    size_t len = json_string_length(text), nuls = 0;
    char *out, *to;

    for (size_t i = 0; i < len; i++)
        nuls += from[i] == 0;
    out = fal_arena_alloc(wrong->ctx, len + nuls * 2 + 1, 1);
    if (out == NULL)
        return NULL;
    to = out;
    for (size_t i = 0; i < len; i++) {
        size_t n = from[i] == 0 ? 3 : 1;

        memcpy(to, from[i] == 0 ? shown : &from[i], n);
        to += n;
    }
    return out;
}

int tl_text_read(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text;

    if (!json_is_string(value))
        return fal_misfit_say(wrong, "expected a text");
    if (out == NULL)
        return 0;
    text = tl_text_keep(value, wrong);
    memcpy(out, &text, sizeof text);
    return text != NULL ? 0 : tl_no_memory(wrong);
}

static int read_own_text(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = NULL;
    char *own;
    int rc = tl_text_read(value, out != NULL ? (void *)&text : NULL, wrong);

    if (rc != 0 || text == NULL)
        return rc;
    own = strdup(text);
    if (own == NULL)
        return tl_no_memory(wrong);
    *(char **)out = own;
    return 0;
}

int tl_text_write(const char *text, json_t **out)
{
    char *clean;

    *out = text != NULL ? json_string(text) : NULL;
    if (text == NULL || *out != NULL)
        return 0;
    clean = tl_utf8_clean(text); /* the SUT's description of itself may be invalid UTF-8 */
    *out = clean != NULL ? json_string(clean) : NULL;
    free(clean);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

int tl_text_write_member(const void *in, json_t **out)
{
    const char *text;

    memcpy(&text, in, sizeof text);
    return tl_text_write(text, out);
}

const struct fal_shape tl_text_shape = {
    .kind = FAL_SHAPE_TEXT, .read = tl_text_read, .write = tl_text_write_member};
const struct fal_shape tl_own_text_shape = {
    .kind = FAL_SHAPE_TEXT, .read = read_own_text, .write = tl_text_write_member};

/* ---- verdicts, reasons, seeds ---- */

const struct fal_shape tl_verdict_shape = {.kind = FAL_SHAPE_WORD,
                                           .words = fal_verdict_names,
                                           .num_words = FAL_VERDICTS,
                                           .expected = "a verdict"};

static int read_reason(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct tl_reason_code reason;
    const char *word = NULL;
    int rc = tl_text_read(value, out != NULL ? (void *)&word : NULL, wrong);

    if (rc != 0 || out == NULL)
        return rc;
    reason = tl_reason_from(word);
    memcpy(out, &reason, sizeof reason);
    return 0;
}

static int write_reason(const void *in, json_t **out)
{
    struct tl_reason_code reason;

    memcpy(&reason, in, sizeof reason);
    return tl_text_write(reason.word, out);
}

const struct fal_shape tl_reason_shape = {
    .kind = FAL_SHAPE_TEXT, .read = read_reason, .write = write_reason};

static json_t *seed_schema(void)
{
    return json_pack("{s:s, s:s}", "type", "string", "pattern", "^0x[0-9a-f]{16}$");
}

const struct fal_shape tl_case_seed_shape = {.kind = FAL_SHAPE_HEX, .schema = seed_schema};

/* ---- requirements and rules ---- */

const struct fal_requirement *tl_requirement_keep(const char *id, const char *text,
                                                  struct fal_misfit *wrong)
{
    const struct fal_requirement *known = fal_requirement_find(id);
    struct fal_requirement *made;

    if (known != NULL)
        return known;
    made = fal_arena_alloc(wrong->ctx, 1, sizeof *made);
    if (made == NULL)
        return NULL;
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

static int read_rule(const json_t *value, void *out, struct fal_misfit *wrong)
{
    static const char *const none[] = {NULL};
    const char *id = NULL;
    const struct fal_rule *rule;
    struct fal_rule *made;
    int rc = tl_text_read(value, out != NULL ? (void *)&id : NULL, wrong);

    if (rc != 0 || out == NULL)
        return rc;
    rule = fal_rule_find(id);
    if (rule == NULL) {
        made = fal_arena_alloc(wrong->ctx, 1, sizeof *made);
        if (made == NULL)
            return tl_no_memory(wrong);
        *made = (struct fal_rule){.id = id,
                                  .title = "not a rule of this version",
                                  .requirements = none,
                                  .role = "",
                                  .needs = "",
                                  .assumes = "",
                                  .doc = ""};
        rule = made;
    }
    memcpy(out, &rule, sizeof rule);
    return 0;
}

static int write_rule(const void *in, json_t **out)
{
    const struct fal_rule *rule;

    memcpy(&rule, in, sizeof rule);
    return tl_text_write(rule != NULL ? rule->id : NULL, out);
}

const struct fal_shape tl_rule_shape = {
    .kind = FAL_SHAPE_TEXT, .read = read_rule, .write = write_rule};
