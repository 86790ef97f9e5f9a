/* SPDX-License-Identifier: Apache-2.0
 * state.h - what an NVMe engine keeps. Only files of this folder include it. */
#ifndef FAL_ORACLES_NVME_STATE_H
#define FAL_ORACLES_NVME_STATE_H

#include "codecs/header/ulp.h"
#include "codecs/nvme/t10_dif.h"
#include "oracles/nvme/crypt.h"
#include "oracles/nvme/engine.h"
#include "oracles/nvme/image.h"
#include "oracles/nvme/translate.h"
#include "oracles/ulp/ring.h"

enum {
    FAL_NV_UNIT = 4096,         /* data bytes of an nCMD (NVME 6.5) */
    FAL_NV_DATA_HEADER = 36,    /* of a Read Response and a Write Data Response (8.4, 8.7) */
    FAL_NV_TAG_MASK = 0xffffff, /* tags have 24 bits (8.2) */
    FAL_NV_NCMDS_MAX = 256,     /* of one command */
    FAL_NV_PARTS = 2,
    FAL_NV_PACKET_MAX = FAL_NVME_MTU + 64, /* faults make longer ones */
};

/* Bits of PRINFO (AMB-N08). */
enum {
    FAL_NV_CHECK_REF = 1,
    FAL_NV_CHECK_APP = 2,
    FAL_NV_CHECK_GUARD = 4,
    FAL_NV_CHECK = 7,
    FAL_NV_PRACT = 8,
};

/* ---- tables of the initiator ---- */

struct fal_nv_ns {
    uint32_t nsid;
    struct fal_nv_geometry geometry;
    enum fal_nvme_pi pi;
    bool encrypt;
    uint8_t key[FAL_NV_KEY_LEN];
    uint64_t mdts; /* bytes */
};

struct fal_nv_row {
    bool valid;
    uint8_t sqid;
    uint32_t conn; /* the endpoint's number */
    uint32_t target_nsid;
    uint64_t chunk;
};

/* ---- commands of the initiator ---- */

/* One of at most two parts of a command, each for one target (NVME 6.6.3). */
struct fal_nv_part {
    struct fal_nv_row row;
    uint64_t lba;   /* of the virtual namespace */
    uint64_t tlba;  /* of the target */
    uint32_t first; /* its first block in the command */
    uint32_t blocks;
    uint32_t ncmds;
    uint32_t offset; /* NCNT Offset of its first nCMD */
};

struct fal_nv_icmd {
    uint32_t id; /* iCMD Identifier */
    struct fal_nvme_word post;
    struct fal_nv_ns ns; /* as it was when the command was posted */
    struct fal_nv_part parts[FAL_NV_PARTS];
    uint32_t num_parts;
    uint32_t total, open; /* nCMDs; those that are not answered */
    uint32_t status;
    bool done;     /* a completion was reported */
    uint8_t *data; /* blocks: of a write as they are sent, of a read as the host gets them */
    uint8_t *meta; /* 16 bytes per block, with protection information */
    bool *invalid; /* by nCMD: data of a write that the host's own protection does not match */
};

struct fal_nv_ncmd {
    uint64_t number; /* its low 24 bits are the Initiator Tag */
    struct fal_nv_icmd *icmd;
    uint32_t part;
    uint32_t offset;        /* NCNT Offset */
    uint32_t first, blocks; /* in its part */
};

/* ---- connections ---- */

/* What a transaction of this end is about. */
enum fal_nv_post {
    FAL_NV_REQUEST, /* a Read or Write Request; number: of the nCMD */
    FAL_NV_PULL,    /* a Write Data Request; number: of the tCMD, index: of the nCMD in it */
    FAL_NV_ANSWER,  /* a Read Response or Write Completion */
    FAL_NV_DATA,    /* a Write Data Response: the answer to the pull `rsn` */
};

/* A packet that waits until the connection can take it. */
struct fal_nv_packet {
    struct fal_nv_packet *next;
    enum fal_nv_post what;
    enum fal_ulp_op op; /* not of DATA */
    uint64_t number;
    uint32_t index;
    uint32_t rsn;
    uint32_t asked; /* PULL: request_length */
    uint32_t len;
    uint8_t bytes[];
};

struct fal_nv_link {
    uint32_t conn; /* the endpoint's number; 0: not attached */
    bool dead;
    uint32_t open;     /* posts that are not complete */
    uint32_t next_rsn; /* of a request of the peer */
    struct fal_nv_packet *first, **end;
};

/* ---- the target ---- */

struct fal_nv_tncmd {
    bool seen, has_data, answered;
    bool late;              /* its request is acknowledged when it is answered */
    uint32_t rsn;           /* of its request */
    struct fal_nvme header; /* of its request */
};

/* A command for a device, put together from nCMDs. */
struct fal_nv_tcmd {
    uint64_t number; /* its low 24 bits are the Target Tag */
    uint32_t conn;
    struct fal_nvme header; /* of the first request that came */
    bool write, with_meta;
    uint32_t block_shift;
    uint32_t blocks, num; /* num: nCMDs */
    struct fal_nv_tncmd *ncmds;
    uint32_t seen, answered, filled;
    bool submitted, done; /* done: `status` is known */
    bool invalid;
    uint32_t status;
    uint8_t *data, *meta;
};

/* A command at a device. */
struct fal_nv_dcmd {
    uint64_t number;
    uint64_t tcmd;
    bool held;
    uint64_t due_ns;
    uint32_t status;
};

struct fal_nv_list {
    void **items;
    size_t num, cap;
};

struct fal_nv_odd; /* faults and variants (odd.h); NULL: none */

struct fal_nvme_engine {
    struct fal_nvme_config config;
    uint64_t now_ns;
    bool out_of_memory;
    struct fal_nv_odd *odd;
    struct fal_nv_list links; /* struct fal_nv_link */

    /* initiator */
    uint32_t function;
    struct fal_nv_list spaces; /* struct fal_nv_ns */
    struct fal_nv_row *rows;
    uint32_t num_rows;
    uint32_t next_icmd, next_cid;
    struct fal_vb_ring ncmds; /* struct fal_nv_ncmd, by number */
    uint64_t first_ncmd;      /* number of the first one */

    /* target */
    struct fal_nv_list tcmds; /* struct fal_nv_tcmd */
    uint64_t tcmd_bytes;      /* of data, of all of them */
    uint64_t next_tcmd, next_dcmd;
    struct fal_nv_list dcmds;   /* struct fal_nv_dcmd */
    struct fal_nv_list formats; /* struct fal_nv_format */
    uint32_t dev_of_sq[256];
    struct fal_nv_image image;
    uint64_t after_ns;
    uint32_t dev_status;
    bool hold;

    struct fal_vb_ring events; /* struct fal_nvme_word */
};

/* ---- lists of pointers ---- */

/* Adds one; false when out of memory. */
bool fal_nv_list_add(struct fal_nvme_engine *engine, struct fal_nv_list *list, void *item);
/* Takes out the one at that place; the order of the others stays. */
void fal_nv_list_take(struct fal_nv_list *list, size_t at);
/* Frees each item and the list. */
void fal_nv_list_free(struct fal_nv_list *list);

/* Zeroed memory; NULL when there is none, which the engine then knows. */
void *fal_nv_alloc(struct fal_nvme_engine *engine, size_t n, size_t size);

/* Serves a request of the peer (engine.c). */
void fal_nv_requested(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                      const struct fal_endpoint_out *out);

/* Reports an event. */
void fal_nv_event(struct fal_nvme_engine *engine, const struct fal_nvme_word *event);

#endif
