/* SPDX-License-Identifier: Apache-2.0
 * fuzz_capture.c - the reader and the writer of pcap and pcapng files: frames that were read
 * from a file and written to another one can be read from that again. Files are in memory. */
#include "fuzz/targets/targets.h"
#include "harness/capture/capture.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FRAMES_MAX = 1000, PATH_ROOM = 64 };

/* A file in memory and a path to it. */
struct memory_file {
    int fd;
    char path[PATH_ROOM];
};

static bool open_memory(struct memory_file *file, const char *name)
{
    file->fd = memfd_create(name, MFD_CLOEXEC);
    (void)snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    return file->fd >= 0;
}

static void check_frame(const struct tl_captured *frame, uint64_t last)
{
    if (frame->number <= last)
        fuzz_broken("capture: frame %u comes after %u", (unsigned)frame->number,
                    (unsigned)last);
    if (frame->caplen > frame->len || frame->caplen > TL_FRAME_MAX)
        fuzz_broken("capture: a frame of %u bytes, of which %u were captured", frame->len,
                    frame->caplen);
    if (tl_linktype_name(frame->linktype) == NULL)
        fuzz_broken("capture: link type %u has no name", frame->linktype);
}

static uint64_t hash_frame(uint64_t hash, const struct tl_captured *frame)
{
    hash = (hash ^ frame->caplen) * UINT64_C(0x100000001b3);
    hash = (hash ^ frame->len) * UINT64_C(0x100000001b3);
    hash = (hash ^ frame->ts_ns) * UINT64_C(0x100000001b3);
    for (uint32_t i = 0; i < frame->caplen; i++)
        hash = (hash ^ frame->bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Reads all; `writer` may be NULL. The frames, and a hash of them. */
static unsigned read_all(const char *path, struct tl_capture_writer *writer, uint64_t *hash,
                         bool *wrote)
{
    struct fal_error err = {{0}};
    struct tl_capture *capture = tl_capture_open(path, &err);
    struct tl_captured frame;
    uint64_t last = 0;
    unsigned frames = 0;
    int status;

    if (capture == NULL) {
        if (err.text[0] == '\0')
            fuzz_broken("capture: refused, and nobody says why");
        return 0;
    }
    while (frames < FRAMES_MAX && (status = tl_capture_next(capture, &frame, &err)) == 1) {
        check_frame(&frame, last);
        last = frame.number;
        frames++;
        *hash = hash_frame(*hash, &frame);
        if (writer != NULL && tl_capture_write(writer, frame.ts_ns, frame.bytes, frame.caplen,
                                               frame.len, &err) != 0)
            *wrote = false;
    }
    (void)tl_capture_dropped(capture);
    tl_capture_close(capture);
    return frames;
}

void fuzz_capture(const uint8_t *data, size_t size)
{
    struct memory_file in, out;
    struct tl_capture_writer *writer = NULL;
    struct fal_error err = {{0}};
    uint64_t hash = 0, again = 0;
    unsigned frames, copied;
    bool wrote = true;

    if (!open_memory(&in, "in"))
        return;
    if (!open_memory(&out, "out")) {
        (void)close(in.fd);
        return;
    }
    if (write(in.fd, data, size) == (ssize_t)size) {
        writer = tl_capture_create(out.path, FAL_LINKTYPE_ETHERNET, &err);
        frames = read_all(in.path, writer, &hash, &wrote);
        if (tl_capture_finish(writer, &err) == 0 && wrote && writer != NULL) {
            copied = read_all(out.path, NULL, &again, &wrote);
            if (copied != frames || again != hash)
                fuzz_broken("capture: %u frames were written, and %u others read", frames,
                            copied);
        }
    }
    (void)close(out.fd);
    (void)close(in.fd);
}
