/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

/* The number of the greatest unit of which there is at least one, with at most `digits`
 * decimals. */
static struct fal_time_text write_unit(uint64_t ns, size_t digits)
{
    static const struct {
        uint64_t ns;
        const char *unit;
    } units[] = {{SECOND, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    struct fal_time_text out;
    char decimals[16];
    size_t i = 0, len;

    while (i < 3 && ns < units[i].ns)
        i++;
    (void)snprintf(decimals, sizeof decimals, ".%09" PRIu64,
                   ns % units[i].ns * (SECOND / units[i].ns));
    len = digits + 1 < strlen(decimals) ? digits + 1 : strlen(decimals);
    while (len > 0 && (decimals[len - 1] == '0' || decimals[len - 1] == '.'))
        len--;
    decimals[len] = 0;
    (void)snprintf(out.text, sizeof out.text, "%" PRIu64 "%s %s", ns / units[i].ns, decimals,
                   units[i].unit);
    return out;
}

struct fal_time_text fal_time_text(uint64_t ns)
{
    return write_unit(ns, 9);
}

struct fal_time_text fal_time_rounded(uint64_t ns)
{
    uint64_t s = ns / SECOND, hours = s / 3600, minutes = s / 60 % 60;
    struct fal_time_text out;

    if (s < 60)
        return write_unit(ns, 3);
    if (hours == 0)
        (void)snprintf(out.text, sizeof out.text, "%" PRIu64 " min %" PRIu64 " s", minutes,
                       s % 60);
    else
        (void)snprintf(out.text, sizeof out.text, "%" PRIu64 " h %" PRIu64 " min", hours,
                       minutes);
    return out;
}
