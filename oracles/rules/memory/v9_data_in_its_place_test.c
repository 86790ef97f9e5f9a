/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/memory/hash_testing.h"
#include "oracles/rules/verbs/objects.h"

static uint8_t image[REGION];
static char hash[160];

#define ORDERED(mode, ordered, ...)                                                      \
    posted_judged("V9", ordered,                                                         \
                  LINES(MEMORY, PAIR_CREATE(mode), PAIR_CONNECT, __VA_ARGS__, "barrier", \
                        hash_line(image, 0, 600, hash)))
#define RUN(...) ORDERED("strong", true, __VA_ARGS__)
/* n: PSN and RSN; the region begins at 65536. */
#define WRITE(n, at, data) \
    "> push_data psn=" #n "r rsn=" #n "r / rdma write_only dqp=17 va=" #at " rkey=91 data=" data
#define SEND(n, text) "> push_data psn=" #n "r rsn=" #n "r / rdma " text
#define ACK(base)     "< back dbase=" #base "r rbase=0r"

START_TEST(RDMA_6_2_01_a_write_lies_in_its_place)
{
    image_fill(image);
    image_data(image, 16, 64, 9, 0);
    ck_holds(RUN(WRITE(0, 65552, "64@9"), ACK(1)), 1);
    /* the segments of one, in another order */
    image_data(image, 0, 300, 11, 0);
    ck_holds(RUN(SEND(1, "write_last dqp=17 va=65792 rkey=91 data=44@11+256"),
                 SEND(0, "write_first dqp=17 va=65536 rkey=91 data=256@11"), ACK(2)),
             1);
    image_data(image, 100, 4, 5, 0); /* and somewhere else */
    ck_breaks(RUN(SEND(1, "write_last dqp=17 va=65792 rkey=91 data=44@11+256"),
                  SEND(0, "write_first dqp=17 va=65536 rkey=91 data=256@11"), ACK(2)),
              "RDMA-6.2-01", 1);
}
END_TEST

START_TEST(RDMA_6_2_01_the_last_write_counts)
{
    image_fill(image);
    image_data(image, 0, 64, 10, 0);
    ck_holds(RUN(WRITE(0, 65536, "64@9"), WRITE(1, 65536, "64@10"), ACK(2)), 1);
    ck_holds(RUN(WRITE(1, 65536, "64@10"), WRITE(0, 65536, "64@9"), ACK(2)), 1);
    image_data(image, 0, 64, 9, 0);
    ck_breaks(RUN(WRITE(0, 65536, "64@9"), WRITE(1, 65536, "64@10"), ACK(2)), "RDMA-6.2-01", 1);
    /* Nothing orders them: either may be the last. */
    ck_holds(ORDERED("weak", false, WRITE(0, 65536, "64@9"), WRITE(1, 65536, "64@10"), ACK(2)),
             1);
    /* The first was acknowledged before the second was sent. */
    ck_breaks(ORDERED("weak", false, WRITE(0, 65536, "64@9"), ACK(1), WRITE(1, 65536, "64@10"),
                      ACK(2)),
              "RDMA-6.2-02", 1);
}
END_TEST

enum { OVERLAPPING = 7, STEP = 24, WRITE_LEN = 64 };

/* Judges n WRITEs to a weakly ordered queue pair, each STEP bytes behind the one before, so
 * that up to three cover a byte, and then the hash of the image. */
static struct outcome overlapping(unsigned n)
{
    struct fal_connection c = script_connection(&clean);
    char writes[OVERLAPPING][160], ack[60], asked[160];
    struct outcome o;
    struct script s;

