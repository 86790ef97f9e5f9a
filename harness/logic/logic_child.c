/* SPDX-License-Identifier: Apache-2.0
 * logic_child.c - see logic_child.h. */
#include "harness/logic/logic_child.h"

#include "harness/doc/json_member.h"
#include "harness/link/child_line.h"
#include "harness/link/spawn.h"
#include "harness/logic/logic_json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_LEN = 16384 };

struct tl_logic_child {
    struct tl_child child;
    struct fal_logic logic;
    struct fal_error why; /* the first failure */
    bool library, stop;
    struct tl_logic_record record; /* of a library: what is asked, and the answer */
    json_t *answer;                /* of a program: the last one */
};

/* The text may be the program's own. */
static void fail(struct tl_logic_child *c, const char *why)
{
    if (!c->stop) {
        (void)fal_fail(&c->why, FAL_ERR_IO, "%s", why);
        tl_clean_text(c->why.text);
    }
    c->stop = true;
}

/* ---- a library: records ---- */

static bool take_record(void *ctx)
{
    struct tl_logic_child *c = ctx;
    struct tl_child *child = &c->child;

    if (child->in_end - child->in_start < sizeof c->record)
        return false;
    memcpy(&c->record, child->in + child->in_start, sizeof c->record);
    child->in_start += sizeof c->record;
    return true;
}

static void ask_library(struct tl_logic_child *c)
{
    const struct tl_logic_record question = c->record;

    tl_child_exchange(&c->child, &question, sizeof question, take_record, c);
    if (tl_child_stopped(&c->child))
        fail(c, c->child.why.text);
    else if (c->record.why[0] != '\0')
        fail(c, c->record.why);
}

/* ---- a program: lines ---- */

static void ask_program(struct tl_logic_child *c)
{
    struct fal_error err = {{0}};
    const char *refused;

    if (c->child.in_end > c->child.in_start) {
        fail(c, "the program sent a line before it was asked for one");
        return;
    }
    if (tl_child_ask_line(&c->child, tl_logic_message(&c->record), &c->answer) == FAL_ERR_MEM) {
        fail(c, "out of memory");
        return;
    }
    refused = json_string_value(json_object_get(c->answer, "error"));
    if (tl_child_stopped(&c->child))
        fail(c, c->child.why.text);
    else if (refused != NULL)
        fail(c, refused);
    else if (tl_logic_answer(c->answer, &c->record, &err) != 0)
        fail(c, err.text);
}

static void ask(struct tl_logic_child *c, enum tl_logic_do what, struct fal_logic_flow *flow,
                const struct fal_logic_in *in)
{
    const struct fal_logic_config *config = flow->config;

    if (c->stop)
        return;
    c->record = (struct tl_logic_record){.what = what, .config = *config, .flow = *flow};
    if (in != NULL)
        c->record.in = *in;
    if (c->library)
        ask_library(c);
    else
        ask_program(c);
    if (c->stop)
        return;
    /* The kit's own members stay as they were. */
    memcpy(flow->acked, c->record.flow.acked, sizeof flow->acked);
    memcpy(flow->marked_rtx, c->record.flow.marked_rtx, sizeof flow->marked_rtx);
    memcpy(flow->user, c->record.flow.user, sizeof flow->user);
    flow->wnd = c->record.flow.wnd;
    flow->tokens = c->record.flow.tokens;
    flow->timeouts = c->record.flow.timeouts;
    flow->rate_bps = c->record.flow.rate_bps;
    flow->rto_ns = c->record.flow.rto_ns;
    flow->rtx_timer_ns = c->record.flow.rtx_timer_ns;
    flow->tick_ns = c->record.flow.tick_ns;
    flow->tick_bytes = c->record.flow.tick_bytes;
}

static void init(struct fal_logic_flow *flow)
{
    ask(flow->config->context, TL_LOGIC_INIT, flow, NULL);
}

static void incoming(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    ask(flow->config->context, TL_LOGIC_INCOMING, flow, in);
}

static void periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    ask(flow->config->context, TL_LOGIC_PERIODIC, flow, in);
}

int tl_logic_child_open(struct tl_logic_child **out, bool library, const char *what,
                        unsigned answer_s, struct fal_error *err)
{
    const struct tl_child_config config = {.answer_s = answer_s};
    size_t room = library ? sizeof(struct tl_logic_record) : LINE_MAX_LEN;
    struct tl_logic_child *c = calloc(1, sizeof *c);
    int rc;

    *out = NULL;
    if (c == NULL || tl_child_init(&c->child, room, &config) != 0) {
        free(c);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    c->child.name = library ? "the library's process" : "the program";
    c->library = library;
    rc = tl_spawn(&c->child, library ? tl_logic_serve : NULL, what, err);
    if (rc == 0 && library)
        ask_library(c);
    else if (rc == 0)
        ask_program(c);
    if (rc == 0 && c->stop)
        rc = fal_fail(err, FAL_ERR_IO, "%s", c->why.text);
    if (rc != 0) {
        tl_logic_child_close(c);
        return rc;
    }
    c->logic = c->record.logic;
    tl_clean_text(c->logic.name);
    c->logic.abi = FAL_LOGIC_ABI;
    c->logic.flow_bytes = sizeof(struct fal_logic_flow);
    c->logic.init = init;
    c->logic.incoming = incoming;
    c->logic.periodic = periodic;
    *out = c;
    return 0;
}

void tl_logic_child_close(struct tl_logic_child *child)
{
    if (child == NULL)
        return;
    tl_child_free(&child->child);
    json_decref(child->answer);
    free(child);
}

const struct fal_logic *tl_logic_child_logic(const struct tl_logic_child *child)
{
    return &child->logic;
}

const bool *tl_logic_child_stop(const struct tl_logic_child *child)
{
    return &child->stop;
}

const char *tl_logic_child_why(const struct tl_logic_child *child)
{
    return child->why.text;
}
