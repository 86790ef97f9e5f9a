/* SPDX-License-Identifier: Apache-2.0
 * certify_verify.c - `talon certify --verify DIR`: checks that a certificate states what the
 * evidence beside it shows. Each difference is a line that names the file. */
#include "harness/certify/certify.h"

#include "harness/certify/signing_key.h"
#include "harness/doc/version.h"
#include "harness/run/evidence_check.h"
#include "harness/run/request.h"
#include "reports/base/status.h"

#include <stdlib.h>
#include <string.h>

struct verifier {
    const struct tl_certify *o;
    const char *dir;
    json_t *certificate, *wrong;
    struct tl_certificate read;
    struct tl_profile profile;
    bool broken; /* memory, not the certificate */
};

/* ---- the certificate itself ---- */

/* One text for one certificate: not a byte of the file may be another. */
static bool load(struct verifier *v)
{
    struct fal_error err = {{0}};
    size_t len;
    char *text = tl_certify_read(v->dir, "certificate.json", &len, &err), *due = NULL;
    json_error_t where;

    if (text == NULL) {
        tl_certify_refuse(v->wrong, "%s", err.text);
        return false;
    }
    v->certificate = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
    if (v->certificate == NULL)
        tl_certify_refuse(v->wrong, "certificate.json:%d:%d: %s", where.line, where.column,
                          where.text);
    else if (!json_is_object(v->certificate) ||
             strcmp(tl_json_text(v->certificate, "schema"), TL_CERTIFICATE_SCHEMA) != 0)
        tl_certify_refuse(v->wrong, "certificate.json: unexpected schema; expected %s",
                          TL_CERTIFICATE_SCHEMA);
    else if (tl_certificate_read(v->certificate, &v->read, &err) != 0)
        tl_certify_refuse(v->wrong, "%s", err.text);
    else
        due = tl_certify_text(v->certificate, false);
    if (due != NULL && (strlen(due) != len || memcmp(due, text, len) != 0))
        tl_certify_refuse(v->wrong, "certificate.json: its text differs from the canonical "
                                    "form that talon writes");
    free(text);
    free(due);
    return json_array_size(v->wrong) == 0;
}

static const char *or_none(const char *text)
{
    return text != NULL ? text : "";
}

static void check_signature(struct verifier *v)
{
    struct tl_key *key = tl_key_from(v->read.signer.key);
    struct fal_error err = {{0}};
    char *text = tl_certify_text(v->certificate, true), due[TL_KEY_TEXT];

    if (key == NULL || text == NULL ||
        !tl_key_verify(key, text, strlen(text), v->read.signature))
        tl_certify_refuse(v->wrong,
                          "certificate.json: the signature does not match the signer's key");
    tl_key_free(key);
    free(text);
    if (v->o->key == NULL)
        return;
    key = tl_key_load(v->o->key, false, &err);
    if (key == NULL) {
        tl_certify_refuse(v->wrong, "--key %s", err.text);
        return;
    }
    tl_key_text(key, due);
    if (strcmp(due, or_none(v->read.signer.key)) != 0)
        tl_certify_refuse(v->wrong,
                          "certificate.json: signed with the key %.64s, not with the key of "
                          "--key",
                          or_none(v->read.signer.key));
    tl_key_free(key);
}

/* ---- files ---- */

static const char *hash_in(const json_t *list, const char *name)
{
    size_t i;
    json_t *file;

    json_array_foreach(list, i, file)
    {
        if (strcmp(tl_json_text(file, "name"), name) == 0)
            return tl_json_text(file, "sha256");
    }
    return NULL;
}

