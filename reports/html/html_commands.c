/* SPDX-License-Identifier: Apache-2.0
 * html_commands.c - the table of the commands of NVMe below a ladder diagram: each command with
 * its parts at the targets, the nCMDs of each part with their packets, and its completion. */
#include "reports/html/html_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 40, NCMDS = 256, PARTS = 3, COLUMNS = 5, VALUE = 24 };

/* Types of packets by their names in a text, in the order of the columns. */
static const char *const columns[COLUMNS][2] = {
    {NULL, NULL},
    {"nvme read_request ", "nvme write_request "},
    {"nvme write_data_request ", NULL},
    {"nvme write_data_response ", NULL},
    {"nvme read_response ", "nvme write_completion "},
};

/* Puts the value of " name=" in the item's text into `out`; false: the text has none. */
static bool value_of(const struct tl_flow_item *item, const char *name, char out[VALUE])
{
    const char *at = item->text != NULL ? strstr(item->text, " / nvme ") : NULL;
    char key[40];

    (void)snprintf(key, sizeof key, " %s=", name);
    at = at != NULL ? strstr(at, key) : NULL;
    if (at == NULL)
        return false;
    at += strlen(key);
    (void)snprintf(out, VALUE, "%.*s", (int)strcspn(at, " "), at);
    return true;
}

static uint64_t number_of(const struct tl_flow_item *item, const char *name)
{
    char value[VALUE];

    return value_of(item, name, value) ? strtoull(value, NULL, 0) : 0;
}

/* The column of a packet, 0 if it has none. */
static size_t column_of(const struct tl_flow_item *item)
{
    for (size_t i = 1; item->kind == TL_FLOW_PACKET && item->text != NULL && i < COLUMNS; i++)
        for (size_t k = 0; k < 2; k++)
            if (columns[i][k] != NULL && strstr(item->text, columns[i][k]) != NULL)
                return i;
    return 0;
}

/* The first item of this command, part and nCMD from number `from` on; num_flow if there is
 * none. `words`: items that are no packets instead of packets. */
static size_t find(const struct tl_case *c, const struct tl_flow_item *like, bool words,
                   size_t from)
{
    for (size_t i = from; i < c->num_flow; i++) {
        const struct tl_flow_item *item = &c->flow[i];

        if (item->command == like->command && item->part == like->part &&
            item->ncmd == like->ncmd && (item->kind != TL_FLOW_PACKET) == words)
            return i;
    }
    return c->num_flow;
}

/* The marks of a packet: its tag, the amount of data, its status, and data that are invalid. */
static void put_marks(const struct tl_html *h, const struct tl_flow_item *item, size_t column)
{
    char value[VALUE];

    if (value_of(item, "inv", value) && strcmp(value, "1") == 0)
        fputs("<b>INV</b> ", h->out);
    if (value_of(item, column > 1 ? "ttag" : "itag", value))
        fprintf(h->out, "tag %s ", value);
    if (value_of(item, "data", value))
        fprintf(h->out, "%.*s bytes ", (int)strcspn(value, "@"), value);
    if (value_of(item, "status", value) && strcmp(value, "0") != 0)
        fprintf(h->out, "<b>status 0x%" PRIx64 "</b> ", number_of(item, "status"));
    else if (value_of(item, "status", value))
        fputs("status 0 ", h->out);
    if (item->again)
        fputs("↻ ", h->out);
    if (item->dropped)
        fputs("lost ", h->out);
}

static void put_ncmd(const struct tl_html *h, const struct tl_case *c,
                     const struct tl_flow_item *like)
{
    fprintf(h->out, "<tr data-p=\"c%" PRIu64 "\"><td>nCMD %u", like->command, like->ncmd);
    for (size_t column = 1; column < COLUMNS; column++) {
        fputs("<td>", h->out);
        for (size_t i = find(c, like, false, 0); i < c->num_flow;
             i = find(c, like, false, i + 1)) {
            if (column_of(&c->flow[i]) != column)
                continue;
            tl_html_link(h, c, i);
            put_marks(h, &c->flow[i], column);
        }
    }
    fputs("\n", h->out);
}

