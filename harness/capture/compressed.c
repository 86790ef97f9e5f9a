/* SPDX-License-Identifier: Apache-2.0
 * compressed.c - reads gzip and zstd data as a stream. Memory does not depend on the data: one
 * buffer of input, and the window of the format (at most 128 MB for zstd). The libraries are
 * used and not the programs gzip and zstd: a library says what is wrong and where, needs no
 * installed program, and leaves no process or signal to care for. */
#include "harness/capture/capture_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    INPUT = 1 << 16,
    OUTPUT = 1 << 17,
    GZIP_ONLY = 16, /* added to zlib's window bits */
    MAGIC_MAX = 4,
};

struct tl_compressed {
    FILE *file; /* borrowed */
    bool zstd;
    bool inside;   /* data have begun and not ended: a file may hold several in a row */
    bool more_out; /* the decompressor may have more output without more input */
    z_stream z;
    ZSTD_DStream *d;
    uint64_t offset;   /* in the file, of what follows in[len] */
    size_t taken, len; /* bytes of `in` that were decompressed, that are there */
    struct fal_error why;
    uint8_t in[INPUT];
    char out[OUTPUT]; /* the buffer of the stream */
};

static const char *name_of(const struct tl_compressed *c)
{
    return c->zstd ? "zstd" : "gzip";
}

/* ---- which files are compressed ---- */

static const struct {
    bool zstd;
    size_t len;
    uint8_t bytes[MAGIC_MAX], mask[MAGIC_MAX];
} magics[] = {
    {false, 2, {0x1f, 0x8b}, {0xff, 0xff}},
    {true, 4, {0x28, 0xb5, 0x2f, 0xfd}, {0xff, 0xff, 0xff, 0xff}},
    /* a skippable frame, as pzstd writes it first */
    {true, 4, {0x50, 0x2a, 0x4d, 0x18}, {0xf0, 0xff, 0xff, 0xff}},
};

enum { MAGICS = sizeof magics / sizeof *magics };

static bool begins_with(const uint8_t *bytes, size_t len, size_t magic)
{
    if (len < magics[magic].len)
        return false;
    for (size_t i = 0; i < magics[magic].len; i++)
        if ((bytes[i] & magics[magic].mask[i]) != magics[magic].bytes[i])
            return false;
    return true;
}

/* ---- decompressing ---- */

static void damaged(struct tl_compressed *c, const char *what)
{
    (void)fal_fail(&c->why, FAL_ERR_FORM,
                   "damaged %s data before byte %" PRIu64 " of the file (%.60s); expected data "
                   "that '%s -t' accepts; copy the file again",
                   name_of(c), c->offset - (c->len - c->taken), what, name_of(c));
}

static size_t inflate_some(struct tl_compressed *c, uint8_t *out, size_t room)
{
    int status;

    if (!c->inside && inflateReset(&c->z) != Z_OK)
        return 0;
    c->inside = true;
    c->z.next_in = c->in + c->taken;
    c->z.avail_in = (uInt)(c->len - c->taken);
    c->z.next_out = out;
    c->z.avail_out = (uInt)room;
    status = inflate(&c->z, Z_NO_FLUSH);
    c->taken = c->len - c->z.avail_in;
    c->inside = status != Z_STREAM_END;
    c->more_out = c->inside && c->z.avail_out == 0;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        damaged(c, c->z.msg != NULL ? c->z.msg : zError(status));
    return room - c->z.avail_out;
}

static size_t unzstd_some(struct tl_compressed *c, uint8_t *out, size_t room)
{
    ZSTD_inBuffer in = {c->in, c->len, c->taken};
    ZSTD_outBuffer to = {out, room, 0};
    size_t status = ZSTD_decompressStream(c->d, &to, &in);

    c->taken = in.pos;
    c->inside = status != 0;
    c->more_out = c->inside && to.pos == to.size;
    if (ZSTD_isError(status) == 0)
        return to.pos;
    if (ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge)
        (void)fal_fail(
            &c->why, FAL_ERR_FORM,
            "the zstd data need a window of more than 128 MB; expected at most that; "
            "use 'zstd -dc --long=31 FILE | talon ... -'");
    else
        damaged(c, ZSTD_getErrorName(status));
    return to.pos;
}

/* Reads more input. Returns false at its end, with a reason if it ends too early. */
static bool refill(struct tl_compressed *c)
{
    c->taken = 0;
    c->len = fread(c->in, 1, sizeof c->in, c->file);
    c->offset += c->len;
    if (c->len > 0)
        return true;
    if (ferror(c->file) != 0)
        (void)fal_fail(&c->why, FAL_ERR_FORM, "%s", strerror(errno));
    else if (c->inside)
        (void)fal_fail(&c->why, FAL_ERR_FORM,
                       "truncated: the file ends at byte %" PRIu64 ", inside its %s data; "
                       "expected a complete file ('%s -t' tests it); copy it again",
                       c->offset, name_of(c), name_of(c));
    return false;
}

/* The read function of the stream. */
static ssize_t read_some(void *cookie, char *out, size_t room)
{
    struct tl_compressed *c = cookie;
    size_t got = 0;

    if (room > INT32_MAX)
        room = INT32_MAX; /* zlib counts in 32 bits */
    while (got == 0 && c->why.text[0] == '\0') {
        if (!c->more_out && c->taken == c->len && !refill(c))
            break;
        got = c->zstd ? unzstd_some(c, (uint8_t *)out, room)
                      : inflate_some(c, (uint8_t *)out, room);
    }
    if (got > 0 || c->why.text[0] == '\0')
        return (ssize_t)got;
    errno = EIO;
    return -1;
}

/* ---- opening ---- */

static bool prepare(struct tl_compressed *c)
{
    if (!c->zstd)
        return inflateInit2(&c->z, MAX_WBITS + GZIP_ONLY) == Z_OK;
    c->d = ZSTD_createDStream();
    return c->d != NULL;
}

int tl_compressed_open(FILE **file, struct tl_compressed **out, struct fal_error *err)
{
    struct tl_compressed *c;
    uint8_t start[MAGIC_MAX];
    size_t len = 0, magic = 0;
    FILE *stream;
    int byte;

    *out = NULL;
    while (len < MAGIC_MAX && (byte = getc(*file)) != EOF)
        start[len++] = (uint8_t)byte;
    while (magic < MAGICS && !begins_with(start, len, magic))
        magic++;
    for (size_t i = len; i > 0; i--) /* they were just read: there is room for them */
        if (ungetc(start[i - 1], *file) == EOF)
            return fal_fail(err, FAL_ERR_IO, "its first bytes cannot be read twice");
    if (magic == MAGICS)
        return 0;
    c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    c->file = *file;
    c->zstd = magics[magic].zstd;
    if (!prepare(c))
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    stream = fopencookie(c, "rb", (cookie_io_functions_t){.read = read_some});
    if (stream == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    (void)setvbuf(stream, c->out, _IOFBF, sizeof c->out);
    *file = stream;
    return 0;
}

FILE *tl_compressed_file(const struct tl_compressed *compressed)
{
    return compressed != NULL ? compressed->file : NULL;
}

const char *tl_compressed_error(const struct tl_compressed *compressed)
{
    return compressed != NULL && compressed->why.text[0] != '\0' ? compressed->why.text : NULL;
}

void tl_compressed_free(struct tl_compressed *compressed)
{
    if (compressed == NULL)
        return;
    if (!compressed->zstd)
        (void)inflateEnd(&compressed->z);
    (void)ZSTD_freeDStream(compressed->d);
    free(compressed);
}
