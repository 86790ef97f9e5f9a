/* SPDX-License-Identifier: Apache-2.0
 * packet_line.h - a packet of a connection as a line of the notation, for people: numbers count
 * from where the connection began, and what is as it must be is left out. */
#ifndef TL_HARNESS_PACKET_LINE_H
#define TL_HARNESS_PACKET_LINE_H

#include "codecs/text.h"
#include "oracles/timeline.h"

/* What "0r" is of packets in that direction. */
struct fal_relative tl_packet_relative(const struct fal_connection *connection,
                                       enum fal_dir dir);

/* "push_data psn=0r rsn=0r len=64", without time and direction. `connection` NULL: of one whose
 * first numbers nobody noted; they are as in the packet. */
void tl_packet_line(const struct fal_connection *connection, enum fal_dir dir,
                    const struct fal_falcon *falcon, char *out, size_t cap);

#endif
