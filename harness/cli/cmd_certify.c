/* SPDX-License-Identifier: Apache-2.0
 * cmd_certify.c - `talon certify`: runs a profile as it stands, refuses or signs. */
#include "harness/certify/certify.h"

#include "harness/certify/signing_key.h"
#include "harness/claims/ixit.h"
#include "harness/cli/cmd.h"
#include "harness/doc/version.h"
#include "reports/formats/certificate.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* clang-format off */
static const char usage[] =
    "usage: talon certify --profile NAME --ics FILE --key KEY.pem --out DIR [--sut SUT] [options]\n"
    "       talon certify --verify DIR [--key KEY.pem] [--challenge TEXT] [--suite PATH]\n"
    "\n"
    "Runs a profile as it stands, against an implementation: no case may be left out, none tried more often\n"
    "than the profile says. Refuses where something that it demands failed, stayed undecided, was not\n"
    "exercised, is excused, or is waived beyond its rules. Otherwise writes certificate.json and\n"
    "certificate.html to DIR, signed, beside the evidence; certificates of earlier runs there are removed,\n"
    "but DIR/attempts.jsonl remembers each run.\n"
    "\n"
    "  --profile NAME       what is certified (talon list profiles), or a file\n"
    "  --sut SUT, --control ADDR, --network WORDS, --encap NAME   as of talon run\n"
    "  --ics FILE           the filled-in statement (talon list ics --proforma): no item that matters open\n"
    "  --ixit FILE          values that a test needs to know (talon list ixit --proforma)\n"
    "  --waivers FILE       entries of kind waiver, each used and not expired; all are on the certificate\n"
    "  --key KEY.pem        the signer's private key: openssl genpkey -algorithm ed25519 -out KEY.pem\n"
    "  --signer CLASS:NAME  self:NAME (default: the vendor of the ICS) or laboratory:NAME\n"
    "  --challenge TEXT     of whom the certificate is for: the seed follows from it. laboratory needs one;\n"
    "                       without, the seed is drawn\n"
    "  --suite PATH         the scenarios (default: those that come with talon)\n"
    "  --allow may-wedge    scenarios too that may leave a device in need of a reset\n"
    "  --jobs N             cases side by side, with the built-in SUT\n"
    "  --reference COMMAND, --reference-sut udp:HOST:PORT, --reference-control tcp:HOST:PORT\n"
    "                       how the bench is qualified on a live link: what starts talon sut --fault\n"
    "                       \"$TALON_FAULT\" (none where that is empty) at the far end, and where it listens;\n"
    "                       without, talon sut on this machine\n"
    "\n"
    "--verify holds signature and hashes against the files, judges the evidence again, and says what is not\n"
    "as certified. --key: whose signature it must be (public or private); --challenge: what it must answer;\n"
    "--suite: the bench is qualified again, where that was in virtual time.\n"
    "\n"
    "Exit status: 0 certified, or verified; 1 refused, or not as certified; 2 the command or a file is\n"
    "wrong; 3 refused, and nothing failed but something is inconclusive; 4 talon or the bench broke down.\n";
/* clang-format on */

static int wrong(const char *what, const char *text)
{
    fprintf(stderr, "talon certify: %s%s; see talon certify --help\n", what, text);
    return TL_STATUS_USAGE;
}

enum {
    PROFILE = 256,
    SUT,
    CONTROL,
    NETWORK,
    ENCAP,
    ICS,
    IXIT,
    WAIVERS,
    KEY,
    OUT,
    SIGNER,
    CHALLENGE,
    SUITE,
    ALLOW,
    JOBS,
    REFERENCE,
    REFERENCE_SUT,
    REFERENCE_CONTROL,
    VERIFY,
    HELP
};

