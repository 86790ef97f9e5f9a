/* SPDX-License-Identifier: Apache-2.0
 * roce_run.h - a run of scenarios of RoCEv2: which files, which cases, and their results. */
#ifndef TL_HARNESS_ROCE_ROCE_RUN_H
#define TL_HARNESS_ROCE_ROCE_RUN_H

#include "harness/profile/select.h"
#include "harness/roce/roce_play.h"
#include "reports/results/results.h"

struct tl_roce_suite {
    struct tl_roce_scenario *list; /* sorted by path */
    size_t count, bad_files;
};

/* Reads all scenarios of RoCEv2: those files, and in directories the *.json below folders whose
 * names begin with "roce-". Errors go to `errors`, one line each. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_roce_suite_read(struct tl_roce_suite *suite, const char *const *paths, size_t n,
                                FILE *errors);
void tl_roce_suite_free(struct tl_roce_suite *suite);

/* Reads "builtin[:fault=NAME,...][:variant=NAME,...]" or "bridge:IFACE,IFACE"; borrowed.
 * Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_roce_sut_read(const char *text, struct tl_roce_sut *sut, struct fal_error *err);

/* Whether --id and --tag select the scenario. */
bool tl_roce_selected(const struct tl_select *select, const struct tl_roce_scenario *scenario);

/* What a case of that SUT is played for: plays it and fills in the case, whose texts are
 * borrowed from the scenario. `out` (may be NULL) is a directory for the capture
 * ID.pcapng. */
void tl_roce_case(const struct tl_roce_scenario *scenario, const struct tl_roce_sut *sut,
                  uint64_t seed, const char *out_dir, struct tl_case *out);

#endif
