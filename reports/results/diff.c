/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/diff.h"

#include "reports/base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* The parts of a case that are compared. */
struct digest {
    char *id, *title, *reason, *why;
    enum fal_verdict verdict; /* that it counts for */
    enum tl_disposition disposition;
    char print[TL_FINGERPRINT_LEN + 1]; /* of its first problem */
    bool ran, met;
};

struct digests {
    struct digest *list;
    size_t count, cap;
};

struct difference {
    enum tl_change change;
    const struct digest *old, *now; /* either may be missing */
};

const char *tl_change_name(enum tl_change change)
{
    static const char *const names[] = {
        "new failure", "newly undecided", "fails otherwise", "no longer run", "gone",
        "new warning", "fixed",           "new case",        "runs again"};

    return names[change];
}

bool tl_diff_regressed(const size_t count[TL_CHANGES], bool strict)
{
    return count[TL_CHANGE_FAILS] + count[TL_CHANGE_UNDECIDED] > 0 ||
           (strict &&
            count[TL_CHANGE_OTHERWISE] + count[TL_CHANGE_SKIPPED] + count[TL_CHANGE_GONE] > 0);
}

/* ---- reading ---- */

static char *copy(const char *text)
{
    return strndup(text != NULL ? text : "", TL_TEXT_SHOWN);
}

static bool add(struct digests *digests, const struct tl_case *c)
{
    struct digest *d;

    if (digests->count == digests->cap) {
        size_t cap = digests->cap == 0 ? 256 : digests->cap * 2;
        struct digest *grown = realloc(digests->list, cap * sizeof *grown);

        if (grown == NULL)
            return false;
        digests->list = grown;
        digests->cap = cap;
    }
    d = &digests->list[digests->count++];
    *d = (struct digest){
        .id = strdup(c->id),
        .title = copy(c->title),
        .reason = copy(c->reason.word),
        .why = copy(c->why),
        .verdict = tl_case_counts(c),
        .disposition = c->disposition,
        .ran = tl_case_ran(c),
    };
    if (c->num_problems > 0)
        memcpy(d->print, c->problems[0].fingerprint, sizeof d->print);
    return d->id != NULL && d->title != NULL && d->reason != NULL && d->why != NULL;
}

static int read_all(const struct tl_results *results, struct digests *out,
                    struct fal_error *err)
{
    struct tl_cases it;
    const struct tl_case *c;
    bool ok = true;

    tl_cases_begin(&it, results);
    while (ok && (c = tl_cases_next(&it)) != NULL)
        ok = add(out, c);
    tl_cases_end(&it);
    if (it.rc != 0) {
        *err = it.err;
        return it.rc;
    }
    return ok ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

static void free_digests(struct digests *digests)
{
    for (size_t i = 0; i < digests->count; i++) {
        free(digests->list[i].id);
        free(digests->list[i].title);
        free(digests->list[i].reason);
        free(digests->list[i].why);
    }
    free(digests->list);
}

/* ---- comparing ---- */

static int by_id(const void *a, const void *b)
{
    const struct digest *const *x = a, *const *y = b;

    return strcmp((*x)->id, (*y)->id);
}

/* The digests in the order of their names. */
static struct digest **sorted(const struct digests *digests)
{
    struct digest **list = calloc(digests->count + 1, sizeof(struct digest *));

