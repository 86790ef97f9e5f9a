/* SPDX-License-Identifier: Apache-2.0
 * story.h - the conversation around a finding of `talon check`: the last packets of all
 * connections are kept in one ring, chained by connection, so memory does not grow with the
 * number of connections or the length of the capture. */
#ifndef TL_HARNESS_CHECK_STORY_H
#define TL_HARNESS_CHECK_STORY_H

#include "codecs/base/error.h"
#include "harness/capture/messages.h"
#include "oracles/rules/judge/judge.h"

enum {
    TL_STORY_EVENTS = 1 << 13, /* kept in all */
    TL_STORY_HEADS = 1 << 12,  /* chains; connections may share one */
    TL_STORY_DATA = 16,        /* of the data: they may name themselves */
    TL_STORY_BYTES = FAL_HEADER_MAX + FAL_ULP_BYTES_MAX + TL_STORY_DATA,
    TL_STORY_MESSAGES = 64, /* of RDMA, kept to find the message of a packet */
    TL_SCENES_MAX = 16,     /* of one finding */
};

/* A packet, or an event of the upper layer. */
struct tl_scene {
    uint64_t index, t_ns;
    uint64_t before; /* number of the one before in its chain, +1; 0: none */
    uint32_t conn, frame, payload_len;
    uint8_t len;     /* of what follows */
    bool packet;     /* bytes of its headers; else text */
    bool to_first;   /* to side 0 */
    bool evidence;   /* copies only: it shows the finding */
    bool continues;  /* copies only: nothing is left out before it */
    bool in_message; /* copies only: it is that part of a message of RDMA */
    struct tl_message_part part;
    uint8_t bytes[TL_STORY_BYTES];
};

struct tl_story {
    struct tl_scene *ring;
    uint64_t *heads;
    uint64_t next; /* number of the next one */
    uint64_t now;  /* index of the newest event, whether it is kept here or not */
};

/* The conversation around a finding; scenes in order. */
struct tl_snippet {
    struct tl_scene *scenes;
    unsigned num, wanted;         /* how many following scenes are still to be added */
    struct tl_messages *messages; /* while scenes are wanted; may be NULL */
};

/* 0, or FAL_ERR_MEM. */
MUST_USE int tl_story_start(struct tl_story *story);
void tl_story_free(struct tl_story *story);

/* Events up to that index have happened: those of TL_STORY_EVENTS events before are forgotten.
 */
void tl_story_now(struct tl_story *story, uint64_t index);
/* Keeps a packet or an event of the upper layer, and returns it; returns NULL for others. */
const struct tl_scene *tl_story_add(struct tl_story *story, const struct fal_event *event,
                                    bool to_first);

/* The scenes around a finding's evidence. An empty snippet if nothing is kept any more, or
 * memory ran out. */
struct tl_snippet tl_story_around(const struct tl_story *story,
                                  const struct fal_finding *finding);
/* Adds a scene that follows. */
void tl_snippet_add(struct tl_snippet *snippet, const struct tl_scene *scene);
void tl_snippet_free(struct tl_snippet *snippet);

enum { TL_SCENE_LINE = 2200 };
/* As a line of the notation: "@8us < back dbase=1  # frame 17", with the headers of RDMA or
 * NVMe and the message that they belong to; `first`: side 0 is the one that
 * ">" points to. */
void tl_scene_print(const struct tl_scene *scene, bool first, char out[TL_SCENE_LINE]);

#endif
