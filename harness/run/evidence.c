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

struct tl_evidence {
    char dir[PATH_LEN];
    char *manifest; /* lines as sha256sum writes them */
    size_t manifest_len;
    FILE *lines; /* writes them */
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

int tl_evidence_open(const char *dir, struct tl_evidence **out, struct fal_error *err)
{
    struct tl_evidence *evidence = calloc(1, sizeof *evidence);

    *out = NULL;
    if (evidence != NULL)
        evidence->lines = open_memstream(&evidence->manifest, &evidence->manifest_len);
    if (evidence == NULL || evidence->lines == NULL) {
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

int tl_evidence_file(struct tl_evidence *evidence, const char *name, const char *file,
                     const void *bytes, size_t len, struct fal_error *err)
{
    char hash[TL_SHA256_TEXT];
    int rc = write_bytes(evidence, name, file, bytes, len, err);

    if (rc != 0)
        return rc;
    if (!tl_sha256(bytes, len, hash))
        return fal_fail(err, FAL_ERR_MEM, "%s: its hash could not be computed", file);
    fprintf(evidence->lines, "%s  %s%s%s\n", hash, name != NULL ? name : "",
            name != NULL ? "/" : "", file);
    return 0;
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

int tl_evidence_case(struct tl_evidence *evidence, struct tl_case *c,
                     const struct tl_evidence_of_case *kept, struct fal_error *err)
{
    struct fal_error why;
    char *scenario;
    size_t len;
    int rc;

    c->evidence = directory_of(c->id);
    if (c->evidence == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    rc = tl_evidence_file(evidence, c->evidence, "timeline.jsonl", kept->timeline,
                          kept->timeline_len, err);
    if (rc == 0 && kept->packets != NULL)
        rc = tl_evidence_file(evidence, c->evidence, "packets.pcapng", kept->packets,
                              kept->packets_len, err);
    scenario = c->recorded ? NULL : tl_file_read(c->file, &len, &why);
    if (rc == 0 && scenario != NULL)
        rc = tl_evidence_file(evidence, c->evidence, "scenario.json", scenario, len, err);
    free(scenario);
    return rc;
}

int tl_evidence_close(struct tl_evidence *evidence, json_t *run, struct fal_error *err)
{
    char hash[TL_SHA256_TEXT];
    char *text = NULL;
    int rc = FAL_ERR_MEM;

    if (fclose(evidence->lines) == 0 && evidence->manifest != NULL &&
        tl_sha256(evidence->manifest, evidence->manifest_len, hash) && run != NULL &&
        json_object_set_new(run, "manifest_sha256", json_string(hash)) == 0)
        text = document_text(json_incref(run));
    evidence->lines = NULL;
    json_decref(run);
    if (text == NULL)
        return fal_fail(err, rc, "%s: out of memory", manifest_name);
    rc = write_bytes(evidence, NULL, manifest_name, evidence->manifest, evidence->manifest_len,
                     err);
    if (rc == 0)
        rc = write_bytes(evidence, NULL, "run.json", text, strlen(text), err);
    free(text);
    return rc;
}

void tl_evidence_free(struct tl_evidence *evidence)
{
    if (evidence == NULL)
        return;
    if (evidence->lines != NULL)
        (void)fclose(evidence->lines);
    free(evidence->manifest);
    free(evidence);
}
