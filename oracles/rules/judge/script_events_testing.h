/* SPDX-License-Identifier: Apache-2.0
 * script_events_testing.h - for tests only: a timeline written as lines.
 *
 *   > push_data psn=0r rsn=0r len=4    a packet in the notation; "+5us" or "@1ms" before it
 *   step > ..., foreign > ...          who made it (a packet to the SUT)
 *   iv 12us                            the next packet has that departure time in its IV
 *   payload 7                          the next packet's payload is of that seed (else 0)
 *   carrier psp_transport 252 0 1 [vc[=N]] of all packets from here on: next header, inner
 *                                      protocol, crypt offset
 *   path 7                             the next packet's source port or flow label
 *   spi 5, bad spi                     the next packet's SPI; why it must be dropped
 *   done 0r [3 [9]]                    a completion of a push: code, code of the upper layer
 *   stamp 12us                         of the next event of an upper layer, by the IVs' clock
 *   within 5us                         of the next such event: it happened so long before
 *   barrier                            command and mark
 *   cm spi                             a cm_error event
 *   truncated                          the next packet was captured short
 *   request 0r push 4 [seed 7] [again] a request event: RSN, operation, length
 *   completion 0r 4 [seed 7]           a completion with data
 *   ulp_ack 0r rnr [20us]              the upper layer answered by itself
 *   respond 0r ack [failed]            command and reply
 *   respond> 0r ack, respond< [failed] the two apart
 *   respond 0r data 4 [seed 7]         the answer to a pull
 *   post 0r push 4 [seed 7] [failed]   a post of the SUT's upper layer and the reply
 *   post> 0r push 4, post< 0r [failed] the two apart
 *   policy {...}, policy> {...}        command and reply, or the command alone, as JSON
 *   set {...}                          command and reply, as JSON
 *   mark barrier [3]                   a mark
 *   dropped                            the adapter lost events
 *   entry event ..., cc_trace on       of congestion control (queues/entry_testing.h)
 *   verbs post_send {...} -> {...}     a command of the verbs and its reply, as JSON; -> failed
 *   asks post_send {...}, answers post_send {...} the two apart
 *   nvme nvme_post {...} -> {...}      the same of NVMe
 *   tells wc {...}                     an event of the verbs or NVMe; "conn 0" before { : of no
 * connection wait 1ms, close */
#ifndef FAL_ORACLES_RULES_JUDGE_SCRIPT_EVENTS_TESTING_H
#define FAL_ORACLES_RULES_JUDGE_SCRIPT_EVENTS_TESTING_H

#include "codecs/text/text.h"
#include "oracles/catalogue.h"
#include "oracles/payload.h"
#include "oracles/rules/judge/judge.h"
#include "oracles/rules/queues/entry_testing.h"
#include "oracles/timeline_names.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known of the bench, and of the connection. */
struct kind {
    struct fal_ev_run run;
    bool unknown;         /* the initial numbers are not given */
    bool foreign;         /* all packets are a third party's */
    uint64_t pipeline_ns; /* P */
    uint64_t tick_ns;
};

#define RUN_VIRTUAL                                                      \
    .lossless_in = true, .lossless_out = true, .no_duplicates_in = true, \
    .no_duplicates_out = true, .in_order_in = true, .in_order_out = true

/* A virtual link; one that loses, duplicates and reorders; one that reorders by 10 us at most;
 * plain UDP to a real SUT; a capture. */
static const struct kind clean = {.run = {RUN_VIRTUAL, .delay_max_ns = 0}};
static const struct kind lossy = {.run = {.delay_max_ns = FAL_NEVER}};
/* The same with a SUT of several engines, which may process packets in another order within
 * 5 us. */
static const struct kind lanes = {.run = {RUN_VIRTUAL, .delay_max_ns = 0},
                                  .pipeline_ns = 5 * FAL_US};
/* A virtual link whose SUT reports its events in order. */
static const struct kind told = {
    .run = {RUN_VIRTUAL, .delay_max_ns = 0, .ordered_events = true}};
static const struct kind jitter = {
    .run = {.lossless_in = true, .lossless_out = true, .delay_max_ns = 10 * FAL_US}};