static void check_files(struct verifier *v)
{
    const json_t *due = v->read.files;
    struct fal_error err = {{0}};
    json_t *have = tl_certify_files(v->dir, &err), *file;
    size_t i;

    if (have == NULL) {
        tl_certify_refuse(v->wrong, "%s", err.text);
        return;
    }
    json_array_foreach(due, i, file)
    {
        const char *name = tl_json_text(file, "name"), *hash = hash_in(have, name);

        if (hash == NULL)
            tl_certify_refuse(v->wrong, "%.200s: missing", name);
        else if (strcmp(hash, tl_json_text(file, "sha256")) != 0)
            tl_certify_refuse(v->wrong,
                              "%.200s: its hash differs from the hash in the "
                              "certificate",
                              name);
    }
    json_array_foreach(have, i, file)
    {
        if (hash_in(due, tl_json_text(file, "name")) == NULL)
            tl_certify_refuse(v->wrong, "%.200s: the certificate does not list this file",
                              tl_json_text(file, "name"));
    }
    json_decref(have);
    (void)tl_certify_log_check(v->dir, v->wrong);
}

/* ---- what was run ---- */

/* The options that a certification gives, and no other. */
static void check_allowed(struct verifier *v, const struct tl_request *request)
{
    static const char *const allowed[] = {
        "PATH",  "--profile", "--sut",  "--control", "--network", "--encap",
        "--ics", "--ixit",    "--seed", "--retries", "--repeat",  "--keep",
        "--out", "--report",  "--jobs", "--waivers", "--allow",   "--strict-waivers"};
    struct tl_request defaults;

    tl_request_init(&defaults);
    for (size_t i = 0; i < tl_request_options.count; i++) {
        const struct tl_option *row = &tl_request_options.list[i];
        bool known = tl_option_same(row, request, &defaults);

        for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
            known |= strcmp(allowed[k], row->name) == 0;
        if (!known)
            tl_certify_refuse(v->wrong,
                              "certificate.json: option %s is not allowed in a "
                              "certification",
                              row->name);
    }
}

static bool same_request(const struct tl_request *a, const struct tl_request *b)
{
    bool same = true;

    for (size_t i = 0; i < tl_request_options.count; i++)
        same = same && tl_option_same(&tl_request_options.list[i], a, b);
    return same;
}

/* The request of the certificate's command, and that of run.json. */
static void check_request(struct verifier *v, const json_t *command, const json_t *run)
{
    struct tl_request certified, recorded;
    struct fal_error err = {{0}};

    tl_request_init(&certified);
    tl_request_init(&recorded);
    if (tl_request_from_command(command, &certified, &err) != 0)
        tl_certify_refuse(v->wrong, "certificate.json: %s", err.text);
    else if (tl_request_from_run(run, &recorded, &err) != 0)
        tl_certify_refuse(v->wrong, "evidence/run.json: %s", err.text);
    else if (!same_request(&certified, &recorded))
        tl_certify_refuse(v->wrong, "evidence/run.json: its request differs from the "
                                    "certified one");
    else
        check_allowed(v, &certified);
    tl_request_free(&certified);
    tl_request_free(&recorded);
}

static void check_command(struct verifier *v)
{
    const json_t *command = v->read.frozen.command;
    json_error_t where;
    char path[TL_CERTIFY_PATH];
    json_t *run;

    (void)snprintf(path, sizeof path, "%s/evidence/run.json", v->dir);
    run = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (run == NULL || !json_equal(json_object_get(run, "command"), (json_t *)command))
        tl_certify_refuse(v->wrong, "evidence/run.json: its command differs from the "
                                    "certified one");
    else
        check_request(v, command, run);
    json_decref(run);
}

static void check_seed(struct verifier *v)
{
    const char *challenge = v->read.challenge.text;
    uint64_t seed = 0;

    if (!tl_certify_seed(v->profile.name, challenge, &seed))
        v->broken = true;
    else if (seed != strtoull(v->read.seed, NULL, 10))
        tl_certify_refuse(v->wrong, "certificate.json: its seed was not computed from its "
                                    "challenge");
    if (v->o->challenge != NULL && strcmp(challenge, v->o->challenge) != 0)
        tl_certify_refuse(v->wrong, "certificate.json: it answers a challenge other than "
                                    "that of --challenge");
}

/* ---- what the evidence shows ---- */

