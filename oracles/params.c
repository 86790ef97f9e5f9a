/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/params.h"

#include "codecs/base/error.h"

#include <string.h>

#define ROW_SWITCH(name, v, l, doc) {#name, #name, FAL_PARAM_SWITCH, v, l, doc},
#define ROW_NUMBER(name, v, l, doc) {#name, #name, FAL_PARAM_NUMBER, v, l, doc},
#define ROW_TIME(name, v, l, doc)   {#name, #name "_ns", FAL_PARAM_DURATION, v, l, doc},

static const struct fal_param table[] = {FAL_PARAMS(ROW_SWITCH, ROW_NUMBER, ROW_TIME)};

#define AT_SWITCH(name, ...) offsetof(struct fal_params, name),
#define AT_TIME(name, ...)   offsetof(struct fal_params, name##_ns),

static const size_t offsets[] = {FAL_PARAMS(AT_SWITCH, AT_SWITCH, AT_TIME)};

const struct fal_param *fal_param_table(size_t *n)
{
    *n = sizeof table / sizeof *table;
    return table;
}

/* Most names differ in their first character. */
static bool same(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

const struct fal_param *fal_param_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (same(table[i].name, name) || same(table[i].key, name))
            return &table[i];
    return NULL;
}

void fal_param_range(const struct fal_param *param, uint64_t *least, uint64_t *most)
{
    static const struct {
        enum fal_param_at at;
        uint64_t least, most;
    } ranges[] = {
        {FAL_PARAM_AT_protocol_type, 0, 7}, /* 3 bits (7.2) */
        {FAL_PARAM_AT_rto, 1, UINT64_MAX},
        {FAL_PARAM_AT_tx_window_req, 1, 65536},
        {FAL_PARAM_AT_tx_window_data, 1, 65536},
        {FAL_PARAM_AT_fcwnd_fraction, 0, 1023}, /* 10 bits (10.6.2.2) */
        {FAL_PARAM_AT_ar_percent, 0, 100},
        {FAL_PARAM_AT_initial_ttl, 0, UINT8_MAX},
        {FAL_PARAM_AT_mtu, 1, UINT16_MAX}, /* of a request length (7.3) */
        {FAL_PARAM_AT_transaction_timeout, 1, UINT64_MAX},
    };

    *least = 0;
    *most = param->kind == FAL_PARAM_SWITCH     ? 1
            : param->kind == FAL_PARAM_DURATION ? UINT64_MAX
                                                : UINT32_MAX;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (param == &table[ranges[i].at]) {
            *least = ranges[i].least;
            *most = ranges[i].most;
        }
}

uint64_t fal_param_get(const struct fal_param *param, const struct fal_params *params)
{
    const char *at = (const char *)params + offsets[param - table];
    uint64_t time;
    uint32_t count;
    bool on;

    switch (param->kind) {
    case FAL_PARAM_SWITCH: memcpy(&on, at, sizeof on); return on;
    case FAL_PARAM_NUMBER: memcpy(&count, at, sizeof count); return count;
    case FAL_PARAM_DURATION: memcpy(&time, at, sizeof time); return time;
    }
    return 0;
}

int fal_param_set(const struct fal_param *param, struct fal_params *params, uint64_t value)
{
    char *at = (char *)params + offsets[param - table];
    uint32_t count = (uint32_t)value;
    bool on = value != 0;

    switch (param->kind) {
    case FAL_PARAM_SWITCH:
        if (value > 1)
            return FAL_ERR_RANGE;
        memcpy(at, &on, sizeof on);
        return 0;
    case FAL_PARAM_NUMBER:
        if (value > UINT32_MAX)
            return FAL_ERR_RANGE;
        memcpy(at, &count, sizeof count);
        return 0;
    case FAL_PARAM_DURATION: memcpy(at, &value, sizeof value); return 0;
    }
    return FAL_ERR_RANGE;
}

void fal_params_default(struct fal_params *out, bool live)
{
    *out = (struct fal_params){0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        /* A default is in range. */
        FAL_IGNORE(fal_param_set(&table[i], out,
                                 live ? table[i].live_default : table[i].virtual_default));
}