static const struct kind udp = {.run = {.live = true, .delay_max_ns = FAL_NEVER},
                                .pipeline_ns = 100 * FAL_US};
static const struct kind capture = {
    .run = {.live = true, .vantage = FAL_VANTAGE_MIDDLE, .delay_max_ns = FAL_NEVER},
    .unknown = true,
    .foreign = true,
    .pipeline_ns = 100 * FAL_US};

enum { PACKET_MAX = 4400, FINDINGS_KEPT = 8 };

struct script {
    const struct kind *kind;
    struct fal_connection connection;
    uint64_t now_ns, index;
    int64_t command_id;
    json_t *events; /* as JSON */
    uint64_t iv_ps, payload_seed;
    bool has_iv, truncated;
    uint32_t spi, path;
    enum fal_bad bad;
    struct fal_carrier carrier;
    uint64_t stamp_ns, within_ns;
    bool has_stamp, has_within;
};

/* ---- making events ---- */

static inline void script_add(struct script *s, struct fal_event *event)
{
    json_t *object;

    event->index = s->index++;
    event->t_ns = s->now_ns;
    object = fal_event_to_json(event);
    ck_assert_ptr_nonnull(object);
    ck_assert_int_eq(json_array_append_new(s->events, object), 0);
}

static inline struct fal_connection script_connection(const struct kind *kind)
{
    struct fal_connection c = {.name = "c1",
                               .tester = {0x111111, 0xa1, 1000, 2000, 3000},
                               .sut = {0x222222, 0xb2, 4000, 5000, 6000},
                               .initial_known = !kind->unknown};

    fal_params_default(&c.params, false);
    c.params.pipeline_ns = kind->pipeline_ns;
    c.params.tick_ns = kind->tick_ns;
    return c;
}

static inline void script_start(struct script *s, const struct kind *kind,
                                const struct fal_connection *connection)
{
    struct fal_event run = {.kind = FAL_EV_RUN}, open = {.kind = FAL_EV_CONNECTION, .conn = 1};

    *s = (struct script){.kind = kind, .connection = *connection, .events = json_array()};
    run.u.run = kind->run;
    script_add(s, &run);
    open.u.connection = *connection;
    script_add(s, &open);
}

static inline void script_bytes(struct script *s, enum fal_dir dir, enum fal_origin origin,
                                const uint8_t *bytes, size_t len)
{
    struct fal_event event = {.kind = FAL_EV_PACKET, .conn = 1};

    event.u.packet = (struct fal_ev_packet){.dir = dir,
                                            .origin = origin,
                                            .step = origin == FAL_ORIGIN_STEP ? 3 : -1,
                                            .frame = (uint32_t)s->index + 1,
                                            .has_iv = s->has_iv,
                                            .iv = s->iv_ps,
                                            .truncated = s->truncated,
                                            .spi = s->spi,
                                            .path = s->path,
                                            .carrier = s->carrier,
                                            .bad = s->bad,
                                            .bytes = bytes,
                                            .len = (uint32_t)len};
    fal_event_packet(&event.u.packet);
    script_add(s, &event);
    s->has_iv = s->truncated = false;
    s->spi = s->path = 0;
    s->bad = FAL_BAD_NOT;
    s->payload_seed = 0;
}

static inline struct fal_relative script_relative(const struct script *s, enum fal_dir dir)
{
    const struct fal_end *own = dir == FAL_TO_SUT ? &s->connection.tester : &s->connection.sut;
    const struct fal_end *peer = dir == FAL_TO_SUT ? &s->connection.sut : &s->connection.tester;

    return (struct fal_relative){.req_psn = own->req_psn,
                                 .data_psn = own->data_psn,
                                 .rsn = own->rsn,
                                 .peer_req_psn = peer->req_psn,
                                 .peer_data_psn = peer->data_psn,
                                 .peer_rsn = peer->rsn};
}

