/* SPDX-License-Identifier: Apache-2.0
 * The conditions of a profile, when a requirement counts, and signatures. */
#include "harness/certify/certify.h"
#include "harness/certify/needs.h"
#include "harness/certify/signing_key.h"
#include "harness/claims/ixit.h"
#include "oracles/limits/ixit_limits.h"

#include "tests/testing.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what a profile demands ---- */

static int read_rules(const char *certify, struct tl_profile *out, struct fal_error *err)
{
    char path[] = "/tmp/talon-profile-XXXXXX";
    int fd = mkstemp(path), rc;
    FILE *file = fdopen(fd, "w");

    ck_assert_ptr_nonnull(file);
    fprintf(
        file,
        "{\"schema\": \"talon/profile/1\", \"name\": \"p\", \"title\": \"t\", \"certify\": %s}\n",
        certify);
    (void)fclose(file);
    err->text[0] = 0;
    rc = tl_profile_load(path, out, err);
    (void)unlink(path);
    return rc;
}

static void wrong_rules(const char *certify, const char *due)
{
    struct tl_profile profile;
    struct fal_error err;

    ck_assert_int_eq(read_rules(certify, &profile, &err), FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, due) != NULL, "%s: '%s'", certify, err.text);
}

START_TEST(demands_are_read)
{
    struct tl_profile profile;
    struct fal_error err;

    ck_assert_int_eq(read_rules("{\"requirements\": [\"FTP-9*\", \"!FTP-9.2*\"], \"claims\": "
                                "[\"psp\"], \"waivers\": {\"most\": 2}, \"retries\": 0}",
                                &profile, &err),
                     0);
    ck_assert(profile.certify.given);
    ck_assert_uint_eq(profile.certify.retries, 0);
    ck_assert_uint_eq(profile.certify.repeat, 1);
    ck_assert_uint_eq(profile.certify.waivers.most, 2);
    ck_assert(tl_patterns_take(profile.certify.requirements, "FTP-9.1.6-03"));
    ck_assert(!tl_patterns_take(profile.certify.requirements, "FTP-9.2.1-01"));
    ck_assert(!tl_patterns_take(profile.certify.requirements, "FTP-8.1-01"));
    ck_assert(!tl_patterns_take(profile.certify.waivers.requirements, "FTP-8.1-01"));
    tl_profile_free(&profile);
}
END_TEST

START_TEST(wrong_demands_say_where)
{
    wrong_rules("{}", "certify.requirements: missing");
    wrong_rules("{\"requirements\": []}", "certify.requirements: expected at least 1 element");
    wrong_rules("{\"requirements\": [1]}", "certify.requirements[0]");
    wrong_rules("{\"requirements\": [\"x\"], \"claims\": [\"pps\"]}", "no ICS item 'pps'");
    wrong_rules("{\"requirements\": [\"x\"], \"retries\": 16}", "from 0 to 15");
    wrong_rules("{\"requirements\": [\"x\"], \"repeat\": 0}", "from 1 to 100");
    wrong_rules("{\"requirements\": [\"x\"], \"waivers\": {\"mots\": 1}}", "mots");
    wrong_rules("{\"requirements\": \"x\"}", "expected an array");
    wrong_rules("{\"requirement\": [\"x\"]}", "requirement");
}
END_TEST

/* ---- when a requirement counts ---- */

struct bench {
    json_t *patterns;
    struct tl_needs needs;
    struct tl_ics ics;
};

static struct bench begin(const char *id)
{
    struct bench b = {.patterns = json_pack("[s]", id)};
    struct tl_certify_rules rules = {.given = true, .requirements = b.patterns};

    ck_assert_int_eq(tl_needs_make(&b.needs, &rules), 0);
    return b;
}

static void end(struct bench *b)
{
    tl_needs_free(&b->needs);
    json_decref(b->patterns);
}

static enum tl_need_state state_of(const struct bench *b, const char *id)
{
    for (size_t i = 0; i < b->needs.count; i++)
        if (strcmp(b->needs.list[i].requirement->id, id) == 0)
            return tl_need_state(&b->needs.list[i], &b->ics);
    ck_abort_msg("no %s", id);
    return TL_NEED_STATES;
}

static const struct fal_rule *rule_named(const char *id)
{
    const struct fal_rule *rule = fal_rule_find(id);

    ck_assert_msg(rule != NULL, "no rule %s", id);
    return rule;
}

