/* SPDX-License-Identifier: Apache-2.0
 * logic_serve.c - the process in which a library's logic runs. */
#include "harness/logic/logic_child.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool refuse(char why[TL_LOGIC_WHY], const struct fal_logic *logic)
{
    if (logic->abi != FAL_LOGIC_ABI)
        (void)snprintf(why, TL_LOGIC_WHY,
                       "it was built for version %u of oracles/logic/logic.h, expected %u: "
                       "build it with the header of this Talon",
                       logic->abi, (unsigned)FAL_LOGIC_ABI);
    else if (logic->flow_bytes != sizeof(struct fal_logic_flow))
        (void)snprintf(why, TL_LOGIC_WHY,
                       "its flow has %u bytes, expected %zu: build it with the header of this "
                       "Talon",
                       logic->flow_bytes, sizeof(struct fal_logic_flow));
    else if (logic->init == NULL || logic->incoming == NULL || logic->periodic == NULL)
        (void)snprintf(why, TL_LOGIC_WHY, "fal_logic lacks init, incoming or periodic");
    else if (logic->user_bytes > FAL_LOGIC_USER || logic->credit > FAL_LOGIC_BY_TOKENS ||
             memchr(logic->name, '\0', sizeof logic->name) == NULL || logic->name[0] == '\0')
        (void)snprintf(why, TL_LOGIC_WHY,
                       "fal_logic has no name, an unknown credit, or more than %d user bytes",
                       FAL_LOGIC_USER);
    return why[0] != '\0';
}

static const struct fal_logic *load(const char *path, char why[TL_LOGIC_WHY])
{
    const struct fal_logic *logic;
    char here[4096 + 2];
    void *handle;

    /* A name without a slash would be searched in the system's library folders. */
    (void)snprintf(here, sizeof here, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        (void)snprintf(why, TL_LOGIC_WHY, "cannot load it: %s",
                       dlerror()); /* NOLINT(concurrency-mt-unsafe) */
        return NULL;
    }
    logic = dlsym(handle, "fal_logic");
    if (logic == NULL)
        (void)snprintf(why, TL_LOGIC_WHY,
                       "exports no fal_logic; expected a library that defines `const struct "
                       "fal_logic fal_logic` of oracles/logic/logic.h");
    return logic == NULL || refuse(why, logic) ? NULL : logic;
}

static bool all(int fd, void *bytes, size_t len, bool writes)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = writes ? write(fd, (char *)bytes + done, len - done)
                           : read(fd, (char *)bytes + done, len - done);

        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static void work(const struct fal_logic *logic, struct fal_logic_config *config,
                 struct tl_logic_record *record)
{
    if (record->what == TL_LOGIC_INIT)
        *config = record->config;
    config->context = NULL;
    record->flow.config = config;
    if (record->what == TL_LOGIC_INIT)
        logic->init(&record->flow);
    else if (record->what == TL_LOGIC_INCOMING)
        logic->incoming(&record->flow, &record->in);
    else if (record->what == TL_LOGIC_PERIODIC)
        logic->periodic(&record->flow, &record->in);
}

int tl_logic_serve(const char *path, int in, int out)
{
    struct fal_logic_config config = {0};
    struct tl_logic_record record;
    char why[TL_LOGIC_WHY] = "";
    const struct fal_logic *logic = load(path, why);

    while (all(in, &record, sizeof record, false)) {
        memcpy(record.why, why, sizeof why);
        if (logic != NULL) {
            record.logic = *logic;
            work(logic, &config, &record);
        }
        if (!all(out, &record, sizeof record, true))
            return 1;
    }
    return 0;
}