static inline void script_packet(struct script *s, const char *line, enum fal_origin origin)
{
    struct fal_pattern pattern;
    struct fal_error err = {""};
    struct fal_falcon f;
    uint8_t payload[PACKET_MAX], bytes[PACKET_MAX + FAL_HEADER_MAX];
    enum fal_dir dir;
    struct fal_relative rel;
    uint64_t ns;
    struct fal_ulp_payload ulp;
    long long payload_len;
    int len;

    ck_assert_msg(fal_text_parse(line, &pattern, &err) == 0, "%s: %s", line, err.text);
    dir = pattern.dir == '>' ? FAL_TO_SUT : FAL_FROM_SUT;
    rel = script_relative(s, dir);
    if (pattern.time != FAL_TIME_NONE) {
        ck_assert_int_eq(fal_duration_ns(&pattern.from, NULL, &ns, &err), 0);
        s->now_ns = pattern.time == FAL_TIME_AT ? ns : s->now_ns + ns;
    }
    if (s->kind->foreign && origin == FAL_ORIGIN_ENDPOINT)
        origin = FAL_ORIGIN_FOREIGN;
    if (pattern.hex_len > 0) {
        script_bytes(s, dir, origin, pattern.hex, pattern.hex_len);
        return;
    }
    fal_layout_init(pattern.layout, &f);
    f.dest_cid = dir == FAL_TO_SUT ? s->connection.sut.cid : s->connection.tester.cid;
    f.dest_function =
        fal_falcon_reliable(f.packet_type)
            ? (dir == FAL_TO_SUT ? s->connection.sut.function : s->connection.tester.function)
            : 0;
    f.recv_data_base_psn = rel.peer_data_psn;
    f.recv_req_base_psn = rel.peer_req_psn;
    ck_assert_msg(fal_pattern_apply(&pattern, &rel, NULL, &f, &err) == 0, "%s: %s", line,
                  err.text);
    ck_assert_msg(fal_pattern_ulp(&pattern, &rel, NULL, &f, &ulp, &err) == 0, "%s: %s", line,
                  err.text);
    payload_len = fal_pattern_payload_len(&pattern, &f);
    if (payload_len < 0)
        payload_len = (long long)fal_ulp_payload_len(&ulp);
    ck_assert_int_le(payload_len, PACKET_MAX);
    fal_payload_fill(f.rsn, s->payload_seed, payload, (size_t)payload_len);
    if (pattern.ulp.protocol != 0)
        (void)fal_ulp_payload_write(&ulp, f.rsn, s->payload_seed, payload, sizeof payload);
    if (pattern.ulp.protocol != 0 && f.packet_type == FAL_PUSH_DATA && f.request_length == 0)
        f.request_length = (uint16_t)payload_len;
    len = fal_falcon_encode(&f, payload, (size_t)payload_len, bytes, sizeof bytes, NULL);
    ck_assert_msg(len > 0, "%s", line);
    script_bytes(s, dir, origin, bytes, (size_t)len);
}

static inline uint64_t script_hash(uint32_t rsn, uint64_t seed, size_t len)
{
    uint8_t payload[PACKET_MAX];

    fal_payload_fill(rsn, seed, payload, len);
    return fal_payload_hash(payload, len);
}

/* The words of a line, in turn. */
static inline bool script_word(char **rest, const char *word)
{
    char *w = *rest;
    size_t len = strlen(word);

    while (*w == ' ')
        w++;
    if (strncmp(w, word, len) != 0 || (w[len] != ' ' && w[len] != 0))
        return false;
    *rest = w + len;
    return true;
}

static inline uint64_t script_number(char **rest)
{
    uint64_t v = strtoull(*rest, rest, 0);

    if (**rest == 'r')
        (*rest)++;
    return v;
}

static inline enum fal_answer script_answer(char **rest)
{
    char word[16] = "";
    int used = 0, answer;

    ck_assert_int_eq(sscanf(*rest, " %15s%n", word, &used), 1);
    *rest += used;
    answer = fal_answer_from(word);
    ck_assert_int_ge(answer, 0);
    return (enum fal_answer)answer;
}

