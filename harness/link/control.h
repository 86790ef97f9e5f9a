/* SPDX-License-Identifier: Apache-2.0
 * control.h - the tester's end of a control channel: lines over a TCP or Unix socket. No
 * function blocks. */
#ifndef TL_HARNESS_LINK_CONTROL_H
#define TL_HARNESS_LINK_CONTROL_H

#include "codecs/base/error.h"
#include "harness/link/clock.h"
#include "harness/link/sockets.h"
#include "harness/wire/control_io.h"

struct tl_control {
    int fd; /* -1 after the channel ended */
    struct tl_line_reader reader;
    struct tl_outbox outbox;
    uint64_t at_ns; /* arrival of the last bytes that were read */
    char *line;     /* the next whole line, or NULL */
    size_t len;
    bool told;            /* the channel ended */
    bool broken;          /* it ended by an error (`why`), not because the SUT closed it */
    struct fal_error why; /* when it ended */
};

/* Connects to `address`. `allowed` is as for tl_resolve_among. Returns 0, or FAL_ERR_FORM,
 * FAL_ERR_IO or FAL_ERR_MEM with `err`. Free with tl_control_free in both cases. */
MUST_USE int tl_control_open(struct tl_control *control, const char *address,
                             const struct tl_allowed *allowed, struct fal_error *err);
void tl_control_free(struct tl_control *control);

/* Looks for a line. Returns true when there is one: it is in ->line and ->len and arrived at
 * ->at_ns. Otherwise nothing has arrived, or the channel has ended (fd is -1; see `why`). The
 * caller takes the line by setting ->line to NULL. */
bool tl_control_look(struct tl_control *control, struct tl_clock *clock);

/* Queues a line and writes as much as the socket accepts. Returns 0, or FAL_ERR_IO with `err`.
 */
MUST_USE int tl_control_send(struct tl_control *control, const char *line, size_t len,
                             struct fal_error *err);
/* Writes as much of the queue as the socket accepts. Returns true when some is left. */
bool tl_control_flush(struct tl_control *control);

#endif
