# Talon: conformance tester for the Falcon transport. `make help` lists the targets.
#
# Sources are found by wildcard: a new file, test or scenario needs no entry here.
# From outside: BUILD=dir, CC=clang, OPT="-O1 -g", SANITIZE=address,undefined, PREFIX=/usr/local, DESTDIR=.

BUILD    ?= build
OPT      ?= -O2 -g
SANITIZE ?=
PREFIX   ?= /usr/local
ifeq ($(origin CC),default)
CC := gcc
endif

comma := ,
# One short line a file; the whole commands with V=1.
Q   := $(if $(V),,@)
say  = $(if $(V),:,echo "$(1) $@")

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wvla -Wformat=2 -Wundef -Wswitch-enum -Wpointer-arith -Wwrite-strings -Werror
LIBS_NEEDED := jansson libpcap libcrypto
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -I. $(OPT) $(WARN) -ffp-contract=off $(CFLAGS)
LDLIBS     = -ldl -ljansson -lnet -lpcap -lcrypto -lpthread -lm
ifneq ($(SANITIZE),)
ALL_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS    += -fsanitize=$(SANITIZE)
endif

# A folder may use itself and those before it (docs/architecture.md; `make layers`).
FOLDERS := codecs oracles reports harness
sources  = $(filter-out %_test.c %_gen.c harness/talon.c,$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))
objects  = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))

LIB_codecs  := $(BUILD)/libcodecs.a
LIB_oracles := $(BUILD)/liboracles.a $(LIB_codecs)
LIB_reports := $(BUILD)/libreports.a $(LIB_oracles)
LIB_harness := $(BUILD)/libharness.a $(LIB_reports)
LIB_fuzz    := $(BUILD)/libfuzz.a $(BUILD)/libhunt.a $(LIB_harness)
LIB_tests   := $(BUILD)/libtests.a $(LIB_harness)

TEST_SOURCES := $(wildcard $(addsuffix /*_test.c,$(FOLDERS) fuzz tests) $(addsuffix /*/*_test.c,$(FOLDERS)) $(addsuffix /*/*/*_test.c,$(FOLDERS)))
TESTS        := $(patsubst %.c,$(BUILD)/%,$(TEST_SOURCES))

.PHONY: all
all: $(BUILD)/talon ## build the program: build/talon

# What the build needs; installed once, where that is allowed.
$(BUILD)/.deps-%:
	@.ci/install-deps $*
	@mkdir -p $(BUILD) && touch $@

DEPS := $(BUILD)/.deps-build

# The stateful fuzzer, of `talon fuzz` and `talon shrink`.
LIB_hunt := $(BUILD)/libhunt.a $(LIB_harness)
$(BUILD)/libhunt.a: $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_test.c,$(wildcard fuzz/hunt*.c fuzz/cmd_*.c)))
	@rm -f $@
	@$(call say,ar  )
	$(Q)ar rcs $@ $^

$(BUILD)/talon: $(BUILD)/harness/talon.o $(LIB_hunt)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,cc  )
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

define archive
$(BUILD)/lib$(1).a: $(call objects,$(1)) $(2)
	@rm -f $$@
	@$$(call say,ar  )
	$$(Q)ar rcs $$@ $$^
endef
$(eval $(call archive,codecs))
$(eval $(call archive,oracles,$(BUILD)/oracles/catalogue/data.o))
$(eval $(call archive,reports))
$(eval $(call archive,harness))

# Files that become part of the program: a text as `const char NAME[]` in the library of a folder.
$(BUILD)/embed_gen: $(BUILD)/codecs/embed_gen.o
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
# $(call embed,library,file,name of the array)
define embed
$(BUILD)/lib$(1).a: $(BUILD)/$(2).o
$(BUILD)/$(2).c: $(2) $(BUILD)/embed_gen
	@mkdir -p $$(@D)
	$$(Q)$(BUILD)/embed_gen $(3) $(2) >$$@.tmp && mv $$@.tmp $$@
