/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_told.h"

#include "codecs/base/error.h"

#include <jansson.h>
#include <math.h>

enum { PRECISION = 6 /* digits */ };

double tl_cc_estimate(const struct tl_cc_range *range)
{
    return isinf(range->hi) ? range->lo : (range->lo + range->hi) / 2;
}

int tl_cc_told_print(const struct tl_cc_measure *m, FILE *out)
{
    fprintf(out, "%-43s %10s %23s %10s\n", "parameter", "estimate", "95 % interval",
            "declared");
    for (int i = 0; i < TL_CC_MEASURED; i++) {
        enum tl_cc_measured which = (enum tl_cc_measured)i;
        struct tl_cc_range range = m->of[i];
        char declared[24] = "-";

        if (m->declared->given[i])
            (void)snprintf(declared, sizeof declared, "%.4g",
                           tl_cc_measured_declared(m->declared, which));
        fprintf(out, "%-43s %10.4g %10.4g .. %10.4g %10s%s\n", tl_cc_measured_name(which),
                tl_cc_estimate(&range), range.lo, range.hi, declared,
                tl_cc_measured_outside(m, which) ? "  outside" : "");
    }
    fprintf(out, "%u round trips", m->rounds);
    if (m->unsound > 0)
        fprintf(out, ", of which %u were disturbed and not counted", m->unsound);
    fputc('\n', out);
    return ferror(out) != 0 ? FAL_ERR_IO : 0;
}

/* ---- JSON ---- */

/* JSON has no infinity. */
static json_t *number(double value)
{
    return isinf(value) ? json_null() : json_real(value);
}

static json_t *parameter(const struct tl_cc_measure *m, enum tl_cc_measured which)
{
    const struct tl_cc_range *range = &m->of[which];
    bool given = m->declared->given[which];

    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o}", "name", tl_cc_measured_name(which), "estimate",
        number(tl_cc_estimate(range)), "low", number(range->lo), "high", number(range->hi),
        "declared",
        given ? json_real(tl_cc_measured_declared(m->declared, which)) : json_null(), "outside",
        given ? json_boolean(tl_cc_measured_outside(m, which)) : json_null());
}

static json_t *falls(const struct tl_cc_seen *seen)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < seen->n_falls; i++) {
        const struct tl_cc_fall *fall = &seen->falls[i];

        (void)json_array_append_new(
            list, json_pack("{s:f, s:f, s:f, s:i}", "delay_ticks", fall->delay, "share",
                            fall->sum / fall->count, "window", fall->windows / fall->count,
                            "count", (int)fall->count));
    }
    return list;
}

static json_t *probes(const struct tl_cc_seen *seen)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < seen->n_probes; i++) {
        const struct tl_cc_probe *probe = &seen->probes[i];

        (void)json_array_append_new(
            list, json_pack("{s:f, s:f, s:i, s:b}", "delay_ticks", probe->delay, "window",
                            probe->window, "hops", (int)probe->hops, "rose", probe->rose));
    }
    return list;
}

static json_t *counts(const struct tl_cc_seen *seen)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < seen->n_rise; i++)
        (void)json_array_append_new(list, json_integer(seen->rise[i]));
    return list;
}

static json_t *levels(const struct tl_cc_seen *seen)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < TL_CC_LEVELS; i++)
        if (seen->levels[i] != 0)
            (void)json_array_append_new(
                list, json_pack("{s:i, s:b}", "level", (int)i, "rose", seen->levels[i] > 0));
    return list;
}

int tl_cc_told_json(const struct tl_cc_measure *m, FILE *out)
{
    json_t *parameters = json_array(), *all;
    bool wrong;

    for (int i = 0; i < TL_CC_MEASURED; i++)
        (void)json_array_append_new(parameters, parameter(m, (enum tl_cc_measured)i));
    all = json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "schema", "talon/cc-measure/1",
                    "rounds", (int)m->rounds, "disturbed", (int)m->unsound, "parameters",
                    parameters, "falls", falls(&m->picture), "probes", probes(&m->picture),
                    "rise", counts(&m->picture), "levels", levels(&m->picture));
    if (all == NULL)
        return FAL_ERR_MEM;
    wrong = json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(PRECISION)) != 0 ||
            fputc('\n', out) == EOF;
    json_decref(all);
    return wrong ? FAL_ERR_IO : 0;
}
