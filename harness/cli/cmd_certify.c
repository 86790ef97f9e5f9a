/* SPDX-License-Identifier: Apache-2.0
 * cmd_certify.c - `talon certify`: runs a profile as it stands, refuses or signs. */
#include "harness/certify/certify.h"

#include "harness/certify/signing_key.h"
#include "harness/claims/bench_file.h"
#include "harness/claims/ixit.h"
#include "harness/cli/cmd.h"
#include "harness/cli/cmd_run.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/doc/version.h"
#include "reports/formats/certificate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The values of --allow. */
struct certify_options {
    struct tl_certify certify;
    int allow; /* unused: there is one choice */
};

#define TL_OPTIONS_OF struct certify_options

static const struct tl_option option_list[] = {
    {TL_TEXT("--profile", certify.profile, "NAME"),
     .help = "what is certified (talon list profiles), or a file"},
    {TL_TEXT("--sut", certify.sut, "SUT"), .help = "as for talon run (default builtin)"},
    {TL_TEXT("--control", certify.control, "ADDR"), .help = "as for talon run"},
    TL_BENCH_OPTION,
    {TL_TEXT("--network", certify.network, "WORDS"), .help = "as for talon run"},
    {TL_CHOICE("--encap", certify.encap, "NAME", FAL_CONNECTION_ENCAPS),
     .help = "as for talon run"},
    {TL_TEXT("--ics", certify.ics, "FILE"),
     .help = "the completed statement (talon list ics --proforma); every item that the profile "
             "needs must be answered"},
    {TL_TEXT("--ixit", certify.ixit, "FILE"),
     .help = "values that tests need to know (talon list ixit --proforma)"},
    {TL_TEXT("--waivers", certify.waivers, "FILE"),
     .help =
         "entries of kind waiver, each used and not expired; the certificate lists them all"},
    {TL_TEXT("--key", certify.key, "KEY.pem"),
     .help = "the private key of the signer: openssl genpkey -algorithm ed25519 -out KEY.pem\n"
             "with --verify: the key, public or private, that must have signed"},
    {TL_TEXT("--signer", certify.signer, "CLASS:NAME"),
     .help = "self:NAME (default: the vendor of the ICS) or laboratory:NAME"},
    {TL_TEXT("--challenge", certify.challenge, "TEXT"),
     .help = "a text from the recipient of the certificate, from which the seed is computed; "
             "laboratory needs one; without it the seed is drawn at random\n"
             "with --verify: the challenge that the certificate must answer"},
    {TL_TEXT("--suite", certify.suite, "PATH"),
     .help = "the scenarios (default: those that come with talon)\n"
             "with --verify: repeat the self-test of the bench with them, if it was in virtual "
             "time"},
    {TL_TEXT("--out", certify.out, "DIR"),
     .help = "where evidence and certificate are written"},
    {TL_CHOICE("--allow", allow, TL_TAG_MAY_WEDGE, TL_TAG_MAY_WEDGE),
     .given_at = offsetof(TL_OPTIONS_OF, certify.may_wedge),
     .help = "also run scenarios after which a device may need a reset"},
    {TL_COUNT("--jobs", certify.jobs, 1, TL_JOBS_MAX),
     .help = "cases at the same time, as for talon run"},
    {TL_TEXT("--reference", certify.reference, "COMMAND"),
     .help = "on a live link, the self-test of the bench runs against this command at the far "
             "end, which starts talon sut --fault \"$TALON_FAULT\" (no fault where that is "
             "empty); without it, against talon sut on this machine"},
    {TL_TEXT("--reference-sut", certify.reference_sut, "udp:HOST:PORT"),
     .help = "where it listens"},
    {TL_TEXT("--reference-control", certify.reference_control, "ADDR"),
     .help = "its control channel: tcp:HOST:PORT"},
    {TL_TEXT("--verify", certify.verify, "DIR"),
     .help = "verify the certificate in DIR: its signature, the hashes of the files, and that "
             "judging the evidence again gives what is certified; print every difference"},
};
static const struct tl_options options = {"certify", option_list,
                                          sizeof option_list / sizeof *option_list};

