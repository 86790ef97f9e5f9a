/* SPDX-License-Identifier: Apache-2.0
 * protocol_answers.c - what the SUT says: the members of replies and events. */
#include "harness/wire/protocol_impl.h"
#include "harness/wire/words.h"

#include "harness/doc/json_member.h"

#include <string.h>

static int finish(int rc, const struct fal_misfit *wrong, struct fal_error *err)
{
    return rc == 0 ? 0 : fal_misfit_error(wrong, rc, "", err);
}

/* ---- replies ---- */

#define R(field)  FAL_AT(struct tl_protocol_reply, field)
#define RH(field) FAL_HAS(struct tl_protocol_reply, field)
static const struct fal_shape handle = {.kind = FAL_SHAPE_NAME};
static const char *const error_words[] = {"unsupported", "busy", "failed"};
static const struct fal_shape error = {.kind = FAL_SHAPE_WORD, FAL_WORDS(error_words)};
static const struct fal_shape new_epoch = {.kind = FAL_SHAPE_UINT, .min = 2};

/* The tester reads these of every reply... */
static const struct fal_member head_members[] = {
    {"id", &fal_shape_uint, FAL_MUST, R(id)},
    {"epoch", &tl_proto_epoch, FAL_MUST, R(epoch)},
    {"ok", &fal_shape_flag, 0, R(ok)},
    {"error", &error, 0, R(error), RH(has_error)},
    {"why", &fal_shape_text, 0, R(why)},
    {"conn", &handle, 0, R(conn)},
    {"rsn", &fal_shape_uint, 0, R(rsn), RH(has_rsn)},
    {"new_epoch", &new_epoch, 0, R(new_epoch)},
};
static const struct fal_shape head = {LINE, FAL_MEMBERS(head_members)};

/* ... and these of a reply to `open`. */
#define O(field) FAL_AT(struct tl_protocol_opened, field)
static const struct fal_shape opened_conn = {.kind = FAL_SHAPE_NAME, .min = 1};
static const struct fal_member opened_members[] = {
    {"conn", &opened_conn, FAL_MUST, O(conn)},
    {"local", &tl_protocol_end_shape, FAL_MUST, O(local)},
    {"params", &tl_proto_params, 0, O(params)},
};
static const struct fal_shape opened = {LINE, FAL_MEMBERS(opened_members)};

/* Those of replies to other commands are checked where they are used. */
static const struct fal_shape version = {.kind = FAL_SHAPE_UINT, .min = 1, .max = 1};
static const char *const level_words[] = {"L0", "L1", "L2", "L3", "Lc", "L2v", "L3v"};
static const struct fal_shape level = {.kind = FAL_SHAPE_WORD, FAL_WORDS(level_words)};
static const struct fal_shape levels = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&level), .more = "{\"uniqueItems\": true}"};
static const struct fal_shape ics = {.kind = FAL_SHAPE_MAP, FAL_OF(&fal_shape_flag)};
static const char *const clock_words[] = {"none", "packet"};
static const struct fal_shape clocks = {.kind = FAL_SHAPE_WORD, FAL_WORDS(clock_words)};
static const struct fal_shape port = {.kind = FAL_SHAPE_UINT, .min = 1, .max = UINT16_MAX};
static const struct fal_shape parallel = {.kind = FAL_SHAPE_UINT, .min = 1};
static const struct fal_shape integer = {.kind = FAL_SHAPE_INT};
static const struct fal_shape bits = {.kind = FAL_SHAPE_TEXT, .pattern = "^0x[0-9a-fA-F]+$"};
static const struct fal_shape number = {.kind = FAL_SHAPE_ANY_OF, FAL_OF(&integer, &bits)};
static const struct fal_shape numbers = {.kind = FAL_SHAPE_MAP, FAL_OF(&number)};
static const struct fal_shape state = {.kind = FAL_SHAPE_ANY_OF,
                                       FAL_OF(&numbers, &fal_shape_text)};
