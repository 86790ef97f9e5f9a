/* SPDX-License-Identifier: Apache-2.0
 * site_facts.h - loads what `talon host-check` and `talon path-check` measured, for a run. */
#ifndef TL_HARNESS_SITE_SITE_FACTS_H
#define TL_HARNESS_SITE_SITE_FACTS_H

#include "codecs/base/error.h"
#include "harness/session/bench_facts.h"

/* Loads the files that `talon host-check --json` and `talon path-check --json` wrote; either
 * may be NULL. Where there is no host file and `iface` is not NULL, measures the host now. Free
 * the facts with tl_site_facts_free. 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_site_facts_load(struct tl_bench_facts *facts, const char *host_file,
                                const char *path_file, const char *iface,
                                struct fal_error *err);
void tl_site_facts_free(struct tl_bench_facts *facts);

/* Writes the names of the host settings that distort tests, separated by commas, into `out`
 * (TL_FACT_TEXT bytes); "" when there are none. */
void tl_site_facts_wrong(const struct tl_bench_facts *facts, char *out);

#endif
