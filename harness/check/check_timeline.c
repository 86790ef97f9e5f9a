/* SPDX-License-Identifier: Apache-2.0
 * check_timeline.c - judges a timeline, as talon run --out leaves it. */
#include "harness/check/check.h"

#include "codecs/base/error.h"
#include "harness/doc/line_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tl_check_is_timeline(const char *path)
{
    char start[256] = {0};
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "re");
    int c;

    if (strcmp(path, "-") == 0) { /* a capture's first byte is no brace */
        c = getchar();
        (void)ungetc(c, stdin);
        return c == '{';
    }
    if (file == NULL)
        return false;
    (void)fread(start, 1, sizeof start - 1, file);
    (void)fclose(file);
    return strchr(start, '{') != NULL && strstr(start, "\"talon/timeline/") != NULL;
}

int tl_check_timeline_line(struct tl_check *check, struct fal_span line, uint64_t number,
                           struct fal_event_storage *storage, struct fal_error *err)
{
    json_error_t where;
    json_t *object =
        json_loadb((const char *)line.bytes, line.len, JSON_REJECT_DUPLICATES, &where);
    struct fal_event event;
    const char *schema;
    int result = 0;

    if (object == NULL)
        return fal_fail(err, FAL_ERR_FORM, "column %d: %s", where.column, where.text);
    schema = json_string_value(json_object_get(object, "schema"));
    if (number == 1) {
        if (schema == NULL || strcmp(schema, FAL_TIMELINE_SCHEMA) != 0)
            result = fal_fail(err, FAL_ERR_FORM, "the first line is not {\"schema\": \"%s\"}",
                              FAL_TIMELINE_SCHEMA);
    } else {
        result = fal_event_from_json(object, &event, storage, err);
        if (result == 0) {
            check->packets += event.kind == FAL_EV_PACKET;
            tl_check_tell_story(check, &event, event.u.packet.dir == FAL_TO_SUT);
            tl_check_event(check, 0, &event);
        }
    }
    json_decref(object);
    return result;
}

int tl_check_timeline_begin(struct tl_check *check)
{
    check->timeline = true;
    return tl_check_both_sides(check);
}

int tl_check_timeline(struct tl_check *check, const char *path, struct fal_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    struct tl_file_lines lines = {.file = standard ? stdin : fopen(path, "re")};
    struct fal_event_storage storage = {0};
    struct fal_error what = {{0}};
    int result = 0, got;

    if (lines.file == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s: %s", path,
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    if (tl_check_timeline_begin(check) != 0)
        result = fal_fail(&what, FAL_ERR_MEM, "out of memory");
    while (result == 0 && (got = tl_file_line(&lines, &what)) != 0) {
        result = got;
        if (got > 0)
            result = lines.len == 0 && lines.number > 1
                         ? 0
                         : tl_check_timeline_line(
                               check, (struct fal_span){(const uint8_t *)lines.line, lines.len},
                               lines.number, &storage, &what);
    }
    if (result != 0)
        (void)fal_fail(err, result, "%s:%llu: %s", standard ? "standard input" : path,
                       (unsigned long long)lines.number, what.text);
    free(lines.line);
    fal_event_storage_free(&storage);
    if (!standard)
        (void)fclose(lines.file);
    return result;
}
