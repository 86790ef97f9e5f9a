/* SPDX-License-Identifier: Apache-2.0
 * version.h - the version of Talon that reports and certificates state. */
#ifndef TL_HARNESS_DOC_VERSION_H
#define TL_HARNESS_DOC_VERSION_H

#define TL_VERSION "0.1.0"

#endif
