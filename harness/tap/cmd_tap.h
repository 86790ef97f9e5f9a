/* SPDX-License-Identifier: Apache-2.0
 * cmd_tap.h - `talon logic tap`: a simulated network between two TAP devices. */
#ifndef TL_HARNESS_TAP_CMD_TAP_H
#define TL_HARNESS_TAP_CMD_TAP_H

/* argv[0] is "tap". Returns the exit status (harness/cli/cmd.h). */
int tl_logic_tap(int argc, char **argv);

#endif
