/* SPDX-License-Identifier: Apache-2.0
 * fault_list_transactions.h - the rows of faults.h that belong to the transaction sublayer:
 * chapters 6 and 8, and its tables in 11. */
#ifndef FAL_ORACLES_FAULT_LIST_TRANSACTIONS_H
#define FAL_ORACLES_FAULT_LIST_TRANSACTIONS_H

/* clang-format off */
#define FAL_FAULTS_TRANSACTIONS(X)                                                                     \
    X(REQUESTS_SENT_LAST_FIRST, "requests-sent-last-first", "8.2.1.1", "FTP-8.2.1.1-01",               \
      "Of the requests that wait for their turn the last one leaves first.")                           \
    X(PULL_DATA_STARVED, "pull-data-starved", "8.3", "FTP-8.3-01 FTP-8.3-03",                          \
      "Sends pull data only when no request waits.")                                                   \
    X(CONNECTIONS_STARVED, "connections-starved", "8.3", "FTP-8.3-01 FTP-8.3-03",                      \
      "Serves one connection for as long as it has something to send.")                                \
    X(RESOURCES_LEAKED, "resources-leaked", "8.2.3", "FTP-8.2.3-15 FTP-11-01 FTP-11-02",               \
      "Gives back no resources and no credits.")                                                       \
    X(LIMITS_IGNORED, "limits-ignored", "8.2.3", "FTP-8.2.3-01 FTP-8.2.3-06 FTP-11-32",                \
      "Takes posts for which there are no credits or resources.")                                      \
    X(HEAD_OF_LINE_REFUSED, "head-of-line-refused", "8.2.1.2", "FTP-8.2.1.2-05 FTP-8.2.2-10",          \
      "Keeps no resources for the head of the line of an ordered connection.")
/* clang-format on */

#endif
