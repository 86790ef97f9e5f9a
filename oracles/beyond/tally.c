/* SPDX-License-Identifier: Apache-2.0
 * tally.c - see tally.h. */
#include "oracles/beyond/tally.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fal_tally_clear(struct fal_tally *tally)
{
    memset(tally->rows, 0, tally->num_rules * sizeof *tally->rows);
}

static struct fal_tally_row *row_of(struct fal_tally *tally, size_t rule)
{
    assert(rule < tally->num_rules);
    return &tally->rows[rule];
}

void fal_tally_held(struct fal_tally *tally, size_t rule)
{
    struct fal_tally_row *row = row_of(tally, rule);

    row->held++;
    row->verdict = fal_verdict_worse(row->verdict, FAL_VERDICT_PASS);
}

void fal_tally_excused(struct fal_tally *tally, size_t rule, const char *reason)
{
    struct fal_tally_row *row = row_of(tally, rule);

    if (row->excused++ == 0)
        row->excuse = reason;
}

void fal_tally_found(struct fal_tally *tally, size_t rule, const struct fal_tally_finding *at,
                     const char *format, ...)
{
    struct fal_tally_row *row = row_of(tally, rule);
    va_list args;

    if (at->verdict == FAL_VERDICT_FAIL || at->verdict == FAL_VERDICT_WARN)
        row->broken++;
    row->verdict = fal_verdict_worse(row->verdict, at->verdict);
    if (row->num_findings == FAL_TALLY_KEPT)
        return;
    struct fal_tally_finding *f = &row->findings[row->num_findings++];
    *f = *at;
    va_start(args, format);
    vsnprintf(f->what, sizeof f->what, format, args);
    va_end(args);
}

enum fal_verdict fal_tally_verdict(const struct fal_tally *tally)
{
    enum fal_verdict worst = FAL_VERDICT_NONE;

    for (size_t i = 0; i < tally->num_rules; i++)
        worst = fal_verdict_worse(worst, tally->rows[i].verdict);
    return worst;
}

size_t fal_tally_rule_of(const struct fal_tally *tally, const char *id)
{
    size_t i = 0;

    while (i < tally->num_rules && strcmp(tally->rules[i].id, id) != 0)
        i++;
    return i;
}
