/* SPDX-License-Identifier: Apache-2.0
 * fault_list.h - the rows of faults.h. */
#ifndef FAL_ORACLES_FAULT_LIST_H
#define FAL_ORACLES_FAULT_LIST_H

/* clang-format off */
#define FAL_FAULTS(X)                                                                                  \
    X(ACK_BEFORE_ULP, "ack-before-ulp", "9.2.2.4", "FTP-9.2.2.4-08 FTP-9.1.6-03",                      \
      "Acknowledges a push when it arrives, not when its ULP does.")
/* clang-format on */

#endif
