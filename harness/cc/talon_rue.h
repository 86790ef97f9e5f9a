/* SPDX-License-Identifier: Apache-2.0
 * talon_rue.h - what a library exports so that `talon cc judge lib:FILE.so` can judge the Rate
 * Update Engine in it. The library needs nothing of Talon but this file. It runs in a process
 * of its own: it may crash or hang, and is then reported. */
#ifndef TALON_RUE_H
#define TALON_RUE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TALON_RUE_VERSION = 1, TALON_RUE_ENTRY = 64 /* bytes of an event or a result */ };

/* A parameter of 10.5, by its name there ("max_fcwnd"); times in ticks of 131.072 ns. */
struct talon_rue_param {
    const char *name;
    double value;
};

struct talon_rue_api {
    int version; /* TALON_RUE_VERSION */
    /* Before the first event. `format` is "table-msb" or "gen1-lsb" (docs/congestion.md).
     * Returns 0; another value if the engine cannot have this format or these values. */
    int (*configure)(const char *format, const struct talon_rue_param *params, size_t n);
    /* Handles an event at `now_ticks` (24 bits) and writes its result. `reset` is not 0 for the
     * first event of a connection: what the engine kept of the connection goes. Returns 0;
     * another value if it has no result. */
    int (*process)(int reset, uint32_t now_ticks, const uint8_t event[TALON_RUE_ENTRY],
                   uint8_t result[TALON_RUE_ENTRY]);
};

/* The function that the library exports. */
const struct talon_rue_api *talon_rue_api_v1(void);

#ifdef __cplusplus
}
#endif

#endif
