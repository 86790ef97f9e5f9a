/* SPDX-License-Identifier: Apache-2.0
 * dissector_gen.c - prints the tables of the Wireshark dissector, as Lua: layouts, code points,
 * which ULP headers follow what, the lint's rows. `make dissector` puts dissector.lua behind
 * them. No field is declared a second time. */
#include "codecs/header/falcon.h"
#include "codecs/header/headers.h"
#include "codecs/header/lint.h"
#include "codecs/header/ulp.h"

#include <stdio.h>
#include <stdlib.h>

static const char *severity_name(enum fal_severity severity)
{
    switch (severity) {
    case FAL_NOTE: return "note";
    case FAL_WARNING: return "warning";
    case FAL_ERROR: return "error";
    }
    return "";
}

static const char *kind_name(enum fal_kind kind)
{
    switch (kind) {
    case FAL_CONST: return "const";
    case FAL_RSVD: return "reserved";
    case FAL_CODE: return "code";
    case FAL_FLAG: return "flag";
    case FAL_UINT:
    case FAL_PSN:
    case FAL_RSN:
    case FAL_BITMAP:
    case FAL_LENGTH:
    case FAL_CHECK:
    case FAL_MAC:
    case FAL_IPV4:
    case FAL_IPV6: break;
    }
    return "value";
}

/* Our texts hold neither quotes nor backslashes; a test would show them. */
static void text(const char *name, const char *value)
{
    if (value != NULL)
        printf(", %s=\"%s\"", name, value);
}

static void names(const struct fal_names *list)
{
    printf(", names={");
    for (size_t i = 0; i < list->count; i++)
        printf("[%llu]=\"%s\", ", (unsigned long long)list->entries[i].value,
               list->entries[i].name);
    printf("}");
}

/* The severity of a value that the table does not allow: bits that are reserved warn, where the
 * requirement says no more. */
static const char *severity_of(const struct fal_field *f, bool ulp)
{
    const struct fal_lint_row *rows = fal_lint_rows();
    enum fal_lint lint = f->kind == FAL_RSVD ? ulp ? FAL_LINT_ULP_RESERVED : FAL_LINT_RESERVED
                         : f->kind == FAL_CONST ? FAL_LINT_CONSTANT
                                                : FAL_LINT_CODE;

    return severity_name(rows[lint].table
                             ? fal_lint_severity(f->requirement, rows[lint].severity)
                             : rows[lint].severity);
}

static void layout(const struct fal_layout *l, bool ulp)
{
    printf("  %s={name=\"%s\", size=%zu, section=\"%s\"", l->name, l->name, l->size_bytes,
           l->section);
    text("requirement", l->requirement);
    if (l->requirement != NULL)
        text("severity", severity_name(fal_lint_severity(l->requirement, FAL_ERROR)));
    printf(", fields={\n");
    for (size_t i = 0; i < l->num_fields; i++) {
        const struct fal_field *f = &l->fields[i];

        printf("    {name=\"%s\", at=%u, bits=%u, kind=\"%s\", due=%llu", f->name,
               f->offset_bits, f->width_bits, kind_name(f->kind),
               (unsigned long long)f->initial);
        if (f->low_first)
            printf(", low_first=true");
        text("requirement", f->requirement);
        text("severity", severity_of(f, ulp));
        text("doc", f->doc);
        if (f->names != NULL)
            names(f->names);
        printf("},\n");
    }
    printf("  }},\n");
}

static void rdma_kinds(void)
{
    printf("T.rdma = {\n");
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);

        if (kind == NULL)
            continue;
        printf("  [%u]={name=\"%s\", service=%u, packet=%u, data=%s", opcode, kind->name,
               (unsigned)kind->service, (unsigned)kind->packet, kind->data ? "true" : "false");
        text("requirement", kind->requirement);
        printf(", headers={");
        for (size_t i = 0; i < kind->num_headers; i++)
            printf("\"%s\", ", fal_rdma_layout(kind->headers[i])->name);
        printf("}},\n");
    }
    printf("}\n");
}

static void nvme_types(void)
{
    printf("T.nvme = {\n");
    for (unsigned type = 0; type < FAL_NVME_TYPES; type++)
        printf("  [%u]={name=\"%s\", layout=\"%s\", packet=%u},\n", type,
               fal_nvme_type_name(type), fal_nvme_layout(type)->name,
               (unsigned)fal_nvme_carrier((enum fal_nvme_type)type));
    printf("}\n");
}

static void falcon_types(void)
{
    printf("T.falcon = {\n");
    for (unsigned type = 0; type < 16; type++)
        if (fal_falcon_layout(type) != NULL)
            printf("  [%u]=\"%s\",\n", type, fal_falcon_layout(type)->name);
    printf("}\nT.rnr = {");
    for (unsigned code = 0; code < 32; code++)
        printf("[%u]=%llu, ", code, (unsigned long long)fal_rnr_timeout_ns(code));
    printf("}\n");
}

static void lint_rows(void)
{
    const struct fal_lint_row *rows = fal_lint_rows();

    printf("T.lint = {\n");
    for (size_t i = 0; i < FAL_LINT_COUNT; i++) {
        printf("  {code=\"%s\", severity=\"%s\"", rows[i].code,
               severity_name(rows[i].severity));
        text("requirement", rows[i].requirement);
        text("message", rows[i].message);
        printf("},\n");
    }
    printf("}\n");
}

int main(void)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    printf("-- SPDX-License-Identifier: Apache-2.0\n"
           "-- Falcon, and RDMA and NVMe over it, for Wireshark. Generated: make dissector.\n"
           "local T = {}\nT.layouts = {\n");
    for (size_t i = 0; i < n; i++) {
        bool ulp = layouts[i]->requirement != NULL &&
                   (layouts[i]->requirement[0] == 'R' || layouts[i]->requirement[0] == 'N');

        layout(layouts[i], ulp);
    }
    printf("}\n");
    falcon_types();
    rdma_kinds();
    nvme_types();
    lint_rows();
    return ferror(stdout) || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
