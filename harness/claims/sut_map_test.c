/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/sut_map.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/sut-map-XXXXXX";
static struct tl_sut_map map;
static struct fal_error err;

static void setup(void)
{
    int fd;

    strcpy(path + sizeof path - 7, "XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    (void)close(fd);
}

static void teardown(void)
{
    tl_sut_map_free(&map);
    (void)unlink(path);
}

/* Reads a map with these rows. */
static int load(const char *rows)
{
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    fprintf(file, "{\"schema\": \"talon/sut-map/1\", \"name\": \"acme\", \"shards\": [%s]}",
            rows);
    ck_assert_int_eq(fclose(file), 0);
    return tl_sut_map_load(path, &map, &err);
}

/* A map whose rows have these SUTs is refused because of one device. */
static void one_device(const char *a, const char *b, const char *place)
{
    char rows[1000];

    (void)snprintf(rows, sizeof rows, "{\"shard\": 1, %s}, {\"shard\": 2, %s}", a, b);
    ck_assert_msg(load(rows) == FAL_ERR_FORM, "%s", rows);
    ck_assert_msg(strstr(err.text, "shards 1 and 2 would play one device") != NULL, "%s",
                  err.text);
    ck_assert_msg(strstr(err.text, place) != NULL, "%s", err.text);
}

static void two_devices(const char *a, const char *b)
{
    char rows[1000];

    (void)snprintf(rows, sizeof rows, "{\"shard\": 1, %s}, {\"shard\": 2, %s}", a, b);
    ck_assert_msg(load(rows) == 0, "%s: %s", rows, err.text);
    tl_sut_map_free(&map);
}

START_TEST(each_shard_has_its_row_in_any_order)
{
    const struct tl_sut_map_row *row;

    ck_assert_msg(load("{\"shard\": 2, \"sut\": \"udp:10.0.0.2:4791\", \"control\": null},"
                       "{\"shard\": 1, \"sut\": \"udp:10.0.0.1:4791\","
                       " \"control\": \"tcp:10.0.0.1:7000\", \"path_check\": \"p.json\"}") == 0,
                  "%s", err.text);
    ck_assert_str_eq(map.name, "acme");
    row = tl_sut_map_find(&map, (struct tl_shard){1, 2}, &err);
    ck_assert_ptr_nonnull(row);
    ck_assert_str_eq(row->sut, "udp:10.0.0.1:4791");
    ck_assert_str_eq(row->control, "tcp:10.0.0.1:7000");
    ck_assert_str_eq(row->path_check, "p.json");
    row = tl_sut_map_find(&map, (struct tl_shard){2, 2}, &err);
    ck_assert_ptr_nonnull(row);
    ck_assert_str_eq(row->sut, "udp:10.0.0.2:4791");
    ck_assert_ptr_null(row->control);
}
END_TEST

START_TEST(a_missing_shard_and_a_foreign_one_are_named)
{
    ck_assert_int_eq(load("{\"shard\": 1, \"sut\": \"udp:10.0.0.1:1\"},"
                          "{\"shard\": 4, \"sut\": \"udp:10.0.0.4:1\"}"),
                     0);
    ck_assert_ptr_null(tl_sut_map_find(&map, (struct tl_shard){1, 7}, &err));
    ck_assert_msg(strstr(err.text, "no SUT for shards 2-3, 5-7 of 7") != NULL, "%s", err.text);
    ck_assert_ptr_null(tl_sut_map_find(&map, (struct tl_shard){1, 3}, &err));
    ck_assert_msg(strstr(err.text, "shards[1] is of shard 4, and the run has 3") != NULL, "%s",
                  err.text);
}
END_TEST

START_TEST(a_shard_that_is_there_twice_is_refused)
{
    ck_assert_int_eq(load("{\"shard\": 1, \"sut\": \"udp:10.0.0.1:1\"},"
                          "{\"shard\": 2, \"sut\": \"udp:10.0.0.2:1\"},"
                          "{\"shard\": 1, \"sut\": \"udp:10.0.0.3:1\"}"),
                     FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, "shards[2].shard: shard 1 is there twice (shards[0])") !=
                      NULL,
                  "%s", err.text);
    ck_assert_int_eq(load(""), FAL_ERR_FORM);
    ck_assert_int_eq(load("{\"shard\": 0, \"sut\": \"udp:10.0.0.1:1\"}"), FAL_ERR_FORM);
    ck_assert_int_eq(load("{\"shard\": 1}"), FAL_ERR_FORM);
}
END_TEST

START_TEST(two_shards_at_one_device_are_refused)
{
    one_device("\"sut\": \"udp:10.0.0.1:4791\"", "\"sut\": \"udp:10.0.0.1:4791\"",
               "shards[1].sut");
    one_device("\"sut\": \"udp:[fd00::1]:4791\"",
               "\"sut\": \"udp:[fd00:0:0:0:0:0:0:1]:4791,from=[::]:9\"", "shards[1].sut");
    one_device("\"sut\": \"raw:eth1,10.0.0.1\"", "\"sut\": \"raw:eth2,10.0.0.1:4791,hw\"",
               "shards[1].sut");
    one_device("\"sut\": \"raw:eth1,fd00::1\"", "\"sut\": \"raw:eth2,[fd00::1]:4791\"",
               "shards[1].sut");
    one_device("\"sut\": \"bridge:a,b\"", "\"sut\": \"bridge:a,b\"", "shards[1].sut");
    one_device("\"sut\": \"udp:10.0.0.1:1\", \"control\": \"tcp:10.0.0.9:7\"",
               "\"sut\": \"udp:10.0.0.2:1\", \"control\": \"tcp:10.0.0.9:7\"",
               "shards[1].control");
    one_device("\"sut\": \"udp:10.0.0.1:1\", \"control\": \"unix:/run/a\"",
               "\"sut\": \"udp:10.0.0.2:1\", \"control\": \"unix:/run/a\"",
               "shards[1].control");
}
END_TEST

START_TEST(devices_that_differ_are_taken)
{
    two_devices("\"sut\": \"udp:10.0.0.1:4791\"", "\"sut\": \"udp:10.0.0.2:4791\"");
    two_devices("\"sut\": \"udp:10.0.0.1:4791\"", "\"sut\": \"udp:10.0.0.1:4792\"");
    two_devices("\"sut\": \"raw:eth1,10.0.0.1\"", "\"sut\": \"raw:eth1,10.0.0.2\"");
    two_devices("\"sut\": \"raw:eth1,fd00::1\"", "\"sut\": \"raw:eth1,fd00::2\"");
    two_devices("\"sut\": \"bridge:a,b\"", "\"sut\": \"bridge:c,d\"");
    two_devices("\"sut\": \"builtin\"", "\"sut\": \"builtin\"");
    two_devices("\"sut\": \"exec:./model\"", "\"sut\": \"exec:./model\"");
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("sut_map");
    TCase *tc = tcase_create("sut_map");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, each_shard_has_its_row_in_any_order);
    tcase_add_test(tc, a_missing_shard_and_a_foreign_one_are_named);
    tcase_add_test(tc, a_shard_that_is_there_twice_is_refused);
    tcase_add_test(tc, two_shards_at_one_device_are_refused);
    tcase_add_test(tc, devices_that_differ_are_taken);
    suite_add_tcase(s, tc);
    return s;
}
