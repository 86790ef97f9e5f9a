/* SPDX-License-Identifier: Apache-2.0
 * hunt_promise_list.h - promises of a quiet connection, checked one after another. Each is true
 * for every correct implementation: where the specification leaves a choice, the steps have an
 * `if` or an `alt`. ' stands for ". Included by hunt_promises.c alone.
 * Before each promise both ends are quiet, and the SUT has received a push and posted one
 * (PRELUDE), so that the steps know the next numbers: of the SUT's data window ($n) and RSN
 * ($s), of the tester's data window ($d), request window ($q) and RSN ($r). From MUTE on the
 * tester's own endpoint sends nothing; only steps send. */

/* clang-format off */
#define MUTE "{'on': '> packet', 'do': 'drop', 'times': 0}, "
#define PRELUDE \
    "{'until_quiet': '$coalescing * 4', 'within': '900ms'}, {'ulp': {'do': 'policy', 'rules': []}}, " \
    "{'send': '> push_data len=73 ar'}, {'expect_ulp': {'event': 'request', 'length': 73, 'rsn': '@g'}}, " \
    "{'until_quiet': '$coalescing * 4', 'within': '900ms'}, " \
    "{'ulp': {'do': 'post', 'op': 'push', 'length': 73, 'tag': 2000000}}, " \
    "{'expect': '< push_data len=73 psn=@p rsn=@o dbase=@d rbase=@q'}, " \
    "{'expect_ulp': {'event': 'completion', 'tag': 2000000, 'code': 0}, 'within': '$coalescing * 8'}, " \
    "{'let': {'n': '$p + 1', 's': '$o + 1', 'r': '$g + 1'}}, " \
    "{'until_quiet': '$coalescing * 4', 'within': '900ms'}, "

#define POST(op, length, tag) \
    "{'ulp': {'do': 'post', 'op': '" op "', 'length': " length ", 'tag': " tag "}}, "
#define POSTS(op, count) \
    "{'repeat': " count ", 'steps': [{'ulp': {'do': 'post', 'op': '" op "', 'length': 64}}]}, "
#define SET(what) "{'cm': {'do': 'set', 'params': {" what "}}}, "
#define SEND(line) "{'send': '> " line "', 'adopt': false}, "
#define SEALED(line, seal) "{'send': '> " line "', 'adopt': false, 'seal': {" seal "}}, "
#define GET(line, time) "{'expect': '< " line "', 'within': '" time "'}, "
#define NONE(line, time) "{'expect_none': '" line "', 'for': '" time "'}, "
#define LET(name, value) "{'let': {'" name "': '" value "'}}, "
#define WAIT(time) "{'wait': '" time "'}, "
#define DONE(tag, code, time) \
    "{'expect_ulp': {'event': 'completion', 'tag': " tag ", 'code': " code "}, 'within': '" time "'}, "
#define NOT_DONE(tag, time) "{'expect_none': {'event': 'completion', 'tag': " tag "}, 'for': '" time "'}, "
#define ASKED(length, time) "{'expect_ulp': {'event': 'request', 'length': " length "}, 'within': '" time "'}, "
#define NOT_ASKED(length, time) "{'expect_none': {'event': 'request', 'length': " length "}, 'for': '" time "'}, "
#define KEYS(side, step) "{'cm': {'do': 'rotate_keys', 'step': '" step "'}, 'side': '" side "'}, "
#define IF(item, ...) "{'if': '" item "', 'then': [" __VA_ARGS__ "]}, "

#define LASTING "'transaction_timeout': '20s'"
#define SLOW "'params': {" LASTING "}"
#define EARLY "'params': {'ooo_threshold': 3, " LASTING "}"
#define WITH(params) "'params': {" params ", " LASTING "}"
#define RTO(time) SET("'rto': '" time "'")
#define PSP "'encap': 'psp_transport', "
#define SPRAWL(op, count, first) POSTS(op, count) GET(first, "10ms")

