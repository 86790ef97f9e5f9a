// SPDX-License-Identifier: Apache-2.0
// ep_map.sv - the flow map, a CAM with one entry for each slice [0045, 0143-0144]. An event and
// firmware each search for a flow; a slice that no flow has is chosen at random among those.
module ep_map
    import ep_pkg::*;
#(
    parameter int SLICES = 8,
    parameter int W = $clog2(SLICES)
) (
    input  logic              clk,
    input  logic              rst,
    input  bug_e              bug,
    input  logic [15:0]       random,
    input  flow_t             event_flow,
    output logic              event_hit,
    output logic [W-1:0]      event_slice,
    input  flow_t             fw_flow,
    output logic              fw_hit,
    output logic [W-1:0]      fw_slice,
    output logic              any_free,
    output logic [W-1:0]      free_slice,
    input  logic              write,
    input  logic [W-1:0]      write_slice,
    input  flow_t             write_flow,
    input  logic [SLICES-1:0] give_back,
    output flow_t             flow_of[SLICES]
);
    logic [SLICES-1:0] used;
    logic [SLICES-1:0] fresh; // written in the cycle before

    function automatic logic same(flow_t a, flow_t b);
        // Bug: the comparator is too narrow, so that flows share a slice and its entries.
        if (bug == BUG_MERGE_ACROSS_FLOWS) return a[3:0] == b[3:0];
        return a == b;
    endfunction

    always_comb begin
        event_hit = 1'b0;
        event_slice = '0;
        fw_hit = 1'b0;
        fw_slice = '0;
        any_free = 1'b0;
        free_slice = '0;
        for (int s = SLICES - 1; s >= 0; s--) begin
            // Bug: the search does not see what the cycle before has written.
            if (used[s] && same(flow_of[s], event_flow) && !(bug == BUG_STALE_MAP && fresh[s])) begin
                event_hit = 1'b1;
                event_slice = W'(s);
            end
            if (used[s] && flow_of[s] == fw_flow) begin
                fw_hit = 1'b1;
                fw_slice = W'(s);
            end
        end
        for (int i = SLICES - 1; i >= 0; i--) begin
            automatic int s = (i + int'(random)) % SLICES;
            if (!used[s]) begin
                any_free = 1'b1;
                free_slice = W'(s);
            end
        end
    end

    always_ff @(posedge clk) begin
        fresh <= '0;
        used <= used & ~give_back;
        if (write) begin
            used[write_slice] <= 1'b1;
            fresh[write_slice] <= 1'b1;
            flow_of[write_slice] <= write_flow;
        end
        if (rst) used <= '0;
    end
endmodule
