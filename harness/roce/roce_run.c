/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/roce/roce_run.h"

#include "harness/link/link_bridge.h"
#include "harness/profile/profile_certify.h"
#include "harness/roce/roce_judge.h"
#include "harness/roce/roce_rules.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_LEN = 4096 };

/* ---- files ---- */

static int add_file(struct tl_roce_suite *suite, const char *path, FILE *errors)
{
    struct tl_roce_scenario *grown =
        realloc(suite->list, (suite->count + 1) * sizeof *suite->list);
    struct fal_error err = {{0}};
    int rc;

    if (grown == NULL)
        return FAL_ERR_MEM;
    suite->list = grown;
    rc = tl_roce_load(path, &suite->list[suite->count], &err);
    if (rc == FAL_ERR_MEM)
        return rc;
    if (rc != 0) {
        fprintf(errors, "%s\n", err.text);
        suite->bad_files++;
        return 0;
    }
    for (size_t i = 0; i < suite->count; i++) {
        if (strcmp(suite->list[i].id, suite->list[suite->count].id) != 0)
            continue;
        fprintf(errors, "%s: id: '%s' is also the id of %s; expected a unique name\n", path,
                suite->list[i].id, suite->list[i].path);
        tl_roce_free(&suite->list[suite->count]);
        suite->bad_files++;
        return 0;
    }
    suite->count++;
    return 0;
}

static int add_directory(struct tl_roce_suite *suite, const char *path, FILE *errors)
{
    const char *last = strrchr(path, '/');
    bool itself = strncmp(last != NULL ? last + 1 : path, "roce-", 5) == 0;
    char pattern[PATH_LEN];
    glob_t found;
    int rc = 0;

    (void)snprintf(pattern, sizeof pattern, "%s%s/*.json", path, itself ? "" : "/roce-*");
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; rc == 0 && i < found.gl_pathc; i++)
        rc = add_file(suite, found.gl_pathv[i], errors);
    globfree(&found);
    return rc;
}

int tl_roce_suite_read(struct tl_roce_suite *suite, const char *const *paths, size_t n,
                       FILE *errors)
{
    int rc = 0;

    *suite = (struct tl_roce_suite){.list = NULL};
    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct stat st;
        bool directory = stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode);

        rc = directory ? add_directory(suite, paths[i], errors)
                       : add_file(suite, paths[i], errors);
    }
    return rc;
}

void tl_roce_suite_free(struct tl_roce_suite *suite)
{
    for (size_t i = 0; i < suite->count; i++)
        tl_roce_free(&suite->list[i]);
    free(suite->list);
    *suite = (struct tl_roce_suite){.list = NULL};
}

/* ---- the SUT ---- */

/* "NAME,NAME" up to the next ':' */
static int read_names(const char *text, size_t len, bool fault, struct fal_roce_odd *odd,
                      struct fal_error *err)
{
    int rc = 0;

    for (size_t at = 0; rc == 0 && at <= len;) {
        size_t n = strcspn(text + at, ",:");

        if (at + n > len)
            n = len - at;
        rc = fal_roce_odd_add(odd, fault, text + at, n, err);
        at += n + 1;
    }
    return rc;
}

static int read_builtin(const char *text, struct fal_roce_odd *odd, struct fal_error *err)
{
    int rc = 0;

    while (rc == 0 && *text == ':') {
        bool fault = strncmp(text, ":fault=", 7) == 0;
        const char *names = text + (fault ? 7 : 9);
        size_t len;

        if (!fault && strncmp(text, ":variant=", 9) != 0)
            return fal_fail(err, FAL_ERR_FORM,
                            "'%.40s': expected :fault=NAME or :variant=NAME (docs/roce.md)",
                            text);
        len = strcspn(names, ":");
        rc = read_names(names, len, fault, odd, err);
        text = names + len;
    }
    return rc == 0 && *text != 0
               ? fal_fail(err, FAL_ERR_FORM, "'%.40s' after builtin is not understood", text)
               : rc;
}

int tl_roce_sut_read(const char *text, struct tl_roce_sut *sut, struct fal_error *err)
{
    struct tl_bridge_address at;

    *sut = (struct tl_roce_sut){.bridge = NULL};
    if (strncmp(text, "builtin", 7) == 0)
        return read_builtin(text + 7, &sut->odd, err);
    if (strncmp(text, "bridge:", 7) == 0) {
        sut->bridge = text + 7;
        return tl_bridge_address_read(sut->bridge, &at, err);
    }
    return fal_fail(err, FAL_ERR_FORM,
                    "'%.60s' plays no RoCE; expected builtin, builtin:fault=NAME, "
                    "builtin:variant=NAME or bridge:IFACE,IFACE",
                    text);
}