    c.params.ordered = false;
    script_start(&s, &clean, &c);
    for (const char *const *line = LINES(MEMORY, PAIR_CREATE("weak"), PAIR_CONNECT);
         *line != NULL; line++)
        script_line(&s, *line);
    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(writes[i], sizeof writes[i],
                       "> push_data psn=%ur rsn=%ur / rdma write_only dqp=17 va=%u rkey=91 "
                       "data=64@%u",
                       i, i, 65536 + i * STEP, 20 + i);
        script_line(&s, writes[i]);
    }
    (void)snprintf(ack, sizeof ack, "< back dbase=%ur rbase=0r", n);
    script_line(&s, ack);
    script_line(&s, "barrier");
    script_line(&s, hash_line(image, 0, 600, asked));
    o = script_judge(s.events, json_array_size(s.events), "V9");
    json_decref(s.events);
    return o;
}

/* Fills the model of the memory with the writes in that order. */
static void in_order(const unsigned *order, unsigned n)
{
    image_fill(image);
    for (unsigned i = 0; i < n; i++)
        image_data(image, order[i] * STEP, WRITE_LEN, 20 + order[i], 0);
}

/* Every order of up to four, and some orders of five and six, are admissible; what no order
 * gives is not; more than six are not tried. */
START_TEST(RDMA_6_2_02_any_order_of_up_to_six_writes)
{
    uint64_t seed = 0x5eed0009, draw = seed;

    for (unsigned n = 1; n < OVERLAPPING; n++) {
        unsigned order[OVERLAPPING], rounds = n < 4 ? 6 : 12;

        for (unsigned round = 0; round < rounds; round++) {
            for (unsigned i = 0; i < n; i++)
                order[i] = i;
            for (unsigned i = n; i > 1; i--) {
                unsigned k, from;

                draw = draw * 6364136223846793005u + 1442695040888963407u;
                k = (unsigned)(draw >> 33) % i;
                from = order[i - 1];
                order[i - 1] = order[k];
                order[k] = from;
            }
            in_order(order, n);
            ck_assert_msg(overlapping(n).sut.holds == 1, "seed %llx, %u writes, round %u",
                          (unsigned long long)seed, n, round);
        }
        image[30] ^= 1;
        ck_breaks(overlapping(n), "RDMA-6.2-02", 1);
        in_order(order, n); /* one write is missing where it alone covers */
        image_data(image, (n - 1) * STEP + WRITE_LEN - 8, 8, 7, (n - 1) * STEP + WRITE_LEN - 8);
        ck_breaks(overlapping(n), "RDMA-6.2-02", 1);
    }
    ck_undecided(overlapping(OVERLAPPING), 1);
}
END_TEST

START_TEST(RDMA_6_2_02_6_4_08_weak_and_unordered)
{
    image_fill(image);
    ck_breaks(ORDERED("weak", false, WRITE(0, 65552, "64@9"), ACK(1)), "RDMA-6.2-02", 1);
    ck_breaks(ORDERED("unordered", false, WRITE(0, 65552, "64@9"), ACK(1)), "RDMA-6.4-08", 1);
    image_data(image, 16, 64, 9, 0);
    ck_holds(ORDERED("weak", false, WRITE(0, 65552, "64@9"), ACK(1)), 1);
}
END_TEST

START_TEST(RDMA_8_3_1_03_nothing_else_changes)
{
    image_fill(image);
    ck_holds(RUN("wait 1us"), 1);
    ck_holds(RUN(SEND(0, "write_only dqp=17 va=65536 rkey=77 data=64@9")), 1);
    image_data(image, 0, 64, 9, 0);
    ck_breaks(RUN("wait 1us"), "RDMA-8.3.1-03", 1);
    ck_breaks(RUN(SEND(0, "write_only dqp=17 va=65536 rkey=77 data=64@9")), "RDMA-8.3.1-03", 1);
}
END_TEST

#define RECV                                                                                 \
    "verbs post_recv {\"qp\":\"q\",\"wr_id\":1,\"sgl\":[" SGE("m", 0, 100) "," SGE("m", 200, \
                                                                                   300) "]}"
#define WC(len)                                                                         \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":0,\"opcode\":\"recv\"," \
    "\"byte_len\":" #len "}"

