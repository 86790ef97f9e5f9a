/* SPDX-License-Identifier: Apache-2.0
 * golden_test.h - for tests: the golden vectors of all headers but Falcon's and the plainest
 * (headers_test.c), by hand from the figures and RFCs as those are. */
#ifndef FAL_CODECS_HEADER_GOLDEN_TEST_H
#define FAL_CODECS_HEADER_GOLDEN_TEST_H

/* clang-format off */
#define GOLDEN_NET                                                                             \
    {&fal_vlan_layout, 4, {                                                                    \
        0xab, 0xcd, /* priority 101, drop eligible 0, VLAN bcd */                              \
        0x86, 0xdd, /* type */                                                                 \
    }, {                                                                                       \
        {"pcp", 0, 5}, {"dei", 0, 0}, {"vid", 0, 0xbcd}, {"ethertype", 0, 0x86dd},             \
    }},                                                                                        \
                                                                                               \
    {&fal_sll_layout, 16, {                                                                    \
        0x01, 0x03,                                     /* packet type */                      \
        0x03, 0x04,                                     /* device */                           \
        0x85, 0x06,                                     /* address length */                   \
        0x1a, 0x2b, 0x3c, 0x4d, 0x5e, 0x6f, 0x70, 0x81, /* address */                          \
        0x08, 0x00,                                     /* protocol */                         \
    }, {                                                                                       \
        {"packet_type", 0, 0x0103}, {"arphrd_type", 0, 0x0304}, {"address_length", 0, 0x8506}, \
        {"address", 0, 0x1a2b3c4d5e6f7081}, {"protocol", 0, 0x0800},                           \
    }},                                                                                        \
                                                                                               \
    {&fal_sll2_layout, 20, {                                                                   \
        0x08, 0x00,                                     /* protocol */                         \
        0xa5, 0xc3,                                     /* reserved */                         \
        0x01, 0x02, 0x03, 0x85,                         /* interface */                        \
        0x13, 0x04,                                     /* device */                           \
        0x84, 0x56,                                     /* packet type, address length */      \
        0x1a, 0x2b, 0x3c, 0x4d, 0x5e, 0x6f, 0x70, 0x81, /* address */                          \
    }, {                                                                                       \
        {"protocol", 0, 0x0800}, {"reserved_0", 0, 0xa5c3}, {"interface_index", 0, 0x01020385}, \
        {"arphrd_type", 0, 0x1304}, {"packet_type", 0, 0x84}, {"address_length", 0, 0x56},     \
        {"address", 0, 0x1a2b3c4d5e6f7081},                                                    \
    }},                                                                                        \
                                                                                               \
    {&fal_ipv6_ext_layout, 2, {                                                                \
        0x3c, 0x93, /* destination options next; 147 units */                                  \
    }, {                                                                                       \
        {"next_header", 0, 60}, {"hdr_ext_len", 0, 147},                                       \
    }},                                                                                        \
                                                                                               \
    {&fal_ipv6_fragment_layout, 8, {                                                           \
        0x11, 0xa6, 0xb3, 0x8a, /* UDP; reserved; offset 1011001110001, reserved 01, M 0 */    \
        0x9c, 0xaf, 0xe1, 0x23, /* identification */                                           \
    }, {                                                                                       \
        {"next_header", 0, 17}, {"reserved_0", 0, 0xa6}, {"fragment_offset", 0, 0x1671},       \
        {"reserved_1", 0, 1}, {"more_fragments", 0, 0}, {"identification", 0, 0x9cafe123},     \
    }},                                                                                        \
                                                                                               \
    {&fal_esp_layout, 8, {                                                                     \
        0x4a, 0x5b, 0x6c, 0x7d, /* SPI */                                                      \
        0x81, 0x02, 0x03, 0x84, /* sequence number */                                          \
    }, {                                                                                       \
        {"spi", 0, 0x4a5b6c7d}, {"sequence_number", 0, 0x81020384},                            \
    }},                                                                                        \
                                                                                               \
    {&fal_esp_iv_layout, 8, {                                                                  \
        0x27, 0x54, 0xc3, 0xbd, 0xf3, 0x76, 0xbc, 0x25,                                        \
    }, {                                                                                       \
        {"iv", 0, 0x2754c3bdf376bc25},                                                         \
    }},                                                                                        \
                                                                                               \
    {&fal_esp_trailer_layout, 2, {                                                             \
        0x03, 0xfc, /* 3 bytes of padding; Falcon */                                           \
    }, {                                                                                       \
        {"pad_length", 0, 3}, {"next_header", 0, 252},                                         \
    }}

