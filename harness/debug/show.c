/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/debug/show.h"

#include "codecs/base/time_text.h"
#include "oracles/endpoint/look.h"

#include <inttypes.h>

enum { PACKETS_SHOWN = 32, LINE_LEN = 2000 };

/* ---- the tester's end of the connection ---- */

static bool state_of(FILE *out, const struct tl_interp *interp,
                     struct fal_endpoint_state *state, struct fal_look *look)
{
    const struct tl_session *session = interp->session;

    if (fal_endpoint_state(session->endpoint, session->conn, state) == 0 &&
        fal_endpoint_look(session->endpoint, session->conn, look) == 0)
        return true;
    fprintf(out, "   the tester's end of the connection is closed\n");
    return false;
}

static const char *yes(bool on)
{
    return on ? "yes" : "no";
}

void tl_show_connection(FILE *out, const struct tl_interp *interp)
{
    const struct tl_session *session = interp->session;
    const struct fal_end *tester = &session->connection.tester, *sut = &session->connection.sut;
    struct fal_endpoint_state state;
    struct fal_look look;

    fprintf(out, "connection at %s\n", fal_time_text(tl_session_now(session)).text);
    fprintf(out,
            "   tester            CID %" PRIu32 ", 0r: request PSN %" PRIu32
            ", data PSN %" PRIu32 ", RSN %" PRIu32 "\n",
            tester->cid, tester->req_psn, tester->data_psn, tester->rsn);
    fprintf(out,
            "   SUT               CID %" PRIu32 ", 0r: request PSN %" PRIu32
            ", data PSN %" PRIu32 ", RSN %" PRIu32 "\n",
            sut->cid, sut->req_psn, sut->data_psn, sut->rsn);
    if (!state_of(out, interp, &state, &look))
        return;
    fprintf(out, "   the tester acknowledges by itself: %s; it retransmits by itself: %s%s\n",
            yes(look.auto_ack), yes(look.auto_retransmit),
            look.dead ? "; a fatal error has ended it" : "");
    fprintf(out,
            "   transactions of the tester: BRSN %" PRIu32 "r, NRSN %" PRIu32 "r, %" PRIu32
            " open; of the SUT: BRSN %" PRIu32 "r, NRSN %" PRIu32 "r, %" PRIu32 " open\n",
            state.brsn - tester->rsn, state.nrsn - tester->rsn, state.open_initiated,
            state.target_brsn - sut->rsn, state.target_nrsn - sut->rsn, state.open_received);
}

/* The newest ACK or NACK of the SUT. */
static void show_claim(FILE *out, const struct tl_session *session)
{
    char line[LINE_LEN];

    for (uint64_t i = session->packets.next; i > tl_session_first_packet(session); i--) {
        const struct tl_seen_packet *packet = tl_session_packet(session, i - 1);

        if (packet->dir != FAL_FROM_SUT || packet->header_len <= 0 ||
            (packet->falcon.packet_type != FAL_BACK && packet->falcon.packet_type != FAL_EACK &&
             packet->falcon.packet_type != FAL_NACK))
            continue;
        tl_session_print(session, packet, line, sizeof line);
        fprintf(out, "   newest ACK or NACK of the SUT: %s\n", line);
        return;
    }
    fprintf(out, "   newest ACK or NACK of the SUT: none so far\n");
}

void tl_show_windows(FILE *out, const struct tl_interp *interp)
{
    const struct fal_end *tester = &interp->session->connection.tester;
    const struct fal_end *sut = &interp->session->connection.sut;
    struct fal_endpoint_state state;
    struct fal_look look;

    fprintf(out, "windows of the tester    base     next   size  not acknowledged\n");
    if (!state_of(out, interp, &state, &look))
        return;
    fprintf(out, "   sends requests    %8" PRIu32 "r%8" PRIu32 "r%7" PRIu32 "%18" PRIu32 "\n",
            state.tx_rbpsn - tester->req_psn, state.tx_rnpsn - tester->req_psn,
            look.tx_size[FAL_WINDOW_REQ], look.unacked[FAL_WINDOW_REQ]);
    fprintf(out, "   sends data        %8" PRIu32 "r%8" PRIu32 "r%7" PRIu32 "%18" PRIu32 "\n",
            state.tx_dbpsn - tester->data_psn, state.tx_dnpsn - tester->data_psn,
            look.tx_size[FAL_WINDOW_DATA], look.unacked[FAL_WINDOW_DATA]);
    fprintf(out, "   receives requests %8" PRIu32 "r        -%7" PRIu32 "                 -\n",
            state.rx_rbpsn - sut->req_psn, look.rx_size[FAL_WINDOW_REQ]);
    fprintf(out, "   receives data     %8" PRIu32 "r        -%7" PRIu32 "                 -\n",
            state.rx_dbpsn - sut->data_psn, look.rx_size[FAL_WINDOW_DATA]);
    if (look.queued > 0)
        fprintf(out, "   %" PRIu32 " packets wait for room in a window\n", look.queued);
    show_claim(out, interp->session);
}

