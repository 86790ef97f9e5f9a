/* SPDX-License-Identifier: Apache-2.0
 * suite.h - the files of a suite: scenarios and profiles, where they are, and lists of them. */
#ifndef TL_HARNESS_RUN_SUITE_H
#define TL_HARNESS_RUN_SUITE_H

#include "codecs/base/error.h"
#include "harness/scenario/scenario.h"

#include <jansson.h>
#include <stdio.h>

struct tl_suite {
    struct tl_scenario **list; /* cases */
    size_t count, cap;
    size_t files, bad_files, checked; /* files; cases in order */
};

/* Reads the scenarios of files and directories (all *.json below, but not below schema/ and
 * profiles/), sorted by path, with so many threads at most; what is wrong goes to `errors`, one
 * line each. When they are only checked, the list holds a case of each file. 0, or
 * FAL_ERR_MEM. */
MUST_USE int tl_suite_read(struct tl_suite *suite, const char *const *paths, size_t n,
                           unsigned jobs, bool only_check, FILE *errors);
void tl_suite_free(struct tl_suite *suite);

/* The suite that comes with the program, for `talon list scenarios`: an array of {id, title,
 * file, class, version, covers, exercises, tags}. New reference; NULL when there is none, or
 * out of memory. */
json_t *tl_suite_list(void);
/* Its cases: {id, scenario, title, file, class, tags, needs, covers}. */
json_t *tl_suite_cases(void);
/* Its profiles: {name, title, file}. */
json_t *tl_suite_profiles(void);

/* Where the suite lies: beside the program, or where it was installed; relative to the working
 * directory where that is above it. False when there is none. */
bool tl_suite_default(char *out, size_t cap);
/* The file of that profile: a path (it holds a '/' or ends in .json), or a name of the suite's.
 */
bool tl_suite_profile(const char *name, char *out, size_t cap);

#endif
