/* SPDX-License-Identifier: Apache-2.0
 * link_raw.h - the address of a raw link:
 * `raw:IFACE,HOST:PORT[,from=HOST[:PORT]][,mac=MAC][,stamps=kernel|hardware]
 * [,buffer=BYTES][,esp=native|udp]`.
 */
#ifndef TL_HARNESS_LINK_LINK_RAW_H
#define TL_HARNESS_LINK_LINK_RAW_H

#include "codecs/base/error.h"
#include "harness/link/live_options.h"

#include <net/if.h>

struct tl_raw_address {
    char iface[IF_NAMESIZE];
    struct tl_address sut;
    struct tl_address from; /* the tester's; family 0: use the interface's own address */
    bool hardware;          /* time stamps by the device, not by the kernel */
    uint32_t buffer;        /* capture buffer in bytes; 0: the default */
    bool esp_in_udp;        /* carry ESP packets in UDP, not directly in IP */
    bool has_mac;           /* of the SUT or of the router to it; else it is resolved */
    uint8_t mac[6];
};

/* Parses the text after "raw:". Refuses addresses that are not loopback, private or allowed.
 * Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_raw_address_read(const char *text, const struct tl_allowed *allowed,
                                 struct tl_raw_address *out, struct fal_error *err);

#endif
