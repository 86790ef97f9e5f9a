/* SPDX-License-Identifier: Apache-2.0
 * part_table.c - the members of the lines of a part. */
#include "harness/shards/part_impl.h"

#include "codecs/base/hex.h"
#include "oracles/catalogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UINT       &fal_shape_uint
#define WIDE       &fal_shape_wide
#define YES        &fal_shape_yes
#define OBJECT(m)  .kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(m)
#define LINE(word) "line", FAL_ONE_WORD(word), .flags = FAL_MUST

/* ---- values ---- */

static int read_ip(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);
    uint8_t bytes[16];
    uint64_t half[2] = {0, 0};
    fal_u128 ip;

    if (text == NULL || fal_hex_read(text, bytes, sizeof bytes) != sizeof bytes)
        return fal_misfit_say(wrong, "expected 32 hex digits");
    for (size_t i = 0; i < sizeof bytes; i++)
        half[i / 8] = half[i / 8] << 8 | bytes[i];
    ip = fal_u128_halves(half[0], half[1]);
    if (out != NULL)
        memcpy(out, &ip, sizeof ip);
    return 0;
}

static int write_ip(const void *in, json_t **out)
{
    fal_u128 ip;
    char text[40];

    memcpy(&ip, in, sizeof ip);
    (void)snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, fal_u128_hi(ip),
                   fal_u128_lo(ip));
    *out = json_string(text);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static int read_rule(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *id = json_string_value(value);
    const struct fal_rule *rule = id != NULL ? fal_rule_find(id) : NULL;

    if (rule == NULL)
        return fal_misfit_say(wrong, "expected the id of a rule");
    if (out != NULL)
        memcpy(out, &rule, sizeof(void *));
    return 0;
}

static int write_rule(const void *in, json_t **out)
{
    const struct fal_rule *rule;

    memcpy(&rule, in, sizeof(void *));
    *out = json_string(rule->id);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static int read_requirement(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *id = json_string_value(value);
    const struct fal_requirement *requirement = id != NULL ? fal_requirement_find(id) : NULL;

    if (requirement == NULL)
        return fal_misfit_say(wrong, "expected the id of a requirement");
    if (out != NULL)
        memcpy(out, &requirement->id, sizeof(char *));
    return 0;
}

static int write_requirement(const void *in, json_t **out)
{
    const char *id;

    memcpy(&id, in, sizeof(char *));
    *out = id != NULL ? json_string(id) : NULL;
    return id == NULL || *out != NULL ? 0 : FAL_ERR_MEM;
}

/* The bytes of a scene, which is `in`. */
static int read_bytes(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);
    struct tl_scene *scene = out, none;
    int len;

    if (scene == NULL)
        scene = &none;
    len = text != NULL ? fal_hex_read(text, scene->bytes, sizeof scene->bytes) : FAL_ERR_FORM;
    if (len < 0 || len > UINT8_MAX)
        return fal_misfit_say(wrong, "expected at most %d bytes in hex", TL_STORY_BYTES);
    scene->len = (uint8_t)len;
    return 0;
}

