/* SPDX-License-Identifier: Apache-2.0
 * status.h - the exit status of every verb (docs/formats.md). Where several apply, ERROR goes
 * first, then USAGE, FAIL, INCONC, PASS. */
#ifndef TL_REPORTS_BASE_STATUS_H
#define TL_REPORTS_BASE_STATUS_H

enum tl_status {
    TL_STATUS_PASS = 0,   /* every verdict passed, or was skipped, waived or warned */
    TL_STATUS_FAIL = 1,   /* a verdict is fail */
    TL_STATUS_USAGE = 2,  /* the command or its input is wrong, or nothing was executed */
    TL_STATUS_INCONC = 3, /* nothing failed, and a verdict is inconclusive */
    TL_STATUS_ERROR = 4,  /* a verdict is error, or talon itself failed */
};

#endif
