/* SPDX-License-Identifier: Apache-2.0
 * check_feed.h - frames and events that are handed to a check one by one, as those of a file
 * are (check_input.c reads both). One thread judges them, whatever `jobs` says. */
#ifndef TL_HARNESS_CHECK_CHECK_FEED_H
#define TL_HARNESS_CHECK_CHECK_FEED_H

#include "harness/capture/capture.h"
#include "harness/check/check.h"

struct tl_check_feed;

/* The check has its connections and no packet yet; it outlives the feed. `several`: frames come
 * from more than one interface, so the same frame again may be a copy. NULL with `err`. */
struct tl_check_feed *tl_check_feed_open(struct tl_check *check, bool several,
                                         struct fal_error *err);
void tl_check_feed_close(struct tl_check_feed *feed); /* NULL is fine */

/* Events of the upper layer come as lines (tl_check_feed_event): `head` is the first line of a
 * file talon/ulp/1. Before the first frame; options->ulp is not NULL by now. Returns 0,
 * FAL_ERR_FORM or FAL_ERR_MEM with `err`. */
MUST_USE int tl_check_feed_events(struct tl_check_feed *feed, struct fal_span head,
                                  struct fal_error *err);
/* A line with an event, before the first frame that is later than it. The same returns. */
MUST_USE int tl_check_feed_event(struct tl_check_feed *feed, struct fal_span line,
                                 struct fal_error *err);

/* Judges the next frame; its number becomes the next one, from 1. `drops` frames were missed
 * right before it, and `interface` has received it. The same returns. */
MUST_USE int tl_check_feed_frame(struct tl_check_feed *feed, const struct tl_captured *got,
                                 uint32_t interface, uint64_t drops, struct fal_error *err);
/* So many frames were missed in all, at places that are not known. */
void tl_check_feed_dropped(struct tl_check_feed *feed, uint64_t frames);

/* Nothing more comes. The same returns. */
MUST_USE int tl_check_feed_end(struct tl_check_feed *feed, struct fal_error *err);

#endif
