/* SPDX-License-Identifier: Apache-2.0
 * twin_list.h - the rows of twins.h. */
#ifndef FAL_ORACLES_TWIN_LIST_H
#define FAL_ORACLES_TWIN_LIST_H

/* clang-format off */
#define FAL_TWINS(X)                                                                                   \
    X(EACK_ALWAYS, "eack-always", "9.1.6", "FTP-9.1.6-13", "AMB-20",                                   \
      "Every ACK is an EACK, with or without holes.")
/* clang-format on */

#endif
