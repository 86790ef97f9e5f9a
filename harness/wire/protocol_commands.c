/* SPDX-License-Identifier: Apache-2.0
 * protocol_commands.c - what the tester orders: the members of each command. */
#include "harness/wire/protocol_impl.h"
#include "harness/wire/words.h"

#include <stdlib.h>
#include <string.h>

enum { POST_MAX = 65535 }; /* bytes of a transaction (request_length, 7.3) */

#define C          struct tl_protocol_command
#define AT(field)  FAL_AT(C, field)
#define HAS(field) FAL_HAS(C, field)
#define ROW(name, shape)                  \
    {                                     \
#name, &shape, FAL_MUST, AT(name) \
    }
#define MAY(name, shape)           \
    {                              \
#name, &shape, 0, AT(name) \
    }
#define CONN                                       \
    {                                              \
        "conn", &tl_proto_conn, FAL_MUST, AT(conn) \
    }
#define RSN                                       \
    {                                             \
        "rsn", &fal_shape_uint, FAL_MUST, AT(rsn) \
    }

/* Every command begins with these. */
const struct fal_shape tl_proto_id = {.kind = FAL_SHAPE_UINT, .name = "id", .min = 1};
#define COMMAND(word)                                                                        \
    {"id", &tl_proto_id, FAL_MUST, AT(id)}, {"epoch", &tl_proto_epoch, FAL_MUST, AT(epoch)}, \
    {                                                                                        \
        "do", FAL_ONE_WORD(word), .flags = FAL_MUST                                          \
    }

/* ---- values ---- */

static const struct fal_shape version = {.kind = FAL_SHAPE_UINT, .min = 1};
static const char *const scope_words[] = {"connection", "function", "device"};
static const struct fal_shape scope = {.kind = FAL_SHAPE_WORD, FAL_WORDS(scope_words)};

/* An encapsulation that this version does not know is FAL_ENCAP_COUNT: the SUT answers
 * `unsupported`. */
static int read_encap(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *word = json_string_value(value);
    int known = word != NULL ? fal_encap_from(word) : 0;
    enum fal_encap encap = known >= 0 ? (enum fal_encap)known : FAL_ENCAP_COUNT;

    if (word == NULL)
        return fal_misfit_say(wrong, "expected a text");
    if (out != NULL)
        memcpy(out, &encap, sizeof encap);
    return 0;
}

static const struct fal_shape encap = {.kind = FAL_SHAPE_WORD,
                                       .words = fal_encap_names,
                                       .num_words = FAL_ENCAP_COUNT,
                                       .read = read_encap};
static const struct fal_shape length = {.kind = FAL_SHAPE_UINT, .max = POST_MAX};
static const struct fal_shape from_1 = {.kind = FAL_SHAPE_UINT, .min = 1};
static const char *const step_words[] = {"all",  "generation", "spi",        "peer",
                                         "drop", "end",        "match_pcid", "zero"};
static const struct fal_shape step = {.kind = FAL_SHAPE_WORD, FAL_WORDS(step_words)};

#define S(field) FAL_AT(struct tl_protocol_security, field)
static const struct fal_member security_members[] = {
    {"sa", &tl_proto_sa, FAL_MUST, S(sa)},
    {"remote_time", &tl_proto_wide, 0, S(remote_time)},
    {"pcid", &tl_proto_wide, 0, S(pcid)},
    {"peer_pcid", &tl_proto_wide, 0, S(peer_pcid),
     FAL_HAS(struct tl_protocol_security, has_peer_pcid)},
};
static const struct fal_shape security = {LINE, .expected = "an object, with an sa",
                                          FAL_MEMBERS(security_members)};

static const char *const answer_words[] = {"ack", "data", "rnr",     "cie",
                                           "nre", "cid",  "withhold"};
