/* SPDX-License-Identifier: Apache-2.0
 * fuzz_frame.c - the frame stack under a fuzzer. Not crashing is not enough: of every frame,
 * whatever its bytes, must hold what frame_fault says; encoding undoes decoding, to the byte,
 * through the frame itself and through its JSON; and the printed packet parses back.
 *
 * The input: a byte of switches, a byte of how much the capture cut, the frame. make_corpus
 * writes such files. */
#include "fuzz/targets/fuzz_frame.h"

#include "codecs/frame/two_ways_test.h"
#include "codecs/json/json.h"
#include "codecs/text/text.h"
#include "fuzz/targets/targets.h"

#include <stdio.h>
#include <stdlib.h>

/* One input's memory: exactly as long as the frame, so that reading beyond it is seen. */
struct input {
    const uint8_t *bytes;
    uint8_t *scratch, *again, *storage;
    size_t caplen;
    struct fal_frame_keys keys;
    struct fal_frame frame;
};

static void broken(const char *what)
{
    fuzz_broken("frame: %s", what);
}

static void encodes_to_the_same(struct input *in, const struct fal_frame *frame, unsigned keep,
                                const char *otherwise)
{
    int n = fal_frame_encode_with(frame, &in->keys, keep, in->again, in->caplen, NULL);

    if (n != (int)in->caplen || memcmp(in->again, in->bytes, in->caplen) != 0)
        broken(otherwise);
}

/* Through its JSON and back. */
static void check_json(struct input *in)
{
    json_t *json = fal_json_frame(&in->frame);
    struct fal_frame frame;
    struct fal_error err = {{0}};
    unsigned keep = 0;

    if (json == NULL)
        return; /* out of memory */
    if (fal_json_read_frame(json, FAL_ENCAP_UDP, &frame,
                            (struct fal_json_storage){in->storage, 2 * in->caplen + 64}, &keep,
                            &err) != 0)
        fuzz_broken("frame: JSON does not read back: %s", err.text);
    encodes_to_the_same(in, &frame, keep, "a frame's JSON gives other bytes");
    json_decref(json);
}

/* Through the notation and back: the packet, reserved bits and all. */
static void check_text(const struct input *in)
{
    const struct fal_falcon *packet = &in->frame.falcon;
    char text[FAL_TEXT_MAX];
    struct fal_pattern pattern;
    struct fal_falcon again;
    int n = fal_text_packet(packet, NULL, text, sizeof text);

    if (n < 0 || n >= (int)sizeof text)
        broken("a packet's text has no room");
    if (fal_text_parse(text, &pattern, NULL) != 0)
        broken("a packet's text does not parse");
    fal_falcon_init(&again, (enum fal_packet_type)packet->packet_type);
    if (fal_pattern_apply(&pattern, NULL, NULL, &again, NULL) != 0)
        broken("a packet's text cannot be sent");
    if (!test_same_packet(packet, &again))
        broken("a packet's text is another packet");
}

static void check(struct input *in, const struct fal_frame_options *options, unsigned linktype,
                  size_t len, bool scratch)
{
    const struct fal_captured captured = {in->bytes, in->caplen, len, linktype};
    uint8_t room[64];
    const char *fault;
    bool usual;

    fault = two_ways_differ(&captured, options, &usual);
    if (fault != NULL)
        broken(fault);
    in->frame.number = 1;
    in->frame.ts_ns = 0;
    if (fal_frame_decode(&captured, options, scratch ? in->scratch : NULL, &in->frame) != 0)
        broken("a link type that is not known");
    fault = frame_fault(&in->frame, in->bytes, in->caplen, in->scratch);
    if (fault != NULL)
        broken(fault);
    encodes_to_the_same(in, &in->frame, KEEP_ALL, "encoding does not undo decoding");
    if (fal_frame_encode_with(&in->frame, &in->keys, 0, room, sizeof room, NULL) >
        (int)sizeof room)
        broken("encoded more than there is room for");
    /* Every Falcon packet takes the slow path, and so does half of all other input. */
    if (fal_frame_has(&in->frame, FAL_LAYER_FALCON))
        check_text(in);
    else if (in->caplen % 2 != 0)
        return;
    check_json(in);
}

void fuzz_frame(const uint8_t *data, size_t size)
{
    struct fal_frame_options options = {0};
    struct input in = {0};
    unsigned switches;
    uint8_t *bytes;

    if (size < FUZZ_FRAME_HEAD || size > FUZZ_FRAME_MAX)
        return;
    switches = data[0];
    in.caplen = size - FUZZ_FRAME_HEAD;
    bytes = malloc(in.caplen > 0 ? in.caplen : 1);
    in.scratch = malloc(in.caplen > 0 ? in.caplen : 1);
    in.again = malloc(in.caplen > 0 ? in.caplen : 1);
    in.storage = malloc(2 * in.caplen + 64);
    if ((switches & FUZZ_FRAME_KEYS) !=
        0) /* new for each input: no input may depend on the one before */
        in.keys = fuzz_frame_keys();
    if (bytes == NULL || in.scratch == NULL || in.again == NULL || in.storage == NULL)
        goto done;
    memcpy(bytes, data + FUZZ_FRAME_HEAD, in.caplen);
    in.bytes = bytes;
    if ((switches & FUZZ_FRAME_KEYS) != 0) {
        options.psp_keys = in.keys.psp;
        options.esp_keys = in.keys.esp;
    }
    options.no_lint = (switches & FUZZ_FRAME_NO_LINT) != 0;
    check(&in, &options, fuzz_frame_linktypes[switches % FUZZ_FRAME_LINKTYPES],
          in.caplen + ((switches & FUZZ_FRAME_CUT) != 0 ? data[1] : 0),
          (switches & FUZZ_FRAME_NO_SCRATCH) == 0);
done:
    fal_psp_keys_free(in.keys.psp);
    fal_esp_keys_free(in.keys.esp);
    free(in.storage);
    free(in.again);
    free(in.scratch);
    free(bytes);
}
