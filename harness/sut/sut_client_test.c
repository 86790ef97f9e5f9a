/* SPDX-License-Identifier: Apache-2.0
 * The client library for vendors: what it reads and says, held against the tester's own reader.
 */
#include "harness/sut/sut_client.h"

#include "harness/session/upper.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

static enum talon_client_done do_reset(void *ctx, const json_t *command, json_t *reply,
                                       const char **why)
{
    (void)reply;
    if (json_object_get(command, "scope") == NULL) {
        *why = "scope: missing";
        return TALON_CLIENT_FAILED;
    }
    ++*(int *)ctx;
    return TALON_CLIENT_DONE;
}

static enum talon_client_done do_nothing(void *ctx, const json_t *command, json_t *reply,
                                         const char **why)
{
    (void)ctx;
    (void)command;
    (void)reply;
    (void)why;
    return TALON_CLIENT_DONE;
}

static enum talon_client_done do_busy(void *ctx, const json_t *command, json_t *reply,
                                      const char **why)
{
    (void)ctx;
    (void)command;
    (void)json_object_set_new(reply, "half", json_true());
    *why = "later";
    return TALON_CLIENT_BUSY;
}

static enum talon_client_done do_later(void *ctx, const json_t *command, json_t *reply,
                                       const char **why)
{
    (void)ctx;
    (void)command;
    (void)json_object_set_new(reply, "half", json_true());
    *why = "not yet";
    return TALON_CLIENT_LATER;
}

static const struct talon_client_command commands[] = {
    {"barrier", do_nothing}, {"post", do_busy}, {"flush", do_later}};

static struct talon_client *client_of(int *resets, size_t limit)
{
    const struct talon_client_config config = {.vendor = "v",
                                               .product = "p",
                                               .firmware = "f",
                                               .serial = "s",
                                               .level = 2,
                                               .reset = do_reset,
                                               .commands = commands,
                                               .num_commands = 3,
                                               .ctx = resets,
                                               .limit = limit};
    struct talon_client *client = talon_client_new(&config);

    ck_assert_ptr_nonnull(client);
    return client;
}

/* The next line, as text; "" when there is none. */
static const char *said(struct talon_client *client)
{
    static char text[TALON_CLIENT_LINE_MAX + 1];
    size_t len = 0;
    const char *line = talon_client_next(client, &len);

    memcpy(text, line != NULL ? line : "", len);
    text[len] = 0;
    return text;
}

static void feed(struct talon_client *client, const char *text)
{
    talon_client_feed(client, text, strlen(text));
}

static const struct {
    const char *line, *answer;
} talk[] = {
    {"{\"id\":1,\"epoch\":1,\"do\":\"barrier\"}", "{\"id\":1,\"epoch\":1,\"ok\":true}"},
    {"{\"id\":2,\"epoch\":1,\"do\":\"barrier\",\"x\":[],\"conn\":null}",
     "{\"id\":2,\"epoch\":1,\"ok\":true}"},
    {"{\"id\":3,\"epoch\":1,\"do\":\"post\"}",
     "{\"id\":3,\"epoch\":1,\"error\":\"busy\",\"why\":\"later\"}"},
    {"{\"id\":4,\"epoch\":1,\"do\":\"dance\"}",
     "{\"id\":4,\"epoch\":1,\"error\":\"unsupported\",\"why\":\"unknown command\"}"},
    {"{\"id\":5,\"epoch\":2,\"do\":\"barrier\"}",
     "{\"id\":5,\"epoch\":1,\"error\":\"failed\",\"why\":\"epoch: not the current one\"}"},
    {"{\"id\":6,\"epoch\":1}",
     "{\"id\":6,\"epoch\":1,\"error\":\"failed\",\"why\":\"do: missing\"}"},
    {"{\"id\":7,\"epoch\":1,\"do\":\"hello\",\"version\":2}",
     "{\"id\":7,\"epoch\":1,\"error\":\"unsupported\",\"why\":\"version: this is 1\"}"},
    {"what?",
     "{\"id\":0,\"epoch\":1,\"error\":\"failed\",\"why\":\"expected a JSON object with an id\"}"},
    {"[1]",
     "{\"id\":0,\"epoch\":1,\"error\":\"failed\",\"why\":\"expected a JSON object with an id\"}"},
    {"{\"id\":0,\"epoch\":1,\"do\":\"barrier\"}",
     "{\"id\":0,\"epoch\":1,\"error\":\"failed\",\"why\":\"expected a JSON object with an id\"}"},
    {"",
     "{\"id\":0,\"epoch\":1,\"error\":\"failed\",\"why\":\"expected a JSON object with an id\"}"},
};

