/* SPDX-License-Identifier: Apache-2.0
 * hunt_watch.h - SIGINT and SIGTERM end a hunt or an exploration. A thread waits for them: the
 * others look at hunt->stop between cases only, and a case may take long, or never end if a
 * rule or a SUT in this process loops. */
#ifndef FAL_FUZZ_HUNT_HUNT_WATCH_H
#define FAL_FUZZ_HUNT_HUNT_WATCH_H

#include "fuzz/hunt/hunt_loop.h"

struct hunt_watch {
    struct hunt *hunt;
    const char *verb; /* borrowed; of messages: "talon fuzz" */
    void (*last)(void *ctx);
    void *ctx;
    pthread_t thread;
    int signals, over; /* files of signals, and of the end of the watch; -1: none */
    bool started;
};

/* Blocks both signals in this thread and those that it makes, and begins to wait. At a signal
 * it sets hunt->stop. If the watch is not ended 0.7 s later, it calls `last` (with the lock of
 * the hunt, if that can be had), which prints and flushes what there is, and ends the program
 * with TL_STATUS_ERROR. Without a thread the signals end the program at once, as by default. */
void hunt_watch_begin(struct hunt_watch *watch);
void hunt_watch_end(struct hunt_watch *watch);

#endif
