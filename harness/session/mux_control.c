/* SPDX-License-Identifier: Apache-2.0
 * mux_control.c - one control channel for all copies. To the SUT the commands of all are
 * those of one tester, numbered in the order in which they were written; each copy gets its own
 * answers and events back, under the numbers that it expects. */
#include "harness/session/mux_impl.h"

#include "harness/wire/protocol.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    STALE_MAX = 1000 /* lines of before the lanes began: a SUT may have some in its queue */
};

static struct tl_mux_asked *new_asked(struct tl_mux *mux)
{
    if (mux->num_asked == mux->cap_asked) {
        size_t cap = mux->cap_asked == 0 ? 64 : mux->cap_asked * 2;
        struct tl_mux_asked *grown = realloc(mux->asked, cap * sizeof *grown);

        if (grown == NULL)
            return NULL;
        mux->asked = grown;
        mux->cap_asked = cap;
    }
    return &mux->asked[mux->num_asked];
}

/* Sessions send such a barrier every few milliseconds, to learn how long the SUT takes to
 * answer. */
static bool is_beat(const struct tl_mux *mux, const json_t *command)
{
    const char *verb = json_string_value(json_object_get(command, "do"));

    return mux->lanes && verb != NULL && strcmp(verb, "barrier") == 0 &&
           json_object_get(command, "conn") == NULL;
}

/* One such barrier is enough for all lanes: while one waits for its reply, those of other lanes
 * wait for the same reply. False: none waits. */
static bool join_beat(struct tl_mux_copy *copy, const json_t *command, int64_t local)
{
    struct tl_mux *mux = copy->mux;
    struct tl_mux_asked *asked;
    size_t at = 0;

    while (at < mux->num_asked && !mux->asked[at].beat)
        at++;
    if (at == mux->num_asked || !is_beat(mux, command) || (asked = new_asked(mux)) == NULL)
        return false;
    *asked =
        (struct tl_mux_asked){.id = mux->asked[at].id, .local = local, .copy = copy->number};
    mux->num_asked++;
    return true;
}

int tl_mux_write(struct tl_mux_copy *copy, const json_t *command, int64_t local,
                 struct fal_error *err)
{
    const char *verb = json_string_value(json_object_get(command, "do"));
    struct tl_mux_asked *asked = new_asked(copy->mux);
    struct tl_bench_command numbered;

    if (asked == NULL || !tl_bench_number(copy->mux->base, command, &numbered, NULL))
        return fal_fail(err, FAL_ERR_IO, "out of memory");
    *asked = (struct tl_mux_asked){
        .id = numbered.id,
        .local = local,
        .copy = copy->number,
        .open = verb != NULL && strcmp(verb, "open") == 0,
        .reset = verb != NULL && strcmp(verb, "reset") == 0,
        .counters = verb != NULL && strcmp(verb, "counters") == 0,
        .ends = local == 0 && copy->mux->lanes,
        .beat = is_beat(copy->mux, command),
    };
    copy->mux->num_asked++;
    return tl_bench_write(copy->mux->base, &numbered, err);
}

/* The SPI under which packets to this copy will come. */
static void note_spi(struct tl_mux_copy *copy, const json_t *sa)
{
    const char *text = json_string_value(json_object_get(sa, "spi"));

    if (text != NULL)
        copy->spis[copy->num_spis++ % TL_MUX_SPIS] = (uint32_t)strtoul(text, NULL, 0);
}

/* Reads the tester's end from a command. */
static void note(struct tl_mux_copy *copy, const json_t *command)
{
    const json_t *cid = json_object_get(json_object_get(command, "peer"), "cid");
    const char *encap = json_string_value(json_object_get(command, "encap"));

    if (encap != NULL)
        copy->esp = strncmp(encap, "esp_", 4) == 0;
    note_spi(copy, json_object_get(command, "sa"));
    note_spi(copy, json_object_get(json_object_get(command, "security"), "sa"));
    if (json_is_integer(cid))
        copy->cid = (uint32_t)json_integer_value(cid);
}

