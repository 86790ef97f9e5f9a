/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/profile/profile_certify.h"

#include <fnmatch.h>

bool tl_patterns_take(const json_t *patterns, const char *text)
{
    bool taken = false;
    size_t i;
    json_t *item;

    json_array_foreach(patterns, i, item)
    {
        const char *pattern = json_string_value(item);
        bool out = pattern[0] == '!';

        if (fnmatch(pattern + out, text, 0) != 0)
            continue;
        if (out)
            return false;
        taken = true;
    }
    return taken;
}
