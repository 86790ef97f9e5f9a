/* SPDX-License-Identifier: Apache-2.0
 * roce_declare.c - the times of a scenario, for ends that are not Talon's. */
#include "codecs/text/text.h"
#include "harness/roce/roce_scenario.h"

#include <string.h>

int tl_roce_declare(struct tl_roce_declared *declared, const char *text, struct fal_error *err)
{
    const struct {
        const char *name;
        uint64_t *value;
    } rows[] = {{"answer", &declared->answer_ns},
                {"timeout", &declared->timeout_ns},
                {"cnp_interval", &declared->cnp_interval_ns}};
    const struct fal_vars none = {NULL, NULL};
    size_t len = strcspn(text, "=");
    struct fal_duration duration;

    if (strcmp(text, "direct=yes") == 0) {
        declared->direct = true;
        return 0;
    }
    if (strcmp(text, "rcm=no") == 0 || strcmp(text, "ect=no") == 0) {
        *(text[0] == 'r' ? &declared->no_rcm : &declared->no_ect) = true;
        return 0;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) != len || strncmp(rows[i].name, text, len) != 0)
            continue;
        if (text[len] == '=' && fal_text_parse_duration(text + len + 1, &duration, err) == 0 &&
            fal_duration_ns(&duration, &none, rows[i].value, err) == 0)
            return 0;
        return fal_fail(err, FAL_ERR_FORM, "'%.60s': expected a time such as answer=2ms", text);
    }
    return fal_fail(err, FAL_ERR_FORM,
                    "'%.60s': expected answer=TIME, timeout=TIME, cnp_interval=TIME, "
                    "direct=yes, rcm=no or ect=no",
                    text);
}

static bool about_n(const struct tl_roce_step *step)
{
    return step->rule != NULL && strcmp(step->rule, "NP2") == 0;
}

void tl_roce_adapt(struct tl_roce_scenario *scenario, const struct tl_roce_declared *declared)
{
    double slower = declared->timeout_ns == 0
                        ? 1
                        : (double)declared->timeout_ns / (double)scenario->timeout_ns;
    double rarer = declared->cnp_interval_ns == 0
                       ? 1
                       : (double)declared->cnp_interval_ns / (double)scenario->cnp_interval_ns;

    bool rnr = tl_roce_has(scenario->needs, "rnr");

    for (size_t i = 0; i < scenario->num_steps; i++) {
        struct tl_roce_step *step = &scenario->steps[i];

        /* Longer than a timeout: the step waits for one. */
        if (step->within_ns > scenario->timeout_ns)
            step->within_ns = (uint64_t)((double)step->within_ns * slower);
        step->within_ns += declared->answer_ns;
        if (step->verb == TL_ROCE_EXPECT_NONE)
            step->for_ns += declared->answer_ns;
        if (rnr) /* the RNR timer is part of the case, and not of the ends */
            continue;
        step->not_before_ns = (uint64_t)((double)step->not_before_ns * slower);
        step->stretch = about_n(step) ? rarer : slower;
    }
}
