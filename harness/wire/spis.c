/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/spis.h"

#include <string.h>

void tl_spis_open(struct tl_spis *spis, uint32_t spi)
{
    *spis = (struct tl_spis){.newest = {.spi = spi}};
}

void tl_spis_turn(struct tl_spis *spis, const char *step, uint32_t spi)
{
    bool all = strcmp(step, "all") == 0;

    if (all || strcmp(step, "generation") == 0) {
        spis->generation++;
        spis->previous_invalid = false;
    }
    if (all || strcmp(step, "spi") == 0) {
        spis->before = spis->newest;
        spis->newest = (struct tl_spi){spi, spis->generation};
        spis->none = false;
    } else if (strcmp(step, "zero") == 0) {
        spis->before = spis->newest;
        spis->newest = (struct tl_spi){0, spis->generation};
        spis->none = true;
    } else if (strcmp(step, "drop") == 0) {
        spis->before = (struct tl_spi){0};
    } else if (strcmp(step, "end") == 0) {
        spis->previous_invalid = true;
    }
}

static bool valid(const struct tl_spis *spis, const struct tl_spi *of, uint32_t spi)
{
    return of->spi != 0 && of->spi == spi &&
           of->generation + (spis->previous_invalid ? 0 : 1) >= spis->generation;
}

bool tl_spis_take(const struct tl_spis *spis, uint32_t spi)
{
    if (spis->none)
        return false;
    return spis->newest.spi == 0 || valid(spis, &spis->newest, spi) ||
           valid(spis, &spis->before, spi);
}
