/* SPDX-License-Identifier: Apache-2.0
 * fault_format.h - the faults about what a packet looks like (fault_list_formats.h) at work. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_FAULT_FORMAT_H
#define FAL_ORACLES_ENDPOINT_FAULTS_FAULT_FORMAT_H

#include "codecs/header/falcon.h"

#include <stddef.h>

struct fal_ep_conn;

enum { FAL_FORMAT_GROWTH = 4 }; /* bytes that a header may become longer, at most */

/* A header that is about to be encoded: what faults make of its values. */
void fal_format_header(const struct fal_ep_conn *conn, struct fal_falcon *header);

/* By how many bytes a fault makes a header of that packet type longer (shorter, when negative);
 * `at`: where they go in, or out. */
int fal_format_change(const struct fal_ep_conn *conn, unsigned packet_type, size_t *at);

/* Copies a header of `len` bytes with such a change: zeros go in. */
void fal_format_resize(const uint8_t *header, size_t len, size_t at, int change, uint8_t *wire);

#endif
