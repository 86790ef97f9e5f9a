/* SPDX-License-Identifier: Apache-2.0
 * stop.h - how an implementation that runs as a child process of the tester (`lib:`, `exec:`)
 * stopped. */
#ifndef TL_HARNESS_LINK_STOP_H
#define TL_HARNESS_LINK_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_stop_how {
    TL_STOP_NONE,   /* it has not stopped */
    TL_STOP_SIGNAL, /* its process ended by a signal */
    TL_STOP_EXIT,   /* its process ended with an exit status that is not 0 */
    TL_STOP_HANG,   /* it did not answer within the time limit */
    TL_STOP_ADAPTER /* it did not keep to its protocol, closed its output, or ended with
                       status 0: nothing that a packet is known to cause */
};

/* The work during which it stopped. */
enum tl_stop_at {
    TL_STOP_AT_BEGIN,   /* it was being started */
    TL_STOP_AT_FRAME,   /* it processed a frame */
    TL_STOP_AT_TIME,    /* it did what was due at some time */
    TL_STOP_AT_COMMAND, /* it processed a command of the control channel */
};

enum {
    TL_STOP_HEAD = 96,   /* bytes of the last frame that are kept */
    TL_STOP_SAID = 1024, /* of the last lines of its standard error */
};

struct tl_stop {
    enum tl_stop_how how;
    enum tl_stop_at at;
    int code;             /* the signal, or the exit status */
    uint64_t frames;      /* frames that it was given before */
    uint64_t frame_at_ns; /* when the last of them was given, in the link's time */
    size_t frame_len;
    uint8_t frame_head[TL_STOP_HEAD];
    char what[200];          /* "ended by signal 11 (Segmentation fault)" */
    char said[TL_STOP_SAID]; /* the last lines of its standard error, " | " between them; "":
                                none */
};

/* Whether this is a failure of the SUT: it was given a frame, and then stopped by itself, not
 * in reply to a command. `stop` NULL: no. */
static inline bool tl_stop_fails(const struct tl_stop *stop)
{
    return stop != NULL && stop->frames > 0 &&
           (stop->at == TL_STOP_AT_FRAME || stop->at == TL_STOP_AT_TIME) &&
           (stop->how == TL_STOP_SIGNAL || stop->how == TL_STOP_EXIT ||
            stop->how == TL_STOP_HANG);
}

#endif
