/* SPDX-License-Identifier: Apache-2.0
 * fault_list_transactions.h - the rows of faults.h that belong to the transaction sublayer:
 * chapters 6 and 8, and its tables in 11. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_FAULT_LIST_TRANSACTIONS_H
#define FAL_ORACLES_ENDPOINT_FAULTS_FAULT_LIST_TRANSACTIONS_H

/* clang-format off */
#define FAL_FAULTS_LONG_LIVES(X)                                                                       \
    X(RNR_REDELIVERED_BACKWARDS, "rnr-redelivered-backwards", "8.5.3.4", "FTP-8.5.2-01 FTP-8.5.3.4-07",\
      "Of several pulls whose RNR delays are over delivers the newest first.")                         \
    X(RESYNC_OF_DATA_ENDS_BOTH, "resync-of-data-ends-both", "9.2.5",                                   \
      "FTP-9.2.5-07 FTP-8.5.3.3-06 FTP-8.5.2-01",                                                      \
      "A Resync of pull data also ends the peer's transaction that has the same RSN.")                 \
    X(RESYNC_OF_NOTHING_FATAL, "resync-of-nothing-fatal", "9.2.5", "FTP-9.2.5-01 FTP-9.2.5-02 FTP-9.2.5-03", \
      "A Resync with the RSN of no transaction ends the connection.")                                  \
    X(DONE_RSN_BLOCKS, "done-rsn-blocks", "8.5.2", "FTP-8.5.2-01 FTP-8.5.3.3-06",                      \
      "A request with a new PSN and the RSN of a finished transaction stops all deliveries.")          \
    X(RESPONSE_CREDITS_LEAKED, "response-credits-leaked", "8.2.3", "FTP-8.2.3-15 FTP-8.2.3-14",        \
      "Never gives the credits of pull data back.")                                                    \
    X(UNORDERED_HEAD_REFUSED, "unordered-head-refused", "8.2.1.2", "FTP-8.2.1.2-05 FTP-8.2.4-01",      \
      "Keeps no resources for the first request of an unordered connection.")                          \
    X(PULLS_NEVER_CLOSED, "pulls-never-closed", "8.5.1", "FTP-8.5.3.2-09 FTP-8.4.3.3-10",              \
      "Keeps every pull that it answered, until there is no room for another one.")

/* These faults act at one length, or only while many transactions are open. */
#define FAL_FAULTS_LOAD(X)                                                                             \
    X(PAYLOAD_WRONG_AT_LENGTH, "payload-wrong-at-length", "7.5", "FTP-7.5-05 FTP-7.4-02",              \
      "Of payloads of one length modulo 512 (seed=N: N; 391) sends a wrong last byte.")                \
    X(DELIVERED_WRONG_AT_LENGTH, "delivered-wrong-at-length", "9.2.2",                                 \
      "FTP-9.2.2-01 FTP-8.5.3.3-06 FTP-8.4.3.2-07",                                                    \
      "Of payloads of one length modulo 512 (seed=N: N; 391) delivers a wrong last byte.")             \
    X(ANSWERS_SWAPPED_DEEP, "answers-swapped-deep", "8.5.3.2",                                         \
      "FTP-8.5.3.2-03 FTP-7.4-02 FTP-7.4-03",                                                          \
      "With more than 40 pulls to answer sends the data of two with swapped RSNs.")                    \
    X(DATA_SWAPPED_DEEP, "data-swapped-deep", "8.4.3.2", "FTP-8.4.3.2-07 FTP-8.1-04",                  \
      "With more than 40 transactions open swaps the data of two pulls.")

/* NACKs that nothing asked for. */
#define FAL_FAULTS_UNCAUSED(X)                                                                         \
    X(ROOM_REFUSED, "room-refused", "8.2.1.2", "FTP-8.2.1.2-05 FTP-8.2.2-10 FTP-7.8-17",               \
      "Refuses the first copy of each request with an odd RSN by a NACK of code 1, with room for it.") \
    X(RNR_WITHOUT_CAUSE, "rnr-without-cause", "8.5.3.4", "FTP-8.5.3.4-10 FTP-7.8-18",                  \
      "Sends an RNR NACK for each push that arrives, whatever its ULP answers.")                       \
    X(RNR_NACK_AGAIN, "rnr-nack-again", "8.5.3.4", "FTP-8.5.3.4-10",                                   \
      "Sends the RNR NACK again for the copy of a push that it delivers.")                             \
    X(ERROR_WITHOUT_CAUSE, "error-without-cause", "8.5.3.5", "FTP-8.5.3.5-04 FTP-7.8-20",              \
      "Sends a NACK of code 6 for each push that arrives, whatever its ULP answers.")                  \
    X(FILTER_WITHOUT_CAUSE, "filter-without-cause", "11", "FTP-7.8-19 FTP-11-21",                      \
      "Sends a NACK of code 4 for each push that arrives, without a filter that matches it.")

