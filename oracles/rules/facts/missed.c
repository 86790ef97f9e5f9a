/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/missed.h"

#include "oracles/rules/facts/copies.h"

static void note(struct fal_track *track, const struct fal_seen *seen, enum fal_dir dir,
                 enum fal_window window, int64_t x)
{
    if (track->missed.found)
        return;
    track->missed = (struct fal_missed){.found = true,
                                        .dir = dir,
                                        .window = window,
                                        .psn = (uint32_t)x,
                                        .index = seen->at.index,
                                        .frame = seen->at.frame};
}

void fal_missed_claim(struct fal_track *track, const struct fal_seen *seen,
                      enum fal_window window, int64_t x)
{
    enum fal_dir dir = fal_dir_other(seen->dir);
    const struct fal_stream *stream = &track->stream[dir][window];

    /* A number above the highest that was sent proves nothing: rule R1 judges it. */
    if (track->complete && x < stream->next && x >= stream->doubt && !stream->far_lost &&
        !fal_ring_forgot(&stream->sent, x))
        note(track, seen, dir, window, x);
}

void fal_missed_base(struct fal_track *track, const struct fal_seen *seen,
                     enum fal_window window)
{
    int64_t *beyond = &track->beyond[fal_dir_other(seen->dir)][window];

    if (track->complete && seen->claim[window].base > *beyond)
        *beyond = seen->claim[window].base;
}

void fal_missed_skip(struct fal_track *track, const struct fal_seen *seen, int64_t next)
{
    const struct fal_stream *stream = &track->stream[seen->dir][seen->window];
    int64_t x = next > stream->doubt ? next : stream->doubt;
    int64_t end;

    if (!track->complete || x >= seen->x)
        return;
    end = seen->x - x < FAL_RX_WINDOW_DATA ? seen->x : x + FAL_RX_WINDOW_DATA;
    for (; x < end; x++) {
        if (x < track->beyond[seen->dir][seen->window] || fal_stream_acked(stream, x)) {
            note(track, seen, seen->dir, seen->window, x);
            return;
        }
    }
}