#define GOLDEN_RDMA                                                                            \
    {&fal_rbth_layout, 12, {                                                                   \
        0x1b, 0x39, 0x55, 0x16, /* w0: version 1, reserved 101100111001010, CE 1, pad 01, */   \
                                /* R 0, SE 1, opcode 000 10110 */                              \
        0x12, 0x34, 0x56, 0xa9, /* w1: QP; reserved */                                         \
        0x81, 0x72, 0x63, 0x54, /* w2: SN */                                                   \
    }, {                                                                                       \
        {"version", 0, 1}, {"reserved_0", 0, 0x59ca}, {"complete_in_error", 0, 1},             \
        {"pad", 0, 1}, {"reserved_1", 0, 0}, {"solicited_event", 0, 1}, {"opcode", 0, 22},     \
        {"dest_qp", 0, 0x123456}, {"reserved_2", 0, 0xa9}, {"sequence_number", 0, 0x81726354}, \
    }},                                                                                        \
                                                                                               \
    {&fal_reth_layout, 16, {                                                                   \
        0x11, 0x22, 0x33, 0x44, /* w0: VA 63..32 */                                            \
        0x55, 0x66, 0x77, 0x88, /* w1: VA 31..0 */                                             \
        0x9a, 0x8b, 0x7c, 0x6d, /* w2: R-Key */                                                \
        0x5e, 0x4f, 0x30, 0x21, /* w3: length */                                               \
    }, {                                                                                       \
        {"virtual_address", 0, 0x1122334455667788}, {"r_key", 0, 0x9a8b7c6d},                  \
        {"length", 0, 0x5e4f3021},                                                             \
    }},                                                                                        \
                                                                                               \
    {&fal_seth_layout, 4, {                                                                    \
        0xa1, 0xb2, 0xc3, 0xd4,                                                                \
    }, {                                                                                       \
        {"rmsn", 0, 0xa1b2c3d4},                                                               \
    }},                                                                                        \
                                                                                               \
    {&fal_oeth_layout, 4, {                                                                    \
        0x00, 0x01, 0x0e, 0x05,                                                                \
    }, {                                                                                       \
        {"message_offset", 0, 0x00010e05},                                                     \
    }},                                                                                        \
                                                                                               \
    {&fal_steth_layout, 12, {                                                                  \
        0xf1, 0xe2, 0xd3, 0xc4, /* w0: VA 63..32 */                                            \
        0xb5, 0xa6, 0x97, 0x88, /* w1: VA 31..0 */                                             \
        0x1a, 0x8b, 0x7c, 0x6e, /* w2: L-Key */                                                \
    }, {                                                                                       \
        {"virtual_address", 0, 0xf1e2d3c4b5a69788}, {"l_key", 0, 0x1a8b7c6e},                  \
    }},                                                                                        \
                                                                                               \
    {&fal_immdt_layout, 4, {                                                                   \
        0xca, 0xfe, 0xba, 0xbe,                                                                \
    }, {                                                                                       \
        {"immediate_data", 0, 0xcafebabe},                                                     \
    }},                                                                                        \
                                                                                               \
    {&fal_atomiceth_layout, 28, {                                                              \
        0x11, 0x22, 0x33, 0x44, /* w0: VA 63..32 */                                            \
        0x55, 0x66, 0x77, 0x88, /* w1: VA 31..0 */                                             \
        0x9a, 0x8b, 0x7c, 0x6d, /* w2: R-Key */                                                \
        0x50, 0x51, 0x52, 0x53, /* w3: swap or add 63..32 */                                   \
        0x54, 0x55, 0x56, 0x57, /* w4: 31..0 */                                                \
        0xc8, 0xc9, 0xca, 0xcb, /* w5: compare 63..32 */                                       \
        0xcc, 0xcd, 0xce, 0xcf, /* w6: 31..0 */                                                \
    }, {                                                                                       \
        {"virtual_address", 0, 0x1122334455667788}, {"r_key", 0, 0x9a8b7c6d},                  \
        {"swap_or_add", 0, 0x5051525354555657}, {"compare", 0, 0xc8c9cacbcccdcecf},            \
    }},                                                                                        \
                                                                                               \
    {&fal_atomicacketh_layout, 8, {                                                            \
        0x80, 0x81, 0x82, 0x83, /* w0: original data 63..32 */                                 \
        0x84, 0x85, 0x86, 0x87, /* w1: 31..0 */                                                \
    }, {                                                                                       \
        {"original_data", 0, 0x8081828384858687},                                              \
    }},                                                                                        \
                                                                                               \
    {&fal_ieth_layout, 4, {                                                                    \
        0x9a, 0x8b, 0x7c, 0x6d,                                                                \
    }, {                                                                                       \
        {"r_key", 0, 0x9a8b7c6d},                                                              \
    }},                                                                                        \
                                                                                               \
    {&fal_xrceth_layout, 4, {                                                                  \
        0x5a, 0x6b, 0x7c, 0x9d, /* SRQ; reserved */                                            \
    }, {                                                                                       \
        {"xrc_srq", 0, 0x5a6b7c}, {"reserved_0", 0, 0x9d},                                     \
    }},                                                                                        \
                                                                                               \
    {&fal_deth_layout, 8, {                                                                    \
        0x13, 0x57, 0x9b, 0xdf, /* w0: queue key */                                            \
        0x24, 0x68, 0xac, 0xe1, /* w1: source QP; reserved */                                  \
    }, {                                                                                       \
        {"queue_key", 0, 0x13579bdf}, {"source_qp", 0, 0x2468ac}, {"reserved_0", 0, 0xe1},     \
    }}

