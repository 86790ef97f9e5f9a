/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/field/fresh_keys.h"

#include "codecs/base/hex.h"
#include "harness/field/whole_file.h"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum { MASTER_LEN = 32, HEX_MAX = 2 * MASTER_LEN + 1 };

struct tl_fresh_keys {
    json_t *psp_json, *esp_json; /* as the files of keys have them; NULL: not in use */
    struct fal_psp_keys *psp;
    struct fal_esp_keys *esp;
};

struct tl_fresh_keys *tl_fresh_keys_new(void)
{
    return calloc(1, sizeof(struct tl_fresh_keys));
}

void tl_fresh_keys_free(struct tl_fresh_keys *keys)
{
    if (keys == NULL)
        return;
    fal_psp_keys_free(keys->psp);
    fal_esp_keys_free(keys->esp);
    json_decref(keys->psp_json);
    json_decref(keys->esp_json);
    free(keys);
}

/* Random bytes as hex digits; NULL when there are none. */
static json_t *random_hex(size_t len)
{
    uint8_t bytes[MASTER_LEN];
    char text[HEX_MAX];
    json_t *json = NULL;

    if (len <= sizeof bytes && getrandom(bytes, len, 0) == (ssize_t)len) {
        fal_hex_write(bytes, len, text);
        json = json_string(text);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    OPENSSL_cleanse(text, sizeof text);
    return json;
}

struct fal_psp_keys *tl_fresh_psp(struct tl_fresh_keys *keys)
{
    if (keys->psp != NULL)
        return keys->psp;
    if (keys->psp_json == NULL)
        keys->psp_json = json_pack("{s: [o, o]}", "master_keys", random_hex(MASTER_LEN),
                                   random_hex(MASTER_LEN));
    if (keys->psp_json != NULL)
        keys->psp = fal_psp_keys_new(keys->psp_json, NULL);
    return keys->psp;
}

/* ---- ESP ---- */

static json_t *sa_of(const struct fal_psp_dst *dst, uint32_t spi,
                     const struct fal_esp_form *form, uint32_t high)
{
    static const char *const names[] = {[FAL_ESP_AES_GCM_128] = "aes-gcm-128",
                                        [FAL_ESP_AES_GCM_256] = "aes-gcm-256",
                                        [FAL_ESP_NULL] = "null"};
    bool large = form->algorithm == FAL_ESP_AES_GCM_256;
    char address[INET6_ADDRSTRLEN] = "";
    json_t *sa =
        json_pack("{s: I, s: s, s: i, s: b}", "spi", (json_int_t)spi, "algorithm",
                  names[form->algorithm], "icv_len", (int)form->icv_len, "esn", (int)form->esn);

    if (sa == NULL)
        return NULL;
    if (dst->len > 0 &&
        inet_ntop(dst->len == 4 ? AF_INET : AF_INET6, dst->bytes, address, sizeof address) !=
            NULL &&
        json_object_set_new(sa, "dst", json_string(address)) != 0)
        goto fail;
    if (form->esn &&
        json_object_set_new(sa, "sequence_high", json_integer((json_int_t)high)) != 0)
        goto fail;
    if (form->algorithm == FAL_ESP_NULL)
        return sa;
    if (json_object_set_new(sa, "key", random_hex(large ? 32 : 16)) == 0 &&
        json_object_set_new(sa, "salt", random_hex(FAL_ESP_SALT_LEN)) == 0)
        return sa;
fail:
    json_decref(sa);
    return NULL;
}

struct fal_esp_keys *tl_fresh_esp(struct tl_fresh_keys *keys, const struct fal_psp_dst *dst,
                                  uint32_t spi, const struct fal_esp_form *form, uint32_t high)
{
    struct fal_esp_form known;
    struct fal_esp_keys *more;
    json_t *sa;

    if (keys->esp != NULL && fal_esp_find(keys->esp, dst, spi, &known))
        return keys->esp;
    if (keys->esp_json == NULL)
        keys->esp_json = json_pack("{s: []}", "sas");
    sa = sa_of(dst, spi, form, high);
    if (json_array_append_new(json_object_get(keys->esp_json, "sas"), sa) != 0)
        return NULL;
    more = fal_esp_keys_new(keys->esp_json, NULL);
    if (more == NULL)
        return NULL;
    fal_esp_keys_free(keys->esp);
    keys->esp = more;
    return more;
}

struct fal_frame_keys tl_fresh_in_use(const struct tl_fresh_keys *keys)
{
    return (struct fal_frame_keys){.psp = keys->psp, .esp = keys->esp};
}

/* ---- files ---- */

static int write_json(const json_t *json, const char *path, struct fal_error *err)
{
    char *text = json_dumps(json, JSON_INDENT(1));
    int status = text == NULL ? fal_fail(err, FAL_ERR_MEM, "out of memory")
                              : tl_whole_text(path, text, true, err);

    free(text);
    return status;
}

int tl_fresh_keys_write(const struct tl_fresh_keys *keys, const char *psp_path,
                        const char *esp_path, bool written[2], struct fal_error *err)
{
    int status = 0;

    written[0] = written[1] = false;
    if (keys->psp_json != NULL) {
        status = write_json(keys->psp_json, psp_path, err);
        written[0] = status == 0;
    }
    if (status == 0 && keys->esp_json != NULL) {
        status = write_json(keys->esp_json, esp_path, err);
        written[1] = status == 0;
    }
    return status;
}
