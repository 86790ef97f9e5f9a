/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/key_file.h"

#include "codecs/seal/esp.h"
#include "codecs/seal/key_file.h"
#include "codecs/seal/psp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GENERATION_BIT = 31, KEY_TEXT = 2 * FAL_PSP_KEY_MAX + 1 };

json_t *tl_key_file_load(const char *path, bool esp, struct fal_error *err)
{
    json_error_t where;
    json_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    struct fal_error why = {{0}};
    struct fal_psp_keys *psp = NULL;
    struct fal_esp_keys *sas = NULL;

    if (file == NULL) {
        (void)fal_fail(err, FAL_ERR_FORM, "%.200s:%d: %s", path, where.line, where.text);
        return NULL;
    }
    if (esp)
        sas = fal_esp_keys_new(file, &why);
    else
        psp = fal_psp_keys_new(file, &why);
    if (sas == NULL && psp == NULL) {
        (void)fal_fail(err, FAL_ERR_FORM, "%.200s: %.250s", path, why.text);
        json_decref(file);
        file = NULL;
    }
    fal_esp_keys_free(sas);
    fal_psp_keys_free(psp);
    return file;
}

static bool spi_of(const json_t *sa, uint32_t *spi)
{
    uint64_t number = 0;

    if (fal_key_read_number(json_object_get(sa, "spi"), "spi", UINT32_MAX, &number, NULL) != 0)
        return false;
    *spi = (uint32_t)number;
    return true;
}

bool tl_key_file_spi(const json_t *file, size_t n, uint32_t *spi)
{
    return spi_of(json_array_get(json_object_get(file, "sas"), n), spi);
}

bool tl_key_file_masters(const json_t *file, uint8_t out[2][TL_MASTER_LEN])
{
    const json_t *keys = json_object_get(file, "master_keys");
    void *first = json_object_iter(json_object_get(file, "receivers"));

    if (keys == NULL && first != NULL)
        keys = json_object_get(json_object_iter_value(first), "master_keys");
    for (size_t i = 0; i < 2; i++)
        if (fal_key_read_bytes(json_array_get(keys, i), "master_keys", TL_MASTER_LEN, out[i],
                               NULL) != 0)
            return false;
    return true;
}

/* Derives the SA of an SPI from the master keys. */
static json_t *derived(const json_t *file, uint32_t spi)
{
    uint8_t masters[2][TL_MASTER_LEN], key[FAL_PSP_KEY_MAX];
    char text[KEY_TEXT] = "", spi_text[16];
    int len;

    if (!tl_key_file_masters(file, masters))
        return NULL;
    len = fal_psp_derive(masters[spi >> GENERATION_BIT], spi, 0, key);
    for (int i = 0; i < len; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", key[i]);
    (void)snprintf(spi_text, sizeof spi_text, "0x%08" PRIx32, spi);
    return len > 0 ? json_pack("{s:s, s:i, s:s}", "spi", spi_text, "version", 0, "key", text)
                   : NULL;
}

json_t *tl_key_file_sa(const json_t *file, bool esp, uint32_t spi)
{
    const json_t *sas = json_object_get(file, "sas");
    uint32_t each;

    for (size_t i = 0; i < json_array_size(sas); i++) {
        json_t *copy;

        if (!tl_key_file_spi(file, i, &each) || each != spi)
            continue;
        copy = json_copy(json_array_get(sas, i));
        if (copy != NULL) /* all SAs of a sealer belong to one end */
            (void)json_object_del(copy, "dst");
        return copy;
    }
    return esp ? NULL : derived(file, spi);
}
