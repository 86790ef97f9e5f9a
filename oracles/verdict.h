/* SPDX-License-Identifier: Apache-2.0
 * verdict.h - verdicts, which only ever get worse (design.md, Words). */
#ifndef FAL_ORACLES_VERDICT_H
#define FAL_ORACLES_VERDICT_H

enum fal_verdict {
    FAL_VERDICT_NONE,   /* nothing was decided */
    FAL_VERDICT_PASS,   /* the purpose was reached and every MUST held */
    FAL_VERDICT_WARN,   /* a SHOULD was broken, or another tenable reading taken */
    FAL_VERDICT_INCONC, /* legal behaviour that missed the purpose, or the bench could not tell
                         */
    FAL_VERDICT_FAIL,   /* a MUST was broken, and the packet that shows it is named */
    FAL_VERDICT_ERROR,  /* tester, adapter, link or input broke; set by the engine alone */
};

enum { FAL_VERDICTS = FAL_VERDICT_ERROR + 1 };
extern const char *const fal_verdict_names[FAL_VERDICTS];

static inline enum fal_verdict fal_verdict_worse(enum fal_verdict a, enum fal_verdict b)
{
    return a > b ? a : b;
}

/* "none", "pass", "warn", "inconclusive", "fail", "error"; and back, -1 for any other text. */
const char *fal_verdict_name(enum fal_verdict verdict);
int fal_verdict_from(const char *name);

#endif