static inline void script_ulp(struct script *s, struct fal_ev_ulp ulp)
{
    struct fal_event event = {.kind = FAL_EV_ULP, .conn = 1};

    ulp.seq = s->index;
    ulp.has_stamp = s->has_stamp;
    ulp.stamp_ns = s->stamp_ns;
    s->has_stamp = false;
    ulp.has_within = s->has_within;
    ulp.within_ns = s->within_ns;
    s->has_within = false;
    event.u.ulp = ulp;
    script_add(s, &event);
}

static inline void script_event(struct script *s, char *rest, enum fal_ulp_kind kind)
{
    struct fal_ev_ulp ulp = {.kind = kind};
    uint64_t seed = 0;
    uint32_t r = (uint32_t)script_number(&rest);
    const struct fal_end *initiator =
        kind == FAL_ULP_COMPLETION ? &s->connection.sut : &s->connection.tester;

    ulp.rsn = initiator->rsn + r;
    if (kind == FAL_ULP_ACK) {
        struct fal_duration d = {0};

        ulp.answer = script_answer(&rest);
        if (ulp.answer != FAL_ANSWER_RNR)
            ulp.code = (uint32_t)script_number(&rest);
        else if (*rest != 0)
            ck_assert_int_eq(fal_text_parse_duration(rest + 1, &d, NULL), 0);
        ulp.rnr_ns = d.ns;
        script_ulp(s, ulp);
        return;
    }
    if (kind == FAL_ULP_REQUEST && !script_word(&rest, "push")) {
        ck_assert(script_word(&rest, "pull"));
        ulp.op = FAL_OP_PULL;
    }
    ulp.length = (uint32_t)script_number(&rest);
    if (script_word(&rest, "seed"))
        seed = script_number(&rest);
    ulp.redelivery = script_word(&rest, "again");
    ulp.has_hash = kind == FAL_ULP_COMPLETION || ulp.op == FAL_OP_PUSH;
    ulp.hash = ulp.has_hash ? script_hash(ulp.rsn, seed, ulp.length) : 0;
    ulp.code = script_word(&rest, "error") ? 3 : 0;
    script_ulp(s, ulp);
}

static inline void script_reply(struct script *s, int64_t id, bool ok)
{
    struct fal_event event = {.kind = FAL_EV_REPLY};

    event.u.reply = (struct fal_ev_reply){.id = id, .ok = ok};
    script_add(s, &event);
}

/* What follows an answer: the delay of an RNR, the ULP code of an error, the length of data and
 * the seed of its payload. */
static inline void script_detail(struct fal_ev_command *command, char *rest)
{
    struct fal_duration d;
    uint64_t seed = 0;

    while (*rest == ' ')
        rest++;
    if (*rest < '0' || *rest > '9')
        return;
    if (command->answer == FAL_ANSWER_RNR) {
        ck_assert_int_eq(fal_text_parse_duration(rest, &d, NULL), 0);
        command->rnr_ns = d.ns;
    } else if (command->answer == FAL_ANSWER_DATA) {
        command->length = (uint32_t)script_number(&rest);
        if (script_word(&rest, "seed"))
            seed = script_number(&rest);
        command->has_hash = true;
        command->hash = script_hash(command->rsn, seed, command->length);
    } else {
        command->code = (uint32_t)script_number(&rest);
    }
}

static inline void script_command(struct script *s, const char *verb, char *rest)
{
    struct fal_event event = {.kind = FAL_EV_COMMAND, .conn = 1};
    struct fal_ev_command *command = &event.u.command;

    command->id = ++s->command_id;
    (void)snprintf(command->verb, sizeof command->verb, "%s", verb);
    if (strcmp(verb, "respond") == 0) {
        command->rsn = s->connection.tester.rsn + (uint32_t)script_number(&rest);
        command->answer = script_answer(&rest);
        script_detail(command, rest);
    } else {
        command->text = rest;
    }
    script_add(s, &event);
}