/* A case with a result of rule R1, which decides FTP-9.1.6-03 or not. */
static void add_result(struct bench *b, enum fal_verdict verdict, const char *rule,
                       struct fal_rule_result result)
{
    struct tl_case c = {.id = "a", .verdict = verdict, .rules = &result, .num_rules = 1};

    result.rule = rule_named(rule);
    tl_needs_add(&b->needs, &c);
}

/* A requirement, and a rule that is known to tell a fault tagged with it. */
#define RULE "N4"
#define ID   "FTP-9.2.4-01"

START_TEST(gaps_are_told_from_what_held)
{
    struct bench b = begin(ID);

    ck_assert_int_eq(state_of(&b, ID), TL_NEED_NOT_EXERCISED);
    add_result(&b, FAL_VERDICT_PASS, RULE, (struct fal_rule_result){.excused = {3}});
    ck_assert_int_eq(state_of(&b, ID), TL_NEED_EXCUSED);
    add_result(&b, FAL_VERDICT_PASS, RULE, (struct fal_rule_result){.undecided = 3});
    ck_assert_int_eq(state_of(&b, ID), TL_NEED_INCONCLUSIVE);
    /* A rule that held in a case without a verdict, or for the tester itself, does not count.
     */
    add_result(&b, FAL_VERDICT_INCONC, RULE, (struct fal_rule_result){.holds = 3});
    add_result(&b, FAL_VERDICT_PASS, RULE,
               (struct fal_rule_result){.holds = 3, .subject = FAL_SUBJECT_TESTER});
    ck_assert_int_eq(state_of(&b, ID), TL_NEED_INCONCLUSIVE);
    /* 6 instances are open: 58 that held are too few to have shown a fault of one in 20. */
    add_result(&b, FAL_VERDICT_PASS, RULE, (struct fal_rule_result){.holds = 58});
    ck_assert_int_eq(state_of(&b, ID), TL_NEED_INCONCLUSIVE);
    add_result(&b, FAL_VERDICT_PASS, RULE, (struct fal_rule_result){.holds = 1});
    ck_assert_int_eq(state_of(&b, ID), TL_NEED_HELD);
    add_result(&b, FAL_VERDICT_PASS, RULE, (struct fal_rule_result){.excused = {60}});
    ck_assert_int_eq(state_of(&b, ID), TL_NEED_INCONCLUSIVE); /* most are open */
    end(&b);
}
END_TEST

static void add_problem(struct bench *b, struct tl_problem problem, enum tl_disposition d)
{
    struct tl_case c = {.id = "a",
                        .verdict = problem.verdict,
                        .disposition = d,
                        .problems = &problem,
                        .num_problems = 1};

    problem.requirement = fal_requirement_find(ID);
    tl_needs_add(&b->needs, &c);
}

START_TEST(a_failure_outweighs_whatever_held)
{
    struct bench b = begin(ID);

    add_result(&b, FAL_VERDICT_PASS, RULE, (struct fal_rule_result){.holds = 100});
    add_problem(&b, (struct tl_problem){.verdict = FAL_VERDICT_WARN}, TL_RAN);
    ck_assert_int_eq(state_of(&b, ID), TL_NEED_WARNED);
    add_problem(&b, (struct tl_problem){.verdict = FAL_VERDICT_FAIL, .waiver = "W"}, TL_WAIVED);
    ck_assert_int_eq(state_of(&b, ID), TL_NEED_WAIVED);
    add_problem(&b, (struct tl_problem){.verdict = FAL_VERDICT_FAIL}, TL_RAN);
    ck_assert_int_eq(state_of(&b, ID), TL_NEED_FAILED);
    end(&b);
}
END_TEST

START_TEST(what_the_statement_denies_is_no_gap_and_what_nothing_proves_is_said)
{
    struct bench b = begin("FTP-9.2.2.3-01");
    struct bench other = begin("FTP-9.2.2.1-02");

    ck_assert_int_eq(state_of(&b, "FTP-9.2.2.3-01"), TL_NEED_NOT_EXERCISED);
    b.ics.items[TL_ICS_PSP] = TL_ICS_NO;
    ck_assert_int_eq(state_of(&b, "FTP-9.2.2.3-01"), TL_NEED_NOT_APPLICABLE);
    ck_assert_int_eq(state_of(&other, "FTP-9.2.2.1-02"), TL_NEED_UNPROVEN);
    end(&b);
    end(&other);
}
END_TEST

