/* SPDX-License-Identifier: Apache-2.0
 * control_tester.h - what a SUT says, at the tester's end. */
#ifndef FAL_FUZZ_TARGETS_CONTROL_TESTER_H
#define FAL_FUZZ_TARGETS_CONTROL_TESTER_H

#include <stddef.h>
#include <stdint.h>

/* Lines of a SUT that has been asked for a reset, a connection, a post and more, in this order,
 * ids from 1; `after`: how many lines come between two commands. */
void control_tester(const uint8_t *data, size_t size, uint8_t after);

#endif
