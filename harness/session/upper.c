/* SPDX-License-Identifier: Apache-2.0
 * upper.c - reads the lines of the SUT: replies, events, and lines that are neither. */
#include "harness/session/upper.h"

#include "harness/doc/json_member.h"
#include "harness/session/upper_state.h"
#include "harness/session/words/upper_words.h"
#include "harness/wire/control_io.h"
#include "harness/wire/protocol.h"

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

/* Everything but the texts and the issues of a packet, which a line is not. */
static void begin_line(struct tl_upper_line *out)
{
    out->id = 0;
    out->ok = false;
    out->lost = 0;
    out->object = NULL;
    out->said = NULL;
    fal_event_begin(&out->event, (enum fal_event_kind)0, 0);
    memset(out->conn_name, 0, sizeof out->conn_name);
    out->err.text[0] = 0;
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
    tl_upper_words_free(upper);
    free(upper->command);
    free(upper->asked);
    free(upper);
}

void tl_upper_set_epoch(struct tl_upper *upper, int64_t epoch)
{
    if (epoch <= upper->epoch)
        return;
    upper->epoch = epoch;
    upper->num_asked = 0;
    tl_upper_words_forget(upper);
    upper->epoch_begin = upper->last_id; /* answers to these belong to the old one */
}

void tl_upper_skip(struct tl_upper *upper)
{
    upper->last_id++;
}

