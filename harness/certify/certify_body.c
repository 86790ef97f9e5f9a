/* SPDX-License-Identifier: Apache-2.0
 * certify_body.c - evaluates a folder of evidence: the content of a certificate, and the
 * reasons against one. */
#include "harness/certify/certify.h"

#include "harness/certify/needs.h"
#include "harness/run/saved_results.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { REFUSALS_MAX = 400, CLASS_LEN = 16 };

void tl_certify_refuse(json_t *refusals, const char *format, ...)
{
    char text[700];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (json_array_size(refusals) < REFUSALS_MAX)
        (void)json_array_append_new(refusals, json_string(text));
    else if (json_array_size(refusals) == REFUSALS_MAX)
        (void)json_array_append_new(refusals, json_string("and more"));
}

const char *tl_json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* ---- the statement ---- */

static bool hangs_on(const struct tl_certify_rules *rules, const char *item)
{
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (size_t i = 0; i < n; i++)
        if (all[i].ics != NULL && strcmp(all[i].ics, item) == 0 &&
            tl_patterns_take(rules->requirements, all[i].id))
            return true;
    return false;
}

void tl_certify_review(const struct tl_certify_rules *rules, const struct tl_ics *stated,
                       json_t *refusals)
{
    size_t i;
    json_t *claim;

    if (stated->identity.vendor[0] == 0 || stated->identity.product[0] == 0 ||
        stated->identity.firmware[0] == 0)
        tl_certify_refuse(refusals, "the ICS does not give vendor, product and firmware; "
                                    "complete its 'identity'");
    json_array_foreach(rules->claims, i, claim)
    {
        int item = tl_ics_find(json_string_value(claim));

        if (item >= 0 && stated->items[item] != TL_ICS_YES)
            tl_certify_refuse(refusals,
                              "ICS item '%s' is not claimed. The profile needs it: "
                              "certify with another profile, or set it true if the "
                              "device offers it.",
                              json_string_value(claim));
    }
    for (int item = 0; item < TL_ICS_COUNT; item++) {
        const char *name = tl_ics_name((enum tl_ics_item)item);

        if (stated->items[item] == TL_ICS_OPEN && hangs_on(rules, name))
            tl_certify_refuse(refusals,
                              "ICS item '%s' is not answered (null). The profile "
                              "needs it: set true or false.",
                              name);
    }
}

/* ---- cases ---- */

struct body {
    const struct tl_profile *profile;
    struct tl_ics ics;
    struct tl_needs needs;
    json_t *refusals;
    json_t *tried;    /* cases that were tried more than once, with each attempt */
    json_t *readings; /* by id and text */
    json_t *waived;   /* ids of entries that were used */
    size_t *matches;  /* of each pattern of must_pass */
    uint64_t attempts;
};

static json_t *attempts_of(const struct tl_case *c)
{
    json_t *list = json_array();

    for (size_t i = 0; i < c->num_attempts; i++)
        (void)json_array_append_new(list, json_pack("{s:s, s:s*}", "verdict",
                                                    fal_verdict_name(c->attempts[i].verdict),
                                                    "reason", c->attempts[i].reason.word));
    return list;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_readings(struct body *b, const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_readings; i++) {
        const struct fal_reading_result *r = &c->readings[i];
        char key[600];

        (void)snprintf(key, sizeof key, "%.40s %.500s", r->id, r->text);
        if (json_object_get(b->readings, key) == NULL)
            (void)json_object_set_new(b->readings, key,
                                      json_pack("{s:s, s:s, s:b}", "id", r->id, "text", r->text,
                                                "alternative", r->alternative));
    }
}

static bool plain(const struct tl_case *c)
{
    return c->disposition == TL_RAN &&
           (c->verdict == FAL_VERDICT_PASS || c->verdict == FAL_VERDICT_WARN);
}

/* The scenarios that no waiver excuses. */
static void check_must_pass(struct body *b, const struct tl_case *c)
{
    size_t i;
    json_t *pattern;

    json_array_foreach(b->profile->certify.must_pass, i, pattern)
    {
        const json_t *one = json_array_get(b->profile->certify.must_pass, i);
        json_t *alone = json_pack("[O]", one);
        bool takes = tl_patterns_take(alone, c->id);

        json_decref(alone);
        if (!takes)
            continue;
        b->matches[i] += plain(c);
        if (!plain(c))
            tl_certify_refuse(b->refusals,
                              "%.80s: the profile requires this case to pass; "
                              "its verdict is %s%s%s",
                              c->id, fal_verdict_name(c->verdict),
                              c->disposition != TL_RAN ? ", " : "",
                              tl_disposition_name(c->disposition));
        return;
    }
}

