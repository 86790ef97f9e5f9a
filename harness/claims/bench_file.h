/* SPDX-License-Identifier: Apache-2.0
 * bench_file.h - the bench file (schema talon/bench/1): which SUT is tested, over which control
 * channel, and which files describe it. `talon init` writes it. The verbs that play cases read
 * it, so that nobody has to repeat these options. */
#ifndef TL_HARNESS_CLAIMS_BENCH_FILE_H
#define TL_HARNESS_CLAIMS_BENCH_FILE_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "harness/doc/doc.h"
#include "harness/doc/options.h"

#define TL_BENCH_SCHEMA "talon/bench/1"

/* Texts are borrowed; NULL: not given. */
struct tl_bench_file {
    const char *sut, *control, *ics, *ixit, *waivers, *profile;
    struct tl_doc doc;
};

/* Returns 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`, which names file and place. */
MUST_USE int tl_bench_file_load(const char *path, struct tl_bench_file *out,
                                struct fal_error *err);
void tl_bench_file_free(struct tl_bench_file *file);

/* Writes the file completely or not at all. A file that exists is replaced only with `force`.
 * Returns 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_bench_file_write(const struct tl_bench_file *file, const char *path, bool force,
                                 struct fal_error *err);

extern const struct fal_shape tl_bench_file_shape;

/* The row of --bench in the option table of a verb. It stands for nothing there: the
 * program has read the file before it calls the verb (harness/cli/bench_words.h). */
int tl_bench_option(void *into, const char *value, struct fal_error *err);
#define TL_BENCH_OPTION                                                                      \
    {                                                                                        \
        TL_OWN("--bench", tl_bench_option, "FILE"),                                          \
            .help =                                                                          \
                "read the options of a bench from FILE (talon init; default talon.json, if " \
                "it exists and no SUT is named); none: read no file"                         \
    }

#endif
