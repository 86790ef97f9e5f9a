/* SPDX-License-Identifier: Apache-2.0
 * fuzz_rules.c - the judge over any timeline. A timeline is a head and records (records.h,
 * timeline_input.h), or, when it begins with a brace, JSON Lines as in files. Every event is
 * also written as JSON, read back, and given to a second judge: the verdict is a pure function
 * of the timeline, so both judges must give the same results. */
#include "fuzz/targets/targets.h"
#include "fuzz/targets/timeline_nvme.h"
#include "oracles/rules/judge/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 400, TEXT_ROOM = 64 };

struct trial {
    struct fal_judge *judge[2]; /* of the events, and of what was read back of them */
    uint64_t next, t_ns;
    uint64_t findings;
    bool apart;                         /* what cannot be written was judged once only */
    struct timeline_numbers numbers[2]; /* by connection */
};

static void finding(void *ctx, const struct fal_finding *found)
{
    struct trial *trial = ctx;

    trial->findings++;
    if (found->rule == NULL || found->expected[0] == '\0' ||
        memchr(found->seen, '\0', sizeof found->seen) == NULL)
        fuzz_broken("rules: a finding without words");
    if (found->num_evidence > FAL_EVIDENCE_MAX)
        fuzz_broken("rules: too much evidence");
    for (size_t i = 0; i < found->num_evidence; i++)
        if (found->evidence[i] >= trial->next)
            fuzz_broken("rules: %s has evidence of what has not happened", found->rule->id);
}

static void judge_again(struct trial *trial, const struct fal_event *event)
{
    struct fal_event_storage storage = {0};
    struct fal_error err = {{0}};
    struct fal_event again;
    json_t *json = fal_event_to_json(event), *read;
    char *text;

    if (json == NULL) {
        trial->apart = true;
        return;
    }
    text = json_dumps(json, JSON_COMPACT);
    read = text != NULL ? json_loads(text, 0, NULL) : NULL;
    if (read == NULL)
        fuzz_broken("rules: an event that is no JSON");
    if (fal_event_from_json(read, &again, &storage, &err) != 0)
        fuzz_broken("rules: an event that does not read back: %s: %.200s", err.text, text);
    fal_judge_event(trial->judge[1], &again);
    fal_event_storage_free(&storage);
    json_decref(read);
    json_decref(json);
    free(text);
}

static void put(struct trial *trial, struct fal_event *event)
{
    event->index = trial->next++;
    event->t_ns = trial->t_ns;
    if (event->kind == FAL_EV_PACKET)
        fal_event_packet(&event->u.packet);
    fal_judge_event(trial->judge[0], event);
    judge_again(trial, event);
}

/* ---- records ---- */

static struct fal_event packet_event(const struct fuzz_record *record)
{
    bool to_sut = (record->kind & TIMELINE_FROM_SUT) == 0;
    bool step = (record->kind & TIMELINE_STEP) != 0;

    return (struct fal_event){
        .kind = FAL_EV_PACKET,
        .u.packet = {.dir = to_sut ? FAL_TO_SUT : FAL_FROM_SUT,
                     .origin = step && to_sut ? FAL_ORIGIN_STEP : FAL_ORIGIN_ENDPOINT,
                     .step = step ? 1 : -1,
                     .truncated = (record->kind & TIMELINE_TRUNCATED) != 0,
                     .bytes = record->bytes,
                     .len = (uint32_t)record->len}};
}

static struct fal_event ulp_event(const struct fuzz_record *record)
{
    struct fuzz_reader reader = {record->bytes, record->len};
    struct fal_event event = {.kind = FAL_EV_ULP};
    struct fal_ev_ulp *ulp = &event.u.ulp;
    uint8_t what = fuzz_u8(&reader);

    ulp->kind = (enum fal_ulp_kind)(what % 3);
    ulp->op = (what & 8) != 0 ? FAL_OP_PULL : FAL_OP_PUSH;
    ulp->redelivery = (what & 16) != 0;
    ulp->has_hash = (what & 32) != 0;
    ulp->answer = (enum fal_answer)(fuzz_u8(&reader) % (FAL_ANSWER_WITHHOLD + 1));
    ulp->seq = fuzz_u8(&reader);
    ulp->rsn = fuzz_u32(&reader);
    ulp->length = fuzz_u16(&reader);
    ulp->tag = fuzz_u8(&reader);
    ulp->code = fuzz_u8(&reader);
    ulp->hash = ulp->has_hash ? fuzz_u64(&reader) : 0;
    ulp->text = "";
    return event;
}