START_TEST(each_line_has_one_answer_however_it_is_cut)
{
    int resets = 0;
    size_t cut = (size_t)_i + 1;
    struct talon_client *client = client_of(&resets, 0);

    for (size_t i = 0; i < sizeof talk / sizeof *talk; i++) {
        char line[300];
        size_t len = (size_t)snprintf(line, sizeof line, "%s\n", talk[i].line);

        for (size_t at = 0; at < len; at += cut)
            talon_client_feed(client, line + at, len - at < cut ? len - at : cut);
        ck_assert_str_eq(said(client), talk[i].answer);
        ck_assert_str_eq(said(client), "");
    }
    ck_assert_int_eq(resets, 0);
    talon_client_free(client);
}
END_TEST

START_TEST(a_line_too_long_is_answered_once)
{
    int resets = 0;
    struct talon_client *client = client_of(&resets, 0);
    char *line = malloc(3 * TALON_CLIENT_LINE_MAX);

    ck_assert_ptr_nonnull(line);
    memset(line, ' ', 3 * TALON_CLIENT_LINE_MAX);
    talon_client_feed(client, line, 3 * TALON_CLIENT_LINE_MAX);
    ck_assert_str_eq(said(client), "");
    feed(client, "\n{\"id\":1,\"epoch\":1,\"do\":\"barrier\"}\n");
    ck_assert_ptr_nonnull(strstr(said(client), "\"id\":0"));
    ck_assert_str_eq(said(client), "{\"id\":1,\"epoch\":1,\"ok\":true}");
    free(line);
    talon_client_free(client);
}
END_TEST

START_TEST(a_reset_begins_an_epoch_and_its_answer_belongs_to_the_old)
{
    int resets = 0;
    struct talon_client *client = client_of(&resets, 0);

    talon_client_event(client, "dropped", json_pack("{s:i}", "count", 1));
    feed(client, "{\"id\":1,\"epoch\":1,\"do\":\"reset\"}\n");
    feed(client, "{\"id\":2,\"epoch\":1,\"do\":\"reset\",\"scope\":\"device\"}\n");
    talon_client_event(client, "dropped", json_pack("{s:i}", "count", 1));
    ck_assert_str_eq(said(client), "{\"seq\":1,\"epoch\":1,\"event\":\"dropped\",\"count\":1}");
    ck_assert_ptr_nonnull(strstr(said(client), "scope: missing"));
    ck_assert_str_eq(said(client),
                     "{\"id\":2,\"epoch\":1,\"ok\":true,\"new_epoch\":2,\"survives\":[]}");
    ck_assert_str_eq(said(client), "{\"seq\":2,\"epoch\":2,\"event\":\"dropped\",\"count\":1}");
    ck_assert_int_eq(resets, 1);
    talon_client_free(client);
}
END_TEST

/* Who does not read loses events, never answers; the loss is told before the barrier's answer,
 * and the tester's reader counts the same. */
