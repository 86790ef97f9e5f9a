/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/seal/esp_keys.h"
#include "codecs/seal/key_file.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const algorithms[] = {
    [FAL_ESP_AES_GCM_128] = "aes-gcm-128",
    [FAL_ESP_AES_GCM_256] = "aes-gcm-256",
    [FAL_ESP_NULL] = "null",
};

/* ---- order and search ---- */

static int compare_sas(const void *a, const void *b)
{
    const struct fal_esp_sa *x = a, *y = b;

    if (x->spi != y->spi)
        return x->spi < y->spi ? -1 : 1;
    return fal_psp_dst_compare(&x->dst, &y->dst);
}

/* The first SA that is not below `want`, or num_sas. */
static size_t lower_bound(const struct fal_esp_keys *keys, const struct fal_esp_sa *want)
{
    size_t lo = 0, hi = keys->num_sas;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (compare_sas(&keys->sas[mid], want) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct fal_esp_sa *fal_esp_sa_of(const struct fal_esp_keys *keys, const struct fal_psp_dst *dst,
                                 uint32_t spi)
{
    struct fal_esp_sa want = {.spi = spi};
    size_t first = lower_bound(keys, &want), exact;

    if (dst->len > 0) {
        want.dst = *dst;
        exact = lower_bound(keys, &want);
        if (exact < keys->num_sas && compare_sas(&keys->sas[exact], &want) == 0)
            return &keys->sas[exact];
    }
    if (first == keys->num_sas || keys->sas[first].spi != spi)
        return NULL;
    return keys->sas[first].dst.len == 0 || dst->len == 0 ? &keys->sas[first] : NULL;
}

bool fal_esp_find(const struct fal_esp_keys *keys, const struct fal_psp_dst *dst, uint32_t spi,
                  struct fal_esp_form *form)
{
    const struct fal_esp_sa *sa = keys != NULL ? fal_esp_sa_of(keys, dst, spi) : NULL;

    if (sa != NULL)
        *form = sa->form;
    return sa != NULL;
}

/* ---- the key file ---- */

static int read_algorithm(const json_t *json, const char *where, struct fal_esp_sa *sa,
                          struct fal_error *err)
{
    const char *text = json_string_value(json_object_get(json, "algorithm"));

    for (size_t i = 0; text != NULL && i < sizeof algorithms / sizeof *algorithms; i++) {
        if (strcmp(algorithms[i], text) == 0) {
            sa->form.algorithm = (enum fal_esp_algorithm)i;
            sa->form.iv_len = i != FAL_ESP_NULL ? FAL_ESP_IV_LEN : 0;
            return 0;
        }
    }
    return fal_fail(err, FAL_ERR_FORM,
                    "%s.algorithm: \"aes-gcm-128\", \"aes-gcm-256\" or \"null\" is needed",
                    where);
}

/* Key and salt; the null algorithm has none. */
static int read_secrets(const json_t *json, const char *where, struct fal_esp_sa *sa,
                        struct fal_error *err)
{
    static const char *const names[] = {"key", "salt"};
    uint8_t *const out[] = {sa->key, sa->salt};
    size_t len[] = {0, 0};
    char name[80];

    if (sa->form.algorithm != FAL_ESP_NULL) {
        len[0] = sa->form.algorithm == FAL_ESP_AES_GCM_256 ? 32 : 16;
        len[1] = FAL_ESP_SALT_LEN;
    }
    for (size_t i = 0; i < 2; i++) {
        const json_t *value = json_object_get(json, names[i]);
        int status;

        if (value == NULL && len[i] == 0)
            continue;
        (void)snprintf(name, sizeof name, "%s.%s", where, names[i]);
        status = fal_key_read_bytes(value, name, len[i], out[i], err);
        if (status < 0)
            return status;
    }
    return 0;
}

static int read_icv_len(const json_t *json, const char *where, struct fal_esp_sa *sa,
                        struct fal_error *err)
{
    bool null = sa->form.algorithm == FAL_ESP_NULL;
    const json_t *value = json_object_get(json, "icv_len");
    uint64_t len = null ? 0 : FAL_ESP_ICV_MAX;
    char name[80];
    int status = 0;

    (void)snprintf(name, sizeof name, "%s.icv_len", where);
    if (value != NULL)
        status = fal_key_read_number(value, name, UINT32_MAX, &len, err);
    if (status < 0)
        return status;
    if (len != 8 && len != 12 && len != 16 && !(null && len == 0))
        return fal_fail(err, FAL_ERR_RANGE, "%s: %s16, 12 or 8 is needed", name,
                        null ? "0, " : "");
    sa->form.icv_len = (uint8_t)len;
    return 0;
}

static int read_esn(const json_t *json, const char *where, struct fal_esp_sa *sa,
                    struct fal_error *err)
{
    const json_t *esn = json_object_get(json, "esn");
    const json_t *high = json_object_get(json, "sequence_high");
    uint64_t value = 0;
    char name[80];
    int status = 0;

    if (esn != NULL && !json_is_boolean(esn))
        return fal_fail(err, FAL_ERR_FORM, "%s.esn: true or false is needed", where);
    sa->form.esn = json_is_true(esn);
    if (high == NULL)
        return 0;
    (void)snprintf(name, sizeof name, "%s.sequence_high", where);
    if (!sa->form.esn)
        return fal_fail(err, FAL_ERR_FORM, "%s: only with \"esn\": true", name);
    status = fal_key_read_number(high, name, UINT32_MAX, &value, err);
    sa->newest = value << 32;
    return status;
}

static int read_sa(const json_t *json, size_t index, struct fal_esp_sa *sa,
                   struct fal_error *err)
{
    static const char *const known[] = {"dst",  "spi",     "algorithm", "key",
                                        "salt", "icv_len", "esn",       "sequence_high"};
    char where[40], name[60];
    uint64_t spi = 0;
    int status;

    (void)snprintf(where, sizeof where, "sas[%zu]", index);
    (void)snprintf(name, sizeof name, "%s.spi", where);
    status = fal_key_check_members(json, where, known, sizeof known / sizeof *known, err);
    if (status == 0)
        status = fal_key_read_dst(json, where, &sa->dst, err);
    if (status == 0)
        status = fal_key_read_number(json_object_get(json, "spi"), name, UINT32_MAX, &spi, err);
    if (status == 0 && spi == 0)
        return fal_fail(err, FAL_ERR_RANGE, "%s: 0 is no SPI", name);
    sa->spi = (uint32_t)spi;
    if (status == 0)
        status = read_algorithm(json, where, sa, err);
    if (status == 0)
        status = read_secrets(json, where, sa, err);
    if (status == 0)
        status = read_icv_len(json, where, sa, err);
    return status == 0 ? read_esn(json, where, sa, err) : status;
}

static int read_keys(struct fal_esp_keys *keys, const json_t *json, struct fal_error *err)
{
    static const char *const known[] = {"sas"};
    const json_t *sas = json_object_get(json, "sas");
    int status = fal_key_check_members(json, "keys", known, 1, err);
    size_t n = json_array_size(sas);

    if (status < 0)
        return status;
    if (!json_is_array(sas))
        return fal_fail(err, FAL_ERR_FORM, "sas: an array is needed");
    keys->sas = OPENSSL_zalloc((n + 1) * sizeof *keys->sas);
    if (keys->sas == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    keys->num_sas = n;
    for (size_t i = 0; i < n; i++) {
        status = read_sa(json_array_get(sas, i), i, &keys->sas[i], err);
        if (status < 0)
            return status;
    }
    if (n > 0)
        qsort(keys->sas, n, sizeof *keys->sas, compare_sas);
    for (size_t i = 1; i < n; i++)
        if (compare_sas(&keys->sas[i - 1], &keys->sas[i]) == 0)
            return fal_fail(err, FAL_ERR_FORM, "sas: SPI 0x%08x has two keys",
                            keys->sas[i].spi);
    return 0;
}

struct fal_esp_keys *fal_esp_keys_new(const json_t *json, struct fal_error *err)
{
    struct fal_esp_keys *keys = OPENSSL_zalloc(sizeof *keys);

    if (keys == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    if (read_keys(keys, json, err) < 0)
        goto fail;
    keys->cipher[FAL_ESP_AES_GCM_128] = EVP_CIPHER_fetch(NULL, "AES-128-GCM", NULL);
    keys->cipher[FAL_ESP_AES_GCM_256] = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    if (keys->cipher[0] == NULL || keys->cipher[1] == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "OpenSSL gives no AES-GCM");
        goto fail;
    }
    return keys;
fail:
    fal_esp_keys_free(keys);
    return NULL;
}

void fal_esp_keys_free(struct fal_esp_keys *keys)
{
    if (keys == NULL)
        return;
    for (size_t i = 0; i < FAL_ESP_CACHE_SIZE; i++)
        EVP_CIPHER_CTX_free(keys->cache[i].ctx);
    EVP_CIPHER_free(keys->cipher[0]);
    EVP_CIPHER_free(keys->cipher[1]);
    OPENSSL_clear_free(keys->sas, (keys->num_sas + 1) * sizeof *keys->sas);
    OPENSSL_clear_free(keys, sizeof *keys);
}