static struct fal_event command_event(const struct fuzz_record *record)
{
    static const char *const verbs[] = {"post", "respond", "policy", "barrier", "close", "set"};
    struct fuzz_reader reader = {record->bytes, record->len};
    struct fal_event event = {.kind = FAL_EV_COMMAND};
    struct fal_ev_command *command = &event.u.command;
    uint8_t verb = fuzz_u8(&reader) % 6;

    memcpy(command->verb, verbs[verb], strlen(verbs[verb]));
    command->id = fuzz_u8(&reader);
    command->rsn = fuzz_u32(&reader);
    command->answer = (enum fal_answer)(fuzz_u8(&reader) % (FAL_ANSWER_WITHHOLD + 1));
    command->op = (fuzz_u8(&reader) & 1) != 0 ? FAL_OP_PULL : FAL_OP_PUSH;
    command->length = fuzz_u16(&reader);
    command->tag = fuzz_u8(&reader);
    command->rnr_ns = (uint64_t)fuzz_u16(&reader) << 8;
    command->text = "{}";
    return event;
}

static struct fal_event reply_event(const struct fuzz_record *record)
{
    struct fuzz_reader reader = {record->bytes, record->len};
    struct fal_event event = {.kind = FAL_EV_REPLY};
    uint8_t flags = fuzz_u8(&reader);

    event.u.reply = (struct fal_ev_reply){.ok = (flags & 1) != 0,
                                          .has_rsn = (flags & 2) != 0,
                                          .id = fuzz_u8(&reader),
                                          .text = "{}"};
    event.u.reply.rsn = event.u.reply.has_rsn ? fuzz_u32(&reader) : 0;
    return event;
}

/* Names of handles, few enough that words speak of the same objects. */
static void put_handle(struct fuzz_reader *reader, char out[FAL_VERBS_NAME_MAX])
{
    (void)snprintf(out, FAL_VERBS_NAME_MAX, "h%u", (unsigned)fuzz_u8(reader) % 4);
}

static void put_handles(struct fuzz_reader *reader, struct fal_verbs *verbs)
{
    char *const handles[] = {verbs->pd, verbs->cq,      verbs->srq,     verbs->mr,
                             verbs->qp, verbs->send_cq, verbs->recv_cq, verbs->ah};

    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        put_handle(reader, handles[i]);
    if (verbs->kind == FAL_VERBS_POST_RECV)
        *(fuzz_u8(reader) % 2 != 0 ? verbs->srq : verbs->qp) = '\0';
    (void)snprintf(verbs->conn, sizeof verbs->conn, "c%u", (unsigned)fuzz_u8(reader) % 3);
}

/* Any word; members that it does not have are not written. */
static void put_word(struct fuzz_reader *reader, struct fal_verbs *verbs)
{
    uint8_t has = fuzz_u8(reader);

    put_handles(reader, verbs);
    verbs->op = (enum fal_verbs_op)(fuzz_u8(reader) % FAL_VERBS_OPS);
    verbs->type = (enum fal_verbs_type)(fuzz_u8(reader) % FAL_VERBS_TYPES);
    verbs->ordering = (enum fal_verbs_ordering)(fuzz_u8(reader) % FAL_VERBS_ORDERINGS);
    verbs->errors = (enum fal_verbs_errors)(fuzz_u8(reader) % FAL_VERBS_ERROR_MODES);
    verbs->state = (enum fal_verbs_state)(fuzz_u8(reader) % FAL_VERBS_STATES);
    verbs->opcode = (enum fal_verbs_done)(fuzz_u8(reader) % FAL_VERBS_DONES);
    verbs->path_mtu = 256u << fuzz_u8(reader) % 5;
    verbs->access = fuzz_u8(reader) & 31;
    verbs->flags = fuzz_u8(reader) & 7;
    verbs->status = fuzz_u8(reader) % 24;
    verbs->depth = 1 + (uint32_t)(fuzz_u8(reader) % 8);
    verbs->length = 1 + (uint64_t)fuzz_u16(reader);
    verbs->offset = fuzz_u16(reader);
    verbs->wr_id = fuzz_u8(reader) % 8;
    verbs->qpn = verbs->dest_qpn = verbs->src_qp = fuzz_u8(reader) % 8;
    verbs->lkey = verbs->rkey = verbs->remote.rkey = verbs->inv = fuzz_u8(reader) % 8;
    verbs->va = verbs->remote.va = fuzz_u16(reader);
    verbs->imm = fuzz_u8(reader);
    verbs->byte_len = fuzz_u16(reader);
    verbs->hash = fuzz_u64(reader);
    verbs->rsn_first = fuzz_u8(reader);
    verbs->rsn_count = fuzz_u8(reader) % 8;
    verbs->has_va = verbs->has_remote = (has & 1) != 0;
    verbs->has_imm = verbs->has_inv = (has & 2) != 0;
    verbs->has_qkey = (has & 4) != 0;
    verbs->has_rsn = (has & 8) != 0;
    verbs->has_src_qp = (has & 16) != 0;
    verbs->num_sge = fuzz_u8(reader) % 4;
    for (size_t i = 0; i < verbs->num_sge; i++) {
        put_handle(reader, verbs->sgl[i].mr);
        verbs->sgl[i].offset = fuzz_u8(reader);
        verbs->sgl[i].length = fuzz_u16(reader);
    }
    (void)snprintf(verbs->what, sizeof verbs->what, "qp_fatal");
}