static const struct fal_shape answer = {.kind = FAL_SHAPE_WORD, FAL_WORDS(answer_words)};
#define R(field)  FAL_AT(struct fal_scripted_rule, field)
#define RH(field) FAL_HAS(struct fal_scripted_rule, field)
static const struct fal_member rule_members[] = {
    {"request", &from_1, 0, R(request), .doc = "the n-th request of the connection"},
    {"every", &from_1, 0, R(every), .doc = "each k-th request"},
    {"op", &tl_proto_op, 0, R(op), RH(has_op)},
    {"answer", &answer, FAL_MUST, R(answer)},
    {"after_ns", &tl_proto_ns, 0, R(after_ns)},
    {"times", &fal_shape_uint, 0, R(times), .doc = "so often, then the default; 0: always"},
    {"rnr_ns", &tl_proto_ns, 0, R(rnr_ns)},
    {"code", &tl_proto_code, 0, R(code)},
    {"length", &fal_shape_uint, 0, R(length), RH(has_length)},
    {"tag", &tl_proto_wide, 0, R(tag), RH(has_tag)},
    {"seed", &tl_proto_wide, 0, R(seed)},
};
static const struct fal_shape rule = {
    LINE, .name = "rule", .doc = "Which answer a request gets.", FAL_MEMBERS(rule_members),
    .more = "{\"not\": {\"required\": [\"request\", \"every\"]}}"}; /* check_rule */
static const struct fal_shape rules = {.kind = FAL_SHAPE_LIST,
                                       FAL_OF(&rule),
                                       .max = FAL_SCRIPTED_RULES_MAX,
                                       .expected = "a list of rules",
                                       .item_size = sizeof(struct fal_scripted_rule)};

/* ---- commands ---- */

static const struct fal_member hello_members[] = {
    COMMAND("hello"), ROW(version, version), {"tester", &fal_shape_text, .flags = 0}};
static const struct fal_member reset_members[] = {
    COMMAND("reset"),
    ROW(scope, scope),
    MAY(conn, tl_proto_conn),
    {"function", &tl_proto_u24, 0, AT(function), HAS(has_function)}};
static const struct fal_member open_members[] = {
    COMMAND("open"),
    {"encap", &encap, 0, AT(encap), .initial = FAL_ENCAP_UDP},
    {"upper", &tl_proto_upper, 0, AT(upper), .doc = "the SUT's upper layer of the connection"},
    {"peer_address", &fal_shape_text, 0, AT(peer_address),
     .doc = "HOST:PORT, where the SUT sends to"},
    ROW(peer, tl_protocol_end_shape),
    {"local", &tl_protocol_local_shape, 0, AT(local), .doc = "wishes for the SUT's end"},
    MAY(params, tl_proto_params),
    {"security", &security, 0, AT(security), HAS(has_security),
     .doc = "where the encapsulation seals"},
};
static const struct fal_member post_members[] = {
    COMMAND("post"),
    CONN,
    ROW(op, tl_proto_op),
    {"length", &length, FAL_MUST, AT(length), HAS(has_length)},
    {"tag", &tl_proto_wide, FAL_MUST, AT(tag), HAS(has_tag)},
    MAY(seed, tl_proto_wide)};
static const struct fal_member policy_members[] = {
    COMMAND("policy"), CONN, {"rules", &rules, FAL_MUST, AT(rules), FAL_COUNT(C, num_rules)}};
static const struct fal_member respond_members[] = {
    COMMAND("respond"),
    CONN,
    RSN,
    ROW(answer, tl_proto_answer),
    MAY(rnr_ns, tl_proto_ns),
    MAY(code, tl_proto_code),
    {"length", &fal_shape_uint, 0, AT(length), HAS(has_length)},
    {"tag", &tl_proto_wide, 0, AT(tag), HAS(has_tag)},
    MAY(seed, tl_proto_wide)};
static const struct fal_member set_members[] = {COMMAND("set"),
                                                CONN,
                                                ROW(params, tl_proto_params),
                                                {"randomize_path", &fal_shape_flag, 0,
                                                 AT(randomize_path),
                                                 .doc = "draw a new path (10.4)"}};