static int check_options(const struct tl_certify *o, struct fal_error *err)
{
    bool laboratory = o->signer != NULL && strncmp(o->signer, "laboratory:", 11) == 0;

    if (o->profile == NULL || o->ics == NULL || o->key == NULL || o->out == NULL)
        return fal_fail(err, FAL_ERR_FORM, "--profile, --ics, --key and --out are needed");
    if (o->signer != NULL && !laboratory && strncmp(o->signer, "self:", 5) != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "--signer '%.100s'; expected self:NAME or laboratory:NAME", o->signer);
    if (laboratory && o->challenge == NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "a laboratory needs --challenge: it must not choose the seed itself");
    if ((o->reference == NULL) != (o->reference_sut == NULL) ||
        (o->reference == NULL) != (o->reference_control == NULL) ||
        (o->reference_sut != NULL && strncmp(o->reference_sut, "udp:", 4) != 0))
        return fal_fail(err, FAL_ERR_FORM,
                        "--reference, --reference-sut udp:HOST:PORT and --reference-control "
                        "need each other");
    return 0;
}

/* ---- a certification ---- */

struct certification {
    struct tl_certify *o;
    struct tl_profile profile;
    struct tl_ics stated;
    struct tl_key *key;
    char drawn[40]; /* the challenge, if the user gave none */
    const char *challenge;
    uint64_t seed;
    char profile_path[TL_CERTIFY_PATH], evidence[TL_CERTIFY_PATH], html[TL_CERTIFY_PATH];
    struct tl_request request;                    /* the one that a certification may make */
    const char *paths[1], *allow[1], *reports[1]; /* lists of the request */
    json_t *refusals, *qualification, *body, *command;
    int run_status;
};

