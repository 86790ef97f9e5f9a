/* SPDX-License-Identifier: Apache-2.0
 * search.h - looks for a small scenario that violates a requirement on one SUT and passes on
 * another. */
#ifndef FAL_FUZZ_FIELD_SEARCH_H
#define FAL_FUZZ_FIELD_SEARCH_H

#include "fuzz/field/retell.h"
#include "fuzz/hunt/hunt.h"

enum fld_source { FLD_FROM_CAPTURE, FLD_FROM_SUITE, FLD_FROM_MUTATION };

enum { FLD_SUTS_MAX = 4 };

struct fld_search {
    /* A case shows the violation when it violates the requirement on all these SUTs, and passes
     * on the good one. Without SUTs, passing is enough. */
    struct hunt_bench *sut[FLD_SUTS_MAX], *good;
    unsigned num_suts;
    bool same_rule; /* and the rule of the finding must find it */
    const struct fld_story *story;
    unsigned most;  /* cases to try until one shows it */
    unsigned tried; /* so far */
    enum fld_source source;
    char from[128]; /* FROM_SUITE: the file */
};

/* The smallest scenario that was found: it retells the capture, or it is made of a scenario of
 * the suite that covers the requirement, or of a mutation of the first. New reference; NULL:
 * there is none. */
json_t *fld_search(struct fld_search *search);
/* The same, but nothing except what retells the capture. */
json_t *fld_search_capture(struct fld_search *search);

/* Whether a case shows it. */
bool fld_shows(struct fld_search *search, const json_t *doc);

#endif