int tl_mux_reset(struct tl_mux *mux, struct fal_error *err)
{
    struct tl_mux_copy *one = NULL;

    for (unsigned i = 0; i < mux->count; i++) {
        struct tl_mux_copy *copy = &mux->copies[i];

        if (!copy->over && copy->reset == NULL)
            return 0;
        if (!copy->over && one == NULL)
            one = copy;
    }
    return one != NULL ? tl_mux_write(one, one->reset, 0, err) : 0;
}

/* The copy's reset waits until all copies want one. */
static int want_reset(struct tl_mux_copy *copy, json_t *command, int64_t local,
                      struct fal_error *err)
{
    json_decref(copy->reset);
    copy->reset = command;
    copy->reset_id = local;
    return copy->mux->lanes ? tl_mux_lane_reset(copy, err) : tl_mux_reset(copy->mux, err);
}

int tl_mux_send_line(struct tl_mux_copy *copy, const char *line, size_t len,
                     struct fal_error *err)
{
    return tl_mux_send_object(copy, json_loadb(line, len, 0, NULL), err);
}

int tl_mux_send_object(struct tl_mux_copy *copy, json_t *command, struct fal_error *err)
{
    const char *verb = json_string_value(json_object_get(command, "do"));
    int64_t local = json_integer_value(json_object_get(command, "id"));
    int rc;

    if (command == NULL)
        return fal_fail(err, FAL_ERR_IO, "out of memory");
    note(copy, command);
    (void)json_object_del(command, "id");
    (void)json_object_del(command, "epoch");
    if (verb != NULL && strcmp(verb, "reset") == 0)
        return want_reset(copy, command, local, err);
    rc = join_beat(copy, command, local) ? 0 : tl_mux_write(copy, command, local, err);
    json_decref(command);
    return rc;
}

/* Likewise, of an `open` as a struct. */
static void note_opening(struct tl_mux_copy *copy, const struct tl_protocol_command *command)
{
    copy->esp =
        command->encap == FAL_ENCAP_ESP_TRANSPORT || command->encap == FAL_ENCAP_ESP_TUNNEL;
    if (command->has_security)
        note_spi(copy, command->security.sa);
    copy->cid = command->peer.cid;
}

int tl_mux_send_command(struct tl_mux_copy *copy, struct tl_protocol_command *command,
                        struct fal_error *err)
{
    struct tl_bench *base = copy->mux->base;
    uint64_t local = command->id, epoch = command->epoch;
    struct tl_mux_asked *asked;
    int rc;

    if (command->verb == TL_DO_RESET) { /* a session orders no other scope */
        json_t *reset = json_pack("{s:s, s:s}", "do", "reset", "scope", "device");

        return reset != NULL ? want_reset(copy, reset, (int64_t)local, err)
                             : fal_fail(err, FAL_ERR_IO, "out of memory");
    }
    if (command->verb == TL_DO_OPEN)
        note_opening(copy, command);
    asked = new_asked(copy->mux);
    if (asked == NULL || !tl_upper_order(base->upper, command, NULL))
        return fal_fail(err, FAL_ERR_IO, "out of memory");
    *asked = (struct tl_mux_asked){
        .id = (int64_t)command->id,
        .local = (int64_t)local,
        .copy = copy->number,
        .open = command->verb == TL_DO_OPEN,
        .counters = command->verb == TL_DO_COUNTERS,
    };
    copy->mux->num_asked++;
    rc = base->link->ops->send_command(base->link, command, err);
    command->id = local;
    command->epoch = epoch;
    return rc;
}

/* ---- from the SUT ---- */

/* The object itself: the next copy gets another number. */
static void give_json(struct tl_mux_copy *copy, json_t *object, const struct tl_link_got *got)
{
    struct tl_link_got given = *got;

    given.object = json_copy(object);
    given.said = NULL;
    given.bytes = NULL;
    if (given.object == NULL)
        copy->mux->no_memory = true;
    else
        tl_mux_give(copy, TL_LINK_LINE, &given, NULL, 0);
    json_decref(given.object);
}