static json_t *now(void)
{
    char text[40] = "?";
    time_t t = time(NULL);
    struct tm utc;

    if (gmtime_r(&t, &utc) != NULL)
        (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return json_string(text);
}

/* The profile in the file of that name, or of the suite's. */
static int load_profile(struct certification *c, struct fal_error *err)
{
    const struct tl_certify *o = c->o;
    struct stat st;
    int rc;

    (void)snprintf(c->profile_path, sizeof c->profile_path, "%s/profiles/%s.json",
                   o->suite != NULL ? o->suite : "", o->profile);
    if ((o->suite == NULL || stat(c->profile_path, &st) != 0) &&
        !tl_suite_profile(o->profile, c->profile_path, sizeof c->profile_path))
        return tl_suite_no_profile(o->profile, err);
    rc = tl_profile_load(c->profile_path, &c->profile, err);
    if (rc == 0 && !c->profile.certify.given)
        rc = fal_fail(err, FAL_ERR_FORM,
                      "profile '%.80s' cannot be used for certification: "
                      "it has no 'certify' (talon list profiles)",
                      o->profile);
    return rc;
}

/* Whether the SUT is tested over a wire; else it is a model in virtual time. */
static bool is_live(const struct certification *c)
{
    return strncmp(c->o->sut, "udp:", 4) == 0 || strncmp(c->o->sut, "raw:", 4) == 0;
}

/* The values that the profile and the IXIT give. */
static int review_values(struct certification *c, struct fal_error *err)
{
    struct tl_ixit ixit = {.identity = {{0}, {0}, {0}}};
    struct tl_given_params given = c->profile.params;
    struct fal_params params;

    if (c->o->ixit != NULL) {
        int rc = tl_ixit_load(c->o->ixit, &ixit, err);

        if (rc != 0)
            return rc;
        tl_given_params_join(&given, &given, &ixit.params);
        tl_ixit_free(&ixit);
    }
    params = tl_given_params_declared(&given, is_live(c));
    tl_certify_review_values(&c->profile.certify, &params, c->refusals);
    return 0;
}

static int prepare(struct certification *c, struct fal_error *err)
{
    uint64_t words[2];
    int rc = load_profile(c, err);

    if (rc == 0)
        rc = tl_ics_load(c->o->ics, &c->stated, err);
    if (rc != 0)
        return rc;
    c->key = tl_key_load(c->o->key, true, err);
    if (c->key == NULL)
        return FAL_ERR_IO;
    c->challenge = c->o->challenge;
    if (c->challenge == NULL) {
        if (getrandom(words, sizeof words, 0) != (ssize_t)sizeof words)
            return fal_fail(err, FAL_ERR_IO, "no random numbers");
        (void)snprintf(c->drawn, sizeof c->drawn, "%016" PRIx64 "%016" PRIx64, words[0],
                       words[1]);
        c->challenge = c->drawn;
    }
    if (!tl_certify_seed(c->profile.name, c->challenge, &c->seed))
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    tl_certify_review(&c->profile.certify, &c->stated, c->refusals);
    return review_values(c, err);
}

static void fill_request(struct certification *c)
{
    const struct tl_certify *o = c->o;
    struct tl_request *r = &c->request;

    tl_request_init(r);
    (void)snprintf(c->evidence, sizeof c->evidence, "%s/evidence", o->out);
    (void)snprintf(c->html, sizeof c->html, "html:%s/report.html", o->out);
    c->paths[0] = o->suite;
    c->allow[0] = TL_TAG_MAY_WEDGE;
    c->reports[0] = c->html;
    r->paths = (struct tl_texts){c->paths, o->suite != NULL ? 1 : 0};
    r->allow = (struct tl_texts){c->allow, o->may_wedge ? 1 : 0};
    r->reports = (struct tl_texts){c->reports, 1};
    r->profile = c->profile_path;
    r->sut = o->sut;
    r->control = o->control;
    r->network = o->network;
    r->encap = o->encap;
    r->ics = o->ics;
    r->ixit = o->ixit;
    r->waivers = o->waivers;
    r->strict_waivers = o->waivers != NULL;
    r->jobs = o->jobs;
    r->seed = c->seed;
    r->retries = c->profile.certify.retries;
    r->repeat = c->profile.certify.repeat;
    r->keep = TL_KEEP_ALL;
    r->out = c->evidence;
}

/* The command states the fixed options, also those that are the default. */
static json_t *command_of(const struct tl_request *request)
{
    struct tl_request unsaid;

    tl_request_init(&unsaid);
    unsaid.sut = NULL;
    unsaid.seed = ~request->seed;
    unsaid.retries = ~request->retries;
    unsaid.repeat = ~request->repeat;
    return tl_request_command(request, &unsaid);
}

static int run(struct certification *c, struct fal_error *err)
{
    c->run_status = tl_run_request(&c->request, c->command);
    return c->run_status == TL_STATUS_USAGE || c->run_status == TL_STATUS_ERROR
               ? fal_fail(err, FAL_ERR_IO,
                          "the run did not complete, or played no case; it says why above")
               : 0;
}

/* Before the tester is qualified on this host, which takes minutes: a device that cannot be
 * reached is told at once. A raw link is opened only once, by the run. */
static int reach(const struct certification *c, struct fal_error *err)
{
    if (strncmp(c->o->sut, "udp:", 4) == 0 && tl_run_reach(&c->request, err) != 0)
        return FAL_ERR_IO;
    fprintf(stderr,
            "talon certify: first the tester itself is qualified on this host: it plays "
            "the profile against a reference, which may take minutes\n");
    return 0;
}

static json_t *hash_of(const char *dir, const char *name, struct fal_error *err)
{
    size_t len;
    char hash[TL_SHA256_TEXT], *text = tl_certify_read(dir, name, &len, err);
    bool ok = text != NULL && tl_sha256(text, len, hash);

    free(text);
    return ok ? json_string(hash) : NULL;
}

static int log_attempt(struct certification *c, struct fal_error *err)
{
    char seed[24];
    json_t *attempt;
    int rc;

    (void)snprintf(seed, sizeof seed, "%" PRIu64, c->seed);
    attempt =
        json_pack("{s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:o*}", "at", now(), "tool",
                  TL_VERSION, "profile", c->profile.name, "sut", c->o->sut, "firmware",
                  c->stated.identity.firmware, "challenge", c->challenge, "seed", seed,
                  "refusals", (json_int_t)json_array_size(c->refusals), "status", c->run_status,
                  "results", hash_of(c->o->out, "evidence/results.json", err));
    rc = attempt != NULL ? tl_certify_log(c->o->out, attempt, err)
                         : fal_fail(err, FAL_ERR_MEM, "out of memory");
    json_decref(attempt);
    return rc;
}

static json_t *signer_of(const struct certification *c)
{
    const char *given = c->o->signer, *colon = given != NULL ? strchr(given, ':') : NULL;
    char key[TL_KEY_TEXT];

    tl_key_text(c->key, key);
    return json_pack("{s:s, s:s, s:s}", "class",
                     given != NULL && given[0] == 'l' ? "laboratory" : "self", "name",
                     colon != NULL ? colon + 1 : c->stated.identity.vendor, "key", key);
}

static json_t *frozen_of(const struct certification *c)
{
    return json_pack("{s:i, s:i, s:O}", "retries", (int)c->profile.certify.retries, "repeat",
                     (int)c->profile.certify.repeat, "command", c->command);
}

static int write_html(const struct certification *c, const json_t *certificate,
                      struct fal_error *err)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    int rc = out != NULL ? tl_certificate_html(out, certificate) : FAL_ERR_MEM;

    if (out != NULL && fclose(out) != 0)
        rc = FAL_ERR_MEM;
    rc = rc == 0 ? tl_certify_write(c->o->out, "certificate.html", text, err)
                 : fal_fail(err, rc, "out of memory");
    free(text);
    return rc;
}

