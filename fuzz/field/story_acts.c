/* SPDX-License-Identifier: Apache-2.0
 * story_acts.c - the commands to the upper layer of the SUT, from the timeline of the run or
 * from a file of upper-layer events, as steps of a scenario. */
#include "fuzz/field/story.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct fld_story *story;
    uint64_t first_ns; /* of the capture */
    int64_t offset_ns; /* to the clock of the capture */
    bool timeline;
    bool any_packet; /* of a timeline: */
    size_t packets;  /* of the connection, so far */
    json_int_t conn; /* its number; 0: not known yet */
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* ---- a command as a step ---- */

static json_t *words_of(const json_t *value);

/* Times of the control protocol end in _ns; in a scenario they are texts with a unit. */
static int put_word(json_t *to, const char *key, const json_t *value)
{
    static const char *const ours[] = {"id", "epoch", "conn", "seed", "tag"};
    size_t len = strlen(key);
    char name[64], time[32];

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(key, ours[i]) == 0)
            return 0;
    if (len <= 3 || len >= sizeof name || strcmp(key + len - 3, "_ns") != 0 ||
        !json_is_integer(value))
        return json_object_set_new(to, key, words_of(value));
    (void)snprintf(name, sizeof name, "%.*s", (int)(len - 3), key);
    (void)snprintf(time, sizeof time, "%" JSON_INTEGER_FORMAT "ns", json_integer_value(value));
    return json_object_set_new(to, name, json_string(time));
}

/* NULL: out of memory. */
static json_t *words_of(const json_t *value)
{
    json_t *out, *item;
    const char *key;
    size_t i;

    if (json_is_array(value)) {
        out = json_array();
        json_array_foreach(value, i, item)
        {
            if (json_array_append_new(out, words_of(item)) != 0) {
                json_decref(out);
                return NULL;
            }
        }
        return out;
    }
    if (!json_is_object(value))
        return json_deep_copy(value);
    out = json_object();
    json_object_foreach((json_t *)value, key, item)
    {
        if (put_word(out, key, item) != 0) {
            json_decref(out);
            return NULL;
        }
    }
    return out;
}

/* The step that gives a command; NULL where none does. */
static const char *verb_of(const char *act)
{
    static const struct {
        const char *act, *verb;
    } steps[] = {{"post", "ulp"}, {"respond", "ulp"}, {"policy", "ulp"},
                 {"set", "cm"},   {"close", "cm"},    {"rotate_keys", "cm"}};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strcmp(act, steps[i].act) == 0)
            return steps[i].verb;
    return strncmp(act, "cc_", 3) == 0 ? "cc" : NULL;
}

static bool add(struct fld_story *story, size_t before, uint64_t t_ns, json_t *step)
{
    size_t cap = story->cap_acts == 0 ? 16 : story->cap_acts * 2;
    struct fld_act *grown = story->acts;

    if (step != NULL && story->num_acts == story->cap_acts) {
        grown = realloc(story->acts, cap * sizeof *grown);
        if (grown != NULL) {
            story->acts = grown;
            story->cap_acts = cap;
        }
    }
    if (step == NULL || grown == NULL) {
        json_decref(step);
        return false;
    }
    story->acts[story->num_acts++] = (struct fld_act){before, t_ns, step};
    return true;
}

/* Takes a command: an RSN counts from the first of the tester. */
static bool take_command(struct reading *r, const json_t *command, uint64_t t_ns, size_t before)
{
    const char *verb = verb_of(text_of(command, "do")), *conn = text_of(command, "conn");
    const json_t *rsn = json_object_get(command, "rsn");
    json_t *words;
    char number[24];

    if (verb == NULL || (conn[0] != 0 && r->story->finding.setup.name[0] != 0 &&
                         strcmp(conn, r->story->finding.setup.name) != 0))
        return true;
    words = words_of(command);
    if (words == NULL)
        return false;
    if (json_is_integer(rsn)) {
        (void)snprintf(number, sizeof number, "%" PRIu32 "r",
                       (uint32_t)json_integer_value(rsn) - r->story->finding.setup.tester.rsn);
        (void)json_object_set_new(words, "rsn", json_string(number));
    }
    return add(r->story, before, t_ns, json_pack("{s:o}", verb, words));
}

/* ---- the file ---- */

/* The first frame of the story that was captured no earlier. */
static size_t frame_at(const struct fld_story *story, uint64_t t_ns)
{
    size_t i = 0;

    while (i < story->num_frames && story->frames[i].t_ns < t_ns)
        i++;
    return i;
}

/* In a timeline the order of lines says between which packets the command was given. */
static bool take_timeline(struct reading *r, const json_t *line, uint64_t t_ns)
{
    const char *event = text_of(line, "event");
    json_int_t conn = json_integer_value(json_object_get(line, "conn"));
    json_t *command;
    bool good;

    if (strcmp(event, "connection") == 0 &&
        strcmp(text_of(line, "name"), r->story->finding.setup.name) == 0)
        r->conn = conn;
    if (strcmp(event, "packet") == 0) {
        if (!r->any_packet)
            r->offset_ns = -(int64_t)t_ns;
        r->any_packet = true;
        r->packets += conn == r->conn;
    }
    if (strcmp(event, "command") != 0)
        return true;
    command = json_loads(text_of(line, "text"), 0, NULL);
    good =
        command == NULL ||
        take_command(r, command, r->any_packet ? (uint64_t)((int64_t)t_ns + r->offset_ns) : 0,
                     r->packets < r->story->num_frames ? r->packets : r->story->num_frames);
    json_decref(command);
    return good;
}

static bool take_line(struct reading *r, const json_t *line)
{
    const char *schema = text_of(line, "schema");
    uint64_t t_ns = (uint64_t)json_integer_value(json_object_get(line, "t_ns"));

    if (schema[0] != 0) {
        r->timeline = strncmp(schema, "talon/timeline/", 15) == 0;
        r->offset_ns = json_integer_value(json_object_get(line, "offset_ns"));
        return true;
    }
    if (r->timeline)
        return take_timeline(r, line, t_ns);
    t_ns = (uint64_t)((int64_t)t_ns + r->offset_ns);
    t_ns = t_ns > r->first_ns ? t_ns - r->first_ns : 0;
    return json_object_get(line, "do") == NULL ||
           take_command(r, line, t_ns, frame_at(r->story, t_ns));
}

int fld_story_acts(const char *path, struct fld_story *story, uint64_t first_ns,
                   struct fal_error *err)
{
    struct reading r = {.story = story, .first_ns = first_ns};
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t cap = 0;
    bool good = true;

    if (in == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%.200s cannot be read", path);
    while (good && getline(&text, &cap, in) > 0) {
        json_t *line = json_loads(text, 0, NULL);

        good = line == NULL || take_line(&r, line); /* talon check has reported errors */
        json_decref(line);
    }
    free(text);
    (void)fclose(in);
    story->has_acts = true;
    return good ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}
