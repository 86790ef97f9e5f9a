/* SPDX-License-Identifier: Apache-2.0
 * packet_line.h - prints a packet of a connection as a line of the notation, for people:
 * sequence numbers are relative to the start of the connection, and values that are as expected
 * are left out. */
#ifndef TL_HARNESS_CAPTURE_PACKET_LINE_H
#define TL_HARNESS_CAPTURE_PACKET_LINE_H

#include "codecs/text/text.h"
#include "oracles/timeline.h"

/* Returns the numbers that "0r" stands for in packets of that direction. */
struct fal_relative tl_packet_relative(const struct fal_connection *connection,
                                       enum fal_dir dir);

/* Prints "push_data psn=0r rsn=0r len=64", without time and direction. If `connection` is NULL
 * (its initial numbers are unknown), numbers are printed as they are in the packet. */
void tl_packet_line(const struct fal_connection *connection, enum fal_dir dir,
                    const struct fal_falcon *falcon, char *out, size_t cap);

#endif