static int write_bytes(const void *in, json_t **out)
{
    const struct tl_scene *scene = in;
    char text[2 * TL_STORY_BYTES + 1];

    fal_hex_write(scene->bytes, scene->len, text);
    *out = json_string(text);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static int read_amb(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *name = json_string_value(value);

    for (unsigned i = 0; name != NULL && i < FAL_AMB_COUNT; i++) {
        enum fal_amb amb = (enum fal_amb)i;

        if (strcmp(fal_amb_name(amb), name) != 0)
            continue;
        if (out != NULL)
            memcpy(out, &amb, sizeof amb);
        return 0;
    }
    return fal_misfit_say(wrong, "expected an ambiguity that a rule distinguishes");
}

static int write_amb(const void *in, json_t **out)
{
    enum fal_amb amb;

    memcpy(&amb, in, sizeof amb);
    *out = json_string(fal_amb_name(amb));
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape ip = {
    .kind = FAL_SHAPE_TEXT, .pattern = "^[0-9a-f]{32}$", .read = read_ip, .write = write_ip};
static const struct fal_shape rule = {
    .kind = FAL_SHAPE_TEXT, .read = read_rule, .write = write_rule};
static const struct fal_shape requirement = {
    .kind = FAL_SHAPE_TEXT, .read = read_requirement, .write = write_requirement};
static const struct fal_shape bytes = {
    .kind = FAL_SHAPE_TEXT, .read = read_bytes, .write = write_bytes};
static const struct fal_shape amb = {
    .kind = FAL_SHAPE_TEXT, .read = read_amb, .write = write_amb};
static const struct fal_shape bit = {.kind = FAL_SHAPE_UINT, .min = 0, .max = 1};
static const struct fal_shape from_1 = {.kind = FAL_SHAPE_UINT, .min = 1};
static const struct fal_shape shard = {
    .kind = FAL_SHAPE_UINT, .min = 1, .max = TL_CHECK_SHARDS};

/* ---- the first line ---- */

#define H(field) FAL_AT(struct tl_parts_head, field)
#define N(field) FAL_AT(struct tl_parts_head, counts.field)
static const struct fal_member missed_members[] = {
    {"connection", UINT, FAL_MUST, FAL_AT(struct fal_missed, conn)},
    {"to_sut", &bit, FAL_MUST, FAL_AT(struct fal_missed, dir)},
    {"window", &bit, FAL_MUST, FAL_AT(struct fal_missed, window)},
    {"psn", UINT, FAL_MUST, FAL_AT(struct fal_missed, psn)},
    {"event", WIDE, FAL_MUST, FAL_AT(struct fal_missed, index)},
    {"frame", UINT, FAL_MUST, FAL_AT(struct fal_missed, frame)},
};
static const struct fal_shape missed = {OBJECT(missed_members)};
static const struct fal_member head_members[] = {
    {"schema", FAL_ONE_WORD(TL_PARTS_SCHEMA), .flags = FAL_MUST},
    {"tool", &fal_shape_text, FAL_MUST, H(tool), .doc = "version of talon"},
    {"form", &fal_shape_hex, FAL_MUST, H(form), .doc = "its rules: a hash"},
    {"shard", &shard, FAL_MUST, H(shard)},
    {"shards", &shard, FAL_MUST, H(shards)},
    {"options", &fal_shape_texts, FAL_MUST, H(about.words),
     FAL_COUNT(struct tl_parts_head, about.num_words), .doc = "about judging"},
    {"name", &fal_shape_text, FAL_MUST, H(about.name), .doc = "of the first capture"},
    {"heading", YES, 0, H(about.heading)},
    {"store", &fal_shape_hex, FAL_MUST, N(store),
     .doc = "the captures: a hash of the times and sizes of all frames"},
    {"both_ends", YES, 0, H(both_ends)},
    {"frames", WIDE, FAL_MUST, N(frames), .doc = "of all shards"},
    {"events", WIDE, FAL_MUST, N(index), .doc = "of all shards"},
    {"first_ns", WIDE, FAL_MUST, N(first_ns)},
    {"last_ns", WIDE, FAL_MUST, N(last_ns)},
    {"dropped", WIDE, FAL_MUST, N(dropped)},
    {"dropped_late", YES, 0, N(dropped_late)},
    {"out_of_order", WIDE, FAL_MUST, N(disorder)},
    {"packets", WIDE, FAL_MUST, N(packets), .doc = "of this shard, as all that follows"},
    {"no_falcon", WIDE, FAL_MUST, N(strangers)},
    {"damaged", WIDE, FAL_MUST, N(damaged)},
    {"doubles", WIDE, FAL_MUST, N(doubles)},
    {"unnamed", WIDE, FAL_MUST, N(unnamed)},
    {"findings_not_listed", WIDE, FAL_MUST, N(lost_findings)},
    {"missed", &missed, 0, N(missed), FAL_HAS(struct tl_parts_head, counts.missed.found)},
};
static const struct fal_shape head = {OBJECT(head_members)};

/* ---- connections ---- */

#define T(field) FAL_AT(struct tl_host, field)
static const struct fal_member host_members[] = {
    {"ip", &ip, FAL_MUST, T(ip)},
    {"v6", YES, 0, T(v6)},
    {"port", UINT, 0, T(port)},
};
static const struct fal_shape host = {OBJECT(host_members)};
#define C(field) FAL_AT(struct tl_check_conn, field)
static const struct fal_member conn_members[] = {
    {LINE("connection")},
    {"sut_cid", UINT, 0, C(setup.sut.cid)},
    {"tester_cid", UINT, 0, C(setup.tester.cid)},
    {"sut", &host, FAL_MUST, C(host[0])},
    {"tester", &host, FAL_MUST, C(host[1])},
    {"sut_known", YES, 0, C(known[0])},
    {"tester_known", YES, 0, C(known[1])},
    {"given", YES, 0, C(given)},
    {"sut_told", YES, 0, C(told[0])},
    {"tester_told", YES, 0, C(told[1])},
    {"uncertain", YES, 0, C(uncertain)},
    {"sut_heard", YES, 0, C(heard[0])},
    {"tester_heard", YES, 0, C(heard[1])},
    {"over", YES, 0, C(over)},
    {"sut_listed", YES, 0, C(listed[0])},
    {"tester_listed", YES, 0, C(listed[1])},
    {"born", WIDE, 0, C(born)},
    {"sut_listed_at", WIDE, 0, C(listed_at[0])},
    {"tester_listed_at", WIDE, 0, C(listed_at[1])},
};
static const struct fal_shape conn = {OBJECT(conn_members)};

/* ---- what judges counted ---- */

#define K(field) FAL_AT(struct tl_parts_counts, field)
static const struct fal_shape count_list = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&fal_shape_wide), .item_size = sizeof(uint64_t)};
static const struct fal_member counts_members[] = {
    {LINE("counts")},
    {"judge", &bit, 0, K(judge)},
    {"connection", &from_1, FAL_MUST, K(conn)},
    {"counts", &count_list, FAL_MUST, K(list), FAL_COUNT(struct tl_parts_counts, num),
     .doc = "which, and how much, by turns"},
};
static const struct fal_shape counts = {OBJECT(counts_members)};

