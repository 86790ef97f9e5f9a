/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/readings.h"

#include "oracles/ambiguity.h"

static const struct {
    const char *name, *text[2];
    enum fal_ambiguity_kind kind;
} ambs[FAL_AMB_COUNT] = {
#define ROW(number, kind, normal, other)                                    \
    [FAL_AMB_##number] = {(number) < 10 ? "AMB-0" #number : "AMB-" #number, \
                          {normal, other},                                  \
                          FAL_AMBIGUITY_##kind},
    FAL_AMBS(ROW)
#undef ROW
};

unsigned fal_reading_left(const struct fal_readings *readings, enum fal_amb amb,
                          enum fal_window window)
{
    return FAL_READ_ANY & ~(unsigned)readings->of[amb][window].out;
}

enum fal_reading fal_reading_now(const struct fal_readings *readings, enum fal_amb amb,
                                 enum fal_window window)
{
    unsigned left = fal_reading_left(readings, amb, window);

    if (left == 0)
        return FAL_READING_NONE;
    return (left & FAL_READ_DEFAULT) != 0 ? FAL_READING_DEFAULT : FAL_READING_OTHER;
}

bool fal_reading_settled(const struct fal_readings *readings, enum fal_amb amb,
                         enum fal_window window)
{
    return readings->of[amb][window].out != 0;
}

void fal_reading_look(struct fal_readings *readings, struct fal_reading_watch *watch,
                      enum fal_amb amb, enum fal_window window, enum fal_reading_look how,
                      uint64_t now)
{
    if (watch->given && watch->given_since < now &&
        !fal_reading_settled(readings, amb, window)) {
        readings->of[amb][window].by = watch->given_by;
        readings->of[amb][window].told = true;
        readings->of[amb][window].out = watch->given_out;
        watch->applied = true;
    }
    if (how == FAL_LOOK_CITE)
        watch->cited = now + 1;
    else if (fal_reading_settled(readings, amb, window))
        return;
    else if (how == FAL_LOOK_TAKE_ONE)
        watch->since = now;
    else if (how == FAL_LOOK_TAKE_ANY)
        watch->any = now + 1;
    else
        watch->left = now + 1;
}

/* The alternative of a free ambiguity was shown. Threads come here in any order, and the
 * earliest event remains. */
static void show(struct fal_readings *readings, enum fal_amb amb, enum fal_window window,
                 const struct fal_at *at)
{
    bool was;

    do
        was = atomic_exchange(&readings->of[amb][window].busy, true);
    while (was);
    if (!readings->of[amb][window].told || at->index < readings->of[amb][window].by.index) {
        readings->of[amb][window].told = true;
        readings->of[amb][window].by = *at;
        readings->of[amb][window].out = FAL_READ_DEFAULT;
    }
    atomic_store(&readings->of[amb][window].busy, false);
}

enum fal_reading fal_reading_take(struct fal_readings *readings, enum fal_amb amb,
                                  enum fal_window window, unsigned set, const struct fal_at *at)
{
    unsigned was = readings->of[amb][window].out, out = was | (FAL_READ_ANY & ~set);

    if (fal_amb_free(amb)) {
        if ((set & FAL_READ_DEFAULT) != 0)
            return FAL_READING_DEFAULT; /* It decides nothing. */
        show(readings, amb, window, at);
        return FAL_READING_OTHER;
    }
    if (out == FAL_READ_ANY)
        return FAL_READING_NONE; /* its earlier behaviour determines its reading */
    if (out != was) {
        readings->of[amb][window].by = *at;
        readings->of[amb][window].told = true;
        readings->of[amb][window].out = (unsigned char)out; /* for fal_reading_settled */
    }
    return fal_reading_now(readings, amb, window);
}

bool fal_amb_free(enum fal_amb amb)
{
    return ambs[amb].kind == FAL_AMBIGUITY_FREE;
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
