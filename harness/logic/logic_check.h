/* SPDX-License-Identifier: Apache-2.0
 * logic_check.h - `talon logic check`: judges the events of a transport by the K rules. */
#ifndef TL_HARNESS_LOGIC_LOGIC_CHECK_H
#define TL_HARNESS_LOGIC_LOGIC_CHECK_H

/* argv[0] is "check". Prints the verdicts; returns the exit status (harness/cli/cmd.h). */
int tl_logic_check(int argc, char **argv);

#endif
