/* SPDX-License-Identifier: Apache-2.0
 * check_setup.c - what is known of connections and path before a capture is read: the file of
 * --connections. Talon infers what it leaves out, or never uses it to fail the SUT. */
#include "codecs/base/time_text.h"
#include "harness/check/connections.h"

#include <string.h>

static bool all_numbers(const struct tl_known_end *end)
{
    return end->has_req_psn && end->has_data_psn && end->has_rsn;
}

int tl_check_add(struct tl_check *check, const json_t *entry, struct fal_error *err)
{
    struct tl_check_conn *conn = tl_check_conn_new(check);
    struct tl_known_conn known;
    uint64_t given = 0;

    if (conn == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (tl_known_conn_read(entry, &known, err) != 0)
        return FAL_ERR_FORM;
    if (known.name[0] != 0)
        memcpy(conn->setup.name, known.name, sizeof conn->setup.name);
    conn->setup.sut = known.sut.end;
    conn->setup.tester = known.tester.end;
    conn->known[0] = known.sut.has_cid;
    conn->known[1] = known.tester.has_cid;
    if (known.sut.has_host)
        conn->host[0] = known.sut.host;
    if (known.tester.has_host)
        conn->host[1] = known.tester.host;
    conn->setup.initial_known = all_numbers(&known.sut) && all_numbers(&known.tester);
    tl_known_params(known.params, &conn->setup.params, &given);
    conn->setup.unknown_params &= ~given;
    return tl_check_conn_given(check, conn, err);
}

bool tl_check_vantage(const char *name, enum fal_vantage *out)
{
    static const char *const names[] = {"tester", "middle", "sut"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum fal_vantage)i;
            return true;
        }
    }
    return false;
}

int tl_check_setup(const json_t *root, struct tl_check_options *options, const json_t **list,
                   struct fal_error *err)
{
    struct tl_known known = {.run = options->run};

    *list = NULL;
    if (tl_known_read(root, &known, err) != 0)
        return FAL_ERR_FORM;
    options->run = known.run;
    tl_known_params(known.params, &options->params, &options->given_params);
    *list = known.connections;
    return 0;
}

/* Delays that contradict each other would make every packet a violation. */
int tl_check_options_ok(const struct tl_check_options *options, struct fal_error *err)
{
    const struct fal_ev_run *run = &options->run;

    if (run->delay_min_ns > run->delay_max_ns)
        return fal_fail(err, FAL_ERR_RANGE, "the shortest delay (%s) is above the longest (%s)",
                        fal_time_text(run->delay_min_ns).text,
                        fal_time_text(run->delay_max_ns).text);
    if (run->complete && options->lossy_capture)
        return fal_fail(err, FAL_ERR_RANGE,
                        "the capture is declared to be complete (--complete-capture, or "
                        "complete_capture of --connections) and to miss frames "
                        "(--lossy-capture); give one of the two");
    return 0;
}
