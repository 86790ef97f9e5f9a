/* SPDX-License-Identifier: Apache-2.0
 * talon.h - libtalon: judges the packets of Falcon connections as `talon check` does, and
 * decodes and encodes frames. docs/libtalon.md begins with an example.
 *
 * The library has no globals. Each object may be used by one thread at a time; different
 * objects by different threads at once. Objects that were made from one struct talon_setup
 * count as one object if the setup has keys (--psp-keys, --esp-keys).
 *
 * Functions return 0, or a code of enum talon_status below 0, and then a sentence in `err`,
 * which may be NULL. A function never prints, ends the process or changes a signal.
 *
 * The ABI: a function, a member of a structure and a number of an enum that is here stays.
 * Structures that the caller fills in begin with their size, so members may be added at the
 * end; so may members of structures that the library hands out by pointer. Enums may get more
 * numbers. struct talon_frame and struct talon_error never change. */
#ifndef TALON_H
#define TALON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TALON_API __attribute__((visibility("default")))

/* The version of this header: major * 10000 + minor * 100 + patch. */
#define TALON_VERSION 100

/* The version of the library, "0.1.0". */
TALON_API const char *talon_version(void);

/* ---- what went wrong ---- */

enum talon_status {
    TALON_OK = 0,
    TALON_ERR_SHORT = -1, /* the input ends too early, or the buffer is too small */
    TALON_ERR_RANGE = -2, /* a value does not fit its field */
    TALON_ERR_TYPE = -3,  /* unknown packet type, link type or version */
    TALON_ERR_FORM = -4,  /* text, JSON or a file that does not have the form it must have */
    TALON_ERR_AUTH = -5,  /* authentication failed */
    TALON_ERR_KEY = -6,   /* there is no key for it */
    TALON_ERR_MEM = -7,   /* out of memory */
    TALON_ERR_IO = -8,    /* the operating system refused */
};

/* Filled in by a function that fails. The structure never changes. */
struct talon_error {
    int code;        /* enum talon_status */
    char text[1020]; /* one line without a full stop */
};

/* ---- settings ---- */

/* Settings are the options of `talon check`, as words: {"--param", "rto=1ms", "--vantage",
 * "sut"}. `talon check --help` lists them. These are taken: all about the connections, the path
 * and the capture, --only and --skip; --jobs has the default 1 here. Options that name files
 * (--connections, --psp-keys) are read at once, --ulp when the first frame comes. */
struct talon_setup;

/* Reads `count` words; with 0 of them everything has its default. The words may be freed.
 * Returns a new object for talon_setup_free, or NULL with `err`. */
TALON_API struct talon_setup *talon_setup_new(const char *const *words, size_t count,
                                              struct talon_error *err);
/* Frees a setup that no judge uses any more. NULL is allowed. */
TALON_API void talon_setup_free(struct talon_setup *setup);

/* ---- frames ---- */

/* A frame as it was captured. The structure never changes; members that are not needed are 0.
 */
struct talon_frame {
    uint64_t time_ns; /* since any moment, the same for all frames and events: 1970, the boot */
    const void *bytes; /* from the link layer on; not used after the call */
    uint32_t captured; /* bytes that are there, at most 262144 */
    uint32_t length;   /* bytes that were on the wire; 0: as many as are there */
    uint32_t
        linktype; /* 0 or 1: Ethernet; 101: IP; 113, 276: Linux cooked; 147: Falcon alone */
    uint32_t
        interface;     /* that received it; counts if there are several (talon_judge_options) */
    uint32_t drops;    /* frames that were missed right before it */
    uint32_t reserved; /* 0 */
};

/* ---- judging ---- */