/* False: the members do not go together, as the table of words says. */
static bool verbs_event(const struct fuzz_record *record, struct fal_verbs *verbs,
                        struct fal_event *event)
{
    struct fuzz_reader reader = {record->bytes, record->len};
    struct fal_verbs made = {.kind = FAL_VERBS_PD_CREATE};
    uint8_t flags = fuzz_u8(&reader);
    bool told = flags % 3 == FAL_VERBS_TOLD, answer = flags % 3 == FAL_VERBS_ANSWERED;
    bool ok = (flags & 64) != 0, read;
    json_t *json;

    made.kind = (enum fal_verbs_kind)(told ? FAL_VERBS_COMMANDS + fuzz_u8(&reader) % 3
                                           : fuzz_u8(&reader) % FAL_VERBS_COMMANDS);
    event->u.verbs = (struct fal_ev_verbs){.phase = (enum fal_verbs_phase)(flags % 3),
                                           .ok = answer && ok,
                                           .id = told ? 0 : fuzz_u8(&reader) % 16,
                                           .seq = told ? fuzz_u8(&reader) : 0,
                                           .verbs = verbs};
    *verbs = (struct fal_verbs){.kind = made.kind};
    if (answer && !ok)
        return true;
    put_word(&reader, &made);
    json = fal_verbs_write(&made, answer);
    read = json != NULL && fal_verbs_read(made.kind, answer, json, verbs, NULL) == 0;
    json_decref(json);
    return read;
}

static struct fal_event small_event(enum fal_event_kind kind, const struct fuzz_record *record,
                                    char text[TEXT_ROOM])
{
    static const char *const whats[] = {"fatal", "spi", "integrity", "replay", "dropped"};
    struct fuzz_reader reader = {record->bytes, record->len};
    struct fal_event event = {.kind = kind};
    uint8_t what = fuzz_u8(&reader);

    if (kind == FAL_EV_MARK) {
        event.u.mark.mark = (enum fal_mark)(what % (FAL_MARK_BARRIER + 1));
        event.u.mark.value = fuzz_u32(&reader);
    } else if (kind == FAL_EV_CM) {
        memcpy(event.u.cm.what, whats[what % 5], strlen(whats[what % 5]));
        event.u.cm.seq = fuzz_u8(&reader);
        event.u.cm.count = fuzz_u8(&reader);
        event.u.cm.text = "";
    } else if (kind == FAL_EV_CC) {
        event.u.cc.queue = (enum fal_cc_queue)(what % 2);
        event.u.cc.now_ticks = fuzz_u32(&reader) & FAL_CC_TIME_MAX;
        for (size_t i = 0; i < sizeof event.u.cc.entry; i++)
            event.u.cc.entry[i] = fuzz_u8(&reader);
    } else if (kind == FAL_EV_STEP || kind == FAL_EV_NOTE || kind == FAL_EV_INTERNAL) {
        size_t n = 0;

        for (; n < TEXT_ROOM - 1 && reader.left > 0; n++)
            text[n] = (char)(' ' + fuzz_u8(&reader) % 95);
        text[n] = '\0';
        event.u.text = (struct fal_ev_text){.step = what % 8 - 1, .text = text};
    } else if (kind == FAL_EV_BENCH) {
        event.u.bench = (struct fal_ev_bench){.what = (enum fal_bench_act)(what % 3),
                                              .dir = (enum fal_dir)(what / 3 % 2)};
    } else if (kind == FAL_EV_TIMING) {
        event.u.timing = (struct fal_ev_timing){.step = what % 8 - 1,
                                                .due_ns = fuzz_u32(&reader),
                                                .at_ns = fuzz_u32(&reader),
                                                .late_ns = fuzz_u32(&reader),
                                                .queue_ns = fuzz_u32(&reader),
                                                .drops = fuzz_u8(&reader)};
    }
    return event;
}

