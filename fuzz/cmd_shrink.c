/* SPDX-License-Identifier: Apache-2.0
 * cmd_shrink.c - `talon shrink`. */
#include "harness/cmd.h"

#include <stdio.h>

int tl_cmd_shrink(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return TL_STATUS_USAGE;
}