static const struct fal_member barrier_members[] = {COMMAND("barrier"),
                                                    MAY(conn, tl_proto_conn)};
static const struct fal_member counters_members[] = {COMMAND("counters")};
static const struct fal_member state_members[] = {COMMAND("state"), CONN};
static const struct fal_member clock_members[] = {COMMAND("clock")};
static const struct fal_member close_members[] = {COMMAND("close"), CONN};
static const struct fal_member rotate_members[] = {
    COMMAND("rotate_keys"),
    MAY(conn, tl_proto_conn),
    MAY(step, step),
    MAY(sa, tl_proto_sa),
    MAY(remote_time, tl_proto_wide),
    {"on", &fal_shape_flag, 0, AT(on), HAS(has_on)}};

static const char *const state_words[] = {"reset", "keep"};
static const struct fal_shape cc_state = {.kind = FAL_SHAPE_WORD, FAL_WORDS(state_words)};
static const struct fal_member cc_config_members[] = {
    COMMAND("cc_config"),
    {"conn", &tl_proto_conn, 0, AT(conn), .doc = "absent: all connections, and cc_feed"},
    {"params", &tl_proto_swift, FAL_MUST, AT(swift)}};
static const struct fal_member cc_feed_members[] = {
    COMMAND("cc_feed"),
    ROW(now_ticks, tl_proto_ticks),
    {"state", &cc_state, FAL_MUST, AT(state),
     .doc = "reset: the first event of its connection; keep: the RUE goes on from the event "
            "before it"},
    ROW(entry, tl_proto_entry)};
static const struct fal_member cc_trace_members[] = {
    COMMAND("cc_trace"), {"on", &fal_shape_flag, FAL_MUST, AT(on), HAS(has_on)}};
static const char *const who_words[] = {"self", "tester"};
static const struct fal_shape who = {.kind = FAL_SHAPE_WORD, FAL_WORDS(who_words)};
static const struct fal_member cc_engine_members[] = {COMMAND("cc_engine"), ROW(who, who)};
static const struct fal_member cc_result_members[] = {COMMAND("cc_result"),
                                                      ROW(entry, tl_proto_entry)};
static const char *const pool_words[] = {"packets", "buffers"};
static const struct fal_shape pool = {.kind = FAL_SHAPE_WORD, FAL_WORDS(pool_words)};
static const struct fal_shape alpha = {
    .kind = FAL_SHAPE_UINT, .min = 1, .max = TL_RX_ALPHA_ONE};
static const struct fal_shape threshold = {.kind = FAL_SHAPE_UINT, .max = UINT32_MAX};
static const struct fal_shape thresholds = {.kind = FAL_SHAPE_LIST,
                                            FAL_OF(&threshold),
                                            .min = TL_RX_THRESHOLDS,
                                            .max = TL_RX_THRESHOLDS,
                                            .in_place = true,
                                            .expected = "a list of 31 numbers",
                                            .item_size = sizeof(uint32_t)};
static const struct fal_member rx_levels_members[] = {
    COMMAND("rx_levels"),
    ROW(pool, pool),
    {"alpha", &alpha, FAL_MUST, AT(alpha),
     .doc = "weight of the present occupancy in the moving average, in 1/1024; 1024: no "
            "average"},
    {"thresholds", &thresholds, FAL_MUST, AT(thresholds), FAL_COUNT(C, num_thresholds),
     .doc = "in packets, or in cells of the buffers; none is less than the one before"}};

