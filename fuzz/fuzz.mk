# Fuzzing (docs/fuzzing.md), a part of the Makefile.

# The targets are the files fuzz/targets/fuzz_NAME.c; tests/fuzz/fuzz_corpus.sh compares
# them with the rows of fuzz/targets/targets.h.
FUZZ_TARGETS  := $(patsubst fuzz/targets/fuzz_%.c,%,$(wildcard fuzz/targets/fuzz_*.c))
FUZZ_SHARED   := $(wildcard fuzz/targets/endpoint_*.c fuzz/targets/control_*.c fuzz/targets/timeline_*.c fuzz/mutate/mutate*.c)
FUZZ_SHARED   := $(filter-out %_test.c,$(FUZZ_SHARED))
FUZZ_PROGRAMS := $(BUILD)/fuzz/seeds/make_corpus $(BUILD)/fuzz/replay
FUZZ_CC       ?= $(if $(shell command -v afl-clang-fast),afl-clang-fast,clang)
FUZZ_BUILD    := $(BUILD)/with-$(notdir $(FUZZ_CC))
TIME          ?= 30

$(BUILD)/libfuzz.a: $(FUZZ_TARGETS:%=$(BUILD)/fuzz/targets/fuzz_%.o) $(FUZZ_SHARED:%.c=$(BUILD)/%.o)
	@rm -f $@
	@$(call say,ar  )
	$(Q)ar rcs $@ $^

$(BUILD)/fuzz/replay: $(BUILD)/fuzz/replay.o $(BUILD)/fuzz/targets/entry.o $(BUILD)/libfuzz.a $(LIB_harness)
$(BUILD)/fuzz/seeds/make_corpus: $(patsubst %.c,$(BUILD)/%.o,fuzz/seeds/make_corpus.c $(wildcard fuzz/seeds/seeds*.c)) $(LIB_harness)
$(FUZZ_PROGRAMS):
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/fuzz/entry_%.o: fuzz/targets/entry.c | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,cc  )
	$(Q)$(CC) $(ALL_CFLAGS) -DFUZZ_TARGET=$* -MMD -MP -c -o $@ $<
# For AFL++ with a main of ours, in a build by afl-clang-fast; for libFuzzer with its own.
$(BUILD)/fuzz/afl_%: $(BUILD)/fuzz/entry_%.o $(BUILD)/fuzz/targets/afl.o $(BUILD)/libfuzz.a $(LIB_harness)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/fuzz/mutator_libfuzzer_%.o: fuzz/mutate/mutator_libfuzzer.c | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,cc  )
	$(Q)$(CC) $(ALL_CFLAGS) -DFUZZ_TARGET=$* -MMD -MP -c -o $@ $<
$(BUILD)/fuzz/libfuzzer_%: $(BUILD)/fuzz/entry_%.o $(BUILD)/fuzz/mutator_libfuzzer_%.o $(BUILD)/libfuzz.a $(LIB_harness)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

# The mutator as a library that afl-fuzz loads: of codecs and fuzz alone, in code that may lie anywhere.
$(BUILD)/fuzz/mutator.so: $(patsubst %.c,$(BUILD)/pic/%.o,$(filter-out %_test.c,$(wildcard fuzz/mutate/mutate*.c)) fuzz/mutate/mutator_afl.c $(call sources,codecs))
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -shared -o $@ $^ -ljansson -lcrypto
$(BUILD)/pic/%.o: %.c | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,cc  )
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=default -MMD -MP -c -o $@ $<

# Of the fuzz targets alone, BENCH_SECONDS each, beside the empty one.
BENCH_SECONDS ?= 10
.PHONY: fuzz-bench
fuzz-bench: fuzz-tools
	@$(MAKE) --no-print-directory FAST=1 FUZZ_CC=afl-clang-fast fuzz-build
	@BUILD=$(BUILD) fuzz/bench $(BUILD)/with-afl-clang-fast-fast/fuzz/afl_ $(BENCH_SECONDS)


# AFL++'s compiler marks all code by itself; clang's own fuzzer wants to be told. FAST=1: without sanitizers.
TARGET      ?= frame
JOBS_FUZZ   ?= $(shell nproc)
FUZZ_PREFIX := $(if $(findstring afl,$(notdir $(FUZZ_CC))),afl_,libfuzzer_)
FUZZ_DIR    := $(FUZZ_BUILD)$(if $(FAST),-fast)
define fuzz_build
	@AFL_QUIET=1 $(MAKE) --no-print-directory BUILD=$(FUZZ_DIR) CC=$(FUZZ_CC) OPT="-O$(if $(FAST),2,1) -g" \
	    SANITIZE=$(if $(FAST),,address$(comma)undefined)$(if $(findstring afl,$(FUZZ_CC)),,$(if $(FAST),,$(comma))fuzzer-no-link) \
	    $(patsubst %,$(FUZZ_DIR)/fuzz/$(FUZZ_PREFIX)%,$(1))
endef
.PHONY: fuzz-tools fuzz fuzz-smoke fuzz-long fuzz-corpus
fuzz-tools: $(FUZZ_PROGRAMS) $(BUILD)/fuzz/mutator.so $(BUILD)/libcodecs.a
fuzz: fuzz-tools ## fuzz one TARGET (frame; build/fuzz/replay --list) for TIME seconds (30), under sanitizers
	$(call fuzz_build,$(TARGET))
	@BUILD=$(BUILD) fuzz/run $(TARGET) $(FUZZ_DIR)/fuzz/$(FUZZ_PREFIX)$(TARGET) $(TIME)
fuzz-smoke: fuzz-tools ## fuzz every target for TIME seconds (30), as many side by side as there are processors
	$(call fuzz_build,$(FUZZ_TARGETS))
	@BUILD=$(BUILD) fuzz/smoke $(FUZZ_DIR)/fuzz/$(FUZZ_PREFIX) $(TIME) $(JOBS_FUZZ)
fuzz-long: fuzz-tools ## fuzz every target for TIME seconds (1200); goes on where it was broken off; build/fuzz/long/log
	$(call fuzz_build,$(FUZZ_TARGETS))
	@BUILD=$(BUILD) fuzz/long $(FUZZ_DIR)/fuzz/$(FUZZ_PREFIX) $(if $(filter file,$(origin TIME)),1200,$(TIME)) $(JOBS_FUZZ)
fuzz-corpus: FAST := 1
fuzz-corpus: fuzz-tools $(BUILD)/talon ## make the kept corpora and dictionaries anew (fuzz/corpus), by afl-cmin
	@$(MAKE) --no-print-directory FAST=1 fuzz-build
	@rm -rf $(BUILD)/fuzz/evidence
	@$(BUILD)/talon run scenarios --sut builtin --keep all --out $(BUILD)/fuzz/evidence >$(BUILD)/fuzz/evidence.log
	@for target in $(filter-out empty,$(FUZZ_TARGETS)); do \
	    BUILD=$(BUILD) fuzz/minimise $$target $(FUZZ_BUILD)-fast/fuzz/afl_$$target $(BUILD)/fuzz/evidence || exit 1; done
.PHONY: fuzz-build
fuzz-build:
	$(call fuzz_build,$(FUZZ_TARGETS))
