/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/field/retell.h"

#include "codecs/text/text.h"
#include "oracles/catalogue.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = FAL_TEXT_MAX + 64, ECN_CE = 3 };

struct telling {
    const struct fld_story *story;
    enum fld_style style;
    uint64_t end_ns; /* nothing later is told */
    json_t *steps;
    uint64_t now_ns;
    bool any; /* a step was told, at now_ns */
    bool any_request[2], any_post;
    uint32_t newest[2]; /* PSN of the peer's requests, by window */
    uint32_t newest_post;
};

/* ---- steps ---- */

static bool pause(struct telling *t, uint64_t until_ns)
{
    uint64_t from_ns = t->any ? t->now_ns : until_ns;
    char time[48];

    t->any = true;
    t->now_ns = until_ns > from_ns ? until_ns : from_ns;
    if (t->now_ns == from_ns)
        return true;
    (void)fal_text_duration(t->now_ns - from_ns, time, sizeof time);
    return json_array_append_new(t->steps, json_pack("{s:s}", "wait", time)) == 0;
}

static bool add(struct telling *t, uint64_t t_ns, json_t *step)
{
    if (step != NULL && pause(t, t_ns))
        return json_array_append_new(t->steps, step) == 0;
    json_decref(step);
    return false;
}

/* Removes a word "name=..." from a line. */
static void leave_out(char *line, const char *name)
{
    size_t len = strlen(name);

    for (char *word = strchr(line, ' '); word != NULL; word = strchr(word + 1, ' ')) {
        size_t end = 1 + strcspn(word + 1, " ");

        if (strncmp(word + 1, name, len) == 0 && word[1 + len] == '=') {
            memmove(word, word + end, strlen(word + end) + 1);
            return;
        }
    }
}

/* The packet in the notation, without what the tester's endpoint knows by itself. */
static void line_of(const struct telling *t, const struct fld_frame *f, char *out, size_t cap)
{
    const struct fal_connection *setup = &t->story->finding.setup;
    const struct fal_text_style style = {.relative = true,
                                         .req_psn = setup->tester.req_psn,
                                         .data_psn = setup->tester.data_psn,
                                         .rsn = setup->tester.rsn,
                                         .peer_req_psn = setup->sut.req_psn,
                                         .peer_data_psn = setup->sut.data_psn,
                                         .peer_rsn = setup->sut.rsn};
    struct fal_falcon p = f->falcon;
    bool data = p.packet_type == FAL_PULL_DATA ||
                (p.packet_type == FAL_PUSH_DATA && f->payload_len != p.request_length);
    int len;

    p.t1 = p.t2 = 0; /* the tester's clock is another one */
    p.rue_info = p.ecn_rx_count = p.hop_count = p.rx_buffer_occupancy = 0;
    len = snprintf(out, cap, "> ");
    len += fal_text_packet(&p, &style, out + len, cap - (size_t)len);
    if (data && (size_t)len < cap)
        (void)snprintf(out + len, cap - (size_t)len, " payload_len=%zu", f->payload_len);
    leave_out(out, "cid");
    leave_out(out, "protocol_type");
    leave_out(out, "proto");
    if (p.dest_function == setup->sut.function || !t->story->finding.initial_known)
        leave_out(out, "fn");
    if (t->style == FLD_LOOSE) {
        leave_out(out, "dbase");
        leave_out(out, "rbase");
    }
}

/* Whether the packet is a request that the peer had not sent before. */
static bool is_new_request(struct telling *t, const struct fal_falcon *p)
{
    unsigned w = p->packet_type == FAL_PUSH_DATA ? 1 : 0;

    if (p->packet_type != FAL_PUSH_DATA && p->packet_type != FAL_PULL_REQUEST)
        return false;
    if (t->any_request[w] && p->psn == t->newest[w])
        return false;
    t->any_request[w] = true;
    t->newest[w] = p->psn;
    return true;
}

static bool send(struct telling *t, const struct fld_frame *f)
{
    char line[LINE];

    if (t->style == FLD_LOOSE && !is_new_request(t, &f->falcon))
        return true;
    line_of(t, f, line, sizeof line);
    return add(t, f->t_ns,
               f->ecn == ECN_CE ? json_pack("{s:s, s:{s:i}}", "send", line, "ip", "ecn", ECN_CE)
                                : json_string(line));
}

/* A request of the SUT shows that its upper layer posted one. */
static bool post(struct telling *t, const struct fld_frame *f)
{
    const struct fal_falcon *p = &f->falcon;
    bool pull = p->packet_type == FAL_PULL_REQUEST;

    if (t->story->has_acts || (p->packet_type != FAL_PUSH_DATA && !pull) ||
        (t->any_post && (int32_t)(p->rsn - t->newest_post) <= 0))
        return true;
    t->any_post = true;
    t->newest_post = p->rsn;
    return add(t, f->t_ns,
               json_pack("{s:{s:s, s:s, s:i}}", "ulp", "do", "post", "op",
                         pull ? "pull" : "push", "length", (int)p->request_length));
}

