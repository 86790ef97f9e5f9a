/* SPDX-License-Identifier: Apache-2.0
 * pulse.h - probes of the path beside a run, one at a time (echo.h answers them): independent
 * trials of a path, apart from the packets that are judged (judging.md, section 18). Threads
 * may share one. */
#ifndef TL_HARNESS_LINK_PULSE_H
#define TL_HARNESS_LINK_PULSE_H

#include "codecs/base/error.h"
#include "harness/link/link.h"

struct tl_pulse;

/* Takes over a link whose other end is an echo; `run` marks its own probes. NULL: out of
 * memory; the link is then the caller's. */
struct tl_pulse *tl_pulse_new(struct tl_link *link, uint32_t run);
void tl_pulse_free(struct tl_pulse *pulse);

/* Sends a probe, unless one is under way that may still come back. It never waits. */
void tl_pulse_beat(struct tl_pulse *pulse);
/* Takes the answers that have come: of so many probes since the last call, so many are lost. A
 * probe is lost if it
 * does not come back within 500 ms and a later one does: an echo that is not there, or no
 * longer, measures nothing. A probe that this host could not send, or whose answer it may have
 * dropped itself, is not counted. */
void tl_pulse_take(struct tl_pulse *pulse, uint64_t *trials, uint64_t *lost);

#endif
