/* SPDX-License-Identifier: Apache-2.0
 * words.h - the words of the control protocol for NVMe over Falcon: what a tester asks of the
 * upper layer of a SUT, what that answers, and the events that it reports. One struct holds a
 * command, a reply or an event; words_table.c says which members each has.
 *
 * Two roles: the words nvme_... are for the initiator, which presents virtual namespaces to a
 * host; the words dev_... are for the storage devices behind a target. */
#ifndef FAL_CODECS_NVME_WORDS_H
#define FAL_CODECS_NVME_WORDS_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"

enum {
    FAL_NVME_NAME_MAX = 32,       /* of a handle, with its NUL */
    FAL_NVME_KEY_TEXT = 129,      /* hex digits of a key, with their NUL */
    FAL_NVME_STATUS_MAX = 0x7fff, /* the CQE status field has 15 bits (NVME 8.4, 8.8) */
};

/* The commands, and behind them the events. */
enum fal_nvme_word_kind {
    FAL_NVME_NS,           /* a row of the NSID table (NVME 6.6.2) */
    FAL_NVME_LBA,          /* a row of the LBA translation table (NVME 6.6.2) */
    FAL_NVME_POST,         /* the host submits a command */
    FAL_NVME_DEV_FORMAT,   /* formats a namespace of a device behind the target (NVME 6.7) */
    FAL_NVME_DEV_FILL,     /* fills blocks of a device, with valid protection information */
    FAL_NVME_DEV_HASH,     /* hashes blocks of a device */
    FAL_NVME_DEV_POLICY,   /* how devices complete commands from now on */
    FAL_NVME_DEV_COMPLETE, /* completes a command that a device holds */
    FAL_NVME_DEV_IDENTIFY, /* how a namespace of a device is formatted */
    FAL_NVME_COMMANDS,     /* so many commands there are */
    FAL_NVME_CQE = FAL_NVME_COMMANDS,
    FAL_NVME_DEV_CMD,
    FAL_NVME_KINDS,
};

enum fal_nvme_op {
    FAL_NVME_READ,
    FAL_NVME_WRITE,
    FAL_NVME_OPS,
};

/* Protection information of a namespace of the initiator (NVME 6.7). */
enum fal_nvme_pi {
    FAL_NVME_PI_OFF,
    FAL_NVME_PI_HOST,   /* the host gives the inner 8 bytes of each block */
    FAL_NVME_PI_INSERT, /* the controller makes them */
    FAL_NVME_PIS,
};

/* Members that a word does not have are 0 or "". A has_ member tells 0 from absent. */
struct fal_nvme_word {
    enum fal_nvme_word_kind kind;

    uint32_t nsid; /* of the initiator in nvme_...; of the device in dev_... */

    /* Rows of the translation tables. */
    uint32_t start;       /* first row of the namespace in the LBA translation table */
    uint32_t C, S, N;     /* shifts of chunk size, stripe size and striping group */
    uint32_t block_shift; /* 9 or 12 */
    enum fal_nvme_pi pi;
    bool encrypt;
    bool exclusive;              /* nobody but the tester submits commands to the namespace */
    uint32_t function;           /* reply: initiator function, 24 bits */
    uint64_t mdts;               /* reply: most bytes of one command */
    char key[FAL_NVME_KEY_TEXT]; /* reply: the 64 bytes of the AES-256-XTS key; "": secret */
    uint32_t index;
    bool valid;
    uint32_t sqid;                /* submission queue at the target, 0 to 255 */
    char conn[FAL_NVME_NAME_MAX]; /* a connection: the SUT's handle */
    uint32_t target_nsid;
    uint64_t chunk; /* number of the target chunk */

    /* Commands. */
    uint64_t cmd; /* the tester's number of the command; events repeat it */
    uint32_t sq;  /* submission queue of the initiator */
    bool has_sq;  /* nvme_post: absent, the SUT chooses */
    uint32_t cid; /* command identifier that the driver chose */
    enum fal_nvme_op op;
    uint64_t slba;
    uint32_t nlb0; /* blocks, less 1 */
    uint32_t fua, lr, dsm, dtype, dspec;
    uint32_t prinfo; /* as the host sets it: bit 3 PRACT, 2 guard, 1 application, 0 reference */
    uint64_t tag, seed; /* of the payload pattern */
    uint32_t app;       /* application tag of each block that the host gives */
    bool bad_pi;        /* the guard of the first block that the host gives is wrong */

    /* Devices behind a target. */
    uint32_t dev;
    bool has_sqid;               /* dev_format: requests of queue `sqid` go to this device */
    bool meta;                   /* the 16 bytes of metadata of each block too */
    uint64_t hash;               /* FNV-1a, 64 bits */
    bool has_hash;               /* events: `hash` is given */
    uint64_t after_ns;           /* a device completes a command so much later */
    uint32_t status;             /* CQE status field */
    bool hold;                   /* commands wait for dev_complete */
    uint64_t dcmd;               /* number of a command at a device */
    uint32_t metadata;           /* bytes per block */
    uint32_t pil, pi_type, mset; /* format of the namespace (NVME 6.7) */
};

/* "nvme_ns", ..., "nvme_cqe", "dev_cmd". */
extern const char *const fal_nvme_word_names[FAL_NVME_KINDS];
extern const char *const fal_nvme_op_names[FAL_NVME_OPS];
extern const char *const fal_nvme_pi_names[FAL_NVME_PIS];
/* FAL_NVME_KINDS for a name that is none of them. */
enum fal_nvme_word_kind fal_nvme_word_of(const char *name);

/* The members of a command or an event, and those of the reply to a command. */
extern const struct fal_shape fal_nvme_word_shapes[FAL_NVME_KINDS];
extern const struct fal_shape fal_nvme_word_replies[FAL_NVME_COMMANDS];

/* Reads the members of a command or an event, or of the reply to a command. Members that the
 * table does not list are ignored: they are the protocol's own (id, epoch, do, event). Returns
 * 0, or FAL_ERR_FORM with a sentence that names the member. */
MUST_USE int fal_nvme_word_read(enum fal_nvme_word_kind kind, bool reply, const json_t *object,
                                struct fal_nvme_word *out, struct fal_error *err);
/* Writes them. A new reference, or NULL when out of memory. */
json_t *fal_nvme_word_write(const struct fal_nvme_word *word, bool reply);

#endif
