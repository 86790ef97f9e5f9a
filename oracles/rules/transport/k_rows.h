/* SPDX-License-Identifier: Apache-2.0
 * k_rows.h - rows of transports that a standard or a paper describes. They have no values that
 * an installation chooses (windows, rates): the user declares those. */
#ifndef FAL_ORACLES_RULES_TRANSPORT_K_ROWS_H
#define FAL_ORACLES_RULES_TRANSPORT_K_ROWS_H

#include "oracles/beyond/transport.h"

#include <stddef.h>

/* All rows, *n of them; name and source of each. */
struct fal_k_row {
    struct fal_tp_row row;
    const char *source;
};
const struct fal_k_row *fal_k_rows(size_t *n);
/* The row of that name; NULL: there is none. */
const struct fal_tp_row *fal_k_row_of(const char *name);

#endif
