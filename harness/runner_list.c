/* SPDX-License-Identifier: Apache-2.0
 * runner_list.c - the suite as a list. */
#include "harness/runner.h"

enum { PATH_LEN = 4096 };

static json_t *ids(const struct tl_ids *covers)
{
    json_t *list = json_array();

    for (size_t i = 0; list != NULL && i < covers->count; i++)
        (void)json_array_append_new(list, json_string(covers->list[i]->id));
    return list;
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

json_t *tl_suite_list(void)
{
    char place[PATH_LEN];
    const char *path = place;
    struct tl_suite suite;
    json_t *list = NULL;

    if (!tl_suite_default(place, sizeof place))
        return NULL;
    if (tl_suite_read(&suite, &path, 1, stderr) == 0)
        list = json_array();
    for (size_t i = 0; list != NULL && i < suite.count; i++) {
        const struct tl_scenario *s = suite.list[i];

        if (json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:o}", "id",
                                            s->id, "title", s->title, "file", s->path, "class",
                                            tl_class_name(s->kind), "version", (int)s->version,
                                            "covers", ids(&s->covers), "exercises", rules(s),
                                            "tags", words(s->tags, s->num_tags))) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    tl_suite_free(&suite);
    return list;
}