#define FAL_FAULTS_TRANSACTIONS(X)                                                                     \
    FAL_FAULTS_UNCAUSED(X)                                                                             \
    X(REQUESTS_SENT_LAST_FIRST, "requests-sent-last-first", "8.2.1.1",                                 \
      "FTP-8.2.1.1-01 FTP-9.1.3-03 FTP-8.3-04",                                                        \
      "Sends the newest waiting request first.")                                                       \
    X(RNR_PUSH_OVERTAKES, "rnr-push-overtakes", "8.5.3.4", "FTP-8.5.3.4-04",                           \
      "Of several pushes that got RNR delivers the one first whose copy comes first.")                 \
    X(PULL_DATA_STARVED, "pull-data-starved", "8.3", "FTP-8.3-01 FTP-8.3-03",                          \
      "Sends pull data only when no request waits.")                                                   \
    X(PULLS_ON_ANOTHER, "pulls-on-another", "8.4.3.1", "FTP-8.4.3.1-01",                               \
      "Starts a pull on another connection than that of its Source CID.")                              \
    X(PUSHES_ON_ANOTHER, "pushes-on-another", "8.4.3.3", "FTP-8.4.3.3-02",                             \
      "Starts a push on another connection than that of its Source CID.")                              \
    X(ANSWERS_ON_ANOTHER, "answers-on-another", "8.5.3.2", "FTP-8.5.3.2-02",                           \
      "Sends the answer to a pull on another connection than that of its Source CID.")                 \
    X(ONE_ROLE, "one-role", "8", "FTP-8-01 FTP-6.1.1-01",                                              \
      "Discards the requests of its peer while transactions of its own are open.")                     \
    X(CONNECTIONS_STARVED, "connections-starved", "8.3",                                               \
      "FTP-8.3-01 FTP-8.3-03 FTP-8.4.3.3-05 FTP-8.5.3.2-05",                                           \
      "Serves one connection as long as it has packets to send.")                                      \
    X(ENDED_HOLDS, "ended-holds", "11", "FTP-11-09 FTP-11-14",                                         \
      "What a connection held when it ended is missing to all others.")                                \
    X(ERROR_STALLS_OTHERS, "error-stalls-others", "6.4", "FTP-6.4-08",                                 \
      "After a connection has ended by an error the others send nothing new.")                         \
    X(RESOURCES_LEAKED, "resources-leaked", "8.2.3",                                                   \
      "FTP-8.2.3-15 FTP-11-01 FTP-11-02 FTP-9.2.3-07 FTP-9.2.3-12 FTP-9.2.4-05 FTP-11-26 FTP-11-28 "   \
      "FTP-11-36 FTP-11-41 FTP-11-13",                                                                 \
      "Never releases resources and credits.")                                                         \
    X(LIMITS_IGNORED, "limits-ignored", "8.2.3", "FTP-8.2.3-01 FTP-8.2.3-06 FTP-11-32 FTP-8.2.3-03",   \
      "Accepts posts for which there are no credits or resources.")                                    \
    X(HEAD_OF_LINE_REFUSED, "head-of-line-refused", "8.2.1.2", "FTP-8.2.1.2-05 FTP-8.2.2-10",          \
      "Keeps no resources for the head of the line of an ordered connection.")                         \
    X(POOLS_SHARED, "pools-shared", "8.2.1.2", "FTP-8.2.1.2-01",                                       \
      "Accepts no request of the peer while the credits of its own requests are used up.")             \
    X(RESPONSES_SHARE_CREDITS, "responses-share-credits", "8.2.1.2", "FTP-8.2.1.2-04",                 \
      "Sends no pull data while the credits of its own requests are used up.")                         \
    X(RESPONSE_ROOM_LATE, "response-room-late", "8.2.2", "FTP-8.2.2-12",                               \
      "Allocates room for pull data when they arrive, and rejects them where requests use it up.")     \
    X(RSN_SKIPPED, "rsn-skipped", "8.4.3.1", "FTP-8.4.1-04 FTP-8.4.3.1-03 FTP-8.4.3.3-03 FTP-7.5-06",  \
      "One RSN in four is left out.")                                                                  \
    X(PULL_RSN_REPEATED, "pull-rsn-repeated", "8.4.1", "FTP-8.4.1-06 FTP-8.4.3.1-03 FTP-6.1.1-02",     \
      "A pull request carries the RSN of the transaction before it.")                                  \
    X(PULL_LENGTH_WRONG, "pull-length-wrong", "8.1", "FTP-8.1-02 FTP-7.3-02 FTP-7.3-04",               \
      "A pull request asks for one byte more than its ULP does.")                                      \
    X(COMPLETION_BEFORE_ACK, "completion-before-ack", "8.4.3.3",                                       \
      "FTP-8.4.3.3-10 FTP-6.6.2-02 FTP-6.1.1.1-01 FTP-8.1-05 FTP-6.6.5-04",                            \
      "Completes a push when it is sent.")                                                             \
    X(COMPLETION_LOST, "completion-lost", "8.4.3.3",                                                   \
      "FTP-8.4.3.3-10 FTP-8.4.3.2-07 FTP-6.6.2-02 FTP-11-43",                                          \
      "Does not report one completion in three to its ULP.")                                           \
    X(PULLS_COMPLETE_APART, "pulls-complete-apart", "8.4.2",                                           \
      "FTP-8.4.2-02 FTP-8.4.3.2-06 FTP-8.4.2-01",                                                      \
      "Sends pull data of an ordered connection without waiting for earlier pushes.")                  \
    X(PULL_COMPLETED_ON_ACK, "pull-completed-on-ack", "6.1.1.2",                                       \
      "FTP-6.1.1.2-01 FTP-8.1-04 FTP-6.1.3-01",                                                        \
      "Completes a pull when its request is acknowledged, without data.")                              \
    X(PULL_DATA_UNMATCHED_DELIVERED, "pull-data-unmatched-delivered", "8.4.3.2", "FTP-8.4.3.2-02",     \
      "Delivers pull data that no pull waits for.")                                                    \
    X(PULL_DATA_EMPTY_DISCARDED, "pull-data-empty-discarded", "6.4", "FTP-6.4-04",                     \
      "Discards pull data without payload.")                                                           \
    X(PULL_DATA_LONG_DELIVERED, "pull-data-long-delivered", "11", "FTP-11-26",                         \
      "Delivers pull data that are longer than requested.")                                            \
    X(RNR_COMPLETES, "rnr-completes", "6.4",                                                           \
      "FTP-6.4-01 FTP-8.4.3.4-01 FTP-8.5.3.4-03 FTP-9.2.4-09 FTP-6.6.3-01 FTP-6.4-02",                 \
      "Gives up a push that the target was not ready for.")                                            \
    X(ERROR_WITHOUT_RESYNC, "error-without-resync", "8.4.3.5",                                         \
      "FTP-8.4.3.5-02 FTP-11-10 FTP-6.6.5-02 FTP-6.6.5-03 FTP-9.1.8-01 FTP-9.2.4-11 "                  \
      "FTP-9.2.4-13 FTP-9.2.4-15 FTP-9.2.4-10",                                                        \
      "Sends no resync for a push that was refused.")                                                  \
    X(CIE_COMPLETES_WELL, "cie-completes-well", "11",                                                  \
      "FTP-11-29 FTP-11-44 FTP-8.4.3.5-03 FTP-6.6.5-04 FTP-7.8-30 FTP-9.2.4-12",                       \
      "A push that ended with CIE completes with code 0.")                                             \
    X(NRE_COMPLETES_AS_CIE, "nre-completes-as-cie", "11", "FTP-11-30 FTP-11-45 FTP-9.2.4-14",          \
      "A push that ended with NRE completes with the code of CIE.")                                    \
    X(CID_COMPLETES_AS_NRE, "cid-completes-as-nre", "11", "FTP-11-31 FTP-11-46 FTP-9.2.4-16",          \
      "A push refused for its CID completes with the code of NRE.")                                    \
    X(REMOTE_XLR_COMPLETES_AS_CIE, "remote-xlr-completes-as-cie", "11", "FTP-11-28 FTP-11-52",         \
      "A push that the peer's filter dropped completes with the code of CIE.")                         \
    X(TIMEOUT_COMPLETES_AS_DEAD, "timeout-completes-as-dead", "11", "FTP-11-23 FTP-11-47",             \
      "A transaction that times out completes with the code of a dead connection.")                    \
    X(TRANSACTION_NEVER_TIMES_OUT, "transaction-never-times-out", "11",                                \
      "FTP-11-23 FTP-11-24 FTP-6.4-10",                                                                \
      "Waits for the end of a transaction without a timeout.")                                         \
    X(ULP_CODE_NOT_TOLD, "ulp-code-not-told", "6.4", "FTP-6.4-06 FTP-8.4.3.5-03 FTP-7.8-30",           \
      "Completes a push in error without the code of the target's ULP.")                               \
    X(DEAD_CONNECTION_SILENT, "dead-connection-silent", "11", "FTP-11-33 FTP-11-49",                   \
      "A post on a dead connection never completes.")                                                  \
    X(ORDERED_DELIVERY_BY_PSN, "ordered-delivery-by-psn", "8.5.2", "FTP-8.5.2-01 FTP-8.5.2-02",        \
      "Delivers requests of an ordered connection by PSN, pushes apart from pulls.")                   \
    X(DELIVERY_LOST, "delivery-lost", "8.5.3.3", "FTP-8.5.3.3-06 FTP-8.5.3.3-08 FTP-9.2.2-01",         \
      "Acknowledges one push in three that its ULP has never seen.")                                   \
    X(RNR_NOT_STICKY, "rnr-not-sticky", "8.5.3.4", "FTP-8.5.3.4-04",                                   \
      "Delivers requests behind one that its ULP was not ready for.")                                  \
    X(RNR_PUSH_FORGOTTEN, "rnr-push-forgotten", "11", "FTP-11-39 FTP-6.6.3-02 FTP-6.4-02",             \
      "Does not deliver a push again that its ULP was not ready for.")                                 \
    X(RNR_PULL_FORGOTTEN, "rnr-pull-forgotten", "8.5.3.4",                                             \
      "FTP-8.5.3.4-07 FTP-11-42 FTP-6.4-02 FTP-8.5.3.4-02 FTP-6.6.4-01",                               \
      "Does not deliver a pull again that its ULP was not ready for.")                                 \
    X(RNR_PULL_EARLY, "rnr-pull-early", "8.5.3.4", "FTP-8.5.3.4-06 FTP-6.6.4-01 FTP-11-42",            \
      "Delivers a pull again after half of the time that its ULP asked for.")                          \
    X(RNR_PULL_NACKED, "rnr-pull-nacked", "8.4.3.4",                                                   \
      "FTP-8.4.3.4-04 FTP-6.6.4-01 FTP-8.5.3.4-02 FTP-6.4-02",                                         \
      "Sends an RNR NACK for a pull.")                                                                 \
    X(RNR_REDELIVERED_TWICE, "rnr-redelivered-twice", "8.5.3.4", "FTP-8.5.3.4-07 FTP-6.6.3-02 FTP-9.2.2.4-05",\
      "Delivers a request twice for one RNR.")                                                         \
    X(CIE_REDELIVERED, "cie-redelivered", "6.6.5", "FTP-6.6.5-01",                                     \
      "Delivers a push again that ended in error.")                                                    \
    X(CIE_NACK_ONCE, "cie-nack-once", "6.6.5", "FTP-6.6.5-01 FTP-6.4-07",                              \
      "Does not answer another copy of a push that ended in error.")                                   \
    X(CIE_NACK_REPEATED_OTHERWISE, "cie-nack-repeated-otherwise", "6.6.5", "FTP-6.6.5-01",             \
      "Refuses another copy of a push with another code of its ULP.")                                  \
    X(ERROR_ACKNOWLEDGED, "error-acknowledged", "8.5.3.5", "FTP-8.5.3.5-04 FTP-6.4-05 FTP-9.1.7-01",   \
      "Acknowledges a push that its ULP refused.")                                                     \
    X(NRE_NACK_WRONG_CODE, "nre-nack-wrong-code", "11", "FTP-11-37 FTP-7.8-21",                        \
      "Refuses a push that ended with NRE by a NACK of code 6.")                                       \
    X(CID_NACK_WRONG_CODE, "cid-nack-wrong-code", "11", "FTP-11-38 FTP-7.8-22",                        \
      "Refuses a push for its CID by a NACK of code 7.")                                               \
    X(PULL_ERROR_NACKED, "pull-error-nacked", "8.5.3.5", "FTP-8.5.3.5-02 FTP-11-40 FTP-11-41",         \
      "Sends a NACK for a pull that ends in error.")                                                   \
    X(PULL_ERROR_UNANSWERED, "pull-error-unanswered", "6.4", "FTP-6.4-03 FTP-6.4-04",                  \
      "Sends no response to a pull that ends in error.")                                               \
    X(PULL_DATA_WRONG_RSN, "pull-data-wrong-rsn", "8.5.3.2", "FTP-8.5.3.2-03 FTP-7.4-02 FTP-7.4-03",   \
      "Pull data carry the RSN after that of their request.")                                          \
    X(PULL_DATA_SHORT, "pull-data-short", "8.1", "FTP-8.1-03",                                         \
      "Pull data lack the last byte.")                                                                 \
    X(PULL_DATA_OF_NOTHING, "pull-data-of-nothing", "8.1", "FTP-8.1-03 FTP-8.5.3.2-01",                \
      "Pull data have no payload.")                                                                    \
    X(PULL_DATA_DOUBLED, "pull-data-doubled", "8.1", "FTP-8.1-01 FTP-6.1.1.2-01",                      \
      "Sends each response twice, under two PSNs.")                                                    \
    X(PULL_DELIVERY_LOST, "pull-delivery-lost", "8.5.3.1", "FTP-8.5.3.1-06 FTP-9.2.2-01",              \
      "Acknowledges one pull in two that its ULP never sees.")                                         \
    X(DELIVERY_ENDS_AT_WRAP, "delivery-ends-at-wrap", "8.5.1", "FTP-8.5.1-06 FTP-8.5.1-04",            \
      "Delivers nothing after the RSN has wrapped.")                                                   \
    X(LOCAL_XLR_COMPLETES_AS_REMOTE, "local-xlr-completes-as-remote", "11", "FTP-11-25 FTP-11-53",     \
      "A transaction that the own filter drops completes with the code of a remote error.")            \
    X(TOO_LONG_COMPLETES_AS_CIE, "too-long-completes-as-cie", "11", "FTP-11-26 FTP-11-48",             \
      "A pull with too long a response completes with the code of CIE.")                               \
    X(SUCCESS_COMPLETES_AS_CIE, "success-completes-as-cie", "11", "FTP-11-43",                         \
      "A transaction that went well completes with the code of CIE.")                                  \
    X(COMPLETION_CODE_RESERVED, "completion-code-reserved", "11", "FTP-11-54 FTP-11-44",               \
      "A push that ended with CIE completes with code 2, which is reserved.")                          \
    X(SHORT_PULL_DATA_REFUSED, "short-pull-data-refused", "11", "FTP-11-27",                           \
      "A pull whose response is shorter than requested completes with an error.")                      \
    X(DEAD_CONNECTION_ANSWERS, "dead-connection-answers", "11", "FTP-11-22",                           \
      "Accepts packets of a connection that is dead.")                                                 \
    X(ERROR_OF_ANOTHER, "error-of-another", "8.4.3.5", "FTP-8.4.3.5-01 FTP-9.2.4-12",                  \
      "The error of a NACK completes the transaction after the one that was refused.")                 \
    X(RNR_PULL_OF_ANOTHER, "rnr-pull-of-another", "8.5.3.4", "FTP-8.5.3.4-05 FTP-8.5.3.4-02",          \
      "After an RNR of the ULP delivers the oldest pull again, not the one that got RNR.")             \
    X(ERROR_NACK_FATAL, "error-nack-fatal", "11", "FTP-11-34",                                         \
      "A NACK of an error of the ULP that names a pull request ends the connection.")                  \
    X(REFUSED_COMPLETES_WELL, "refused-completes-well", "11", "FTP-11-32 FTP-11-50 FTP-11-51",         \
      "A post for which there are no resources or credits completes with code 0.")                     \
    X(UNORDERED_IN_ORDER, "unordered-in-order", "8.5.2", "FTP-8.5.2-03 FTP-8.5.3.4-10",                \
      "Delivers requests in RSN order on unordered connections, too.")
/* clang-format on */

#endif
