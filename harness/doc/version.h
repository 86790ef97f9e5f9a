/* SPDX-License-Identifier: Apache-2.0
 * version.h - the version of Talon that reports, certificates and man pages state. */
#ifndef TL_HARNESS_DOC_VERSION_H
#define TL_HARNESS_DOC_VERSION_H

#define TL_VERSION "0.1.0"
/* The day of the version, for man pages. */
#define TL_VERSION_DATE "2026-11-30"

#endif