/* A post of the SUT's upper layer; and the reply with its RSN. */
static inline void script_post(struct script *s, char *rest)
{
    struct fal_event event = {.kind = FAL_EV_COMMAND, .conn = 1};
    struct fal_ev_command *command = &event.u.command;
    uint32_t rsn = s->connection.sut.rsn + (uint32_t)script_number(&rest);
    uint64_t seed = 0;

    command->id = ++s->command_id;
    memcpy(command->verb, "post", 5);
    command->text = "";
    command->op = script_word(&rest, "pull") ? FAL_OP_PULL : FAL_OP_PUSH;
    (void)script_word(&rest, "push");
    command->length = (uint32_t)script_number(&rest);
    if (script_word(&rest, "seed"))
        seed = script_number(&rest);
    command->has_hash = command->op == FAL_OP_PUSH && command->length <= PACKET_MAX;
    command->hash = command->has_hash ? script_hash(rsn, seed, command->length) : 0;
    script_add(s, &event);
}

static inline void script_posted(struct script *s, char *rest)
{
    struct fal_event reply = {.kind = FAL_EV_REPLY};

    reply.u.reply =
        (struct fal_ev_reply){.id = s->command_id,
                              .ok = strstr(rest, "failed") == NULL,
                              .rsn = s->connection.sut.rsn + (uint32_t)script_number(&rest),
                              .has_rsn = true};
    script_add(s, &reply);
}

static inline void script_mark(struct script *s, char *rest)
{
    struct fal_event event = {.kind = FAL_EV_MARK};
    unsigned mark = 0;

    while (mark < FAL_MARK_COUNT && !script_word(&rest, fal_mark_names[mark]))
        mark++;
    ck_assert_uint_lt(mark, FAL_MARK_COUNT);
    event.u.mark.mark = (enum fal_mark)mark;
    event.u.mark.value = *rest != 0 ? script_number(&rest) : 0;
    script_add(s, &event);
}

static inline void script_carrier(struct script *s, const char *rest)
{
    unsigned next, inner, offset;
    char encap[32], vc[32] = "";

    ck_assert_int_ge(sscanf(rest, "%31s %u %u %u %31s", encap, &next, &inner, &offset, vc), 4);
    ck_assert_int_ge(fal_encap_from(encap), 0);
    s->carrier =
        (struct fal_carrier){.known = true,
                             .encap = (enum fal_encap)fal_encap_from(encap),
                             .next_header = (uint8_t)next,
                             .inner_protocol = (uint8_t)inner,
                             .crypt_offset = (uint8_t)offset,
                             .has_vc = strncmp(vc, "vc", 2) == 0,
                             .vc = strncmp(vc, "vc=", 3) == 0 ? strtoull(vc + 3, NULL, 0) : 0};
}

/* A line that says how the next packet looks, or that time passes. */
static inline bool script_setting(struct script *s, char **rest)
{
    struct fal_duration d;

    if (script_word(rest, "iv")) {
        ck_assert_int_eq(fal_text_parse_duration(*rest + 1, &d, NULL), 0);
        s->has_iv = true;
        s->iv_ps = d.ns * 1000;
    } else if (script_word(rest, "stamp")) {
        ck_assert_int_eq(fal_text_parse_duration(*rest + 1, &d, NULL), 0);
        s->has_stamp = true;
        s->stamp_ns = d.ns;
    } else if (script_word(rest, "within")) {
        ck_assert_int_eq(fal_text_parse_duration(*rest + 1, &d, NULL), 0);
        s->has_within = true;
        s->within_ns = d.ns;
    } else if (script_word(rest, "carrier")) {
        script_carrier(s, *rest);
    } else if (script_word(rest, "path")) {
        s->path = (uint32_t)script_number(rest);
    } else if (script_word(rest, "spi")) {
        s->spi = (uint32_t)script_number(rest);
    } else if (script_word(rest, "bad")) {
        while (s->bad < FAL_BAD_COUNT - 1 && !script_word(rest, fal_bad_names[s->bad]))
            s->bad++;
    } else if (script_word(rest, "payload")) {
        s->payload_seed = script_number(rest);
    } else if (script_word(rest, "truncated")) {
        s->truncated = true;
    } else if (script_word(rest, "wait")) {
        ck_assert_int_eq(fal_text_parse_duration(*rest + 1, &d, NULL), 0);
        s->now_ns += d.ns;
    } else {
        return false;
    }
    return true;
}