int64_t tl_upper_epoch(const struct tl_upper *upper)
{
    return upper->epoch;
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

/* Returns 0 for the current epoch, 1 for an old one, FAL_ERR_FORM for one that has not begun.
 */
static int check_epoch(const struct tl_upper *upper, uint64_t epoch, struct fal_error *err)
{
    if (epoch == (uint64_t)upper->epoch)
        return 0;
    if (epoch < (uint64_t)upper->epoch)
        return 1;
    return fal_fail(err, FAL_ERR_FORM, "epoch: %" PRIu64 " has not begun; this is %" PRId64,
                    epoch, upper->epoch);
}

/* EVENT: it is of this epoch and in sequence. */
static enum tl_upper_got place_event(struct tl_upper *upper,
                                     const struct tl_protocol_event *event,
                                     struct tl_upper_line *out)
{
    int stale;

    if (check_seq(upper, event->seq, out) != 0)
        return TL_UPPER_GARBAGE;
    stale = check_epoch(upper, event->epoch, &out->err);
    if (stale != 0)
        return stale < 0 ? TL_UPPER_GARBAGE : TL_UPPER_STALE;
    return TL_UPPER_EVENT;
}

static void give_event(const struct tl_upper *upper, const struct tl_protocol_event *event,
                       struct tl_upper_line *out)
{
    memcpy(out->conn_name, event->conn, sizeof out->conn_name);
    out->event.kind = event->kind;
    if (event->kind == FAL_EV_ULP) {
        out->event.u.ulp = event->ulp;
        out->event.u.ulp.text = upper->text;
    } else if (event->is_cc) {
        out->event.kind = FAL_EV_CC;
        out->event.u.cc.queue =
            event->cc.kind == TL_CC_EVENT ? FAL_CC_QUEUE_EVENT : FAL_CC_QUEUE_RESULT;
        out->event.u.cc.seq = event->seq;
        out->event.u.cc.now_ticks = event->cc.now_ticks;
        memcpy(out->event.u.cc.entry, event->cc.entry, sizeof out->event.u.cc.entry);
    } else {
        out->event.u.cm = event->cm;
        out->event.u.cm.text = upper->text;
    }
}

static enum tl_upper_got take_event(struct tl_upper *upper, struct tl_upper_line *out)
{
    struct tl_protocol_event event;
    enum tl_upper_got got;

    if (tl_protocol_event_head(upper->object, &event, &out->err) != 0)
        return TL_UPPER_GARBAGE;
    got = place_event(upper, &event, out);
    if (got != TL_UPPER_EVENT)
        return got;
    if (tl_protocol_event_read(upper->object, &event, &out->err) != 0)
        return TL_UPPER_GARBAGE;
    if (tl_words_told_as(event.kind) != NULL)
        return tl_upper_word_told(upper, &event, out);
    give_event(upper, &event, out);
    return TL_UPPER_EVENT;
}

/* The answer to a reset names the new epoch. */
static int begin_epoch(struct tl_upper *upper, uint64_t epoch, struct fal_error *err)
{
    if (epoch == 0)
        return fal_fail(err, FAL_ERR_FORM, "new_epoch: missing; expected a whole number");
    if (epoch <= (uint64_t)upper->epoch)
        return fal_fail(err, FAL_ERR_FORM, "new_epoch: %" PRIu64 " is not above %" PRId64,
                        epoch, upper->epoch);
    tl_upper_set_epoch(upper, (int64_t)epoch);
    return 0;
}

/* Takes the command that waits for this answer from the list. False: no such command waits. */
static bool take_asked(struct tl_upper *upper, int64_t id, struct tl_upper_asked *asked)
{
    size_t at = 0;

    while (at < upper->num_asked && upper->asked[at].id != id)
        at++;
    if (at == upper->num_asked)
        return false;
    *asked = upper->asked[at];
    memmove(&upper->asked[at], &upper->asked[at + 1],
            (--upper->num_asked - at) * sizeof *asked);
    return true;
}

static enum tl_upper_got give_reply(struct tl_upper *upper,
                                    const struct tl_protocol_reply *read,
                                    struct tl_upper_line *out)
{
    struct fal_ev_reply *reply = &out->event.u.reply;
    struct tl_upper_asked asked;
    int stale;

    out->ok = read->ok;
    out->id = (int64_t)read->id;
    if (out->id == 0) {
        (void)fal_fail(&out->err, FAL_ERR_FORM, "the SUT could not read a command: %.200s",
                       read->why != NULL ? read->why : "");
        return TL_UPPER_GARBAGE;
    }
    stale = check_epoch(upper, read->epoch, &out->err);
    if (stale < 0)
        return TL_UPPER_GARBAGE;
    if (stale > 0 || out->id <= upper->epoch_begin)
        return TL_UPPER_STALE;
    if (!take_asked(upper, out->id, &asked)) {
        (void)fal_fail(&out->err, FAL_ERR_FORM,
                       "id: no command %" PRId64 " waits for an answer", out->id);
        return TL_UPPER_GARBAGE;
    }
    if (read->ok && asked.reset && begin_epoch(upper, read->new_epoch, &out->err) != 0)
        return TL_UPPER_GARBAGE;
    memcpy(out->conn_name, read->conn[0] != 0 ? read->conn : asked.conn_name,
           sizeof out->conn_name);
    if (asked.words != NULL)
        return tl_upper_word_answered(upper, &asked, out);
    out->event.kind = FAL_EV_REPLY;
    reply->id = out->id;
    reply->ok = out->ok;
    reply->has_rsn = read->has_rsn;
    reply->rsn = read->rsn;
    reply->text = upper->text;
    return TL_UPPER_REPLY;
}

static enum tl_upper_got take_reply(struct tl_upper *upper, struct tl_upper_line *out)
{
    struct tl_protocol_reply read;

    if (tl_protocol_reply_read(upper->object, &read, &out->err) != 0)
        return TL_UPPER_GARBAGE;
    return give_reply(upper, &read, out);
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

/* Reads upper->object. */
static enum tl_upper_got read_object(struct tl_upper *upper, struct tl_upper_line *out)
{
    out->object = upper->object;
    return json_object_get(upper->object, "event") != NULL ? take_event(upper, out)
                                                           : take_reply(upper, out);
}

void tl_upper_texts(struct tl_upper *upper, bool wanted)
{
    upper->no_text = !wanted;
}

void tl_upper_hashes(struct tl_upper *upper, struct fal_payload_hashes *hashes)
{
    upper->hashes = hashes;
}

enum tl_upper_got tl_upper_object(struct tl_upper *upper, json_t *object,
                                  struct tl_upper_line *out)
{
    enum tl_upper_got got;
    char *text = NULL;

    forget_line(upper);
    begin_line(out);
    if (!upper->no_text) {
        text = json_dumps(object, JSON_COMPACT);
        if (text == NULL) {
            (void)fal_fail(&out->err, FAL_ERR_MEM, "out of memory");
            return TL_UPPER_GARBAGE;
        }
    }
    upper->object = json_incref(object);
    upper->text = text;
    got = read_object(upper, out);
    return got == TL_UPPER_GARBAGE
               ? garbage(out, text != NULL ? text : "", text != NULL ? strlen(text) : 0)
               : got;
}

enum tl_upper_got tl_upper_said(struct tl_upper *upper, const struct tl_protocol_said *said,
                                struct tl_upper_line *out)
{
    enum tl_upper_got got;
    json_t *object;

    if (!upper->no_text) {
        object = tl_protocol_said_write(said);
        if (object != NULL) {
            got = tl_upper_object(upper, object, out);
            json_decref(object);
            return got;
        }
        begin_line(out);
        (void)fal_fail(&out->err, FAL_ERR_MEM, "out of memory");
        return TL_UPPER_GARBAGE;
    }
    forget_line(upper);
    begin_line(out);
    out->said = said;
    if (said->is_event) {
        got = place_event(upper, &said->event, out);
        if (got == TL_UPPER_EVENT)
            give_event(upper, &said->event, out);
    } else {
        got = give_reply(upper, &said->reply, out);
    }
    return got == TL_UPPER_GARBAGE ? garbage(out, "", 0) : got;
}

enum tl_upper_got tl_upper_line(struct tl_upper *upper, const char *line, size_t len,
                                struct tl_upper_line *out)
{
    enum tl_upper_got got;

    forget_line(upper);
    begin_line(out);
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
    got = read_object(upper, out);
    return got == TL_UPPER_GARBAGE ? garbage(out, line, len) : got;
}
