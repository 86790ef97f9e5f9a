/* SPDX-License-Identifier: Apache-2.0
 * upper.c - what comes from the SUT: replies, events, and what is neither. */
#include "harness/session/upper.h"

#include "harness/doc/json_member.h"
#include "harness/session/upper_state.h"
#include "harness/wire/control_io.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EXCERPT = 60 };

struct tl_upper *tl_upper_new(void)
{
    struct tl_upper *upper = calloc(1, sizeof *upper);

    if (upper != NULL)
        upper->epoch = 1;
    return upper;
}

static void forget_line(struct tl_upper *upper)
{
    json_decref(upper->object);
    free(upper->text);
    upper->object = NULL;
    upper->text = NULL;
}

void tl_upper_free(struct tl_upper *upper)
{
    if (upper == NULL)
        return;
    forget_line(upper);
    free(upper->asked);
    free(upper);
}

void tl_upper_set_epoch(struct tl_upper *upper, int64_t epoch)
{
    if (epoch <= upper->epoch)
        return;
    upper->epoch = epoch;
    upper->num_asked = 0;
    upper->epoch_begin = upper->last_id; /* answers to these belong to the old one */
}

int64_t tl_upper_epoch(const struct tl_upper *upper)
{
    return upper->epoch;
}

/* The handle in `object`, if any, into out->conn_name. */
static int read_conn(const json_t *object, enum tl_member need, struct tl_upper_line *out)
{
    const char *name;
    int rc = tl_json_string(object, "conn", need, &name, &out->err);

    if (rc != 1)
        return rc;
    if (strlen(name) >= sizeof out->conn_name)
        return fal_fail(&out->err, FAL_ERR_FORM, "conn: a handle has at most %zu bytes",
                        sizeof out->conn_name - 1);
    memcpy(out->conn_name, name, strlen(name) + 1);
    return 1;
}

/* 64 bits that the protocol writes as "0x" and 16 digits. */
static int read_hash(const json_t *object, struct fal_ev_ulp *ulp, struct fal_error *err)
{
    const json_t *value = json_object_get(object, "hash");
    int rc;

    if (value != NULL && !json_is_null(value) &&
        (!json_is_string(value) || json_string_length(value) != 18))
        return fal_fail(err, FAL_ERR_FORM, "hash: expected \"0x\" and 16 digits");
    rc = tl_json_wide(object, "hash", TL_MAY_HAVE, &ulp->hash, err);
    ulp->has_hash = rc == 1;
    return rc;
}

static int read_ulp(const json_t *object, enum fal_ulp_kind kind, struct fal_ev_ulp *ulp,
                    struct fal_error *err)
{
    bool request = kind == FAL_ULP_REQUEST, completion = kind == FAL_ULP_COMPLETION;
    int stamp, error;

    ulp->kind = kind;
    stamp = tl_json_u64(object, "stamp_ns", TL_MAY_HAVE, UINT64_MAX, &ulp->stamp_ns, err);
    error = tl_json_u64(object, "err_ns", TL_MAY_HAVE, UINT64_MAX, &ulp->stamp_error_ns, err);
    if (stamp < 0 || error < 0 ||
        tl_json_u32(object, "rsn", TL_MUST_HAVE, UINT32_MAX, &ulp->rsn, err) < 0 ||
        tl_json_op(object, "op", request ? TL_MUST_HAVE : TL_MAY_HAVE, &ulp->op, err) < 0 ||
        tl_json_u32(object, "length", request ? TL_MUST_HAVE : TL_MAY_HAVE, UINT32_MAX,
                    &ulp->length, err) < 0 ||
        tl_json_wide(object, "tag", TL_MAY_HAVE, &ulp->tag, err) < 0 ||
        read_hash(object, ulp, err) < 0 ||
        tl_json_bool(object, "redelivery", TL_MAY_HAVE, &ulp->redelivery, err) < 0 ||
        tl_json_u32(object, "code", completion ? TL_MUST_HAVE : TL_MAY_HAVE, UINT32_MAX,
                    &ulp->code, err) < 0 ||
        tl_json_u32(object, "ulp_nack_code", TL_MAY_HAVE, UINT32_MAX, &ulp->ulp_nack_code,
                    err) < 0 ||
        tl_json_answer(object, "answer", kind == FAL_ULP_ACK ? TL_MUST_HAVE : TL_MAY_HAVE,
                       &ulp->answer, err) < 0)
        return FAL_ERR_FORM;
    ulp->has_stamp = stamp == 1 && error == 1; /* without its error it proves nothing */
    return 0;
}

static int read_cm(const json_t *object, bool dropped, struct fal_ev_cm *cm,
                   struct fal_error *err)
{
    const char *what = "dropped";
    size_t len;

