/* SPDX-License-Identifier: Apache-2.0
 * audit.h - checks what rules say of their callbacks (enum fal_on). A build with
 * CFLAGS=-DFAL_AUDIT calls every callback for every packet; one that its row rules out must
 * leave everything as it was, or the program ends with the id of its rule. CI runs the unit
 * tests, the suite and the fuzzers in such a build. */
#ifndef FAL_ORACLES_RULES_JUDGE_AUDIT_H
#define FAL_ORACLES_RULES_JUDGE_AUDIT_H

#include "oracles/rules/judge/rule.h"

#ifdef FAL_AUDIT
enum { FAL_AUDITED = 1 };

/* Everything that a callback can change, before the call. A judge keeps one for all calls,
 * since there are many. */
struct fal_audit;

/* *audit: NULL at first; the judge frees it. Out of memory: nothing is compared. */
void fal_audit_begin(struct fal_audit **audit, const struct fal_ctx *c);
/* Ends the program if anything has changed since. */
void fal_audit_end(const struct fal_audit *audit, const struct fal_ctx *c);
#else
enum { FAL_AUDITED = 0 };

struct fal_audit;
static inline void fal_audit_begin(struct fal_audit **audit, const struct fal_ctx *c)
{
    (void)audit;
    (void)c;
}

static inline void fal_audit_end(const struct fal_audit *audit, const struct fal_ctx *c)
{
    (void)audit;
    (void)c;
}
#endif

#endif