$(BUILD)/$(2).o: $(BUILD)/$(2).c
	@$$(call say,cc  )
	$$(Q)$$(CC) $$(ALL_CFLAGS) -c -o $$@ $$<
endef
$(eval $(call embed,reports,reports/html/style.css,tl_html_style))
$(eval $(call embed,reports,reports/html/script.js,tl_html_script))
$(eval $(call embed,hunt,fuzz/flows/flows.json,hunt_flows))

# What several tests share.
WORLD := tests/json_schema.c tests/world.c tests/world_draw.c tests/world_kills.c tests/world_net.c tests/world_trials.c tests/world_ulp.c tests/world_watch.c
$(BUILD)/libtests.a: $(WORLD:%.c=$(BUILD)/%.o)
	@rm -f $@
	$(Q)ar rcs $@ $^

# The requirement catalogue becomes part of the program.
$(BUILD)/catalogue_gen: $(BUILD)/oracles/catalogue/catalogue_gen.o
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/oracles/catalogue/data.c: oracles/catalogue/requirements.json oracles/catalogue/kills.txt oracles/catalogue/suite-kills.txt oracles/catalogue/reasons.txt $(BUILD)/catalogue_gen
	$(Q)$(BUILD)/catalogue_gen $(filter oracles/%,$^) >$@.tmp && mv $@.tmp $@
$(BUILD)/oracles/catalogue/data.o: $(BUILD)/oracles/catalogue/data.c
	@$(call say,cc  )
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# The Wireshark dissector: the tables as Lua, and what reads them.
$(BUILD)/dissector_gen: $(BUILD)/codecs/dissector_gen.o $(LIB_codecs)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/falcon.lua: codecs/dissector.lua $(BUILD)/dissector_gen
	$(Q)$(BUILD)/dissector_gen >$@.tmp && cat codecs/dissector.lua >>$@.tmp && mv $@.tmp $@
.PHONY: dissector
dissector: $(BUILD)/falcon.lua ## write the Wireshark dissector: build/falcon.lua

.PHONY: glossary
glossary: $(BUILD)/talon ## write docs/glossary.md from the tables of the program
	$(Q)$(BUILD)/talon list words --format markdown >docs/glossary.md.tmp && mv docs/glossary.md.tmp docs/glossary.md

# Unit tests: one program a file, each linked with what its folder may use.
define test_rule
$(BUILD)/$(1)/%_test: $(BUILD)/$(1)/%_test.o $(BUILD)/tests/testing.o $(LIB_$(1))
	@mkdir -p $$(@D)
	@$$(call say,link)
	$$(Q)$$(CC) $(LDFLAGS) -o $$@ $$^ $$(shell pkg-config --libs check) $(LDLIBS)
endef
$(foreach f,$(FOLDERS) fuzz tests,$(eval $(call test_rule,$(f))))
.SECONDARY:

# It records sessions of the program.
$(BUILD)/tests/sut_schema_test: | $(BUILD)/talon

