/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/schemas.h"

#include "harness/certify/certify.h"
#include "harness/check/check.h"
#include "harness/claims/bench_file.h"
#include "harness/claims/ixit.h"
#include "harness/claims/sut_map.h"
#include "harness/claims/waivers.h"
#include "harness/eventtrace/event_check.h"
#include "harness/eventtrace/trace_read.h"
#include "harness/history/history_out.h"
#include "harness/profile/profile.h"
#include "harness/roce/roce_scenario.h"
#include "harness/run/evidence.h"
#include "harness/scenario/alphabet.h"
#include "harness/scenario/scenario.h"
#include "harness/scenario/types.h"
#include "harness/shards/part.h"
#include "harness/site/host_check.h"
#include "harness/site/path_check.h"
#include "harness/wire/protocol.h"
#include "oracles/beyond/eventpipe_shape.h"
#include "oracles/timeline_names.h"
#include "reports/results/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `shape` NULL: scenarios, whose tables are types.c. */
static const struct format {
    const char *name, *id, *title;
    const struct fal_shape *shape;
} formats[] = {
    {"alphabet", TL_ALPHABET_SCHEMA, "Alphabet of talon explore", &tl_alphabet_shape},
    {"bench", TL_BENCH_SCHEMA, "Bench of talon init", &tl_bench_file_shape},
    {"certificate", TL_CERTIFICATE_SCHEMA, "Certificate", &tl_certificate_shape},
    {"check", TL_CHECK_SCHEMA, "Report of talon check", &tl_check_shape},
    {"check-part", TL_PARTS_SCHEMA, "A line of the part of a shard of talon check",
     &tl_parts_shape},
    {"connections", TL_CONNECTIONS_SCHEMA, "Connections of a capture", &tl_connections_shape},
    {"diff", TL_DIFF_SCHEMA, "Differences of two results", &tl_diff_shape},
    {"event-check", TL_EVENT_CHECK_SCHEMA, "Report of talon check --event-trace",
     &tl_event_check_shape},
    {"event-setup", TL_EVENT_SETUP_SCHEMA, "Setup of an event pipeline", &fal_ep_setup_shape},
    {"event-trace", TL_EVENT_TRACE_SCHEMA, "A line of the trace of an event pipeline",
     &fal_ep_event_shape},
    {"history", TL_HISTORY_SCHEMA, "What talon history prints", &tl_history_shape},
    {"host-check", TL_HOST_CHECK_SCHEMA, "Findings of talon host-check", &tl_host_check_shape},
    {"ics", TL_ICS_SCHEMA, "Implementation conformance statement", &tl_ics_shape},
    {"ixit", TL_IXIT_SCHEMA, "Implementation extra information for testing", &tl_ixit_shape},
    {"path-check", TL_PATH_CHECK_SCHEMA, "Measurements of talon path-check",
     &tl_path_check_shape},
    {"profile", TL_PROFILE_SCHEMA, "Profile", &tl_profile_shape},
    {"results", TL_RESULTS_SCHEMA, "Results of talon run", &tl_results_shape},
    {"roce", TL_ROCE_SCHEMA, "Scenario of RoCEv2", &tl_roce_shape},
    {"run", TL_RUN_SCHEMA, "run.json of talon run --out", &tl_run_shape},
    {"scenario", TL_SCENARIO_SCHEMA, "", NULL},
    {"shard-readings", TL_PARTS_READINGS_SCHEMA,
     "A line of the readings of shards of talon check", &tl_parts_readings_shape},
    {"sut-map", TL_SUT_MAP_SCHEMA, "SUTs of the shards of a run", &tl_sut_map_shape},
    {"sut-protocol", TL_PROTOCOL_SCHEMA, "A line of the SUT control protocol",
     &tl_protocol_shape},
    {"timeline", FAL_TIMELINE_SCHEMA, "A line of a timeline", &fal_timeline_shape},
    {"ulp", TL_ULP_SCHEMA, "A line of a file of upper-layer events", &tl_ulp_shape},
    {"waivers", TL_WAIVERS_SCHEMA, "Waivers", &tl_waivers_shape},
};

static const struct format *format_of(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

const char *tl_schema_name(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index].name : NULL;
}

json_t *tl_schema(const char *name)
{
    const struct format *format = format_of(name);

    if (format == NULL)
        return NULL;
    if (format->shape == NULL)
        return tl_scenario_schema();
    return fal_shape_schema(format->shape, format->id, format->title);
}

char *tl_schema_text(const char *name)
{
    json_t *schema = tl_schema(name);
    char *text = schema != NULL ? json_dumps(schema, JSON_INDENT(1)) : NULL, *out = NULL;

    json_decref(schema);
    if (text != NULL && asprintf(&out, "%s\n", text) < 0)
        out = NULL;
    free(text);
    return out;
}