/* A SEND of 300 bytes: 100 in the first entry, 200 in the second one. */
START_TEST(RDMA_8_3_3_02_sends_at_their_offset)
{
    char line[160];
    struct outcome o;

    image_fill(image);
    image_data(image, 0, 100, 9, 0);
    image_data(image, 200, 200, 9, 100);
#define SENT                                                                      \
    MEMORY, PAIR, RECV, SEND(1, "send_last dqp=17 rmsn=1 off=256 data=44@9+256"), \
        SEND(0, "send_first dqp=17 rmsn=1 data=256@9"), ACK(2), WC(300), "barrier"
    ck_holds(posted_judged("V9", true, LINES(SENT, hash_line(image, 200, 200, line))), 1);
    ck_holds(posted_judged("V9", true, LINES(SENT, hash_line(image, 0, 100, line))), 1);
    image_data(image, 200, 200, 9, 0);
    o = posted_judged("V9", true, LINES(SENT, hash_line(image, 200, 200, line)));
    ck_breaks(o, "RDMA-8.3.3-02", 1);
}
END_TEST

#define WC_OF(id, len)                                                                        \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":" #id ",\"status\":0,\"opcode\":\"recv\"," \
    "\"byte_len\":" #len "}"
#define RECV_AT(id, at) \
    "verbs post_recv {\"qp\":\"q\",\"wr_id\":" #id ",\"sgl\":[" SGE("m", at, 64) "]}"

START_TEST(what_is_not_known)
{
    image_fill(image);
    ck_undecided(RUN(WRITE(0, 65552, "64@9")), 1); /* not acknowledged */
    ck_undecided(posted_judged("V9", true,
                               LINES(MEMORY, PAIR, WRITE(0, 65552, "64@9"), ACK(1),
                                     hash_line(image, 0, 600, hash))),
                 1); /* no barrier */
    ck_undecided(RUN(RECV), 1);
    /* What an atomic operation left is in no packet, whether before or after the WRITE. */
    ck_undecided(RUN(WRITE(0, 65536, "64@9"), ACK(1),
                     "> pull_request psn=0r rsn=1r len=32 / rdma atomic_fetch_add dqp=17 "
                     "va=65544 rkey=91 swap=1"),
                 1);
    ck_undecided(RUN(WRITE(0, 65536, "64@9"), ACK(1),
                     "verbs post_send {\"qp\":\"q\",\"wr_id\":2,\"op\":\"faa\",\"sgl\":[" SGE(
                         "m", 8, 8) "],\"remote\":{\"va\":64,\"rkey\":5},\"add\":1}"),
                 1);
    ck_undecided(RUN(WRITE(0, 65552, "64@8"), ACK(1), "mark gap_in 1"), 1); /* one not seen */
    /* Filled again, so it does not matter what came before. */
    ck_holds(RUN(WRITE(0, 65552, "64@9"), ACK(1),
                 "verbs mr_fill {\"mr\":\"m\",\"length\":4096,\"tag\":7}"),
             1);
}
END_TEST

/* The data of a message that is completed in error may be written or not, over what another
 * WRITE left there. */
START_TEST(data_of_a_message_in_error)
{
    image_fill(image);
    image_data(image, 16, 64, 9, 0);
    image_data(image, 16, 64, 11, 0);
    ck_undecided(RUN(WRITE(0, 65552, "64@9"), ACK(1),
                     SEND(1, "write_only ce dqp=17 va=65552 rkey=91 data=64@11"), ACK(2)),
                 1);
    ck_breaks(RUN(WRITE(0, 65552, "64@9"), ACK(1),
                  SEND(1, "write_only dqp=17 va=65652 rkey=91 data=64@11"), ACK(2)),
              "RDMA-6.2-01", 1);
}
END_TEST

