// SPDX-License-Identifier: Apache-2.0
// ep_merge.sv - the merging unit and its array of entries, one for each slice and class [0049-0050,
// 0154-0156]. In a cycle an event is merged into one entry, and a processor takes one.
module ep_merge
    import ep_pkg::*;
#(
    parameter int SLICES = 8,
    parameter int W = $clog2(SLICES)
) (
    input  logic               clk, rst,
    input  bug_e               bug,
    input  logic               put,
    input  logic [W-1:0]       put_slice,
    input  class_t             put_class,
    input  event_t             put_event,
    input  logic               take,
    input  logic [W-1:0]       take_slice,
    input  class_t             take_class,
    output entry_t             take_entry,
    input  logic               released, // firmware gives the slice back
    input  logic [W-1:0]       released_slice,
    output logic [CLASSES-1:0] filled[SLICES]
);
    entry_t store[SLICES * CLASSES];
    entry_t merged;
    logic adds;

    function automatic int place(logic [W-1:0] slice, class_t which);
        return int'(slice) * CLASSES + int'(which);
    endfunction

    assign take_entry = store[place(take_slice, take_class)];
    // What a processor takes in this cycle is gone: the event begins a new entry.
    assign adds = filled[put_slice][put_class] &&
        !(take && take_slice == put_slice && take_class == put_class);
    always_comb begin
        merged = store[place(put_slice, put_class)];
        if (!adds) begin
            merged = '0;
            merged.first_seq = put_event.seq;
            merged.first_at = put_event.at;
        end
        // Bug: the first sequence number follows the last.
        if (bug == BUG_LAST_SEQ_ONLY) merged.first_seq = put_event.seq;
        merged.last_seq = put_event.seq;
        merged.last_at = put_event.at;
        merged.bytes += 48'(put_event.bytes);
        merged.count += 1;
        if (put_event.kind == KIND_RTT) begin
            merged.t1 = put_event.t1;
            merged.t2 = put_event.t2;
            merged.t3 = put_event.t3;
            merged.t4 = put_event.t4;
        end
    end

    always_ff @(posedge clk) begin
        if (take) filled[take_slice][take_class] <= 1'b0;
        if (put) begin
            store[place(put_slice, put_class)] <= merged;
            filled[put_slice][put_class] <= 1'b1;
        end
        // Bug: the release clears what was merged while firmware had the slice.
        if (bug == BUG_OVERRIDE_DROPS_MERGE && released) filled[released_slice] <= '0;
        if (rst) for (int s = 0; s < SLICES; s++) filled[s] <= '0;
    end
endmodule