static bool tell_acts(struct telling *t, size_t *next, size_t before)
{
    const struct fld_story *story = t->story;

    for (; *next < story->num_acts && story->acts[*next].before <= before; ++*next)
        if (story->acts[*next].t_ns <= t->end_ns &&
            !add(t, story->acts[*next].t_ns, json_deep_copy(story->acts[*next].step)))
            return false;
    return true;
}

static bool tell(struct telling *t)
{
    const struct fld_story *story = t->story;
    uint64_t last_ns = t->end_ns;
    size_t act = 0, i = 0;

    for (; i < story->num_frames && story->frames[i].t_ns <= t->end_ns; i++)
        if (!tell_acts(t, &act, i) || !(story->frames[i].to_sut ? send(t, &story->frames[i])
                                                                : post(t, &story->frames[i])))
            return false;
    if (!tell_acts(t, &act, story->num_frames))
        return false;
    if (story->num_frames > 0 && last_ns == UINT64_MAX)
        last_ns = story->frames[story->num_frames - 1].t_ns;
    return pause(t, last_ns);
}

/* ---- the connection ---- */

static json_t *params_of(const struct fal_connection *setup)
{
    json_t *out = json_object();
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    char time[48];

    for (size_t i = 0; out != NULL && i < n; i++) {
        uint64_t value = fal_param_get(&table[i], &setup->params);
        json_t *word = NULL;

        if ((setup->unknown_params & FAL_PARAM_BIT(i)) != 0 ||
            value == table[i].virtual_default)
            continue;
        switch (table[i].kind) {
        case FAL_PARAM_SWITCH: word = json_boolean(value != 0); break;
        case FAL_PARAM_NUMBER: word = json_integer((json_int_t)value); break;
        case FAL_PARAM_DURATION:
            (void)fal_text_duration(value, time, sizeof time);
            word = json_string(time);
            break;
        }
        (void)json_object_set_new(out, table[i].name, word);
    }
    return out;
}

static json_t *end_of(const struct fal_end *end)
{
    return json_pack("{s:I, s:I, s:I}", "req_psn", (json_int_t)end->req_psn, "data_psn",
                     (json_int_t)end->data_psn, "rsn", (json_int_t)end->rsn);
}

static json_t *connection_of(const struct fld_story *story)
{
    const struct fal_connection *setup = &story->finding.setup;
    json_t *out = json_pack("{s:o, s:o, s:o}", "params", params_of(setup), "tester",
                            end_of(&setup->tester), "sut", end_of(&setup->sut));

    if (out != NULL && story->has_encap && story->encap != FAL_ENCAP_UDP &&
        story->encap != FAL_ENCAP_BARE)
        (void)json_object_set_new(out, "encap", json_string(fal_encap_name(story->encap)));
    return out;
}

/* ---- the document ---- */

/* A policy that stands at the beginning is that of the file. */
static void move_policy(json_t *doc, json_t *steps)
{
    json_t *act = json_object_get(json_array_get(steps, 0), "ulp");
    const char *verb = json_string_value(json_object_get(act, "do"));

    if (verb == NULL || strcmp(verb, "policy") != 0)
        return;
    (void)json_object_set(doc, "policy", json_object_get(act, "rules"));
    (void)json_array_remove(steps, 0);
}

bool fld_entitle(json_t *doc, const struct fld_finding *finding)
{
    const struct fal_requirement *requirement = fal_requirement_find(finding->requirement);
    char id[FLD_ID_MAX + 16], title[96];

    (void)snprintf(id, sizeof id, "capture-%s", finding->requirement);
    for (char *c = id; *c != 0; c++)
        *c = (char)tolower((unsigned char)*c);
    (void)snprintf(title, sizeof title, "A capture shows that %s is violated",
                   finding->requirement);
    return json_object_set_new(doc, "id", json_string(id)) == 0 &&
           json_object_set_new(doc, "title", json_string(title)) == 0 &&
           json_object_set_new(doc, "purpose",
                               json_string(requirement != NULL ? requirement->text
                                                               : finding->requirement)) == 0;
}

json_t *fld_retell(const struct fld_story *story, enum fld_style style, bool whole)
{
    struct telling t = {.story = story,
                        .style = style,
                        .end_ns = whole ? UINT64_MAX : story->finding.t_ns,
                        .steps = json_array()};
    json_t *doc =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:[s], s:i, s:[s], s:o}", "schema",
                  "talon/scenario/1", "id", "capture", "title", "", "purpose", "", "class",
                  "inopportune", "covers", story->finding.requirement, "version", 1, "tags",
                  "capture", "connection", connection_of(story));

    if (doc == NULL || t.steps == NULL || !fld_entitle(doc, &story->finding) || !tell(&t))
        goto fail;
    if (style == FLD_EXACT &&
        json_object_set_new(
            doc, "auto",
            json_pack("{s:b, s:b, s:b}", "acks", 0, "retransmission", 0, "ulp", 0)) != 0)
        goto fail;
    move_policy(doc, t.steps);
    if (json_object_set_new(doc, "steps", t.steps) != 0)
        goto fail_doc;
    return doc;
fail:
    json_decref(t.steps);
fail_doc:
    json_decref(doc);
    return NULL;
}