#define M(field) FAL_AT(struct tl_parts_measured, field)
static const struct fal_shape measured_list = {.kind = FAL_SHAPE_LIST,
                                               FAL_OF(&fal_shape_wide),
                                               .item_size = sizeof(uint64_t),
                                               .in_place = true,
                                               .min = TL_PARTS_MEASURED,
                                               .max = TL_PARTS_MEASURED};
static const struct fal_member measured_members[] = {
    {LINE("measured")},
    {"judge", &bit, 0, M(judge)},
    {"counts", &measured_list, FAL_MUST, M(list), FAL_COUNT(struct tl_parts_measured, num)},
};
static const struct fal_shape measured = {OBJECT(measured_members)};

#define A(field) FAL_AT(struct fal_at, field)
static const struct fal_member at_members[] = {
    {"event", WIDE, 0, A(index)},   {"t_ns", WIDE, 0, A(t_ns)},
    {"frame", UINT, 0, A(frame)},   {"error", UINT, 0, A(error_ns)},
    {"origin", UINT, 0, A(origin)},
};
static const struct fal_shape at = {OBJECT(at_members)};
#define R(field) FAL_AT(struct tl_parts_reading, reading.field)
static const struct fal_shape out_set = {.kind = FAL_SHAPE_UINT, .min = 0, .max = FAL_READ_ANY};
static const struct fal_member reading_members[] = {
    {LINE("reading")},
    {"judge", &bit, 0, FAL_AT(struct tl_parts_reading, judge)},
    {"end", &bit, 0, R(end)},
    {"id", &amb, FAL_MUST, R(amb)},
    {"window", &bit, 0, R(window)},
    {"own", YES, 0, R(own)},
    {"given", YES, 0, R(given)},
    {"out", &out_set, 0, R(out)},
    {"since", WIDE, 0, R(since)},
    {"by", &at, 0, R(by)},
    {"left", WIDE, 0, R(left)},
    {"any", WIDE, 0, R(any)},
    {"cited", WIDE, 0, R(cited)},
};
static const struct fal_shape reading = {OBJECT(reading_members)};

