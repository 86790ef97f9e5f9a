/* SPDX-License-Identifier: Apache-2.0
 * cc_child.c - starts the process, writes a line of JSON for each event and reads its answer. A
 * library is served in a fork of this process by the same lines (cc_serve.c). */
#include "harness/cc/cc_child.h"

#include "codecs/base/hex.h"
#include "harness/link/child_line.h"
#include "harness/link/spawn.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

enum { HEX_LEN = 2 * FAL_CC_ENTRY_LEN, LINE_MAX_LEN = 4096 };

struct tl_cc_child {
    struct tl_child child;
    json_t *answer; /* the last one */
    uint64_t events;
};

/* ---- a line and its answer ---- */

/* Sends the object, which it takes, and waits for the answer: c->answer. */
static int exchange(struct tl_cc_child *c, json_t *message, struct fal_error *err)
{
    const char *refused;

    if (tl_child_ask_line(&c->child, message, &c->answer) == FAL_ERR_MEM)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (tl_child_stopped(&c->child))
        return fal_fail(err, FAL_ERR_IO, "%s", c->child.why.text);
    refused = json_string_value(json_object_get(c->answer, "error"));
    return refused != NULL ? fal_fail(err, FAL_ERR_IO, "it refuses: %.200s", refused) : 0;
}

static json_t *configuration(enum fal_cc_format format, const struct fal_swift_params *params)
{
    size_t n;
    const struct fal_swift_param *table = fal_swift_param_table(&n);
    json_t *values = json_object();

    for (size_t i = 0; i < n; i++)
        (void)json_object_set_new(values, table[i].name,
                                  json_real(fal_swift_param_get(&table[i], params)));
    return json_pack("{s:s, s:s, s:o}", "do", "configure", "format",
                     fal_name_of(&fal_names_cc_format, format), "params", values);
}

int tl_cc_child_open(struct tl_cc_child **out, const struct tl_cc_child_config *config,
                     struct fal_error *err)
{
    const struct tl_child_config child = {.answer_s = config->answer_s};
    struct tl_cc_child *c = calloc(1, sizeof *c);
    int rc;

    *out = NULL;
    if (c == NULL || tl_child_init(&c->child, LINE_MAX_LEN, &child) != 0) {
        free(c);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    c->child.name = "the engine's process";
    rc = tl_spawn(&c->child, config->library ? tl_cc_serve : NULL, config->what, err);
    if (rc == 0)
        rc = exchange(c, configuration(config->format, config->params), err);
    if (rc != 0)
        tl_cc_child_close(c);
    else
        *out = c;
    return rc;
}

void tl_cc_child_close(struct tl_cc_child *child)
{
    if (child == NULL)
        return;
    tl_child_free(&child->child);
    json_decref(child->answer);
    free(child);
}

int tl_cc_child_ask(struct tl_cc_child *child, bool reset, uint32_t now,
                    const uint8_t event[FAL_CC_ENTRY_LEN], uint8_t result[FAL_CC_ENTRY_LEN],
                    struct fal_error *err)
{
    char hex[HEX_LEN + 1];
    const char *answer;
    int rc;

    fal_hex_write(event, FAL_CC_ENTRY_LEN, hex);
    rc = exchange(child,
                  json_pack("{s:s, s:s, s:I, s:s}", "do", "event", "state",
                            reset ? "reset" : "keep", "now_ticks", (json_int_t)now, "event",
                            hex),
                  err);
    child->events++;
    if (rc != 0)
        return rc;
    answer = json_string_value(json_object_get(child->answer, "result"));
    if (answer == NULL || fal_hex_read(answer, result, FAL_CC_ENTRY_LEN) != FAL_CC_ENTRY_LEN)
        return fal_fail(err, FAL_ERR_IO,
                        "its answer to event %" PRIu64 " has no \"result\" of %d hex digits",
                        child->events, HEX_LEN);
    return 0;
}
