/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/evidence.h"

#include "harness/doc/doc.h"
#include "oracles/payload.h"

#include <errno.h>
#include <inttypes.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_LEN = 4096 };

static const char manifest_name[] = "manifest.sha256";

/* Lines of the manifest, as sha256sum writes them. */
struct lines {
    size_t index; /* of the case */
    char *text;
    size_t len;
    FILE *file; /* writes them; NULL: they are complete */
};

struct tl_evidence {
    char dir[PATH_LEN];
    struct lines run;    /* of files of the run */
    struct lines *cases; /* of each case that has files */
    size_t num_cases;
};

bool tl_sha256(const void *bytes, size_t len, char out[TL_SHA256_TEXT])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;

    if (EVP_Digest(bytes, len, digest, &n, EVP_sha256(), NULL) != 1 || n != 32) {
        ERR_clear_error();
        return false;
    }
    for (unsigned i = 0; i < n; i++)
        (void)snprintf(out + (size_t)2 * i, 3, "%02x", digest[i]);
    return true;
}

static bool make_directory(const char *path)
{
    struct stat st;

    return mkdir(path, 0777) == 0 ||
           (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* All directories on the way. */
static bool make_directories(char *path)
{
    for (char *at = path + 1; *at != 0; at++) {
        bool made;

        if (*at != '/')
            continue;
        *at = 0;
        made = make_directory(path) || errno == EACCES || errno == EROFS;
        *at = '/';
        if (!made)
            return false;
    }
    return make_directory(path);
}

bool tl_evidence_is_below(const char *name)
{
    if (name[0] == '/' || name[0] == 0)
        return false;
    for (const char *at = name; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == 0))
            return false;
    }
    return true;
}

/* Removes the files of an earlier run, because evidence of two runs must not be mixed. Only the
 * files that its manifest names are removed. */