/* ---- findings ---- */

#define P(field) FAL_AT(struct tl_message_part, field)
static const struct fal_shape kind_of_message = {
    .kind = FAL_SHAPE_UINT, .min = 0, .max = TL_MESSAGE_ATOMIC};
static const struct fal_member message_members[] = {
    {"message", WIDE, 0, P(message)},
    {"first_at", WIDE, 0, P(first_at)},
    {"kind", &kind_of_message, 0, P(kind)},
    {"offset", WIDE, 0, P(offset)},
    {"bytes", WIDE, 0, P(bytes)},
    {"len", UINT, 0, P(len)},
    {"packets", UINT, 0, P(packets)},
    {"has_offset", YES, 0, P(has_offset)},
    {"whole", YES, 0, P(whole)},
    {"copy", YES, 0, P(copy)},
    {"response", YES, 0, P(response)},
};
static const struct fal_shape message = {OBJECT(message_members)};
#define S(field) FAL_AT(struct tl_scene, field)
static const struct fal_member scene_members[] = {
    {"event", WIDE, 0, S(index)},
    {"t_ns", WIDE, 0, S(t_ns)},
    {"connection", UINT, 0, S(conn)},
    {"frame", UINT, 0, S(frame)},
    {"payload", UINT, 0, S(payload_len)},
    {"packet", YES, 0, S(packet)},
    {"to_first", YES, 0, S(to_first)},
    {"evidence", YES, 0, S(evidence)},
    {"continues", YES, 0, S(continues)},
    {"in_message", YES, 0, S(in_message)},
    {"part", &message, 0, S(part)},
    {"bytes", &bytes, FAL_MUST, .at = 0, .size = sizeof(struct tl_scene)},
};
static const struct fal_shape scene = {OBJECT(scene_members)};
static const struct fal_shape scenes = {.kind = FAL_SHAPE_LIST,
                                        FAL_OF(&scene),
                                        .item_size = sizeof(struct tl_scene),
                                        .max = TL_SCENES_MAX};
#define F(field) FAL_AT(struct tl_parts_finding, found.field)
static const struct fal_shape evidence = {.kind = FAL_SHAPE_LIST,
                                          FAL_OF(&fal_shape_wide),
                                          .item_size = sizeof(uint64_t),
                                          .in_place = true,
                                          .max = FAL_EVIDENCE_MAX};
static const struct fal_shape frames = {.kind = FAL_SHAPE_LIST,
                                        FAL_OF(&fal_shape_uint),
                                        .item_size = sizeof(uint32_t),
                                        .in_place = true,
                                        .max = FAL_EVIDENCE_MAX};
