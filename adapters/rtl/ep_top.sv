// SPDX-License-Identifier: Apache-2.0
// ep_top.sv - the pipeline with its monitor, with plain ports for a testbench in C++ (sim.cpp). The
// plusarg +bug=N plants the bug with this number of bug_e.
module ep_top
    import ep_pkg::*;
#(
    parameter int SLICES = 8,
    parameter int TX_DEPTH = 16,
    parameter int RX_DEPTH = 32,
    parameter int CLOCK_NS = 2
) (
    input  logic        clk, rst,
    output logic [63:0] now,
    output logic [31:0] slices, tx_depth, rx_depth, clock_ns, // the parameters
    input  logic        tx_valid, rx_valid, fw_valid,
    input  logic [2:0]  tx_kind, rx_kind,
    input  flow_t       tx_flow, rx_flow, fw_flow,
    input  logic [31:0] tx_seq, tx_bytes, rx_seq, fw_seq,
    input  logic [63:0] rx_t1, rx_t2, rx_t3, rx_t4,
    output logic        tx_ready, rx_ready, fw_ready,
    input  logic [7:0]  th1[KINDS],
    input  logic [7:0]  th2[KINDS],
    input  class_t      classes[KINDS],
    input  logic        class_write,
    input  logic [2:0]  class_kind, class_value,
    input  logic        seize, unseize,
    input  flow_t       seize_flow,
    input  logic [7:0]  seized_slice,
    output logic        seize_ready, unseize_ready,
    output logic [7:0]  seize_slice,
    input  logic        start_ready,
    output logic        start,
    output logic [7:0]  start_processor,
    output flow_t       start_flow,
    output class_t      start_class,
    output logic [47:0] start_bytes,
    output logic [63:0] start_t1, start_t4,
    input  logic        done_valid, done_has_rate, done_rtt_request,
    input  logic [7:0]  done_processor,
    input  logic [63:0] done_rate_bps, done_digest,
    output logic        done_ready,
    output flow_t       done_flow,
    output logic        rate_valid, rate_rtt_request,
    output flow_t       rate_flow,
    output logic [63:0] rate_bps,
    input  logic        rate_take,
    output logic        idle
);
    localparam int W = $clog2(SLICES);
    bug_e bug;
    int number;
    initial bug = $value$plusargs("bug=%d", number) != 0 ? bug_e'(number) : BUG_NONE;

    entry_t entry;
    rate_t rate;
    event_t tx_event, rx_event, fw_event;
    logic [W-1:0] got, started;
    assign {slices, tx_depth, rx_depth, clock_ns} = {SLICES, TX_DEPTH, RX_DEPTH, CLOCK_NS};
    always_comb begin
        {tx_event, rx_event, fw_event} = '0; // the pipeline stamps their times
        tx_event.kind = kind_e'(tx_kind);
        tx_event.flow = tx_flow;
        tx_event.seq = tx_seq;
        tx_event.bytes = tx_bytes;
        rx_event.kind = kind_e'(rx_kind);
        rx_event.flow = rx_flow;
        rx_event.seq = rx_seq;
        {rx_event.t1, rx_event.t2, rx_event.t3, rx_event.t4} = {rx_t1, rx_t2, rx_t3, rx_t4};
        fw_event.kind = KIND_FW;
        fw_event.flow = fw_flow;
        fw_event.seq = fw_seq;
    end
    assign start_bytes = entry.bytes;
    assign start_t1 = entry.t1;
    assign start_t4 = entry.t4;
    assign seize_slice = 8'(got);
    assign start_processor = 8'(started);
    assign {rate_flow, rate_bps, rate_rtt_request} = rate;

    ep_pipeline #(.SLICES(SLICES), .TX_DEPTH(TX_DEPTH), .RX_DEPTH(RX_DEPTH), .CLOCK_NS(CLOCK_NS)) dut (
        .clk, .rst, .bug, .now, .tx_valid, .rx_valid, .fw_valid, .tx_event, .rx_event, .fw_event,
        .tx_ready, .rx_ready, .fw_ready, .th1, .th2, .classes, .class_write,
        .class_kind(kind_e'(class_kind)), .class_value, .fw_take(seize), .fw_release(unseize),
        .fw_flow(seize_flow), .fw_taken(seize_ready), .fw_released(unseize_ready),
        .fw_slice(got), .fw_held(W'(seized_slice)), .start_ready, .start, .start_slice(started),
        .start_flow, .start_class, .start_entry(entry), .done_valid,
        .done_processor(W'(done_processor)), .done_has_rate, .done_rtt_request, .done_rate_bps,
        .done_digest, .done_ready, .done_flow, .rate_valid, .rate, .rate_take, .idle);
    bind ep_pipeline ep_monitor #(.SLICES(SLICES)) monitor (.*);
endmodule