static void remove_old(const char *dir)
{
    char path[PATH_LEN * 2];
    struct fal_error err;
    char *text, *save = NULL;
    size_t len;

    (void)snprintf(path, sizeof path, "%s/%s", dir, manifest_name);
    text = tl_file_read(path, &len, &err);
    if (text == NULL)
        return;
    for (char *line = strtok_r(text, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        char *slash;

        if (strlen(line) < TL_SHA256_TEXT + 2 ||
            !tl_evidence_is_below(line + TL_SHA256_TEXT + 1))
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", dir, line + TL_SHA256_TEXT + 1);
        (void)unlink(path);
        slash = strrchr(path, '/');
        if (slash > path + strlen(dir)) {
            *slash = 0;
            (void)rmdir(path); /* when it is empty by now */
        }
    }
    free(text);
    (void)snprintf(path, sizeof path, "%s/%s", dir, manifest_name);
    (void)unlink(path);
}

static bool begin(struct lines *lines)
{
    lines->file = open_memstream(&lines->text, &lines->len);
    return lines->file != NULL;
}

static bool end(struct lines *lines)
{
    bool ok = lines->file != NULL && fclose(lines->file) == 0 && lines->text != NULL;

    lines->file = NULL;
    return ok;
}

int tl_evidence_open(const char *dir, bool again, struct tl_evidence **out,
                     struct fal_error *err)
{
    struct tl_evidence *evidence = calloc(1, sizeof *evidence);

    *out = NULL;
    if (evidence == NULL || !begin(&evidence->run)) {
        tl_evidence_free(evidence);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    if (strlen(dir) >= PATH_LEN / 2) {
        tl_evidence_free(evidence);
        return fal_fail(err, FAL_ERR_IO, "%.60s...: too long for a directory", dir);
    }
    (void)snprintf(evidence->dir, sizeof evidence->dir, "%s", dir);
    if (!make_directories(evidence->dir) || access(evidence->dir, W_OK) != 0) {
        tl_evidence_free(evidence);
        return fal_fail(err, FAL_ERR_IO, "%s: cannot be created as a directory to write to",
                        dir);
    }
    if (!again)
        remove_old(dir);
    *out = evidence;
    return 0;
}

static int write_bytes(const struct tl_evidence *evidence, const char *name, const char *file,
                       const void *bytes, size_t len, struct fal_error *err)
{
    char path[PATH_LEN + 400];
    FILE *out;
    bool ok;

    if (name != NULL) {
        (void)snprintf(path, sizeof path, "%s/%s", evidence->dir, name);
        if (!make_directory(path))
            return fal_fail(err, FAL_ERR_IO, "%s: cannot be created as a directory", path);
    }
    (void)snprintf(path, sizeof path, "%s/%s%s%s", evidence->dir, name != NULL ? name : "",
                   name != NULL ? "/" : "", file);
    out = fopen(path, "wb");
    if (out == NULL)
        return fal_fail(err, FAL_ERR_IO, "%s: cannot be written", path);
    ok = fwrite(bytes, 1, len, out) == len;
    ok &= fclose(out) == 0;
    return ok ? 0 : fal_fail(err, FAL_ERR_IO, "%s: cannot be written", path);
}

static int list(struct lines *lines, const char *name, const char *file, const void *bytes,
                size_t len, struct fal_error *err)
{
    char hash[TL_SHA256_TEXT];

    if (!tl_sha256(bytes, len, hash))
        return fal_fail(err, FAL_ERR_MEM, "%s: its hash could not be computed", file);
    fprintf(lines->file, "%s  %s%s%s\n", hash, name != NULL ? name : "",
            name != NULL ? "/" : "", file);
    return 0;
}

int tl_evidence_file(struct tl_evidence *evidence, const char *name, const char *file,
                     const void *bytes, size_t len, struct fal_error *err)
{
    int rc = write_bytes(evidence, name, file, bytes, len, err);

    return rc == 0 ? list(&evidence->run, name, file, bytes, len, err) : rc;
}

/* The text of a document (taken), with a newline. */
static char *document_text(json_t *document)
{
    char *text = document != NULL ? json_dumps(document, JSON_INDENT(1)) : NULL;
    char *whole = NULL;

    json_decref(document);
    if (text != NULL && asprintf(&whole, "%s\n", text) < 0)
        whole = NULL;
    free(text);
    return whole;
}

int tl_evidence_json(struct tl_evidence *evidence, const char *file, json_t *document,
                     struct fal_error *err)
{
    char *text = document_text(document);
    int rc;

    if (text == NULL)
        return fal_fail(err, FAL_ERR_MEM, "%s: out of memory", file);
    rc = tl_evidence_file(evidence, NULL, file, text, strlen(text), err);
    free(text);
    return rc;
}

/* A case's id as the name of a directory that every file system and archive takes. */
static char *directory_of(const char *id)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=,+@-";
    size_t len = strlen(id);
    char *out;
    bool same = id[0] != '.' && id[strspn(id, plain)] == 0 && len < 120;

    if (asprintf(
            &out, "%.120s%s%08" PRIx32, id[0] != 0 ? id : "_", same ? "" : "-",
            same ? 0 : (uint32_t)(fal_payload_hash((const uint8_t *)id, len) & 0xffffffff)) < 0)
        return NULL;
    if (same)
        out[len] = 0;
    for (char *at = out; *at != 0; at++)
        if (strchr(plain, *at) == NULL || (at == out && *at == '.'))
            *at = '_';
    return out;
}

/* Room for the lines of one more case; NULL when out of memory. */
static struct lines *lines_of(struct tl_evidence *evidence, size_t index)
{
    struct lines *grown =
        realloc(evidence->cases, (evidence->num_cases + 1) * sizeof *evidence->cases);

    if (grown == NULL)
        return NULL;
    evidence->cases = grown;
    grown[evidence->num_cases] = (struct lines){.index = index};
    return begin(&grown[evidence->num_cases]) ? &grown[evidence->num_cases++] : NULL;
}

struct file {
    const char *name;
    const void *bytes; /* NULL: there is no such file */
    size_t len;
};

/* Writes files of a case, and lists them. */
static int add_files(struct tl_evidence *evidence, struct lines *lines, const char *name,
                     const struct file *files, size_t n, struct fal_error *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (files[i].bytes == NULL)
            continue;
        rc = write_bytes(evidence, name, files[i].name, files[i].bytes, files[i].len, err);
        if (rc == 0)
            rc = list(lines, name, files[i].name, files[i].bytes, files[i].len, err);
    }
    return rc;
}