static const struct fal_shape step = {.kind = FAL_SHAPE_INT};
static const struct fal_member finding_members[] = {
    {LINE("finding")},
    {"rule", &rule, FAL_MUST, F(finding.rule)},
    {"requirement", &requirement, 0, F(finding.requirement)},
    {"subject", &bit, 0, F(finding.subject)},
    {"end", &bit, 0, F(finding.end)},
    {"side", &bit, 0, F(side)},
    {"connection", UINT, 0, F(finding.conn)},
    {"t_ns", WIDE, 0, F(finding.t_ns)},
    {"events", &evidence, FAL_MUST, F(finding.evidence),
     FAL_COUNT(struct tl_parts_finding, found.finding.num_evidence)},
    {"frames", &frames, FAL_MUST, F(finding.evidence_frames),
     FAL_COUNT(struct tl_parts_finding, num_frames)},
    {"step", &step, FAL_ALWAYS, F(finding.step)},
    {"asked", YES, 0, F(finding.asked)},
    {"warn", YES, 0, F(finding.warn)},
    {"expected", &fal_shape_name, FAL_MUST, F(finding.expected)},
    {"seen", &fal_shape_name, FAL_MUST, F(finding.seen)},
    {"event", WIDE, FAL_MUST, F(index)},
    {"listed_at", WIDE, 0, F(listed_at)},
    {"call", UINT, 0, F(call)},
    {"packets", &scenes, 0, FAL_AT(struct tl_parts_finding, scenes),
     FAL_COUNT(struct tl_parts_finding, num_scenes)},
};
static const struct fal_shape finding = {OBJECT(finding_members)};

/* ---- files ---- */

static const struct fal_member end_members[] = {
    {LINE("end")},
    {"lines", WIDE, FAL_MUST, FAL_AT(struct tl_parts_end, lines), .doc = "before this one"},
};
static const struct fal_shape end = {OBJECT(end_members)};

const struct fal_shape *const tl_parts_shapes[TL_PARTS_KINDS] = {
    [TL_PARTS_HEAD] = &head,       [TL_PARTS_CONN] = &conn,
    [TL_PARTS_COUNTS] = &counts,   [TL_PARTS_MEASURES] = &measured,
    [TL_PARTS_READING] = &reading, [TL_PARTS_FINDING] = &finding,
    [TL_PARTS_END] = &end,
};
const char *const tl_parts_words[TL_PARTS_KINDS] = {
    [TL_PARTS_CONN] = "connection",   [TL_PARTS_COUNTS] = "counts",
    [TL_PARTS_MEASURES] = "measured", [TL_PARTS_READING] = "reading",
    [TL_PARTS_FINDING] = "finding",   [TL_PARTS_END] = "end",
};
const struct fal_shape tl_parts_shape = {
    .kind = FAL_SHAPE_ANY_OF,
    FAL_OF(&head, &conn, &counts, &measured, &reading, &finding, &end),
    .doc = "A line; the first one names the schema, the last one is that of the end."};

static const struct fal_member readings_members[] = {
    {"schema", FAL_ONE_WORD(TL_PARTS_READINGS_SCHEMA), .flags = FAL_MUST},
    {"shards", &shard, FAL_MUST, FAL_AT(struct tl_parts_readings_head, shards)},
    {"form", &fal_shape_hex, FAL_MUST, FAL_AT(struct tl_parts_readings_head, form)},
};
const struct fal_shape tl_parts_readings_head_shape = {OBJECT(readings_members)};
const struct fal_shape tl_parts_readings_shape = {
    .kind = FAL_SHAPE_ANY_OF,
    FAL_OF(&tl_parts_readings_head_shape, &reading),
    .doc = "A line; the first one names the schema."};

/* ---- lines ---- */

int tl_parts_read_line(const struct fal_shape *shape, const json_t *line, void *out,
                       const char *path, uint64_t number, struct fal_error *err)
{
    struct fal_misfit wrong = {.depth = 0};
    char what[200];
    int rc = fal_shape_read(shape, line, out, false, &wrong);

    if (rc == 0)
        return 0;
    (void)snprintf(what, sizeof what, "%.150s:%" PRIu64, path, number);
    return fal_misfit_error(&wrong, rc, what, err);
}

int tl_parts_print_line(const struct fal_shape *shape, const void *in, FILE *out)
{
    struct fal_shape_text text = {.text = NULL};
    int rc = fal_shape_print(shape, in, &text);

    if (rc == 0 && fwrite(text.text, 1, text.len, out) != text.len)
        rc = FAL_ERR_IO;
    free(text.text);
    return rc;
}
