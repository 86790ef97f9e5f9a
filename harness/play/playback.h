/* SPDX-License-Identifier: Apache-2.0
 * playback.h - plays the tester's side of a recorded connection to a SUT (`--sut
 * pcap:FILE@SUT`). The SUT is opened with the recorded numbers as wishes; where it chose
 * others, what packets say of its CID, PSNs and RSNs is moved along. What it asked its peer for
 * is posted again. Everything it answers is stamped and judged as in any case; the tester's own
 * endpoint has no say. */
#ifndef TL_HARNESS_PLAY_PLAYBACK_H
#define TL_HARNESS_PLAY_PLAYBACK_H

#include "codecs/base/error.h"
#include "harness/check/recording.h"
#include "harness/scenario/scenario.h"
#include "harness/session/session.h"

struct tl_suite;

struct tl_playback {
    const struct tl_recording *recording; /* borrowed */
    size_t index;                         /* of the connection in it */
    bool fast; /* a frame waits for the SUT's preceding frames, not for its recorded time */
};

/* Adds a case for each connection of a recording: "replay-1", ... The suite borrows both. 0, or
 * FAL_ERR_MEM. */
MUST_USE int tl_playback_suite(const struct tl_recording *recording, bool fast,
                               struct tl_suite *suite);

/* The connection to be opened, and the wishes of the SUT's end. */
void tl_playback_setup(const struct tl_playback *playback, const struct fal_params *defaults,
                       uint64_t seed, struct fal_connection *out, struct tl_end_setup *wishes);
/* How long it lasts, of itself. */
uint64_t tl_playback_length_ns(const struct tl_playback *playback);

/* Plays on an open session, to the end or until that breaks. True when the SUT has answered, or
 * had nothing to answer in the recording either. */
bool tl_playback_play(const struct tl_playback *playback, struct tl_session *session);

#endif
