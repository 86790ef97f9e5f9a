/* SPDX-License-Identifier: Apache-2.0
 * suite_list.c - the suite as a list. */
#include "codecs/base/nearest.h"
#include "harness/profile/profile.h"
#include "harness/suite/plan.h"
#include "harness/suite/suite_level.h"

#include <glob.h>
#include <string.h>

enum { PATH_LEN = 4096 };

static json_t *ids(const struct tl_ids *covers)
{
    json_t *list = json_array();

    for (size_t i = 0; list != NULL && i < covers->count; i++)
        (void)json_array_append_new(list, json_string(covers->list[i]->id));
    return list;
}

/* By the id of each requirement that the scenario covers: at which levels it is decided. */
static json_t *levels(const struct tl_scenario *s)
{
    json_t *object = json_object();

    for (size_t i = 0; object != NULL && i < s->covers.count; i++) {
        unsigned bits = tl_scenario_levels(s, s->covers.list[i]);
        json_t *list = json_array();

        for (unsigned level = 0; level < TL_LEVELS; level++)
            if ((bits >> level & 1U) != 0)
                (void)json_array_append_new(list,
                                            json_string(tl_level_name((enum tl_level)level)));
        (void)json_object_set_new(object, s->covers.list[i]->id, list);
    }
    return object;
}

static json_t *rules(const struct tl_scenario *s)
{
    json_t *list = json_array();

    for (size_t i = 0; list != NULL && i < s->num_exercises; i++)
        (void)json_array_append_new(list, json_string(s->exercises[i]->id));
    return list;
}

static json_t *words(const char *const *text, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; list != NULL && i < n; i++)
        (void)json_array_append_new(list, json_string(text[i]));
    return list;
}

/* Of each file its first case is enough. */
static bool no_other(const void *ctx, const char *file_id, const char *id)
{
    (void)ctx;
    (void)file_id;
    (void)id;
    return false;
}

json_t *tl_suite_list(void)
{
    static const struct tl_wanted first = {.takes = no_other};
    static const struct tl_reading_how how = {.jobs = 1, .wanted = &first};

    char place[PATH_LEN];
    const char *path = place;
    struct tl_suite suite;
    json_t *list = NULL;

    if (!tl_suite_default(place, sizeof place))
        return NULL;
    if (tl_suite_read(&suite, &path, 1, &how, stderr) == 0)
        list = json_array();
    for (size_t i = 0; list != NULL && i < suite.count; i++) {
        const struct tl_scenario *s = suite.list[i];

        if (i > 0 && strcmp(suite.list[i - 1]->file_id, s->file_id) == 0)
            continue; /* another case of it */
        if (json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o}", "id",
                                s->file_id, "title", s->title, "file", s->path, "class",
                                tl_class_name(s->kind), "version", (int)s->version, "covers",
                                ids(&s->covers), "levels", levels(s), "exercises", rules(s),
                                "tags", words(s->tags, s->num_tags))) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    tl_suite_free(&suite);
    return list;
}

static json_t *needs(const struct tl_scenario *s)
{
    json_t *list = json_array();
    char text[200];

    for (size_t i = 0; list != NULL && i < s->num_needs; i++) {
        tl_ics_condition_print(&s->needs[i], text, sizeof text);
        (void)json_array_append_new(list, json_string(text));
    }
    return list;
}

json_t *tl_suite_cases(void)
{
    static const struct tl_reading_how how = {.jobs = 1};
    static const struct tl_plan_by all = {.n = 0};

    char place[PATH_LEN];
    const char *path = place;
    struct tl_suite suite;
    struct tl_plan plan = {.cases = NULL};
    json_t *list = NULL;

    if (!tl_suite_default(place, sizeof place))
        return NULL;
    if (tl_suite_read(&suite, &path, 1, &how, stderr) == 0 &&
        tl_plan_make(&plan, &suite, &all, (struct tl_shard){0, 0}) == 0)
        list = json_array();
    for (size_t i = 0; list != NULL && i < plan.num_cases; i++) {
        const struct tl_scenario *s = plan.cases[i].scenario;

        if (json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}",
                                                  "id", plan.cases[i].id, "scenario",
                                                  s->file_id, "title", s->title, "file",
                                                  s->path, "class", tl_class_name(s->kind),
                                                  "tags", words(s->tags, s->num_tags), "needs",
                                                  needs(s), "covers", ids(&s->covers))) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    tl_plan_free(&plan);
    tl_suite_free(&suite);
    return list;
}

json_t *tl_suite_profiles(void)
{
    char pattern[PATH_LEN + 32], place[PATH_LEN];
    glob_t found;
    json_t *list = json_array();

    if (list == NULL || !tl_suite_default(place, sizeof place)) {
        json_decref(list);
        return NULL;
    }
    (void)snprintf(pattern, sizeof pattern, "%s/profiles/*.json", place);
    if (glob(pattern, 0, NULL, &found) != 0)
        return list;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct tl_profile profile;
        struct fal_error err;

        if (tl_profile_load(found.gl_pathv[i], &profile, &err) != 0) {
            fprintf(stderr, "%s\n", err.text);
            continue;
        }
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s}", "name", profile.name, "certifies",
                            profile.certify.given ? "yes" : "no", "title", profile.title,
                            "file", found.gl_pathv[i]));
        tl_profile_free(&profile);
    }
    globfree(&found);
    return list;
}

int tl_suite_no_profile(const char *name, struct fal_error *err)
{
    struct fal_nearest_list nearest = {.word = name};
    char suite[PATH_LEN];
    json_t *profiles, *profile;
    size_t i;

    if (!tl_suite_default(suite, sizeof suite))
        return fal_fail(err, FAL_ERR_FORM,
                        "--profile: '%.80s' is not found, because no suite is beside the "
                        "program; run the program of build/ or of an installation, or name the "
                        "file of the profile",
                        name);
    profiles = tl_suite_profiles();
    json_array_foreach(profiles, i, profile)
        fal_nearest_add(&nearest, json_string_value(json_object_get(profile, "name")));
    (void)fal_fail(err, FAL_ERR_FORM, "--profile: no profile '%.80s'%s (talon list profiles)",
                   name, fal_hint(nearest.names[0], "").text);
    json_decref(profiles);
    return FAL_ERR_FORM;
}
