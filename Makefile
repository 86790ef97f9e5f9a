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
sources  = $(filter-out %_test.c %_gen.c harness/talon.c,$(wildcard $(1)/*.c $(1)/*/*.c))
objects  = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))

LIB_codecs  := $(BUILD)/libcodecs.a
LIB_oracles := $(BUILD)/liboracles.a $(LIB_codecs)
LIB_reports := $(BUILD)/libreports.a $(LIB_oracles)
LIB_harness := $(BUILD)/libharness.a $(LIB_reports)
LIB_tests   := $(BUILD)/libtests.a $(LIB_harness)

TEST_SOURCES := $(wildcard $(addsuffix /*_test.c,$(FOLDERS) tests) $(addsuffix /*/*_test.c,$(FOLDERS)))
TESTS        := $(patsubst %.c,$(BUILD)/%,$(TEST_SOURCES))

.PHONY: all
all: $(BUILD)/talon ## build the program: build/talon

# What the build needs; installed once, where that is allowed.
$(BUILD)/.deps-%:
	@.ci/install-deps $*
	@mkdir -p $(BUILD) && touch $@

DEPS := $(BUILD)/.deps-build

$(BUILD)/talon: $(BUILD)/harness/talon.o $(LIB_harness)
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

# Unit tests: one program a file, each linked with what its folder may use.
define test_rule
$(BUILD)/$(1)/%_test: $(BUILD)/$(1)/%_test.o $(BUILD)/tests/testing.o $(LIB_$(1))
	@mkdir -p $$(@D)
	@$$(call say,link)
	$$(Q)$$(CC) $(LDFLAGS) -o $$@ $$^ $$(shell pkg-config --libs check) $(LDLIBS)
endef
$(foreach f,$(FOLDERS) tests,$(eval $(call test_rule,$(f))))
.SECONDARY:

# It records sessions of the program.
$(BUILD)/tests/sut_schema_test: | $(BUILD)/talon

# Programs that tests run: a benchmark, a flood of hostile frames, a hostile SUT.
PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(filter-out %_test.c tests/testing.c $(WORLD),$(wildcard tests/*.c)))
$(PROGRAMS): $(BUILD)/%: $(BUILD)/%.o $(LIB_tests)
	@mkdir -p $(@D)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The example of docs/examples: an implementation of its own as a library (harness/talon_sut.h).
EXAMPLE := docs/examples/lite_sut.c docs/examples/lite_conn.c harness/sut_client.c
$(BUILD)/examples/lite_sut.so: $(EXAMPLE) docs/examples/lite_conn.h docs/examples/lite_wire.h harness/sut_client.h harness/talon_sut.h | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,so  )
	$(Q)$(CC) $(ALL_CFLAGS) -Idocs/examples -fPIC -shared $(LDFLAGS) -o $@ $(EXAMPLE) -ljansson

$(BUILD)/suts/%.so: tests/suts/%.c harness/talon_sut.h | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,so  )
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $<

# Fuzzing: fuzz_NAME is the target, replay_NAME runs saved inputs through it without a fuzzer.
FUZZ_TARGETS  := $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))
FUZZ_PROGRAMS := $(BUILD)/fuzz/make_corpus $(addprefix $(BUILD)/fuzz/replay_,$(FUZZ_TARGETS))
FUZZ_CC       ?= $(if $(shell command -v afl-clang-fast),afl-clang-fast,clang)
FUZZ_BUILD    := $(BUILD)/with-$(notdir $(FUZZ_CC))
TIME          ?= 30

$(BUILD)/fuzz/make_corpus: $(BUILD)/fuzz/make_corpus.o $(LIB_harness)
$(BUILD)/fuzz/replay_%: $(BUILD)/fuzz/fuzz_%.o $(BUILD)/fuzz/replay.o $(LIB_harness)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/fuzz/make_corpus:
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/fuzz/fuzz_%: $(BUILD)/fuzz/fuzz_%.o $(LIB_harness)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

# AFL++'s compiler marks all code by itself; clang's own fuzzer wants to be told.
.PHONY: $(addprefix fuzz-,$(FUZZ_TARGETS))
$(addprefix fuzz-,$(FUZZ_TARGETS)): fuzz-%: $(BUILD)/fuzz/make_corpus
	@AFL_QUIET=1 $(MAKE) --no-print-directory BUILD=$(FUZZ_BUILD) CC=$(FUZZ_CC) OPT="-O1 -g" \
	    SANITIZE=address,undefined$(if $(findstring afl,$(FUZZ_CC)),,$(comma)fuzzer-no-link) \
	    $(FUZZ_BUILD)/fuzz/fuzz_$*
	@BUILD=$(BUILD) fuzz/run $* $(FUZZ_BUILD)/fuzz/fuzz_$* $(TIME)

.PHONY: test tests
tests: $(TESTS) $(PROGRAMS) $(FUZZ_PROGRAMS) $(BUILD)/talon $(BUILD)/examples/lite_sut.so $(BUILD)/suts/hostile_lib.so
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

.PHONY: fuzz-frame
fuzz-frame: ## fuzz the frame stack for TIME seconds (30), under sanitizers

.PHONY: layers
layers: ## check that folders include only what they may
	@.ci/check-layers

.PHONY: fmt fmt-check
FORMATTED = $(shell git ls-files -co --exclude-standard '*.c' '*.h')
fmt: ## format all sources in place
	clang-format -i $(FORMATTED)
fmt-check:
	@clang-format --dry-run -Werror $(FORMATTED)

.PHONY: install
install: $(BUILD)/talon ## install to $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/talon
	install -m 755 $(BUILD)/talon $(DESTDIR)$(PREFIX)/bin/talon
	cp -r scenarios $(DESTDIR)$(PREFIX)/share/talon/

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BUILD)

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