/* Whether a WRITE that ends in error has written is not known, also over another one. */
START_TEST(writes_that_end_in_error)
{
    image_fill(image);
    image_data(image, 0, 64, 9, 0);
    ck_undecided(RUN(WRITE(0, 65536, "64@9"),
                     SEND(1, "write_only ce dqp=17 va=65552 rkey=91 data=16@10"), ACK(2)),
                 1);
    ck_undecided(RUN(WRITE(0, 65536, "64@9"), ACK(1),
                     SEND(1, "write_only ce dqp=17 va=65552 rkey=91 data=16@10")),
                 1);
    image_data(image, 0, 64, 11, 0);
    ck_holds(RUN(SEND(0, "write_only ce dqp=17 va=65552 rkey=91 data=16@10"),
                 WRITE(1, 65536, "64@11"), ACK(2)),
             1);
}
END_TEST

#define FILL "verbs mr_fill {\"mr\":\"m\",\"length\":4096,\"tag\":7}"

/* A WRITE that was under way when the region was filled lies below the fill or above it. */
START_TEST(a_fill_while_a_write_is_under_way)
{
    image_fill(image);
    ck_undecided(RUN(WRITE(0, 65536, "64@9"), FILL, ACK(1)), 1);
    ck_holds(RUN(WRITE(0, 65536, "64@9"), ACK(1), FILL), 1);
    image_data(image, 0, 64, 9, 0);
    ck_undecided(RUN(WRITE(0, 65536, "64@9"), FILL, ACK(1)), 1);
    ck_breaks(RUN(WRITE(0, 65536, "64@9"), ACK(1), FILL), "RDMA-8.3.1-03", 1);
    /* Outside the fill it is known. */
    image_data(image, 40, 4, 5, 0);
    ck_breaks(posted_judged("V9", true,
                            LINES(MEMORY, PAIR, WRITE(0, 65536, "64@9"),
                                  "verbs mr_fill {\"mr\":\"m\",\"length\":16,\"tag\":11}",
                                  ACK(1), "barrier", hash_line(image, 16, 64, hash))),
              "RDMA-6.2-01", 1);
    image_data(image, 0, 64, 10, 0); /* A later one lies above both. */
    ck_holds(RUN(WRITE(0, 65536, "64@9"), FILL, WRITE(1, 65536, "64@10"), ACK(2)), 1);
}
END_TEST

/* A fill over a part of a WRITE leaves the rest of it. */
START_TEST(RDMA_6_2_01_a_part_is_filled)
{
    image_fill(image);
    image_data(image, 0, 64, 9, 0);
    image_data(image, 16, 16, 11, 0);
    ck_holds(RUN(WRITE(0, 65536, "64@9"), ACK(1), "barrier",
                 "verbs mr_fill {\"mr\":\"m\",\"offset\":16,\"length\":16,\"tag\":11}"),
             1);
    image_data(image, 40, 4, 5, 0);
    ck_breaks(RUN(WRITE(0, 65536, "64@9"), ACK(1), "barrier",
                  "verbs mr_fill {\"mr\":\"m\",\"offset\":16,\"length\":16,\"tag\":11}"),
              "RDMA-6.2-01", 1);
}
END_TEST

/* The numbers of plain SENDs may stand still (AMB-R05): the order tells. */
START_TEST(reading_amb_r05_numbers_that_stand_still)
{
#define STANDING                                                                               \
    MEMORY, PAIR, RECV_AT(1, 0), RECV_AT(2, 64), SEND(0, "send_only dqp=17 data=64@9"),        \
        SEND(1, "send_only dqp=17 data=64@10"), ACK(2), WC_OF(1, 64), WC_OF(2, 64), "barrier", \
        hash_line(image, 0, 600, hash)
    image_fill(image);
    image_data(image, 0, 64, 9, 0);
    image_data(image, 64, 64, 10, 0);
    ck_holds(posted_judged("V9", true, LINES(STANDING)), 1);
    image_data(image, 70, 4, 5, 0);
    ck_breaks(posted_judged("V9", true, LINES(STANDING)), "RDMA-8.3.3-02", 1);
}
END_TEST

