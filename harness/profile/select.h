/* SPDX-License-Identifier: Apache-2.0
 * select.h - selects cases by id, tag, requirement, chapter of the specification and class.
 * Patterns of one kind are alternatives. A case must match every kind. A pattern with '!'
 * excludes. */
#ifndef TL_HARNESS_PROFILE_SELECT_H
#define TL_HARNESS_PROFILE_SELECT_H

#include "codecs/base/error.h"
#include "harness/scenario/scenario.h"

enum tl_select_kind {
    TL_SELECT_ID,          /* glob over the case's id, or its scenario's */
    TL_SELECT_TAG,         /* glob */
    TL_SELECT_REQUIREMENT, /* glob over what the scenario covers */
    TL_SELECT_CHAPTER,     /* "9.1" takes 9.1 and 9.1.x of the transport specification;
                              "RDMA-6.4" of another */
    TL_SELECT_CLASS,       /* valid, invalid, inopportune */
    TL_SELECT_KINDS,
};

/* "id", "tag", "requirement", "chapter", "class". */
const char *tl_select_kind_name(enum tl_select_kind kind);

enum { TL_SELECT_MAX = 4096 }; /* a profile may name each case of the suite */

struct tl_select {
    struct {
        enum tl_select_kind kind;
        const char *pattern; /* without its '!'; borrowed */
        bool excluded;
    } list[TL_SELECT_MAX];
    size_t count;
};

/* 0; FAL_ERR_FORM with `err` (an empty pattern, no such class), FAL_ERR_RANGE (too many). */
MUST_USE int tl_select_add(struct tl_select *select, enum tl_select_kind kind, const char *text,
                           struct fal_error *err);

/* Whether the case with that id is selected. */
bool tl_select_takes(const struct tl_select *select, const struct tl_scenario *scenario,
                     const char *id);

/* Whether a case with that id, of the file with that id, may be selected: false if the patterns
 * of ids alone exclude it. */
bool tl_select_admits(const struct tl_select *select, const char *file_id, const char *id);

/* Whether the chapter, as --chapter has it, contains the requirement. */
bool tl_select_in_chapter(const char *chapter, const struct fal_requirement *requirement);

/* Whether the pattern of --id names the case. */
bool tl_select_id_fits(const char *pattern, const struct tl_scenario *scenario, const char *id);

/* Whether the case is selected by its name, or the tag `soak` is: a scenario with that tag
 * takes long, and is only played then. */
bool tl_select_names(const struct tl_select *select, const struct tl_scenario *scenario,
                     const char *id);
#define TL_TAG_SOAK "soak"
bool tl_select_soaks(const struct tl_scenario *scenario);

#endif
