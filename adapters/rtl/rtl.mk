# The event pipeline in SystemVerilog with its testbench (docs/rtl.md), a part of the Makefile. Verilator makes
# C++ of the RTL in $(BUILD)/rtl and compiles it; nothing else of Talon needs it. It judges by libtalon (--judge).
#
# From outside: SLICES=8 TX_DEPTH=16 RX_DEPTH=32 CLOCK_NS=2, the parameters of ep_top.sv.

RTL      := adapters/rtl
RTL_SV   := $(addprefix $(RTL)/,ep_pkg.sv ep_trace_pkg.sv ep_fifo.sv ep_map.sv ep_slice.sv ep_merge.sv ep_pipeline.sv ep_monitor.sv ep_top.sv)
RTL_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(RTL)/*.c))
RTL_PARAMETERS := SLICES TX_DEPTH RX_DEPTH CLOCK_NS
RTL_GIVEN := $(foreach p,$(RTL_PARAMETERS),$(if $($(p)),-G$(p)=$($(p))))

RTL_SANE := $(if $(SANITIZE),-fsanitize=$(SANITIZE))

# Most of the cost is g++'s. The model is fast enough by -O1, and Verilator's own library need not be fast.
RTL_MAKE := VM_PARALLEL_BUILDS=0 OPT= OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O0 $(if $(findstring clang,$(CC)),CXX=clang++ LINK=clang++,CXX=g++ LINK=g++)

# Signals that only the monitor reads, and upper bits of loop counters, are no mistakes.
$(BUILD)/ep_rtl: $(RTL_SV) $(RTL)/sim.cpp $(RTL)/bench.h $(RTL)/judge.h $(RTL)/trace.h $(RTL_OBJS) $(BUILD)/lib/libtalon.a
	@command -v verilator >/dev/null || { echo "talon: verilator is not installed: apt-get install verilator" >&2; exit 1; }
	@$(call say,rtl )
	$(Q)verilator --cc --exe --build -Wall -Wno-UNUSEDSIGNAL -O3 --x-assign fast --x-initial fast --noassert \
	    --top-module ep_top --Mdir $(BUILD)/rtl -o $(abspath $@) $(RTL_GIVEN) \
	    -MAKEFLAGS "$(RTL_MAKE)" \
	    -CFLAGS "-std=c++17 $(RTL_SANE) -I$(CURDIR)" -LDFLAGS "-Wl,--no-as-needed $(LIBTALON_NEEDS) $(RTL_SANE)" \
	    $(RTL_SV) $(abspath $(RTL)/sim.cpp $(RTL_OBJS) $(BUILD)/lib/libtalon.a) >$(BUILD)/rtl.log 2>&1 || { cat $(BUILD)/rtl.log >&2; exit 1; }
.PHONY: rtl
rtl: $(BUILD)/ep_rtl ## build the RTL of the event pipeline with its testbench: build/ep_rtl (needs verilator)