static void check_waived(struct body *b, const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_problems; i++) {
        const struct tl_problem *p = &c->problems[i];

        if (p->waiver == NULL)
            continue;
        if (json_object_get(b->waived, p->waiver) == NULL)
            (void)json_object_set_new(b->waived, p->waiver, json_true());
        if (p->requirement == NULL ||
            !tl_patterns_take(b->profile->certify.waivers.requirements, p->requirement->id))
            tl_certify_refuse(
                b->refusals, "%.80s: the profile does not allow waiver %.40s to waive %s",
                c->id, p->waiver, p->requirement != NULL ? p->requirement->id : "this");
    }
}

static void check_case(struct body *b, const struct tl_case *c)
{
    b->attempts += c->num_attempts;
    if (c->num_attempts > 1)
        (void)json_array_append_new(
            b->tried, json_pack("{s:s, s:o}", "case", c->id, "attempts", attempts_of(c)));
    check_must_pass(b, c);
    add_readings(b, c);
    switch (c->disposition) {
    case TL_RAN:
        if (c->verdict != FAL_VERDICT_PASS && c->verdict != FAL_VERDICT_WARN)
            tl_certify_refuse(b->refusals, "%.80s: %s (%s)", c->id,
                              fal_verdict_name(c->verdict),
                              c->reason.word != NULL ? c->reason.word : "no reason");
        break;
    case TL_NOT_APPLICABLE: break;
    case TL_WAIVED: check_waived(b, c); break;
    case TL_SKIPPED:
    case TL_NOT_RUN:
    case TL_EXPECTED_FAILURE:
    case TL_UNEXPECTED_PASS:
    case TL_FLAKY:
        tl_certify_refuse(b->refusals, "%.80s: %s%s%.200s", c->id,
                          tl_disposition_name(c->disposition), c->why != NULL ? ": " : "",
                          c->why != NULL ? c->why : "");
        break;
    }
    tl_needs_add(&b->needs, c);
}

static int check_cases(struct body *b, const struct tl_results *results, struct fal_error *err)
{
    struct tl_cases it;
    const struct tl_case *c;
    size_t i;
    json_t *pattern;

    tl_cases_begin(&it, results);
    while ((c = tl_cases_next(&it)) != NULL)
        check_case(b, c);
    if (it.rc != 0)
        return fal_fail(err, it.rc, "%s", it.err.text);
    json_array_foreach(b->profile->certify.must_pass, i, pattern)
    {
        if (b->matches[i] == 0)
            tl_certify_refuse(b->refusals,
                              "no case '%.60s' passed; the profile requires at "
                              "least one",
                              json_string_value(pattern));
    }
    return 0;
}

/* Rules that excused more by losses than is believed of the path. */
static void check_excuses(struct body *b, const struct tl_results *r)
{
    struct tl_tally tally;
    struct fal_suspect suspect;
    char text[TL_SPENT_TEXT];

    /* A case that cannot be read was refused before. */
    FAL_IGNORE(tl_results_tally(r, &tally, NULL));
    for (size_t i = 0; tl_tally_suspect(&tally, r, i, &suspect); i++) {
        tl_spent_text(&suspect, text);
        tl_certify_refuse(b->refusals, "%s", text);
    }
}

/* The device that was tested is the one that the ICS describes. `product` of the results is
 * what the SUT said of itself in its reply to `hello`, in the form of bench_sut.c. */
static void check_identity(struct body *b, const struct tl_results *r)
{
    const struct tl_identity *ics = &b->ics.identity;
    char stated[160];

    (void)snprintf(stated, sizeof stated, "%.40s %.60s %.40s", ics->vendor, ics->product,
                   ics->firmware);
    if (r->product == NULL || strcmp(r->product, stated) != 0)
        tl_certify_refuse(
            b->refusals,
            "the SUT replied to `hello` that it is '%s'; the ICS is of '%s'. Test "
            "the device that the ICS describes, or correct vendor, product and "
            "firmware of the ICS.",
            r->product != NULL ? r->product : "?", stated);
}

