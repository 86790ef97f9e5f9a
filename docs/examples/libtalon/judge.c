/* SPDX-License-Identifier: Apache-2.0
 * judge.c - judges a capture by libtalon and prints what was violated.
 *
 *     cc judge.c $(pkg-config --cflags --libs talon) -o judge
 *     ./judge capture.pcap --param rto=1ms */
#include <talon.h>

#include <stdio.h>

static void print(void *ctx, const struct talon_finding *finding)
{
    (void)ctx;
    printf("%s %s by %s, frame", talon_verdict_name(finding->verdict), finding->rule,
           finding->party);
    for (size_t i = 0; i < finding->num_frames; i++)
        printf(" %llu", (unsigned long long)finding->frames[i]);
    printf("\n  expected %s\n  seen     %s\n", finding->expected, finding->seen);
}

int main(int argc, char **argv)
{
    struct talon_judge_options options = {.size = sizeof options, .finding = print};
    struct talon_error err = {0};
    struct talon_setup *setup =
        talon_setup_new((const char *const *)argv + 2, argc > 2 ? (size_t)argc - 2 : 0, &err);
    struct talon_judge *judge = setup != NULL ? talon_judge_new(setup, &options, &err) : NULL;
    int status = 2;

    if (judge != NULL && argc > 1 && talon_judge_file(judge, argv[1], &err) == 0 &&
        talon_judge_end(judge, &err) == 0) {
        printf("%s\n", talon_verdict_name(talon_judge_verdict(judge)));
        status = talon_judge_verdict(judge) == TALON_VERDICT_FAIL;
    } else {
        fprintf(stderr, "judge: %s\n", argc > 1 ? err.text : "expected a file");
    }
    talon_judge_free(judge);
    talon_setup_free(setup);
    return status;
}