static int sign(const struct certification *c, json_t *certificate, struct fal_error *err)
{
    char *text = tl_certify_text(certificate, true), signature[TL_SIGNATURE_TEXT];
    struct tl_certificate read; /* what is signed can be read back */
    int rc = FAL_ERR_MEM;

    if (text != NULL && tl_key_sign(c->key, text, strlen(text), signature) &&
        json_object_set_new(
            certificate, "signature",
            json_pack("{s:s, s:s}", "algorithm", "ed25519", "value", signature)) == 0)
        rc = 0;
    free(text);
    if (rc == 0 && tl_certificate_read(certificate, &read, err) != 0)
        return FAL_ERR_FORM;
    text = rc == 0 ? tl_certify_text(certificate, false) : NULL;
    rc = text != NULL ? tl_certify_write(c->o->out, "certificate.json", text, err)
                      : fal_fail(err, FAL_ERR_MEM, "the certificate could not be signed");
    free(text);
    return rc;
}

static int write_certificate(struct certification *c, struct fal_error *err)
{
    json_t *certificate = json_pack(
        "{s:s, s:o, s:s, s:o, s:{s:s, s:b}, s:o}", "schema", TL_CERTIFICATE_SCHEMA, "issued",
        now(), "specification", TL_SPECIFICATION, "signer", signer_of(c), "challenge", "text",
        c->challenge, "given", c->o->challenge != NULL, "frozen", frozen_of(c));
    json_t *files;
    int rc;

    if (certificate == NULL || json_object_update(certificate, c->body) != 0 ||
        json_object_set(certificate, "qualification", c->qualification) != 0 ||
        json_object_set_new(certificate, "results_sha256",
                            hash_of(c->o->out, "evidence/results.json", err)) != 0 ||
        json_object_set_new(certificate, "manifest_sha256",
                            hash_of(c->o->out, "evidence/manifest.sha256", err)) != 0) {
        json_decref(certificate);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    rc = write_html(c, certificate, err);
    files = rc == 0 ? tl_certify_files(c->o->out, err) : NULL;
    if (files == NULL || json_object_set_new(certificate, "files", files) != 0)
        rc = rc != 0 ? rc : FAL_ERR_IO;
    if (rc == 0)
        rc = sign(c, certificate, err);
    json_decref(certificate);
    return rc;
}

/* Keeps the vendor's statement beside the certificate. */
static int copy_statement(const struct certification *c, struct fal_error *err)
{
    size_t len;
    char *text = tl_file_read(c->o->ics, &len, err);
    int rc =
        text != NULL ? tl_certify_write(c->o->out, "statement.json", text, err) : FAL_ERR_IO;

    free(text);
    return rc;
}

static void remove_old(const struct certification *c)
{
    static const char *const names[] = {"certificate.json", "certificate.html", "report.html",
                                        "statement.json"};
    char path[TL_CERTIFY_PATH];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", c->o->out, names[i]);
        (void)unlink(path);
    }
}