/* The words of an NBTH after the first, which have the same values in every vector. */
#define NBTH_BYTES                                                                             \
        0x55, 0x12, 0x34, 0x56, /* w1: reserved 01, INV 0, S 1, NG 0, reserved 101; target tag */ \
        0x5a, 0x9a, 0xbc, 0xde, /* w2: NCNT total; initiator tag */                            \
        0x3c, 0x76, 0x54, 0x32, /* w3: NCNT offset; iCMD */                                    \
        0xc0, 0xff, 0xee, 0x01, /* w4..w7: reserved */                                         \
        0x12, 0x34, 0x56, 0x78,                                                                \
        0x9a, 0xbc, 0xde, 0xf0,                                                                \
        0x0f, 0xed, 0xcb, 0xa9
#define NBTH_VALUES(type)                                                                      \
        {"version", 0, 1}, {"packet_type", 0, type}, {"initiator_function", 0, 0xabcdef},      \
        {"reserved_0", 0, 1}, {"inv", 0, 0}, {"s", 0, 1}, {"ng", 0, 0}, {"reserved_1", 0, 5},  \
        {"target_tag", 0, 0x123456}, {"ncnt_total", 0, 0x5a}, {"initiator_tag", 0, 0x9abcde},  \
        {"ncnt_offset", 0, 0x3c}, {"icmd_identifier", 0, 0x765432},                            \
        {"reserved_2", 0xc0ffee0112345678, 0x9abcdef00fedcba9}

