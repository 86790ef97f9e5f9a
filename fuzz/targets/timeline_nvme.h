/* SPDX-License-Identifier: Apache-2.0
 * timeline_nvme.h - what records of fuzz_rules' inputs say of NVMe: words of the control
 * protocol, and packets. Numbers and names are few, so that words and packets speak of the same
 * things. */
#ifndef FAL_FUZZ_TARGETS_TIMELINE_NVME_H
#define FAL_FUZZ_TARGETS_TIMELINE_NVME_H

#include "codecs/header/ulp.h"
#include "fuzz/targets/timeline_input.h"

enum { TIMELINE_NVME_MTU = 4260, TIMELINE_PACKET_MAX = FAL_HEADER_MAX + TIMELINE_NVME_MTU };

/* The numbers with which the next packets of a connection continue, by enum fal_dir. */
struct timeline_numbers {
    uint32_t psn[2][2];       /* the next one, and by enum fal_window */
    uint32_t rsn[2];          /* the next one */
    uint32_t pulled[2];       /* RSN of the newest Pull Request */
    struct fal_nvme asked[2]; /* the newest request of a command */
};

/* Any word, as command, reply or event. *event points to *word. False: the members do not go
 * together, as the table of words says. */
bool timeline_nvme_word(const struct fuzz_record *record, struct fal_nvme_word *word,
                        struct fal_event *event);

/* A packet with headers of NVMe, mostly with the numbers that come next, and for the newest
 * command. Returns its length, 0 for a type that no packet of Falcon carries. */
size_t timeline_nvme_packet(const struct fuzz_record *record, struct timeline_numbers *numbers,
                            uint8_t out[TIMELINE_PACKET_MAX]);

#endif
