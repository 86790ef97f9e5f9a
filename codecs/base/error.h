/* SPDX-License-Identifier: Apache-2.0
 * error.h - how this program says what went wrong: a negative code where a program decides, and
 * one sentence (what, where, what was expected) in the caller's storage where a person reads.
 */
#ifndef FAL_CODECS_BASE_ERROR_H
#define FAL_CODECS_BASE_ERROR_H

/* Before a function that returns an error: the compiler refuses a call that ignores it. */
#define MUST_USE __attribute__((warn_unused_result))

/* For a call whose error changes nothing; a comment beside it states why. */
#define FAL_IGNORE(call)  \
    do {                  \
        if ((call) < 0) { \
        }                 \
    } while (0)

enum fal_err {
    FAL_ERR_SHORT =
        -1, /* input ends before the header does, or the output buffer is too small */
    FAL_ERR_RANGE = -2, /* a value does not fit its field */
    FAL_ERR_TYPE = -3,  /* no layout for this packet type, link type or version */
    FAL_ERR_FORM = -4,  /* text or JSON that does not parse */
    FAL_ERR_AUTH = -5,  /* authentication failed */
    FAL_ERR_KEY = -6,   /* no key for it */
    FAL_ERR_MEM = -7,   /* out of memory */
    FAL_ERR_IO = -8,    /* the operating system refused; harness only */
};

enum { FAL_ERROR_TEXT = 400 };

struct fal_error {
    char text[FAL_ERROR_TEXT]; /* one line, no full stop; empty when there is none */
};

/* Fills `err` (may be NULL) printf-like and returns `code`, so that a failing function ends in
 * one line: return fal_fail(err, FAL_ERR_FORM, "..."). Overlong text is cut. */
int fal_fail(struct fal_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
