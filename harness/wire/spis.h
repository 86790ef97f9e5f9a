/* SPDX-License-Identifier: Apache-2.0
 * spis.h - the SPIs under which an end of a connection takes packets (6.5, 9.2.2.3): its newest
 * one, the one before it until that is dropped, and each of them as long as its generation of
 * keys is valid. */
#ifndef TL_SPIS_H
#define TL_SPIS_H

#include <stdbool.h>
#include <stdint.h>

struct tl_spi {
    uint32_t spi; /* 0: none */
    unsigned generation;
};

struct tl_spis {
    struct tl_spi newest, before;
    bool none;             /* its SPI is 0: it takes nothing */
    unsigned generation;   /* the newest one */
    bool previous_invalid; /* the generation before it */
};

/* The end opens the connection with that SPI. */
void tl_spis_open(struct tl_spis *spis, uint32_t spi);

/* The end has carried out a step of `rotate_keys`: "generation", "spi", "all", "zero", "drop"
 * or "end"; others change nothing. `spi`: the newest SPI after it. */
void tl_spis_turn(struct tl_spis *spis, const char *step, uint32_t spi);

/* Whether the end takes a packet under that SPI. True as long as none is known; false while the
 * end has SPI 0, even for the previous SPI. */
bool tl_spis_take(const struct tl_spis *spis, uint32_t spi);

#endif
