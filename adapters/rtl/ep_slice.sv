// SPDX-License-Identifier: Apache-2.0
// ep_slice.sv - the state machine of one event slice [0146-0151]. Several causes of one cycle act in
// the order of cause_e; path[c] is the state before the cause c, path[CAUSES] the next one.
module ep_slice
    import ep_pkg::*;
(
    input  logic   clk, rst,
    input  bug_e   bug,
    input  logic   grant, evt, done, fw_take, fw_release,
    output state_e state,
    output state_e path[CAUSES + 1],
    output logic   fw_may // firmware may take the slice now
);
    state_e after_grant, after_event, after_done, after_fw;

    always_comb begin
        after_grant = grant ? NEXT[BY_GRANT][state] : state;
        after_event = evt ? NEXT[BY_EVENT][after_grant] : after_grant;
        // Bug: `done` hides the event of the same cycle. It is merged, but does not wake the slice.
        if (bug == BUG_LOST_WAKEUP && done && after_grant == BUSY) after_event = BUSY;
        after_done = done ? NEXT[BY_DONE][after_event] : after_event;
        fw_may = after_done == IDLE || after_done == BUSY;
    end
    assign after_fw = fw_take ? NEXT[BY_FW][after_done] : after_done;
    assign path[0] = state;
    assign path[1] = after_grant;
    assign path[2] = after_event;
    assign path[3] = after_done;
    assign path[4] = after_fw;
    assign path[5] = fw_release ? NEXT[BY_FW_RELEASE][after_fw] : after_fw;

    always_ff @(posedge clk) state <= rst ? IDLE : path[5];
endmodule