/* Words and packets that events point to. */
struct words {
    struct fal_verbs verbs;
    struct fal_nvme_word nvme;
    uint8_t bytes[TIMELINE_PACKET_MAX];
};

static void begin(struct trial *trial, const uint8_t *bytes)
{
    struct fuzz_reader head = {bytes, FUZZ_HEAD_LEN};
    uint8_t flags = fuzz_u8(&head);
    bool lossless = (flags & TIMELINE_LOSSLESS) != 0;
    struct fal_event run = {.kind = FAL_EV_RUN};

    run.u.run = (struct fal_ev_run){
        .title = "f",
        .seed = fuzz_u8(&head),
        .vantage = (flags & TIMELINE_MIDDLE) != 0 ? FAL_VANTAGE_MIDDLE : FAL_VANTAGE_TESTER,
        .lossless_in = lossless,
        .lossless_out = lossless,
        .no_duplicates_in = lossless,
        .no_duplicates_out = lossless,
        .in_order_in = lossless,
        .in_order_out = lossless,
        .delay_max_ns = fuzz_delay(fuzz_u8(&head)),
        .may_miss = (flags & TIMELINE_MAY_MISS) != 0,
        .ordered_events = (flags & TIMELINE_ORDERED_EVENTS) != 0,
    };
    put(trial, &run);
    for (uint32_t i = 0; i < 2; i++) {
        struct fal_event event = {.kind = FAL_EV_CONNECTION, .conn = i + 1};
        struct fal_connection *c = &event.u.connection;

        (void)memcpy(c->name, i == 0 ? "c1" : "c2", 3);
        fal_params_default(&c->params, false);
        c->params.ordered = (flags & TIMELINE_ORDERED) != 0;
        c->rue = (struct fal_rue_facts){.known = true,
                                        .has_latency = true,
                                        .moves_limits = (flags & TIMELINE_ORDERED_EVENTS) == 0,
                                        .gap_tick_ps = 131072};
        if ((flags & TIMELINE_NVME) != 0) {
            c->params.protocol_type = FAL_PROTOCOL_NVME;
            c->params.mtu = TIMELINE_NVME_MTU;
            c->engine = true;
        }
        c->initial_known = (flags & TIMELINE_INITIAL_UNKNOWN) == 0;
        c->tester = (struct fal_end){TIMELINE_CID + 10 * i, TIMELINE_FUNCTION, TIMELINE_PSN,
                                     TIMELINE_PSN, TIMELINE_RSN};
        c->sut = (struct fal_end){TIMELINE_CID + 10 * i + 1, TIMELINE_FUNCTION + 1,
                                  TIMELINE_PSN, TIMELINE_PSN, TIMELINE_RSN};
        put(trial, &event);
        trial->numbers[i] = (struct timeline_numbers){
            .psn = {{TIMELINE_PSN, TIMELINE_PSN}, {TIMELINE_PSN, TIMELINE_PSN}},
            .rsn = {TIMELINE_RSN, TIMELINE_RSN}};
    }
}

/* Reads the words of a record of FAL_EV_VERBS into *event. Returns false if it has none. */
static bool word_event(struct trial *trial, const struct fuzz_record *record,
                       struct words *room, struct fal_event *event)
{
    struct fuzz_record packet = {.kind = record->kind & (uint8_t)~TIMELINE_STEP,
                                 .bytes = room->bytes};

    *event = (struct fal_event){.kind = FAL_EV_VERBS};
    if ((record->kind & TIMELINE_NVME_WORD) != 0)
        return timeline_nvme_word(record, &room->nvme, event);
    if ((record->kind & TIMELINE_NVME_PACKET) == 0)
        return verbs_event(record, &room->verbs, event);
    packet.len = timeline_nvme_packet(
        record, &trial->numbers[(record->kind & TIMELINE_CONN_2) != 0], room->bytes);
    *event = packet_event(&packet);
    return packet.len > 0;
}

