/* SPDX-License-Identifier: Apache-2.0
 * certificate_table.c - the members of a certificate.
 */
#include "harness/certify/certify.h"

static const char *const class_words[] = {"self", "laboratory"};
static const struct fal_shape class = {.kind = FAL_SHAPE_WORD, FAL_WORDS(class_words)};
static const struct fal_shape key = {.kind = FAL_SHAPE_TEXT, .pattern = "^[0-9a-f]{64}$"};
static const struct fal_member signer_members[] = {
    {"class", &class, .flags = FAL_MUST},
    {"name", &fal_shape_text, .flags = FAL_MUST},
    {"key", &key, .flags = FAL_MUST},
};
static const struct fal_shape signer = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(signer_members)};
static const struct fal_member challenge_members[] = {
    {"text", &fal_shape_text, .flags = FAL_MUST},
    {"given", &fal_shape_flag, .flags = FAL_MUST},
};
static const struct fal_shape challenge = {.kind = FAL_SHAPE_OBJECT,
                                           FAL_MEMBERS(challenge_members)};
static const struct fal_member frozen_members[] = {
    {"retries", &fal_shape_uint, .flags = FAL_MUST},
    {"repeat", &fal_shape_uint, .flags = FAL_MUST},
    {"command", &fal_shape_texts, .flags = FAL_MUST},
};
static const struct fal_shape frozen = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(frozen_members)};
static const struct fal_member sut_members[] = {
    {"vendor", &fal_shape_text, .flags = FAL_MUST | FAL_NULL},
    {"product", &fal_shape_text, .flags = FAL_MUST | FAL_NULL},
    {"firmware", &fal_shape_text, .flags = FAL_MUST | FAL_NULL},
    {"says", &fal_shape_text, .flags = FAL_MUST | FAL_NULL},
    {"address", &fal_shape_text, .flags = FAL_MUST},
    {"live", &fal_shape_flag, .flags = FAL_MUST},
};
static const struct fal_shape sut = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(sut_members)};
static const struct fal_member profile_members[] = {
    {"name", &fal_shape_text, .flags = FAL_MUST},
    {"title", &fal_shape_text, .flags = FAL_MUST},
};
static const struct fal_shape profile = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(profile_members)};
static const struct fal_shape seed = {.kind = FAL_SHAPE_TEXT, .pattern = "^[0-9]+$"};
static const struct fal_shape ics = {.kind = FAL_SHAPE_MAP, FAL_OF(&fal_shape_flag)};
static const struct fal_member suite_members[] = {
    {"files", &fal_shape_uint, .flags = FAL_MUST},
    {"sha256", &key, .flags = FAL_MUST},
};
static const struct fal_shape suite = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(suite_members)};
static const struct fal_shape counts = {.kind = FAL_SHAPE_MAP, FAL_OF(&fal_shape_uint)};
static const char *const state_words[] = {"held", "warned", "waived", "not applicable",
                                          "unproven"};
static const struct fal_shape state = {.kind = FAL_SHAPE_WORD, FAL_WORDS(state_words)};
static const struct fal_member list_item_members[] = {
    {"id", &fal_shape_text, .flags = FAL_MUST},
    {"state", &state, .flags = FAL_MUST},
    {"decided", &fal_shape_uint, .flags = FAL_MUST},
    {"reason", &fal_shape_text, .flags = FAL_MUST | FAL_NULL},
};
static const struct fal_shape list_item = {.kind = FAL_SHAPE_OBJECT,
                                           FAL_MEMBERS(list_item_members)};
static const struct fal_shape list = {.kind = FAL_SHAPE_LIST, FAL_OF(&list_item)};
static const struct fal_member requirements_members[] = {
    {"counts", &counts, .flags = FAL_MUST},
    {"list", &list, .flags = FAL_MUST},
};
static const struct fal_shape requirements = {.kind = FAL_SHAPE_OBJECT,
                                              FAL_MEMBERS(requirements_members)};
static const struct fal_member waiver_members[] = {
    {"id", &fal_shape_text, .flags = FAL_MUST},
    {"kind", FAL_ONE_WORD("waiver"), .flags = FAL_MUST},
    {"state", &fal_shape_text, .flags = FAL_MUST},
    {"cases", &fal_shape_uint, .flags = FAL_MUST},
    {"reason", &fal_shape_text, .flags = FAL_MUST},
    {"link", &fal_shape_text, .flags = FAL_MUST | FAL_NULL},
};
static const struct fal_shape waiver = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(waiver_members)};
static const struct fal_shape waivers = {.kind = FAL_SHAPE_LIST, FAL_OF(&waiver)};
static const struct fal_shape class2 = {.kind = FAL_SHAPE_TEXT, .pattern = "^[0-9a-f]{16}$"};
static const struct fal_member taken_item_members[] = {
    {"id", &fal_shape_text, .flags = FAL_MUST},
    {"text", &fal_shape_text, .flags = FAL_MUST},
    {"alternative", &fal_shape_flag, .flags = FAL_MUST},
};
static const struct fal_shape taken_item = {.kind = FAL_SHAPE_OBJECT,
                                            FAL_MEMBERS(taken_item_members)};
