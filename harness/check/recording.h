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
};

/* A connection that packets of a tester's side are known of. */
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
    uint64_t frames, others; /* all; those that are of no connection to be played */
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
    bool outbound; /* the file says who captured it and that it left there; */
    bool inbound;  /* that it came there */
    bool has_ip;   /* with: */
    uint8_t ecn;
    size_t ip_at;  /* where in the frame its header begins, and the Falcon packet, where that */
    size_t at;     /* is in the clear; 0: it is not */
    uint32_t path; /* UDP source port */
    struct fal_seal seal;
    struct fal_carrier carrier;
    const uint8_t *bytes; /* the Falcon packet, opened; valid until the next call */
    bool cut;             /* an IP fragment, or captured short */
    size_t len, missing;  /* missing: bytes at its end that were not captured */
    int header_len;       /* as of fal_falcon_decode */
    struct fal_falcon falcon;
};

/* NULL with `err` (FAL_ERR_FORM, FAL_ERR_MEM); the caller closes. Without a path there is no
 * file: frames are handed in one by one (tl_recorder_take). */
struct tl_recorder *tl_recorder_open(const struct tl_recording_config *config,
                                     struct fal_error *err);
void tl_recorder_close(struct tl_recorder *recorder); /* NULL is fine */
/* What is known by now of the connections of its frames. */
const struct tl_check *tl_recorder_check(const struct tl_recorder *recorder);

/* What a frame that was captured carries: as the next one of a file. 0, or FAL_ERR_MEM with
 * `err`. */
struct tl_captured;
MUST_USE int tl_recorder_take(struct tl_recorder *recorder, const struct tl_captured *got,
                              struct tl_recorded_frame *out, struct fal_error *err);

/* The next frame: 1; 0 at the end; FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_recorder_next(struct tl_recorder *recorder, struct tl_recorded_frame *out,
                              struct fal_error *err);

#endif