static void play_records(struct trial *trial, const uint8_t *data, size_t size)
{
    struct fuzz_reader reader = {data + FUZZ_HEAD_LEN, size - FUZZ_HEAD_LEN};
    struct fuzz_record record;

    begin(trial, data);
    for (unsigned i = 0; i < FUZZ_RECORDS_MAX && fuzz_record_next(&reader, &record); i++) {
        enum fal_event_kind kind = (enum fal_event_kind)(record.kind & TIMELINE_KIND);
        char text[TEXT_ROOM];
        struct fal_event event;
        bool anonymous;
        struct words room;

        switch (kind) {
        case FAL_EV_PACKET: event = packet_event(&record); break;
        case FAL_EV_ULP: event = ulp_event(&record); break;
        case FAL_EV_COMMAND: event = command_event(&record); break;
        case FAL_EV_REPLY: event = reply_event(&record); break;
        case FAL_EV_CM:
        case FAL_EV_MARK:
        case FAL_EV_STEP:
        case FAL_EV_NOTE:
        case FAL_EV_TIMING:
        case FAL_EV_INTERNAL:
        case FAL_EV_BENCH:
        case FAL_EV_CC:
        case FAL_EV_CLOSE: event = small_event(kind, &record, text); break;
        case FAL_EV_VERBS:
            if (!word_event(trial, &record, &room, &event))
                continue;
            break;
        case FAL_EV_RUN:
        case FAL_EV_CONNECTION:
        case FAL_EV_NVME:
        case FAL_EV_END: continue; /* where they are, and nowhere else */
        default: continue;
        }
        trial->t_ns += fuzz_delay(record.when);
        /* Some words name their connection, as in a run; others do not. */
        anonymous =
            event.kind == FAL_EV_MARK ||
            ((event.kind == FAL_EV_VERBS || event.kind == FAL_EV_NVME) && record.when % 2 != 0);
        event.conn = anonymous ? 0 : (record.kind & TIMELINE_CONN_2) != 0 ? 2 : 1;
        put(trial, &event);
    }
}

/* ---- JSON Lines ---- */

static void play_lines(struct trial *trial, const char *data, size_t size)
{
    for (unsigned n = 0; n < LINES_MAX && size > 0; n++) {
        const char *end = memchr(data, '\n', size);
        size_t len = end != NULL ? (size_t)(end - data) : size;
        json_t *json = json_loadb(data, len, 0, NULL);
        struct fal_event_storage storage = {0};
        struct fal_error err = {{0}};
        struct fal_event event;

        if (json != NULL && fal_event_from_json(json, &event, &storage, &err) == 0) {
            event.index = trial->next++;
            fal_judge_event(trial->judge[0], &event);
            judge_again(trial, &event);
        } else if (json != NULL && err.text[0] == '\0') {
            fuzz_broken("rules: an event is refused, and nobody says why");
        }
        fal_event_storage_free(&storage);
        json_decref(json);
        len += end != NULL;
        data += len;
        size -= len;
    }
}

/* ---- what must hold ---- */

static void same_result(const struct fal_rule_result *a, const struct fal_rule_result *b)
{
    if (a->rule != b->rule || a->subject != b->subject || a->conn != b->conn)
        fuzz_broken("rules: other results, read back");
    if (a->holds != b->holds || a->broken != b->broken || a->undecided != b->undecided ||
        a->verdict != b->verdict || memcmp(a->excused, b->excused, sizeof a->excused) != 0)
        fuzz_broken("rules: %s of connection %u comes to something else, read back",
                    a->rule->id, a->conn);
}

static void compare(const struct trial *trial)
{
    for (size_t i = 0;; i++) {
        const struct fal_rule_result *first = fal_judge_result(trial->judge[0], i), *second;
        struct fal_rule_result copy;

        if (first != NULL)
            copy = *first; /* valid until the next call */
        second = fal_judge_result(trial->judge[1], i);
        if ((first == NULL) != (second == NULL))
            fuzz_broken("rules: more results, or fewer, read back");
        if (first == NULL)
            break;
        if (copy.subject == FAL_SUBJECT_SUT && copy.broken > 0 &&
            copy.verdict < FAL_VERDICT_WARN)
            fuzz_broken("rules: %s is broken, and passes", copy.rule->id);
        same_result(&copy, second);
    }
    if (fal_judge_verdict(trial->judge[0]) != fal_judge_verdict(trial->judge[1]))
        fuzz_broken("rules: another verdict, read back");
}

void fuzz_rules(const uint8_t *data, size_t size)
{
    struct trial trial = {.t_ns = 1000};
    const struct fal_judge_config config = {.finding = finding, .ctx = &trial};

    if (size < FUZZ_HEAD_LEN)
        return;
    trial.judge[0] = fal_judge_new(&config);
    trial.judge[1] = fal_judge_new(&(struct fal_judge_config){0});
    if (trial.judge[0] != NULL && trial.judge[1] != NULL) {
        if (data[0] == '{')
            play_lines(&trial, (const char *)data, size);
        else
            play_records(&trial, data, size);
        fal_judge_finish(trial.judge[0]);
        fal_judge_finish(trial.judge[1]);
        if (!trial.apart)
            compare(&trial);
    }
    fal_judge_free(trial.judge[0]);
    fal_judge_free(trial.judge[1]);
}