    for (size_t i = 0; list != NULL && i < digests->count; i++)
        list[i] = &digests->list[i];
    if (list != NULL)
        qsort(list, digests->count, sizeof *list, by_id);
    return list;
}

/* Waived, expected and flaky cases count for nothing, and so do those that did not run; only of
 * these it is a change that they do no more. */
static bool compare(const struct digest *old, const struct digest *now, enum tl_change *change)
{
    bool failed = old->verdict >= FAL_VERDICT_FAIL, fails = now->verdict >= FAL_VERDICT_FAIL;

    if (old->ran && !now->ran)
        *change = TL_CHANGE_SKIPPED;
    else if (fails && !failed)
        *change = TL_CHANGE_FAILS;
    else if (now->verdict == FAL_VERDICT_INCONC && old->verdict < FAL_VERDICT_INCONC)
        *change = TL_CHANGE_UNDECIDED;
    else if (fails && failed &&
             (old->verdict != now->verdict || strcmp(old->print, now->print) != 0))
        *change = TL_CHANGE_OTHERWISE;
    else if (now->verdict == FAL_VERDICT_WARN && old->verdict < FAL_VERDICT_WARN)
        *change = TL_CHANGE_WARNS;
    else if (old->verdict >= FAL_VERDICT_INCONC && now->verdict < FAL_VERDICT_INCONC &&
             now->verdict > FAL_VERDICT_NONE)
        *change = TL_CHANGE_FIXED;
    else if (!old->ran && now->ran)
        *change = TL_CHANGE_RUNS;
    else
        return false;
    return true;
}

/* A new case that does not pass is a new failure. */
static enum tl_change added(const struct digest *now)
{
    if (now->verdict >= FAL_VERDICT_FAIL)
        return TL_CHANGE_FAILS;
    return now->verdict == FAL_VERDICT_INCONC ? TL_CHANGE_UNDECIDED : TL_CHANGE_ADDED;
}

static int by_change(const void *a, const void *b)
{
    const struct difference *x = a, *y = b;
    const struct digest *p = x->now != NULL ? x->now : x->old,
                        *q = y->now != NULL ? y->now : y->old;

    if (x->change != y->change)
        return x->change < y->change ? -1 : 1;
    return strcmp(p->id, q->id);
}

static size_t differ(const struct digests *old, struct digest **olds, const struct digests *now,
                     struct digest **nows, struct difference *out)
{
    size_t n = 0, i = 0, k = 0;

