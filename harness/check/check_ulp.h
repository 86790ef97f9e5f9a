/* SPDX-License-Identifier: Apache-2.0
 * check_ulp.h - what the SUT's upper layer was told and asked, merged by time with a capture: a
 * file talon/ulp/1 (docs/formats.md), or the timeline of the run whose packets the capture
 * holds. */
#ifndef TL_HARNESS_CHECK_CHECK_ULP_H
#define TL_HARNESS_CHECK_CHECK_ULP_H

#include "codecs/base/error.h"
#include "harness/check/check.h"

struct tl_ulp;

/* Opens the file and reads its first line. NULL with `err`, which names the file. */
struct tl_ulp *tl_check_ulp_open(const struct tl_check_options *options, struct fal_error *err);
void tl_check_ulp_close(struct tl_ulp *ulp); /* NULL is fine */

/* The same without a file: `head` is its first line, and the others are handed in. NULL with
 * `err`. */
struct tl_ulp *tl_check_ulp_fed(const struct tl_check_options *options, struct fal_span head,
                                struct fal_error *err);
/* Takes the next line, which is judged in its time. 0, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_check_ulp_line(struct tl_ulp *ulp, struct tl_check *check, struct fal_span line,
                               struct fal_error *err);
/* No more lines come, of a file or not. The same returns. */
MUST_USE int tl_check_ulp_end(struct tl_ulp *ulp, struct fal_error *err);

/* Whether the SUT tells the events of a connection in their order, by the file. */
bool tl_check_ulp_ordered(const struct tl_ulp *ulp);

/* The capture's first frame has that time: reads ahead as far as need be to know when the first
 * event was, *first_ns in the clock of the capture. Connections that a timeline names are
 * added. 0, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_check_ulp_begin(struct tl_ulp *ulp, struct tl_check *check, uint64_t frame_ns,
                                uint64_t *first_ns, struct fal_error *err);

/* Judges the events before a frame of that time of the capture's clock, of which `frame` are
 * the Falcon bytes, opened; without any: before that time. The same returns; after an error the
 * judges know that events are missing. */
MUST_USE int tl_check_ulp_until(struct tl_ulp *ulp, struct tl_check *check, uint64_t until_ns,
                                struct fal_span frame, struct fal_error *err);

/* After that: what a timeline knows of the frame at hand, and a capture cannot. */
void tl_check_ulp_like(const struct tl_ulp *ulp, struct fal_ev_packet *packet);
/* Whether it is the timeline of the run whose packets the capture has. */
bool tl_check_ulp_of_run(const struct tl_ulp *ulp);
/* Whether a timeline says that the receiver must drop the frame at hand. */
bool tl_check_ulp_bad(const struct tl_ulp *ulp);

/* Whether the events and the capture are of one time: 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_check_ulp_meets(const struct tl_ulp *ulp, uint64_t first_ns, uint64_t last_ns,
                                struct fal_error *err);

/* Commands of the verbs, or of NVMe, whose replies were not read yet, the newest ones. */
enum { TL_ULP_ASKED_MAX = 1024 };
struct tl_ulp_words {
    struct {
        int64_t id;
        struct tl_ulp_word {
            bool nvme; /* or of the verbs */
            int kind;  /* enum fal_nvme_word_kind, enum fal_verbs_kind; less than 0: none */
        } word;
    } asked[TL_ULP_ASKED_MAX];
    size_t num;
};

/* Makes a line of the SUT control protocol (`len` bytes, read as `object`) one of a timeline;
 * others stay as they are. 0; FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_check_ulp_translate(struct tl_ulp_words *words, json_t *object,
                                    const char *line, size_t len, struct fal_error *err);

/* Events judged; those that are of no connection that is known. */
uint64_t tl_check_ulp_events(const struct tl_ulp *ulp);
uint64_t tl_check_ulp_unplaced(const struct tl_ulp *ulp);

/* The first line of such a file. */
struct tl_ulp_head {
    int64_t offset_ns;
    uint64_t error_ns; /* with has_error */
    bool has_error, ordered;
    bool complete, has_complete; /* complete: true if it is not given */
};
extern const struct fal_shape tl_ulp_head_shape;

#endif
