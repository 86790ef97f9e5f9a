// SPDX-License-Identifier: Apache-2.0
// ep_monitor.sv - looks at signals of ep_pipeline and writes the trace; it drives nothing. It is bound
// to the pipeline (ep_top.sv), so its ports have the names of signals there. All lines of a cycle
// come from one process in an order in which a cause comes before its effects.
module ep_monitor
    import ep_pkg::*;
    import ep_trace_pkg::*;
#(
    parameter int SLICES = 8,
    parameter int W = $clog2(SLICES)
) (
    input logic clk, rst,
    input logic [63:0] now,
    // into the queues and out of them
    input logic tx_valid, tx_ready, tx_drop, rx_valid, rx_ready, rx_drop, fw_valid, fw_ready, fw_full,
    input event_t tx_stamped, rx_stamped, fw_event, tx_head, rx_head, fw_store,
    input logic [7:0] tx_occupancy, rx_occupancy,
    input logic [2:0] take,
    input logic class_write,
    input kind_e class_kind,
    input class_t class_value,
    // map, slices, processors
    input logic held, deliver, hit, fw_taken, fw_allocates,
    input event_t held_event,
    input class_t held_class,
    input logic [W-1:0] event_slice, fw_slice, fw_held,
    input logic fw_released,
    input flow_t fw_flow, flow_of[SLICES],
    input logic [SLICES-1:0] give_back,
    input state_e path[SLICES][CAUSES + 1],
    input logic start, grant,
    input logic [W-1:0] start_slice,
    input flow_t start_flow,
    input class_t start_class,
    input entry_t start_entry,
    input logic [SLICES-1:0] locked,
    input logic done_valid, done_ready, rate_put, done_rtt_request,
    input logic [W-1:0] done_processor,
    input logic [63:0] done_rate_bps, done_digest,
    input flow_t done_flow
);
    logic missed; // the event that waits has missed before
    class_t class_of_run[SLICES];
    event_t fw_stamped;
    always_comb begin
        fw_stamped = fw_event;
        fw_stamped.at = now;
    end

    function automatic void queue_lines(longint at, string which, logic given, dropped,
                                        event_t into, logic taken, event_t head, int occupancy);
        /*verilator no_inline_task*/
        if (given) begin
            trace_source(at, into);
            trace_queue(at, dropped ? "drop" : "in", which, into, occupancy);
        end
        if (taken) trace_queue(at, "out", which, head, occupancy + int'(given && !dropped));
    endfunction

    // In arb, more_a and more_b an event is merged and the state stays; else what the state machine
    // ignores is no line.
    function automatic void slice_line(logic [W-1:0] s, flow_t flow, cause_e cause);
        state_e from, to;
        from = path[s][cause];
        to = path[s][cause + 1];
        if (from != to || (cause == BY_EVENT && NEXT[cause][from] == to))
            trace_slice(now, int'(s), flow, from, to, cause);
    endfunction

    always_ff @(posedge clk) begin
        missed <= held && !deliver;
        if (start) class_of_run[start_slice] <= start_class;
        if (!rst) begin
            if (grant) slice_line(start_slice, start_flow, BY_GRANT);
            if (start) trace_start(now, int'(start_slice), start_flow, start_class, start_entry);
            if (held && !hit && !missed) trace_map(now, "miss", held_event.flow, 0);
            if (deliver) begin
                trace_map(now, hit ? "hit" : "write", held_event.flow, int'(event_slice));
                trace_merge(now, int'(event_slice), held_class, held_event);
                slice_line(event_slice, held_event.flow, BY_EVENT);
            end
            if (done_valid && done_ready) begin
                trace_context_write(now, int'(done_processor), done_flow, done_digest);
                if (rate_put)
                    trace_rate(now, int'(done_processor), {done_flow, done_rate_bps, done_rtt_request});
                trace_end(now, int'(done_processor), done_flow, class_of_run[done_processor]);
                if (!locked[done_processor]) slice_line(done_processor, done_flow, BY_DONE);
            end
            if (fw_taken) begin
                if (fw_allocates) trace_map(now, "write", fw_flow, int'(fw_slice));
                slice_line(fw_slice, fw_flow, BY_FW);
            end
            if (fw_released) slice_line(fw_held, flow_of[fw_held], BY_FW_RELEASE);
            if (give_back != 0)
                for (int s = 0; s < SLICES; s++)
                    if (give_back[s]) trace_map(now, "release", flow_of[s], s);
            queue_lines(now, "tx", tx_valid && tx_ready, tx_drop, tx_stamped, take[0], tx_head,
                        int'(tx_occupancy));
            queue_lines(now, "rx", rx_valid && rx_ready, rx_drop, rx_stamped, take[1], rx_head,
                        int'(rx_occupancy));
            queue_lines(now, "fw", fw_valid && fw_ready, 1'b0, fw_stamped, take[2], fw_store,
                        int'(fw_full));
            if (class_write) trace_table(now, class_kind, class_value);
        end
    end
endmodule