    while (i < old->count || k < now->count) {
        int order = i == old->count   ? 1
                    : k == now->count ? -1
                                      : strcmp(olds[i]->id, nows[k]->id);
        struct difference d = {.change = TL_CHANGES};

        if (order < 0) {
            d = (struct difference){TL_CHANGE_GONE, olds[i++], NULL};
        } else if (order > 0) {
            d = (struct difference){added(nows[k]), NULL, nows[k]};
            k++;
        } else {
            d.old = olds[i++];
            d.now = nows[k++];
            if (!compare(d.old, d.now, &d.change))
                continue;
        }
        out[n++] = d;
    }
    if (n > 0)
        qsort(out, n, sizeof *out, by_change);
    return n;
}

/* ---- writing ---- */

/* "fail (unmet)", "waived: W-1", "absent". */
static void put_state(FILE *out, const struct digest *d, void (*put)(FILE *, const char *))
{
    if (d == NULL) {
        fputs("absent", out);
        return;
    }
    if (d->disposition != TL_RAN) {
        fputs(tl_disposition_name(d->disposition), out);
        if (d->why[0] != 0)
            fputs(": ", out);
        put(out, d->why);
        return;
    }
    fputs(fal_verdict_name(d->verdict), out);
    if (d->reason[0] == 0)
        return;
    fputs(" (", out);
    put(out, d->reason);
    fputc(')', out);
}

static void put_json(FILE *out, const char *text)
{
    tl_put_json_string(out, text, TL_TEXT_SHOWN);
}

static void put_table(FILE *out, const char *text)
{
    tl_put_markdown(out, text, 400);
}

static void write_text(FILE *out, const struct difference *list, size_t n,
                       const size_t count[TL_CHANGES])
{
    static const char *const counted[] = {"new failures",
                                          "newly undecided",
                                          "fail for another reason",
                                          "no longer run",
                                          "gone",
                                          "new warnings",
                                          "fixed",
                                          "new cases",
                                          "run again after not running"};

    for (size_t i = 0; i < n; i++) {
        const struct digest *d = list[i].now != NULL ? list[i].now : list[i].old;

        fprintf(out, "%-16s ", tl_change_name(list[i].change));
        tl_put_plain_text(out, d->id);
        fputs("  ", out);
        put_state(out, list[i].old, tl_put_plain_text);
        fputs(" -> ", out);
        put_state(out, list[i].now, tl_put_plain_text);
        fputc('\n', out);
    }
    for (int c = 0; c < TL_CHANGES; c++)
        fprintf(out, "%s%zu %s", c > 0 ? ", " : "", count[c], counted[c]);
    fputc('\n', out);
}

static void write_markdown(FILE *out, const struct difference *list, size_t n,
                           const size_t count[TL_CHANGES])
{
    fprintf(out, "# Talon: %s\n\n",
            tl_diff_regressed(count, false) ? "regressions" : "no regression");
    fputs("| what | cases |\n|---|---:|\n", out);
    for (int c = 0; c < TL_CHANGES; c++)
        fprintf(out, "| %s | %zu |\n", tl_change_name((enum tl_change)c), count[c]);
    if (n > 0)
        fputs("\n| | case | was | is |\n|---|---|---|---|\n", out);
    for (size_t i = 0; i < n; i++) {
        const struct digest *d = list[i].now != NULL ? list[i].now : list[i].old;

        fprintf(out, "| %s | <code>", tl_change_name(list[i].change));
        put_table(out, d->id);
        fputs("</code> | ", out);
        put_state(out, list[i].old, put_table);
        fputs(" | ", out);
        put_state(out, list[i].now, put_table);
        fputs(" |\n", out);
    }
}

static void write_json(FILE *out, const struct difference *list, size_t n,
                       const size_t count[TL_CHANGES])
{
    fputs("{\"schema\": \"" TL_DIFF_SCHEMA "\",\n \"counts\": {", out);
    for (int c = 0; c < TL_CHANGES; c++)
        fprintf(out, "%s\"%s\": %zu", c > 0 ? ", " : "", tl_change_name((enum tl_change)c),
                count[c]);
    fputs("},\n \"changes\": [", out);
    for (size_t i = 0; i < n; i++) {
        const struct digest *d = list[i].now != NULL ? list[i].now : list[i].old;

        fprintf(out, "%s\n  {\"change\": \"%s\", \"case\": \"", i > 0 ? "," : "",
                tl_change_name(list[i].change));
        put_json(out, d->id);
        fputs("\", \"was\": \"", out);
        put_state(out, list[i].old, put_json);
        fputs("\", \"is\": \"", out);
        put_state(out, list[i].now, put_json);
        fputs("\"}", out);
    }
    fputs(n > 0 ? "\n ]\n}\n" : "]\n}\n", out);
}

/* Compares; writes the differences where `out` is not NULL. */
static int difference_of(FILE *out, enum tl_diff_format format, const struct tl_results *old,
                         const struct tl_results *now, size_t count[TL_CHANGES],
                         struct fal_error *err)
{
    struct digests a = {.count = 0}, b = {.count = 0};
    struct digest **olds = NULL, **nows = NULL;
    struct difference *list = NULL;
    size_t n = 0;
    int rc = read_all(old, &a, err);

    memset(count, 0, TL_CHANGES * sizeof *count);
    if (rc == 0)
        rc = read_all(now, &b, err);
    if (rc == 0) {
        olds = sorted(&a);
        nows = sorted(&b);
        list = calloc(a.count + b.count + 1, sizeof *list);
        if (olds == NULL || nows == NULL || list == NULL)
            rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        else
            n = differ(&a, olds, &b, nows, list);
    }
    for (size_t i = 0; i < n; i++)
        count[list[i].change]++;
    if (rc == 0 && out != NULL) {
        switch (format) {
        case TL_DIFF_TEXT: write_text(out, list, n, count); break;
        case TL_DIFF_MARKDOWN: write_markdown(out, list, n, count); break;
        case TL_DIFF_JSON: write_json(out, list, n, count); break;
        }
        if (ferror(out))
            rc = fal_fail(err, FAL_ERR_IO, "cannot be written");
    }
    free(list);
    free(olds);
    free(nows);
    free_digests(&a);
    free_digests(&b);
    return rc;
}

int tl_diff_write(FILE *out, enum tl_diff_format format, const struct tl_results *old,
                  const struct tl_results *now, size_t count[TL_CHANGES], struct fal_error *err)
{
    return difference_of(out, format, old, now, count, err);
}

int tl_diff_count(const struct tl_results *old, const struct tl_results *now,
                  size_t count[TL_CHANGES], struct fal_error *err)
{
    return difference_of(NULL, TL_DIFF_TEXT, old, now, count, err);
}
