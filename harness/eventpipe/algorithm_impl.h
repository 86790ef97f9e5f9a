/* SPDX-License-Identifier: Apache-2.0
 * algorithm_impl.h - the messages between Talon and the process of an algorithm. */
#ifndef TL_HARNESS_EVENTPIPE_ALGORITHM_IMPL_H
#define TL_HARNESS_EVENTPIPE_ALGORITHM_IMPL_H

#include "harness/eventpipe/talon_event_algorithm.h"

enum { TL_EP_WHY = 300 };

/* The first message of the process. */
struct tl_ep_hello {
    uint32_t context_bytes;
    char why[TL_EP_WHY]; /* it cannot serve; empty: it can */
};

struct tl_ep_ask {
    struct talon_event event;
    int32_t first;
    uint8_t context[TALON_EVENT_CONTEXT_MAX];
};

struct tl_ep_reply {
    struct talon_answer answer;
    int32_t beyond; /* it wrote beyond its context */
    uint8_t context[TALON_EVENT_CONTEXT_MAX];
};

/* Serves the library on that socket until it closes. Returns the exit status of the process. */
int tl_ep_serve(const char *path, int channel);

#endif
