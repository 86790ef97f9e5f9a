/* SPDX-License-Identifier: Apache-2.0
 * protocol_lockstep.c - the messages of lockstep, beside commands and answers: a SUT in virtual
 * time gets its frames and its time by these. */
#include "harness/wire/protocol_impl.h"

#include <string.h>

#define M(field) FAL_AT(struct tl_lockstep_message, field)
static const struct fal_shape version = {.kind = FAL_SHAPE_UINT, .min = 1, .max = 1};
static const struct fal_shape ecn = {.kind = FAL_SHAPE_UINT, .max = 3};
static const struct fal_member begin_members[] = {
    {"do", FAL_ONE_WORD("begin"), .flags = FAL_MUST},
    {"version", &version, .flags = FAL_MUST},
    {"seed", &tl_proto_ns, FAL_MUST, M(seed)}};
static const struct fal_member frame_members[] = {
    {"do", FAL_ONE_WORD("frame"), .flags = FAL_MUST},
    {"at_ns", &tl_proto_ns, FAL_MUST, M(at_ns)},
    {"ecn", &ecn, 0, M(ecn)},
    {"ttl", &fal_shape_uint, 0, M(ttl)},
    {"bytes", &tl_proto_bytes, FAL_MUST, M(bytes)}};
static const struct fal_member advance_members[] = {
    {"do", FAL_ONE_WORD("advance"), .flags = FAL_MUST},
    {"until_ns", &tl_proto_ns, FAL_MUST, M(at_ns)}};
static const struct fal_shape shapes[] = {
    [TL_LOCKSTEP_BEGIN] = {LINE, .doc = "The first message.", FAL_MEMBERS(begin_members)},
    [TL_LOCKSTEP_FRAME] = {LINE, .doc = "A frame arrives.", FAL_MEMBERS(frame_members)},
    [TL_LOCKSTEP_ADVANCE] = {LINE, .doc = "Time passes.", FAL_MEMBERS(advance_members)},
};
const struct fal_shape tl_proto_lockstep = {
    .kind = FAL_SHAPE_ANY_OF,
    .name = "lockstep",
    .doc = "Messages of Talon to a SUT in lockstep, beside commands: they have no id and no "
           "epoch.",
    FAL_OF(&shapes[TL_LOCKSTEP_BEGIN], &shapes[TL_LOCKSTEP_FRAME],
           &shapes[TL_LOCKSTEP_ADVANCE])};

bool tl_lockstep_is(const json_t *object, enum tl_lockstep *what)
{
    const char *word = json_string_value(json_object_get(object, "do"));

    for (int i = TL_LOCKSTEP_BEGIN; word != NULL && i <= TL_LOCKSTEP_ADVANCE; i++) {
        if (strcmp(shapes[i].members[0].shape->words[0], word) != 0)
            continue;
        *what = (enum tl_lockstep)i;
        return json_object_get(object, "id") == NULL; /* a command has one */
    }
    return false;
}

int tl_lockstep_read(const json_t *object, enum tl_lockstep what,
                     struct tl_lockstep_message *out, struct fal_error *err)
{
    struct fal_misfit wrong;
    int rc = fal_shape_read(&shapes[what], object, out, false, &wrong);

    return rc == 0 ? 0
                   : fal_misfit_error(&wrong, rc, shapes[what].members[0].shape->words[0], err);
}

/* ---- what the SUT says ---- */

#define A(field) FAL_AT(struct tl_lockstep_answer, field)
static const struct fal_member sent_members[] = {
    {"frame", &tl_proto_bytes, FAL_MUST, A(frame)}};
static const struct fal_shape sent = {LINE, .doc = "A frame leaves.",
                                      FAL_MEMBERS(sent_members)};
static const char *const done_words[] = {"begin", "frame", "advance"};
static const struct fal_shape done = {
    .kind = FAL_SHAPE_WORD, FAL_WORDS(done_words), .keeps_json = true};

/* null: no timer runs. */
static int read_next(const json_t *value, void *out, struct fal_misfit *wrong)
{
    uint64_t next = FAL_NEVER;

    if (!json_is_null(value) && (!json_is_integer(value) || json_integer_value(value) < 0))
        return fal_misfit_say(wrong, "expected a time in ns, or null");
    if (json_is_integer(value))
        next = (uint64_t)json_integer_value(value);
    if (out != NULL)
        memcpy(out, &next, sizeof next);
    return 0;
}

static json_t *next_schema(void)
{
    return json_pack("{s:[s,s], s:i}", "type", "integer", "null", "minimum", 0);
}

static const struct fal_shape next_ns = {
    .kind = FAL_SHAPE_UINT, .read = read_next, .schema = next_schema};
static const struct fal_member done_members[] = {
    {"done", &done, FAL_MUST, A(done)},
    {"next_ns", &next_ns, FAL_MUST, A(next_ns),
     .doc = "when the next timer is due; null: no timer runs"}};
static const struct fal_shape done_line = {.kind = FAL_SHAPE_OBJECT,
                                           .skips_unknown = true,
                                           .doc = "The answer to a message is complete.",
                                           FAL_MEMBERS(done_members)};
const struct fal_shape tl_proto_lockstep_answer = {
    .kind = FAL_SHAPE_ANY_OF,
    .name = "lockstep_answer",
    .doc = "What a SUT in lockstep says, beside replies and events.",
    FAL_OF(&sent, &done_line)};

int tl_lockstep_done(const json_t *object, struct tl_lockstep_answer *out,
                     struct fal_error *err)
{
    struct fal_misfit wrong;
    int rc = fal_shape_read(&done_line, object, out, false, &wrong);

    return rc == 0 ? 0 : fal_misfit_error(&wrong, rc, "", err);
}