static void check_run(struct body *b, const struct tl_results *r)
{
    check_identity(b, r);
    check_excuses(b, r);
    if (r->bad_files > 0)
        tl_certify_refuse(b->refusals, "%zu scenarios could not be read", r->bad_files);
    if (r->interrupted)
        tl_certify_refuse(b->refusals, "the run was interrupted");
    for (size_t i = 0; i < r->num_costly; i++)
        if (r->costly[i].measured)
            tl_certify_refuse(b->refusals, "a declared value is implausible: %s",
                              r->costly[i].why);
    if (r->shards > 1)
        tl_certify_refuse(b->refusals, "only a shard was run; certification needs all cases "
                                       "of the profile");
    if (json_object_size(b->waived) > b->profile->certify.waivers.most)
        tl_certify_refuse(b->refusals, "%zu waivers were used; the profile allows %u",
                          json_object_size(b->waived), b->profile->certify.waivers.most);
    for (size_t i = 0; i < r->num_waivers; i++)
        if (strcmp(r->waivers[i].kind, "waiver") != 0)
            tl_certify_refuse(b->refusals,
                              "waivers: entry %.40s is of kind %.20s; certification allows "
                              "only entries of kind waiver",
                              r->waivers[i].id, r->waivers[i].kind);
    for (size_t i = 0; i < r->num_ics; i++)
        if (r->ics[i].denied)
            tl_certify_refuse(b->refusals,
                              "ICS item '%s': the ICS claims it, but the SUT's "
                              "own answer to `hello` denies it",
                              r->ics[i].item);
}

/* ---- documents ---- */

static json_t *requirements_of(struct body *b)
{
    json_t *list = json_array(), *counts = json_object();
    size_t states[TL_NEED_STATES] = {0};

    for (size_t i = 0; i < b->needs.count; i++) {
        const struct tl_need *need = &b->needs.list[i];
        enum tl_need_state state = tl_need_state(need, &b->ics);

        if (!need->demanded)
            continue;
        states[state]++;
        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:I, s:s?}", "id", need->requirement->id, "state",
                      tl_need_state_name(state), "decided", (json_int_t)need->held, "reason",
                      state == TL_NEED_UNPROVEN ? fal_requirement_reason(need->requirement->id)
                                                : NULL));
        if (state >= TL_NEED_NOT_EXERCISED)
            tl_certify_refuse(b->refusals, "%s: %s", need->requirement->id,
                              tl_need_state_name(state));
    }
    for (int s = 0; s < TL_NEED_STATES; s++)
        (void)json_object_set_new(counts, tl_need_state_name((enum tl_need_state)s),
                                  json_integer((json_int_t)states[s]));
    if (states[TL_NEED_HELD] == 0)
        tl_certify_refuse(b->refusals, "no requirement was decided");
    return json_pack("{s:o, s:o}", "counts", counts, "list", list);
}

static json_t *counts_of(const struct tl_results *r, struct fal_error *err)
{
    struct tl_tally tally;
    json_t *out = json_object();

    if (tl_results_tally(r, &tally, err) != 0) {
        json_decref(out);
        return NULL;
    }
    (void)json_object_set_new(out, "cases", json_integer((json_int_t)tally.cases));
    for (int v = FAL_VERDICT_PASS; v <= FAL_VERDICT_ERROR; v++)
        (void)json_object_set_new(out, fal_verdict_name((enum fal_verdict)v),
                                  json_integer((json_int_t)tally.ended[v]));
    for (int d = TL_NOT_APPLICABLE; d <= TL_FLAKY; d++)
        (void)json_object_set_new(out, tl_disposition_name((enum tl_disposition)d),
                                  json_integer((json_int_t)tally.disposed[d]));
    return out;
}

/* Readings, and their hash: two that took the same ones are of a class. */
static json_t *readings_of(struct body *b)
{
    json_t *list = json_array(), *reading;
    char *text = NULL, hash[TL_SHA256_TEXT] = "";
    size_t len = 0, n = json_object_size(b->readings), i = 0;
    FILE *lines = open_memstream(&text, &len);
    const char **keys = calloc(n + 1, sizeof *keys), *key;

    if (lines == NULL || keys == NULL)
        goto fail;
    json_object_foreach(b->readings, key, reading) keys[i++] = key;
    qsort(keys, n, sizeof *keys, by_name);
    for (i = 0; i < n; i++) {
        (void)json_array_append(list, json_object_get(b->readings, keys[i]));
        fprintf(lines, "%s\n", keys[i]);
    }
    if (fflush(lines) != 0 || !tl_sha256(text, len, hash))
        goto fail;
    (void)fclose(lines);
    free(text);
    free(keys);
    hash[CLASS_LEN] = 0;
    return json_pack("{s:s, s:o}", "class", hash, "taken", list);
fail:
    if (lines != NULL)
        (void)fclose(lines);
    free(text);
    free(keys);
    json_decref(list);
    return NULL;
}

static json_t *waivers_of(const struct tl_results *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->num_waivers; i++)
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:I, s:s, s:s?}", "id", r->waivers[i].id, "kind",
                            r->waivers[i].kind, "state", r->waivers[i].state, "cases",
                            (json_int_t)r->waivers[i].cases, "reason", r->waivers[i].reason,
                            "link", r->waivers[i].link));
    return list;
}