/* Where the value of an option goes. */
static const char **place(struct tl_certify *o, int option)
{
    const struct {
        int option;
        const char **at;
    } places[] = {
        {PROFILE, &o->profile},
        {SUT, &o->sut},
        {CONTROL, &o->control},
        {NETWORK, &o->network},
        {ENCAP, &o->encap},
        {ICS, &o->ics},
        {IXIT, &o->ixit},
        {WAIVERS, &o->waivers},
        {KEY, &o->key},
        {OUT, &o->out},
        {SIGNER, &o->signer},
        {CHALLENGE, &o->challenge},
        {SUITE, &o->suite},
        {JOBS, &o->jobs},
        {REFERENCE, &o->reference},
        {REFERENCE_SUT, &o->reference_sut},
        {VERIFY, &o->verify},
        {REFERENCE_CONTROL, &o->reference_control},
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].option == option)
            return places[i].at;
    return NULL;
}

static int read_options(int argc, char **argv, struct tl_certify *o)
{
    static const struct option options[] = {{"profile", 1, NULL, PROFILE},
                                            {"sut", 1, NULL, SUT},
                                            {"control", 1, NULL, CONTROL},
                                            {"network", 1, NULL, NETWORK},
                                            {"encap", 1, NULL, ENCAP},
                                            {"ics", 1, NULL, ICS},
                                            {"ixit", 1, NULL, IXIT},
                                            {"waivers", 1, NULL, WAIVERS},
                                            {"key", 1, NULL, KEY},
                                            {"out", 1, NULL, OUT},
                                            {"signer", 1, NULL, SIGNER},
                                            {"challenge", 1, NULL, CHALLENGE},
                                            {"suite", 1, NULL, SUITE},
                                            {"allow", 1, NULL, ALLOW},
                                            {"jobs", 1, NULL, JOBS},
                                            {"reference", 1, NULL, REFERENCE},
                                            {"reference-sut", 1, NULL, REFERENCE_SUT},
                                            {"reference-control", 1, NULL, REFERENCE_CONTROL},
                                            {"verify", 1, NULL, VERIFY},
                                            {"help", 0, NULL, HELP},
                                            {NULL, 0, NULL, 0}};
    int c;

    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) { /* NOLINT */
        if (c == HELP || c == 'h')
            o->help = true;
        else if (c == ALLOW && strcmp(optarg, TL_TAG_MAY_WEDGE) == 0)
            o->may_wedge = true;
        else if (place(o, c) != NULL && *optarg != 0)
            *place(o, c) = optarg;
        else
            return wrong("unknown option, or one without its value: ",
                         optind > 0 && optind <= argc ? argv[optind - 1] : "");
    }
    return optind == argc ? 0 : wrong("what is this? ", argv[optind]);
}

static int check_options(struct tl_certify *o)
{
    bool laboratory = o->signer != NULL && strncmp(o->signer, "laboratory:", 11) == 0;

    if (o->profile == NULL || o->ics == NULL || o->key == NULL || o->out == NULL)
        return wrong("--profile, --ics, --key and --out are needed", "");
    if (o->signer != NULL && !laboratory && strncmp(o->signer, "self:", 5) != 0)
        return wrong("--signer takes self:NAME or laboratory:NAME, not ", o->signer);
    if (laboratory && o->challenge == NULL)
        return wrong("a laboratory needs --challenge: nobody may choose the seed", "");
    if ((o->reference == NULL) != (o->reference_sut == NULL) ||
        (o->reference == NULL) != (o->reference_control == NULL) ||
        (o->reference_sut != NULL && strncmp(o->reference_sut, "udp:", 4) != 0))
        return wrong("--reference, --reference-sut udp:... and --reference-control go together",
                     "");
    return 0;
}

/* ---- a certification ---- */

struct certification {
    struct tl_certify *o;
    struct tl_profile profile;
    struct tl_ics stated;
    struct tl_key *key;
    char drawn[40]; /* the challenge, where nobody gave one */
    const char *challenge;
    uint64_t seed;
    char profile_path[TL_CERTIFY_PATH];
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
        return fal_fail(err, FAL_ERR_FORM, "no profile '%.80s' (talon list profiles)",
                        o->profile);
    rc = tl_profile_load(c->profile_path, &c->profile, err);
    if (rc == 0 && !c->profile.certify.given)
        rc = fal_fail(err, FAL_ERR_FORM, "profile '%.80s' demands nothing: it has no 'certify'",
                      o->profile);
    return rc;
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
    return 0;
}

