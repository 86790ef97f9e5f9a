/* SPDX-License-Identifier: Apache-2.0
 * diff_table.c - the members of the differences of two results.
 */
#include "reports/results/diff.h"

static const struct fal_member counts_members[] = {
    {"new failure", &fal_shape_uint, .flags = FAL_MUST},
    {"newly undecided", &fal_shape_uint, .flags = FAL_MUST},
    {"fails otherwise", &fal_shape_uint, .flags = FAL_MUST},
    {"no longer run", &fal_shape_uint, .flags = FAL_MUST},
    {"gone", &fal_shape_uint, .flags = FAL_MUST},
    {"new warning", &fal_shape_uint, .flags = FAL_MUST},
    {"fixed", &fal_shape_uint, .flags = FAL_MUST},
    {"new case", &fal_shape_uint, .flags = FAL_MUST},
    {"runs again", &fal_shape_uint, .flags = FAL_MUST},
};
static const struct fal_shape counts = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(counts_members)};
static const char *const change_words[] = {
    "new failure", "newly undecided", "fails otherwise", "no longer run", "gone",
    "new warning", "fixed",           "new case",        "runs again"};
static const struct fal_shape change = {.kind = FAL_SHAPE_WORD, FAL_WORDS(change_words)};
static const struct fal_member change_members[] = {
    {"change", &change, .flags = FAL_MUST},
    {"case", &fal_shape_text, .flags = FAL_MUST},
    {"was", &fal_shape_text, .flags = FAL_MUST,
     .doc = "verdict with its reason, or disposition with its reason, or absent"},
    {"is", &fal_shape_text, .flags = FAL_MUST, .doc = "likewise"},
};
static const struct fal_shape change2 = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(change_members)};
static const struct fal_shape changes = {.kind = FAL_SHAPE_LIST, FAL_OF(&change2)};
static const struct fal_member file_members[] = {
    {"schema", FAL_ONE_WORD(TL_DIFF_SCHEMA), .flags = FAL_MUST},
    {"counts", &counts, .flags = FAL_MUST, .doc = "how many cases of each change"},
    {"changes", &changes, .flags = FAL_MUST,
     .doc = "regressions first; cases of one kind of change sorted by name"},
};
const struct fal_shape tl_diff_shape = {
    .kind = FAL_SHAPE_OBJECT,
    FAL_MEMBERS(file_members),
    .doc =
        "What talon diff --format json writes: the changes between two results, case by case."};
