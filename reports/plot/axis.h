/* SPDX-License-Identifier: Apache-2.0
 * axis.h - where values and times lie in a plot, and which of them have a label. All in whole
 * numbers. */
#ifndef TL_REPORTS_PLOT_AXIS_H
#define TL_REPORTS_PLOT_AXIS_H

#include <stdbool.h>
#include <stdint.h>

enum { TL_AXIS_TICKS_MAX = 12, TL_AXIS_TEXT = 24 };

/* An axis of `length` tenths of a pixel from `least` to `most`, in thousandths of a unit. */
struct tl_axis {
    bool log;
    uint64_t scale; /* values are so many to the unit */
    uint64_t least, most;
    uint64_t ticks[TL_AXIS_TICKS_MAX]; /* thousandths */
    unsigned n_ticks;
};

/* A linear axis from 0 that reaches `most`; `whole`: ticks at whole units only. */
struct tl_axis tl_axis_linear(uint64_t most, uint64_t scale, bool whole);
/* A logarithmic axis of whole decades around two values above 0. */
struct tl_axis tl_axis_log(uint64_t least, uint64_t most, uint64_t scale);
/* The distance of a value from the beginning of an axis of that length. */
uint64_t tl_axis_at(const struct tl_axis *axis, uint64_t value, uint64_t length);
/* The same of a tick. */
uint64_t tl_axis_tick_at(const struct tl_axis *axis, unsigned tick, uint64_t length);
/* Thousandths as "12" or "0.5", without zeros at the end. */
void tl_axis_text(char out[TL_AXIS_TEXT], uint64_t milli);
/* The binary logarithm of a value from 1 on, in 1/65536, rounded down. */
uint64_t tl_log2(uint64_t value);

#endif
