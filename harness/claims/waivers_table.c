/* SPDX-License-Identifier: Apache-2.0
 * waivers_table.c - the members of a waiver file. */
#include "harness/claims/waivers.h"

#include "harness/claims/firmware.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 2000 };

/* ---- values with rules of their own ---- */

static int read_requirement(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *id = json_string_value(value);

    if (id == NULL || fal_requirement_find(id) == NULL)
        return fal_misfit_say(wrong, "no requirement '%.40s'", id != NULL ? id : "");
    if (out != NULL)
        memcpy(out, &id, sizeof id);
    return 0;
}

static int read_firmware(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *range = json_string_value(value);
    struct fal_error why = {{0}};

    if (range == NULL)
        return fal_misfit_say(wrong, "expected a range such as \">=1.2 <2.0\"");
    if (tl_firmware_range_check(range, &why) != 0)
        return fal_misfit_say(wrong, "%s", why.text);
    if (out != NULL)
        memcpy(out, &range, sizeof range);
    return 0;
}

static int read_date(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);
    uint32_t date = text != NULL ? tl_date_read(text) : 0;

    if (date == 0)
        return fal_misfit_say(wrong, "expected the last day, YYYY-MM-DD");
    if (out != NULL)
        memcpy(out, &date, sizeof date);
    return 0;
}

/* "7 of 10" */
static int read_passes(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);
    struct tl_waiver_passes passes = {0};
    char *end;

    if (text != NULL && strspn(text, "0123456789") > 0) {
        passes.least = (unsigned)strtoul(text, &end, 10);
        if (strncmp(end, " of ", 4) == 0 && strspn(end + 4, "0123456789") > 0)
            passes.of = (unsigned)strtoul(end + 4, &end, 10);
        if (*end != 0)
            passes.of = 0;
    }
    if (passes.least < 1 || passes.least >= passes.of || passes.of > TL_REPEATS_MAX)
        return fal_misfit_say(wrong, "expected such as \"7 of 10\", at least 1 and not all");
    if (out != NULL)
        memcpy(out, &passes, sizeof passes);
    return 0;
}

static int read_print(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);

    (void)out;
    if (text != NULL && strlen(text) == TL_FINGERPRINT_LEN &&
        strspn(text, "0123456789abcdef") == TL_FINGERPRINT_LEN)
        return 0;
    return fal_misfit_say(wrong, "expected %d hex digits", TL_FINGERPRINT_LEN);
}

/* ---- the table ---- */

static const struct fal_shape text = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = TEXT_MAX};
static const struct fal_shape requirement = {
    .kind = FAL_SHAPE_TEXT, .min = 1, .max = TEXT_MAX, .read = read_requirement};
static const struct fal_shape firmware = {
    .kind = FAL_SHAPE_TEXT, .min = 1, .max = TEXT_MAX, .read = read_firmware};
static const struct fal_shape date = {
    .kind = FAL_SHAPE_TEXT, .pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", .read = read_date};
static const struct fal_shape passes = {
    .kind = FAL_SHAPE_TEXT, .pattern = "^[0-9]+ of [0-9]+$", .read = read_passes};
static const char *const kind_words[] = {"waiver", "expected-failure", "flaky"};
static const struct fal_shape kind = {.kind = FAL_SHAPE_WORD, FAL_WORDS(kind_words)};
static const struct fal_shape print = {
    .kind = FAL_SHAPE_TEXT, .pattern = "^[0-9a-f]{16}$", .read = read_print};
static const struct fal_shape some_prints = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&print), .min = 1, .max = TL_WAIVER_PRINTS_MAX};
static const struct fal_shape prints = {
    .kind = FAL_SHAPE_ANY_OF, FAL_OF(&print, &some_prints), .keeps_json = true};

#define AT(field) FAL_AT(struct tl_waiver, field)
static const struct fal_member entry_members[] = {
    {"id", &text, FAL_MUST, AT(id), .doc = "a unique name; reports show it"},
    {"kind", &kind, FAL_MUST, AT(kind),
     .doc = "waiver: the failure is accepted; expected-failure: it is known and being fixed; "
            "flaky: the case passes in some of the runs"},
    {"scenario", &text, FAL_NULL, AT(scenario), .doc = "glob over ids of cases and scenarios"},
    {"requirement", &requirement, FAL_NULL, AT(requirement),
     .doc = "the requirement that the failure violates"},
    {"vendor", &text, FAL_NULL, AT(vendor), .doc = "glob"},
    {"product", &text, FAL_NULL, AT(product), .doc = "glob"},
    {"firmware", &firmware, FAL_NULL, AT(firmware), .doc = "a range: >=1.2 <2.0"},
    {"fingerprint", &prints, 0, AT(fingerprint),
     .doc = "of the failure, as talon run prints it; a different failure is not waived"},
    {"passes", &passes, 0, AT(passes), FAL_HAS(struct tl_waiver, has_passes),
     .doc = "of flaky cases: how many runs must pass, such as 7 of 10"},
    {"reason", &text, FAL_MUST, AT(reason)},
    {"link", &text, FAL_NULL, AT(link)},
    {"approver", &text, FAL_MUST, AT(approver), .doc = "who approved it"},
    {"expires", &date, FAL_MUST, AT(expires), .doc = "the last day"},
};
static const struct fal_shape entry = {
    .kind = FAL_SHAPE_OBJECT,
    FAL_MEMBERS(entry_members),
    /* waivers_read.c checks these. */
    .more =
        "{\"anyOf\": [{\"required\": [\"scenario\"]}, {\"required\": [\"requirement\"]}],"
        " \"if\": {\"properties\": {\"kind\": {\"const\": \"flaky\"}}},"
        " \"then\": {\"required\": [\"passes\"], \"not\": {\"required\": [\"fingerprint\"]}},"
        " \"else\": {\"required\": [\"fingerprint\"], \"not\": {\"required\": [\"passes\"]}}}"};
static const struct fal_shape entries = {.kind = FAL_SHAPE_LIST,
                                         FAL_OF(&entry),
                                         .max = TL_WAIVERS_MAX,
                                         .item_size = sizeof(struct tl_waiver),
                                         .expected = "an array of entries"};
static const struct fal_member file_members[] = {
    {"$schema", &fal_shape_text, .flags = 0},
    {"schema", FAL_ONE_WORD(TL_WAIVERS_SCHEMA), .flags = FAL_MUST},
    {"entries", &entries, FAL_MUST, FAL_AT(struct tl_waivers, list),
     FAL_COUNT(struct tl_waivers, count)},
};
const struct fal_shape tl_waivers_shape = {
    .kind = FAL_SHAPE_OBJECT,
    .doc = "Accepted deviations, expected failures and flaky cases: talon run --waivers FILE.",
    FAL_MEMBERS(file_members)};
