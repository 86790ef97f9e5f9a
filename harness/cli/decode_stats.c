/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/decode_stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- counting ---- */

static void add_issue(struct tl_decode_stats *stats, const struct fal_issue *issue)
{
    for (size_t i = 0; i < stats->num_issues; i++) {
        struct tl_stats_issue *known = &stats->issues[i];

        if (known->severity == issue->severity &&
            (known->code == issue->code || strcmp(known->code, issue->code) == 0)) {
            known->count++;
            return;
        }
    }
    if (stats->num_issues == TL_STATS_ISSUES_MAX) {
        stats->unlisted++;
        return;
    }
    stats->issues[stats->num_issues++] =
        (struct tl_stats_issue){issue->code, issue->severity, 1};
}

void tl_stats_add(struct tl_decode_stats *stats, const struct fal_frame *frame)
{
    stats->frames++;
    stats->bytes += frame->caplen;
    if (fal_frame_has(frame, FAL_LAYER_FALCON))
        stats->types[frame->falcon.packet_type % TL_STATS_TYPES]++;
    else if (fal_frame_has(frame, FAL_LAYER_RAW))
        stats->others++;
    else
        stats->sealed++;
    for (size_t i = 0; i < frame->issues.count; i++)
        add_issue(stats, &frame->issues.list[i]);
    stats->unlisted += frame->issues.dropped;
}

/* ---- showing ---- */

static int compare(const void *left, const void *right)
{
    const struct tl_stats_issue *a = left, *b = right;

    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    return strcmp(a->code, b->code);
}

static void sort_issues(struct tl_decode_stats *stats)
{
    qsort(stats->issues, stats->num_issues, sizeof *stats->issues, compare);
}

void tl_stats_print(FILE *out, struct tl_decode_stats *stats)
{
    fprintf(out, "frames %" PRIu64 "\nbytes %" PRIu64 "\n", stats->frames, stats->bytes);
    for (unsigned type = 0; type < TL_STATS_TYPES; type++)
        if (fal_falcon_type_name(type) != NULL)
            fprintf(out, "%s %" PRIu64 "\n", fal_falcon_type_name(type), stats->types[type]);
    fprintf(out, "sealed %" PRIu64 "\nno_falcon %" PRIu64 "\n", stats->sealed, stats->others);
    sort_issues(stats);
    for (size_t i = 0; i < stats->num_issues; i++)
        fprintf(out, "%s %s %" PRIu64 "\n", fal_severity_name(stats->issues[i].severity),
                stats->issues[i].code, stats->issues[i].count);
    if (stats->unlisted > 0)
        fprintf(out, "unlisted_issues %" PRIu64 "\n", stats->unlisted);
}

static json_t *types_json(const struct tl_decode_stats *stats)
{
    json_t *object = json_object();

    for (unsigned type = 0; object != NULL && type < TL_STATS_TYPES; type++) {
        const char *name = fal_falcon_type_name(type);

        if (name != NULL &&
            json_object_set_new(object, name, json_integer((json_int_t)stats->types[type])) !=
                0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *issues_json(struct tl_decode_stats *stats)
{
    json_t *list = json_array();

    sort_issues(stats);
    for (size_t i = 0; list != NULL && i < stats->num_issues; i++) {
        const struct tl_stats_issue *issue = &stats->issues[i];
        json_t *object =
            json_pack("{s:s, s:s, s:I}", "severity", fal_severity_name(issue->severity), "code",
                      issue->code, "count", (json_int_t)issue->count);

        if (json_array_append_new(list, object) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

json_t *tl_stats_json(struct tl_decode_stats *stats)
{
    return json_pack("{s:I, s:I, s:o, s:I, s:I, s:o, s:I}", "frames", (json_int_t)stats->frames,
                     "bytes", (json_int_t)stats->bytes, "packets", types_json(stats), "sealed",
                     (json_int_t)stats->sealed, "no_falcon", (json_int_t)stats->others,
                     "issues", issues_json(stats), "unlisted_issues",
                     (json_int_t)stats->unlisted);
}
