/* SPDX-License-Identifier: Apache-2.0
 * stream_test.c - the news of a claim, compared with a walk over every number. */
#include "oracles/rng.h"
#include "oracles/rules/facts/stream.h"
#include "tests/testing.h"

enum { VISITS_MAX = 1024, TRIALS = 2000 };

struct visits {
    size_t num;
    struct {
        int64_t x;
        bool ack;
    } list[VISITS_MAX];
};

static void visit(void *ctx, int64_t x, bool ack)
{
    struct visits *v = ctx;

    ck_assert_uint_lt(v->num, VISITS_MAX);
    v->list[v->num].x = x;
    v->list[v->num++].ack = ack;
}

static bool bit(fal_u128 bits, int64_t n)
{
    return n >= 0 && n < 128 && fal_u128_test(bits, (unsigned)n);
}

/* The news, number by number. */
static void walk(const struct fal_stream *s, const struct fal_claim *claim, struct visits *v)
{
    for (int64_t x = s->base; x < claim->base + 128; x++) {
        bool acked = bit(s->acked, x - s->base);
        bool received = acked || bit(s->received, x - s->base);
        bool below = x < claim->base;
        bool ack = below || (claim->snapshot && bit(claim->ack, x - claim->base));
        bool any = ack || (claim->snapshot && bit(claim->received, x - claim->base));

        if (below && x >= s->next)
            continue;
        if (!below && s->next < claim->base)
            return; /* bits over numbers that were never sent are worth nothing */
        if ((ack && !acked) || (any && !received))
            visit(v, x, ack && !acked);
    }
}

static fal_u128 random_bits(struct fal_rng *rng)
{
    fal_u128 bits = fal_u128_halves(fal_rng_next(rng), fal_rng_next(rng));

    switch (fal_rng_below(rng, 4)) {
    case 0: return 0;
    case 1: return bits & fal_u128_ones((unsigned)fal_rng_below(rng, 129));
    case 2: return fal_u128_ones((unsigned)fal_rng_below(rng, 129));
    default: return bits;
    }
}

START_TEST(news_by_words_is_news_by_numbers)
{
    struct fal_rng rng = {1};

    for (int i = 0; i < TRIALS; i++) {
        struct fal_stream s = {.based = true, .base = 1000};
        struct fal_claim claim = {.snapshot = fal_rng_below(&rng, 4) > 0};
        struct visits news = {0}, walked = {0};

        s.next = s.base + (int64_t)fal_rng_below(&rng, 300);
        s.acked = random_bits(&rng);
        s.received = random_bits(&rng) | (fal_rng_below(&rng, 2) > 0 ? s.acked : 0);
        claim.base = s.base - 160 + (int64_t)fal_rng_below(&rng, 320);
        claim.ack = random_bits(&rng);
        claim.received = random_bits(&rng) | claim.ack;
        fal_stream_news(&s, &claim, visit, &news);
        walk(&s, &claim, &walked);
        ck_assert_uint_eq(news.num, walked.num);
        for (size_t k = 0; k < news.num; k++) {
            ck_assert_int_eq(news.list[k].x, walked.list[k].x);
            ck_assert_int_eq(news.list[k].ack, walked.list[k].ack);
        }
    }
}
END_TEST

START_TEST(an_unknown_base_has_no_news)
{
    struct fal_stream s = {.next = 10};
    struct fal_claim claim = {.base = 5, .snapshot = true, .ack = 2, .received = 2};
    struct visits news = {0};

    fal_stream_news(&s, &claim, visit, &news);
    ck_assert_uint_eq(news.num, 0);
}
END_TEST

START_TEST(the_edge_is_the_first_number_that_is_not_acknowledged)
{
    struct fal_stream s = {.based = true, .base = 7};

    for (unsigned n = 0; n <= 128; n++) {
        s.acked = fal_u128_ones(n);
        ck_assert_int_eq(fal_stream_edge(&s), 7 + n);
    }
}
END_TEST

/* A first packet that is a leap away does not move the place of the window: later numbers are
 * extended near the base, and the base acknowledges nothing. */
START_TEST(a_leap_before_anything_else_moves_nothing)
{
    struct fal_stream s;
    bool oom = false;
    int64_t first, far;

    fal_stream_init(&s, true, 1000);
    first = s.next;
    far = fal_stream_extend(&s, UINT32_C(1000) + 0x7fffffff);
    ck_assert_int_eq(far, first + 0x7fffffff);
    ck_assert_ptr_nonnull(fal_stream_reach(&s, FAL_WINDOW_DATA, far, &oom));
    ck_assert_int_eq(s.next, first);
    ck_assert_int_eq(fal_stream_extend(&s, UINT32_C(1000) - 0x7fffffff), first - 0x7fffffff);
    ck_assert_int_eq(fal_stream_extend(&s, 1000), first);
    ck_assert(!oom);
    fal_stream_free(&s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("stream");
    TCase *tc = tcase_create("stream");

    tcase_add_test(tc, news_by_words_is_news_by_numbers);
    tcase_add_test(tc, an_unknown_base_has_no_news);
    tcase_add_test(tc, the_edge_is_the_first_number_that_is_not_acknowledged);
    tcase_add_test(tc, a_leap_before_anything_else_moves_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