/* Verdicts only ever get worse, from pass to error. */
enum talon_verdict {
    TALON_VERDICT_NONE = 0, /* not exercised: there was nothing to decide */
    TALON_VERDICT_PASS = 1,
    TALON_VERDICT_WARN = 2,         /* a recommendation was violated */
    TALON_VERDICT_INCONCLUSIVE = 3, /* no violation is certain, but not enough was seen */
    TALON_VERDICT_FAIL = 4,         /* a requirement was violated */
    TALON_VERDICT_ERROR = 5,        /* Talon or the tester failed, not the SUT */
};
/* "pass"; NULL for a number that is no verdict. */
TALON_API const char *talon_verdict_name(enum talon_verdict verdict);

enum talon_finding_flag {
    TALON_FINDING_ASKED = 1, /* a step of the test asked for the violation */
    TALON_FINDING_UNSURE =
        2, /* missing frames, or a wrong pairing of directions, may explain it */
};

/* A violation that a rule found. */
struct talon_finding {
    enum talon_verdict verdict;   /* what it counts for; none if a step asked for it */
    uint32_t flags;               /* enum talon_finding_flag */
    const char *rule;             /* "R1": talon explain R1 */
    const char *title;            /* of the rule, a sentence */
    const char *requirement;      /* its id, or NULL */
    const char *requirement_text; /* a sentence, or NULL */
    const char *party;    /* who is judged: the address of a host, or "SUT" or "tester" */
    uint32_t connection;  /* its number, from 1 */
    uint64_t time_ns;     /* since the first frame; in a timeline: its own time */
    const char *expected; /* for people, as is: */
    const char *seen;
    const uint64_t *frames; /* numbers of the frames that prove it, the causes first; of events
                               in a timeline */
    size_t num_frames;
};

/* Called with a finding, whose texts and frames may be used until it returns. It must not use
 * the judge. */
typedef void talon_finding_fn(void *ctx, const struct talon_finding *finding);
/* Called each 4096 frames of a file. `size` is the size of the file in bytes, 0 if it has none;
 * `done` of them were read. */
typedef void talon_progress_fn(void *ctx, uint64_t frames, uint64_t done, uint64_t size);

/* Set `size` to the size of the structure, and the rest to 0 or what it says. */
struct talon_judge_options {
    size_t size;
    /* Called when a rule finds a violation, within the call that brought the frame or event
     * that shows it. Later frames may still make it uncertain: what counts is the list that
     * talon_judge_finding returns after talon_judge_end. With --jobs above 1 it is called
     * within talon_judge_end. NULL: nobody. */
    talon_finding_fn *finding;
    void *finding_ctx;
    talon_progress_fn *progress; /* NULL: nobody */
    void *progress_ctx;
    uint32_t interfaces; /* frames come from so many interfaces: above 1, the same frame again
                            within 1 ms is a copy; 0: one */
};

struct talon_judge;

/* `setup` may be NULL (defaults), must outlive the judge, and may be used for several judges
 * one after another or at once; `options` may be NULL. Returns a new object for
 * talon_judge_free, or NULL with `err`. */
TALON_API struct talon_judge *talon_judge_new(const struct talon_setup *setup,
                                              const struct talon_judge_options *options,
                                              struct talon_error *err);
TALON_API void talon_judge_free(struct talon_judge *judge); /* NULL is allowed */

/* A judge takes frames and events, or files, or the events of a timeline. */

/* Judges `count` frames, in the order in which they were captured. They are numbered from 1.
 * Returns 0, TALON_ERR_TYPE or TALON_ERR_RANGE (a frame that does not have the form it must
 * have; those before it were judged), TALON_ERR_FORM (a file of events, --ulp) or
 * TALON_ERR_MEM. */
TALON_API int talon_judge_frames(struct talon_judge *judge, const struct talon_frame *frames,
                                 size_t count, struct talon_error *err);

/* So many frames were missed so far in all, at unknown places, as statistics of a socket or a
 * device say. Rules that missing frames may mislead then decide less. */
TALON_API void talon_judge_missed(struct talon_judge *judge, uint64_t frames);

