/* SPDX-License-Identifier: Apache-2.0
 * recording.h - a capture as something to be played again: its connections, who of their ends
 * was the tester, and their packets one by one, opened. Connections are told apart as
 * `talon check` does it (check_conns.c).
 *
 * A recording is read once for what it holds, and once more for each connection that is played:
 * nothing grows with the file but what is known of its connections. */
#ifndef TL_HARNESS_CHECK_RECORDING_H
#define TL_HARNESS_CHECK_RECORDING_H

#include "codecs/base/error.h"
#include "harness/check/check.h"
#include "oracles/endpoint/endpoint.h"

enum { TL_RECORDED_CONNS_MAX = 10000 };

struct tl_recording_config {
    const char *path;
    const char *connections;         /* a file of `talon check --connections`, or NULL */
    const char *sut;                 /* address of the end that is the SUT, or NULL: learned */
    const char *psp_keys, *esp_keys; /* files, or NULL */
    unsigned falcon_port;            /* 0: the default */
};

/* A connection of which packets of the tester's side are known. */
struct tl_recorded_conn {
    uint32_t number;             /* in the capture, from 1 */
    int sut_side;                /* of struct tl_check_conn */
    struct fal_connection setup; /* as far as it was given, or seen in its first packets */
    bool has_cid[2];             /* of the tester's end, of the SUT's */
    uint64_t frames[2];          /* by enum fal_dir */
    uint64_t first_ns, last_ns;  /* of the tester's frames, in the capture's clock */
    struct tl_host host[2];      /* the tester's, the SUT's */
};

struct tl_recording {
    struct tl_recording_config config; /* borrowed texts */
    struct tl_recorded_conn *conns;
    size_t num_conns;
    uint64_t frames, others; /* all frames; frames of no connection that is played */
};

/* Reads through the file. 0; FAL_ERR_FORM (the file, its keys, its connections), FAL_ERR_MEM
 * with `err`. tl_recording_free is due in any case. */
MUST_USE int tl_recording_read(struct tl_recording *recording,
                               const struct tl_recording_config *config, struct fal_error *err);
void tl_recording_free(struct tl_recording *recording);

/* ---- one frame after another ---- */

struct tl_recorder; /* reads along a capture */

struct tl_recorded_frame {
    uint64_t number, ts_ns;
    uint32_t conn; /* number of the connection; 0: of none */
    int receiver;  /* side of struct tl_check_conn */
    bool outbound; /* the file says that the capturing host sent it */
    bool inbound;  /* the file says that the capturing host received it */
    bool has_ip;   /* with: */
    uint8_t ecn;
    size_t ip_at;  /* where in the frame its header begins, and the Falcon packet, where that */
    size_t at;     /* is in the clear; 0: it is not */
    uint32_t path; /* UDP source port */
    struct fal_seal seal;
    struct fal_carrier carrier;
    const uint8_t *bytes; /* the opened Falcon packet; valid until the next call */
    bool cut;             /* an IP fragment, or captured short */
    size_t len, missing;  /* bytes at its end that were not captured */
    int header_len;       /* as of fal_falcon_decode */
    struct fal_falcon falcon;
};

/* NULL with `err` (FAL_ERR_FORM, FAL_ERR_MEM); the caller closes. Without a path there is no
 * file: frames are handed in one by one (tl_recorder_take). */
struct tl_recorder *tl_recorder_open(const struct tl_recording_config *config,
                                     struct fal_error *err);
void tl_recorder_close(struct tl_recorder *recorder); /* NULL is fine */
/* The connections of its frames that are known so far. */
const struct tl_check *tl_recorder_check(const struct tl_recorder *recorder);

/* Takes a captured frame as the next one of a file. Returns 0, or FAL_ERR_MEM with `err`. */
struct tl_captured;
MUST_USE int tl_recorder_take(struct tl_recorder *recorder, const struct tl_captured *got,
                              struct tl_recorded_frame *out, struct fal_error *err);

/* Reads the next frame. Returns 1; 0 at the end; or FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_recorder_next(struct tl_recorder *recorder, struct tl_recorded_frame *out,
                              struct fal_error *err);

#endif