/* "0b1101": the rightmost digit is bit 0. */
static void show_bits(FILE *out, const char *what, fal_u128 bits)
{
    int top = fal_u128_top(bits);

    fprintf(out, "   %-21s 0b", what);
    if (top < 0)
        fputc('0', out);
    for (; top >= 0; top--)
        fputc(fal_u128_test(bits, (unsigned)top) ? '1' : '0', out);
    fputc('\n', out);
}

void tl_show_bitmaps(FILE *out, const struct tl_interp *interp)
{
    struct fal_endpoint_state state;
    struct fal_look look;

    fprintf(out, "bitmaps of the tester (bit n: base + n of the receive window; bit 0 on the "
                 "right)\n");
    if (!state_of(out, interp, &state, &look))
        return;
    show_bits(out, "requests acknowledged", fal_u128_halves(0, state.req_bitmap));
    show_bits(out, "data acknowledged", state.data_ack_bitmap);
    show_bits(out, "data received", state.data_rx_bitmap);
    fprintf(out, "   %-21s %s%s%s\n", "OWN", (state.own & FAL_OWN_REQ) != 0 ? "requests " : "",
            (state.own & FAL_OWN_DATA) != 0 ? "data" : "", state.own == 0 ? "none" : "");
}

static void show_timer(FILE *out, const char *what, uint64_t at_ns, uint64_t now_ns)
{
    if (at_ns == FAL_NEVER)
        fprintf(out, "   %-21s does not run\n", what);
    else if (at_ns <= now_ns)
        fprintf(out, "   %-21s is due\n", what);
    else
        fprintf(out, "   %-21s expires at %s, in %s\n", what, fal_time_text(at_ns).text,
                fal_time_text(at_ns - now_ns).text);
}

static void show_packet_timer(FILE *out, const struct tl_session *session,
                              const struct fal_look_packet *packet)
{
    const struct fal_end *tester = &session->connection.tester;
    uint32_t zero = packet->window == FAL_WINDOW_REQ ? tester->req_psn : tester->data_psn;
    uint64_t now_ns = packet->held ? session->pauses.since_ns : tl_session_now(session);

    fprintf(out,
            "   %s psn=%" PRIu32 "r rsn=%" PRIu32 "r: sent at %s, %" PRIu32
            " retransmission%s by timeout; ",
            fal_falcon_type_name(packet->type), packet->psn - zero, packet->rsn - tester->rsn,
            fal_time_text(packet->last_tx_ns).text, packet->attempts,
            packet->attempts == 1 ? "" : "s");
    if (packet->due)
        fprintf(out, "waits to be retransmitted\n");
    else if (packet->deadline_ns == FAL_NEVER)
        fprintf(out, "no timer runs\n");
    else if (packet->held)
        fprintf(out, "its %s is stopped with %s left\n", packet->rnr ? "RNR delay" : "timer",
                fal_time_text(packet->deadline_ns > now_ns ? packet->deadline_ns - now_ns : 0)
                    .text);
    else if (packet->deadline_ns <= now_ns)
        fprintf(out, "its %s is due\n", packet->rnr ? "RNR delay" : "timer");
    else
        fprintf(out, "its %s expires at %s, in %s\n", packet->rnr ? "RNR delay" : "timer",
                fal_time_text(packet->deadline_ns).text,
                fal_time_text(packet->deadline_ns - now_ns).text);
}

void tl_show_timers(FILE *out, const struct tl_interp *interp)
{
    const struct tl_session *session = interp->session;
    uint64_t now_ns = tl_session_now(session);
    struct fal_look_packet packets[PACKETS_SHOWN];
    struct fal_endpoint_state state;
    struct fal_look look;
    size_t n;

    fprintf(out, "timers of the tester at %s\n", fal_time_text(now_ns).text);
    if (!state_of(out, interp, &state, &look))
        return;
    show_timer(out, "coalescing timer", look.coalesce_ns, now_ns);
    show_timer(out, "ACK that is held back", look.held_ns, now_ns);
    fprintf(out, "   %-21s %s\n", "RTO", fal_time_text(look.rto_ns).text);
    fprintf(out, "   %-21s %s\n", "average round trip",
            look.rtt_ns > 0 ? fal_time_rounded(look.rtt_ns).text : "not measured");
    n = fal_endpoint_look_packets(session->endpoint, session->conn, packets, PACKETS_SHOWN);
    if (n == 0)
        fprintf(out, "   no packet of the tester waits for an ACK\n");
    for (size_t i = 0; i < n && i < PACKETS_SHOWN; i++)
        show_packet_timer(out, session, &packets[i]);
    if (n > PACKETS_SHOWN)
        fprintf(out, "   and %zu more\n", n - PACKETS_SHOWN);
}