static void check_statement(struct verifier *v)
{
    char path[TL_CERTIFY_PATH];
    struct fal_error err = {{0}};
    struct tl_ics stated;

    (void)snprintf(path, sizeof path, "%s/statement.json", v->dir);
    if (tl_ics_load(path, &stated, &err) != 0)
        tl_certify_refuse(v->wrong, "%s", err.text);
    else
        tl_certify_review(&v->profile.certify, &stated, v->wrong);
}

static void check_body(struct verifier *v)
{
    struct fal_error err = {{0}};
    json_t *body = tl_certify_body(v->dir, &v->profile, v->wrong, &err), *due;
    const char *name;

    if (body == NULL) {
        tl_certify_refuse(v->wrong, "evidence: %s", err.text);
        return;
    }
    if (strcmp(v->read.tool, TL_VERSION) != 0)
        printf("note: certified by talon %s, verified by talon " TL_VERSION "\n", v->read.tool);
    json_object_foreach(body, name, due)
    {
        if (!json_equal(json_object_get(v->certificate, name), due))
            tl_certify_refuse(v->wrong,
                              "certificate.json: '%s' differs from the result of "
                              "judging the evidence again",
                              name);
    }
    json_decref(body);
}

static void check_qualification(struct verifier *v)
{
    const json_t *due = v->read.qualification;
    struct tl_certify o = *v->o;
    struct fal_error err = {{0}};
    json_t *again;

    o.sut = "builtin";
    if (o.suite == NULL || strcmp(tl_json_text(due, "link"), "virtual") != 0) {
        printf("bench self-test: result as recorded, not repeated\n");
        return;
    }
    again =
        tl_certify_qualify(&o, &v->profile, strtoull(v->read.seed, NULL, 10), v->wrong, &err);
    if (again == NULL)
        tl_certify_refuse(v->wrong, "bench self-test: %s", err.text);
    else if (!json_equal(again, (json_t *)due))
        tl_certify_refuse(v->wrong,
                          "certificate.json: repeating the bench self-test gives another "
                          "result");
    else
        printf("bench self-test: repeated, with the same result\n");
    json_decref(again);
}

static void check_evidence(struct verifier *v)
{
    char path[TL_CERTIFY_PATH];
    struct fal_error err = {{0}};

    (void)snprintf(path, sizeof path, "%s/evidence", v->dir);
    if (tl_check_evidence_brief(path, v->wrong) == TL_STATUS_ERROR)
        v->broken = true;
    (void)snprintf(path, sizeof path, "%s/evidence/profile.json", v->dir);
    if (tl_profile_load(path, &v->profile, &err) != 0) {
        tl_certify_refuse(v->wrong, "%s", err.text);
        return;
    }
    check_command(v);
    check_seed(v);
    check_statement(v);
    check_body(v);
    check_qualification(v);
}

static int tell(const struct verifier *v)
{
    const struct tl_certificate *c = &v->read;
    size_t i;
    json_t *line;

    json_array_foreach(v->wrong, i, line)
        printf("differs from the certificate: %s\n", json_string_value(line));
    if (v->broken) {
        fprintf(stderr, "talon certify: out of memory\n");
        return TL_STATUS_ERROR;
    }
    if (json_array_size(v->wrong) > 0) {
        printf("%s: NOT verified\n", v->dir);
        return TL_STATUS_FAIL;
    }
    printf("%s: verified: %s %s %s, profile %s, %s, signed by %s (%s) with the key %s%s\n",
           v->dir, or_none(c->sut.vendor), or_none(c->sut.product), or_none(c->sut.firmware),
           v->profile.name, c->issued, c->signer.name, c->signer.kind, c->signer.key,
           v->o->key != NULL ? "" : ", which --key FILE checks");
    return TL_STATUS_PASS;
}

int tl_certify_verify(const struct tl_certify *o)
{
    struct verifier v = {.o = o, .dir = o->verify, .wrong = json_array()};
    int status;

    if (load(&v)) {
        check_signature(&v);
        check_files(&v);
        check_evidence(&v);
    }
    status = tell(&v);
    tl_profile_free(&v.profile);
    json_decref(v.certificate);
    json_decref(v.wrong);
    return status;
}
