/* SPDX-License-Identifier: Apache-2.0
 * certificate.h - a certificate for people: one HTML file, from the certificate's document
 * (talon/certificate/1) and nothing else. It needs no network and no script. */
#ifndef TL_REPORTS_FORMATS_CERTIFICATE_H
#define TL_REPORTS_FORMATS_CERTIFICATE_H

#include "codecs/base/error.h"

#include <jansson.h>
#include <stdio.h>

/* 0, or FAL_ERR_IO when a write failed. */
MUST_USE int tl_certificate_html(FILE *out, const json_t *certificate);

#endif