/* The hash of the suite that was played: over name and hash of each kept scenario. */
static json_t *suite_of(const char *dir, const struct tl_results *r, struct fal_error *err)
{
    char *text = NULL, hash[TL_SHA256_TEXT], last[400] = "";
    size_t len = 0, files = 0;
    FILE *lines = open_memstream(&text, &len);
    struct tl_cases it;
    const struct tl_case *c;
    bool ok = lines != NULL;

    tl_cases_begin(&it, r);
    while (ok && (c = tl_cases_next(&it)) != NULL) {
        char name[TL_CERTIFY_PATH];
        size_t n;
        char *scenario;

        if (c->evidence == NULL || strcmp(c->file, last) == 0)
            continue;
        (void)snprintf(last, sizeof last, "%s", c->file);
        (void)snprintf(name, sizeof name, "evidence/%s/scenario.json", c->evidence);
        scenario = tl_certify_read(dir, name, &n, err);
        ok = scenario != NULL && tl_sha256(scenario, n, hash);
        free(scenario);
        if (ok)
            fprintf(lines, "%s  %s\n", hash, last);
        files++;
    }
    tl_cases_end(&it);
    if (lines != NULL && fclose(lines) != 0)
        ok = false;
    ok = ok && tl_sha256(text, len, hash);
    free(text);
    if (!ok && err->text[0] == 0)
        (void)fal_fail(err, FAL_ERR_MEM, "the hash of the suite could not be computed");
    return ok ? json_pack("{s:I, s:s}", "files", (json_int_t)files, "sha256", hash) : NULL;
}

static json_t *document(struct body *b, const char *dir, struct tl_results *r,
                        struct fal_error *err)
{
    json_t *counts = counts_of(r, err), *suite = suite_of(dir, r, err);
    json_t *readings = readings_of(b);
    char seed[24];

    if (counts == NULL || suite == NULL || readings == NULL) {
        json_decref(counts);
        json_decref(suite);
        json_decref(readings);
        if (err->text[0] == 0)
            (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    (void)snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    check_run(b, r);
    return json_pack(
        "{s:s, s:{s:s?, s:s?, s:s?, s:s?, s:s, s:b}, s:{s:s, s:s}, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:O}}",
        "tool", r->version, "sut", "vendor", r->vendor, "product", r->product_name, "firmware",
        r->firmware, "says", r->product, "address", r->sut, "live", r->live, "profile", "name",
        b->profile->name, "title", b->profile->title, "seed", seed, "ics",
        tl_ics_items(&b->ics), "suite", suite, "counts", counts, "requirements",
        requirements_of(b), "waivers", waivers_of(r), "readings", readings, "attempts", "cases",
        (json_int_t)b->attempts, "repeated", b->tried);
}

json_t *tl_certify_body(const char *dir, const struct tl_profile *profile, json_t *refusals,
                        struct fal_error *err)
{
    struct body b = {.profile = profile,
                     .refusals = refusals,
                     .tried = json_array(),
                     .readings = json_object(),
                     .waived = json_object()};
    char path[TL_CERTIFY_PATH];
    struct tl_saved saved = {.file = NULL};
    json_t *out = NULL;
    int rc;

    err->text[0] = 0;
    b.matches = calloc(json_array_size(profile->certify.must_pass) + 1, sizeof *b.matches);
    rc = b.matches != NULL ? tl_needs_make(&b.needs, &profile->certify) : FAL_ERR_MEM;
    if (rc != 0)
        (void)fal_fail(err, rc, "out of memory");
    (void)snprintf(path, sizeof path, "%s/evidence/ics.json", dir);
    if (rc == 0)
        rc = tl_ics_load(path, &b.ics, err);
    (void)snprintf(path, sizeof path, "%s/evidence", dir);
    if (rc == 0)
        rc = tl_saved_open(&saved, path, err);
    if (rc == 0)
        rc = check_cases(&b, saved.results, err);
    if (rc == 0)
        out = document(&b, dir, saved.results, err);
    tl_saved_close(&saved);
    tl_needs_free(&b.needs);
    free(b.matches);
    json_decref(b.tried);
    json_decref(b.readings);
    json_decref(b.waived);
    return out;
}

bool tl_certify_seed(const char *profile, const char *challenge, uint64_t *out)
{
    char *text = NULL, hash[TL_SHA256_TEXT];
    int n = asprintf(&text, TL_CERTIFICATE_SCHEMA "\n%s\n%s\n", profile, challenge);
    bool ok = n > 0 && tl_sha256(text, (size_t)n, hash);

    if (n >= 0)
        free(text);
    hash[16] = 0;
    *out = ok ? strtoull(hash, NULL, 16) : 0;
    return ok;
}
