/* SPDX-License-Identifier: Apache-2.0
 * cc_serve.c - the process in which a library's Rate Update Engine runs. */
#include "harness/cc/cc_child.h"

#include "codecs/base/hex.h"
#include "harness/cc/talon_rue.h"

#include <dlfcn.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEX_LEN = 2 * TALON_RUE_ENTRY, PARAMS_MAX = 64 };

static const struct talon_rue_api *load(const char *path, char why[400])
{
    const struct talon_rue_api *(*get)(void) = NULL, *api;
    char here[4096 + 2];
    void *handle;

    /* A name without a slash would be searched in the system's library folders. */
    (void)snprintf(here, sizeof here, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        (void)snprintf(why, 400, "cannot load it: %s",
                       dlerror()); /* NOLINT(concurrency-mt-unsafe) */
        return NULL;
    }
    *(void **)&get = dlsym(handle, "talon_rue_api_v1");
    api = get != NULL ? get() : NULL;
    if (api != NULL && api->version == TALON_RUE_VERSION && api->configure != NULL &&
        api->process != NULL)
        return api;
    (void)snprintf(why, 400, "%s",
                   get == NULL ? "exports no talon_rue_api_v1; expected a library that "
                                 "implements talon_rue.h"
                               : "does not implement version 1 of talon_rue.h");
    return NULL;
}

static json_t *refuse(const char *why)
{
    return json_pack("{s:s}", "error", why);
}

static json_t *configure(const struct talon_rue_api *api, const json_t *message)
{
    struct talon_rue_param params[PARAMS_MAX];
    json_t *values = json_object_get(message, "params"), *value;
    const char *name;
    size_t n = 0;

    json_object_foreach(values, name, value) if (n < PARAMS_MAX) params[n++] =
        (struct talon_rue_param){name, json_number_value(value)};
    if (api->configure(json_string_value(json_object_get(message, "format")), params, n) != 0)
        return refuse("configure() did not return 0");
    return json_pack("{s:b}", "ok", 1);
}

static json_t *process(const struct talon_rue_api *api, const json_t *message)
{
    const char *state = json_string_value(json_object_get(message, "state")),
               *hex = json_string_value(json_object_get(message, "event"));
    uint8_t event[TALON_RUE_ENTRY], result[TALON_RUE_ENTRY] = {0};
    char text[HEX_LEN + 1];

    if (state == NULL || hex == NULL ||
        fal_hex_read(hex, event, sizeof event) != (int)sizeof event)
        return refuse("no event");
    if (api->process(strcmp(state, "reset") == 0,
                     (uint32_t)json_integer_value(json_object_get(message, "now_ticks")), event,
                     result) != 0)
        return refuse("process() did not return 0");
    fal_hex_write(result, sizeof result, text);
    return json_pack("{s:s}", "result", text);
}

/* The answer to one line. */
static json_t *answer_to(const struct talon_rue_api *api, const char *why, const char *line)
{
    json_t *message = json_loads(line, 0, NULL), *answer;
    const char *verb = json_string_value(json_object_get(message, "do"));

    if (api == NULL)
        answer = refuse(why);
    else if (verb != NULL && strcmp(verb, "configure") == 0)
        answer = configure(api, message);
    else
        answer = process(api, message);
    json_decref(message);
    return answer;
}

int tl_cc_serve(const char *path, int in, int out)
{
    char why[400] = "", *line = NULL;
    const struct talon_rue_api *api = load(path, why);
    FILE *from = fdopen(in, "r");
    size_t cap = 0;
    int rc = 0;

    while (from != NULL && rc == 0 && getline(&line, &cap, from) > 0) {
        json_t *answer = answer_to(api, why, line);

        rc = answer != NULL && json_dumpfd(answer, out, JSON_COMPACT) == 0 &&
                     write(out, "\n", 1) == 1
                 ? 0
                 : 1;
        json_decref(answer);
    }
    free(line);
    if (from != NULL)
        (void)fclose(from);
    return rc;
}