/* Takes an event as a line of JSON of `length` bytes, with or without its newline. The first
 * line names the format (docs/formats.md):
 * {"schema": "talon/ulp/1"}: events and commands of the SUT's upper layer, beside frames. The
 * first line comes before the first frame, and each other line before the first frame whose
 * time is later. The setup names the SUT (--sut, --connections).
 * {"schema": "talon/timeline/1"}: everything is an event, packets too; there are no frames.
 * Returns 0, TALON_ERR_FORM or TALON_ERR_MEM. */
TALON_API int talon_judge_event(struct talon_judge *judge, const char *line, size_t length,
                                struct talon_error *err);

/* Judges a file: a capture (pcap, pcapng, also compressed), or a timeline; "-" is standard
 * input. Captures may follow one another as parts of one; a timeline is alone. Packets before
 * an error were judged. Returns 0, TALON_ERR_FORM (which a file without a Falcon packet is,
 * too) or TALON_ERR_MEM. */
TALON_API int talon_judge_file(struct talon_judge *judge, const char *path,
                               struct talon_error *err);

/* Nothing more comes: rules that waited decide. It must be called before the results are read;
 * calling it again changes nothing. Returns 0; TALON_ERR_FORM: the events of the upper layer
 * and the frames are of two times. */
TALON_API int talon_judge_end(struct talon_judge *judge, struct talon_error *err);

/* ---- what was judged ---- */

TALON_API enum talon_verdict talon_judge_verdict(const struct talon_judge *judge);

/* The i-th finding (from 0) in the order of the report, which has the first 1000; NULL: there
 * are no more. It may be used until the next call for this judge. */
TALON_API const struct talon_finding *talon_judge_finding(struct talon_judge *judge, size_t i);

/* Writes a sentence for people about an input that cannot be meant, such as a SUT that no frame
 * comes from or goes to, with a NUL, cut to `size` bytes (0: `text` may be NULL). Returns 1, or
 * 0: there is none, and `text` is not written. It may be called after talon_judge_end. */
TALON_API int talon_judge_hint(const struct talon_judge *judge, char *text, size_t size);

/* What became of a rule on one connection for one party. */
struct talon_result {
    enum talon_verdict verdict; /* none: not exercised */
    const char *rule;
    const char *party;
    uint32_t connection;
    uint64_t holds, broken, undecided, excused; /* how often */
};
typedef void talon_result_fn(void *ctx, const struct talon_result *result);
/* Calls `fn` with each result that has a count, in the order of the report. */
TALON_API void talon_judge_results(const struct talon_judge *judge, talon_result_fn *fn,
                                   void *ctx);

struct talon_counts {
    uint64_t frames, packets; /* handed in or read; packets of Falcon that were judged */
    uint64_t no_falcon;       /* frames that are no Falcon packet that could be read */
    uint64_t damaged;         /* on their way: a length, checksum or ICV is wrong */
    uint64_t copies;          /* frames that were the same as one shortly before */
    uint64_t missed;          /* frames that the capture says it missed */
    uint64_t out_of_order;    /* frames older than the one before */
    uint64_t connections;
    uint64_t findings_not_listed; /* those after the first 1000 */
    uint64_t events;              /* of the upper layer */
};
/* They may be used until the next call for this judge. */
TALON_API const struct talon_counts *talon_judge_counts(struct talon_judge *judge);

enum talon_report {
    TALON_REPORT_TEXT = 0, /* what `talon check` prints */
    TALON_REPORT_JSON = 1, /* talon/check/1 */
};
/* Takes the next `length` bytes. Returns whether it could: 0, or anything else. */
typedef int talon_write_fn(void *ctx, const char *bytes, size_t length);
/* Writes the report. Returns 0, TALON_ERR_MEM, or TALON_ERR_IO: `write` could not. */
TALON_API int talon_judge_report(const struct talon_judge *judge, enum talon_report report,
                                 talon_write_fn *write, void *ctx);

/* ---- event pipelines ---- */

/* Judges the trace of an event pipeline with programmable congestion control by the rules EP1
 * to EP13, as `talon check --event-trace` does (docs/event-pipeline-rules.md). */
