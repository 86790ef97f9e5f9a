/* SPDX-License-Identifier: Apache-2.0
 * blocks.h - the facts about NVMe over Falcon: the commands on the wire with their answers, the
 * tables that translate blocks, what the host of the SUT was asked to do, and what devices
 * behind it did. They belong to the judge, and are made with the first packet or word of NVMe.
 *
 * The host submits a command (struct fal_hcmd). The initiator makes of it one part, or two
 * (struct fal_npart), each a command of a target, and cuts each into nCMDs of 4 KB (struct
 * fal_ncmd). */
#ifndef FAL_ORACLES_RULES_BLOCKS_BLOCKS_H
#define FAL_ORACLES_RULES_BLOCKS_BLOCKS_H

#include "codecs/nvme/words.h"
#include "oracles/rules/blocks/map.h"
#include "oracles/rules/facts/nvme.h"
#include "oracles/rules/facts/track.h"

enum { FAL_NCMD_BYTES = 4096, FAL_NPART_MAX = 256 /* nCMDs of a part */ };

/* ---- on the wire ---- */

/* An answer of one kind to an nCMD: the first one. */
struct fal_nanswer {
    struct fal_at at;
    int64_t rsn;
    unsigned count; /* so many came; 0: none, the other members are not set */
    struct fal_nvme head;
    uint32_t length; /* of the transaction: of a Write Data Request what it asks for */
    uint32_t data_len;
    bool whole;
    uint64_t index_last; /* of the newest one */
};

/* An nCMD: a Read Request or Write Request, and what answers it. */
struct fal_ncmd {
    struct fal_at at;
    int64_t rsn;
    uint32_t conn;
    enum fal_dir initiator;
    struct fal_nvme head;
    struct fal_npart *part;
    struct fal_ncmd *next;   /* of the part, in the order in which they were seen */
    struct fal_nanswer pull; /* the Write Data Request */
    struct fal_nanswer data; /* the Write Data Response */
    struct fal_nanswer end;  /* the Read Response or Write Completion */
    uint8_t *bytes;          /* its data, where words may ask for them; NULL: none */
    uint32_t bytes_len;
};

/* The nCMDs with the same function, iCMD identifier and group: the requests for one command of
 * the target. */
struct fal_npart {
    uint32_t conn;
    enum fal_dir initiator;
    bool write;
    struct fal_nvme head; /* of the first nCMD */
    struct fal_ncmd *first, *last;
    unsigned seen, ended;  /* nCMDs; those with an answer that ends them */
    unsigned pulled, sent; /* those with a Write Data Request, with a Write Data Response */
    uint64_t offsets[FAL_NPART_MAX / 64]; /* NCNT Offsets that were seen */
    bool failed;                          /* an answer has a status other than 0 */
    bool bad_data;                        /* a Write Data Response has INV */
    struct fal_at first_end, last_end;    /* with `ended` */
    struct fal_at last_sent;              /* with `sent` */
    struct fal_hcmd *cmd;                 /* that explains it; NULL: none */
    unsigned half;
    struct fal_dcmd *dcmd; /* the command of a device that it became; NULL: none is known */
};

static inline bool fal_ncmd_is_write(const struct fal_ncmd *ncmd)
{
    return ncmd->head.packet_type == FAL_NVME_WRITE_REQUEST;
}

/* Whether all data of a write were sent to the target. */
static inline bool fal_npart_has_data(const struct fal_npart *part)
{
    return part->sent >= part->seen &&
           (part->head.s != 0 || part->seen > part->head.ncnt_total);
}

/* ---- the tables of the initiator ---- */

/* A row of the NSID table. */
struct fal_nspace {
    uint32_t nsid;
    struct fal_map map;
    enum fal_nvme_pi pi;
    bool encrypt, exclusive;
    bool told; /* the reply was read, so that these are known: */
    uint32_t function;
    uint64_t mdts;
    struct fal_at asked;
    uint64_t known; /* index of the reply; 0: not yet */
};

/* A row of the LBA translation table. */
struct fal_nrow {
    uint32_t index;
    bool valid;
    uint8_t sqid;
    uint32_t conn; /* number; 0: unknown */
    uint32_t target_nsid;
    uint64_t chunk;
    struct fal_at asked;
    uint64_t known;
};