START_TEST(events_that_nobody_reads_are_lost_and_counted)
{
    int resets = 0;
    struct talon_client *client = client_of(&resets, 500);
    struct tl_upper *upper = tl_upper_new();
    struct tl_upper_line got;
    uint64_t events = 0, missing = 0, counted = 0;
    size_t len;
    int64_t id;
    const char *line;
    json_t *barrier = json_pack("{s:s}", "do", "barrier");
    char *command = tl_upper_command(upper, barrier, &id, NULL);

    for (int i = 0; i < 100; i++)
        talon_client_event(client, "cm_error",
                           json_pack("{s:s, s:s}", "conn", "c1", "what", "spi"));
    talon_client_line(client, command, strlen(command));
    for (;;) {
        line = talon_client_next(client, &len);
        ck_assert_ptr_nonnull(line);
        if (tl_upper_line(upper, line, len, &got) == TL_UPPER_REPLY)
            break;
        missing += got.lost;
        if (strcmp(got.event.u.cm.what, "dropped") == 0)
            counted += got.event.u.cm.count;
        else
            events++;
    }
    ck_assert(got.ok);
    ck_assert_uint_gt(counted, 0);
    ck_assert_uint_eq(counted, missing);
    ck_assert_uint_eq(events + counted, 100);
    json_decref(barrier);
    free(command);
    tl_upper_free(upper);
    talon_client_free(client);
}
END_TEST

START_TEST(what_is_written_in_pieces_is_whole)
{
    int resets = 0;
    struct talon_client *client = client_of(&resets, 0);
    char all[1000] = "";
    size_t len;
    const char *bytes;

    feed(client, "{\"id\":1,\"epoch\":1,\"do\":\"hello\",\"version\":1}\n");
    while ((bytes = talon_client_peek(client, &len)) != NULL) {
        (void)strncat(all, bytes, 1);
        talon_client_written(client, 1);
    }
    ck_assert_str_eq(
        all, "{\"id\":1,\"epoch\":1,\"ok\":true,\"version\":1,\"vendor\":\"v\","
             "\"product\":\"p\",\"firmware\":\"f\",\"serial\":\"s\",\"levels\":[\"L0\","
             "\"L1\",\"L2\"],\"ics\":{},\"clock\":\"none\",\"ordered_events\":false}\n");
    talon_client_free(client);
}
END_TEST

START_TEST(a_hello_has_congestion_control)
{
    json_t *cc = json_pack("{s:s}", "format", "gen1-lsb");
    const struct talon_client_config config = {
        .vendor = "v", .product = "p", .firmware = "f", .serial = "s", .level = 1, .cc = cc};
    struct talon_client *client = talon_client_new(&config);

    feed(client, "{\"id\":1,\"epoch\":1,\"do\":\"hello\",\"version\":1}\n");
    ck_assert_str_eq(said(client),
                     "{\"id\":1,\"epoch\":1,\"ok\":true,\"cc\":{\"format\":\"gen1-lsb\"},"
                     "\"version\":1,\"vendor\":\"v\",\"product\":\"p\",\"firmware\":\"f\","
                     "\"serial\":\"s\",\"levels\":[\"L0\",\"L1\",\"Lc\"],\"ics\":{},\"clock\":"
                     "\"none\",\"ordered_events\":false}");
    talon_client_free(client);
    json_decref(cc);
}
END_TEST

static enum talon_client_done nothing(void *ctx, const json_t *command, json_t *reply,
                                      const char **why)
{
    (void)ctx;
    (void)command;
    (void)reply;
    (void)why;
    return TALON_CLIENT_DONE;
}

/* The levels of RDMA verbs follow from the upper layers and the commands. */
START_TEST(a_hello_has_the_levels_of_verbs)
{
    static const struct talon_client_command table[] = {
        {"post_send", nothing}, {"mr_fill", nothing}, {"mr_hash", nothing}};
    static const char *const levels[] = {"\"L1\"]", "\"L1\",\"L2v\"]", "\"L1\",\"L2v\"]",
                                         "\"L1\",\"L2v\",\"L3v\"]"};
    json_t *upper = json_pack("[s]", "verbs");

    for (size_t n = 0; n <= 3; n++) {
        const struct talon_client_config config = {.vendor = "v",
                                                   .product = "p",
                                                   .firmware = "f",
                                                   .serial = "s",
                                                   .level = 1,
                                                   .upper = upper,
                                                   .commands = table,
                                                   .num_commands = n};
        struct talon_client *client = talon_client_new(&config);
        const char *line;

        feed(client, "{\"id\":1,\"epoch\":1,\"do\":\"hello\",\"version\":1}\n");
        line = said(client);
        ck_assert_msg(strstr(line, levels[n]) != NULL, "%s", line);
        ck_assert_ptr_nonnull(strstr(line, "\"upper\":[\"verbs\"]"));
        talon_client_free(client);
    }
    json_decref(upper);
}
END_TEST