struct talon_trace;

/* `setup` is a file that declares the pipeline (talon/event-setup/1), read when the first line
 * comes; NULL: nothing is declared. Returns a new object for talon_trace_free, or NULL with
 * `err`. */
TALON_API struct talon_trace *talon_trace_new(const char *setup, struct talon_error *err);
TALON_API void talon_trace_free(struct talon_trace *trace); /* NULL is allowed */
/* Judges the next line, with or without its newline. An empty line is skipped. Returns 0, or
 * TALON_ERR_FORM, TALON_ERR_IO, TALON_ERR_MEM; the line then counts as if it were not there. */
TALON_API int talon_trace_line(struct talon_trace *trace, const char *line, size_t length,
                               struct talon_error *err);
/* Judges a whole file in place of lines; "-" is standard input. The same returns. */
TALON_API int talon_trace_file(struct talon_trace *trace, const char *path,
                               struct talon_error *err);
/* The trace is over: rules that waited decide. */
TALON_API void talon_trace_end(struct talon_trace *trace);
/* The verdict so far, which is complete after the end. It takes about as long as a line. */
TALON_API enum talon_verdict talon_trace_verdict(const struct talon_trace *trace);
/* The i-th finding (from 0) that is kept, by rules: the first 4 of each; NULL: there are no
 * more. `party` is who may violate the rule, `connection` the flow, the only one of `frames`
 * the number of the line, and `expected` is empty. It may be used until the next call for this
 * trace. */
TALON_API const struct talon_finding *talon_trace_finding(struct talon_trace *trace, size_t i);
/* Writes the report, as text or as talon/event-check/1. Returns 0, TALON_ERR_MEM, TALON_ERR_IO.
 */
TALON_API int talon_trace_report(const struct talon_trace *trace, enum talon_report report,
                                 talon_write_fn *write, void *ctx);

/* ---- reports of several judges ---- */

struct talon_results;

/* `setup` is that of the judges, or NULL; its --path-check is stated. Returns a new object for
 * talon_results_free, or NULL: out of memory. */
TALON_API struct talon_results *talon_results_new(const struct talon_setup *setup);
TALON_API void talon_results_free(struct talon_results *results); /* NULL is allowed */
/* Adds what a judge that has ended found, as a case of that name. `problem` is an error that
 * ended the input early, or NULL. Nothing of the judge is used later. Returns 0, or
 * TALON_ERR_MEM. */
TALON_API int talon_results_add(struct talon_results *results, const struct talon_judge *judge,
                                const char *name, const char *problem);
/* Writes a report: "html:report.html", "junit:-" (standard output). Formats are html, json
 * (talon/results/1), junit, markdown, sarif, tap and text. `flavor` is for junit: "jenkins",
 * "gitlab", "rich", or NULL. Returns 0, TALON_ERR_FORM (an unknown format), TALON_ERR_IO or
 * TALON_ERR_MEM. */
TALON_API int talon_results_write(const struct talon_results *results, const char *report,
                                  const char *flavor, struct talon_error *err);

/* ---- codecs ---- */

/* Decodes and encodes. Its settings are words, too: --psp-keys FILE, --esp-keys FILE,
 * --falcon-port N; and for encoding --encap NAME, --ip 4|6 and --raw, as `talon encode` has
 * them. */
struct talon_codec;

/* Returns a new object for talon_codec_free, or NULL with `err`. */
TALON_API struct talon_codec *talon_codec_new(const char *const *words, size_t count,
                                              struct talon_error *err);
TALON_API void talon_codec_free(struct talon_codec *codec); /* NULL is allowed */

enum talon_packet_type {
    TALON_PULL_REQUEST = 0,
    TALON_PULL_DATA = 3,
    TALON_PUSH_DATA = 5,
    TALON_RESYNC = 6,
    TALON_NACK = 8,
    TALON_BACK = 9,
    TALON_EACK = 10,
};

