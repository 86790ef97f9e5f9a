/* SPDX-License-Identifier: Apache-2.0
 * options.h - option tables: one row for each option of a verb. From a table come the parser of
 * the command line, the help text, the JSON form and the words of a command line that asks for
 * the same. Nothing here prints: errors are values. */
#ifndef TL_HARNESS_DOC_OPTIONS_H
#define TL_HARNESS_DOC_OPTIONS_H

#include "codecs/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a value is, and what stands at the row's place in the caller's structure. */
enum tl_option_kind {
    TL_OPTION_FLAG,     /* bool; no value: set to true */
    TL_OPTION_TEXT,     /* const char *, borrowed; the last one given counts */
    TL_OPTION_TEXTS,    /* struct tl_texts: one more each time */
    TL_OPTION_NUMBER,   /* uint64_t from `least` to `most`; decimal, 0x or octal with a 0 */
    TL_OPTION_COUNT,    /* the same, unsigned */
    TL_OPTION_CHOICE,   /* an enum, or int: the number (from 0) of one of `words` */
    TL_OPTION_DURATION, /* uint64_t, nanoseconds; "250us" */
    TL_OPTION_OWN,      /* `read` does it; not in JSON, nor in words */
};

/* A list of borrowed texts. tl_options_free frees the list. */
struct tl_texts {
    const char **list;
    size_t count;
};

/* Reads a value into the caller's structure. Returns 0, or a code of enum fal_err with a clause
 * in `err` that does not name the option. */
typedef int tl_option_fn(void *into, const char *value, struct fal_error *err);

struct tl_option {
    const char *name; /* "--seed"; without a dash ("FILE"): the arguments that are no options */
    const char *alias; /* another name ("-o", "--color"), or NULL */
    enum tl_option_kind kind;
    size_t at;          /* offset of the place; unused with OWN */
    size_t given_at;    /* offset of a bool that becomes true when it is given; 0: none */
    const char *value;  /* how the help calls the value ("N"); NULL with FLAG */
    uint64_t least;     /* NUMBER, COUNT */
    uint64_t most;      /* likewise; 0: the largest that the place holds */
    const char *words;  /* CHOICE: "auto always never" */
    tl_option_fn *read; /* OWN: reads it; TEXT, TEXTS: checks it, or NULL */
    bool may_be_empty;  /* TEXT, TEXTS: "" is a value */
    const char *group;  /* a heading of the help before this row, or NULL */
    const char *help;   /* what it does; NULL: the help does not show the row */
};

/* Rows in short, in a file that names its structure: #define TL_OPTIONS_OF struct my_options */
#define TL_ROW(option, what, member) \
    .name = (option), .kind = (what), .at = offsetof(TL_OPTIONS_OF, member)
#define TL_FLAG(option, member)        TL_ROW(option, TL_OPTION_FLAG, member)
#define TL_TEXT(option, member, meta)  TL_ROW(option, TL_OPTION_TEXT, member), .value = (meta)
#define TL_TEXTS(option, member, meta) TL_ROW(option, TL_OPTION_TEXTS, member), .value = (meta)
#define TL_NUMBER(option, member, from, to) \
    TL_ROW(option, TL_OPTION_NUMBER, member), .value = "N", .least = (from), .most = (to)
#define TL_COUNT(option, member, from, to) \
    TL_ROW(option, TL_OPTION_COUNT, member), .value = "N", .least = (from), .most = (to)
#define TL_CHOICE(option, member, meta, names) \
    TL_ROW(option, TL_OPTION_CHOICE, member), .value = (meta), .words = (names)
#define TL_TIME(option, member) TL_ROW(option, TL_OPTION_DURATION, member), .value = "TIME"
#define TL_OWN(option, reader, meta) \
    .name = (option), .kind = TL_OPTION_OWN, .read = (reader), .value = (meta)

struct tl_options {
    const char *verb;
    const struct tl_option *list;
    size_t count;
};

/* tl_options_read: --help (or -h) was among the arguments, and the rest was not read. */
enum { TL_OPTIONS_HELP = 1 };

/* Reads argv[1] on into the structure `into`, which has its defaults; argv[0] is the verb.
 * "--name value" and "--name=value" are the same; so are "-o value" and "-ovalue". An
 * unambiguous beginning of a name stands for it. "--" ends the options. Texts are borrowed from
 * argv. Returns 0, TL_OPTIONS_HELP, FAL_ERR_FORM or FAL_ERR_MEM with `err`, which names the
 * option. */
MUST_USE MUST_USE int tl_options_read(const struct tl_options *options, int argc,
                                      char *const *argv, void *into, struct fal_error *err);

/* The options of a command line that tl_options_read has taken, as "--name" and "--name=value",
 * without the arguments that are no options and without those of the list `but`, which ends
 * with NULL: an array of texts. New reference, or NULL when out of memory or if a value is no
 * UTF-8. */
json_t *tl_options_given(const struct tl_options *options, int argc, char *const *argv,
                         const char *const *but);

/* Frees the lists of TL_OPTION_TEXTS rows. */
void tl_options_free(const struct tl_options *options, void *into);

/* Returns the row of that name or alias, or NULL. */
const struct tl_option *tl_options_find(const struct tl_options *options, const char *name);

/* Prints the part of the help that lists the options, at most 100 columns wide. */
void tl_options_print_help(const struct tl_options *options, FILE *out);

/* ---- back from the structure (not OWN) ---- */

enum { TL_OPTION_TEXT_MAX = 32 }; /* bytes of a value that is not a text, with its NUL */

/* Returns how often the option must be given to have what `from` holds. */
size_t tl_option_times(const struct tl_option *row, const void *from);
/* The value of the i-th time: NULL for a FLAG; else borrowed from `from`, or written to
 * `text`. */
const char *tl_option_value(const struct tl_option *row, const void *from, size_t i,
                            char text[TL_OPTION_TEXT_MAX]);
/* Whether the place holds the same in both structures. */
bool tl_option_same(const struct tl_option *row, const void *a, const void *b);

/* The options that differ from `defaults` as an object: "--capture-speed fast" is
 * {"capture_speed": "fast"}; numbers up to 2^53 are numbers, larger ones texts. New reference;
 * NULL when out of memory, or with a text that is no UTF-8. */
json_t *tl_options_json(const struct tl_options *options, const void *from,
                        const void *defaults);
/* And back, into a structure with its defaults. Texts are borrowed from `object`. Returns 0,
 * FAL_ERR_FORM or FAL_ERR_MEM with `err`, which names the member. */
MUST_USE MUST_USE int tl_options_from_json(const struct tl_options *options,
                                           const json_t *object, void *into,
                                           struct fal_error *err);

/* The same options as words: an array of texts, without the verb, with the arguments that are
 * no options first. New reference, or NULL. */
json_t *tl_options_words(const struct tl_options *options, const void *from,
                         const void *defaults);

#endif
