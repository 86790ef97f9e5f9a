/* SPDX-License-Identifier: Apache-2.0
 * alphabet.c - the members of an alphabet, and its reader. */
#include "harness/scenario/alphabet.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LEN = 40, ABOUT_MAX = 300 };

/* A name is a part of the ids of scenarios. */
static int read_name(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *name = json_string_value(value);
    size_t len = name != NULL ? strlen(name) : 0;

    if (len == 0 || len > NAME_MAX_LEN ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != len)
        return fal_misfit_say(wrong, "expected a name of lower-case letters, digits and '-', "
                                     "at most 40 characters");
    if (out != NULL)
        memcpy(out, &name, sizeof name);
    return 0;
}

static const struct fal_shape name = {.kind = FAL_SHAPE_TEXT,
                                      .min = 1,
                                      .max = NAME_MAX_LEN,
                                      .pattern = "^[a-z0-9-]+$",
                                      .read = read_name};
static const struct fal_shape about = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = ABOUT_MAX};
static const struct fal_shape step = {.kind = FAL_SHAPE_ANY};
static const struct fal_shape steps = {.kind = FAL_SHAPE_LIST,
                                       FAL_OF(&step),
                                       .min = 1,
                                       .max = TL_ACTION_STEPS_MAX,
                                       .keeps_json = true};
static const struct fal_shape setup = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, .keeps_json = true};
static const struct fal_shape rules = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&step), .max = 16, .keeps_json = true};

#define AT(field) FAL_AT(struct tl_action, field)
static const struct fal_member action_members[] = {
    {"name", &name, FAL_MUST, AT(name), .doc = "unique in its theme"},
    {"does", &about, FAL_MUST, AT(does), .doc = "what happens, in a sentence"},
    {"steps", &steps, FAL_MUST, AT(steps), .doc = "steps of the scenario language that act"},
};
#undef AT
static const struct fal_shape action = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(action_members)};
static const struct fal_shape actions = {.kind = FAL_SHAPE_LIST,
                                         FAL_OF(&action),
                                         .min = 1,
                                         .max = TL_ACTIONS_MAX,
                                         .item_size = sizeof(struct tl_action)};

#define AT(field) FAL_AT(struct tl_theme, field)
static const struct fal_member theme_members[] = {
    {"name", &name, FAL_MUST, AT(name), .doc = "for --theme; unique"},
    {"about", &about, FAL_MUST, AT(about), .doc = "what the theme is about, in a sentence"},
    {"tail", &about, 0, AT(tail),
     .doc = "how long the connection is watched after the last action; default $rto * 3"},
    {"connection", &setup, 0, AT(connection),
     .doc = "how the connection is set up, as in a scenario"},
    {"policy", &rules, 0, AT(policy),
     .doc = "rules of the SUT's upper layer, as in a scenario"},
    {"auto", &setup, 0, AT(automatic),
     .doc = "which parts the tester's endpoint plays by itself, as in a scenario"},
    {"impair", &setup, 0, AT(impair),
     .doc =
         "faults and delays of the network, as in a scenario; nothing that is left to chance"},
    {"actions", &actions, FAL_MUST, AT(actions), FAL_COUNT(struct tl_theme, num_actions)},
};
#undef AT
static const struct fal_shape theme = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(theme_members)};
static const struct fal_shape themes = {.kind = FAL_SHAPE_LIST,
                                        FAL_OF(&theme),
                                        .min = 1,
                                        .max = TL_THEMES_MAX,
                                        .item_size = sizeof(struct tl_theme)};

static const struct fal_member file_members[] = {
    {"$schema", &fal_shape_text, .flags = 0},
    {"schema", FAL_ONE_WORD(TL_ALPHABET_SCHEMA), .flags = FAL_MUST},
    {"connection", &setup, 0, FAL_AT(struct tl_alphabet, connection),
     .doc = "for themes without a connection, and for the product of all themes"},
    {"themes", &themes, FAL_MUST, FAL_AT(struct tl_alphabet, themes),
     FAL_COUNT(struct tl_alphabet, num_themes)},
};
const struct fal_shape tl_alphabet_shape = {
    .kind = FAL_SHAPE_OBJECT,
    .doc = "The themes of talon explore and their actions: talon explore --alphabet FILE.",
    FAL_MEMBERS(file_members)};

/* ---- reading ---- */

static int check_actions(const struct tl_doc *doc, const struct tl_path *at,
                         const struct tl_theme *of)
{
    for (size_t i = 0; i < of->num_actions; i++)
        for (size_t k = 0; k < i; k++) {
            struct tl_path list = {.up = at, .key = "actions"};
            struct tl_path here = {.up = &list, .index = i};

            if (strcmp(of->actions[i].name, of->actions[k].name) == 0)
                return tl_doc_fail(doc, &here,
                                   "two actions have the name '%s'; give each one "
                                   "of its own",
                                   of->actions[i].name);
        }
    return 0;
}

static int read_all(struct tl_alphabet *out)
{
    struct tl_path root = {0}, at = {.up = &root, .key = "themes"};
    int rc = tl_doc_shape(&out->doc, &root, out->doc.root, &tl_alphabet_shape, out);

    for (size_t i = 0; rc == 0 && i < out->num_themes; i++) {
        struct tl_path here = {.up = &at, .index = i};

        rc = check_actions(&out->doc, &here, &out->themes[i]);
        for (size_t k = 0; rc == 0 && k < i; k++)
            if (strcmp(out->themes[i].name, out->themes[k].name) == 0)
                rc = tl_doc_fail(&out->doc, &here,
                                 "two themes have the name '%s'; give each "
                                 "one of its own",
                                 out->themes[i].name);
    }
    return rc;
}

static int finish(struct tl_alphabet *out, int rc)
{
    if (rc == 0)
        rc = read_all(out);
    if (rc != 0)
        tl_alphabet_free(out);
    return rc;
}

int tl_alphabet_load(const char *path, struct tl_alphabet *out, struct fal_error *err)
{
    *out = (struct tl_alphabet){.num_themes = 0};
    return finish(out, tl_doc_open(&out->doc, path, TL_ALPHABET_SCHEMA, err));
}

int tl_alphabet_read(const char *name_of, const char *text, size_t len, struct tl_alphabet *out,
                     struct fal_error *err)
{
    *out = (struct tl_alphabet){.num_themes = 0};
    return finish(out, tl_doc_read(&out->doc, name_of, text, len, TL_ALPHABET_SCHEMA, err));
}

void tl_alphabet_free(struct tl_alphabet *alphabet)
{
    fal_shape_free(&tl_alphabet_shape, alphabet);
    tl_doc_close(&alphabet->doc);
    *alphabet = (struct tl_alphabet){.num_themes = 0};
}