static void add(json_t *command, const char *word)
{
    (void)json_array_append_new(command, json_string(word));
}

static void add_pair(json_t *command, const char *option, const char *value)
{
    if (value == NULL)
        return;
    add(command, option);
    add(command, value);
}

static void add_number(json_t *command, const char *option, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    add_pair(command, option, text);
}

/* The one command that a certification may run. */
static json_t *command_of(const struct certification *c)
{
    const struct tl_certify *o = c->o;
    json_t *command = json_array();
    char path[TL_CERTIFY_PATH];

    add(command, "run");
    if (o->suite != NULL)
        add(command, o->suite);
    add_pair(command, "--profile", c->profile_path);
    add_pair(command, "--sut", o->sut);
    add_pair(command, "--control", o->control);
    add_pair(command, "--network", o->network);
    add_pair(command, "--encap", o->encap);
    add_pair(command, "--ics", o->ics);
    add_pair(command, "--ixit", o->ixit);
    add_pair(command, "--waivers", o->waivers);
    if (o->waivers != NULL)
        add(command, "--strict-waivers");
    if (o->may_wedge)
        add_pair(command, "--allow", TL_TAG_MAY_WEDGE);
    add_pair(command, "--jobs", o->jobs);
    add_number(command, "--seed", c->seed);
    add_number(command, "--retries", c->profile.certify.retries);
    add_number(command, "--repeat", c->profile.certify.repeat);
    add_pair(command, "--keep", "all");
    (void)snprintf(path, sizeof path, "%s/evidence", o->out);
    add_pair(command, "--out", path);
    (void)snprintf(path, sizeof path, "html:%s/report.html", o->out);
    add_pair(command, "--report", path);
    return command;
}

static int run(struct certification *c, struct fal_error *err)
{
    size_t n = json_array_size(c->command);
    char **argv = calloc(n + 1, sizeof *argv);

    if (argv == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        argv[i] = (char *)json_string_value(json_array_get(c->command, i));
    c->run_status = tl_cmd_run((int)n, argv);
    free(argv);
    return c->run_status == TL_STATUS_USAGE || c->run_status == TL_STATUS_ERROR
               ? fal_fail(err, FAL_ERR_IO, "the run came to no end")
               : 0;
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
    int rc = FAL_ERR_MEM;

    if (text != NULL && tl_key_sign(c->key, text, strlen(text), signature) &&
        json_object_set_new(
            certificate, "signature",
            json_pack("{s:s, s:s}", "algorithm", "ed25519", "value", signature)) == 0)
        rc = 0;
    free(text);
    text = rc == 0 ? tl_certify_text(certificate, false) : NULL;
    rc = text != NULL ? tl_certify_write(c->o->out, "certificate.json", text, err)
                      : fal_fail(err, FAL_ERR_MEM, "it could not be signed");
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

/* What the vendor stated goes beside what came of it. */
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
    printf("NOT certified: %zu reasons\n", json_array_size(c->refusals));
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
    printf("certified: %s %s %s by profile %s; %s/certificate.json, signed by %s\n",
           c->stated.identity.vendor, c->stated.identity.product, c->stated.identity.firmware,
           c->profile.name, c->o->out, key);
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
    remove_old(&c);
    status = TL_STATUS_ERROR;
    c.command = command_of(&c);
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
    struct tl_certify o = {.sut = "builtin"};
    int status = read_options(argc, argv, &o);

    if (status != 0)
        return status;
    if (o.help) {
        fputs(usage, stdout);
        return TL_STATUS_PASS;
    }
    if (o.verify != NULL)
        return tl_certify_verify(&o);
    status = check_options(&o);
    return status != 0 ? status : certify(&o);
}
