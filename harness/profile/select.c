/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/profile/select.h"

#include <fnmatch.h>
#include <string.h>

static const char *const kind_names[TL_SELECT_KINDS] = {"id", "tag", "requirement", "chapter",
                                                        "class"};

const char *tl_select_kind_name(enum tl_select_kind kind)
{
    return kind_names[kind];
}

static bool is_class(const char *word)
{
    for (int k = TL_CLASS_VALID; k <= TL_CLASS_INOPPORTUNE; k++)
        if (strcmp(tl_class_name((enum tl_class)k), word) == 0)
            return true;
    return false;
}

int tl_select_add(struct tl_select *select, enum tl_select_kind kind, const char *text,
                  struct fal_error *err)
{
    bool excluded = *text == '!';

    text += excluded;
    if (*text == 0)
        return fal_fail(err, FAL_ERR_FORM, "expected a pattern");
    if (kind == TL_SELECT_CLASS && !is_class(text))
        return fal_fail(err, FAL_ERR_FORM, "'%.60s': expected valid, invalid or inopportune",
                        text);
    if (select->count == TL_SELECT_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "more than %d patterns", TL_SELECT_MAX);
    select->list[select->count].kind = kind;
    select->list[select->count].pattern = text;
    select->list[select->count++].excluded = excluded;
    return 0;
}

/* A profile may name thousands of cases: a pattern without wildcards needs no fnmatch. */
static bool glob(const char *pattern, const char *text)
{
    return strcmp(pattern, text) == 0 ||
           (strpbrk(pattern, "*?[\\") != NULL && fnmatch(pattern, text, 0) == 0);
}

/* "9.1" holds 9.1 and 9.1.6, not 9.10. */
bool tl_select_in_chapter(const char *chapter, const struct fal_requirement *r)
{
    size_t len = strlen(r->spec), n;

    if (strncmp(chapter, r->spec, len) == 0 && chapter[len] == '-')
        chapter += len + 1;
    else if (strcmp(r->spec, "FTP") != 0)
        return false;
    n = strlen(chapter);
    return strncmp(r->section, chapter, n) == 0 && (r->section[n] == 0 || r->section[n] == '.');
}

bool tl_select_admits(const struct tl_select *select, const char *file_id, const char *id)
{
    bool asked = false, met = false;

    for (size_t i = 0; i < select->count; i++) {
        const char *pattern = select->list[i].pattern;
        bool hit;

        if (select->list[i].kind != TL_SELECT_ID)
            continue;
        hit = glob(pattern, id) || glob(pattern, file_id);
        if (select->list[i].excluded && hit)
            return false;
        asked |= !select->list[i].excluded;
        met |= hit && !select->list[i].excluded;
    }
    return !asked || met;
}

bool tl_select_id_fits(const char *pattern, const struct tl_scenario *scenario, const char *id)
{
    return glob(pattern, id) || glob(pattern, scenario->file_id);
}

static bool matches(enum tl_select_kind kind, const char *pattern,
                    const struct tl_scenario *scenario, const char *id)
{
    switch (kind) {
    case TL_SELECT_ID: return tl_select_id_fits(pattern, scenario, id);
    case TL_SELECT_TAG:
        for (size_t i = 0; i < scenario->num_tags; i++)
            if (glob(pattern, scenario->tags[i]))
                return true;
        return false;
    case TL_SELECT_REQUIREMENT:
        for (size_t i = 0; i < scenario->covers.count; i++)
            if (glob(pattern, scenario->covers.list[i]->id))
                return true;
        return false;
    case TL_SELECT_CHAPTER:
        for (size_t i = 0; i < scenario->covers.count; i++)
            if (tl_select_in_chapter(pattern, scenario->covers.list[i]))
                return true;
        return false;
    case TL_SELECT_CLASS: return strcmp(pattern, tl_class_name(scenario->kind)) == 0;
    case TL_SELECT_KINDS: break;
    }
    return false;
}

bool tl_select_takes(const struct tl_select *select, const struct tl_scenario *scenario,
                     const char *id)
{
    bool asked[TL_SELECT_KINDS] = {false}, met[TL_SELECT_KINDS] = {false};

    for (size_t i = 0; i < select->count; i++) {
        enum tl_select_kind kind = select->list[i].kind;
        bool hit = matches(kind, select->list[i].pattern, scenario, id);

        if (select->list[i].excluded && hit)
            return false;
        asked[kind] |= !select->list[i].excluded;
        met[kind] |= hit && !select->list[i].excluded;
    }
    for (int kind = 0; kind < TL_SELECT_KINDS; kind++)
        if (asked[kind] && !met[kind])
            return false;
    return true;
}

bool tl_select_names(const struct tl_select *select, const struct tl_scenario *scenario,
                     const char *id)
{
    for (size_t i = 0; i < select->count; i++) {
        enum tl_select_kind kind = select->list[i].kind;

        if (select->list[i].excluded)
            continue;
        if ((kind == TL_SELECT_ID && matches(kind, select->list[i].pattern, scenario, id)) ||
            (kind == TL_SELECT_TAG && glob(select->list[i].pattern, TL_TAG_SOAK)))
            return true;
    }
    return false;
}

bool tl_select_soaks(const struct tl_scenario *scenario)
{
    return matches(TL_SELECT_TAG, TL_TAG_SOAK, scenario, scenario->id);
}