static void give_text(struct tl_mux_copy *copy, const json_t *object,
                      const struct tl_link_got *got)
{
    struct tl_link_got given = *got;
    char *text = json_dumps(object, JSON_COMPACT);

    given.object = NULL;
    given.said = NULL;
    if (text == NULL)
        copy->mux->no_memory = true;
    else
        tl_mux_give(copy, TL_LINK_LINE, &given, text, strlen(text));
    free(text);
}

void tl_mux_give_object(struct tl_mux_copy *copy, json_t *object, const char *key,
                        int64_t number, const struct tl_link_got *got)
{
    if (json_object_set_new(object, key, json_integer((json_int_t)number)) != 0 ||
        (copy->mux->lanes &&
         json_object_set_new(object, "epoch", json_integer((json_int_t)copy->epoch)) != 0))
        copy->mux->no_memory = true;
    else if (copy->mux->objects)
        give_json(copy, object, got);
    else
        give_text(copy, object, got);
}

/* A reply or an event of the SUT, likewise: as the struct that the SUT gave, or as an object.
 */
static void give_line(struct tl_mux_copy *copy, const struct tl_upper_line *line,
                      int64_t number, const struct tl_link_got *got)
{
    bool event = line->event.kind == FAL_EV_VERBS  ? line->event.u.verbs.phase == FAL_VERBS_TOLD
                 : line->event.kind == FAL_EV_NVME ? line->event.u.nvme.phase == FAL_VERBS_TOLD
                                                   : line->event.kind != FAL_EV_REPLY;
    struct tl_link_got given = *got;
    struct tl_protocol_said said;

    if (line->said == NULL) {
        tl_mux_give_object(copy, line->object, event ? "seq" : "id", number, got);
        return;
    }
    said = *line->said;
    if (event)
        said.event.seq = (uint64_t)number;
    else
        said.reply.id = (uint64_t)number;
    given.said = &said;
    tl_mux_give(copy, TL_LINK_LINE, &given, &said, sizeof said);
}

/* Frames that went missing, of whichever copy, go missing in the counts of each. */
static void split_counters(const struct tl_mux_copy *copy, json_t *object)
{
    const struct tl_mux *mux = copy->mux;
    json_int_t in = json_integer_value(json_object_get(object, "frames_received"));
    json_int_t out = json_integer_value(json_object_get(object, "frames_sent"));

    (void)json_object_set_new(object, "frames_received",
                              json_integer(in - (json_int_t)(mux->sent - copy->sent)));
    (void)json_object_set_new(object, "frames_sent",
                              json_integer(out - (json_int_t)(mux->received - copy->received)));
}

/* Likewise, of a reply as a struct. */
static void give_split(struct tl_mux_copy *copy, const struct tl_upper_line *line,
                       int64_t number, const struct tl_link_got *got)
{
    const struct tl_mux *mux = copy->mux;
    struct tl_protocol_said said = *line->said;
    struct tl_upper_line split = *line;

    said.frames_received -= mux->sent - copy->sent;
    said.frames_sent -= mux->received - copy->received;
    split.said = &said;
    give_line(copy, &split, number, got);
}

/* The SUT is as new: connections and counts begin again for all. */
static void take_reset(struct tl_mux *mux, const struct tl_upper_line *line,
                       const struct tl_link_got *got)
{
    mux->sent = mux->received = 0;
    for (unsigned i = 0; i < mux->count; i++) {
        struct tl_mux_copy *copy = &mux->copies[i];

        copy->sent = copy->received = 0;
        copy->conn[0] = 0;
        copy->num_spis = 0;
        if (copy->reset != NULL)
            give_line(copy, line, copy->reset_id, got);
        json_decref(copy->reset);
        copy->reset = NULL;
    }
}