enum talon_packet_flag {
    TALON_PACKET_FALCON = 1,     /* there is a Falcon packet, and its header was read */
    TALON_PACKET_SEALED = 2,     /* by PSP or ESP, and opened or not */
    TALON_PACKET_OPENED = 4,     /* it was sealed, and its ICV is right */
    TALON_PACKET_DAMAGED = 8,    /* a length, checksum or ICV is wrong */
    TALON_PACKET_TRUNCATED = 16, /* fewer bytes were captured than were on the wire */
    TALON_PACKET_FRAGMENT = 32,  /* of an IP packet */
    TALON_PACKET_ISSUES = 64,    /* something is wrong with it: `issue` says what */
};

/* A decoded frame. Members of headers that it does not have are 0. Names are those of the
 * specification (docs/formats.md). */
struct talon_packet {
    uint32_t flags; /* enum talon_packet_flag */
    /* The innermost IP header, and UDP. */
    uint8_t source[16], destination[16]; /* IPv4: the first 4 bytes */
    uint32_t ip_version;                 /* 4, 6; 0: none */
    uint32_t ecn, hop_limit;
    uint32_t source_port, destination_port;
    /* PSP or ESP. */
    uint32_t spi;
    uint64_t iv; /* of PSP */
    /* The Falcon header. `type` is enum talon_packet_type, or the number of a reserved type. */
    uint32_t version, type, dest_cid, dest_function, protocol_type, ack_req;
    uint32_t psn, rsn, request_length;
    uint32_t recv_data_base_psn, recv_req_base_psn;
    uint64_t data_ack_bitmap[2], data_rx_bitmap[2]; /* bits 0 to 63, 64 to 127 */
    uint64_t req_bitmap;
    uint32_t own, ecn_rx_count, hop_count, rx_buffer_occupancy, rue_info;
    uint32_t t1, t2;
    uint32_t nack_code, nack_psn, window, rnr_timeout, ulp_nack_code;
    uint32_t resync_code, resync_packet_type, vendor_defined;
    const uint8_t *payload; /* what follows the innermost header; borrowed */
    size_t payload_length;
    size_t num_issues;
    const char *issue; /* the first one, a sentence; NULL: none */
};

/* Decodes a frame. *packet is the codec's; it may be used, as may the frame's bytes that it
 * points to, until the next call for this codec. A frame without a Falcon packet, or a
 * malformed one, is no error: its flags say so. Returns 0, TALON_ERR_TYPE (link type) or
 * TALON_ERR_RANGE (too long). */
TALON_API int talon_decode(struct talon_codec *codec, const struct talon_frame *frame,
                           const struct talon_packet **packet, struct talon_error *err);
/* The same as a line of JSON, as `talon decode --format json` prints it, or as a line of text.
 * `number` is the frame's. *text ends in a NUL and no newline; talon_free frees it. Returns 0,
 * TALON_ERR_TYPE, TALON_ERR_RANGE or TALON_ERR_MEM. */
TALON_API int talon_decode_json(struct talon_codec *codec, const struct talon_frame *frame,
                                uint64_t number, char **text, struct talon_error *err);
TALON_API int talon_decode_text(struct talon_codec *codec, const struct talon_frame *frame,
                                uint64_t number, char **text, struct talon_error *err);

/* Encodes a line of JSON or text that `talon encode` takes; what it does not say is filled in.
 * Writes at most `capacity` bytes. *frame describes them: its bytes are `out`, its time and
 * link type those of the line. Returns 0; TALON_ERR_FORM, TALON_ERR_RANGE, TALON_ERR_SHORT (the
 * buffer), TALON_ERR_TYPE, TALON_ERR_KEY or TALON_ERR_MEM. */
TALON_API int talon_encode(struct talon_codec *codec, const char *line, uint8_t *out,
                           size_t capacity, struct talon_frame *frame, struct talon_error *err);

/* Frees a text of talon_decode_json or talon_decode_text. NULL is allowed. */
TALON_API void talon_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
