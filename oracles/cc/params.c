/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/cc/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW(name, initial, least, most, unit, section, doc, whole)                             \
    {#name, initial, least, most, unit, section, doc, offsetof(struct fal_swift_params, name), \
     whole},
#define ROW_WHOLE(...) ROW(__VA_ARGS__, true)
#define ROW_REAL(...)  ROW(__VA_ARGS__, false)

static const struct fal_swift_param table[] = {FAL_SWIFT_PARAMS(ROW_WHOLE, ROW_REAL)};

enum { ROWS = sizeof table / sizeof *table };

const struct fal_swift_param *fal_swift_param_table(size_t *n)
{
    *n = ROWS;
    return table;
}

const struct fal_swift_param *fal_swift_param_find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

double fal_swift_param_get(const struct fal_swift_param *param,
                           const struct fal_swift_params *params)
{
    double value;

    memcpy(&value, (const char *)params + param->offset, sizeof value);
    return value;
}

/* The first comparison is false for a NaN too. A value in the range fits an int32_t. */
static bool legal(const struct fal_swift_param *param, double value)
{
    return value >= param->least && value <= param->most &&
           (!param->whole || value == (double)(int32_t)value);
}

int fal_swift_param_set(const struct fal_swift_param *param, struct fal_swift_params *params,
                        double value)
{
    if (!legal(param, value))
        return FAL_ERR_RANGE;
    memcpy((char *)params + param->offset, &value, sizeof value);
    return 0;
}

int fal_swift_param_read(const char *text, struct fal_swift_params *params,
                         struct fal_error *err)
{
    const char *sign = strchr(text, '=');
    const struct fal_swift_param *param;
    char name[64], *end;
    double number;

    if (sign == NULL || sign == text || (size_t)(sign - text) >= sizeof name)
        return fal_fail(err, FAL_ERR_FORM, "expected NAME=VALUE, found '%.60s'", text);
    (void)snprintf(name, sizeof name, "%.*s", (int)(sign - text), text);
    param = fal_swift_param_find(name);
    if (param == NULL)
        return fal_fail(err, FAL_ERR_FORM, "there is no parameter '%s'; see talon help swift",
                        name);
    number = strtod(sign + 1, &end);
    if (end == sign + 1 || *end != 0 || fal_swift_param_set(param, params, number) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%s: expected a %snumber from %.10g to %.10g", name,
                        param->whole ? "whole " : "", param->least, param->most);
    return 0;
}

void fal_swift_params_default(struct fal_swift_params *out)
{
    for (size_t i = 0; i < ROWS; i++)
        memcpy((char *)out + table[i].offset, &table[i].initial, sizeof table[i].initial);
}

int fal_swift_params_check(const struct fal_swift_params *params, struct fal_error *err)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!legal(&table[i], fal_swift_param_get(&table[i], params)))
            return fal_fail(err, FAL_ERR_RANGE, "%s must be a %snumber from %.10g to %.10g",
                            table[i].name, table[i].whole ? "whole " : "", table[i].least,
                            table[i].most);
    if (params->min_fcwnd > params->max_fcwnd)
        return fal_fail(err, FAL_ERR_RANGE, "min_fcwnd must not exceed max_fcwnd");
    if (params->min_ncwnd > params->max_ncwnd)
        return fal_fail(err, FAL_ERR_RANGE, "min_ncwnd must not exceed max_ncwnd");
    if (params->min_flow_scaling_window >= params->max_flow_scaling_window)
        return fal_fail(err, FAL_ERR_RANGE,
                        "min_flow_scaling_window must be less than max_flow_scaling_window");
    return 0;
}
