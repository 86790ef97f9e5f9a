/* SPDX-License-Identifier: Apache-2.0
 * t10_dif.h - protection information of NVMe: 8 bytes per block, with the guard CRC-16/T10-DIF
 * (NVME 6.7; NVM Command Set, protection information, 16-bit guard). */
#ifndef FAL_CODECS_NVME_T10_DIF_H
#define FAL_CODECS_NVME_T10_DIF_H

#include <stddef.h>
#include <stdint.h>

enum {
    FAL_DIF_LEN = 8,       /* bytes of one protection information */
    FAL_DIF_META_LEN = 16, /* bytes of metadata per block: inner and outer one (NVME 6.7) */
};

/* A tuple of protection information, its fields in the order of the wire. */
struct fal_dif {
    uint16_t guard;
    uint16_t app;
    uint32_t ref;
};

/* CRC-16 with the polynomial 0x8bb7, initial value 0, of bytes whose beginning has the CRC
 * `crc`, with these after it. */
uint16_t fal_dif_crc(uint16_t crc, const uint8_t *bytes, size_t len);

/* Writes and reads the 8 bytes: guard, application tag, reference tag, each big-endian. */
void fal_dif_write(const struct fal_dif *dif, uint8_t out[FAL_DIF_LEN]);
struct fal_dif fal_dif_read(const uint8_t in[FAL_DIF_LEN]);

#endif
