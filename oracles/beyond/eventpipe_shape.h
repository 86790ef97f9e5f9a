/* SPDX-License-Identifier: Apache-2.0
 * eventpipe_shape.h - the tables of the files of event traces (eventpipe.h): a line of a trace,
 * and the object that declares the setup. Writer and reader of both come from these tables, so
 * that a trace of the model, of a device and of RTL have the same words. */
#ifndef FAL_ORACLES_BEYOND_EVENTPIPE_SHAPE_H
#define FAL_ORACLES_BEYOND_EVENTPIPE_SHAPE_H

#include "codecs/json/shape.h"
#include "oracles/beyond/eventpipe.h"

/* A line: struct fal_ep_event. Members that are 0 are left out. `number` is not in the file. */
extern const struct fal_shape fal_ep_event_shape;
/* The setup: struct fal_ep_setup. All members are written; absent ones are not declared. */
extern const struct fal_shape fal_ep_setup_shape;

/* The words of the enums, each indexed by its enum. */
extern const char *const fal_ep_point_words[FAL_EP_WIRE + 1];
extern const char *const fal_ep_kind_words[FAL_EP_KINDS];
extern const char *const fal_ep_state_words[FAL_EP_MORE_B + 1];
extern const char *const fal_ep_cause_words[FAL_EP_BY_FW_RELEASE + 1];

#endif
