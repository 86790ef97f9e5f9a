// SPDX-License-Identifier: Apache-2.0
// ep_fifo.sv - a FIFO of events behind a WRED with thresholds for each kind [0128, 0134-0140].
// The probability of a drop is 0 up to TH1, rises linearly, and is 1 from TH2. TH2 = 0: the kind is
// never dropped, and waits while the FIFO is full.
module ep_fifo
    import ep_pkg::*;
#(
    parameter int DEPTH = 16
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        in_valid,
    input  event_t      in_event,
    output logic        in_ready,   // taken: put in, or dropped
    output logic        in_drop,
    input  logic [15:0] random,
    input  logic [7:0]  th1[KINDS],
    input  logic [7:0]  th2[KINDS],
    output logic [7:0]  occupancy,
    output logic        out_valid,
    output event_t      out_event,
    input  logic        out_take
);
    localparam int W = $clog2(DEPTH);
    event_t store[DEPTH];
    logic [W-1:0] head, tail;
    logic [7:0] low, high, span, over;
    logic put;

    assign low = th1[in_event.kind];
    assign high = th2[in_event.kind];
    assign span = high - low;
    assign over = occupancy - low;
    assign in_drop = in_valid && high != 0 &&
        (occupancy >= high ||
         (occupancy > low && 24'(random) * 24'(span) < {over, 16'b0}));
    assign in_ready = in_drop || occupancy < 8'(DEPTH);
    assign put = in_valid && in_ready && !in_drop;
    assign out_valid = occupancy != 0;
    assign out_event = store[head];

    always_ff @(posedge clk) begin
        if (put) begin
            store[tail] <= in_event;
            tail <= tail == W'(DEPTH - 1) ? '0 : tail + 1'b1;
        end
        if (out_take) head <= head == W'(DEPTH - 1) ? '0 : head + 1'b1;
        occupancy <= occupancy + 8'(put) - 8'(out_take);
        if (rst) begin
            head <= '0;
            tail <= '0;
            occupancy <= '0;
        end
    end
endmodule
