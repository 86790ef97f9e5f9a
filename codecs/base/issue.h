/* SPDX-License-Identifier: Apache-2.0
 * issue.h - what is wrong with one packet: found by the frame stack and the lint, printed by
 * decode, turned into verdicts by the rules. A wrong packet is never an error code; it is an
 * issue. */
#ifndef FAL_CODECS_BASE_ISSUE_H
#define FAL_CODECS_BASE_ISSUE_H

#include "codecs/base/u128.h"

#include <stddef.h>

enum fal_severity { FAL_NOTE, FAL_WARNING, FAL_ERROR };
/* Their names, in this order. */
#define FAL_SEVERITIES "note warning error"

struct fal_issue {
    enum fal_severity severity;
    const char *code;   /* stable kebab-case id: "reserved-not-zero", "bad-checksum" */
    const char *layer;  /* JSON name of the layer: "falcon", "udp" */
    const char *field;  /* canonical field name, or NULL */
    uint32_t offset;    /* bytes into the frame */
    fal_u128 seen, due; /* when has_values; due: the legal value, or one of several */
    bool has_values;
    const char *requirement; /* catalogue id, or NULL */
    const char *message;     /* a sentence for people, static text */
};

enum { FAL_ISSUES_MAX = 24 };

struct fal_issues {
    size_t count;   /* those kept */
    size_t dropped; /* those for which there was no room */
    struct fal_issue list[FAL_ISSUES_MAX];
};

/* Adds one; beyond FAL_ISSUES_MAX only counts it. */
void fal_issue_add(struct fal_issues *issues, struct fal_issue issue);

/* "note", "warning", "error"; and back, -1 for any other text. */
const char *fal_severity_name(enum fal_severity severity);
int fal_severity_from(const char *name);

#endif
