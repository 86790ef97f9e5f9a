/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/seal/psp_keys.h"
#include "codecs/seal/key_file.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

size_t fal_psp_key_len(unsigned version)
{
    if (version > 3)
        return 0;
    return version % 2 == 0 ? 16 : 32;
}

/* ---- order and search ---- */

static int compare_receivers(const void *a, const void *b)
{
    return fal_psp_dst_compare(&((const struct fal_psp_receiver *)a)->dst,
                               &((const struct fal_psp_receiver *)b)->dst);
}

static int compare_sas(const void *a, const void *b)
{
    const struct fal_psp_sa *x = a, *y = b;

    if (x->spi != y->spi)
        return x->spi < y->spi ? -1 : 1;
    if (x->version != y->version)
        return x->version < y->version ? -1 : 1;
    return fal_psp_dst_compare(&x->dst, &y->dst);
}

/* The first SA that is not below `want`, or num_sas. */
static size_t lower_bound(const struct fal_psp_keys *keys, const struct fal_psp_sa *want)
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

/* An SA of that SPI and version, of that address, else of any address. The unknown address and
 * "any" sort first, so an unknown one finds the first there is. */
static const struct fal_psp_sa *find_sa(const struct fal_psp_keys *keys,
                                        const struct fal_psp_dst *dst, uint32_t spi,
                                        unsigned version)
{
    struct fal_psp_sa want = {.spi = spi, .version = version};
    size_t first = lower_bound(keys, &want), exact;

    if (dst->len > 0) {
        want.dst = *dst;
        exact = lower_bound(keys, &want);
        if (exact < keys->num_sas && compare_sas(&keys->sas[exact], &want) == 0)
            return &keys->sas[exact];
    }
    if (first == keys->num_sas || keys->sas[first].spi != spi ||
        keys->sas[first].version != version)
        return NULL;
    return keys->sas[first].dst.len == 0 || dst->len == 0 ? &keys->sas[first] : NULL;
}

/* Origins: 0 and 1 the common master keys, then two of each receiver, then the SAs. */
struct fal_psp_secret fal_psp_find(const struct fal_psp_keys *keys,
                                   const struct fal_psp_dst *dst, uint32_t spi,
                                   unsigned version)
{
    struct fal_psp_secret secret = {0};
    struct fal_psp_receiver want = {.dst = *dst}, *receiver = NULL;
    const struct fal_psp_sa *sa = find_sa(keys, dst, spi, version);
    uint32_t generation = spi >> 31;

    if (sa != NULL) {
        secret.bytes = sa->key;
        secret.origin = (uint32_t)(2 + 2 * keys->num_receivers + (size_t)(sa - keys->sas));
        return secret;
    }
    if (dst->len > 0 && keys->num_receivers > 0)
        receiver = bsearch(&want, keys->receivers, keys->num_receivers, sizeof want,
                           compare_receivers);
    if (receiver != NULL) {
        secret.bytes = receiver->master.key[generation];
        secret.origin = (uint32_t)(2 + 2 * (receiver - keys->receivers)) + generation;
    } else if (keys->has_master) {
        secret.bytes = keys->master.key[generation];
        secret.origin = generation;
    }
    secret.master = true;
    return secret;
}

/* ---- the key file ---- */

static int read_master(const json_t *json, const char *where, struct fal_psp_master *out,
                       struct fal_error *err)
{
    char name[120];
    int status;

    if (!json_is_array(json) || json_array_size(json) != 2)
        return fal_fail(err, FAL_ERR_FORM, "%s: an array of 2 keys is needed", where);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(name, sizeof name, "%s[%zu]", where, i);
        status = fal_key_read_bytes(json_array_get(json, i), name, FAL_PSP_MASTER_LEN,
                                    out->key[i], err);
        if (status < 0)
            return status;
    }
    return 0;
}

