/* SPDX-License-Identifier: Apache-2.0
 * bridge.h - Talon between two real ends (`--sut bridge:IFACE,IFACE`). Every frame that arrives
 * at one interface leaves by the other: what is no Falcon packet at once and as it came, a
 * Falcon packet through the gate of the session, where a scenario's rules and its `impair` act
 * on it.
 *
 * Both ends are judged, each by a session of its own in which it is the SUT and the other end
 * the tester: what it sent, as it came, and what it was sent, as it left. `>` in a scenario is
 * from the first interface to the second, `<` back: the end at the second interface is the SUT
 * of the session that the scenario is played on. */
#ifndef TL_HARNESS_SESSION_BRIDGE_H
#define TL_HARNESS_SESSION_BRIDGE_H

#include "harness/check/recording.h"
#include "harness/session/session.h"

enum { TL_BRIDGE_ENDS = 2 };

struct tl_bridge;
struct tl_passing;

/* Opens a bridge. `config`: keys and connections, as for a capture. NULL with `err`; the caller
 * frees it. */
struct tl_bridge *tl_bridge_new(struct tl_bench *bench,
                                const struct tl_recording_config *config,
                                struct fal_error *err);
void tl_bridge_free(struct tl_bridge *bridge);

/* The sessions, by the interface at which their SUT is; both borrowed. */
void tl_bridge_between(struct tl_bridge *bridge,
                       struct tl_session *const sessions[TL_BRIDGE_ENDS]);

/* Called for a frame that arrived (session_packet.c), for a packet that the gate releases
 * (session_gate.c), and for frames that were missed in an unknown direction. */
void tl_bridge_take(struct tl_bridge *bridge, const struct tl_link_got *got);
void tl_bridge_carry(struct tl_bridge *bridge, enum fal_dir dir,
                     const struct tl_passing *frame);
void tl_bridge_gap(struct tl_bridge *bridge, uint64_t frames);

struct tl_bridge_counts {
    uint64_t others; /* frames of other protocols, and sealed frames that could not be opened */
    uint64_t
        packets[TL_BRIDGE_ENDS]; /* Falcon frames, by the interface on which they arrived */
};
struct tl_bridge_counts tl_bridge_counts(const struct tl_bridge *bridge);

#endif