/* What the protection information of a request is: PRINFO, and the tags that are expected. */
static void put_protection(const struct tl_html *h, const struct tl_flow_item *request)
{
    static const char *const names[] = {"reference tag", "application tag", "guard", "PRACT"};
    bool reads = strstr(request->text, "read_request") != NULL;
    uint64_t prinfo = number_of(request, "prinfo");

    if (prinfo == 0) {
        fputs("; protection information off", h->out);
        return;
    }
    fprintf(h->out, "; PRINFO %" PRIu64 " (", prinfo);
    for (size_t i = 0, n = 0; i < 4; i++)
        if ((prinfo >> i & 1) != 0)
            fprintf(h->out, "%s%s", n++ > 0 ? ", " : "", names[i]);
    fprintf(h->out, "), reference tag 0x%08" PRIx64 ", application tag 0x%04" PRIx64,
            number_of(request, reads ? "eilbrt" : "ilbrt"),
            number_of(request, reads ? "elbat" : "lbat"));
}

/* The target, the blocks and the protection information of a part, as its first request says,
 * and the commands of its device. */
static void put_part(const struct tl_html *h, const struct tl_case *c,
                     const struct tl_flow_item *like)
{
    struct tl_flow_item of = *like;
    const struct tl_flow_item *request = NULL;

    for (size_t i = 0; i < c->num_flow && request == NULL; i++)
        if (c->flow[i].command == like->command && c->flow[i].part == like->part &&
            column_of(&c->flow[i]) == 1)
            request = &c->flow[i];
    fprintf(h->out, "<tr data-p=\"c%" PRIu64 "\"><th scope=\"rowgroup\" colspan=\"%d\">",
            like->command, COLUMNS);
    if (like->part > 0)
        fprintf(h->out, "part %u of 2", like->part);
    else
        fputs("not split", h->out);
    if (request != NULL) {
        uint64_t slba = number_of(request, "slba"), blocks = number_of(request, "nlb") + 1;

        fprintf(h->out,
                ": namespace %" PRIu64 " of the target, queue %" PRIu64 ", LBA 0x%" PRIx64
                " to 0x%" PRIx64 " (%" PRIu64 " block%s)",
                number_of(request, "tnsid"), number_of(request, "sqid"), slba,
                slba + blocks - 1, blocks, blocks == 1 ? "" : "s");
        put_protection(h, request);
    }
    of.ncmd = 0;
    for (size_t i = like->part > 0 ? find(c, &of, true, 0) : c->num_flow; i < c->num_flow;
         i = find(c, &of, true, i + 1)) {
        fputs("<br>", h->out);
        tl_html_link(h, c, i);
        tl_html_words(h, c->flow[i].text);
    }
    fputs("\n", h->out);
}

/* The words that are about the command as a whole; of one that is not split, its device too. */
static void put_command(const struct tl_html *h, const struct tl_case *c, uint64_t command)
{
    struct tl_flow_item like = {.command = command};

    fprintf(h->out,
            "<tbody><tr data-p=\"c%" PRIu64 "\"><th scope=\"rowgroup\" colspan=\"%d\">command "
            "%" PRIu64,
            command, COLUMNS, command);
    for (size_t i = find(c, &like, true, 0); i < c->num_flow; i = find(c, &like, true, i + 1)) {
        fputs("<br>", h->out);
        tl_html_link(h, c, i);
        tl_html_words(h, c->flow[i].text);
    }
    fputs("\n", h->out);
    for (unsigned part = 0; part < PARTS; part++) {
        unsigned rows = 0;

        for (unsigned ncmd = 1; ncmd <= NCMDS; ncmd++) {
            like = (struct tl_flow_item){.command = command, .part = part, .ncmd = ncmd};
            if (find(c, &like, false, 0) == c->num_flow)
                continue;
            if (rows++ == 0)
                put_part(h, c, &like);
            if (rows <= ROWS_MAX)
                put_ncmd(h, c, &like);
        }
        if (rows > ROWS_MAX)
            fprintf(h->out, "<tr><td colspan=\"%d\">and %u more nCMDs\n", COLUMNS,
                    rows - ROWS_MAX);
    }
}

void tl_html_commands(const struct tl_html *h, const struct tl_case *c)
{
    bool any = false;

    for (size_t i = 0; i < c->num_flow; i++) {
        bool seen = false;

        for (size_t k = 0; k < i && !seen; k++)
            seen = c->flow[k].command == c->flow[i].command;
        if (c->flow[i].command == 0 || seen)
            continue;
        if (!any)
            fputs("<details class=\"d\" open><summary>Commands of NVMe: parts, nCMDs, "
                  "completion</summary><table><thead><tr><th scope=\"col\">nCMD<th "
                  "scope=\"col\">request<th scope=\"col\">Write Data Request<th "
                  "scope=\"col\">Write Data Response<th scope=\"col\">Read Response or "
                  "Write Completion</thead>\n",
                  h->out);
        any = true;
        put_command(h, c, c->flow[i].command);
    }
    if (any)
        fputs("</table></details>\n", h->out);
}