# Programs that tests run: a benchmark, a flood of hostile frames, a hostile SUT.
PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(filter-out %_test.c tests/testing.c $(WORLD),$(wildcard tests/*.c)))
$(PROGRAMS): $(BUILD)/%: $(BUILD)/%.o $(LIB_tests)
	@mkdir -p $(@D)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The example of docs/examples: an implementation of its own as a library (harness/sut/talon_sut.h).
EXAMPLE := docs/examples/lite_sut.c docs/examples/lite_conn.c harness/sut/sut_client.c
$(BUILD)/examples/lite_sut.so: $(EXAMPLE) docs/examples/lite_conn.h docs/examples/lite_wire.h harness/sut/sut_client.h harness/sut/talon_sut.h | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,so  )
	$(Q)$(CC) $(ALL_CFLAGS) -Idocs/examples -fPIC -shared $(LDFLAGS) -o $@ $(EXAMPLE) -ljansson

$(BUILD)/suts/%.so: tests/suts/%.c harness/sut/talon_sut.h | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,so  )
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $<

# Fuzzing (docs/fuzzing.md): the targets are the rows of fuzz/targets.h.
FUZZ_TARGETS  := $(shell sed -n 's/^    T.\([a-z_]*\),.*/\1/p' fuzz/targets.h)
FUZZ_SHARED   := $(filter-out $(FUZZ_TARGETS:%=fuzz/fuzz_%.c),$(wildcard fuzz/fuzz_*.c fuzz/endpoint_*.c fuzz/control_*.c fuzz/mutate*.c))
FUZZ_SHARED   := $(filter-out %_test.c,$(FUZZ_SHARED))
FUZZ_PROGRAMS := $(BUILD)/fuzz/make_corpus $(BUILD)/fuzz/replay
FUZZ_CC       ?= $(if $(shell command -v afl-clang-fast),afl-clang-fast,clang)
FUZZ_BUILD    := $(BUILD)/with-$(notdir $(FUZZ_CC))
TIME          ?= 30

$(BUILD)/libfuzz.a: $(FUZZ_TARGETS:%=$(BUILD)/fuzz/fuzz_%.o) $(FUZZ_SHARED:%.c=$(BUILD)/%.o)
	@rm -f $@
	@$(call say,ar  )
	$(Q)ar rcs $@ $^

$(BUILD)/fuzz/replay: $(BUILD)/fuzz/replay.o $(BUILD)/fuzz/entry.o $(BUILD)/libfuzz.a $(LIB_harness)
$(BUILD)/fuzz/make_corpus: $(patsubst %.c,$(BUILD)/%.o,fuzz/make_corpus.c $(wildcard fuzz/seeds*.c)) $(LIB_harness)
$(FUZZ_PROGRAMS):
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/fuzz/entry_%.o: fuzz/entry.c | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,cc  )
	$(Q)$(CC) $(ALL_CFLAGS) -DFUZZ_TARGET=$* -MMD -MP -c -o $@ $<
# For AFL++ with a main of ours, in a build by afl-clang-fast; for libFuzzer with its own.
$(BUILD)/fuzz/afl_%: $(BUILD)/fuzz/entry_%.o $(BUILD)/fuzz/afl.o $(BUILD)/libfuzz.a $(LIB_harness)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/fuzz/mutator_libfuzzer_%.o: fuzz/mutator_libfuzzer.c | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,cc  )
	$(Q)$(CC) $(ALL_CFLAGS) -DFUZZ_TARGET=$* -MMD -MP -c -o $@ $<
$(BUILD)/fuzz/libfuzzer_%: $(BUILD)/fuzz/entry_%.o $(BUILD)/fuzz/mutator_libfuzzer_%.o $(BUILD)/libfuzz.a $(LIB_harness)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

# The mutator as a library that afl-fuzz loads: of codecs and fuzz alone, in code that may lie anywhere.
$(BUILD)/fuzz/mutator.so: $(patsubst %.c,$(BUILD)/pic/%.o,$(filter-out %_test.c,$(wildcard fuzz/mutate*.c)) fuzz/mutator_afl.c $(call sources,codecs))
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -shared -o $@ $^ -ljansson -lcrypto
$(BUILD)/pic/%.o: %.c | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,cc  )
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=default -MMD -MP -c -o $@ $<

.PHONY: test tests
tests: $(TESTS) $(PROGRAMS) $(FUZZ_PROGRAMS) $(BUILD)/fuzz/mutator.so $(BUILD)/talon $(BUILD)/examples/lite_sut.so $(BUILD)/suts/hostile_lib.so $(BUILD)/falcon.lua
test: $(BUILD)/.deps-test tests ## run every test; ends with "N passed, M failed"
	@BUILD=$(BUILD) tests/run-tests $(TESTS)

.PHONY: demo
demo: $(BUILD)/talon ## decode a capture, certify the built-in SUT and a process, catch a broken one
	@BUILD=$(BUILD) tests/demo

