/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/protocol_levels.h"

#include <string.h>

static const struct {
    unsigned level;
    bool optional;
} rows[TL_DO_PD_CREATE] = {
    [TL_DO_HELLO] = {0, false},      [TL_DO_RESET] = {1, false},
    [TL_DO_OPEN] = {1, false},       [TL_DO_CLOSE] = {1, false},
    [TL_DO_POST] = {2, false},       [TL_DO_POLICY] = {3, false},
    [TL_DO_RESPOND] = {3, false},    [TL_DO_SET] = {3, false},
    [TL_DO_BARRIER] = {3, false},    [TL_DO_COUNTERS] = {0, true},
    [TL_DO_STATE] = {1, true},       [TL_DO_CLOCK] = {0, true},
    [TL_DO_ROTATE_KEYS] = {1, true}, [TL_DO_CC_CONFIG] = {1, true},
    [TL_DO_CC_FEED] = {1, true},     [TL_DO_CC_TRACE] = {1, true},
    [TL_DO_CC_ENGINE] = {1, true},   [TL_DO_CC_RESULT] = {1, true},
    [TL_DO_RX_LEVELS] = {1, true},
};

/* Those of upper layers have levels of their own (tl_protocol_word_level). */

unsigned tl_protocol_level(enum tl_do verb)
{
    return tl_protocol_is_word(verb) ? 1 : rows[verb].level;
}

bool tl_protocol_optional(enum tl_do verb)
{
    return tl_protocol_is_word(verb) || rows[verb].optional;
}

unsigned tl_protocol_event_level(enum fal_event_kind kind, enum fal_ulp_kind ulp)
{
    if (kind != FAL_EV_ULP)
        return 1;
    return ulp == FAL_ULP_COMPLETION ? 2 : 3;
}

bool tl_protocol_level_read(const char *text, unsigned *level)
{
    if (text == NULL || text[0] != 'L' || text[1] < '0' || text[1] > '0' + TL_LEVEL_MAX ||
        text[2] != 0)
        return false;
    *level = (unsigned)(text[1] - '0');
    return true;
}

unsigned tl_protocol_levels(const json_t *list)
{
    unsigned most = 0, level;
    const json_t *item;
    size_t i;

    if (json_array_size(list) == 0)
        return TL_LEVEL_MAX;
    json_array_foreach(list, i, item)
    {
        if (tl_protocol_level_read(json_string_value(item), &level) && level > most)
            most = level;
    }
    return most;
}

bool tl_protocol_verb_find(const char *name, enum tl_do *verb)
{
    for (int i = 0; i < TL_DO_COUNT; i++)
        if (strcmp(tl_protocol_verb((enum tl_do)i), name) == 0) {
            *verb = (enum tl_do)i;
            return true;
        }
    return false;
}
