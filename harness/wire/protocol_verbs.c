/* SPDX-License-Identifier: Apache-2.0
 * protocol_verbs.c - the words of RDMA verbs in the control protocol. codecs/verbs has the
 * members of each word; here they get what every line has. */
#include "harness/wire/protocol_impl.h"
#include "harness/wire/protocol_levels.h"

#include <string.h>

_Static_assert(TL_DO_CQ_ARM - TL_DO_PD_CREATE == FAL_VERBS_CQ_ARM,
               "the commands stand in the order of enum fal_verbs_kind");

/* ---- the upper layer of a connection ---- */

static const char *const upper_words[TL_UPPERS] = {"raw", "verbs"};

/* One that this version does not know is TL_UPPERS: the SUT answers `unsupported`. */
static int read_upper(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *word = json_string_value(value);
    enum tl_upper_layer upper = TL_UPPER_RAW;

    if (word == NULL)
        return fal_misfit_say(wrong, "expected a text");
    while (upper < TL_UPPERS && strcmp(upper_words[upper], word) != 0)
        upper++;
    if (out != NULL)
        memcpy(out, &upper, sizeof upper);
    return 0;
}

const struct fal_shape tl_proto_upper = {
    .kind = FAL_SHAPE_WORD, FAL_WORDS(upper_words), .read = read_upper};

const char *tl_protocol_upper(enum tl_upper_layer upper)
{
    return upper_words[upper];
}

/* ---- commands ---- */

#define C struct tl_protocol_command
#define COMMAND(word)                                           \
    {"id", &tl_proto_id, FAL_MUST, FAL_AT(C, id)},              \
        {"epoch", &tl_proto_epoch, FAL_MUST, FAL_AT(C, epoch)}, \
    {                                                           \
        "do", FAL_ONE_WORD(word), .flags = FAL_MUST             \
    }
#define VERB(kind_, word)                                                                 \
    [FAL_VERBS_##kind_] = {                                                               \
        LINE,                                                                             \
        .members = (const struct fal_member[]){COMMAND(word),                             \
                                               {"", &fal_verbs_shapes[FAL_VERBS_##kind_], \
                                                .flags = FAL_MUST | FAL_FLAT}},           \
        .num_members = 4}

const struct fal_shape tl_proto_verbs[FAL_VERBS_COMMANDS] = {
    VERB(PD_CREATE, "pd_create"),   VERB(CQ_CREATE, "cq_create"),
    VERB(SRQ_CREATE, "srq_create"), VERB(MR_REG, "mr_reg"),
    VERB(MR_DEREG, "mr_dereg"),     VERB(MR_FILL, "mr_fill"),
    VERB(MR_HASH, "mr_hash"),       VERB(MR_WORD, "mr_word"),
    VERB(QP_CREATE, "qp_create"),   VERB(QP_CONNECT, "qp_connect"),
    VERB(AH_CREATE, "ah_create"),   VERB(QP_QUERY, "qp_query"),
    VERB(POST_SEND, "post_send"),   VERB(POST_RECV, "post_recv"),
    VERB(CQ_ARM, "cq_arm"),
};
#define V(kind) &tl_proto_verbs[FAL_VERBS_##kind]
const struct fal_shape tl_proto_verbs_commands = {
    .kind = FAL_SHAPE_ANY_OF,
    .name = "verbs_command",
    .doc = "A command of RDMA verbs.",
    FAL_OF(V(PD_CREATE), V(CQ_CREATE), V(SRQ_CREATE), V(MR_REG), V(MR_DEREG), V(MR_FILL),
           V(MR_HASH), V(MR_WORD), V(QP_CREATE), V(QP_CONNECT), V(AH_CREATE), V(QP_QUERY),
           V(POST_SEND), V(POST_RECV), V(CQ_ARM))};

/* ---- replies ---- */

#define REPLY(kind)                                                 \
    {                                                               \
        "", &fal_verbs_replies[FAL_VERBS_##kind], .flags = FAL_FLAT \
    }
static const struct fal_member reply_members[] = {
    REPLY(PD_CREATE), REPLY(CQ_CREATE), REPLY(SRQ_CREATE), REPLY(MR_REG),   REPLY(MR_HASH),
    REPLY(MR_WORD),   REPLY(QP_CREATE), REPLY(AH_CREATE),  REPLY(QP_QUERY), REPLY(POST_SEND)};
const struct fal_shape tl_proto_verbs_reply = {LINE, FAL_MEMBERS(reply_members)};

/* ---- events ---- */

#define E struct tl_protocol_event
#define EVENT(kind_, word)                                                                 \
    [FAL_VERBS_##kind_ - FAL_VERBS_COMMANDS] = {                                           \
        LINE,                                                                              \
        .members =                                                                         \
            (const struct fal_member[]){                                                   \
                {"seq", &tl_proto_seq, FAL_MUST, FAL_AT(E, seq)},                          \
                {"epoch", &tl_proto_epoch, FAL_MUST, FAL_AT(E, epoch)},                    \
                {"event", FAL_ONE_WORD(word), .flags = FAL_MUST},                          \
                {"", &fal_verbs_shapes[FAL_VERBS_##kind_], .flags = FAL_MUST | FAL_FLAT}}, \
        .num_members = 4}

static const struct fal_shape events[FAL_VERBS_KINDS - FAL_VERBS_COMMANDS] = {
    EVENT(WC, "wc"), EVENT(CQ_EVENT, "cq_event"), EVENT(ASYNC, "async")};
const struct fal_shape tl_proto_verbs_events = {.kind = FAL_SHAPE_ANY_OF,
                                                .name = "verbs_event",
                                                .doc = "An event of RDMA verbs.",
                                                FAL_OF(&events[0], &events[1], &events[2])};

int tl_proto_verbs_event_read(enum fal_verbs_kind word, const json_t *object,
                              struct tl_protocol_event *out, struct fal_misfit *wrong)
{
    out->kind = FAL_EV_VERBS;
    out->word = word;
    return fal_shape_read(&events[word - FAL_VERBS_COMMANDS], object, out, false, wrong);
}

json_t *tl_proto_verbs_event_write(const struct tl_protocol_event *event)
{
    json_t *line = fal_shape_write(&events[event->word - FAL_VERBS_COMMANDS], event);
    json_t *members = fal_verbs_write(event->verbs, false);

    if (line != NULL && members != NULL && json_object_update(line, members) == 0) {
        json_decref(members);
        return line;
    }
    json_decref(members);
    json_decref(line);
    return NULL;
}

/* ---- levels ---- */

unsigned tl_protocol_verbs_level(enum tl_do verb)
{
    if (verb == TL_DO_MR_FILL || verb == TL_DO_MR_HASH || verb == TL_DO_MR_WORD)
        return 3;
    return tl_protocol_is_verbs(verb) ? 2 : 0;
}

unsigned tl_protocol_verbs_levels(const json_t *list)
{
    unsigned most = 0;
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        const char *text = json_string_value(item);

        if (text != NULL && strcmp(text, "L2v") == 0 && most < 2)
            most = 2;
        if (text != NULL && strcmp(text, "L3v") == 0)
            most = 3;
    }
    return most;
}