#define SHAPE(kind_, about, table) [kind_] = {LINE, .doc = (about), FAL_MEMBERS(table)}
static const struct fal_shape shapes[TL_DO_PD_CREATE] = {
    SHAPE(TL_DO_HELLO, "Identify yourself.", hello_members),
    [TL_DO_RESET] = {LINE, .doc = "Begin a new epoch.", FAL_MEMBERS(reset_members),
                     .more = "{\"if\": {\"properties\": {\"scope\": {\"const\": "
                             "\"connection\"}}}, \"then\": {\"required\": [\"conn\"]}}"},
    SHAPE(TL_DO_OPEN, "Open a connection.", open_members),
    SHAPE(TL_DO_POST, "Start a transaction.", post_members),
    SHAPE(TL_DO_POLICY, "Replace the rules by which requests are answered.", policy_members),
    SHAPE(TL_DO_RESPOND, "Answer a request that waits.", respond_members),
    SHAPE(TL_DO_SET, "Change parameters.", set_members),
    SHAPE(TL_DO_BARRIER, "Answered after every event caused before it.", barrier_members),
    SHAPE(TL_DO_COUNTERS, "Report the frames since the last reset of the device.",
          counters_members),
    SHAPE(TL_DO_STATE, "Report the sequence numbers of a connection.", state_members),
    SHAPE(TL_DO_CLOCK, "Report the SUT's packet clock.", clock_members),
    SHAPE(TL_DO_CLOSE, "Close a connection.", close_members),
    SHAPE(TL_DO_ROTATE_KEYS, "Do a step of a key rotation.", rotate_members),
    SHAPE(TL_DO_CC_CONFIG, "Set parameters of Swift (10.5).", cc_config_members),
    SHAPE(TL_DO_CC_FEED, "Process an event; the reply has the result as entry.",
          cc_feed_members),
    SHAPE(TL_DO_CC_TRACE, "Report each event for the RUE and each result.", cc_trace_members),
    SHAPE(TL_DO_CC_ENGINE, "Say who gives results of events.", cc_engine_members),
    SHAPE(TL_DO_CC_RESULT, "Give a result of an event.", cc_result_members),
    SHAPE(TL_DO_RX_LEVELS, "Set the levels of the occupancy that ACKs report (10.2).",
          rx_levels_members),
};
#define D(verb) &shapes[TL_DO_##verb]
const struct fal_shape tl_proto_commands = {
    .kind = FAL_SHAPE_ANY_OF,
    .name = "command",
    FAL_OF(D(HELLO), D(RESET), D(OPEN), D(POST), D(POLICY), D(RESPOND), D(SET), D(BARRIER),
           D(COUNTERS), D(STATE), D(CLOCK), D(CLOSE), D(ROTATE_KEYS), D(CC_CONFIG), D(CC_FEED),
           D(CC_TRACE), D(CC_ENGINE), D(CC_RESULT), D(RX_LEVELS), &tl_proto_verbs_commands,
           &tl_proto_nvme_commands)};

static const struct fal_shape *shape_of(enum tl_do verb)
{
    const struct tl_words *words = tl_words_with(verb);

    return words == NULL ? &shapes[verb]
                         : tl_proto_word(words->upper, (unsigned)(verb - words->first));
}

/* ---- reading ---- */

/* What every command has: so a broken one can still be answered. */
static const struct fal_member head_members[] = {
    {"id", &fal_shape_uint, FAL_MUST, AT(id)}, {"epoch", &fal_shape_uint, FAL_MUST, AT(epoch)}};
static const struct fal_shape head = {LINE, FAL_MEMBERS(head_members)};

int tl_protocol_id(const json_t *object, uint64_t *out, struct fal_error *err)
{
    static const struct fal_member only[] = {{"id", &fal_shape_uint, FAL_MUST, AT(id)}};
    static const struct fal_shape shape = {LINE, FAL_MEMBERS(only)};
    struct tl_protocol_command command = {.id = 0};
    struct fal_misfit wrong;
    int rc = fal_shape_read(&shape, object, &command, false, &wrong);

    *out = command.id;
    return rc == 0 ? 0 : fal_misfit_error(&wrong, rc, "", err);
}

int tl_protocol_command_head(const json_t *object, struct tl_protocol_command *out,
                             struct fal_error *err)
{
    const char *word = json_string_value(json_object_get(object, "do"));
    struct fal_misfit wrong;
    int rc;