static const struct fal_shape uppers = {.kind = FAL_SHAPE_LIST, FAL_OF(&tl_proto_upper)};
static const struct fal_member security_members[] = {{"sa", &tl_proto_sa, .flags = FAL_MUST}};
static const struct fal_shape security = {LINE, FAL_MEMBERS(security_members)};
static const struct fal_member reply_members[] = {
    {"id", &fal_shape_uint, .flags = FAL_MUST,
     .doc = "that of the command; 0: of a line that could not be read"},
    {"epoch", &tl_proto_epoch, .flags = FAL_MUST},
    {"ok", &fal_shape_yes, .flags = 0},
    {"error", &error, .flags = 0},
    {"why", &fal_shape_text, .flags = 0},
    {"version", &version, .flags = 0},
    {"vendor", &fal_shape_text, .flags = 0},
    {"product", &fal_shape_text, .flags = 0},
    {"firmware", &fal_shape_text, .flags = 0},
    {"serial", &fal_shape_text, .flags = 0},
    {"levels", &levels, .flags = 0},
    {"upper", &uppers, .flags = 0,
     .doc = "hello: the upper layers that a connection may have; absent: raw"},
    {"ics", &ics, .flags = 0},
    {"clock", &clocks, .flags = 0},
    {"ordered_events", &fal_shape_flag, .flags = 0},
    {"echo_port", &port, .flags = 0},
    {"parallel", &parallel, .flags = 0,
     .doc = "hello: cases that the adapter serves at the same time, each on a connection of "
            "its own; absent: 1"},
    {"new_epoch", &new_epoch, .flags = 0},
    {"survives", &fal_shape_texts, .flags = 0},
    {"conn", &tl_proto_conn, .flags = 0},
    {"local", &tl_protocol_end_shape, .flags = 0},
    {"params", &tl_proto_params, .flags = 0},
    {"rsn", &fal_shape_uint, 0, R(rsn), RH(has_rsn)},
    {"frames_received", &fal_shape_uint, .flags = 0},
    {"frames_sent", &fal_shape_uint, .flags = 0},
    {"late_ns", &fal_shape_uint, .flags = 0},
    {"state", &state, .flags = 0, .doc = "state: the numbers; qp_query: a word"},
    {"now_ns", &tl_proto_ns, .flags = 0},
    {"error_ns", &tl_proto_ns, .flags = 0},
    {"security", &security, .flags = 0},
    {"sa", &tl_proto_sa, .flags = 0},
    {"cc", &tl_proto_cc, .flags = 0, .doc = "hello"},
    {"entry", &tl_proto_entry, .flags = 0, .doc = "cc_feed: the result"},
    {"", &tl_proto_verbs_reply, .flags = FAL_FLAT},
    {"", &tl_proto_nvme_reply, .flags = FAL_FLAT},
};
const struct fal_shape tl_proto_reply = {
    LINE, .name = "reply", .doc = "A reply. Its other members depend on its command.",
    FAL_MEMBERS(reply_members),
    .more = "{\"not\": {\"required\": [\"event\"]}, \"oneOf\": [{\"required\": [\"ok\"]}, "
            "{\"required\": [\"error\", \"why\"]}]}"}; /* tl_protocol_reply_read */

int tl_protocol_reply_read(const json_t *object, struct tl_protocol_reply *out,
                           struct fal_error *err)
{
    struct fal_misfit wrong;
    int rc = fal_shape_read(&head, object, out, false, &wrong);

    if (rc != 0)
        return finish(rc, &wrong, err);
    if (out->ok == out->has_error)
        return fal_fail(err, FAL_ERR_FORM, "an answer has either \"ok\": true or an error");
    return 0;
}

int tl_protocol_opened_read(const json_t *object, struct tl_protocol_opened *out,
                            struct fal_error *err)
{
    struct fal_misfit wrong;

    return finish(fal_shape_read(&opened, object, out, false, &wrong), &wrong, err);
}

/* ---- events ---- */

#define E(field)  FAL_AT(struct tl_protocol_event, field)
#define EH(field) FAL_HAS(struct tl_protocol_event, field)

/* FNV-1a of a payload: "0x" and 16 digits, never fewer. */
static int read_hash(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct fal_misfit in_it;
    uint64_t hash = 0;

    if (json_string_length(value) != 18 ||
        fal_shape_read(&fal_shape_hex, value, &hash, false, &in_it) != 0)
        return fal_misfit_say(wrong, "expected \"0x\" and 16 digits");
    if (out != NULL)
        memcpy(out, &hash, sizeof hash);
    return 0;
}

