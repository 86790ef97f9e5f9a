// SPDX-License-Identifier: Apache-2.0
// sim.cpp - runs the Verilated model of ep_top.sv: the clock, and the ports as structs of
// bench.h.
#include "Vep_top.h"
#include "bench.h"
#include "judge.h"
#include "trace.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace
{
constexpr uint64_t drain_cycles = 20000; // after the last event came, until all have ended

void to_ports(Vep_top &top, const ep_in &in)
{
    top.tx_valid = in.tx_valid;
    top.tx_kind = in.tx.kind;
    top.tx_flow = static_cast<uint16_t>(in.tx.flow);
    top.tx_seq = static_cast<uint32_t>(in.tx.seq);
    top.tx_bytes = static_cast<uint32_t>(in.tx.bytes);
    top.rx_valid = in.rx_valid;
    top.rx_kind = in.rx.kind;
    top.rx_flow = static_cast<uint16_t>(in.rx.flow);
    top.rx_seq = static_cast<uint32_t>(in.rx.seq);
    top.rx_t1 = in.rx.t1_ns;
    top.rx_t2 = in.rx.t2_ns;
    top.rx_t3 = in.rx.t3_ns;
    top.rx_t4 = in.rx.t4_ns;
    top.fw_valid = in.fw_valid;
    top.fw_flow = static_cast<uint16_t>(in.fw.flow);
    top.fw_seq = static_cast<uint32_t>(in.fw.seq);
    top.class_write = in.class_write;
    top.class_kind = in.class_kind;
    top.class_value = static_cast<uint8_t>(in.class_value);
    top.seize = in.seize;
    top.seize_flow = static_cast<uint16_t>(in.seize_flow);
    top.unseize = in.unseize;
    top.seized_slice = static_cast<uint8_t>(in.seized_slice);
    top.start_ready = in.start_ready;
    top.done_valid = in.done_valid;
    top.done_processor = static_cast<uint8_t>(in.done_processor);
    top.done_has_rate = in.done_has_rate;
    top.done_rtt_request = in.done_rtt_request;
    top.done_rate_bps = in.done_rate_bps;
    top.done_digest = in.done_digest;
    top.rate_take = in.rate_take;
}

void from_ports(const Vep_top &top, ep_out &out)
{
    out.now_ns = top.now;
    out.tx_ready = top.tx_ready;
    out.rx_ready = top.rx_ready;
    out.fw_ready = top.fw_ready;
    out.seize_ready = top.seize_ready;
    out.seize_slice = top.seize_slice;
    out.unseize_ready = top.unseize_ready;
    out.start = top.start;
    out.start_processor = top.start_processor;
    out.start_flow = top.start_flow;
    out.start_class = top.start_class;
    out.start_bytes = top.start_bytes;
    out.start_t1_ns = top.start_t1;
    out.start_t4_ns = top.start_t4;
    out.done_ready = top.done_ready;
    out.done_flow = top.done_flow;
    out.rate_valid = top.rate_valid;
    out.rate_flow = top.rate_flow;
    out.rate_bps = top.rate_bps;
    out.rate_rtt_request = top.rate_rtt_request;
    out.idle = top.idle;
}

void edge(Vep_top &top)
{
    top.clk = 1;
    top.eval();
    top.clk = 0;
}

// The values at reset, and a reset of some cycles.
void reset(Vep_top &top, const fal_ep_setup &setup)
{
    for (int k = 0; k < FAL_EP_KINDS; k++) {
        top.th1[k] = static_cast<uint8_t>(setup.th1[k]);
        top.th2[k] = static_cast<uint8_t>(setup.th2[k]);
        top.classes[k] = static_cast<uint8_t>(setup.classes[k]);
    }
    top.rst = 1;
    top.clk = 0;
    for (int i = 0; i < 4; i++) {
        top.eval();
        edge(top);
    }
    top.rst = 0;
    top.eval();
}

// After `cycles` nothing new begins. The setup says that the trace ends at rest, so the play goes
// on until no event waits for its queue and all have ended. Returns false if something was left in
// the pipeline `drain_cycles` after the last event came, or if the judge (may be null) has found a
// violation.
bool play(Vep_top &top, ep_bench *bench, uint64_t cycles, const ep_judge *judge)
{
    ep_in in;
    ep_out out = {};
    uint64_t left = drain_cycles;

    for (uint64_t i = 0; i < cycles || left > 0; i++) {
        ep_bench_inputs(bench, top.now, i >= cycles, &in);
        to_ports(top, in);
        top.eval();
        from_ports(top, out);
        edge(top);
        if (judge != nullptr && ep_judge_failed(judge))
            return false;
        ep_bench_outputs(bench, &in, &out);
        const bool comes = (in.tx_valid && out.tx_ready) || (in.rx_valid && out.rx_ready) ||
                           (in.fw_valid && out.fw_ready);
        left = i < cycles || comes ? drain_cycles : left - 1;
        // What the queues took at this edge is not in `idle` yet.
        if (i >= cycles && out.idle && !in.tx_valid && !in.rx_valid && !in.fw_valid &&
            !ep_bench_waits(bench))
            return true;
    }
    return false;
}

int fails(const char *what, const char *path)
{
    std::fprintf(stderr, "ep_rtl: cannot %s %s: %s\n", what, path, std::strerror(errno));
    return 2;
}

int run(Vep_top &top, const ep_options &options)
{
    const ep_rtl rtl = {top.slices, top.tx_depth, top.rx_depth, top.clock_ns};
    fal_ep_setup setup;

    if (rtl.slices > EP_SLICES_MAX ||
        (options.contexts != 0 && options.contexts <= rtl.slices)) {
        std::fprintf(
            stderr,
            "ep_rtl: --contexts %u: expected more than the %u processors (at most %d)\n",
            options.contexts, rtl.slices, EP_SLICES_MAX);
        return 2;
    }
    ep_setup_default(&setup, &rtl, &options);
    if (options.setup != nullptr && ep_setup_write(&setup, &rtl, options.setup) != 0)
        return fails("write", options.setup);
    if (options.trace != nullptr && ep_trace_open(options.trace) != 0)
        return fails("open", options.trace);
    std::unique_ptr<ep_bench, void (*)(ep_bench *)> bench(ep_bench_new(&setup, &options),
                                                          ep_bench_free);
    if (bench == nullptr)
        return fails("begin", "the simulation");
    std::unique_ptr<ep_judge, void (*)(ep_judge *)> judge(
        options.judge ? ep_judge_new(options.setup) : nullptr, ep_judge_free);
    if (options.judge && judge == nullptr)
        return 2;
    reset(top, setup);
    const bool rest = play(top, bench.get(), options.cycles, judge.get());
    const unsigned long long lines = ep_trace_lines();
    if (ep_trace_close() != 0)
        return fails("write", options.trace);
    std::fprintf(stderr, "ep_rtl: %llu cycles, %llu lines, bug %s (seed %llu)%s\n",
                 static_cast<unsigned long long>(options.cycles), lines, options.bug,
                 static_cast<unsigned long long>(options.seed), rest ? "" : ", not at rest");
    return judge != nullptr ? ep_judge_report(judge.get(), rest) : 0;
}
} // namespace

int main(int argc, char **argv)
{
    ep_options options;
    int status;

    if (!ep_options_read(argc, argv, &options, &status))
        return status;
    const std::string bug = "+bug=" + std::to_string(ep_bug_number(options.bug));
    const char *args[] = {argv[0], bug.c_str()};
    const auto context = std::make_unique<VerilatedContext>();
    context->commandArgs(2, args);
    const auto top = std::make_unique<Vep_top>(context.get());
    top->eval();
    const int result = run(*top, options);
    top->final();
    return result;
}