# Worlds whose seeds decide all: the ends' freedoms, the network, who looks on.
SEED ?= 1
COUNT ?= 100000
JOBS ?= $(shell nproc)
.PHONY: soak
soak: $(BUILD)/tests/soak ## judge COUNT worlds of random traffic from SEED on by JOBS processes: no rule may fail
	@$(BUILD)/tests/soak --twins random --views --go-on --seed $(SEED) --count $(COUNT) --jobs $(JOBS) \
	    --commit "$$(git describe --always --dirty 2>/dev/null || echo unknown)" --log $(BUILD)/soak.log; \
	    status=$$?; cat $(BUILD)/soak.log; exit $$status

.PHONY: soak-live
soak-live: COUNT = 50
soak-live: $(BUILD)/talon ## run the live suite COUNT times (50) over sockets while all processors are busy; goes on where it left off
	@BUILD=$(BUILD) COUNT=$(COUNT) tests/soak-live

.PHONY: kill-matrix
kill-matrix: $(BUILD)/talon $(BUILD)/tests/kill_matrix ## write which rule sees which fault, from where and in which form
	@BUILD=$(BUILD) tests/kills

.PHONY: mutants
mutants: $(BUILD)/talon ## write which scenario tells which fault, oracles/catalogue/suite-kills.txt, and show it as a table
	@BUILD=$(BUILD) tests/mutants >$(BUILD)/suite-kills.txt && mv $(BUILD)/suite-kills.txt oracles/catalogue/suite-kills.txt
	@BUILD=$(BUILD) tests/mutants --matrix oracles/catalogue/suite-kills.txt

.PHONY: bench
bench: $(BUILD)/talon $(PROGRAMS) ## print performance as ratios
	@BUILD=$(BUILD) tests/run-bench
	@if command -v afl-fuzz afl-clang-fast >/dev/null; then $(MAKE) --no-print-directory fuzz-bench; \
	    else echo "fuzz targets: there is no AFL++ to measure them with"; fi
# Of the fuzz targets alone, BENCH_SECONDS each, beside the empty one.
BENCH_SECONDS ?= 10
.PHONY: fuzz-bench
fuzz-bench: fuzz-tools
	@$(MAKE) --no-print-directory FAST=1 FUZZ_CC=afl-clang-fast fuzz-build
	@BUILD=$(BUILD) fuzz/bench $(BUILD)/with-afl-clang-fast-fast/fuzz/afl_ $(BENCH_SECONDS)

.PHONY: bench-links
bench-links: $(BUILD)/talon $(BUILD)/tests/bench_link ## of it, what links in real time cost against bare calls
	@BUILD=$(BUILD) tests/bench-links

# Its own build: gcc, counters in every object. FOLDER=oracles/endpoint LEAST=95
.PHONY: coverage
FOLDER ?= oracles/endpoint
coverage: ## line and branch coverage of oracles/endpoint; fails below 95 % of the lines
	@$(MAKE) BUILD=$(BUILD)-coverage CC=gcc OPT="-O1 -g" CFLAGS=--coverage LDFLAGS=--coverage \
	    $(patsubst %.c,$(BUILD)-coverage/%,$(wildcard $(FOLDER)/*_test.c))
	@BUILD=$(BUILD)-coverage FOLDER=$(FOLDER) tests/run-coverage

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

.PHONY: layers
layers: ## check that folders include only what they may
	@.ci/check-layers

.PHONY: fmt fmt-check
FORMATTED = $(shell git ls-files -co --exclude-standard '*.c' '*.h')
fmt: ## format all sources in place
	@clang-format -i $(FORMATTED)
fmt-check:
	@clang-format --dry-run -Werror $(FORMATTED)

.PHONY: install
install: $(BUILD)/talon $(BUILD)/falcon.lua ## install to $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/talon
	install -m 755 $(BUILD)/talon $(DESTDIR)$(PREFIX)/bin/talon
	cp -r scenarios $(DESTDIR)$(PREFIX)/share/talon/
	install -m 644 $(BUILD)/falcon.lua $(DESTDIR)$(PREFIX)/share/talon/falcon.lua

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BUILD)

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
