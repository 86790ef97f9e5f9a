/* SPDX-License-Identifier: Apache-2.0
 * options_impl.h - between the files of options.h. */
#ifndef TL_HARNESS_DOC_OPTIONS_IMPL_H
#define TL_HARNESS_DOC_OPTIONS_IMPL_H

#include "codecs/base/error.h"
#include "harness/doc/options.h"

/* Puts a value at the row's place in `into`; a FLAG takes NULL. Returns 0, or a code with
 * `err`, which names the option. */
MUST_USE MUST_USE int tl_option_set(const struct tl_option *row, const char *value, void *into,
                                    struct fal_error *err);

#endif
