/* SPDX-License-Identifier: Apache-2.0
 * ncmds.h - which packets and words of NVMe belong to one command: the command of the host, its
 * parts at the targets, and the nCMDs that carry them (NVME 6.5). For output that people read.
 * Nothing is judged here. */
#ifndef TL_HARNESS_CAPTURE_NCMDS_H
#define TL_HARNESS_CAPTURE_NCMDS_H

#include "codecs/header/ulp.h"
#include "oracles/timeline.h"

/* Commands that were seen, the newest ones. */
struct tl_ncmds;

/* A packet whose headers of NVMe were read. */
struct tl_ncmds_packet {
    uint32_t conn;
    bool to_sut;
    const struct fal_falcon *falcon;
    const struct fal_ulp *ulp;
};

/* The place of a packet or a word in its command. */
struct tl_ncmds_place {
    uint64_t command; /* from 1, in the order in which they were seen first; 0: of none */
    unsigned part;    /* of a command that is split over a stripe boundary: 1, 2; else 0 */
    unsigned ncmd;    /* the nCMD, from 1; 0: of none */
    unsigned ncmds;   /* of the command, as the packet states them; 0: not known */
};

/* Keeps the newest 256 commands and 1,024 nCMDs. The caller frees it. NULL: out of memory. */
struct tl_ncmds *tl_ncmds_new(void);
void tl_ncmds_free(struct tl_ncmds *ncmds); /* NULL is fine */

/* Both take things in the order of the timeline, and give the place, all of it 0 if the thing
 * belongs to no command that is known. */
struct tl_ncmds_place tl_ncmds_take_packet(struct tl_ncmds *ncmds,
                                           const struct tl_ncmds_packet *packet);
struct tl_ncmds_place tl_ncmds_take_word(struct tl_ncmds *ncmds,
                                         const struct fal_ev_nvme *event);

/* The place in words: "command 3, part 2, nCMD 4 of 8". As snprintf. */
enum { TL_NCMDS_TEXT = 80 };
int tl_ncmds_text(const struct tl_ncmds_place *place, char *out, size_t cap);

#endif