    if (dropped && tl_json_u64(object, "count", TL_MUST_HAVE, UINT64_MAX, &cm->count, err) < 0)
        return FAL_ERR_FORM;
    if (!dropped && tl_json_string(object, "what", TL_MUST_HAVE, &what, err) < 0)
        return FAL_ERR_FORM;
    len = strnlen(what, sizeof cm->what - 1);
    memcpy(cm->what, what, len);
    cm->what[len] = 0;
    return 0;
}

/* Every event has its place in the sequence, whatever its epoch. */
static int check_seq(struct tl_upper *upper, uint64_t seq, struct tl_upper_line *out)
{
    if (seq <= upper->seq)
        return fal_fail(&out->err, FAL_ERR_FORM, "seq: %" PRIu64 " after %" PRIu64, seq,
                        upper->seq);
    out->lost = seq - upper->seq - 1;
    upper->seq = seq;
    return 0;
}

/* 0 for the present epoch, 1 for an old one, FAL_ERR_FORM for none of ours. */
static int check_epoch(const struct tl_upper *upper, uint64_t epoch, struct fal_error *err)
{
    if (epoch == (uint64_t)upper->epoch)
        return 0;
    if (epoch < (uint64_t)upper->epoch)
        return 1;
    return fal_fail(err, FAL_ERR_FORM, "epoch: %" PRIu64 " has not begun; this is %" PRId64,
                    epoch, upper->epoch);
}

static enum tl_upper_got take_event(struct tl_upper *upper, struct tl_upper_line *out)
{
    static const struct {
        const char *name;
        enum fal_event_kind kind;
        enum fal_ulp_kind ulp;
        enum tl_member conn;
    } events[] = {
        {"request", FAL_EV_ULP, FAL_ULP_REQUEST, TL_MUST_HAVE},
        {"ulp_ack", FAL_EV_ULP, FAL_ULP_ACK, TL_MUST_HAVE},
        {"completion", FAL_EV_ULP, FAL_ULP_COMPLETION, TL_MUST_HAVE},
        {"cm_error", FAL_EV_CM, FAL_ULP_REQUEST, TL_MAY_HAVE},
        {"dropped", FAL_EV_CM, FAL_ULP_REQUEST, TL_MAY_HAVE},
    };
    uint64_t seq, epoch;
    const char *name;
    int stale, rc;

    if (tl_json_string(upper->object, "event", TL_MUST_HAVE, &name, &out->err) < 0 ||
        tl_json_u64(upper->object, "seq", TL_MUST_HAVE, INT64_MAX, &seq, &out->err) < 0 ||
        tl_json_u64(upper->object, "epoch", TL_MUST_HAVE, INT64_MAX, &epoch, &out->err) < 0 ||
        check_seq(upper, seq, out) != 0)
        return TL_UPPER_GARBAGE;
    stale = check_epoch(upper, epoch, &out->err);
    if (stale != 0)
        return stale < 0 ? TL_UPPER_GARBAGE : TL_UPPER_STALE;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (strcmp(events[i].name, name) != 0)
            continue;
        out->event.kind = events[i].kind;
        if (read_conn(upper->object, events[i].conn, out) < 0)
            return TL_UPPER_GARBAGE;
        if (events[i].kind == FAL_EV_ULP) {
            rc = read_ulp(upper->object, events[i].ulp, &out->event.u.ulp, &out->err);
            out->event.u.ulp.seq = seq;
            out->event.u.ulp.text = upper->text;
        } else {
            rc = read_cm(upper->object, strcmp(name, "dropped") == 0, &out->event.u.cm,
                         &out->err);
            out->event.u.cm.seq = seq;
            out->event.u.cm.text = upper->text;
        }
        return rc == 0 ? TL_UPPER_EVENT : TL_UPPER_GARBAGE;
    }
    (void)fal_fail(&out->err, FAL_ERR_FORM, "event: there is no '%.40s'", name);
    return TL_UPPER_GARBAGE;
}

/* Is it well-formed as an answer: "ok": true, or one of the errors? */
static int read_outcome(const json_t *object, struct tl_upper_line *out)
{
    const char *error = NULL, *why = NULL;
    bool ok = false;

    if (tl_json_bool(object, "ok", TL_MAY_HAVE, &ok, &out->err) < 0 ||
        tl_json_string(object, "error", TL_MAY_HAVE, &error, &out->err) < 0 ||
        tl_json_string(object, "why", TL_MAY_HAVE, &why, &out->err) < 0)
        return FAL_ERR_FORM;
    if (ok == (error != NULL))
        return fal_fail(&out->err, FAL_ERR_FORM,
                        "an answer has either \"ok\": true or an error");
    if (!ok && strcmp(error, "unsupported") != 0 && strcmp(error, "busy") != 0 &&
        strcmp(error, "failed") != 0)
        return fal_fail(&out->err, FAL_ERR_FORM,
                        "error: '%.40s' is none of unsupported, busy, failed", error);
    out->ok = ok;
    return 0;
}