static int refused(const struct certification *c)
{
    size_t i;
    json_t *why;

    json_array_foreach(c->refusals, i, why) printf("refused: %s\n", json_string_value(why));
    printf("NOT certified, for %zu reasons\n", json_array_size(c->refusals));
    return c->run_status == TL_STATUS_PASS ? TL_STATUS_FAIL : c->run_status;
}

static int finish(struct certification *c, struct fal_error *err)
{
    char key[TL_KEY_TEXT];
    int rc;

    c->body = tl_certify_body(c->o->out, &c->profile, c->refusals, err);
    if (c->body == NULL)
        return FAL_ERR_IO;
    rc = copy_statement(c, err);
    if (rc == 0)
        rc = log_attempt(c, err);
    if (rc == 0 && json_array_size(c->refusals) == 0)
        rc = write_certificate(c, err);
    if (rc != 0 || json_array_size(c->refusals) > 0)
        return rc;
    tl_key_text(c->key, key);
    printf("certified%s: %s %s %s by profile %s; %s/certificate.json, signed by %s\n",
           is_live(c) ? "" : " as a model in virtual time", c->stated.identity.vendor,
           c->stated.identity.product, c->stated.identity.firmware, c->profile.name, c->o->out,
           key);
    return 0;
}

static int certify(struct tl_certify *o)
{
    struct certification c = {.o = o, .refusals = json_array()};
    struct fal_error err = {{0}};
    int status = TL_STATUS_USAGE, rc;

    if (mkdir(o->out, 0777) != 0 && access(o->out, W_OK) != 0)
        rc = fal_fail(&err, FAL_ERR_IO, "--out %.200s: no directory to write to", o->out);
    else
        rc = prepare(&c, &err);
    if (rc != 0 || json_array_size(c.refusals) > 0)
        goto done; /* before any packet */
    status = TL_STATUS_ERROR;
    fill_request(&c);
    c.command = command_of(&c.request);
    rc = is_live(&c) ? reach(&c, &err) : 0;
    if (rc != 0)
        goto done; /* an older certificate stays */
    remove_old(&c);
    c.qualification = tl_certify_qualify(o, &c.profile, c.seed, c.refusals, &err);
    rc = c.qualification == NULL ? FAL_ERR_IO : run(&c, &err);
    if (c.run_status == TL_STATUS_USAGE)
        status = TL_STATUS_USAGE;
    if (rc == 0)
        rc = finish(&c, &err);
done:
    if (rc != 0)
        fprintf(stderr, "talon certify: %s\n", err.text);
    else
        status = json_array_size(c.refusals) > 0 ? refused(&c) : TL_STATUS_PASS;
    tl_key_free(c.key);
    tl_profile_free(&c.profile);
    json_decref(c.refusals);
    json_decref(c.qualification);
    json_decref(c.body);
    json_decref(c.command);
    return status;
}

int tl_cmd_certify(int argc, char **argv)
{
    struct certify_options o = {.certify = {.sut = "builtin"}};
    struct fal_error err = {{0}};
    int status = tl_verb_read(&options, tl_usage_certify, argc, argv, &o);

    if (status != TL_VERB_GO)
        return status;
    if (o.certify.verify != NULL)
        return tl_certify_verify(&o.certify);
    if (check_options(&o.certify, &err) != 0)
        return tl_verb_wrong(options.verb, "%s", err.text);
    return certify(&o.certify);
}