static void answer(struct tl_mux *mux, const struct tl_mux_asked *asked,
                   const struct tl_upper_line *line, const struct tl_link_got *got)
{
    struct tl_mux_copy *copy = &mux->copies[asked->copy];

    if (asked->reset) {
        take_reset(mux, line, got);
        return;
    }
    if (asked->ends) {
        tl_mux_lane_new(copy);
        return;
    }
    if (asked->open && line->ok) {
        const json_t *local = json_object_get(line->object, "local");

        memcpy(copy->conn, line->conn_name, sizeof copy->conn);
        copy->sut_cid = line->said != NULL
                            ? line->said->local.cid
                            : (uint32_t)json_integer_value(json_object_get(local, "cid"));
    }
    if (asked->counters && line->said != NULL) {
        give_split(copy, line, asked->local, got);
        return;
    }
    if (asked->counters && line->ok && mux->lanes)
        tl_mux_lane_counters(copy, line->object);
    else if (asked->counters && line->ok)
        split_counters(copy, line->object);
    give_line(copy, line, asked->local, got);
}

/* A reply may be for several lanes (tl_mux_lane_attach). An unknown one is from before the
 * copies. */
static void take_reply(struct tl_mux *mux, const struct tl_upper_line *line,
                       const struct tl_link_got *got)
{
    size_t at = 0;

    while (at < mux->num_asked) {
        struct tl_mux_asked asked = mux->asked[at];

        if (asked.id != line->id) {
            at++;
            continue;
        }
        memmove(&mux->asked[at], &mux->asked[at + 1], (--mux->num_asked - at) * sizeof asked);
        answer(mux, &asked, line, got);
    }
}

/* An event that names a connection goes to its copy; an event without a known connection goes
 * to all. A lane's earlier connection may still be named: then its case has ended. */
static void take_event(struct tl_mux *mux, const struct tl_upper_line *line,
                       const struct tl_link_got *got)
{
    struct tl_mux_copy *owner = NULL;

    for (unsigned i = 0; i < mux->count && line->conn_name[0] != 0; i++)
        if (strcmp(mux->copies[i].conn, line->conn_name) == 0)
            owner = &mux->copies[i];
    for (unsigned i = 0; i < mux->count; i++) {
        struct tl_mux_copy *copy = &mux->copies[i];
        bool to_all = owner == NULL && (!mux->lanes || line->conn_name[0] == 0);

        copy->seq += line->lost; /* the lost events may have been for any copy */
        if (to_all || owner == copy)
            give_line(copy, line, (int64_t)++copy->seq, got);
    }
}

/* Reads a line of the SUT as a struct or as an object: copies get it under other numbers. Its
 * text is for nobody. */
static enum tl_upper_got read_line(struct tl_mux *mux, const struct tl_link_got *got,
                                   struct tl_upper_line *line)
{
    struct tl_link_got read = *got;
    enum tl_upper_got kind;

    if (!mux->objects)
        return tl_bench_line(mux->base, got, line);
    if (got->said != NULL && mux->lanes)
        read.object = tl_protocol_said_write(got->said);
    if (read.object != NULL)
        read.said = NULL;
    tl_upper_texts(mux->base->upper, read.said == NULL && read.object == NULL);
    kind = tl_bench_line(mux->base, &read, line);
    if (got->said != NULL)
        json_decref(read.object);
    return kind;
}

void tl_mux_line(struct tl_mux *mux, const struct tl_link_got *got)
{
    struct tl_upper_line line;

    switch (read_line(mux, got, &line)) {
    case TL_UPPER_GARBAGE: {
        struct tl_link_got broken = {.at_ns = 0};

        (void)fal_fail(&broken.error, FAL_ERR_FORM, "control channel: %.280s", line.err.text);
        tl_mux_give_all(mux, TL_LINK_ERROR, &broken);
        break;
    }
    case TL_UPPER_STALE: mux->stale++; break;
    case TL_UPPER_REPLY: take_reply(mux, &line, got); break;
    case TL_UPPER_EVENT: take_event(mux, &line, got); break;
    }
    /* Lost events may be of any lane, and a lane without a later event would not notice. A
     * flood of events that no lane gets may take the place of those that the lanes wait for. */
    if (mux->lanes && (line.lost > 0 || mux->stale > STALE_MAX))
        mux->stray = mux->unsettled = true;
}
