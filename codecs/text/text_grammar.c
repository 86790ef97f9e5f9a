/* SPDX-License-Identifier: Apache-2.0
 * text_grammar.c - the notation explained from the tables that it is read and written by. */
#include "codecs/text/text_impl.h"

#include <stdlib.h>

static const char syntax[] =
    "One packet, one line.\n"
    "\n"
    "line     = [ time ] [ dir ] type *( SP item ) [ SP \"/\" SP upper ] [ SP \"#\" comment ]\n"
    "time     = \"+\" duration             after the line before (default +0)\n"
    "         | \"@\" duration             since the start\n"
    "         | \"<=\" duration            expected within this after the line before\n"
    "         | duration \"..\" duration   expected in this range\n"
    "duration = decimal unit | \"0\" | \"$\" name [ op operand ]      unit = ns us ms s; op = + - * /\n"
    "operand  = number [ unit | \"%\" ]   of $rto+10%, the percentage is of $rto; no unit: ns\n"
    "dir      = \">\" | \"<\"               > tester to SUT, < SUT to tester\n"
    "type     = one of those below | \"packet\" (any, expected only) | \"hex:\" hexdigits (sent only)\n"
    "item     = field \"=\" value | field \":\" mask \"=\" value | \"!\" field \"=\" value | flag | \"...\"\n"
    "         | \"payload_len=\" (integer | \"$\" name)  bytes after the header; len= of a push_data says both\n"
    "value    = number | name           number = integer, 0x.., 0b..\n"
    "         | integer \"r\"             a sequence number counted from the connection's first\n"
    "         | duration                where the field is a delay code\n"
    "         | \"$\" name [ op integer ] a variable; sequence numbers are computed mod 2^32\n"
    "         | value \"..\" value | \"{\" value *( \",\" value ) \"}\" | \"any\"    expected only\n"
    "         | \"@\" name                expected only: matches anything and binds the variable\n"
    "upper    = ( \"rdma\" | \"nvme\" ) SP operation *( SP ( [ header \".\" ] item | data ) )\n"
    "operation = one of those below | \"any\" (expected only) | \"rbth\" | \"nbth\" (the first header alone)\n"
    "data     = \"data=\" length [ \"@\" tag [ \"+\" offset ] ]   bytes after the headers: of the pattern of\n"
    "                                   that tag (docs/sut-protocol.md), from that offset\n"
    "\n"
    "In a packet to send, what is not given is filled in; in an expected one it is not looked at;\n"
    "\"...\" says so aloud. A line of \"packet\" knows the fields of all types, and packet_type; of a\n"
    "field that the packet seen has not, only \"!field=value\" holds.\n";

static void print_flags(struct fal_out *out)
{
    size_t n;
    const struct fal_text_flag *flags = fal_text_flags(&n);

    fal_out_text(out, "\nflags\n");
    for (size_t i = 0; i < n; i++)
        fal_out_format(out, "  %-6s %s, the bit of value %u\n", flags[i].word, flags[i].field,
                       (unsigned)flags[i].bits);
}

static void print_names(struct fal_out *out, const struct fal_field *field)
{
    fal_out_text(out, "; ");
    for (size_t i = 0; i < field->names->count; i++)
        fal_out_format(out, "%s%s (%u)", i > 0 ? ", " : "", field->names->entries[i].name,
                       (unsigned)field->names->entries[i].value);
}

static void print_type(struct fal_out *out, const struct fal_layout *layout, unsigned type)
{
    fal_out_format(out, "\n%s (%s, type %u, %zu bytes)\n", layout->name, layout->section, type,
                   layout->size_bytes);
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *field = &layout->fields[i];

        if (field->member_offset == offsetof(struct fal_falcon, packet_type))
            continue;
        fal_out_format(out, "  %-20s %-6s %3u bits  %s", field->name,
                       field->alias != NULL ? field->alias : "", (unsigned)field->width_bits,
                       field->kind == FAL_RSVD ? "reserved" : field->doc);
        if (field->names != NULL)
            print_names(out, field);
        if (fal_field_takes_time(field)) {
            fal_out_text(out, "; or the delay: ");
            fal_out_duration(out, fal_rnr_timeout_ns(1));
            fal_out_text(out, " to ");
            fal_out_duration(out, fal_rnr_timeout_ns(0));
        }
        fal_out_char(out, '\n');
    }
}

static void print_fields(struct fal_out *out, const struct fal_layout *layout)
{
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *field = &layout->fields[i];

        fal_out_format(out, "  %-20s %-6s %3u bits  %s\n", field->name,
                       field->alias != NULL ? field->alias : "", (unsigned)field->width_bits,
                       field->kind == FAL_RSVD ? "reserved" : field->doc);
    }
}

static void print_rdma(struct fal_out *out)
{
    fal_out_text(out, "\nrdma: the operations, their opcodes and headers. A field without its "
                      "header is that of the\nfirst header that has it. Flags are said by "
                      "their names: ce, se.\n");
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);

        if (kind == NULL)
            continue;
        fal_out_format(out, "  %-22s 0x%02x  %-13s", kind->name, opcode,
                       fal_falcon_type_name(kind->packet));
        for (size_t i = 0; i < kind->num_headers; i++)
            fal_out_format(out, " %s", fal_rdma_layout(kind->headers[i])->name);
        fal_out_char(out, '\n');
    }
    for (unsigned h = 0; h < FAL_RDMA_HEADERS; h++) {
        const struct fal_layout *layout = fal_rdma_layout((enum fal_rdma_header)h);

        fal_out_format(out, "\nrdma %s (%s, %zu bytes)\n", layout->name, layout->section,
                       layout->size_bytes);
        print_fields(out, layout);
    }
}

static void print_nvme(struct fal_out *out)
{
    for (unsigned type = 0; type < FAL_NVME_TYPES; type++) {
        const struct fal_layout *layout = fal_nvme_layout(type);

        fal_out_format(out, "\nnvme %s (%s, type %u, in %s, %zu bytes)\n",
                       fal_nvme_type_name(type), layout->section, type,
                       fal_falcon_type_name(fal_nvme_carrier((enum fal_nvme_type)type)),
                       layout->size_bytes);
        print_fields(out, layout);
    }
}

static int print_grammar(char *at, size_t cap)
{
    struct fal_out out = fal_out_start(at, cap);

    fal_out_text(&out, syntax);
    print_flags(&out);
    for (unsigned type = 0; type < 16; type++)
        if (fal_falcon_layout(type) != NULL)
            print_type(&out, fal_falcon_layout(type), type);
    print_rdma(&out);
    print_nvme(&out);
    return fal_out_end(&out);
}

char *fal_text_grammar(void)
{
    size_t cap = (size_t)print_grammar(NULL, 0) + 1;
    char *text = malloc(cap);

    if (text != NULL)
        (void)print_grammar(text, cap);
    return text;
}
