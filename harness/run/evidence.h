/* SPDX-License-Identifier: Apache-2.0
 * evidence.h - what a run leaves behind in a directory: results, and of each case that did not
 * pass its timeline, its packets and its scenario; the ICS and the waivers that were applied;
 * and the SHA-256 of each in manifest.sha256 (`sha256sum -c` reads it). All of these are the
 * same bytes for the same seed. Host, command line and wall-clock times are in run.json alone,
 * which the manifest leaves out and which names the manifest's own hash. */
#ifndef TL_HARNESS_RUN_EVIDENCE_H
#define TL_HARNESS_RUN_EVIDENCE_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "reports/results/results.h"

#include <jansson.h>

#define TL_RUN_SCHEMA "talon/run/1"

enum { TL_SHA256_TEXT = 65 }; /* hex digits and a NUL */

struct tl_evidence;

/* Creates the directory, and removes the files that an earlier run left there (those of its
 * manifest), unless `again`: then the run there goes on. Returns 0, or FAL_ERR_IO, FAL_ERR_MEM
 * with `err`. */
MUST_USE int tl_evidence_open(const char *dir, bool again, struct tl_evidence **out,
                              struct fal_error *err);

/* Writes DIR/NAME/FILE (DIR/FILE when `name` is NULL) and remembers its hash. */
MUST_USE int tl_evidence_file(struct tl_evidence *evidence, const char *name, const char *file,
                              const void *bytes, size_t len, struct fal_error *err);

/* Writes a JSON document. It takes the reference; NULL means that the caller ran out of memory.
 */
MUST_USE int tl_evidence_json(struct tl_evidence *evidence, const char *file, json_t *document,
                              struct fal_error *err);

/* The files that are kept of a case. `packets` NULL: the packets are not kept. */
struct tl_evidence_of_case {
    const char *timeline;
    size_t timeline_len;
    const uint8_t *packets;
    size_t packets_len;
};

/* Writes the files of a case into a directory of its own, whose name goes to c->evidence. The
 * manifest lists cases by `index`, in whatever order they are written. */
MUST_USE int tl_evidence_case(struct tl_evidence *evidence, size_t index, struct tl_case *c,
                              const struct tl_evidence_of_case *kept, struct fal_error *err);
/* Lists the files of a case that an earlier part of the run wrote. */
MUST_USE int tl_evidence_adopt(struct tl_evidence *evidence, size_t index,
                               const struct tl_case *c, struct fal_error *err);

/* Writes the manifest, and run.json (taken) with the manifest's hash in it. */
MUST_USE int tl_evidence_close(struct tl_evidence *evidence, json_t *run,
                               struct fal_error *err);
void tl_evidence_free(struct tl_evidence *evidence);

/* The packets of a timeline (its lines) as a pcapng file: Falcon as it was opened, in IPv4 and
 * UDP that are drawn around it (192.0.2.1 is called tester, 192.0.2.2 sut), in both directions,
 * at an interface named for the vantage, in nanoseconds since the case began; with a comment at
 * each packet that shows a problem, or that a step sent or awaited, and with an id that is the
 * step's number (from 1; 0: none) in its upper 32 bits and the event's index below. *out is
 * freed with free(). FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_evidence_packets(const char *timeline, size_t len, const struct tl_case *c,
                                 uint8_t **out, size_t *out_len, struct fal_error *err);

/* Whether a name of a manifest stays below its directory. */
bool tl_evidence_is_below(const char *name);

/* The hash as hex digits. False when the library fails. */
bool tl_sha256(const void *bytes, size_t len, char out[TL_SHA256_TEXT]);

/* The members of run.json. */
extern const struct fal_shape tl_run_shape;

#endif
