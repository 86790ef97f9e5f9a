/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/readings.h"

static const struct {
    const char *name, *text[2];
} ambs[FAL_AMB_COUNT] = {
#define ROW(number, normal, other) [FAL_AMB_##number] = {"AMB-" #number, {normal, other}},
    FAL_AMBS(ROW)
#undef ROW
};

enum fal_reading fal_reading_now(const struct fal_readings *readings, enum fal_amb amb)
{
    unsigned left = FAL_READ_ANY & ~(unsigned)readings->of[amb].out;

    if (left == 0)
        return FAL_READING_NONE;
    return (left & FAL_READ_DEFAULT) != 0 ? FAL_READING_DEFAULT : FAL_READING_OTHER;
}

bool fal_reading_settled(const struct fal_readings *readings, enum fal_amb amb)
{
    return readings->of[amb].out != 0;
}

enum fal_reading fal_reading_take(struct fal_readings *readings, enum fal_amb amb, unsigned set,
                                  const struct fal_at *at)
{
    unsigned out = readings->of[amb].out | (FAL_READ_ANY & ~set);

    if (out == FAL_READ_ANY)
        return FAL_READING_NONE; /* its earlier behaviour determines its reading */
    if (out != readings->of[amb].out) {
        readings->of[amb].by = *at;
        readings->of[amb].told = true;
        readings->of[amb].out = (unsigned char)out; /* for fal_reading_settled */
    }
    return fal_reading_now(readings, amb);
}

const char *fal_amb_name(enum fal_amb amb)
{
    return ambs[amb].name;
}

const char *fal_amb_text(enum fal_amb amb, enum fal_reading r)
{
    switch (r) {
    case FAL_READING_DEFAULT: return ambs[amb].text[0];
    case FAL_READING_OTHER: return ambs[amb].text[1];
    case FAL_READING_NONE: break;
    }
    return "no reading";
}