    *out = (struct tl_protocol_command){.id = 0};
    rc = fal_shape_read(&head, object, out, false, &wrong);
    if (rc != 0)
        return fal_misfit_error(&wrong, rc, "", err);
    if (word == NULL)
        return fal_fail(err, FAL_ERR_FORM, "do: missing; expected the name of a command");
    for (int i = 0; i < TL_DO_COUNT; i++) {
        if (strcmp(tl_protocol_verb((enum tl_do)i), word) != 0)
            continue;
        out->verb = (enum tl_do)i;
        return 0;
    }
    return fal_fail(err, FAL_ERR_TYPE, "unknown command '%.40s'", word);
}

static int check_rule(const struct fal_scripted_rule *read, size_t i, struct fal_error *err)
{
    if (read->request != 0 && read->every != 0)
        return fal_fail(err, FAL_ERR_FORM, "rules[%zu]: request and every exclude each other",
                        i);
    if (read->answer == FAL_ANSWER_DATA && read->has_op && read->op == FAL_OP_PUSH)
        return fal_fail(err, FAL_ERR_FORM, "rules[%zu]: the answer to a push carries no data",
                        i);
    return 0;
}

static int read_word(const json_t *object, struct tl_protocol_command *out,
                     struct fal_error *err)
{
    const struct tl_words *words = tl_words_with(out->verb);

    out->word = malloc(sizeof *out->word);
    if (out->word == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (tl_word_read(words, (unsigned)(out->verb - words->first), false, object, out->word,
                     err) != 0)
        return FAL_ERR_FORM;
    out->conn = tl_word_conn(words, out->word);
    if (out->conn != NULL && out->conn[0] == 0)
        out->conn = NULL;
    return 0;
}

int tl_protocol_command_read(const json_t *object, struct tl_protocol_command *out,
                             struct fal_error *err)
{
    enum tl_do verb = out->verb;
    struct fal_misfit wrong;
    int rc;

    *out = (struct tl_protocol_command){.verb = verb};
    rc = fal_shape_read(shape_of(verb), object, out, false, &wrong);
    if (rc != 0)
        rc = fal_misfit_error(&wrong, rc, "", err);
    else if (tl_protocol_is_word(verb))
        rc = read_word(object, out, err);
    for (size_t i = 0; rc == 0 && i < out->num_rules; i++)
        rc = check_rule(&out->rules[i], i, err);
    if (rc != 0)
        tl_protocol_command_free(out);
    return rc;
}

const char *tl_protocol_verb(enum tl_do verb)
{
    return shape_of(verb)->members[2].shape->words[0];
}

void tl_protocol_command_free(struct tl_protocol_command *command)
{
    free(command->rules);
    free(command->word);
    command->rules = NULL;
    command->word = NULL;
    command->num_rules = 0;
}

int tl_protocol_rules(const json_t *list, struct fal_scripted_rule **out, size_t *n,
                      struct fal_error *err)
{
    static const struct fal_member only[] = {
        {"rules", &rules, FAL_MUST, AT(rules), FAL_COUNT(C, num_rules)}};
    static const struct fal_shape shape = {LINE, FAL_MEMBERS(only)};
    struct tl_protocol_command command = {.id = 0};
    json_t *object = json_pack("{s:O}", "rules", list);
    struct fal_misfit wrong;
    int rc;

    if (object == NULL)
        return fal_fail(err, list == NULL ? FAL_ERR_FORM : FAL_ERR_MEM, "rules: %s",
                        list == NULL ? "missing; expected a list of rules" : "out of memory");
    rc = fal_shape_read(&shape, object, &command, false, &wrong);
    if (rc != 0)
        rc = fal_misfit_error(&wrong, rc, "", err);
    for (size_t i = 0; rc == 0 && i < command.num_rules; i++)
        rc = check_rule(&command.rules[i], i, err);
    json_decref(object);
    if (rc != 0) {
        tl_protocol_command_free(&command);
        return rc;
    }
    *out = command.rules;
    *n = command.num_rules;
    return 0;
}
