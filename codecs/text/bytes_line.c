/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/text/bytes_line.h"

#include "codecs/base/hex.h"
#include "codecs/text/text_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

int fal_bytes_line_head(const struct fal_bytes_line *line, char *text, size_t cap)
{
    struct fal_out start = fal_out_start(text, cap), *out = &start;

    fal_out_char(out, '@');
    fal_out_duration(out, line->ts_ns);
    fal_out_format(out, " frame linktype=%u", line->linktype);
    if (line->missing > 0)
        fal_out_format(out, " missing=%" PRIu32, line->missing);
    fal_out_text(out, " hex:");
    return fal_out_end(out);
}

/* Steps over "NAME=" and its number. Returns false if something else stands there. */
static bool read_item(const char **at, const char *name, uint32_t *value)
{
    size_t len = strlen(name);
    char *end;
    unsigned long number;

    if (strncmp(*at, name, len) != 0 || !fal_is_digit((*at)[len]))
        return false;
    number = strtoul(*at + len, &end, 10);
    if (number > UINT32_MAX || *end == 0 || strchr(blanks, *end) == NULL)
        return false;
    *value = (uint32_t)number;
    *at = end + strspn(end, blanks);
    return true;
}

/* "@1.5s frame "; returns what follows, or NULL if the line is of another kind. */
static const char *read_head(const char *text, struct fal_bytes_line *line)
{
    static const char word[] = "frame";
    struct fal_cursor in = {.line = text, .at = text + strspn(text, blanks)};
    struct fal_duration time = {.ns = 0};

    if (*in.at == '@') {
        in.at++;
        if (fal_read_duration(&in, &time) != 0 || time.var[0] != 0)
            return NULL;
        in.at += strspn(in.at, blanks);
    }
    if (strncmp(in.at, word, sizeof word - 1) != 0)
        return NULL;
    in.at += sizeof word - 1;
    line->ts_ns = time.ns;
    return strchr(blanks, *in.at) != NULL ? in.at + strspn(in.at, blanks) : NULL;
}

/* The digits, up to a blank or a comment. */
static int read_digits(const char *at, uint8_t *out, size_t cap, struct fal_error *err)
{
    size_t len = strcspn(at, " \t\r#");
    const char *rest = at + len + strspn(at + len, blanks);

    if (*rest != 0 && *rest != '#')
        return fal_fail(err, FAL_ERR_FORM, "frame: only a comment may follow the bytes");
    if (len % 2 != 0)
        return fal_fail(err, FAL_ERR_FORM, "frame: an odd number of hex digits");
    if (len / 2 > cap)
        return fal_fail(err, FAL_ERR_SHORT, "frame: more than %zu bytes", cap);
    for (size_t i = 0; i < len; i += 2) {
        const char byte[] = {at[i], at[i + 1], 0};

        if (fal_hex_read(byte, out + i / 2, 1) != 1)
            return fal_fail(err, FAL_ERR_FORM, "frame: '%s' at byte %zu is no byte in hex",
                            fal_quote(byte, 2).text, i / 2);
    }
    return (int)(len / 2);
}

int fal_bytes_line_parse(const char *text, struct fal_bytes_line *line, uint8_t *out,
                         size_t cap, struct fal_error *err)
{
    const char *at = read_head(text, line);
    uint32_t linktype;
    int len;

    if (at == NULL)
        return FAL_ERR_TYPE;
    line->missing = 0;
    if (!read_item(&at, "linktype=", &linktype))
        return fal_fail(err, FAL_ERR_FORM,
                        "frame: expected linktype=NUMBER, as linktype=1 for Ethernet");
    line->linktype = linktype;
    (void)read_item(&at, "missing=", &line->missing);
    if (strncmp(at, "hex:", 4) != 0)
        return fal_fail(err, FAL_ERR_FORM, "frame: expected hex: and the bytes of the frame");
    len = read_digits(at + 4, out, cap, err);
    if (len < 0)
        return len;
    line->len = (size_t)len;
    return 0;
}
