/* SPDX-License-Identifier: Apache-2.0
 * setup.h - between the files of libtalon, and for `talon check`, whose options a setup is. */
#ifndef TL_HARNESS_LIB_SETUP_H
#define TL_HARNESS_LIB_SETUP_H

#include "codecs/base/error.h"
#include "harness/check/check_options.h"
#include "harness/lib/talon.h"

struct talon_setup {
    struct tl_check_command command;
    char **words; /* what the options borrow */
    size_t num_words;
};

/* A setup with the defaults of `talon check`, which reads its command line into `command`.
 * talon_setup_free frees it. NULL when out of memory. */
struct talon_setup *tl_setup_new(void);

/* Copies an error to a caller of the library, who may have passed NULL. Returns `code`. */
int tl_lib_fail(struct talon_error *err, int code, const struct fal_error *why);
/* The same of a text. */
int tl_lib_fail_text(struct talon_error *err, int code, const char *text);

/* Copies `count` words after the name of a verb, as an argument vector of count + 1 words that
 * ends in a NULL. NULL when out of memory, or if a word is NULL. tl_lib_words_free frees it. */
char **tl_lib_words(const char *verb, const char *const *words, size_t count);
void tl_lib_words_free(char **words, size_t count);

/* A stream that hands what is written to it to `write`. The caller closes it. NULL when out of
 * memory; an error of `write` is one of the stream. */
struct tl_lib_writer {
    talon_write_fn *write;
    void *ctx;
};
FILE *tl_lib_stream(struct tl_lib_writer *writer);
/* Closes the stream: `rc` if it is an error, else TALON_ERR_IO if something was not written. */
int tl_lib_close(FILE *out, int rc);

/* Takes a frame of a caller. Returns 0, or FAL_ERR_TYPE, FAL_ERR_RANGE with `err`. */
struct tl_captured;
int tl_lib_frame(const struct talon_frame *frame, struct tl_captured *out,
                 struct talon_error *err);

#endif