#define GOLDEN_NVME                                                                            \
    {&fal_nbth_layout, 32, {                                                                   \
        0x1d, 0xab, 0xcd, 0xef, /* w0: version 1, type 1101, function */                       \
        NBTH_BYTES,                                                                            \
    }, {                                                                                       \
        NBTH_VALUES(13),                                                                       \
    }},                                                                                        \
                                                                                               \
    {&fal_nvme_write_request_layout, 64, {                                                     \
        0x10, 0xab, 0xcd, 0xef,                                                                \
        NBTH_BYTES,                                                                            \
        0x2b, 0x1a, 0x4d, 0x3c, /* w8: initiator NSID, target NSID */                          \
        0xfe, 0xdc, 0xba, 0x98, /* w9: SLBA 31..0 */                                           \
        0x76, 0x54, 0x32, 0x10, /* w10: SLBA 63..32 */                                         \
        0x6f, 0x5e, 0x96, 0xad, /* w11: NLB; reserved 1001, DTYPE 0110, reserved 10, */        \
                                /* PRINFO 1011, FUA 0, LR 1 */                                 \
        0x5b, 0xc6, 0x13, 0x57, /* w12: DSM; reserved; DSPEC */                                \
        0x61, 0x72, 0x83, 0x94, /* w13: ILBRT */                                               \
        0x9b, 0xac, 0x24, 0x68, /* w14: LBATM, LBAT */                                         \
        0xd2, 0xc3, 0xb4, 0x78, /* w15: reserved; SQID */                                      \
    }, {                                                                                       \
        NBTH_VALUES(0),                                                                        \
        {"initiator_nsid", 0, 0x2b1a}, {"target_nsid", 0, 0x4d3c},                             \
        {"slba", 0, 0x76543210fedcba98}, {"nlb", 0, 0x6f5e}, {"reserved_3", 0, 9},             \
        {"dtype", 0, 6}, {"reserved_4", 0, 2}, {"prinfo", 0, 11}, {"fua", 0, 0}, {"lr", 0, 1}, \
        {"dsm", 0, 0x5b}, {"reserved_5", 0, 0xc6}, {"dspec", 0, 0x1357},                       \
        {"ilbrt", 0, 0x61728394}, {"lbatm", 0, 0x9bac}, {"lbat", 0, 0x2468},                   \
        {"reserved_6", 0, 0xd2c3b4}, {"target_sqid", 0, 0x78},                                 \
    }},                                                                                        \
                                                                                               \
    {&fal_nvme_write_data_request_layout, 32, {                                                \
        0x11, 0xab, 0xcd, 0xef,                                                                \
        NBTH_BYTES,                                                                            \
    }, {                                                                                       \
        NBTH_VALUES(1),                                                                        \
    }},                                                                                        \
                                                                                               \
    {&fal_nvme_write_data_response_layout, 36, {                                               \
        0x12, 0xab, 0xcd, 0xef,                                                                \
        NBTH_BYTES,                                                                            \
        0xde, 0xad, 0xbe, 0xef, /* w8: reserved */                                             \
    }, {                                                                                       \
        NBTH_VALUES(2),                                                                        \
        {"reserved_3", 0, 0xdeadbeef},                                                         \
    }},                                                                                        \
                                                                                               \
    {&fal_nvme_write_completion_layout, 36, {                                                  \
        0x13, 0xab, 0xcd, 0xef,                                                                \
        NBTH_BYTES,                                                                            \
        0x5a, 0x3c, 0x52, 0x96, /* w8: reserved 01011010001111000, status 101001010010110 */   \
    }, {                                                                                       \
        NBTH_VALUES(3),                                                                        \
        {"reserved_3", 0, 0xb478}, {"cqe_status", 0, 0x5296},                                  \
    }},                                                                                        \
                                                                                               \
    {&fal_nvme_read_request_layout, 64, {                                                      \
        0x14, 0xab, 0xcd, 0xef,                                                                \
        NBTH_BYTES,                                                                            \
        0x1a, 0x2b, 0x3c, 0x4d, /* w8: initiator NSID, target NSID */                          \
        0x89, 0xab, 0xcd, 0xef, /* w9: SLBA 31..0 */                                           \
        0x01, 0x23, 0x45, 0x67, /* w10: SLBA 63..32 */                                         \
        0x5e, 0x6f, 0xac, 0xda, /* w11: NLB; reserved 1010110011, PRINFO 0110, FUA 1, LR 0 */  \
        0xa5, 0xc3, 0xd2, 0xe1, /* w12: DSM; reserved */                                       \
        0x51, 0x62, 0x73, 0x84, /* w13: EILBRT */                                              \
        0x7f, 0x6e, 0x8d, 0x9c, /* w14: ELBATM, ELBAT */                                       \
        0xb4, 0xa5, 0x96, 0x87, /* w15: reserved; SQID */                                      \
    }, {                                                                                       \
        NBTH_VALUES(4),                                                                        \
        {"initiator_nsid", 0, 0x1a2b}, {"target_nsid", 0, 0x3c4d},                             \
        {"slba", 0, 0x0123456789abcdef}, {"nlb", 0, 0x5e6f}, {"reserved_3", 0, 0x2b3},         \
        {"prinfo", 0, 6}, {"fua", 0, 1}, {"lr", 0, 0}, {"dsm", 0, 0xa5},                       \
        {"reserved_4", 0, 0xc3d2e1}, {"eilbrt", 0, 0x51627384}, {"elbatm", 0, 0x7f6e},         \
        {"elbat", 0, 0x8d9c}, {"reserved_5", 0, 0xb4a596}, {"target_sqid", 0, 0x87},           \
    }},                                                                                        \
                                                                                               \
    {&fal_nvme_read_response_layout, 36, {                                                     \
        0x15, 0xab, 0xcd, 0xef,                                                                \
        NBTH_BYTES,                                                                            \
        0xa5, 0xc3, 0xad, 0x69, /* w8: reserved 10100101110000111, status 010110101101001 */   \
    }, {                                                                                       \
        NBTH_VALUES(5),                                                                        \
        {"reserved_3", 0, 0x14b87}, {"cqe_status", 0, 0x2d69},                                 \
    }}