/* ---- what was seen ---- */

/* The number of the first of the last `count`, not before `from` nor before `first`. */
static uint64_t begin_of(uint64_t next, uint64_t first, uint64_t from, uint64_t count)
{
    uint64_t begin = next > count ? next - count : 0;

    begin = begin > from ? begin : from;
    return begin > first ? begin : first;
}

static void show_packet(FILE *out, const struct tl_session *session, uint64_t number)
{
    char line[LINE_LEN];

    tl_session_print(session, tl_session_packet(session, number), line, sizeof line);
    fprintf(out, "     %s\n", line);
}

static void show_event(FILE *out, const struct tl_interp *interp, uint64_t number)
{
    const struct tl_seen_event *event = tl_session_event(interp->session, number);
    char line[LINE_LEN];

    tl_interp_print_event(interp, event, line, sizeof line);
    fprintf(out, "     %s (upper layer of the %s)\n", line,
            event->side == TL_SIDE_SUT ? "SUT" : "tester");
}

void tl_show_news(FILE *out, const struct tl_interp *interp, const uint64_t from[2],
                  uint64_t count)
{
    const struct tl_session *session = interp->session;
    uint64_t packets = session->packets.next, events = session->events.next;
    uint64_t p = begin_of(packets, tl_session_first_packet(session), from[0], count);
    uint64_t e = begin_of(events, tl_session_first_event(session), from[1], count);

    if (p > from[0])
        fprintf(out, "     (%" PRIu64 " earlier packets: print packets N)\n", p - from[0]);
    if (e > from[1])
        fprintf(out, "     (%" PRIu64 " earlier events: print events N)\n", e - from[1]);
    while (p < packets || e < events) {
        if (e == events || (p < packets && tl_session_packet(session, p)->t_ns <=
                                               tl_session_event(session, e)->t_ns))
            show_packet(out, session, p++);
        else
            show_event(out, interp, e++);
    }
}

void tl_show_packets(FILE *out, const struct tl_interp *interp, uint64_t count)
{
    tl_show_news(out, interp, (const uint64_t[]){0, interp->session->events.next}, count);
}

void tl_show_events(FILE *out, const struct tl_interp *interp, uint64_t count)
{
    tl_show_news(out, interp, (const uint64_t[]){interp->session->packets.next, 0}, count);
}

/* ---- the steps ---- */

void tl_show_step(FILE *out, const struct tl_scenario *scenario, size_t step)
{
    const struct tl_step *s = &scenario->steps[step];

    fprintf(out, "step %zu, line %u: %s%s%s%s\n", step + 1, s->at.line, s->text,
            s->name != NULL ? " (" : "", s->name != NULL ? s->name : "",
            s->name != NULL ? ")" : "");
}

void tl_show_steps(FILE *out, const struct tl_interp *interp)
{
    const struct tl_scenario *scenario = interp->scenario;

    for (size_t i = 0; i < scenario->num_steps; i++) {
        if (scenario->steps[i].verb == TL_JUMP || scenario->steps[i].verb == TL_REPEAT_END)
            continue;
        if (i == scenario->postamble && i > 0)
            fprintf(out, "   postamble\n");
        fputs(i == interp->step ? " > " : "   ", out);
        tl_show_step(out, scenario, i);
    }
}

void tl_show_miss(FILE *out, const struct tl_interp *interp)
{
    const struct tl_miss *miss = &interp->miss;

    fprintf(out, "   not met: ");
    tl_show_step(out, interp->scenario, miss->step);
    if (miss->expected[0] != 0)
        fprintf(out, "     expected %s\n", miss->expected);
    if (miss->seen[0] != 0)
        fprintf(out, "     seen     %s\n", miss->seen);
    if (miss->why[0] != 0)
        fprintf(out, "     %s\n", miss->why);
}

/* Of a sequence number, a number, a time. */
static void show_value(FILE *out, const struct tl_expr_value *value)
{
    if (fal_u128_hi(value->value) != 0)
        fprintf(out, "0x%" PRIx64 "%016" PRIx64 "\n", fal_u128_hi(value->value),
                fal_u128_lo(value->value));
    else if (value->type == TL_TIME)
        fprintf(out, "%s\n", fal_time_text(fal_u128_lo(value->value)).text);
    else
        fprintf(out, "%" PRIu64 "\n", fal_u128_lo(value->value));
}

void tl_show_variables(FILE *out, const struct tl_interp *interp)
{
    fprintf(out, "variables\n");
    if (interp->scope.num_vars == 0)
        fprintf(out, "   none so far\n");
    for (size_t i = 0; i < interp->scope.num_vars; i++) {
        fprintf(out, "   $%s = ", interp->vars[i].name);
        show_value(out, &interp->vars[i].value);
    }
}
