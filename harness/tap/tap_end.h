/* SPDX-License-Identifier: Apache-2.0
 * tap_end.h - one end of a bed of TAP devices: a TAP in a network namespace, whose frames this
 * process reads and writes, and a packet socket beside it that sees them as the host does. */
#ifndef TL_HARNESS_TAP_TAP_END_H
#define TL_HARNESS_TAP_TAP_END_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TL_TAP_FRAME = 65536 }; /* bytes of the longest frame */

struct tl_tap_end {
    int tap;
    int watch; /* -1: nobody asked for it */
};

/* Attaches to "IFACE", or to "NETNS/IFACE" in a namespace of `ip netns`. A TAP that is missing
 * is created, one that is down is set up. Segmentation, merging and checksums in the device are
 * switched off, so that each frame is a segment of the wire. `watch`: opens the packet socket.
 * Returns 0; FAL_ERR_FORM or FAL_ERR_IO with `err`. The caller calls tl_tap_close in any case.
 */
MUST_USE int tl_tap_open(struct tl_tap_end *end, const char *address, bool watch,
                         struct fal_error *err);
void tl_tap_close(struct tl_tap_end *end);

/* Reads the next frame that the host of this end sends. Returns its length; 0: there is none
 * now; -1 with errno. */
ssize_t tl_tap_read(const struct tl_tap_end *end, uint8_t bytes[TL_TAP_FRAME]);
/* Gives a frame to the host of this end. One that the device does not take is lost, as on a
 * wire whose receiver is down. Returns 0, or an errno: the device is gone. */
int tl_tap_write(const struct tl_tap_end *end, const uint8_t *bytes, size_t len);
/* The next frame that passed the device in either direction, and its time since 1970 by the
 * kernel's clock. Returns as tl_tap_read. */
ssize_t tl_tap_watched(const struct tl_tap_end *end, uint8_t bytes[TL_TAP_FRAME],
                       uint64_t *at_ns);
/* Frames that the packet socket had no room for since the last call. */
uint32_t tl_tap_missed(const struct tl_tap_end *end);

#endif
