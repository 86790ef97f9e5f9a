/* SPDX-License-Identifier: Apache-2.0
 * console_causes.c - why a run failed, in at most 100 lines: a block for each cause with its
 * simplest case, a line for each consequence. */
#include "reports/formats/console_impl.h"

#include "reports/base/memory_file.h"
#include "reports/base/utf8.h"
#include "reports/causes/causes.h"
#include "reports/formats/wrap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 10, /* that are shown unless all are asked for */
    LINES = 78,  /* of all blocks; the rest of 100 is for the summary */
    COLUMN = 14, /* of what stands behind labels */
};

/* How much of a cause is shown. */
enum detail { ONE_LINE, SHORT, WHOLE };

struct block {
    char *text;
    size_t lines;
};

/* A cause, and the case that shows it best. */
struct view {
    size_t number;
    const struct tl_cause *cause;
    const struct tl_case *example;    /* or NULL */
    const struct tl_problem *problem; /* of it; or NULL */
};

/* ---- the parts of a block ---- */

static const char *verdict_word(enum fal_verdict verdict)
{
    return verdict == FAL_VERDICT_FAIL    ? "FAIL"
           : verdict == FAL_VERDICT_ERROR ? "ERROR"
                                          : fal_verdict_name(verdict);
}

static void put_heading(FILE *out, const struct view *v)
{
    const struct tl_cause *cause = v->cause;
    char text[TL_CAUSE_TEXT + 300], sentence[TL_CAUSE_TEXT], label[16];
    const char *name = cause->requirement != NULL ? cause->requirement->id : "";
    const char *comma = *name != 0 ? ", " : "", *plural = cause->cases == 1 ? "" : "s";

    tl_cause_sentence(cause, sentence);
    (void)snprintf(label, sizeof label, "%zu.", v->number + 1);
    if (cause->follows >= 0)
        (void)snprintf(text, sizeof text, "follows from %d: %s%s%zu case%s. %s",
                       cause->follows + 1, name, comma, cause->cases, plural, sentence);
    else
        (void)snprintf(text, sizeof text, "%s %s%s%zu case%s. %s", verdict_word(cause->verdict),
                       name, comma, cause->cases, plural, sentence);
    tl_put_paragraph(out, &(struct tl_paragraph){0, 4, label, NULL}, text);
}

static void put_requirements(FILE *out, const struct tl_cause *cause)
{
    if (cause->requirement != NULL)
        tl_put_paragraph(out, &(struct tl_paragraph){4, COLUMN, "violates", NULL},
                         cause->requirement->text);
    for (size_t i = 0; i < cause->num_also; i++)
        tl_put_paragraph(out, &(struct tl_paragraph){4, COLUMN, i == 0 ? "and" : "", NULL},
                         cause->also[i]->id);
}

static void put_example(FILE *out, const struct view *v, enum detail detail)
{
    const struct tl_case *c = v->example;
    char text[600];

    (void)snprintf(text, sizeof text, "%s, %" PRIu64 " packets: %s", c->id, c->frames,
                   c->title);
    tl_put_paragraph(out, &(struct tl_paragraph){4, COLUMN, "simplest", NULL}, text);
    if (v->problem != NULL)
        tl_console_problem(out, c, v->problem,
                           detail == WHOLE ? TL_CONSOLE_WRAPPED : TL_CONSOLE_SHORT);
    if (detail == WHOLE)
        tl_console_notes(out, c);
    if (c->repeat != NULL)
        tl_put_paragraph(out, &(struct tl_paragraph){4, COLUMN, "reproduce with:", " \\"},
                         c->repeat);
}

static void put_more(FILE *out, const struct tl_cause *cause)
{
    char text[400], names[320] = "";
    size_t len = 0;

    if (cause->cases < 2)
        return;
    for (size_t i = 1; i < cause->num_examples && len + 80 < sizeof names; i++) {
        int n = snprintf(names + len, sizeof names - len, "%s%.70s", i > 1 ? ", " : "",
                         cause->examples[i]);

        len += n > 0 ? (size_t)n : 0;
    }
    (void)snprintf(text, sizeof text, "and %zu more like it: %s%s", cause->cases - 1, names,
                   cause->cases > cause->num_examples ? ", ..." : "");
    tl_put_paragraph(out, &(struct tl_paragraph){4, 4, "", NULL}, text);
}