static const struct fal_shape taken = {.kind = FAL_SHAPE_LIST, FAL_OF(&taken_item)};
static const struct fal_member readings_members[] = {
    {"class", &class2, .flags = FAL_MUST},
    {"taken", &taken, .flags = FAL_MUST},
};
static const struct fal_shape readings = {.kind = FAL_SHAPE_OBJECT,
                                          FAL_MEMBERS(readings_members)};
static const struct fal_member attempt_members[] = {
    {"verdict", &fal_shape_text, .flags = FAL_MUST},
    {"reason", &fal_shape_text, .flags = 0},
};
static const struct fal_shape attempt = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(attempt_members)};
static const struct fal_shape attempts = {.kind = FAL_SHAPE_LIST, FAL_OF(&attempt)};
static const struct fal_member repeated_item_members[] = {
    {"case", &fal_shape_text, .flags = FAL_MUST},
    {"attempts", &attempts, .flags = FAL_MUST},
};
static const struct fal_shape repeated_item = {.kind = FAL_SHAPE_OBJECT,
                                               FAL_MEMBERS(repeated_item_members)};
static const struct fal_shape repeated = {.kind = FAL_SHAPE_LIST, FAL_OF(&repeated_item)};
static const struct fal_member attempts_members[] = {
    {"cases", &fal_shape_uint, .flags = FAL_MUST},
    {"repeated", &repeated, .flags = FAL_MUST},
};
static const struct fal_shape attempts2 = {.kind = FAL_SHAPE_OBJECT,
                                           FAL_MEMBERS(attempts_members)};
static const struct fal_shape failed = {.kind = FAL_SHAPE_UINT, .more = "{\"const\": 0}"};
static const struct fal_member control_members[] = {
    {"cases", &fal_shape_uint, .flags = FAL_MUST},
    {"failed", &failed, .flags = FAL_MUST},
};
static const struct fal_shape control = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(control_members)};
static const struct fal_shape told = {.kind = FAL_SHAPE_UINT, .min = 1};
static const struct fal_member fault_members[] = {
    {"fault", &fal_shape_text, .flags = FAL_MUST},
    {"case", &fal_shape_text, .flags = FAL_MUST},
    {"verdict", &fal_shape_text, .flags = FAL_MUST},
    {"told", &fal_shape_flag, .flags = FAL_MUST},
};
static const struct fal_shape fault = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(fault_members)};
static const struct fal_shape faults = {.kind = FAL_SHAPE_LIST, FAL_OF(&fault)};
static const struct fal_member qualification_members[] = {
    {"link", &fal_shape_text, .flags = FAL_MUST},  {"control", &control, .flags = FAL_MUST},
    {"tried", &fal_shape_uint, .flags = FAL_MUST}, {"told", &told, .flags = FAL_MUST},
    {"faults", &faults, .flags = FAL_MUST},
};
static const struct fal_shape qualification = {.kind = FAL_SHAPE_OBJECT,
                                               FAL_MEMBERS(qualification_members)};
static const struct fal_member file_members[] = {
    {"name", &fal_shape_text, .flags = FAL_MUST},
    {"sha256", &key, .flags = FAL_MUST},
};
static const struct fal_shape file = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(file_members)};
static const struct fal_shape files = {.kind = FAL_SHAPE_LIST, FAL_OF(&file)};
static const struct fal_shape value = {.kind = FAL_SHAPE_TEXT, .pattern = "^[0-9a-f]{128}$"};
static const struct fal_member signature_members[] = {
    {"algorithm", FAL_ONE_WORD("ed25519"), .flags = FAL_MUST},
    {"value", &value, .flags = FAL_MUST},
};
static const struct fal_shape signature = {.kind = FAL_SHAPE_OBJECT,
                                           FAL_MEMBERS(signature_members)};
static const struct fal_member file_members2[] = {
    {"schema", FAL_ONE_WORD(TL_CERTIFICATE_SCHEMA), .flags = FAL_MUST},
    {"issued", &fal_shape_text, .flags = FAL_MUST},
    {"specification", &fal_shape_text, .flags = FAL_MUST},
    {"signer", &signer, .flags = FAL_MUST},
    {"challenge", &challenge, .flags = FAL_MUST},
    {"frozen", &frozen, .flags = FAL_MUST},
    {"tool", &fal_shape_text, .flags = FAL_MUST},
    {"sut", &sut, .flags = FAL_MUST},
    {"profile", &profile, .flags = FAL_MUST},
    {"seed", &seed, .flags = FAL_MUST},
    {"ics", &ics, .flags = FAL_MUST},
    {"suite", &suite, .flags = FAL_MUST},
    {"counts", &counts, .flags = FAL_MUST},
    {"requirements", &requirements, .flags = FAL_MUST},
    {"waivers", &waivers, .flags = FAL_MUST},
    {"readings", &readings, .flags = FAL_MUST},
    {"attempts", &attempts2, .flags = FAL_MUST},
    {"qualification", &qualification, .flags = FAL_MUST},
    {"results_sha256", &key, .flags = FAL_MUST},
    {"manifest_sha256", &key, .flags = FAL_MUST},
    {"files", &files, .flags = FAL_MUST},
    {"signature", &signature, .flags = FAL_MUST},
};
const struct fal_shape tl_certificate_shape = {
    .kind = FAL_SHAPE_OBJECT,
    FAL_MEMBERS(file_members2),
    .doc =
        "The certificate that talon certify signs; talon certify --verify checks it against the evidence beside it."};