/* A text of any length; C keeps its beginning. */
static int read_what(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const size_t cap = sizeof((struct fal_ev_cm *)0)->what;
    const char *text = json_string_value(value);
    size_t len = text != NULL ? strnlen(text, cap - 1) : 0;

    if (text == NULL)
        return fal_misfit_say(wrong, "expected a text");
    if (out != NULL) {
        memcpy(out, text, len);
        ((char *)out)[len] = 0;
    }
    return 0;
}

const struct fal_shape tl_proto_seq = {.kind = FAL_SHAPE_UINT, .min = 1};
static const struct fal_shape hash = {.kind = FAL_SHAPE_HEX,
                                      .name = "hash",
                                      .doc = "FNV-1a of the payload, 64 bits",
                                      .read = read_hash};
static int write_what(const void *in, json_t **out)
{
    *out = json_string(in);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape what = {
    .kind = FAL_SHAPE_TEXT, .read = read_what, .write = write_what};
static const struct fal_shape completion_code = {.kind = FAL_SHAPE_UINT, .max = 15};

#define EVENT(word)                                                                           \
    {"seq", &tl_proto_seq, FAL_MUST, E(seq)}, {"epoch", &tl_proto_epoch, FAL_MUST, E(epoch)}, \
    {                                                                                         \
        "event", FAL_ONE_WORD(word), .flags = FAL_MUST                                        \
    }
#define STAMP                                                           \
    {"stamp_ns", &tl_proto_ns, 0, E(ulp.stamp_ns), EH(ulp.has_stamp)},  \
    {                                                                   \
        "err_ns", &tl_proto_ns, 0, E(ulp.stamp_error_ns), EH(has_error) \
    }
#define CONN                                    \
    {                                           \
        "conn", &opened_conn, FAL_MUST, E(conn) \
    }
#define RSN                                          \
    {                                                \
        "rsn", &fal_shape_uint, FAL_MUST, E(ulp.rsn) \
    }

static const struct fal_member request_members[] = {
    EVENT("request"),
    CONN,
    RSN,
    {"op", &tl_proto_op, FAL_MUST, E(ulp.op)},
    {"length", &fal_shape_uint, FAL_MUST, E(ulp.length)},
    {"tag", &tl_proto_wide, 0, E(ulp.tag), EH(has_tag)},
    {"hash", &hash, 0, E(ulp.hash), EH(ulp.has_hash)},
    {"redelivery", &fal_shape_flag, FAL_ALWAYS, E(ulp.redelivery)},
    STAMP};
static const struct fal_member ulp_ack_members[] = {
    EVENT("ulp_ack"),
    CONN,
    RSN,
    {"answer", &tl_proto_answer, FAL_MUST, E(ulp.answer)},
    {"rnr_ns", &tl_proto_ns, 0, E(rnr_ns), EH(has_rnr)},
    {"code", &tl_proto_code, 0, E(ulp.code), EH(has_code)},
    STAMP};
static const struct fal_member completion_members[] = {
    EVENT("completion"),
    CONN,
    RSN,
    {"tag", &tl_proto_wide, 0, E(ulp.tag), EH(has_tag)},
    {"code", &completion_code, FAL_MUST, E(ulp.code), .doc = "completion code (chapter 11)"},
    {"ulp_nack_code", &tl_proto_code, FAL_ALWAYS, E(ulp.ulp_nack_code)},
    {"length", &fal_shape_uint, 0, E(ulp.length), EH(has_length)},
    {"hash", &hash, 0, E(ulp.hash), EH(ulp.has_hash)},
    STAMP};
static const struct fal_member cm_error_members[] = {EVENT("cm_error"),
                                                     {"conn", &handle, 0, E(conn)},
                                                     {"what", &what, FAL_MUST, E(cm.what)},
                                                     STAMP};
static const struct fal_member dropped_members[] = {
    EVENT("dropped"), {"count", &tl_proto_seq, FAL_MUST, E(cm.count)}, STAMP};

static const char *const cc_kind_words[] = {"event", "result"};
static const struct fal_shape cc_kind = {.kind = FAL_SHAPE_WORD, FAL_WORDS(cc_kind_words)};
static const struct fal_member cc_members[] = {
    EVENT("cc"),
    CONN,
    {"kind", &cc_kind, FAL_MUST, E(cc.kind)},
    {"entry", &tl_proto_entry, FAL_MUST, E(cc.entry)},
    {"now_ticks", &tl_proto_ticks, FAL_MUST, E(cc.now_ticks)},
    STAMP};
enum { DROPPED_ROW = 4, CC_ROW }; /* their name is `what` */

static const struct {
    struct fal_shape shape;
    enum fal_event_kind kind;
    enum fal_ulp_kind ulp;
} events[] = {
    {{LINE, .doc = "A request was delivered to the ULP.", FAL_MEMBERS(request_members)},
     FAL_EV_ULP,
     FAL_ULP_REQUEST},
    {{LINE, .doc = "The ULP has answered by itself.", FAL_MEMBERS(ulp_ack_members)},
     FAL_EV_ULP,
     FAL_ULP_ACK},
    {{LINE, .doc = "A transaction of the SUT's ULP has ended.",
      FAL_MEMBERS(completion_members)},
     FAL_EV_ULP,
     FAL_ULP_COMPLETION},
    {{LINE, .doc = "The connection manager reports an error.", FAL_MEMBERS(cm_error_members)},
     FAL_EV_CM,
     FAL_ULP_REQUEST},
    {{LINE, .doc = "Events were lost.", FAL_MEMBERS(dropped_members)},
     FAL_EV_CM,
     FAL_ULP_REQUEST},
    {{LINE, .doc = "An event went to the RUE, or a result came from it.",
      FAL_MEMBERS(cc_members)},
     FAL_EV_CM,
     FAL_ULP_REQUEST},
};
const struct fal_shape tl_proto_events = {
    .kind = FAL_SHAPE_ANY_OF,
    .name = "event",
    FAL_OF(&events[0].shape, &events[1].shape, &events[2].shape, &events[3].shape,
           &events[4].shape, &events[5].shape, &tl_proto_verbs_events, &tl_proto_nvme_events)};

static const struct fal_member event_head_members[] = {
    {"event", &fal_shape_text, .flags = FAL_MUST},
    {"seq", &fal_shape_uint, FAL_MUST, E(seq)},
    {"epoch", &fal_shape_uint, FAL_MUST, E(epoch)}};
static const struct fal_shape event_head = {LINE, FAL_MEMBERS(event_head_members)};

int tl_protocol_event_head(const json_t *object, struct tl_protocol_event *out,
                           struct fal_error *err)
{
    struct fal_misfit wrong;

    *out = (struct tl_protocol_event){.seq = 0};
    return finish(fal_shape_read(&event_head, object, out, false, &wrong), &wrong, err);
}

int tl_protocol_event_read(const json_t *object, struct tl_protocol_event *out,
                           struct fal_error *err)
{
    const char *word = json_string_value(json_object_get(object, "event"));
    struct fal_misfit wrong;
    int rc;

    *out = (struct tl_protocol_event){.seq = 0};
    for (size_t i = 0; word != NULL && i < sizeof events / sizeof *events; i++) {
        if (strcmp(events[i].shape.members[2].shape->words[0], word) != 0)
            continue;
        rc = fal_shape_read(&events[i].shape, object, out, false, &wrong);
        out->kind = events[i].kind;
        out->ulp.kind = events[i].ulp;
        out->ulp.seq = out->cm.seq = out->seq;
        out->ulp.has_stamp &= out->has_error; /* without its error a stamp proves nothing */
        out->is_cc = i == CC_ROW;
        if (rc == 0 && i >= DROPPED_ROW)
            memcpy(out->cm.what, word, strlen(word) + 1);
        return finish(rc, &wrong, err);
    }
    rc = word != NULL ? tl_proto_word_event_read(word, object, out, &wrong) : FAL_ERR_TYPE;
    if (rc != FAL_ERR_TYPE)
        return finish(rc, &wrong, err);
    return fal_fail(err, FAL_ERR_FORM, "event: there is no '%.40s'", word != NULL ? word : "");
}

bool tl_protocol_event_settle(struct tl_protocol_event *event)
{
    struct fal_ev_ulp *ulp = &event->ulp;

    ulp->seq = event->cm.seq = event->seq;
    if (event->is_cc || tl_words_told_as(event->kind) != NULL)
        return false; /* its entry, or its members, have no place there: it is a line */
    if (event->kind == FAL_EV_CM) {
        if (event->cm.count > 0)
            memcpy(event->cm.what, "dropped", sizeof "dropped");
        return true;
    }
    ulp->tag = event->has_tag ? ulp->tag : 0;
    ulp->hash = ulp->has_hash ? ulp->hash : 0;
    switch (ulp->kind) {
    case FAL_ULP_REQUEST: ulp->code = 0; break;
    case FAL_ULP_ACK: ulp->code = event->has_code ? ulp->code : 0; break;
    case FAL_ULP_COMPLETION: ulp->length = event->has_length ? ulp->length : 0; break;
    }
    return ulp->code <= (ulp->kind == FAL_ULP_ACK ? tl_proto_code.max : completion_code.max) &&
           ulp->ulp_nack_code <= tl_proto_code.max;
}

void tl_protocol_said_params(const struct tl_protocol_said *said, struct fal_params *params)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; said->unlike_params != 0 && i < n; i++)
        if ((said->unlike_params >> i & 1) != 0)
            /* The value comes from the same parameter. */
            FAL_IGNORE(
                fal_param_set(&table[i], params, fal_param_get(&table[i], &said->params)));
}

