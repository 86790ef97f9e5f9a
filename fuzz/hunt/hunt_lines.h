/* SPDX-License-Identifier: Apache-2.0
 * hunt_lines.h - minimises timelines to the events that a violated rule needs. */
#ifndef FAL_FUZZ_HUNT_HUNT_LINES_H
#define FAL_FUZZ_HUNT_HUNT_LINES_H

#include "codecs/base/error.h"

#include <stddef.h>

struct hunt_lines {
    char **line; /* without their newlines; the schema line and the lines about the run come
                    first */
    size_t count, before;
    char words[400]; /* the rule that is broken, and how */
};

/* Keeps of a timeline (talon/timeline/1) the events that the first broken rule of the SUT
 * needs: the same rule, requirement and words stay true of the same packets. 0; FAL_ERR_FORM
 * with `err` when it is no timeline, or breaks no rule; FAL_ERR_MEM. Asks the judge `most`
 * times at most. hunt_lines_free in any case. */
MUST_USE int hunt_lines_shrink(const char *text, size_t len, unsigned most,
                               struct hunt_lines *out, struct fal_error *err);
void hunt_lines_free(struct hunt_lines *lines);

#endif
