/* SPDX-License-Identifier: Apache-2.0
 * odd.h - where faults and conforming variants of an NVMe engine act. */
#ifndef FAL_ORACLES_NVME_ODD_H
#define FAL_ORACLES_NVME_ODD_H

#define fal_nv_seam(engine, call)           ((void)(engine))
#define fal_nv_either(engine, value, other) ((void)(engine), (value))

#endif