/* ---- cases ---- */

bool tl_roce_selected(const struct tl_select *select, const struct tl_roce_scenario *scenario)
{
    bool asked[TL_SELECT_KINDS] = {false}, found[TL_SELECT_KINDS] = {false};

    for (size_t i = 0; i < select->count; i++) {
        enum tl_select_kind kind = select->list[i].kind;
        json_t *one = json_array();
        bool fits = false;
        size_t k;
        json_t *tag;

        (void)json_array_append_new(one, json_string(select->list[i].pattern));
        if (kind == TL_SELECT_ID)
            fits = tl_patterns_take(one, scenario->id);
        else if (kind == TL_SELECT_TAG)
            json_array_foreach(scenario->tags, k, tag) fits |=
                tl_patterns_take(one, json_string_value(tag));
        else if (kind == TL_SELECT_REQUIREMENT)
            json_array_foreach(scenario->rules, k, tag) fits |=
                tl_patterns_take(one, json_string_value(tag));
        json_decref(one);
        if (select->list[i].excluded && fits)
            return false;
        asked[kind] |= !select->list[i].excluded;
        found[kind] |= fits && !select->list[i].excluded;
    }
    for (int kind = 0; kind < TL_SELECT_KINDS; kind++)
        if (asked[kind] && !found[kind])
            return false;
    return true;
}

/* Whether a step counts PSNs from the first one, which a bridge has not seen. */
static bool counts_from_first(const struct tl_roce_scenario *s)
{
    for (size_t i = 0; i < s->num_steps; i++)
        for (size_t k = 0; k < s->steps[i].pattern.num_items; k++)
            if (s->steps[i].pattern.items[k].values[0].low.kind == FAL_ROCE_RELATIVE)
                return true;
    return false;
}

/* Whether something is about a time that has nothing to do with a packet. */
static bool keeps_time(const struct tl_roce_scenario *s)
{
    for (size_t i = 0; i < s->num_steps; i++)
        if ((s->steps[i].verb == TL_ROCE_INJECT || s->steps[i].verb == TL_ROCE_RATE) &&
            s->steps[i].after == NULL)
            return true;
    return false;
}

/* Why a case says nothing about two real ends, or NULL. */
static const char *not_for_ends(const struct tl_roce_scenario *s, const struct tl_roce_sut *sut)
{
    static const struct {
        const char *word, *why;
        bool posts; /* a program that posts can do it */
    } rows[] = {
        {"posts", "it needs posts: --control (docs/roce-real-ends.md)", true},
        {"rnr", "it needs an end that is not ready to receive: --control", true},
        {"switch", "it needs a switch behind the bridge", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tl_roce_has(s->needs, rows[i].word) && (sut->traffic == NULL || !rows[i].posts))
            return rows[i].why;
    if (sut->traffic == NULL && counts_from_first(s))
        return "it counts PSNs from the first one, which a bridge has not seen";
    if (sut->traffic != NULL && keeps_time(s))
        return "it is about a time, and posts of real ends keep none";
    return NULL;
}

/* Why a case says nothing about that SUT, or NULL. */
static const char *not_for(const struct tl_roce_scenario *s, const struct tl_roce_sut *sut)
{
    const char *why = sut->bridge != NULL ? not_for_ends(s, sut) : NULL;

    if (why != NULL)
        return why;
    if (tl_roce_has(s->needs, "rcm") &&
        (sut->declared.no_rcm || fal_roce_does(&sut->odd, FAL_ROCE_VARIANT_NO_RCM)))
        return "it needs congestion management, which is not claimed";
    if (tl_roce_has(s->needs, "ect") &&
        (sut->declared.no_ect || fal_roce_does(&sut->odd, FAL_ROCE_VARIANT_NO_ECT)))
        return "it needs data that are ECT";
    return NULL;
}

static struct tl_capture_writer *open_capture(const char *dir, const char *id,
                                              const char *place, struct fal_error *err)
{
    char path[PATH_LEN];

    (void)snprintf(path, sizeof path, "%s/%s%s.pcapng", dir, id, place);
    return tl_capture_create(path, FAL_LINKTYPE_ETHERNET, err);
}

/* The captures of a case: at the bridge, at the port of each built-in end, and on both sides of
 * a switch. */
static bool open_captures(const char *dir, const struct tl_roce_scenario *s,
                          struct tl_roce_sut *sut, struct fal_error *err)
{
    sut->capture = open_capture(dir, s->id, "", err);
    if (sut->capture == NULL || sut->bridge != NULL)
        return sut->capture != NULL;
    sut->ports[0] = open_capture(dir, s->id, ".a", err);
    if (sut->ports[0] != NULL)
        sut->ports[1] = open_capture(dir, s->id, ".b", err);
    if (sut->ports[1] == NULL || s->network.switch_bps == 0)
        return sut->ports[1] != NULL;
    sut->at_switch = open_capture(dir, s->id, ".switch", err);
    return sut->at_switch != NULL &&
           tl_capture_add_interface(sut->at_switch, FAL_LINKTYPE_ETHERNET, "behind", err) == 0;
}

/* Returns 0, or the first error, with `err`. */
static int finish_captures(const struct tl_roce_sut *sut, struct fal_error *err)
{
    struct tl_capture_writer *const all[] = {sut->capture, sut->ports[0], sut->ports[1],
                                             sut->at_switch};
    int rc = 0;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int one = tl_capture_finish(all[i], rc == 0 ? err : NULL);

        rc = rc != 0 ? rc : one;
    }
    return rc;
}