static int read_receivers(struct fal_psp_keys *keys, const json_t *json, struct fal_error *err)
{
    static const char *const known[] = {"master_keys"};
    char where[100];
    const char *address;
    json_t *entry;
    int status;

    if (!json_is_object(json))
        return fal_fail(err, FAL_ERR_FORM, "receivers: an object is needed");
    keys->receivers = OPENSSL_zalloc((json_object_size(json) + 1) * sizeof *keys->receivers);
    if (keys->receivers == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    json_object_foreach((json_t *)json, address, entry)
    {
        struct fal_psp_receiver *r = &keys->receivers[keys->num_receivers];

        (void)snprintf(where, sizeof where, "receivers[\"%.48s\"]", address);
        if (!fal_psp_dst_from(address, &r->dst))
            return fal_fail(err, FAL_ERR_FORM, "%s: not an IP address", where);
        status = fal_key_check_members(entry, where, known, 1, err);
        if (status < 0)
            return status;
        (void)snprintf(where, sizeof where, "receivers[\"%.48s\"].master_keys", address);
        status = read_master(json_object_get(entry, "master_keys"), where, &r->master, err);
        if (status < 0)
            return status;
        keys->num_receivers++;
    }
    if (keys->num_receivers > 0)
        qsort(keys->receivers, keys->num_receivers, sizeof *keys->receivers, compare_receivers);
    for (size_t i = 1; i < keys->num_receivers; i++)
        if (compare_receivers(&keys->receivers[i - 1], &keys->receivers[i]) == 0)
            return fal_fail(err, FAL_ERR_FORM, "receivers: an address is named twice");
    return 0;
}

static int read_sa(const json_t *json, size_t index, struct fal_psp_sa *sa,
                   struct fal_error *err)
{
    static const char *const known[] = {"dst", "spi", "version", "key"};
    char where[60];
    uint64_t number = 0;
    int status;

    (void)snprintf(where, sizeof where, "sas[%zu]", index);
    status = fal_key_check_members(json, where, known, 4, err);
    if (status < 0)
        return status;
    status = fal_key_read_dst(json, where, &sa->dst, err);
    if (status < 0)
        return status;
    (void)snprintf(where, sizeof where, "sas[%zu].spi", index);
    status = fal_key_read_number(json_object_get(json, "spi"), where, UINT32_MAX, &number, err);
    if (status < 0)
        return status;
    sa->spi = (uint32_t)number;
    (void)snprintf(where, sizeof where, "sas[%zu].version", index);
    status = fal_key_read_number(json_object_get(json, "version"), where, 3, &number, err);
    if (status < 0)
        return status;
    sa->version = (unsigned)number;
    (void)snprintf(where, sizeof where, "sas[%zu].key", index);
    return fal_key_read_bytes(json_object_get(json, "key"), where, fal_psp_key_len(sa->version),
                              sa->key, err);
}

static int read_sas(struct fal_psp_keys *keys, const json_t *json, struct fal_error *err)
{
    size_t n = json_array_size(json);

    if (!json_is_array(json))
        return fal_fail(err, FAL_ERR_FORM, "sas: an array is needed");
    keys->sas = OPENSSL_zalloc((n + 1) * sizeof *keys->sas);
    if (keys->sas == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (; keys->num_sas < n; keys->num_sas++) {
        int status = read_sa(json_array_get(json, keys->num_sas), keys->num_sas,
                             &keys->sas[keys->num_sas], err);

        if (status < 0)
            return status;
    }
    if (n > 0)
        qsort(keys->sas, n, sizeof *keys->sas, compare_sas);
    for (size_t i = 1; i < n; i++)
        if (compare_sas(&keys->sas[i - 1], &keys->sas[i]) == 0)
            return fal_fail(err, FAL_ERR_FORM, "sas: SPI 0x%08x has two keys of version %u",
                            keys->sas[i].spi, keys->sas[i].version);
    return 0;
}

static int read_keys(struct fal_psp_keys *keys, const json_t *json, struct fal_error *err)
{
    static const char *const known[] = {"master_keys", "receivers", "sas"};
    const json_t *masters, *receivers, *sas;
    int status = fal_key_check_members(json, "keys", known, 3, err);

    if (status < 0)
        return status;
    masters = json_object_get(json, "master_keys");
    receivers = json_object_get(json, "receivers");
    sas = json_object_get(json, "sas");
    if (masters == NULL && receivers == NULL && sas == NULL)
        return fal_fail(err, FAL_ERR_FORM, "keys: master_keys, receivers or sas is needed");
    if (masters != NULL) {
        status = read_master(masters, "master_keys", &keys->master, err);
        keys->has_master = status == 0;
    }
    if (status == 0 && receivers != NULL)
        status = read_receivers(keys, receivers, err);
    if (status == 0 && sas != NULL)
        status = read_sas(keys, sas, err);
    return status;
}

struct fal_psp_keys *fal_psp_keys_new(const json_t *json, struct fal_error *err)
{
    struct fal_psp_keys *keys = OPENSSL_zalloc(sizeof *keys);

    if (keys == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    if (read_keys(keys, json, err) < 0)
        goto fail;
    keys->cipher[0] = EVP_CIPHER_fetch(NULL, "AES-128-GCM", NULL);
    keys->cipher[1] = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    if (keys->cipher[0] == NULL || keys->cipher[1] == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "OpenSSL gives no AES-GCM");
        goto fail;
    }
    return keys;
fail:
    fal_psp_keys_free(keys);
    return NULL;
}

void fal_psp_keys_free(struct fal_psp_keys *keys)
{
    if (keys == NULL)
        return;
    for (size_t i = 0; i < FAL_PSP_CACHE_SIZE; i++)
        EVP_CIPHER_CTX_free(keys->cache[i].ctx);
    EVP_CIPHER_free(keys->cipher[0]);
    EVP_CIPHER_free(keys->cipher[1]);
    OPENSSL_clear_free(keys->receivers, (keys->num_receivers + 1) * sizeof *keys->receivers);
    OPENSSL_clear_free(keys->sas, (keys->num_sas + 1) * sizeof *keys->sas);
    OPENSSL_clear_free(keys, sizeof *keys);
}