/* A receive request takes parts of a message at any time: while it waits over a WRITE, and when
 * it completes in error. */
START_TEST(receives_that_wait_or_fail)
{
    image_fill(image);
    image_data(image, 0, 64, 9, 0);
    ck_undecided(RUN(RECV_AT(1, 0), WRITE(0, 65536, "64@9"), ACK(1)), 1);
    ck_undecided(RUN(RECV_AT(1, 0), SEND(0, "send_first dqp=17 rmsn=1 data=256@10"), ACK(1),
                     "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":5,\"opcode\":"
                     "\"recv\"}",
                     WRITE(1, 65536, "64@9"), ACK(2)),
                 1);
    /* Nobody saw the message that took the receive request. */
    ck_undecided(RUN(RECV_AT(1, 0), WC_OF(1, 64), WRITE(0, 65536, "64@9"), ACK(1)), 1);
}
END_TEST

enum { KEPT = 512 };

/* One event of a queue pair of the SUT. */
static void note(struct fal_objects *objects, uint64_t index, enum fal_verbs_phase phase,
                 const struct fal_verbs *word)
{
    struct fal_event event = {.kind = FAL_EV_VERBS,
                              .index = index,
                              .u.verbs = {.id = 1, .ok = true, .phase = phase, .verbs = word}};
    struct fal_said said;

    ck_assert(fal_objects_read(objects, &event, &said));
    fal_objects_note(objects, &said, 1);
}

/* Of more writes than are kept, that of the oldest may still be the last one where nothing
 * orders them; and a message with many parts finds room for them. */
START_TEST(more_writes_than_are_kept)
{
    struct fal_objects *objects = fal_objects_new();
    struct fal_verbs reg = {.kind = FAL_VERBS_MR_REG,
                            .length = REGION,
                            .access = FAL_VERBS_REMOTE_WRITE | FAL_VERBS_LOCAL_WRITE,
                            .va = 65536,
                            .lkey = 90,
                            .rkey = 91,
                            .mr = "m",
                            .pd = "p"},
                     create = {.kind = FAL_VERBS_QP_CREATE,
                               .qp = "q",
                               .pd = "p",
                               .qpn = 17,
                               .ordering = FAL_VERBS_WEAK},
                     connect = {.kind = FAL_VERBS_QP_CONNECT, .qp = "q"};
    const struct fal_verbs *words[] = {&reg, &create, &connect};
    struct fal_falcon falcon = {.packet_type = FAL_PUSH_DATA};
    struct fal_ev_packet packet = {.payload = image, .payload_len = 8};
    struct fal_seen seen = {.packet = &packet, .falcon = &falcon};
    uint64_t index = 1;

    for (size_t i = 0; i < 3; i++) {
        note(objects, index++, FAL_VERBS_ASKED, words[i]);
        note(objects, index++, FAL_VERBS_ANSWERED, words[i]);
    }
    seen.rdma = (struct fal_rdma_fact){
        .opcode = 10, .dest_qp = 17, .r_key = 91, .data_len = 8, .va = 65536};
    for (unsigned i = 0; i <= KEPT; i++) {
        seen.rdma.rsn = i;
        seen.rdma.at.index = index++;
        seen.rdma.va = 65536 + (i == 1 ? 0 : 8 * (i % 100));
        fal_objects_sent(objects, 1, &seen);
    }
    ck_assert_ptr_nonnull(fal_objects_written(objects, KEPT - 1));
    ck_assert_ptr_null(fal_objects_written(objects, KEPT));
    ck_assert_uint_eq(fal_objects_mr(objects, "m")->image->vague[0], 1);
    ck_assert_uint_eq(fal_objects_mr(objects, "m")->image->vague[8], 0);
    fal_objects_free(objects);
}
END_TEST