/* Adds what a reply to `open` says. */
static int write_opened(const struct tl_protocol_said *said, json_t *line)
{
    json_t *params = json_object();
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    int rc = json_object_set_new(line, "conn", json_string(said->reply.conn)) |
             json_object_set_new(line, "local",
                                 fal_shape_write(&tl_protocol_end_shape, &said->local));

    for (size_t i = 0; i < n; i++)
        if ((said->unlike_params >> i & 1) != 0)
            rc |= json_object_set_new(params, table[i].key,
                                      tl_json_from_param(&table[i], &said->params));
    return rc | json_object_set_new(line, "params", params);
}

/* And to `reset`. */
static int write_reset(const struct tl_protocol_said *said, json_t *line)
{
    return json_object_set_new(line, "new_epoch",
                               json_integer((json_int_t)said->reply.new_epoch)) |
           json_object_set_new(line, "survives",
                               said->survives ? json_pack("[s, s]", "connections", "counters")
                                              : json_array());
}

json_t *tl_protocol_said_write(const struct tl_protocol_said *said)
{
    json_t *line;
    int rc = 0;

    if (said->is_event)
        return tl_protocol_event_write(&said->event);
    line = json_pack("{s:I, s:I, s:b}", "id", (json_int_t)said->reply.id, "epoch",
                     (json_int_t)said->reply.epoch, "ok", 1);
    if (said->reply.has_rsn)
        rc |= json_object_set_new(line, "rsn", json_integer(said->reply.rsn));
    if (said->has_counts)
        rc |= json_object_set_new(line, "frames_received",
                                  json_integer((json_int_t)said->frames_received)) |
              json_object_set_new(line, "frames_sent",
                                  json_integer((json_int_t)said->frames_sent));
    if (said->has_late)
        rc |= json_object_set_new(line, "late_ns", json_integer((json_int_t)said->late_ns));
    if (said->sa != NULL)
        rc |= json_object_set_new(line, "security", json_pack("{s:O}", "sa", said->sa));
    if (said->opened)
        rc |= write_opened(said, line);
    if (said->reply.new_epoch != 0)
        rc |= write_reset(said, line);
    if (line != NULL && rc == 0)
        return line;
    json_decref(line);
    return NULL;
}

json_t *tl_protocol_event_write(const struct tl_protocol_event *event)
{
    size_t i = 0;

    if (tl_words_told_as(event->kind) != NULL)
        return tl_proto_word_event_write(event);
    if (event->is_cc)
        i = CC_ROW;
    else if (event->kind == FAL_EV_CM)
        i = event->cm.count > 0 ? DROPPED_ROW : DROPPED_ROW - 1;
    else
        i = (size_t)event->ulp.kind;
    return fal_shape_write(&events[i].shape, event);
}
