/* SPDX-License-Identifier: Apache-2.0
 * catalogue.h - the requirement catalogue, compiled into the program from
 * oracles/catalogue/requirements.json: one entry for each testable statement of the
 * specifications. */
#ifndef FAL_ORACLES_CATALOGUE_H
#define FAL_ORACLES_CATALOGUE_H

#include "oracles/verdict.h"

#include <stdbool.h>
#include <stddef.h>

struct fal_requirement {
    const char *id; /* "FTP-9.1.6-03" */
    const char *spec, *section, *title, *level, *role, *layer, *text;
    const char *observable; /* wire, ulp, cm, internal */
    const char *stimulus, *verdict;
    const char *on_breach; /* fail, warn, never */
    const char *alt;       /* a tolerated other behaviour, or NULL */
    const char *ics;       /* applies only where this item is claimed, or NULL */
    bool bench;            /* a duty of the test bench */
};

/* All entries, in the catalogue's order. */
const struct fal_requirement *fal_catalogue(size_t *n);

/* A rule told a fault of the built-in implementation by a requirement that it broke, in a world
 * of random traffic of that seed (oracles/catalogue/kills.txt, `make kill-matrix`). */
struct fal_kill {
    const char *fault, *rule, *requirement;
    unsigned seed;
};

/* All that are known, by fault. */
const struct fal_kill *fal_kills(size_t *n);

/* A scenario of the suite told a fault of the built-in implementation: its verdict was
 * `verdict`, FAIL or WARN (oracles/catalogue/suite-kills.txt, `make mutants`). */
struct fal_suite_kill {
    const char *fault, *scenario;
    enum fal_verdict verdict;
};

/* All that are known, by fault. */
const struct fal_suite_kill *fal_suite_kills(size_t *n);

/* Why no rule and no scenario proves the requirement of that id
 * (oracles/catalogue/reasons.txt), or NULL. */
const char *fal_requirement_reason(const char *id);

/* The entry of that id ("FTP-9.1.6-03"), or NULL. */
const struct fal_requirement *fal_requirement_find(const char *id);

/* What a breach of it leads to: FAIL, WARN, or NONE where it is only recorded. */
enum fal_verdict fal_requirement_breach(const struct fal_requirement *requirement);

#endif
