/* SPDX-License-Identifier: Apache-2.0
 * alphabet.h - the actions of `talon explore`, by theme. A theme is a small world: how its
 * connection is set up, and actions from which sequences are made. An action is a few steps of
 * the scenario language. */
#ifndef TL_HARNESS_SCENARIO_ALPHABET_H
#define TL_HARNESS_SCENARIO_ALPHABET_H

#include "harness/doc/doc.h"

#define TL_ALPHABET_SCHEMA "talon/alphabet/1"

enum { TL_THEMES_MAX = 16, TL_ACTIONS_MAX = 20, TL_ACTION_STEPS_MAX = 16 };

/* All texts and JSON values are borrowed from the document of the alphabet. */
struct tl_action {
    const char *name, *does;
    const json_t *steps; /* a list */
};

struct tl_theme {
    const char *name, *about;
    const char *tail; /* how long the connection is watched after the last action */
    const json_t *connection, *policy, *automatic, *impair; /* as in a scenario; NULL: none */
    struct tl_action *actions;
    size_t num_actions;
};

struct tl_alphabet {
    struct tl_doc doc;
    const json_t *connection; /* of themes that have none of their own, and of the product of
                                 the themes; NULL: none */
    struct tl_theme *themes;
    size_t num_themes;
};

/* Reads an alphabet. The steps of the actions are checked where they are used: only a whole
 * scenario can be checked. Returns 0, or FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`,
 * which names file, line and member. */
MUST_USE int tl_alphabet_load(const char *path, struct tl_alphabet *out, struct fal_error *err);
MUST_USE int tl_alphabet_read(const char *name, const char *text, size_t len,
                              struct tl_alphabet *out, struct fal_error *err);
void tl_alphabet_free(struct tl_alphabet *alphabet);

/* The members of an alphabet. */
extern const struct fal_shape tl_alphabet_shape;

#endif