#define GOLDEN_ROCE                                                                            \
    {&fal_roce_layout, 12, {                                                                   \
        0x81, 0x56, 0x8a, 0x1b, /* w0: opcode; SE 0, M 1, pad 01, version 0110; partition */   \
        0x5a, 0x92, 0x34, 0x56, /* w1: FECN 0, BECN 1, reserved 011010; QP */                  \
        0xa5, 0x7c, 0x8d, 0x9e, /* w2: acknowledge 1, reserved 0100101; PSN */                 \
    }, {                                                                                       \
        {"opcode", 0, 0x81}, {"se", 0, 0}, {"m", 0, 1}, {"pad", 0, 1}, {"tver", 0, 6},         \
        {"pkey", 0, 0x8a1b}, {"fecn", 0, 0}, {"becn", 0, 1}, {"reserved_0", 0, 0x1a},          \
        {"dest_qp", 0, 0x923456}, {"ack_req", 0, 1}, {"reserved_1", 0, 0x25},                  \
        {"psn", 0, 0x7c8d9e},                                                                  \
    }},                                                                                        \
                                                                                               \
    {&fal_aeth_layout, 4, {                                                                    \
        0x63, 0x92, 0x34, 0x56, /* syndrome, MSN */                                            \
    }, {                                                                                       \
        {"syndrome", 0, 0x63}, {"msn", 0, 0x923456},                                           \
    }},                                                                                        \
                                                                                               \
    {&fal_roce_deth_layout, 8, {                                                               \
        0x81, 0x12, 0x23, 0x34, /* queue key */                                                \
        0x5a, 0x92, 0x34, 0x57, /* reserved, source QP */                                      \
    }, {                                                                                       \
        {"queue_key", 0, 0x81122334}, {"reserved_0", 0, 0x5a}, {"source_qp", 0, 0x923457},     \
    }},                                                                                        \
                                                                                               \
    {&fal_cnp_layout, 16, {                                                                    \
        0x01, 0x12, 0x23, 0x34, 0x45, 0x56, 0x67, 0x78, /* reserved */                         \
        0x89, 0x9a, 0xab, 0xbc, 0xcd, 0xde, 0xef, 0xf0,                                        \
    }, {                                                                                       \
        {"reserved_0", 0x0112233445566778, 0x899aabbccddeeff0},                                \
    }}
/* clang-format on */

#endif
