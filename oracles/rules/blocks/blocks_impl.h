/* SPDX-License-Identifier: Apache-2.0
 * blocks_impl.h - the inside of struct fal_blocks, for the files of this folder. */
#ifndef FAL_ORACLES_RULES_BLOCKS_BLOCKS_IMPL_H
#define FAL_ORACLES_RULES_BLOCKS_BLOCKS_IMPL_H

#include "oracles/rules/blocks/blocks.h"
#include "oracles/rules/verbs/index.h"

#include <stddef.h>

/* Pointers to items of one kind, which stay where they are. */
struct fal_nlist {
    void **items;
    size_t num, cap;
};

/* A command that waits for its reply. */
struct fal_nasked {
    int64_t id;
    struct fal_at at;
    struct fal_nvme_word word;
};

/* A data block of a device behind the SUT. */
struct fal_ncontent {
    uint32_t nsid, dev;
    uint64_t lba;
    uint8_t *bytes; /* NULL: unknown */
    uint32_t size;
    uint64_t changed;         /* index of the last event that may have changed it */
    struct fal_npart *writer; /* a command under way that writes it; NULL: none */
    bool mixed; /* several were at one time, so it is unknown until it is filled */
};

/* The device that serves a submission queue of the target. */
struct fal_nqueue {
    uint32_t dev;
    bool known, mixed; /* mixed: it was another one before */
};

enum { FAL_NSTATES = 2 /* so many states of a row are kept */, FAL_NQUEUES = 256 };

/* The states of a row, the newest first. */
struct fal_nspaces {
    struct fal_nspace state[FAL_NSTATES];
    unsigned num;
};
struct fal_nrows {
    struct fal_nrow state[FAL_NSTATES];
    unsigned num;
};

struct fal_blocks {
    struct fal_nlist ncmds, parts; /* struct fal_ncmd, fal_npart */
    struct fal_index tags, icmds, rsns;
    struct fal_nlist spaces, rows;              /* struct fal_nspaces, fal_nrows */
    struct fal_nlist posts, dcmds;              /* struct fal_hcmd, fal_dcmd */
    struct fal_index post_numbers, post_blocks; /* posts by number, and by first block */
    struct fal_nlist pending;                   /* struct fal_nasked */
    struct fal_nlist early;                     /* that of dev_complete, before its dev_cmd */
    struct fal_index space_keys, row_keys;      /* by nsid, by index */
    struct fal_nlist content;                   /* struct fal_ncontent */
    struct fal_index content_keys;              /* by block */
    struct fal_nlist formats;                   /* struct fal_nformat */
    struct fal_nqueue queues[FAL_NQUEUES];
    struct fal_npolicy policy;
    uint64_t bytes;      /* of nCMDs and content */
    uint64_t read_index; /* of the packet that was read last, and its type */
    unsigned read_type;
    uint32_t some_conn;
    bool words, forgot, unseen, oom;
};

void *fal_nlist_at(const struct fal_nlist *list, size_t i);
/* A zeroed item of `size` bytes; NULL when memory ran out. */
void *fal_nlist_add(struct fal_blocks *b, struct fal_nlist *list, size_t size);
void fal_nlist_remove(struct fal_nlist *list, size_t i);
void fal_nlist_free(struct fal_nlist *list);

/* ---- wire.c ---- */

void fal_wire_free(struct fal_blocks *b);

/* ---- words.c ---- */

const struct fal_nspaces *fal_spaces_of(const struct fal_blocks *b, uint32_t nsid);
const struct fal_nrows *fal_rows_of(const struct fal_blocks *b, uint64_t index);

/* ---- plan.c ---- */

/* The command of the host that explains a request that begins a part; NULL: none. */
struct fal_hcmd *fal_plan_explain(struct fal_blocks *b, const struct fal_nvme_seen *n,
                                  uint32_t conn, unsigned *half);

/* Whether the header has first block and length of that part of the command. */
bool fal_plan_exact(const struct fal_blocks *b, const struct fal_hcmd *cmd, unsigned half,
                    const struct fal_nvme *head);

/* ---- devices.c ---- */

/* The part of a command that a device was given; NULL: none is known. Of several with the same
 * blocks it is one whose data are all there, if there is one. *mixed: it may be one of several.
 */
struct fal_npart *fal_dcmd_part(const struct fal_blocks *b, const struct fal_nvme_word *word,
                                bool *mixed);
/* A dev_cmd was read; a dev_complete was written; it was refused. */
void fal_dcmd_told(struct fal_blocks *b, const struct fal_nsaid *said);
void fal_dcmd_complete(struct fal_blocks *b, const struct fal_nsaid *said);
void fal_dcmd_refused(struct fal_blocks *b, const struct fal_nsaid *said);

/* ---- content.c ---- */

void fal_content_format(struct fal_blocks *b, const struct fal_nvme_word *word);
/* A dev_fill was written, at that event; it was applied. */
void fal_content_asked(struct fal_blocks *b, const struct fal_nvme_word *word, uint64_t index);
void fal_content_filled(struct fal_blocks *b, const struct fal_nvme_word *word, uint64_t index);
/* A command that writes was sent to the SUT; all its nCMDs have ended. */
void fal_content_writing(struct fal_blocks *b, struct fal_npart *part, uint64_t index);
void fal_content_written(struct fal_blocks *b, struct fal_npart *part, uint64_t index);
/* Of commands that are forgotten it is not known what they write. */
void fal_content_forget_writers(struct fal_blocks *b);
void fal_content_free(struct fal_blocks *b);

/* No request of the command is to come. Those of one that failed may still be on their way. */
static inline bool fal_hcmd_over(const struct fal_hcmd *cmd)
{
    return cmd->completed && cmd->status == 0;
}

#endif
