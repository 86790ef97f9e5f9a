/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/budget.h"

enum {
    ENOUGH = 1000, /* Among this many packets some would show how the path behaves. */
    FREE = 16,     /* excuses that prove nothing yet */
    EACH = 8       /* One lost packet may excuse this many instances. */
};

void fal_measure(struct fal_measured measured[FAL_DIRS], const struct fal_track *track,
                 const struct fal_seen *seen)
{
    struct fal_measured *m = &measured[seen->dir], *other = &measured[fal_dir_other(seen->dir)];
    const struct fal_stream *stream;

    m->packets++;
    for (unsigned w = 0; seen->falcon->packet_type == FAL_EACK && w < FAL_WINDOWS; w++) {
        fal_u128 bits = seen->claim[w].received;
        int top = fal_u128_top(bits);

        if (top >= 0 && bits != fal_u128_ones((unsigned)top + 1))
            other->shown++;
    }
    if (!seen->reliable)
        return;
    stream = &track->stream[seen->dir][seen->window];
    m->reliable++;
    if (seen->prior != NULL)
        m->repeats++;
    else if (seen->x < stream->next)
        m->late++;
    else if (stream->based && seen->x > stream->next)
        m->holes += (uint64_t)(seen->x - stream->next);
}

void fal_measured_add(struct fal_measured *sum, const struct fal_measured *more)
{
    sum->packets += more->packets;
    sum->reliable += more->reliable;
    sum->holes += more->holes;
    sum->late += more->late;
    sum->repeats += more->repeats;
    sum->shown += more->shown;
}

/* The direction of an excuse, and what was seen of its kind. Copies that the subject sends are
 * no evidence for it: in-loss is meant to excuse that the subject retransmits what was
 * acknowledged. */
static bool evidence(const struct fal_measured measured[FAL_DIRS], enum fal_excuse excuse,
                     const struct fal_measured **path, uint64_t *seen)
{
    const struct fal_measured *in = &measured[FAL_TO_SUT], *out = &measured[FAL_FROM_SUT];

    switch (excuse) {
    case FAL_EXCUSE_IN_LOSS:
    case FAL_EXCUSE_IN_REORDER:
        *path = in;
        *seen = in->holes + in->late + in->shown + in->repeats;
        return true;
    case FAL_EXCUSE_OUT_LOSS:
    case FAL_EXCUSE_OUT_REORDER:
        *path = out;
        *seen = out->holes + out->late;
        return true;
    case FAL_EXCUSE_OUT_DUP:
        *path = out;
        *seen = out->repeats;
        return true;
    case FAL_EXCUSE_IN_DUP: /* Nothing shows such an event. */
    case FAL_EXCUSE_CAPTURE_GAP:
    case FAL_EXCUSE_PIPELINE:
    case FAL_EXCUSE_RESOURCE_DROP:
    case FAL_EXCUSE_STALE_NACK:
    case FAL_EXCUSE_CC_UNKNOWN:
    case FAL_EXCUSE_CONFIG:
    case FAL_EXCUSE_TURNAROUND:
    case FAL_EXCUSE_CLOCK:
    case FAL_EXCUSE_TESTER_LATE:
    case FAL_EXCUSE_READING:
    case FAL_EXCUSE_COUNT: break;
    }
    return false;
}

uint64_t fal_allowed(const struct fal_measured measured[FAL_DIRS], enum fal_excuse excuse)
{
    const struct fal_measured *path;
    uint64_t seen, unseen;

    if (!evidence(measured, excuse, &path, &seen) || path->reliable < ENOUGH)
        return UINT64_MAX;
    /* An event that did not happen in n packets may still happen three times in n. */
    unseen = 3 * path->packets / path->reliable;
    return FREE + EACH * (seen + unseen);
}