static void put_block(FILE *out, const struct view *v, enum detail detail)
{
    put_heading(out, v);
    if (detail == ONE_LINE)
        return;
    put_requirements(out, v->cause);
    if (v->example != NULL)
        put_example(out, v, detail);
    put_more(out, v->cause);
}

/* ---- examples ---- */

static int make_block(struct block *block, const struct view *v, enum detail detail)
{
    struct tl_memory_file file;

    free(block->text);
    *block = (struct block){.text = NULL};
    if (tl_memory_open(&file) == 0)
        put_block(file.out, v, detail);
    if (tl_memory_close(&file) != 0)
        return FAL_ERR_MEM;
    block->text = file.text;
    for (const char *at = file.text; *at != 0; at++)
        block->lines += *at == '\n';
    return 0;
}

/* The first cause is shown whole, other independent ones in short. */
static enum detail detail_of(const struct tl_cause *cause, size_t number)
{
    return cause->follows >= 0 ? ONE_LINE : number == 0 ? WHOLE : SHORT;
}

struct page {
    const struct tl_causes *causes;
    struct block *blocks, *lines; /* by cause: with its example, and in a line */
    size_t count;
};

static int make_blocks(const struct tl_results *results, struct page *page)
{
    struct tl_cases it;
    const struct tl_case *c;
    int rc = 0;

    for (size_t k = 0; rc == 0 && k < page->count; k++)
        rc = make_block(&page->lines[k], &(struct view){k, &page->causes->list[k], NULL, NULL},
                        ONE_LINE);
    tl_cases_begin(&it, results);
    while (rc == 0 && (c = tl_cases_next(&it)) != NULL) {
        for (size_t k = 0; rc == 0 && k < page->count; k++) {
            const struct tl_cause *cause = &page->causes->list[k];

            if (cause->num_examples > 0 && strcmp(cause->examples[0], c->id) == 0)
                rc = make_block(&page->blocks[k],
                                &(struct view){k, cause, c, tl_cause_problem(c, cause)},
                                detail_of(cause, k));
        }
    }
    tl_cases_end(&it);
    return rc != 0 ? rc : it.rc;
}

/* ---- the page ---- */

static void put_head(FILE *out, const struct tl_causes *causes)
{
    size_t follow = 0, roots = 0;

    for (size_t i = 0; i < causes->count; i++) {
        roots += causes->list[i].follows < 0;
        follow += causes->list[i].follows >= 0;
    }
    fprintf(out, "\n%zu cause%s", roots, roots == 1 ? "" : "s");
    if (follow > 0)
        fprintf(out, ", and %zu consequence%s of %s", follow, follow == 1 ? "" : "s",
                roots == 1 ? "it" : "them");
    fputs(":\n", out);
}

static void put_page(FILE *out, const struct page *page, bool all)
{
    size_t lines = 0, shown = 0;

    for (size_t k = 0; k < page->count; k++) {
        size_t left = page->count - k - 1;
        const struct block *block =
            page->blocks[k].text != NULL ? &page->blocks[k] : &page->lines[k];

        if (!all && shown == BLOCKS)
            break;
        if (!all && k > 0 && lines + block->lines + 2 * left > LINES)
            block = &page->lines[k];
        fputs(block->text, out);
        lines += block->lines;
        shown++;
    }
    if (shown < page->count)
        fprintf(out, "and %zu more (--all shows them)\n", page->count - shown);
}

int tl_report_causes(FILE *out, const struct tl_results *results,
                     const struct tl_causes *causes, bool all)
{
    struct page page = {.causes = causes,
                        .blocks = calloc(causes->count + 1, sizeof(struct block)),
                        .lines = calloc(causes->count + 1, sizeof(struct block)),
                        .count = causes->count};
    int rc = page.blocks != NULL && page.lines != NULL ? 0 : FAL_ERR_MEM;

    if (rc == 0)
        rc = make_blocks(results, &page);
    if (rc == 0 && causes->count > 0) {
        put_head(out, causes);
        put_page(out, &page, all);
        fputc('\n', out);
    }
    for (size_t k = 0; k < page.count; k++) {
        if (page.blocks != NULL)
            free(page.blocks[k].text);
        if (page.lines != NULL)
            free(page.lines[k].text);
    }
    free(page.blocks);
    free(page.lines);
    return rc == 0 && ferror(out) ? FAL_ERR_IO : rc;
}