static const struct promise promises[] = {
    /* ---- the end of a connection (chapter 11) ---- */
    {"dead", "", 0, /* posts complete at once, in error (FTP-11-22) */
     MUTE POST("push", "64", "2000001") "{'expect_cm': {'what': 'fatal'}, 'within': '$rto * 40'}, "
     POST("push", "64", "2000002") "{'expect_ulp': {'event': 'completion', 'tag': 2000002}, 'within': '$rto * 2'}"},
    {"gone", "", 0, /* and nothing is taken (FTP-11-22) */
     MUTE POST("push", "64", "2000001") "{'expect_cm': {'what': 'fatal'}, 'within': '$rto * 40'}, " WAIT("$rto")
     SEND("push_data psn=$d rsn=$r len=79 ar") NOT_ASKED("79", "$coalescing * 4")},
    {"error", "", 0, /* a pull that ends in an error is answered all the same (FTP-8.5.3.5-01) */
     "{'ulp': {'do': 'policy', 'rules': [{'op': 'pull', 'answer': 'cie', 'code': 9}]}}, "
     "{'ulp': {'do': 'post', 'op': 'pull', 'length': 64, 'tag': 2000003}, 'side': 'tester'}, "
     "{'expect_ulp': {'event': 'completion', 'tag': 2000003}, 'side': 'tester', 'within': '$rto * 4'}"},
    {"refused", SLOW, SLOWLY, /* a NACK of a ULP error that names a pull ends nothing (FTP-11-34) */
     MUTE POST("pull", "71", "2000001") GET("pull_request len=71 psn=@x", "10ms")
     SEND("nack code=cie nack_psn=$x w=req") "{'expect_none': {'what': 'fatal'}, 'for': '20ms'}"},
    {"timeout", "", 0, /* an unanswered transaction times out (FTP-11-07) */
     SET("'rto': '400ms'") MUTE
     POST("pull", "64", "2000014") "{'expect_ulp': {'event': 'completion', 'tag': 2000014, 'code': 8}, 'within': '1100ms'}"},
    {"exhausted", SLOW, 0, /* what a Resync says (FTP-7.6-05) */
     RTO("50ms") MUTE POST("push", "71", "2000001") GET("push_data len=71 psn=@x", "10ms")
     "{'alt': [[{'expect': '< resync psn=$x code=@why', 'within': '4s'}, "
     "{'expect': {'count': 'resync psn=$x code=exhausted', 'is': '1..'}}], "
     "[{'expect_cm': {'what': 'fatal'}, 'within': '4s'}]]}"},
    {"filter", "'params': {'xlr_initiator': 2}, 'sut': {'rsn': 1}", ALONE, /* FTP-11-25 */
     POST("push", "64", "2000001") DONE("2000001", "0", "100ms")
     POST("push", "64", "2000002") DONE("2000002", "15", "100ms")},
    {"long", "", 0, /* data of another length than was asked for (AMB-25) */
     MUTE POST("pull", "76", "2000011") GET("pull_request len=76 rsn=@asked", "10ms")
     SEND("pull_data rsn=$asked payload_len=128")
     "{'expect_ulp': {'event': 'completion', 'tag': 2000011, 'code': '!0'}, 'within': '1500ms'}"},
    {"short", "", 0,
     SET("'rto': '400ms'") MUTE POST("pull", "77", "2000012") GET("pull_request len=77 rsn=@asked", "10ms")
     SEND("pull_data rsn=$asked payload_len=32")
     "{'expect_ulp': {'event': 'completion', 'tag': 2000012, 'code': '{0,8}'}, 'within': '1500ms'}"},

    /* ---- what ACKs tell (7.7.1) ---- */
    {"marks", "", 0, /* marks of congestion are counted, and nothing else is */
     "{'send': '> push_data len=64 ar'}, " GET("packet packet_type={back,eack} ecn_rx_count=@marks", "$coalescing * 2")
     "{'send': '> push_data len=64 ar'}, " GET("packet packet_type={back,eack} ecn_rx_count=$marks", "$coalescing * 2")
     LET("more", "$marks + 1") "{'send': '> push_data len=64 ar', 'ip': {'ecn': 3}}, "
     "{'expect': '< packet packet_type={back,eack} ecn_rx_count=$more', 'within': '$coalescing * 2'}"},
    {"hops", "", 0,
     "{'send': '> push_data len=64 ar', 'ip': {'ttl': 60}}, "
     "{'expect': '< packet packet_type={back,eack} hop_count=4', 'within': '$coalescing * 2'}"},

    /* ---- what a congestion engine decides holds (10.6.2.2, 9.1.2) ---- */
    {"fcwnd", "", 0,
     SET("'fcwnd': 1") MUTE POST("push", "71", "2000004") POST("push", "72", "2000005")
     GET("push_data len=71 psn=@first", "10ms") LET("second", "$first + 1")
     "{'expect_none': 'push_data psn=$second', 'for': '$rto * 3'}"},
    {"ncwnd", "", 0,
     SET("'ncwnd': 1") MUTE POST("push", "71", "2000006") POST("push", "72", "2000007")
     GET("push_data len=71 psn=@first", "10ms") LET("second", "$first + 1")
     "{'expect_none': 'push_data psn=$second', 'for': '$rto * 3'}"},
    {"answer", "", 0, /* pull data wait for no window of requests (FTP-9.1.2-05) */
     SET("'ncwnd': 1") MUTE POST("pull", "78", "2000013") GET("pull_request len=78", "10ms") SEND("pull_request len=79")
     "{'expect': '< pull_data payload_len=79', 'within': '$coalescing'}"},
    {"beside", SLOW, SLOWLY, /* nor for requests of their own window */
     SET("'ncwnd': 1") MUTE POST("push", "78", "2000013") GET("push_data len=78", "10ms") SEND("pull_request len=79 dbase=$n")
     "{'expect': '< pull_data payload_len=79', 'within': '10ms'}"},
    {"shrunk", SLOW, 0, /* copies wait for room, too (FTP-9.1.5-07) */
     RTO("100ms") SET("'fcwnd': 6") MUTE LET("last", "$n + 5") LET("second", "$n + 1") POSTS("push", "6")
     GET("push_data psn=$last", "10ms") SET("'fcwnd': 1") WAIT("50ms") GET("push_data psn=$n", "100ms")
     NONE("push_data psn=$second", "50ms")},
    {"shut", SLOW, SLOWLY, /* and so do Resyncs (FTP-9.1.8-06) */
     SET("'fcwnd': 4") MUTE LET("last", "$n + 3") POSTS("push", "4")
     GET("push_data psn=$last", "10ms") SEND("back dbase=$n") SET("'fcwnd': 1")
     SEND("nack dbase=$n code=cie nack_psn=$last w=data") "{'expect_none': 'resync psn=$last', 'for': '50ms'}"},
    {"paced", SLOW, 0, /* FTP-10.3.5-01 */
     RTO("4s") IF("swift", MUTE POST("push", "71", "2000001") GET("push_data len=71", "10ms") LET("one", "$n + 1") LET("two", "$n + 2")
        SEND("back dbase=$one") SET("'fcwnd': 0, 'packet_gap': '20ms'") WAIT("40ms")
        POST("push", "72", "2000002") GET("push_data len=72", "25ms") SEND("back dbase=$two")
        POST("push", "74", "2000003") NONE("push_data len=74", "14ms") "{'expect': '< push_data len=74', 'within': '9ms'}")},

    /* ---- repeats (9.1.4, 9.1.5, 9.2.3) ---- */
    {"repeat", "", 0, /* what is not acknowledged is repeated after the RTO */
     MUTE POST("push", "74", "2000009") GET("push_data len=74 psn=@sent", "10ms")
     "{'expect': '< push_data psn=$sent', 'within': '$rto'}"},
    {"unsent", "", 0, /* a base that was never sent acknowledges nothing */
     MUTE POST("push", "75", "2000010") GET("push_data len=75 psn=@sent", "10ms") LET("never", "$sent + 9")
     SEND("back dbase=$never") "{'expect': '< push_data psn=$sent', 'within': '$rto'}"},
    {"order", SLOW, 0, /* FTP-9.1.5-05 */
     RTO("100ms") IF("ordered-connections", MUTE LET("t", "$s + 1") POST("pull", "71", "2000001") POST("push", "72", "2000002")
        GET("pull_request rsn=$s", "10ms") GET("push_data rsn=$t", "10ms") GET("pull_request rsn=$s", "200ms")
        GET("push_data rsn=$t", "30ms"))},
    {"holes", EARLY, SLOWLY, /* every hole is filled early (FTP-9.1.4-08) */
     IF("early-retransmission", MUTE LET("last", "$n + 11") LET("two", "$n + 2") LET("four", "$n + 4")
        SPRAWL("push", "12", "push_data psn=$last") SEND("back dbase=$n") WAIT("30ms")
        SEND("eack dbase=$n dack=0 drx=0b111111101010 req=0 own=0")
        "{'any_order': [{'expect': 'push_data psn=$n'}, {'expect': 'push_data psn=$two'}, {'expect': 'push_data psn=$four'}]}")},
    {"windows", EARLY, SLOWLY, /* in both windows (FTP-9.1.4-09) */
     IF("early-retransmission", MUTE LET("last", "$n + 5") POST("pull", "71", "2000001") GET("pull_request len=71 psn=@x", "10ms")
        LET("end", "$x + 5") POSTS("pull", "5") POSTS("push", "6") GET("push_data psn=$last", "10ms")
        SEND("back dbase=$n rbase=$x") WAIT("30ms") SEND("eack dbase=$n rbase=$x dack=0 drx=0b111110 req=0b111110 own=0")
        "{'any_order': [{'expect': 'push_data psn=$n'}, {'expect': 'pull_request psn=$x'}]}")},
    {"beyond", EARLY, SLOWLY, /* OWN repeats what is outstanding (FTP-9.1.4-10) */
     IF("early-retransmission", MUTE LET("last", "$n + 2") SPRAWL("push", "3", "push_data psn=$last") SEND("back dbase=$n")
        WAIT("30ms") SEND("eack dbase=$n dack=0 drx=0 req=0 own=3")
        "{'any_order': [{'expect': 'push_data psn=$n'}, {'expect': 'push_data psn=$last'}]}")},
    {"own", EARLY, SLOWLY, /* of its own window (FTP-9.1.4-14) */
     IF("early-retransmission", MUTE LET("far", "$d + 128") LET("late", "$r + 128")
        SEND("push_data psn=$far rsn=$late len=64") GET("eack own=@bit", "$coalescing * 2")
        POST("pull", "71", "2000001") GET("pull_request len=71 psn=@x", "10ms") POSTS("push", "3") LET("last", "$n + 2")
        GET("push_data psn=$last", "10ms") SEND("back dbase=$n rbase=$x") WAIT("30ms")
        SEND("eack dbase=$n rbase=$x dack=0 drx=0 req=0 own=$bit") "{'expect': '< push_data psn=$n', 'within': '50ms'}")},
    {"received", EARLY, SLOWLY, /* and what has come is not repeated (FTP-9.1.4-10) */
     IF("$rack_tlp == 0", MUTE LET("last", "$n + 4") LET("two", "$n + 2") SPRAWL("push", "5", "push_data psn=$last")
        SEND("back dbase=$n") WAIT("30ms") SEND("eack dbase=$n dack=0 drx=0b10100 req=0 own=3")
        "{'expect_none': {'any_of': ['push_data psn=$two', 'push_data psn=$last']}, 'for': '50ms'}, ")},
    {"farther", WITH("'tx_window_data': 200"), SLOWLY, /* FTP-9.1.4-11 */
     IF("early-retransmission-window-200", SET("'fcwnd': 256") SET("'ncwnd': 256") MUTE LET("last", "$n + 159")
        POSTS("push", "160") "{'alt': [[{'expect': 'push_data psn=$last', 'within': '10ms'}, " SEND("back dbase=$n") WAIT("60ms")
        SEND("eack dbase=$n dack=0 drx=0 req=0 own=3") GET("push_data psn=$last", "50ms")
        "], [{'wait': '50ms'}, {'note': 'a smaller window'}]]}, ")},
    {"uncounted", EARLY, SLOWLY, /* early copies are no attempts (FTP-9.1.1-23) */
     MUTE LET("last", "$n + 5") SPRAWL("push", "6", "push_data psn=$last") SEND("back dbase=$n")
     "{'repeat': '$max_attempts + 2', 'steps': [{'wait': '40ms'}, "
     "{'send': '> eack dbase=$n dack=0 drx=0b111110 req=0 own=0', 'adopt': false}]}, "
     "{'expect_none': 'resync', 'for': '2400ms'}"},
    {"stale", SLOW, SLOWLY, /* an ACK with older bases has no effect (FTP-9.2.3-02) */
     MUTE LET("one", "$n + 1") LET("two", "$n + 2") LET("last", "$n + 3") POSTS("push", "2") POST("push", "64", "2000003")
     POST("push", "64", "2000004") GET("push_data psn=$last", "10ms") SEND("back dbase=$two")
     SEND("eack dbase=$one dack=0b110 drx=0b110 req=0 own=0") NOT_DONE("2000003", "20ms")
     LET("end", "$last + 1") SEND("back dbase=$end") DONE("2000004", "0", "20ms")},
    {"late", SLOW, SLOWLY, /* nor does a NACK (FTP-9.2.4-02) */
     MUTE LET("one", "$n + 1") LET("two", "$n + 2") SPRAWL("push", "3", "push_data psn=$two") SEND("back dbase=$two")
     SEND("nack dbase=$one code=cie nack_psn=$two w=data") "{'expect_none': 'resync', 'for': '20ms'}"},
    {"rnr", SLOW, 0, /* RNR timeout code 0 is the longest (FTP-7.8-26) */
     RTO("500ms") MUTE POST("push", "71", "2000001") GET("push_data len=71", "10ms")
     SEND("nack dbase=$n code=rnr nack_psn=$n w=data rnr=655.36ms") NONE("push_data psn=$n", "620ms")},

    /* ---- what is not well-formed is dropped (9.2.2.1) ---- */
    {"cut", SLOW, SLOWLY,
     "{'send': '> push_data len=79 ar', 'malform': {'truncate': 84}, 'adopt': false}, " NOT_ASKED("79", "5ms")
     "{'send': '> push_data len=4 ar', 'malform': {'truncate': 8}, 'adopt': false}, "
     "{'expect_none': {'event': 'request', 'length': 4}, 'for': '5ms'}"},
    {"cut-ack", SLOW, SLOWLY,
     MUTE POST("push", "71", "2000001") GET("push_data len=71", "10ms") LET("one", "$n + 1")
     "{'send': '> back dbase=$one', 'malform': {'truncate': 4}, 'adopt': false}, "
     "{'expect_none': {'event': 'completion', 'tag': 2000001}, 'for': '20ms'}"},
    {"type", SLOW, SLOWLY, /* FTP-7.2-18 */
     "{'send': '> push_data len=79 ar', 'malform': {'flip': 62}, 'adopt': false}, " NOT_ASKED("79", "10ms")},
    {"protocol", SLOW, SLOWLY, /* FTP-7.2-09 */
     SEND("push_data proto=5 len=79 ar") "{'expect_none': {'event': 'request', 'length': 79}, 'for': '10ms'}"},

    /* ---- order, resources (8.2, 8.5.3.4) ---- */
    {"behind", SLOW, SLOWLY, /* what is behind an RNR waits with it (FTP-8.5.3.4-04) */
     IF("ordered-connections", "{'ulp': {'do': 'policy', 'rules': [{'answer': 'rnr', 'rnr': '163.84ms', 'times': 1}]}}, " MUTE
        "{'send': '> push_data len=71'}, " ASKED("71", "10ms") "{'send': '> push_data len=72'}, {'expect_none': {'event': 'request', 'length': 72}, 'for': '100ms'}")},
    {"credits", WITH("'credit_req_pkt_tx': 1"), NO_POSTS | SLOWLY, /* FTP-8.2.3-02 */
     MUTE POST("push", "71", "2000001") GET("push_data len=71", "10ms") POST("push", "72", "2000002")
     DONE("2000002", "'{1,11,12}'", "10ms")},
    {"own-pool", WITH("'credit_req_pkt_tx': 1"), NO_POSTS | SLOWLY, /* FTP-8.2.1.2-03 */
     IF("constrained-resources", MUTE POST("push", "71", "2000001") GET("push_data len=71", "10ms") SEND("pull_request len=79 dbase=$n")
        "{'expect': '< pull_data payload_len=79', 'within': '10ms'}")},
    {"their-pool", WITH("'credit_req_pkt_tx': 1, 'net_pkt_rx': 8"), NO_POSTS | SLOWLY,
     IF("constrained-resources", MUTE POST("push", "71", "2000001") GET("push_data len=71", "10ms") SEND("push_data len=79 dbase=$n")
        "{'expect_ulp': {'event': 'request', 'length': 79}, 'within': '10ms'}")},
    {"head", WITH("'net_pkt_rx': 4"), IDLE | SLOWLY, /* FTP-8.2.1.2-05 */
     IF("constrained-resources", IF("ordered-connections", MUTE
        "{'repeat': 3, 'as': 'i', 'steps': [{'send': '> push_data psn=($d + $i + 1) rsn=($r + $i + 1) len=64', 'adopt': false}]}, "
        WAIT("$coalescing * 2") SEND("push_data psn=$d rsn=$r len=79 ar")
        "{'expect_ulp': {'event': 'request', 'length': 79}, 'within': '10ms'}"))},
    {"room", WITH("'net_pkt_rx': 1, 'credit_req_pkt_rx': 1"), IDLE | SLOWLY, /* FTP-8.2.2-12 */
     IF("constrained-resources", MUTE "{'ulp': {'do': 'policy', 'rules': [{'op': 'push', 'answer': 'withhold'}]}}, "
        POST("pull", "71", "2000001") GET("pull_request len=71 rsn=@a", "10ms") SEND("push_data len=72") ASKED("72", "10ms")
        SEND("pull_data rsn=$a payload_len=71") DONE("2000001", "0", "10ms"))},

    /* ---- seals (9.2.2) ---- */
    {"damaged", PSP SLOW, SLOWLY, /* FTP-9.2.2.2-01 */
     MUTE POST("push", "71", "2000001") GET("push_data len=71", "10ms") LET("one", "$n + 1")
     "{'send': '> push_data dbase=$one len=79', 'malform': {'damage': 'icv'}, 'adopt': false}, "
     "{'expect_none': {'event': 'completion', 'tag': 2000001}, 'for': '20ms'}"},
    {"generation", PSP SLOW, SLOWLY, /* FTP-9.2.2.3-08 */
     KEYS("sut", "generation") "{'send': '> push_data len=79 ar'}, " ASKED("79", "10ms")
     "{'until_quiet': '$coalescing * 4'}, " KEYS("sut", "end") SEALED("push_data len=72 ar", "'bad': 'spi'")
     "{'expect_cm': {'what': 'spi'}}, {'expect_none': {'event': 'request', 'length': 72}, 'for': '$coalescing * 2'}"},
    {"peer-keys", PSP SLOW, SLOWLY, /* FTP-6.5-05 */
     KEYS("tester", "generation") KEYS("tester", "spi") KEYS("sut", "peer") KEYS("tester", "drop") KEYS("tester", "end")
     POST("push", "71", "2000001") DONE("2000001", "0", "$coalescing * 8")},
    {"any-pcid", PSP "'pcid': {'tester': 5, 'sut': 6, 'match': false}, " SLOW, SLOWLY, /* FTP-9.2.2.3-15 */
     MUTE "{'send': '> push_data len=79 ar', 'seal': {'vc': 7}}, {'expect_ulp': {'event': 'request', 'length': 79}, 'within': '10ms'}"},
    {"around", PSP SLOW, SLOWLY, /* FTP-9.2.2.2-05 */
     MUTE "{'repeat': 16, 'steps': [{'send': '> push_data len=79 ar', 'seal': {'ahead': '1152921504606us'}}, "
     "{'expect_ulp': {'event': 'request', 'length': 79}, 'within': '10ms'}]}"},
    {"margin", PSP WITH("'replay_margin': '1ms'"), SLOWLY, /* FTP-9.2.1-12 */
     MUTE "{'send': '> push_data len=71 ar'}, " ASKED("71", "10ms") "{'send': '> push_data len=72 ar', 'seal': {'behind': '$replay_margin * 0.9'}}, "
     "{'expect_ulp': {'event': 'request', 'length': 72}, 'within': '10ms'}"},
    {"replayed", PSP SLOW, SLOWLY, /* FTP-9.2.2.2-03 */
     "{'send': '> push_data len=71 ar'}, " ASKED("71", "10ms") GET("packet packet_type={back,eack}", "10ms")
     "{'until_quiet': '$coalescing * 4'}, " SEALED("push_data len=72 ar", "'behind': '$replay_margin + 1ns', 'bad': 'replay'")
     "{'expect_none': 'packet', 'for': '$coalescing * 4'}"},
    {"lowered", PSP SLOW, SLOWLY, /* FTP-9.2.1-11 */
     MUTE "{'send': '> push_data len=71 ar'}, " ASKED("71", "10ms") "{'send': '> push_data len=72 ar', 'seal': {'behind': '$replay_margin * 0.9'}}, "
     ASKED("72", "10ms") SEALED("push_data len=79 ar", "'behind': '$replay_margin * 1.5', 'bad': 'replay'")
     "{'expect_none': {'event': 'request', 'length': 79}, 'for': '$coalescing * 2'}"},
    {"unproven", PSP SLOW, SLOWLY, /* FTP-9.2.1-11 */
     MUTE "{'send': '> push_data len=79 ar', 'adopt': false, 'seal': {'ahead': '1000s'}, 'malform': {'damage': 'icv'}}, " WAIT("1ms")
     "{'send': '> push_data len=79 ar', 'seal': {'ahead': '1us'}}, {'expect_ulp': {'event': 'request', 'length': 79}, 'within': '10ms'}"},
};
/* clang-format on */