#define SRQ "verbs srq_create {\"pd\":\"p\",\"depth\":8} -> {\"srq\":\"s\",\"srqn\":3}"
#define SHARED                                                                               \
    MEMORY, SRQ,                                                                             \
        "verbs qp_create {\"type\":\"rc\",\"pd\":\"p\",\"send_cq\":\"c\",\"recv_cq\":\"c\"," \
        "\"srq\":\"s\"} -> {\"qp\":\"q\",\"qpn\":17,\"path_mtu\":256}",                      \
        PAIR_CONNECT
#define RECV_SHARED(id, at) \
    "verbs post_recv {\"srq\":\"s\",\"wr_id\":" #id ",\"sgl\":[" SGE("m", at, 64) "]}"

/* A receive request of any queue may be written at any time until it completes. */
START_TEST(lists_of_receives_are_not_known)
{
    image_fill(image);
    image_data(image, 0, 64, 9, 0);
    ck_undecided(posted_judged("V9", true,
                               LINES(SHARED, RECV_SHARED(1, 0), "barrier",
                                     hash_line(image, 0, 600, hash))),
                 1);
    /* beside it */
    ck_holds(posted_judged(
                 "V9", true,
                 LINES(SHARED, RECV_SHARED(1, 0), "barrier", hash_line(image, 64, 536, hash))),
             1);
    /* filled when they had been posted */
    ck_undecided(RUN(RECV, "verbs mr_fill {\"mr\":\"m\",\"length\":4096,\"tag\":7}"), 1);
    ck_undecided(posted_judged("V9", true,
                               LINES(SHARED, RECV_SHARED(1, 0),
                                     "verbs mr_fill {\"mr\":\"m\",\"length\":4096,\"tag\":7}",
                                     "barrier", hash_line(image, 0, 600, hash))),
                 1);
}
END_TEST

/* The completion names the receive request, whichever it is. */
START_TEST(RDMA_8_3_3_02_shared_receive_queues)
{
#define SENT_SHARED                                                                    \
    SHARED, RECV_SHARED(1, 0), RECV_SHARED(2, 64),                                     \
        SEND(0, "send_only dqp=17 rmsn=1 data=64@9"), ACK(1), WC_OF(2, 64), "barrier", \
        hash_line(image, 64, 536, hash)
    image_fill(image);
    image_data(image, 64, 64, 9, 0);
    ck_holds(posted_judged("V9", true, LINES(SENT_SHARED)), 1);
    image_data(image, 80, 8, 5, 0);
    ck_breaks(posted_judged("V9", true, LINES(SENT_SHARED)), "RDMA-8.3.3-02", 1);
}
END_TEST

#define UNORDERED(...)                                                                 \
    posted_judged("V9", false,                                                         \
                  LINES(MEMORY, PAIR_CREATE("unordered"), PAIR_CONNECT, RECV_AT(1, 0), \
                        RECV_AT(2, 64), __VA_ARGS__, "barrier",                        \
                        hash_line(image, 64, 64, hash)))

