/* SPDX-License-Identifier: Apache-2.0
 * embed_gen.c - build step: turns a file into a C array.
 * `embed_gen NAME FILE` writes `const char NAME[]`: the bytes of FILE and a final 0. The bytes
 * are written as numbers, because a string literal may have no more than 4095 characters in
 * ISO C. */
#include <stdio.h>

int main(int argc, char **argv)
{
    FILE *file;
    size_t n = 0;
    int c;

    if (argc != 3) {
        fprintf(stderr, "usage: embed_gen NAME FILE\n");
        return 2;
    }
    file = fopen(argv[2], "rb");
    if (file == NULL) {
        perror(argv[2]);
        return 2;
    }
    printf(
        "/* Generated from %s: do not edit. */\nextern const char %s[];\nconst char %s[] = {",
        argv[2], argv[1], argv[1]);
    while ((c = getc(file)) != EOF) {
        if (c == 0) {
            fprintf(stderr, "%s: byte %zu is 0: only text can be embedded\n", argv[2], n);
            return 2;
        }
        printf("%s%d,", n++ % 20 == 0 ? "\n" : "", c < 128 ? c : c - 256);
    }
    printf("\n0};\n");
    if (ferror(file) || fclose(file) != 0 || fflush(stdout) != 0) {
        perror(argv[2]);
        return 2;
    }
    return 0;
}
