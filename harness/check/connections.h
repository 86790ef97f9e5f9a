/* SPDX-License-Identifier: Apache-2.0
 * connections.h - what the user knows of the connections of a capture: the file of talon check
 * --connections and talon run --wire-only (talon/connections/1). */
#ifndef TL_HARNESS_CHECK_CONNECTIONS_H
#define TL_HARNESS_CHECK_CONNECTIONS_H

#include "harness/check/check.h"

/* An end of a connection; a value counts only with its flag. */
struct tl_known_end {
    struct fal_end end;
    bool has_cid, has_function, has_req_psn, has_data_psn, has_rsn;
    struct tl_host host;
    bool has_host;
};

/* A connection. `params` is borrowed from the JSON. */
struct tl_known_conn {
    char name[FAL_NAME_MAX];
    struct tl_known_end sut, tester;
    const json_t *params;
};

/* A file as a whole; members that it lacks keep their value in C. */
struct tl_known {
    struct fal_ev_run run; /* vantage and path */
    const json_t *params, *connections;
};

/* Reads a file: a list of connections, or an object that has more. 0, FAL_ERR_FORM with `err`.
 */
MUST_USE int tl_known_read(const json_t *root, struct tl_known *out, struct fal_error *err);

/* Reads one connection. 0, FAL_ERR_FORM with `err`. */
MUST_USE int tl_known_conn_read(const json_t *entry, struct tl_known_conn *out,
                                struct fal_error *err);

/* Sets the parameters of an object (NULL: none) that was read, and their bits in *given. */
void tl_known_params(const json_t *object, struct fal_params *params, uint64_t *given);

#endif