int tl_evidence_case(struct tl_evidence *evidence, size_t index, struct tl_case *c,
                     const struct tl_evidence_of_case *kept, struct fal_error *err)
{
    struct lines *lines = lines_of(evidence, index);
    struct fal_error why;
    char *scenario;
    size_t len = 0;
    int rc;

    c->evidence = directory_of(c->id);
    if (c->evidence == NULL || lines == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    scenario = c->recorded ? NULL : tl_file_read(c->file, &len, &why);
    if (scenario == NULL)
        len = 0;
    rc = add_files(evidence, lines, c->evidence,
                   (const struct file[]){{"timeline.jsonl", kept->timeline, kept->timeline_len},
                                         {"packets.pcapng", kept->packets, kept->packets_len},
                                         {"scenario.json", scenario, len}},
                   3, err);
    free(scenario);
    return end(lines) || rc != 0 ? rc : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

int tl_evidence_adopt(struct tl_evidence *evidence, size_t index, const struct tl_case *c,
                      struct fal_error *err)
{
    static const char *const files[] = {"timeline.jsonl", "packets.pcapng", "scenario.json"};
    struct lines *lines;
    int rc = 0;

    if (c->evidence == NULL)
        return 0;
    lines = tl_evidence_is_below(c->evidence) ? lines_of(evidence, index) : NULL;
    if (lines == NULL)
        return fal_fail(err, FAL_ERR_MEM, "%.100s: cannot be listed", c->evidence);
    for (size_t i = 0; rc == 0 && i < sizeof files / sizeof *files; i++) {
        char path[PATH_LEN + 400];
        struct fal_error why;
        char *text;
        size_t len;

        (void)snprintf(path, sizeof path, "%s/%s/%s", evidence->dir, c->evidence, files[i]);
        text = access(path, F_OK) == 0 ? tl_file_read(path, &len, &why) : NULL;
        if (text != NULL)
            rc = list(lines, c->evidence, files[i], text, len, err);
        free(text);
    }
    return end(lines) || rc != 0 ? rc : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

static int by_index(const void *a, const void *b)
{
    const struct lines *x = a, *y = b;

    return x->index < y->index ? -1 : x->index > y->index;
}

/* The whole manifest: cases, then files of the run. The caller frees it. */
static char *manifest_of(struct tl_evidence *evidence, size_t *len)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, len);

    if (out == NULL || !end(&evidence->run)) {
        if (out != NULL)
            (void)fclose(out);
        free(text);
        return NULL;
    }
    if (evidence->num_cases > 0)
        qsort(evidence->cases, evidence->num_cases, sizeof *evidence->cases, by_index);
    for (size_t i = 0; i < evidence->num_cases; i++)
        fprintf(out, "%s", evidence->cases[i].text != NULL ? evidence->cases[i].text : "");
    fprintf(out, "%s", evidence->run.text);
    return fclose(out) == 0 ? text : NULL;
}

int tl_evidence_close(struct tl_evidence *evidence, json_t *run, struct fal_error *err)
{
    char hash[TL_SHA256_TEXT];
    size_t len = 0;
    char *text = NULL, *manifest = manifest_of(evidence, &len);
    int rc = FAL_ERR_MEM;

    if (manifest != NULL && tl_sha256(manifest, len, hash) && run != NULL &&
        json_object_set_new(run, "manifest_sha256", json_string(hash)) == 0)
        text = document_text(json_incref(run));
    json_decref(run);
    if (text == NULL) {
        free(manifest);
        return fal_fail(err, rc, "%s: out of memory", manifest_name);
    }
    rc = write_bytes(evidence, NULL, manifest_name, manifest, len, err);
    if (rc == 0)
        rc = write_bytes(evidence, NULL, "run.json", text, strlen(text), err);
    free(manifest);
    free(text);
    return rc;
}

static void lines_free(struct lines *lines)
{
    if (lines->file != NULL)
        (void)fclose(lines->file);
    free(lines->text);
}

void tl_evidence_free(struct tl_evidence *evidence)
{
    if (evidence == NULL)
        return;
    lines_free(&evidence->run);
    for (size_t i = 0; i < evidence->num_cases; i++)
        lines_free(&evidence->cases[i]);
    free(evidence->cases);
    free(evidence);
}