/* The answer to a reset names the new epoch. */
static int read_new_epoch(struct tl_upper *upper, struct fal_error *err)
{
    uint64_t epoch;

    if (tl_json_u64(upper->object, "new_epoch", TL_MUST_HAVE, INT64_MAX, &epoch, err) < 0)
        return FAL_ERR_FORM;
    if (epoch <= (uint64_t)upper->epoch)
        return fal_fail(err, FAL_ERR_FORM, "new_epoch: %" PRIu64 " is not above %" PRId64,
                        epoch, upper->epoch);
    tl_upper_set_epoch(upper, (int64_t)epoch);
    return 0;
}

static enum tl_upper_got take_reply(struct tl_upper *upper, struct tl_upper_line *out)
{
    struct fal_ev_reply *reply = &out->event.u.reply;
    struct tl_upper_asked asked;
    uint64_t id, epoch;
    size_t at = 0;
    int stale, rsn;

    if (tl_json_u64(upper->object, "id", TL_MUST_HAVE, INT64_MAX, &id, &out->err) < 0 ||
        tl_json_u64(upper->object, "epoch", TL_MUST_HAVE, INT64_MAX, &epoch, &out->err) < 0 ||
        read_outcome(upper->object, out) != 0)
        return TL_UPPER_GARBAGE;
    out->id = (int64_t)id;
    if (id == 0) {
        const char *why = json_string_value(json_object_get(upper->object, "why"));

        (void)fal_fail(&out->err, FAL_ERR_FORM, "the SUT could not read a command: %.200s",
                       why != NULL ? why : "");
        return TL_UPPER_GARBAGE;
    }
    stale = check_epoch(upper, epoch, &out->err);
    if (stale < 0)
        return TL_UPPER_GARBAGE;
    if (stale > 0 || out->id <= upper->epoch_begin)
        return TL_UPPER_STALE;
    while (at < upper->num_asked && upper->asked[at].id != out->id)
        at++;
    if (at == upper->num_asked) {
        (void)fal_fail(&out->err, FAL_ERR_FORM,
                       "id: no command %" PRId64 " waits for an answer", out->id);
        return TL_UPPER_GARBAGE;
    }
    asked = upper->asked[at];
    memmove(&upper->asked[at], &upper->asked[at + 1], (--upper->num_asked - at) * sizeof asked);

    rsn = tl_json_u32(upper->object, "rsn", TL_MAY_HAVE, UINT32_MAX, &reply->rsn, &out->err);
    if (rsn < 0 || read_conn(upper->object, TL_MAY_HAVE, out) < 0 ||
        (out->ok && asked.reset && read_new_epoch(upper, &out->err) != 0))
        return TL_UPPER_GARBAGE;
    if (out->conn_name[0] == 0)
        memcpy(out->conn_name, asked.conn_name, sizeof out->conn_name);
    out->event.kind = FAL_EV_REPLY;
    reply->id = out->id;
    reply->ok = out->ok;
    reply->has_rsn = rsn == 1;
    reply->text = upper->text;
    return TL_UPPER_REPLY;
}

/* Puts the beginning of the line behind the reason. */
static enum tl_upper_got garbage(struct tl_upper_line *out, const char *line, size_t len)
{
    struct fal_error why = out->err;
    char excerpt[EXCERPT + 1];
    size_t n = len < EXCERPT ? len : EXCERPT;

    for (size_t i = 0; i < n; i++)
        excerpt[i] = line[i] >= 0x20 && line[i] <= 0x7e ? line[i] : '?';
    excerpt[n] = 0;
    tl_clean_text(why.text);
    (void)fal_fail(&out->err, FAL_ERR_FORM, "%.250s; the line: %s%s", why.text, excerpt,
                   len > n ? "..." : "");
    return TL_UPPER_GARBAGE;
}

enum tl_upper_got tl_upper_line(struct tl_upper *upper, const char *line, size_t len,
                                struct tl_upper_line *out)
{
    enum tl_upper_got got = TL_UPPER_GARBAGE;

    forget_line(upper);
    memset(out, 0, sizeof *out);
    if (len > TL_LINE_MAX) {
        (void)fal_fail(&out->err, FAL_ERR_FORM, "a line of more than %d bytes", TL_LINE_MAX);
        return garbage(out, line, len);
    }
    upper->object = tl_json_line(line, len, &out->err);
    if (upper->object == NULL)
        return garbage(out, line, len);
    upper->text = strndup(line, len);
    if (upper->text == NULL) {
        (void)fal_fail(&out->err, FAL_ERR_MEM, "out of memory");
        return TL_UPPER_GARBAGE;
    }
    out->object = upper->object;
    if (json_object_get(upper->object, "event") != NULL)
        got = take_event(upper, out);
    else
        got = take_reply(upper, out);
    return got == TL_UPPER_GARBAGE ? garbage(out, line, len) : got;
}