/* ---- keys ---- */

static void make_key(char path[32])
{
    EVP_PKEY *pkey = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    FILE *out;
    int fd;

    (void)snprintf(path, 32, "/tmp/talon-key-XXXXXX");
    fd = mkstemp(path);
    out = fdopen(fd, "w");
    ck_assert(pkey != NULL && out != NULL);
    ck_assert_int_eq(PEM_write_PrivateKey(out, pkey, NULL, NULL, 0, NULL, NULL), 1);
    (void)fclose(out);
    EVP_PKEY_free(pkey);
}

START_TEST(a_signature_is_of_one_key_and_one_text)
{
    char path[32], text[TL_KEY_TEXT], signature[TL_SIGNATURE_TEXT];
    struct fal_error err;
    struct tl_key *key, *other, *public;

    make_key(path);
    key = tl_key_load(path, true, &err);
    (void)unlink(path);
    make_key(path);
    other = tl_key_load(path, false, &err);
    (void)unlink(path);
    ck_assert(key != NULL && other != NULL);
    tl_key_text(key, text);
    public = tl_key_from(text);
    ck_assert_ptr_nonnull(public);
    ck_assert(tl_key_sign(key, "a text", 6, signature));
    ck_assert(tl_key_verify(public, "a text", 6, signature));
    ck_assert(!tl_key_verify(public, "a texT", 6, signature));
    ck_assert(!tl_key_verify(other, "a text", 6, signature));
    for (size_t i = 0; i + 1 < TL_SIGNATURE_TEXT; i++) {
        char was = signature[i];

        signature[i] = was == '0' ? '1' : '0';
        ck_assert(!tl_key_verify(public, "a text", 6, signature));
        signature[i] = was;
    }
    ck_assert(!tl_key_verify(public, "a text", 6, ""));
    ck_assert_ptr_null(tl_key_from("00"));
    ck_assert_ptr_null(tl_key_load("/nonexistent", true, &err));
    ck_assert_ptr_null(tl_key_load("Makefile", false, &err));
    tl_key_free(key);
    tl_key_free(other);
    tl_key_free(public);
    tl_key_free(NULL);
}
END_TEST

START_TEST(another_challenge_is_another_seed)
{
    uint64_t a, b, c;

    ck_assert(tl_certify_seed("core", "x", &a) && tl_certify_seed("core", "y", &b) &&
              tl_certify_seed("security", "x", &c));
    ck_assert(a != b && a != c && b != c);
    ck_assert(tl_certify_seed("core", "x", &b) && a == b);
}
END_TEST

/* ---- the IXIT ---- */

static int read_ixit(const char *text, struct tl_ixit *out, struct fal_error *err)
{
    char path[] = "/tmp/talon-ixit-XXXXXX";
    int fd = mkstemp(path), rc;

    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
    err->text[0] = 0;
    rc = tl_ixit_load(path, out, err);
    (void)unlink(path);
    return rc;
}

START_TEST(the_proforma_of_the_ixit_reads_and_says_nothing)
{
    json_t *proforma = tl_ixit_proforma();
    char *text = json_dumps(proforma, 0);
    struct tl_ixit ixit;
    struct fal_error err;

    ck_assert_msg(read_ixit(text, &ixit, &err) == 0, "%s", err.text);
    ck_assert_str_eq(ixit.identity.vendor, "");
    for (size_t i = 0; i < FAL_PARAM_ROWS; i++)
        ck_assert(!ixit.params.given[i]);
    tl_ixit_free(&ixit);
    free(text);
    json_decref(proforma);
    ck_assert_int_eq(
        read_ixit("{\"schema\": \"talon/ixit/1\", \"params\": {\"rtoo\": null}}", &ixit, &err),
        FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, "rto") != NULL, "%s", err.text);
    ck_assert_int_eq(read_ixit("{\"schema\": \"talon/ixit/1\"}", &ixit, &err), FAL_ERR_FORM);
    ck_assert_int_eq(read_ixit("{\"schema\": \"talon/ixit/1\", \"params\": {\"rto\": \"2ms\"}}",
                               &ixit, &err),
                     0);
    tl_ixit_free(&ixit);
}
END_TEST