/* A part of a command, as the tables want it. */
struct fal_nwant {
    uint64_t first;      /* block of the namespace */
    uint64_t slba;       /* of the target; if the row is known */
    uint32_t blocks;     /* of the part */
    uint32_t before;     /* blocks of the command before the part */
    unsigned ncmds;      /* units of 4 KB */
    unsigned ncmds_all;  /* of the whole command */
    struct fal_nrow row; /* a copy */
    uint64_t row_index;
    bool row_known;
    bool split;
    unsigned half;
};

/* What a command has to become under one state of the tables. */
struct fal_nplan {
    struct fal_nspace space; /* a copy */
    unsigned parts;          /* 1 or 2; 0: it may be refused only, as it needs more */
    bool free;               /* both parts may be sent as one (AMB-N21) */
    struct fal_nwant part[2];
    struct fal_nwant whole; /* if `free`: both in one */
};

/* ---- commands of the host, and of devices ---- */

struct fal_hcmd {
    struct fal_nvme_word word; /* nvme_post */
    struct fal_at asked;
    uint64_t answered; /* index of the reply; 0: not yet */
    bool refused;
    uint32_t sq, cid;
    bool completed; /* nvme_cqe */
    struct fal_at done;
    uint32_t status;
    unsigned completions;
    struct fal_npart *part[2]; /* NULL: no packet of it was seen */
    bool vague;                /* facts about its parts were forgotten */
};

struct fal_dcmd {
    struct fal_nvme_word word; /* dev_cmd */
    struct fal_at told;
    struct fal_at completed; /* dev_complete was written */
    bool complete;
    uint32_t status;
    bool held;              /* the policy in force made it wait for dev_complete */
    struct fal_npart *part; /* that it is the command of; NULL: none is known */
    bool mixed;             /* parts of several commands may be meant */
};

/* What devices do with commands (dev_policy). */
struct fal_npolicy {
    struct fal_at asked;
    uint64_t known;    /* index of the reply; 0: none was asked for, or not yet */
    bool hold, unsure; /* unsure: another one is being set */
    uint64_t after_ns;
    uint32_t status;
};

/* A word of NVMe, as rules hear it before it becomes a fact. */
struct fal_nsaid {
    const struct fal_event *event;
    const struct fal_nvme_word *asked; /* of a command or reply: the command */
    const struct fal_nvme_word *told;  /* of a reply: its members; of an event: the event */
    bool ok;                           /* of a reply */
    struct fal_at asked_at;
    struct fal_hcmd *cmd;   /* of a reply to nvme_post, or of nvme_cqe; NULL: unknown */
    struct fal_npart *part; /* of dev_cmd: what it is the command of; NULL: unknown */
    bool mixed;             /* of dev_cmd: it may be another part of the same blocks */
};

struct fal_blocks;

/* NULL when out of memory. The caller frees. */
struct fal_blocks *fal_blocks_new(void);
void fal_blocks_free(struct fal_blocks *blocks);
bool fal_blocks_oom(const struct fal_blocks *blocks);
/* A `reset`: tables, commands and devices are as at the start. */
void fal_blocks_reset(struct fal_blocks *blocks);

/* Writes to `out` what a packet is about. `ulp` has its headers and is in state READ. The
 * caller has set out->sent_before; the other members need no value. */
void fal_blocks_read(struct fal_blocks *blocks, const struct fal_seen *seen, uint32_t conn,
                     const struct fal_ulp *ulp, struct fal_nvme_seen *out);
/* It becomes a fact. */
void fal_blocks_commit(struct fal_blocks *blocks, const struct fal_seen *seen, uint32_t conn);
/* The type of the write data or answer that the packet of an event carried; FAL_NVME_TYPES:
 * none is known. It may be the one that was read last. */
unsigned fal_blocks_type_at(const struct fal_blocks *blocks, uint32_t conn, uint64_t index);
/* Whether facts about nCMDs were forgotten, so that a tag that is not known may be that of one.
 */
