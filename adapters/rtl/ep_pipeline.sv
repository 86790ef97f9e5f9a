// SPDX-License-Identifier: Apache-2.0
// ep_pipeline.sv - the event pipeline: FIFOs and firmware's register, round robin, class table, flow
// map, slices, grants to processors, the context store's port and the FIFO of rates. Processor
// number s serves slice number s. A handshake is `valid` and `ready` in the same cycle.
module ep_pipeline
    import ep_pkg::*;
#(
    parameter int SLICES = 8,
    parameter int TX_DEPTH = 16,
    parameter int RX_DEPTH = 32,
    parameter int RATE_DEPTH = 8,
    parameter int CLOCK_NS = 2,
    parameter int W = $clog2(SLICES)
) (
    input  logic              clk,
    input  logic              rst,
    input  bug_e              bug,
    output logic [63:0]       now,           // in ns
    // events
    input  logic              tx_valid, rx_valid, fw_valid,
    input  event_t            tx_event, rx_event, fw_event,
    output logic              tx_ready, rx_ready, fw_ready,
    // configuration: thresholds of WRED; classes at reset; a write to the class table
    input  logic [7:0]        th1[KINDS],
    input  logic [7:0]        th2[KINDS],
    input  class_t            classes[KINDS],
    input  logic              class_write,
    input  kind_e             class_kind,
    input  class_t            class_value,
    // firmware takes the flow from its processor, and releases the slice
    input  logic              fw_take, fw_release,
    input  flow_t             fw_flow,
    output logic              fw_taken, fw_released,
    output logic [W-1:0]      fw_slice,      // that fw_taken gives
    input  logic [W-1:0]      fw_held,       // that fw_release means
    // a processor starts with the entry of a class; the context of the flow is read
    input  logic              start_ready,
    output logic              start,
    output logic [W-1:0]      start_slice,
    output flow_t             start_flow,
    output class_t            start_class,
    output entry_t            start_entry,
    // a processor is done with an entry; the context of the flow is written
    input  logic              done_valid,
    input  logic [W-1:0]      done_processor,
    input  logic              done_has_rate, done_rtt_request,
    input  logic [63:0]       done_rate_bps, done_digest,
    output logic              done_ready,
    output flow_t             done_flow,
    // rates to the transmit pipeline
    output logic              rate_valid,
    output rate_t             rate,
    input  logic              rate_take,
    output logic              idle           // no event, processor, answer or override is left
);
    // xorshift32, for WRED and the choice of a slice
    logic [31:0] random, r1, r2;
    assign r1 = random ^ (random << 13);
    assign r2 = r1 ^ (r1 >> 17);

    // ---- FIFOs, firmware's register, round robin [0128-0130] ----
    logic tx_drop, rx_drop, tx_out, rx_out;
    logic [7:0] tx_occupancy, rx_occupancy;
    event_t tx_stamped, rx_stamped, fw_store, tx_head, rx_head;
    logic fw_full;
    logic [2:0] waits, take;
    logic [1:0] turn; // who was served last
    always_comb begin
        {tx_stamped, rx_stamped} = {tx_event, rx_event};
        tx_stamped.at = now;
        rx_stamped.at = now;
    end
    ep_fifo #(.DEPTH(TX_DEPTH)) tx_fifo (.clk, .rst, .in_valid(tx_valid), .in_event(tx_stamped),
        .in_ready(tx_ready), .in_drop(tx_drop), .random(random[15:0]), .th1, .th2,
        .occupancy(tx_occupancy), .out_valid(tx_out), .out_event(tx_head), .out_take(take[0]));
    ep_fifo #(.DEPTH(RX_DEPTH)) rx_fifo (.clk, .rst, .in_valid(rx_valid), .in_event(rx_stamped),
        .in_ready(rx_ready), .in_drop(rx_drop), .random(random[31:16]), .th1, .th2,
        .occupancy(rx_occupancy), .out_valid(rx_out), .out_event(rx_head), .out_take(take[1]));
    assign fw_ready = !fw_full;

    logic held, deliver;  // one event waits between the round robin and the map
    event_t held_event, chosen;
    assign waits = {fw_full, rx_out, tx_out};
    always_comb begin
        take = '0;
        if (!held || deliver)
            for (int i = 3; i >= 1; i--)
                if (waits[(int'(turn) + i) % 3]) take = 3'b001 << (int'(turn) + i) % 3;
        chosen = take[0] ? tx_head : take[1] ? rx_head : fw_store;
    end

    // ---- kinds to classes [0130-0131] ----
    class_t class_of[KINDS];
    class_t held_class;
    always_comb begin
        held_class = class_of[held_event.kind];
        // Bug: one kind gets the class beside its own.
        if (bug == BUG_CLASS_SHIFT && held_event.kind == KIND_NACK)
            held_class = held_class == 3'(CLASSES - 1) ? '0 : held_class + 1'b1;
    end

    // ---- flow map [0143-0144] ----
    logic hit, fw_hit, any_free, fw_allocates, write;
    logic [W-1:0] hit_slice, fw_hit_slice, free_slice, event_slice;
    logic [SLICES-1:0] give_back;
    flow_t flow_of[SLICES];
    ep_map #(.SLICES(SLICES)) map (.clk, .rst, .bug, .random(random[23:8]),
        .event_flow(held_event.flow), .event_hit(hit), .event_slice(hit_slice), .fw_flow, .fw_hit,
        .fw_slice(fw_hit_slice), .any_free, .free_slice, .write,
        .write_slice(free_slice), .write_flow(fw_allocates ? fw_flow : held_event.flow),
        .give_back, .flow_of);
    assign fw_allocates = fw_take && !fw_hit && any_free;
    assign deliver = held && (hit ? !locks[hit_slice] : any_free && !fw_allocates);
    assign event_slice = hit ? hit_slice : free_slice;
    assign write = fw_allocates || (deliver && !hit);

    // ---- slices, and the arbiter that gives processors to them [0046, 0152] ----
    // A processor works on the entry of one class after the other. Until it has taken the last, the
    // slice is locked: events of the flow and firmware wait.
    state_e state[SLICES];
    state_e path[SLICES][CAUSES + 1]; // how the state moves in this cycle
    logic [SLICES-1:0] fw_may, working, locked, locks; // locks: locked from this cycle on
    logic [CLASSES-1:0] filled[SLICES];
    logic [W-1:0] served; // the slice that was granted last
    logic grant, more;    // it starts for the first entry; there are others
    logic [CLASSES-1:0] others;
    for (genvar s = 0; s < SLICES; s++) begin : g_slice
        ep_slice slice (.clk, .rst, .bug, .grant(grant && start_slice == W'(s)),
            .evt(deliver && event_slice == W'(s)),
            .done(done_valid && done_ready && done_processor == W'(s) && !locked[s]),
            .fw_take(fw_taken && fw_slice == W'(s)), .fw_release(fw_released && fw_held == W'(s)),
            .state(state[s]), .path(path[s]), .fw_may(fw_may[s]));
        assign give_back[s] = state[s] != IDLE && path[s][CAUSES] == IDLE;
        assign locks[s] = start && start_slice == W'(s) ? more : locked[s];
    end
    ep_merge #(.SLICES(SLICES)) merge (.clk, .rst, .bug, .put(deliver), .put_slice(event_slice),
        .put_class(held_class), .put_event(held_event), .take(start), .take_slice(start_slice),
        .take_class(start_class), .take_entry(start_entry), .released(fw_released),
        .released_slice(fw_held), .filled);
    assign fw_slice = fw_hit ? fw_hit_slice : free_slice;
    assign fw_taken = fw_take && (fw_hit ? fw_may[fw_hit_slice] && !locks[fw_hit_slice] : any_free);
    assign fw_released = fw_release && !working[fw_held];
    always_comb begin
        start = 1'b0;
        start_slice = '0;
        for (int i = SLICES; i >= 1; i--) begin
            automatic int s = (int'(served) + i) % SLICES;
            if (start_ready && (state[s] == ARB || (locked[s] && !working[s]))) begin
                start = 1'b1;
                start_slice = W'(s);
            end
        end
        start_class = '0;
        for (int k = CLASSES - 1; k >= 0; k--)
            if (filled[start_slice][k]) start_class = 3'(k);
        others = filled[start_slice] & ~(CLASSES'(1) << start_class);
        more = others != 0;
    end
    assign grant = start && !locked[start_slice];
    assign start_flow = flow_of[start_slice];

    // ---- answers: the map tells the flow of a processor; FIFO of rates [0157] ----
    localparam int RW = $clog2(RATE_DEPTH);
    rate_t rates[RATE_DEPTH];
    logic [RW-1:0] rate_head, rate_tail;
    logic [RW:0] rate_count;
    logic rate_put;
    assign done_ready = rate_count < (RW + 1)'(RATE_DEPTH);
    assign done_flow = flow_of[done_processor];
    assign rate_put = done_valid && done_ready && (done_has_rate || done_rtt_request);
    assign rate_valid = rate_count != 0;
    assign rate = rates[rate_head];

    always_comb begin
        idle = waits == 0 && !held && rate_count == 0;
        for (int s = 0; s < SLICES; s++) idle &= state[s] == IDLE;
    end

    always_ff @(posedge clk) begin
        now <= now + 64'(CLOCK_NS);
        random <= r2 ^ (r2 << 5);
        if (fw_valid && fw_ready) begin
            fw_store <= fw_event;
            fw_store.at <= now;
        end
        fw_full <= (fw_full && !take[2]) || (fw_valid && fw_ready);
        if (take != 0) turn <= take[0] ? 2'd0 : take[1] ? 2'd1 : 2'd2;
        if (take != 0) held_event <= chosen;
        held <= take != 0 || (held && !deliver);
        if (class_write) class_of[class_kind] <= class_value;
        if (start) served <= start_slice;
        locked <= locks;
        if (start) working[start_slice] <= 1'b1;
        if (done_valid && done_ready) working[done_processor] <= 1'b0;
        if (rate_put) rates[rate_tail] <= {done_flow, done_rate_bps, done_rtt_request};
        rate_tail <= rate_tail + RW'(rate_put);
        rate_head <= rate_head + RW'(rate_take && rate_valid);
        rate_count <= rate_count + (RW + 1)'(rate_put) - (RW + 1)'(rate_take && rate_valid);
        if (rst) begin
            now <= 64'(CLOCK_NS);
            random <= 32'h2545_f491;
            fw_full <= 1'b0;
            held <= 1'b0;
            turn <= 2'd2;
            class_of <= classes;
            served <= '0;
            working <= '0;
            locked <= '0;
            {rate_head, rate_tail, rate_count} <= '0;
        end
    end
endmodule