static size_t refused(const struct tl_certify_rules *rules, const struct fal_params *params,
                      const char *words)
{
    json_t *refusals = json_array(), *why;
    size_t i, n = 0;

    tl_certify_review_values(rules, params, refusals);
    json_array_foreach(refusals, i, why) n += strstr(json_string_value(why), words) != NULL;
    json_decref(refusals);
    return n;
}

/* With their defaults in virtual time, and with values below the ratios. */
START_TEST(values_with_which_a_rule_that_is_needed_cannot_decide)
{
    json_t *acks = json_pack("[s]", "FTP-9.1.6-07"), *other = json_pack("[s]", "FTP-7.2-01");
    struct tl_certify_rules rules = {.requirements = acks};
    struct fal_params params;

    fal_params_default(&params, false);
    ck_assert_uint_eq(refused(&rules, &params, ""), 0);
    params.turnaround_ns = 2 * FAL_US + 1; /* 8 us are less than four of them */
    ck_assert_uint_eq(refused(&rules, &params, "cannot decide: coalescing timeout 8 us"), 2);
    ck_assert_uint_eq(refused(&rules, &params, "rule A1"), 1);
    ck_assert_uint_eq(refused(&rules, &params, "rule A2"), 1);
    rules.requirements = other; /* needs none of these rules */
    ck_assert_uint_eq(refused(&rules, &params, ""), 0);
    params.rto_varies = true;
    ck_assert_uint_eq(refused(&rules, &params, "rto_lo and rto_hi"), 1);
    params.rto_lo_ns = FAL_MS;
    params.rto_hi_ns = 8 * FAL_MS;
    ck_assert_uint_eq(refused(&rules, &params, ""), 0);
    params.rto_hi_ns++;
    ck_assert_uint_eq(refused(&rules, &params, "more than 8 times"), 1);
    json_decref(acks);
    json_decref(other);
}
END_TEST

/* Each limit: a value within it is accepted, one beyond it is refused if the profile needs one
 * of its rules, with the value, the rules and what to do. */
START_TEST(values_beyond_their_limits)
{
    json_t *all = json_pack("[s]", "*"), *none = json_pack("[s]", "FTP-7.2-01");
    struct tl_certify_rules rules = {.requirements = all};
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (enum fal_limit_at at = 0; at < FAL_LIMIT_COUNT; at++) {
        const struct fal_limit *limit = fal_limit(at);
        bool least = limit->kind == FAL_LIMIT_ATTEMPTS;
        struct fal_params params;
        uint64_t bound;

        fal_params_default(&params, false);
        params.rto_varies = limit->kind == FAL_LIMIT_SPAN;
        params.rto_lo_ns = params.rto_hi_ns = params.rto_ns;
        bound = fal_limit_of(at, &params);
        rules.requirements = all;
        ck_assert_int_eq(fal_param_set(&table[limit->param], &params, bound), 0);
        ck_assert_uint_eq(refused(&rules, &params, limit->rules), 0);
        ck_assert_int_eq(
            fal_param_set(&table[limit->param], &params, least ? bound - 1 : bound + 1), 0);
        ck_assert_uint_ge(refused(&rules, &params, "beyond its limit"), 1);
        ck_assert_uint_eq(refused(&rules, &params, limit->cure), 1);
        ck_assert_uint_eq(refused(&rules, &params, limit->rules), 1);
        rules.requirements = none;
        ck_assert_uint_eq(refused(&rules, &params, "beyond its limit"), 0);
    }
    json_decref(all);
    json_decref(none);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("certify");
    TCase *t = tcase_create("certify");

    tcase_add_test(t, demands_are_read);
    tcase_add_test(t, wrong_demands_say_where);
    tcase_add_test(t, gaps_are_told_from_what_held);
    tcase_add_test(t, a_failure_outweighs_whatever_held);
    tcase_add_test(t, what_the_statement_denies_is_no_gap_and_what_nothing_proves_is_said);
    tcase_add_test(t, a_signature_is_of_one_key_and_one_text);
    tcase_add_test(t, another_challenge_is_another_seed);
    tcase_add_test(t, the_proforma_of_the_ixit_reads_and_says_nothing);
    tcase_add_test(t, values_with_which_a_rule_that_is_needed_cannot_decide);
    tcase_add_test(t, values_beyond_their_limits);
    suite_add_tcase(suite, t);
    return suite;
}
