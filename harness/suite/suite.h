/* SPDX-License-Identifier: Apache-2.0
 * suite.h - the files of a suite: scenarios and profiles, where they are, and lists of them. */
#ifndef TL_HARNESS_SUITE_SUITE_H
#define TL_HARNESS_SUITE_SUITE_H

#include "codecs/base/error.h"
#include "harness/scenario/scenario.h"
#include "harness/suite/readings.h"

#include <jansson.h>
#include <stdio.h>

struct tl_suite {
    struct tl_scenario **list; /* cases */
    size_t count, cap;
    size_t files, bad_files,
        checked;        /* files read, files with errors, cases that are correct */
    size_t passed_over; /* cases that were not wanted */
};

/* Reads the scenarios of files and directories (all *.json below, except in schema,
 * profiles and folders of RoCEv2), sorted by path. Errors go to `errors`, one line each. The
 * first case of each file is in the list, wanted or not. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_suite_read(struct tl_suite *suite, const char *const *paths, size_t n,
                           const struct tl_reading_how *how, FILE *errors);
void tl_suite_free(struct tl_suite *suite);

/* The suite that is installed with the program, for `talon list scenarios`: an array of {id,
 * title, file, class, version, covers, exercises, tags}. New reference; NULL when there is no
 * suite, or out of memory. */
json_t *tl_suite_list(void);
/* Its cases: {id, scenario, title, file, class, tags, needs, covers}. */
json_t *tl_suite_cases(void);
/* Its profiles: {name, certifies: "yes" or "no" (talon certify accepts it), title, file}. */
json_t *tl_suite_profiles(void);

/* Finds the suite: beside the folder of the program or the folder above that, or where it was
 * installed. The path is relative to the
 * working directory if that is above it. Returns false when there is no suite. */
bool tl_suite_default(char *out, size_t cap);
/* Finds the file of a profile: a path (it contains '/' or ends in .json), or a name of the
 * suite's profiles. */
bool tl_suite_profile(const char *name, char *out, size_t cap);
/* Says why tl_suite_profile found none: the program has no suite, or the suite has no such
 * profile; then the error names the nearest. Returns FAL_ERR_FORM. */
int tl_suite_no_profile(const char *name, struct fal_error *err);

#endif
