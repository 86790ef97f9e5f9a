/* SPDX-License-Identifier: Apache-2.0
 * link_raw.h - the address of a raw link: `raw:IFACE,HOST:PORT[,from=HOST[:PORT]][,mac=MAC]`.
 */
#ifndef TL_HARNESS_LINK_RAW_H
#define TL_HARNESS_LINK_RAW_H

#include "harness/address.h"

#include <net/if.h>

struct tl_raw_address {
    char iface[IF_NAMESIZE];
    struct tl_address sut;
    struct tl_address from; /* the tester's; family 0: the interface's own address */
    bool has_mac;           /* of the SUT, or the router to it; else it is asked for */
    uint8_t mac[6];
};

/* Reads what follows "raw:". 0, or FAL_ERR_FORM with `err`. */
int tl_raw_address_read(const char *text, struct tl_raw_address *out, struct fal_error *err);

#endif