static void broken(struct tl_case *out, enum tl_reason reason, const char *why)
{
    struct tl_problem *p = tl_case_problem(out);

    out->verdict = FAL_VERDICT_ERROR;
    out->reason = tl_reason(reason);
    if (p != NULL)
        *p = (struct tl_problem){.kind = TL_PROBLEM_BENCH,
                                 .verdict = FAL_VERDICT_ERROR,
                                 .reason = tl_reason(reason),
                                 .step = -1,
                                 .text = strdup("the bench"),
                                 .seen = strdup(why)};
}

static void not_applicable(struct tl_case *out, const char *why)
{
    out->disposition = TL_NOT_APPLICABLE;
    out->why = strdup(why);
}

static void play_and_judge(const struct tl_roce_scenario *s, const struct tl_roce_sut *sut,
                           uint64_t seed, struct tl_case *out)
{
    struct tl_roce_log log;
    struct fal_error err = {{0}};
    int rc = tl_roce_log_init(&log, s);

    if (rc == 0)
        rc = sut->bridge != NULL ? tl_roce_play_bridge(s, sut, &log, &err)
                                 : tl_roce_play(s, sut, seed, &log, &err);
    if (rc != 0)
        broken(out, sut->bridge != NULL ? TL_REASON_BRIDGE : TL_REASON_SCENARIO,
               err.text[0] != 0 ? err.text : "out of memory");
    else if (sut->traffic != NULL && tl_roce_traffic_cannot(sut->traffic) != NULL)
        not_applicable(out, tl_roce_traffic_cannot(sut->traffic));
    else {
        tl_roce_judge(&log, sut->bridge == NULL || sut->traffic != NULL, out);
        if (tl_roce_rules(&log, sut, out) != 0)
            broken(out, TL_REASON_MEMORY, "out of memory");
    }
    tl_roce_log_free(&log);
}

void tl_roce_case(const struct tl_roce_scenario *s, const struct tl_roce_sut *sut,
                  uint64_t seed, const char *out_dir, struct tl_case *out)
{
    static const char *const kinds[] = {"valid", "invalid", "inopportune"};
    struct tl_roce_sut mine = *sut;
    const char *why = not_for(s, sut);
    struct fal_error err = {{0}};

    *out = (struct tl_case){.id = s->id,
                            .title = s->title,
                            .purpose = s->purpose,
                            .file = s->path,
                            .kind = kinds[s->klass],
                            .version = (unsigned)s->version,
                            .seed = seed};
    if (why != NULL) {
        not_applicable(out, why);
        return;
    }
    if (out_dir != NULL && !open_captures(out_dir, s, &mine, &err)) {
        FAL_IGNORE(finish_captures(&mine, NULL));
        broken(out, TL_REASON_EVIDENCE, err.text);
        return;
    }
    play_and_judge(s, &mine, seed, out);
    if (finish_captures(&mine, &err) != 0)
        broken(out, TL_REASON_EVIDENCE, err.text);
    tl_case_fingerprint(out, s->id);
}
