/* SPDX-License-Identifier: Apache-2.0
 * story.h - what both ends of a connection did in a capture, in memory: packets, and commands
 * to the upper layer of the SUT. */
#ifndef FAL_FUZZ_FIELD_STORY_H
#define FAL_FUZZ_FIELD_STORY_H

#include "fuzz/field/finding.h"

#include <jansson.h>

enum { FLD_FRAMES_MAX = 4000 }; /* of a connection; what comes later is not read */

struct fld_frame {
    uint64_t t_ns; /* after the first frame of the capture */
    bool to_sut;
    uint8_t ecn;
    size_t payload_len;
    struct fal_falcon falcon;
};

/* A command to the SUT, as a step of a scenario or a new policy. */
struct fld_act {
    size_t before; /* it came before this frame of the story */
    uint64_t t_ns;
    json_t *step;
};

struct fld_story {
    struct fld_finding finding; /* whose setup has the initial numbers, given or inferred */
    struct fld_frame *frames;
    size_t num_frames, cap_frames;
    struct fld_act *acts;
    size_t num_acts, cap_acts;
    bool has_acts; /* commands are known: requests of the SUT need not be inferred */
    bool has_encap;
    enum fal_encap encap;
};

/* Reads the frames of the finding's connection, and the commands in wish->ulp. fld_story_free
 * is due in any case. 0; FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int fld_story_read(const struct fld_wish *wish, const struct fld_finding *finding,
                            struct fld_story *out, struct fal_error *err);
void fld_story_free(struct fld_story *story);

/* story_acts.c: the commands; called when the frames are read. Returns as above. */
MUST_USE int fld_story_acts(const char *path, struct fld_story *story, uint64_t first_ns,
                            struct fal_error *err);

#endif
