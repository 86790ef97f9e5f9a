/* SPDX-License-Identifier: Apache-2.0
 * control.h - the tester's end of a control channel: lines in and out over a TCP or Unix
 * socket, never waiting. */
#ifndef TL_HARNESS_LINK_CONTROL_H
#define TL_HARNESS_LINK_CONTROL_H

#include "harness/link/clock.h"
#include "harness/link/sockets.h"
#include "harness/wire/control_io.h"

struct tl_control {
    int fd; /* -1 once it ended */
    struct tl_line_reader reader;
    struct tl_outbox outbox;
    uint64_t at_ns; /* of the last bytes read */
    char *line;     /* the next whole line, or NULL */
    size_t len;
    bool told;            /* that it ended */
    bool broken;          /* not closed by the SUT in good order: `why` is an error */
    struct fal_error why; /* of the end */
};

/* Connects; `allowed` as for tl_resolve_among. 0, FAL_ERR_FORM, FAL_ERR_IO or FAL_ERR_MEM with
 * `err`. Free with tl_control_free either way. */
int tl_control_open(struct tl_control *control, const char *address,
                    const struct tl_allowed *allowed, struct fal_error *err);
void tl_control_free(struct tl_control *control);

/* Looks for a line: true when there is one, in ->line and ->len, arrived at ->at_ns. Otherwise
 * the channel is silent, or has ended (fd -1, and `why`). Taking it is setting ->line to NULL.
 */
bool tl_control_look(struct tl_control *control, struct tl_clock *clock);

/* Queues a line and writes what can be written. 0, or FAL_ERR_IO with `err`. */
int tl_control_send(struct tl_control *control, const char *line, size_t len,
                    struct fal_error *err);
/* Writes what can be written of what waits; true when some still does. */
bool tl_control_flush(struct tl_control *control);

#endif
