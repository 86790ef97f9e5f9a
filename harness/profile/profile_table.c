/* SPDX-License-Identifier: Apache-2.0
 * profile_table.c - the members of a profile.
 */
#include "harness/profile/profile.h"

static const struct fal_shape short_name = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = 80};
static const struct fal_shape title = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = 200};
static const struct fal_shape pattern = {.kind = FAL_SHAPE_TEXT, .min = 1};
static const struct fal_shape patterns = {.kind = FAL_SHAPE_LIST,
                                          FAL_OF(&pattern),
                                          .keeps_json = true,
                                          .expected = "an array of patterns"};
static const char *const class_words[] = {"valid",  "invalid",  "inopportune",
                                          "!valid", "!invalid", "!inopportune"};
static const struct fal_shape a_class = {.kind = FAL_SHAPE_WORD, FAL_WORDS(class_words)};
static const struct fal_shape classes = {.kind = FAL_SHAPE_LIST, FAL_OF(&a_class)};
static const struct fal_member select_members[] = {
    {"id", &patterns, .flags = 0, .doc = "globs over ids of cases"},
    {"tag", &patterns, .flags = 0, .doc = "globs"},
    {"requirement", &patterns, .flags = 0, .doc = "globs over what is covered"},
    {"chapter", &patterns, .flags = 0, .doc = "9.1, RDMA-6.4"},
    {"class", &classes, .flags = 0},
};
static const struct fal_shape selection = {
    .kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(select_members), .keeps_json = true};
static int read_claim(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *name = json_string_value(value);

    (void)out;
    if (name == NULL || tl_ics_find(name) < 0)
        return fal_misfit_say(wrong, "no ICS item '%.40s' (talon list ics)",
                              name != NULL ? name : "");
    return 0;
}

static const struct fal_shape claim = {.kind = FAL_SHAPE_TEXT, .min = 1, .read = read_claim};
static const struct fal_shape claims = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&claim), .keeps_json = true};
static const struct fal_shape requirements = {.kind = FAL_SHAPE_LIST,
                                              FAL_OF(&pattern),
                                              .min = 1,
                                              .keeps_json = true,
                                              .expected = "an array of patterns"};
static const struct fal_shape most = {.kind = FAL_SHAPE_UINT, .max = 1000};
static const struct fal_member waivers_members[] = {
    {"most", &most, 0, FAL_AT(struct tl_certify_waivers, most), .doc = "most entries in all"},
    {"requirements", &patterns, 0, FAL_AT(struct tl_certify_waivers, requirements),
     .doc = "globs over requirements that may be waived"},
};
static const struct fal_shape waivers = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(waivers_members)};
static const struct fal_shape retries = {.kind = FAL_SHAPE_UINT, .max = 15};
static const struct fal_shape repeat = {.kind = FAL_SHAPE_UINT, .min = 1, .max = 100};
static const struct fal_shape qualify_live = {.kind = FAL_SHAPE_UINT, .min = 1, .max = 10000};
static const struct fal_member certify_members[] = {
    {"requirements", &requirements, FAL_MUST, FAL_AT(struct tl_certify_rules, requirements),
     .doc = "globs over ids of requirements that must be decided; !GLOB excludes"},
    {"must_pass", &patterns, 0, FAL_AT(struct tl_certify_rules, must_pass),
     .doc =
         "globs over ids of cases that must pass without a waiver; each must match at least one case"},
    {"claims", &claims, 0, FAL_AT(struct tl_certify_rules, claims),
     .doc = "ICS items that must be claimed"},
    {"waivers", &waivers, 0, FAL_AT(struct tl_certify_rules, waivers),
     .doc = "what may be waived; absent: nothing"},
    {"retries", &retries, 0, FAL_AT(struct tl_certify_rules, retries),
     .initial = TL_CERTIFY_RETRIES, .doc = "of an inconclusive case on a live link (2)"},
    {"repeat", &repeat, 0, FAL_AT(struct tl_certify_rules, repeat), .initial = 1,
     .doc = "runs of each case (1)"},
    {"qualify_live", &qualify_live, 0, FAL_AT(struct tl_certify_rules, qualify_live),
     .initial = TL_CERTIFY_QUALIFY_LIVE,
     .doc = "planted faults that qualify a bench on a live link (24)"},
};
static const struct fal_shape certify = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(certify_members)};
static const char *const protocol_words[] = {"falcon", "roce"};
static const struct fal_shape protocol = {.kind = FAL_SHAPE_WORD, FAL_WORDS(protocol_words)};
static const struct fal_member file_members[] = {
    {"$schema", &fal_shape_text, .flags = 0},
    {"schema", FAL_ONE_WORD(TL_PROFILE_SCHEMA), .flags = FAL_MUST},
    {"name", &short_name, FAL_MUST, FAL_AT(struct tl_profile, name)},
    {"title", &title, FAL_MUST, FAL_AT(struct tl_profile, title)},
    {"protocol", &protocol, 0, FAL_AT(struct tl_profile, protocol),
     .doc = "falcon (default), or roce: scenarios of RoCEv2 (docs/roce.md)"},
    {"select", &selection, 0, FAL_AT(struct tl_profile, patterns),
     .doc =
         "patterns of one kind are alternatives; a case must match every kind given; !pattern excludes"},
    {"ics", &tl_ics_items_shape, 0, FAL_AT(struct tl_profile, ics.items),
     .doc = "answers for items that --ics leaves open"},
    {"params", &tl_given_params_shape, 0, FAL_AT(struct tl_profile, params),
     .doc = "replace the defaults; a scenario's own parameters replace these"},
    {"certify", &certify, 0, FAL_AT(struct tl_profile, certify),
     FAL_HAS(struct tl_profile, certify.given),
     .doc = "the conditions for a certificate: talon certify --profile NAME"},
};
const struct fal_shape tl_profile_shape = {
    .kind = FAL_SHAPE_OBJECT,
    FAL_MEMBERS(file_members),
    .doc = "A named set of case selection, ICS and parameters: talon run --profile NAME."};