/* A line that is an event of the SUT. */
static inline bool script_event_line(struct script *s, char **rest)
{
    struct fal_event event = {.conn = 1};

    if (script_word(rest, "done")) {
        struct fal_ev_ulp ulp = {.kind = FAL_ULP_COMPLETION};

        ulp.rsn = s->connection.sut.rsn + (uint32_t)script_number(rest);
        ulp.code = (uint32_t)script_number(rest);
        ulp.ulp_nack_code = (uint32_t)script_number(rest);
        script_ulp(s, ulp);
    } else if (script_word(rest, "cm")) {
        event.kind = FAL_EV_CM;
        (void)snprintf(event.u.cm.what, sizeof event.u.cm.what, "%s", *rest + 1);
        script_add(s, &event);
    } else if (script_word(rest, "request")) {
        script_event(s, *rest, FAL_ULP_REQUEST);
    } else if (script_word(rest, "completion")) {
        script_event(s, *rest, FAL_ULP_COMPLETION);
    } else if (script_word(rest, "ulp_ack")) {
        script_event(s, *rest, FAL_ULP_ACK);
    } else if (script_word(rest, "dropped")) {
        event.kind = FAL_EV_CM;
        memcpy(event.u.cm.what, "dropped", 8);
        script_add(s, &event);
    } else {
        return false;
    }
    return true;
}

/* One event of the verbs: its word, then its members as JSON, or "failed". */
static inline void script_verbs_event(struct script *s, enum fal_verbs_phase phase,
                                      const char *word, const char *body)
{
    struct fal_event event = {.kind = FAL_EV_VERBS, .conn = 1};
    bool failed = strcmp(body, "failed") == 0;
    struct fal_verbs verbs = {.kind = fal_verbs_kind_of(word)};
    struct fal_error err = {""};
    json_t *object;

    ck_assert_msg(verbs.kind < FAL_VERBS_KINDS, "%s", word);
    if (strncmp(body, "conn 0 ", 7) == 0) {
        event.conn = 0;
        body += 7;
    }
    object = failed ? json_object() : json_loads(body, 0, NULL);
    ck_assert_msg(object != NULL, "%s", body);
    if (!failed)
        ck_assert_msg(
            fal_verbs_read(verbs.kind, phase == FAL_VERBS_ANSWERED, object, &verbs, &err) == 0,
            "%s: %s", body, err.text);
    json_decref(object);
    event.u.verbs = (struct fal_ev_verbs){.phase = phase, .ok = !failed, .verbs = &verbs};
    if (phase == FAL_VERBS_ASKED)
        s->command_id++;
    if (phase != FAL_VERBS_TOLD)
        event.u.verbs.id = s->command_id;
    script_add(s, &event);
}

/* The same of a word of NVMe, which names no connection. */
static inline void script_nvme_event(struct script *s, enum fal_verbs_phase phase,
                                     const char *name, const char *body)
{
    struct fal_event event = {.kind = FAL_EV_NVME};
    bool failed = strcmp(body, "failed") == 0;
    struct fal_nvme_word word = {.kind = fal_nvme_word_of(name)};
    struct fal_error err = {""};
    json_t *object;

    ck_assert_msg(word.kind < FAL_NVME_KINDS, "%s", name);
    event.conn = word.kind == FAL_NVME_LBA ? 1 : 0;
    if (strncmp(body, "conn 0 ", 7) == 0) {
        event.conn = 0;
        body += 7;
    }
    object = failed ? json_object() : json_loads(body, 0, NULL);
    ck_assert_msg(object != NULL, "%s", body);
    if (!failed)
        ck_assert_msg(fal_nvme_word_read(word.kind, phase == FAL_VERBS_ANSWERED, object, &word,
                                         &err) == 0,
                      "%s: %s", body, err.text);
    json_decref(object);
    event.u.nvme = (struct fal_ev_nvme){.phase = phase, .ok = !failed, .word = &word};
    if (phase == FAL_VERBS_ASKED)
        s->command_id++;
    if (phase != FAL_VERBS_TOLD)
        event.u.nvme.id = s->command_id;
    script_add(s, &event);
}

