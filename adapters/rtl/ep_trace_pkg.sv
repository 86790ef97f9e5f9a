// SPDX-License-Identifier: Apache-2.0
// ep_trace_pkg.sv - the lines of an event trace, through DPI (trace.c). A testbench of your own calls
// these functions; docs/rtl.md says at which points. All times are in ns.
package ep_trace_pkg;
    import "DPI-C" function void ep_line(input string point, input string act, input longint at_ns);
    import "DPI-C" function void ep_word(input string member, input string word);
    import "DPI-C" function void ep_number(input string member, input longint value);
    import "DPI-C" function void ep_flag(input string member, input bit value);
    import "DPI-C" function void ep_end();
    import ep_pkg::*;

    function automatic string kind_word(kind_e kind);
        case (kind)
            KIND_TX: return "TX";
            KIND_CNP: return "CNP";
            KIND_NACK: return "NACK";
            KIND_ACK: return "ACK";
            KIND_RTT: return "RTT";
            KIND_RTT_SENT: return "RTT_SENT";
            default: return "FW";
        endcase
    endfunction

    function automatic string state_word(state_e state);
        case (state)
            IDLE: return "idle";
            ARB: return "arb";
            BUSY: return "busy";
            MORE_A: return "more_a";
            OVERRIDE: return "override";
            default: return "more_b";
        endcase
    endfunction

    function automatic string cause_word(cause_e cause);
        case (cause)
            BY_GRANT: return "grant";
            BY_EVENT: return "event";
            BY_DONE: return "done";
            BY_FW: return "fw";
            default: return "fw_release";
        endcase
    endfunction

    // The members of one event.
    function automatic void put_event(event_t e);
        /*verilator no_inline_task*/
        ep_number("flow", 64'(e.flow));
        ep_word("kind", kind_word(e.kind));
        ep_number("seq", 64'(e.seq));
        ep_number("bytes", 64'(e.bytes));
        put_times(e.t1, e.t2, e.t3, e.t4);
    endfunction

    function automatic void put_times(logic [63:0] t1, t2, t3, t4);
        /*verilator no_inline_task*/
        ep_number("t1_ns", t1);
        ep_number("t2_ns", t2);
        ep_number("t3_ns", t3);
        ep_number("t4_ns", t4);
    endfunction

    function automatic void trace_source(longint at, event_t e);
        /*verilator no_inline_task*/
        ep_line("source", "", at);
        put_event(e);
        ep_end();
    endfunction

    // act: "in", "out", or "drop" of WRED; occupancy before it.
    function automatic void trace_queue(longint at, string act, string which, event_t e, int occupancy);
        /*verilator no_inline_task*/
        ep_line(act == "drop" ? "wred" : "fifo", act, at);
        ep_word("queue", which);
        ep_number("occupancy", 64'(occupancy));
        put_event(e);
        ep_end();
    endfunction

    function automatic void trace_table(longint at, kind_e kind, class_t value);
        /*verilator no_inline_task*/
        ep_line("table", "write", at);
        ep_word("kind", kind_word(kind));
        ep_number("class", 64'(value));
        ep_end();
    endfunction

    // act: "hit", "miss", "write" (the flow gets the slice), "release".
    function automatic void trace_map(longint at, string act, flow_t flow, int slice);
        /*verilator no_inline_task*/
        ep_line("map", act, at);
        ep_number("flow", 64'(flow));
        if (act != "miss") ep_number("slice", 64'(slice));
        ep_end();
    endfunction

    function automatic void trace_slice(longint at, int slice, flow_t flow, state_e from, state_e to,
                                        cause_e cause);
        /*verilator no_inline_task*/
        ep_line("slice", "move", at);
        ep_number("slice", 64'(slice));
        ep_number("flow", 64'(flow));
        ep_word("from", state_word(from));
        ep_word("to", state_word(to));
        ep_word("cause", cause_word(cause));
        ep_end();
    endfunction

    function automatic void trace_merge(longint at, int slice, class_t klass, event_t e);
        /*verilator no_inline_task*/
        ep_line("merge", "", at);
        ep_number("slice", 64'(slice));
        ep_number("class", 64'(klass));
        put_event(e);
        ep_end();
    endfunction

    // A processor starts with the entry of one class.
    function automatic void trace_start(longint at, int processor, flow_t flow, class_t klass, entry_t e);
        /*verilator no_inline_task*/
        ep_line("ccp", "start", at);
        ep_number("processor", 64'(processor));
        ep_number("slice", 64'(processor));
        ep_number("flow", 64'(flow));
        ep_number("class", 64'(klass));
        ep_number("seq", 64'(e.first_seq));
        ep_number("last_seq", 64'(e.last_seq));
        ep_number("bytes", 64'(e.bytes));
        ep_number("count", 64'(e.count));
        ep_number("first_ns", e.first_at);
        ep_number("last_ns", e.last_at);
        put_times(e.t1, e.t2, e.t3, e.t4);
        ep_end();
    endfunction

    function automatic void trace_end(longint at, int processor, flow_t flow, class_t klass);
        /*verilator no_inline_task*/
        ep_line("ccp", "end", at);
        ep_number("processor", 64'(processor));
        ep_number("slice", 64'(processor));
        ep_number("flow", 64'(flow));
        ep_number("class", 64'(klass));
        ep_end();
    endfunction

    function automatic void trace_context_write(longint at, int processor, flow_t flow, longint digest);
        /*verilator no_inline_task*/
        ep_line("context", "write", at);
        ep_number("processor", 64'(processor));
        ep_number("flow", 64'(flow));
        ep_number("digest", digest);
        ep_end();
    endfunction

    function automatic void trace_rate(longint at, int processor, rate_t r);
        /*verilator no_inline_task*/
        ep_line("rate", "", at);
        ep_number("processor", 64'(processor));
        ep_number("flow", 64'(r.flow));
        ep_number("rate_bps", r.rate_bps);
        ep_flag("rtt_request", r.rtt_request);
        ep_end();
    endfunction
endpackage
