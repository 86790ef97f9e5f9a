/* SPDX-License-Identifier: Apache-2.0
 * history_file.c - results of a file or a directory with what labels them: options of the
 * command line first, then what the results, the evidence or the certificate state. */
#include "harness/history/history.h"

#include "harness/certify/certify.h"
#include "harness/run/evidence.h"
#include "harness/run/saved_results.h"
#include "reports/base/utf8.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

/* ---- times ---- */

int tl_history_time_read(const char *text, int64_t *out, struct fal_error *err)
{
    struct tm tm = {.tm_sec = 0};
    const char *end;
    time_t now;

    if (strcmp(text, "now") == 0) {
        *out = time(NULL);
        return 0;
    }
    end = strptime(text, "%Y-%m-%d", &tm);
    if (end != NULL && *end == 'T')
        end = strptime(end, "T%H:%M:%SZ", &tm);
    now = end != NULL && *end == 0 ? timegm(&tm) : -1;
    if (now < 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "expected a day from 1970 on as 2026-11-30, a time as "
                        "2026-11-30T01:02:03Z, or now, found '%.60s'",
                        text);
    *out = now;
    return 0;
}

void tl_history_time_text(int64_t seconds, bool day, char out[TL_HISTORY_TIME])
{
    time_t at = (time_t)seconds;
    struct tm tm;

    if (gmtime_r(&at, &tm) == NULL ||
        strftime(out, TL_HISTORY_TIME, day ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        (void)snprintf(out, TL_HISTORY_TIME, "?");
}

/* ---- the source ---- */

struct source {
    struct tl_saved saved;
    struct tl_history_labels labels;
    char hash[TL_HISTORY_HASH];
    json_t *about; /* run.json, or certificate.json */
    struct fal_arena arena;
};

static int no_memory(struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_MEM, "out of memory");
}

/* PATH/NAME in the arena. */
static const char *joined(struct source *s, const char *path, const char *name)
{
    size_t size = strlen(path) + strlen(name) + 2;
    char *text = fal_arena_alloc(&s->arena, size, 1);

    if (text != NULL)
        (void)snprintf(text, size, "%s/%s", path, name);
    return text;
}

static int read_certificate(struct source *s, const char *path, struct fal_error *err)
{
    struct tl_certificate certificate;
    json_error_t wrong;
    int rc;

    s->about = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong);
    if (s->about == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%.200s:%d: %.100s", path, wrong.line, wrong.text);
    rc = tl_certificate_read(s->about, &certificate, err);
    if (rc == 0)
        s->labels.certificate = certificate.signer.name;
    return rc == 0 ? tl_history_time_read(certificate.issued, &s->labels.time, err) : rc;
}

/* When the run was: as its evidence states, or when the file was written. */
static int read_time(struct source *s, struct fal_error *err)
{
    const char *path =
        s->saved.evidence != NULL ? joined(s, s->saved.evidence, "run.json") : NULL;
    const char *ended;
    struct stat st;

    if (path != NULL) {
        s->about = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
        ended = json_string_value(json_object_get(s->about, "ended"));
        if (ended != NULL && tl_history_time_read(ended, &s->labels.time, err) == 0)
            return 0;
    }
    if (fstat(fileno(s->saved.in), &st) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%.200s: %s", s->saved.path,
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    s->labels.time = st.st_mtime > 0 ? st.st_mtime : 0;
    return 0;
}

/* A copy without bytes that are no UTF-8. */
static int set(struct source *s, const char **out, const char *given, const char *stated,
               struct fal_error *err)
{
    char *clean = tl_utf8_clean(given != NULL ? given : stated != NULL ? stated : "");

    *out = clean != NULL ? fal_arena_strdup(&s->arena, clean) : NULL;
    free(clean);
    return *out != NULL ? 0 : no_memory(err);
}

/* "Acme F1" of vendor and product; else what the SUT says it is; else its address. */
static int name_device(struct source *s, const char *given, struct fal_error *err)
{
    const struct tl_results *r = s->saved.results;
    const char *vendor = r->vendor != NULL ? r->vendor : "",
               *product = r->product_name != NULL ? r->product_name : "";
    char both[400];

    (void)snprintf(both, sizeof both, "%.190s%s%.190s", vendor,
                   vendor[0] != 0 && product[0] != 0 ? " " : "", product);
    return set(s, &s->labels.device, given,
               both[0] != 0         ? both
               : r->product != NULL ? r->product
                                    : r->sut,
               err);
}

static int label(struct source *s, const struct tl_history_given *given, struct fal_error *err)
{
    const struct tl_results *r = s->saved.results;
    int rc = name_device(s, given->device, err);

    if (rc == 0)
        rc = set(s, &s->labels.firmware, given->firmware, r->firmware, err);
    if (rc == 0)
        rc = set(s, &s->labels.profile, given->profile, r->profile, err);
    if (rc == 0)
        rc = set(s, &s->labels.tool, given->tool, r->version, err);
    if (rc == 0 && given->time != NULL)
        return tl_history_time_read(given->time, &s->labels.time, err);
    return rc == 0 && s->labels.certificate == NULL ? read_time(s, err) : rc;
}

/* ---- the hash ---- */

/* The hash of the bytes of the results. */
static int hash_file(struct source *s, struct fal_error *err)
{
    unsigned char block[BLOCK], digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    size_t n;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = md != NULL && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1;

    rewind(s->saved.in);
    while (ok && (n = fread(block, 1, sizeof block, s->saved.in)) > 0)
        ok = EVP_DigestUpdate(md, block, n) == 1;
    ok = ok && !ferror(s->saved.in) && EVP_DigestFinal_ex(md, digest, &len) == 1;
    EVP_MD_CTX_free(md);
    if (!ok)
        return fal_fail(err, FAL_ERR_FORM, "%.200s: cannot be read again", s->saved.path);
    for (unsigned i = 0; i < len && i * 2 + 2 < sizeof s->hash; i++)
        (void)snprintf(s->hash + (size_t)i * 2, 3, "%02x", digest[i]);
    return 0;
}

/* The same results under a label that the command line gives are another run. */
static int hash_labels(struct source *s, const struct tl_history_given *given,
                       struct fal_error *err)
{
    const char *labels[] = {given->device, given->firmware, given->profile, given->tool,
                            given->time};
    json_t *all = json_array();
    bool any = false, ok = json_array_append_new(all, json_string(s->hash)) == 0;
    char *text;

    for (size_t i = 0; i < sizeof labels / sizeof *labels && ok; i++) {
        char *clean = labels[i] != NULL ? tl_utf8_clean(labels[i]) : NULL;

        any = any || labels[i] != NULL;
        ok = (clean != NULL) == (labels[i] != NULL) &&
             json_array_append_new(all, clean != NULL ? json_string(clean) : json_null()) == 0;
        free(clean);
    }
    text = ok ? json_dumps(all, JSON_COMPACT) : NULL;
    ok = text != NULL && (!any || tl_sha256(text, strlen(text), s->hash));
    free(text);
    json_decref(all);
    s->labels.hash = s->hash;
    return ok ? 0 : no_memory(err);
}

/* A certificate states which results it is about. */
static int check_certificate(const struct source *s, struct fal_error *err)
{
    const char *of = json_string_value(json_object_get(s->about, "results_sha256"));

    if (s->labels.certificate == NULL || (of != NULL && strcmp(of, s->hash) == 0))
        return 0;
    return fal_fail(err, FAL_ERR_FORM,
                    "%.200s: these are not the results of the certificate beside them; check "
                    "it by talon certify --verify",
                    s->saved.path);
}

/* ---- the whole ---- */

/* The part of the path before its last slash. */
static const char *folder_of(struct source *s, const char *path, const char *slash)
{
    size_t len = slash != NULL ? (size_t)(slash - path) : 0;
    char *folder = fal_arena_alloc(&s->arena, len + 3, 1);

    if (folder != NULL) /* "." of a path without one, "/." of the root */
        (void)snprintf(folder, len + 3, "%.*s%s", (int)len, path,
                       slash == NULL ? "."
                       : len == 0    ? "/."
                                     : "");
    return folder;
}

/* The directory of a certificate has its results among its evidence. The certificate itself
 * stands for its directory. */
static int open_source(struct source *s, const char *path, struct fal_error *err)
{
    static const char name[] = "certificate.json";
    const char *slash = strrchr(path, '/'), *certificate;
    int rc = 0;

    if (strcmp(slash != NULL ? slash + 1 : path, name) == 0)
        path = folder_of(s, path, slash);
    certificate = path != NULL ? joined(s, path, name) : NULL;
    if (certificate == NULL)
        return no_memory(err);
    if (access(certificate, F_OK) == 0) {
        rc = read_certificate(s, certificate, err);
        path = joined(s, path, "evidence");
        if (rc == 0 && path == NULL)
            rc = no_memory(err);
    }
    return rc == 0 ? tl_saved_open(&s->saved, path, err) : rc;
}

int tl_history_add_file(struct tl_history *h, const char *path,
                        const struct tl_history_given *given, struct tl_history_added *added,
                        struct fal_error *err)
{
    struct source *s = calloc(1, sizeof *s);
    int rc;

    if (s == NULL)
        return no_memory(err);
    rc = open_source(s, path, err);
    if (rc == 0)
        rc = label(s, given, err);
    if (rc == 0)
        rc = hash_file(s, err);
    if (rc == 0)
        rc = check_certificate(s, err);
    if (rc == 0)
        rc = hash_labels(s, given, err);
    if (rc == FAL_ERR_IO)
        rc = FAL_ERR_FORM; /* of the results; FAL_ERR_IO is an error of the history */
    if (rc == 0)
        rc = tl_history_add(h, s->saved.results, &s->labels, added, err);
    tl_saved_close(&s->saved);
    json_decref(s->about);
    fal_arena_free(&s->arena);
    free(s);
    return rc;
}