/* A command that is applied later is answered when the adapter says so, after its events, and
 * never behind a reset. */
START_TEST(a_command_is_answered_later)
{
    int resets = 0;
    struct talon_client *client = client_of(&resets, 0);

    feed(client, "{\"id\":1,\"epoch\":1,\"do\":\"flush\"}\n"
                 "{\"id\":2,\"epoch\":1,\"do\":\"barrier\"}\n"
                 "{\"id\":3,\"epoch\":1,\"do\":\"flush\"}\n");
    ck_assert_str_eq(said(client), "{\"id\":2,\"epoch\":1,\"ok\":true}");
    ck_assert_str_eq(said(client), "");
    talon_client_event(client, "x", json_object());
    talon_client_answer(client, 1, TALON_CLIENT_DONE, NULL, json_pack("{s:i}", "m", 5));
    ck_assert_str_eq(said(client), "{\"seq\":1,\"epoch\":1,\"event\":\"x\"}");
    ck_assert_str_eq(said(client), "{\"id\":1,\"epoch\":1,\"ok\":true,\"m\":5}");
    feed(client, "{\"id\":4,\"epoch\":1,\"do\":\"reset\",\"scope\":\"device\"}\n");
    ck_assert_str_eq(said(client),
                     "{\"id\":4,\"epoch\":1,\"ok\":true,\"new_epoch\":2,\"survives\":[]}");
    talon_client_answer(client, 3, TALON_CLIENT_DONE, NULL, json_object());
    ck_assert_str_eq(said(client), "");
    feed(client, "{\"id\":5,\"epoch\":2,\"do\":\"flush\"}\n");
    talon_client_answer(client, 5, TALON_CLIENT_FAILED, "the link is down", NULL);
    ck_assert_str_eq(
        said(client),
        "{\"id\":5,\"epoch\":2,\"error\":\"failed\",\"why\":\"the link is down\"}");
    talon_client_free(client);
}
END_TEST

START_TEST(wide_numbers)
{
    json_t *object = json_loads(
        "{\"a\":7,\"b\":\"0xffffffffffffffff\",\"c\":-1,\"d\":\"7\",\"e\":\"0x1g\"}", 0, NULL);
    uint64_t value = 0;

    ck_assert(talon_client_wide(object, "a", &value) && value == 7);
    ck_assert(talon_client_wide(object, "b", &value) && value == UINT64_MAX);
    ck_assert(!talon_client_wide(object, "c", &value));
    ck_assert(!talon_client_wide(object, "d", &value));
    ck_assert(!talon_client_wide(object, "e", &value));
    ck_assert(!talon_client_wide(object, "f", &value));
    json_decref(object);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("sut_client");
    TCase *tc = tcase_create("sut_client");

    tcase_add_loop_test(tc, each_line_has_one_answer_however_it_is_cut, 0, 70);
    tcase_add_test(tc, a_line_too_long_is_answered_once);
    tcase_add_test(tc, a_reset_begins_an_epoch_and_its_answer_belongs_to_the_old);
    tcase_add_test(tc, events_that_nobody_reads_are_lost_and_counted);
    tcase_add_test(tc, what_is_written_in_pieces_is_whole);
    tcase_add_test(tc, a_hello_has_congestion_control);
    tcase_add_test(tc, a_hello_has_the_levels_of_verbs);
    tcase_add_test(tc, a_command_is_answered_later);
    tcase_add_test(tc, wide_numbers);
    suite_add_tcase(s, tc);
    return s;
}
