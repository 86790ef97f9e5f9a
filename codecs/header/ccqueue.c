/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/ccqueue.h"

#include "codecs/header/layout_impl.h"

#define NAMES(id, ...)                                                                      \
    static const struct fal_name id##_entries[] = {__VA_ARGS__};                            \
    const struct fal_names fal_names_cc_##id = {sizeof id##_entries / sizeof *id##_entries, \
                                                id##_entries}

NAMES(event_type, {FAL_CC_ACK, "ack"}, {FAL_CC_NACK, "nack"},
      {FAL_CC_RETRANSMIT, "retransmit"});
NAMES(retransmit_reason, {FAL_CC_RTO, "rto"}, {FAL_CC_EARLY, "early"});
NAMES(delay_select, {FAL_CC_DELAY_FULL, "full"}, {FAL_CC_DELAY_FABRIC, "fabric"},
      {FAL_CC_DELAY_FORWARD, "forward"}, {FAL_CC_DELAY_REVERSE, "reverse"});
NAMES(ncwnd_direction, {FAL_CC_DECREASE, "decrease"}, {FAL_CC_INCREASE, "increase"});

typedef struct fal_cc_event HOST_cc_event;
typedef struct fal_cc_result HOST_cc_result;

FAL_LAYOUT(cc_event, FAL_CC_EVENT_FIELDS, "FTP 10.6.2.1", "FTP-10.6.2.1-35", 512);
FAL_LAYOUT(cc_result, FAL_CC_RESULT_FIELDS, "FTP 10.6.2.2", "FTP-10.6.2.2-17", 512);