bool fal_blocks_forgot(const struct fal_blocks *blocks);
/* Packets of a connection may have gone unseen, so that what devices hold is not known. */
void fal_blocks_unseen(struct fal_blocks *blocks);
/* The newest nCMD of the tag; NULL: none. */
struct fal_ncmd *fal_blocks_ncmd(const struct fal_blocks *blocks, uint32_t conn,
                                 enum fal_dir initiator, uint32_t function, uint32_t tag);
/* The i-th nCMD that is kept, by their first copies; NULL: there are no more. */
struct fal_ncmd *fal_blocks_ncmd_at(const struct fal_blocks *blocks, size_t i);

/* What a word is about. False: a reply to a command that is not known. */
bool fal_blocks_hear(struct fal_blocks *blocks, const struct fal_event *event,
                     struct fal_nsaid *said);
/* Makes it a fact. `conn`: the number of the connection that the word names, or 0. */
void fal_blocks_note(struct fal_blocks *blocks, const struct fal_nsaid *said, uint32_t conn);
/* Whether a word came. */
bool fal_blocks_words(const struct fal_blocks *blocks);
/* A connection with packets of NVMe; 0: none. */
uint32_t fal_blocks_some_conn(const struct fal_blocks *blocks);

/* The newest state of a row of the NSID table; NULL: it was never given. */
const struct fal_nspace *fal_blocks_space(const struct fal_blocks *blocks, uint32_t nsid);
/* The states of the tables under which a command may be translated are numbered: 0 is the
 * newest. False: there is no such state, or its namespace or shifts are not known. */
enum { FAL_NPLANS = 4 };
bool fal_blocks_plan(const struct fal_blocks *blocks, const struct fal_hcmd *cmd,
                     unsigned state, struct fal_nplan *out);
/* The part of the plan that a header is to be held against. */
const struct fal_nwant *fal_nplan_want(const struct fal_nplan *plan,
                                       const struct fal_nvme *head, unsigned half);
/* The i-th command of the host that is kept, in the order of submission; NULL: no more. */
struct fal_hcmd *fal_blocks_hcmd_at(const struct fal_blocks *blocks, size_t i);
/* The i-th command of a device, in the order in which they were told; NULL: no more. */
struct fal_dcmd *fal_blocks_dcmd_at(const struct fal_blocks *blocks, size_t i);
/* Returns whether dev_complete was written for a command of a device whose dev_cmd, which came
 * before it, was not read yet: events are read late. */
bool fal_blocks_reads_late(const struct fal_blocks *blocks);
const struct fal_npolicy *fal_blocks_policy(const struct fal_blocks *blocks);
/* Whether another command of the host may be mistaken for this one: it asks for the same, and
 * was open at the same time. */
bool fal_hcmd_has_twin(const struct fal_blocks *blocks, const struct fal_hcmd *cmd);

/* ---- data ---- */

/* The blocks of a part that an nCMD carries, where a block has 2^shift bytes: how many come
 * before them, and how many there are. False: not known, because the part has no whole 4 KB or
 * not all of its nCMDs were seen. */
bool fal_ncmd_slice(const struct fal_ncmd *ncmd, unsigned shift, uint32_t *before,
                    uint32_t *blocks);

/* A namespace of a device behind the SUT, as dev_format set it. */
struct fal_nformat {
    uint32_t nsid, dev;
    unsigned shift, metadata; /* bytes of a block as a shift, and of its metadata */
    bool unsure; /* another one of the device has the same number in requests, or it was set
                    while a write was under way */
};

/* The namespace that words name; that which requests name, by their submission queue where
 * several devices have one of that number. NULL: not known. */
const struct fal_nformat *fal_blocks_format(const struct fal_blocks *blocks, uint32_t dev,
                                            uint32_t nsid);
const struct fal_nformat *fal_blocks_format_of(const struct fal_blocks *blocks,
                                               const struct fal_nvme *request);
/* The bytes of a block of a namespace, which may be NULL, that nothing has changed since event
 * `since`; NULL: not known. */
const uint8_t *fal_blocks_content(const struct fal_blocks *blocks,
                                  const struct fal_nformat *format, uint64_t lba,
                                  uint64_t since);

#endif