/* An event of the verbs or of NVMe. */
static inline void script_word_event(struct script *s, enum fal_verbs_phase phase,
                                     const char *word, const char *body)
{
    if (fal_nvme_word_of(word) < FAL_NVME_KINDS)
        script_nvme_event(s, phase, word, body);
    else
        script_verbs_event(s, phase, word, body);
}

/* A line about the verbs, or NVMe. */
static inline bool script_verbs(struct script *s, char **rest)
{
    bool both = script_word(rest, "verbs") || script_word(rest, "nvme"),
         asks = !both && script_word(rest, "asks"),
         answers = !both && !asks && script_word(rest, "answers");
    char word[FAL_VERBS_NAME_MAX], *reply;
    int n = 0;

    if (!both && !asks && !answers && !script_word(rest, "tells"))
        return false;
    ck_assert_int_eq(sscanf(*rest, " %31s %n", word, &n), 1);
    *rest += n;
    reply = both ? strstr(*rest, " -> ") : NULL;
    if (reply != NULL)
        *reply = 0;
    script_word_event(s,
                      asks || both ? FAL_VERBS_ASKED
                      : answers    ? FAL_VERBS_ANSWERED
                                   : FAL_VERBS_TOLD,
                      word, *rest);
    if (both)
        script_word_event(s, FAL_VERBS_ANSWERED, word, reply != NULL ? reply + 4 : "{}");
    return true;
}

/* A line that is a command, its reply, a mark, or the end of the connection. */
static inline bool script_control_line(struct script *s, char **rest)
{
    struct fal_event event = {.conn = 1};

    if (script_word(rest, "barrier")) {
        char mark[] = "barrier";

        script_command(s, "barrier", *rest);
        script_reply(s, s->command_id, true);
        script_mark(s, mark);
    } else if (script_word(rest, "respond>")) {
        script_command(s, "respond", *rest);
    } else if (script_word(rest, "respond<")) {
        script_reply(s, s->command_id, !script_word(rest, "failed"));
    } else if (script_word(rest, "respond")) {
        script_command(s, "respond", *rest);
        script_reply(s, s->command_id, strstr(*rest, "failed") == NULL);
    } else if (script_word(rest, "post>")) {
        script_post(s, *rest);
    } else if (script_word(rest, "post<")) {
        script_posted(s, *rest);
    } else if (script_word(rest, "post")) {
        script_post(s, *rest);
        script_posted(s, *rest);
    } else if (script_word(rest, "policy>")) {
        script_command(s, "policy", *rest);
    } else if (script_word(rest, "policy")) {
        script_command(s, "policy", *rest);
        script_reply(s, s->command_id, true);
    } else if (script_word(rest, "set")) {
        script_command(s, "set", *rest);
        script_reply(s, s->command_id, true);
    } else if (script_word(rest, "mark")) {
        script_mark(s, *rest);
    } else if (script_word(rest, "close")) {
        event.kind = FAL_EV_CLOSE;
        script_add(s, &event);
    } else {
        return false;
    }
    return true;
}

/* A line about congestion control. */
static inline bool script_entry(struct script *s, const char *line)
{
    struct fal_event event;
    bool replied;

    if (!entry_line(line, &event, &replied))
        return false;
    if (event.kind == FAL_EV_COMMAND)
        event.u.command.id = ++s->command_id;
    script_add(s, &event);
    if (replied)
        script_reply(s, s->command_id, strstr(line, "failed") == NULL);
    return true;
}

static inline void script_line(struct script *s, const char *line)
{
    char copy[1024], *rest = copy;

    if (script_entry(s, line))
        return;
    ck_assert_uint_lt(strlen(line), sizeof copy);
    memcpy(copy, line, strlen(line) + 1);
    if (script_word(&rest, "step")) {
        script_packet(s, rest, FAL_ORIGIN_STEP);
    } else if (script_word(&rest, "foreign")) {
        script_packet(s, rest, FAL_ORIGIN_FOREIGN);
    } else if (!script_setting(s, &rest) && !script_event_line(s, &rest) &&
               !script_verbs(s, &rest) && !script_control_line(s, &rest)) {
        script_packet(s, line, FAL_ORIGIN_ENDPOINT);
    }
}

#endif
