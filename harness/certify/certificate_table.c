/* SPDX-License-Identifier: Apache-2.0
 * certificate_table.c - the members of a certificate. Those without a place in C are compared
 * as JSON with what the evidence shows. */
#include "harness/certify/certify.h"

#include <string.h>

#define C(field) FAL_AT(struct tl_certificate, field)
#define WHOLE    .at = 0, .size = sizeof(struct tl_certificate)

static const char *const class_words[] = {"self", "laboratory"};
/* The text is kept, not its index. */
static int read_class(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);

    for (size_t i = 0; text != NULL && i < sizeof class_words / sizeof *class_words; i++) {
        if (strcmp(text, class_words[i]) != 0)
            continue;
        if (out != NULL)
            memcpy(out, &class_words[i], sizeof class_words[i]);
        return 0;
    }
    return fal_misfit_say(wrong, "expected self or laboratory");
}

static const struct fal_shape signer_class = {
    .kind = FAL_SHAPE_WORD, FAL_WORDS(class_words), .read = read_class};
static const struct fal_shape key = {.kind = FAL_SHAPE_TEXT, .pattern = "^[0-9a-f]{64}$"};
static const struct fal_member signer_members[] = {
    {"class", &signer_class, FAL_MUST, C(signer.kind)},
    {"name", &fal_shape_text, FAL_MUST, C(signer.name)},
    {"key", &key, FAL_MUST, C(signer.key)},
};
static const struct fal_shape signer = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(signer_members)};
static const struct fal_member challenge_members[] = {
    {"text", &fal_shape_text, FAL_MUST, C(challenge.text)},
    {"given", &fal_shape_flag, FAL_MUST, C(challenge.given)},
};
static const struct fal_shape challenge = {.kind = FAL_SHAPE_OBJECT,
                                           FAL_MEMBERS(challenge_members)};
static const struct fal_shape command = {.kind = FAL_SHAPE_LIST,
                                         FAL_OF(&fal_shape_text),
                                         .keeps_json = true,
                                         .expected = "an array of texts"};
static const struct fal_member frozen_members[] = {
    {"retries", &fal_shape_uint, .flags = FAL_MUST},
    {"repeat", &fal_shape_uint, .flags = FAL_MUST},
    {"command", &command, FAL_MUST, C(frozen.command)},
};
static const struct fal_shape frozen = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(frozen_members)};
static const struct fal_member sut_members[] = {
    {"vendor", &fal_shape_text, FAL_MUST | FAL_NULL, C(sut.vendor)},
    {"product", &fal_shape_text, FAL_MUST | FAL_NULL, C(sut.product)},
    {"firmware", &fal_shape_text, FAL_MUST | FAL_NULL, C(sut.firmware)},
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
static const struct fal_shape qualification = {
    .kind = FAL_SHAPE_OBJECT, .keeps_json = true, FAL_MEMBERS(qualification_members)};
static const struct fal_member file_members[] = {
    {"name", &fal_shape_text, .flags = FAL_MUST},
    {"sha256", &key, .flags = FAL_MUST},
};
static const struct fal_shape file = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(file_members)};
static const struct fal_shape files = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&file), .keeps_json = true};
static const struct fal_shape value = {.kind = FAL_SHAPE_TEXT, .pattern = "^[0-9a-f]{128}$"};
static const struct fal_member signature_members[] = {
    {"algorithm", FAL_ONE_WORD("ed25519"), .flags = FAL_MUST},
    {"value", &value, FAL_MUST, C(signature)},
};
static const struct fal_shape signature = {.kind = FAL_SHAPE_OBJECT,
                                           FAL_MEMBERS(signature_members)};
static const struct fal_member file_members2[] = {
    {"schema", FAL_ONE_WORD(TL_CERTIFICATE_SCHEMA), .flags = FAL_MUST},
    {"issued", &fal_shape_text, FAL_MUST, C(issued)},
    {"specification", &fal_shape_text, .flags = FAL_MUST},
    {"signer", &signer, FAL_MUST | FAL_INLINE, WHOLE},
    {"challenge", &challenge, FAL_MUST | FAL_INLINE, WHOLE},
    {"frozen", &frozen, FAL_MUST | FAL_INLINE, WHOLE},
    {"tool", &fal_shape_text, FAL_MUST, C(tool)},
    {"sut", &sut, FAL_MUST | FAL_INLINE, WHOLE},
    {"profile", &profile, .flags = FAL_MUST},
    {"seed", &seed, FAL_MUST, C(seed)},
    {"ics", &ics, .flags = FAL_MUST},
    {"suite", &suite, .flags = FAL_MUST},
    {"counts", &counts, .flags = FAL_MUST},
    {"requirements", &requirements, .flags = FAL_MUST},
    {"waivers", &waivers, .flags = FAL_MUST},
    {"readings", &readings, .flags = FAL_MUST},
    {"attempts", &attempts2, .flags = FAL_MUST},
    {"qualification", &qualification, FAL_MUST, C(qualification)},
    {"results_sha256", &key, .flags = FAL_MUST},
    {"manifest_sha256", &key, .flags = FAL_MUST},
    {"files", &files, FAL_MUST, C(files)},
    {"signature", &signature, FAL_MUST | FAL_INLINE, WHOLE},
};
const struct fal_shape tl_certificate_shape = {
    .kind = FAL_SHAPE_OBJECT,
    FAL_MEMBERS(file_members2),
    .doc =
        "The certificate that talon certify signs; talon certify --verify checks it against the evidence beside it."};

int tl_certificate_read(const json_t *certificate, struct tl_certificate *out,
                        struct fal_error *err)
{
    struct fal_misfit wrong;
    int rc = fal_shape_read(&tl_certificate_shape, certificate, out, false, &wrong);

    return rc == 0 ? 0 : fal_misfit_error(&wrong, rc, "certificate.json", err);
}