/* Messages take receive requests in any order; the length tells which is where. */
START_TEST(RDMA_8_3_3_02_unordered_queue_pairs)
{
    image_fill(image);
    image_data(image, 0, 64, 10, 0);
    image_data(image, 64, 32, 9, 0);
#define BOTH_SENT(a, b)                                                                     \
    SEND(0, "send_only dqp=17 rmsn=1 data=" a), SEND(1, "send_only dqp=17 rmsn=2 data=" b), \
        ACK(2)
    /* The rest of a list stays unknown. */
    ck_undecided(UNORDERED(BOTH_SENT("32@9", "64@10"), WC_OF(1, 64), WC_OF(2, 32)), 1);
    image_data(image, 64, 64, 9, 0);
    ck_undecided(UNORDERED(BOTH_SENT("64@9", "64@10"), WC_OF(1, 64), WC_OF(2, 64)), 1);
    ck_holds(UNORDERED(SEND(0, "send_only dqp=17 rmsn=1 data=64@10"), ACK(1), WC_OF(1, 64),
                       SEND(1, "send_only dqp=17 rmsn=2 data=64@9"), ACK(2), WC_OF(2, 64)),
             1);
    ck_breaks(UNORDERED(SEND(0, "send_only dqp=17 rmsn=1 data=64@9"), ACK(1), WC_OF(1, 64),
                        SEND(1, "send_only dqp=17 rmsn=2 data=64@10"), ACK(2), WC_OF(2, 64)),
              "RDMA-8.3.3-02", 1);
    /* Once they may have changed places, a later one of that length is not known either. */
    ck_undecided(UNORDERED(BOTH_SENT("64@9", "64@9"), WC_OF(1, 64),
                           SEND(2, "send_only dqp=17 rmsn=3 data=64@10"), ACK(3), WC_OF(2, 64)),
                 1);
}
END_TEST

/* A queue of any length takes bounded memory: requests that completed make room. */
START_TEST(long_shared_queues)
{
    struct fal_objects *objects = fal_objects_new();
    struct fal_verbs create = {.kind = FAL_VERBS_SRQ_CREATE}, made = create,
                     post = {.kind = FAL_VERBS_POST_RECV};
    struct fal_event event = {.kind = FAL_EV_VERBS};
    struct fal_said said;

    memcpy(made.srq, "s", 2);
    memcpy(post.srq, "s", 2);
    for (uint64_t i = 0; i < 20000; i++) {
        const struct fal_verbs *word = i == 0 ? &create : i == 1 ? &made : &post;

        post.wr_id = i;
        event.index = i;
        event.u.verbs =
            (struct fal_ev_verbs){.id = i < 2 ? 1 : (int64_t)i,
                                  .ok = true,
                                  .phase = i == 1 ? FAL_VERBS_ANSWERED : FAL_VERBS_ASKED,
                                  .verbs = word};
        ck_assert(fal_objects_read(objects, &event, &said));
        fal_objects_note(objects, &said, 0);
    }
    ck_assert_ptr_nonnull(said.srq);
    ck_assert_uint_le(said.srq->recvs.num, 4096);
    ck_assert_uint_eq(said.srq->recvs.num + said.srq->recvs.forgotten, 20000 - 2);
    fal_objects_free(objects);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V9");
    TCase *tcase = tcase_create("V9");

    tcase_add_test(tcase, RDMA_6_2_01_a_write_lies_in_its_place);
    tcase_add_test(tcase, RDMA_6_2_01_the_last_write_counts);
    tcase_add_test(tcase, RDMA_6_2_02_any_order_of_up_to_six_writes);
    tcase_add_test(tcase, RDMA_6_2_02_6_4_08_weak_and_unordered);
    tcase_add_test(tcase, RDMA_8_3_1_03_nothing_else_changes);
    tcase_add_test(tcase, RDMA_8_3_3_02_sends_at_their_offset);
    tcase_add_test(tcase, what_is_not_known);
    tcase_add_test(tcase, data_of_a_message_in_error);
    tcase_add_test(tcase, lists_of_receives_are_not_known);
    tcase_add_test(tcase, writes_that_end_in_error);
    tcase_add_test(tcase, a_fill_while_a_write_is_under_way);
    tcase_add_test(tcase, RDMA_6_2_01_a_part_is_filled);
    tcase_add_test(tcase, reading_amb_r05_numbers_that_stand_still);
    tcase_add_test(tcase, receives_that_wait_or_fail);
    tcase_add_test(tcase, more_writes_than_are_kept);
    tcase_add_test(tcase, RDMA_8_3_3_02_shared_receive_queues);
    tcase_add_test(tcase, RDMA_8_3_3_02_unordered_queue_pairs);
    tcase_add_test(tcase, long_shared_queues);
    suite_add_tcase(suite, tcase);
    return suite;
}
