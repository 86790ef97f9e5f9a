# Tests and measurements (docs/testing.md), a part of the Makefile.

TEST_SOURCES := $(wildcard $(foreach f,$(FOLDERS) fuzz tests,$(addprefix $(f)/,*_test.c */*_test.c */*/*_test.c)))
TESTS        := $(patsubst %.c,$(BUILD)/%,$(TEST_SOURCES))
# The compiler takes a fifth of the time for a test program that it does not optimise. What they test is optimised.
$(TESTS:=.o): override OPT := $(patsubst -O%,-O0,$(OPT))

# What several tests share.
WORLD := $(wildcard tests/world/*.c tests/support/*.c)
$(BUILD)/libtests.a: $(WORLD:%.c=$(BUILD)/%.o)
	@rm -f $@
	$(Q)ar rcs $@ $^

# Unit tests: one program a file, each linked with what its folder may use.
define test_rule
$(BUILD)/$(1)/%_test: $(BUILD)/$(1)/%_test.o $(BUILD)/tests/testing.o $(LIB_$(1))
	@mkdir -p $$(@D)
	@$$(call say,link)
	$$(Q)$$(CC) $(LDFLAGS) -o $$@ $$^ $$(shell pkg-config --libs check) $$(LDLIBS)
endef
$(foreach f,$(FOLDERS) fuzz tests,$(eval $(call test_rule,$(f))))
# It compares with implementations that nothing else here uses.
$(BUILD)/oracles/nvme/independent_test: LDLIBS += -lisal -lgcrypt
# Kept for the next time. (Without names, .SECONDARY would take .deps-test for a file that need not be made.)
.SECONDARY: $(TESTS:=.o) $(BUILD)/tests/testing.o

# It records sessions of the program.
$(BUILD)/tests/sut_schema_test: | $(BUILD)/talon

# Programs that tests run: a benchmark, a flood of hostile frames, a hostile SUT.
PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(filter-out %_test.c tests/testing.c,$(wildcard tests/*.c $(foreach d,bench live matrix,tests/$(d)/*.c))))
$(PROGRAMS): $(BUILD)/%: $(BUILD)/%.o $(LIB_tests)
	@mkdir -p $(@D)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The example of docs/examples: an implementation of its own as a library (harness/sut/talon_sut.h).
EXAMPLE := $(wildcard docs/examples/*.c) harness/sut/sut_client.c
$(BUILD)/examples/lite_sut.so: $(EXAMPLE) $(wildcard docs/examples/*.h) harness/sut/sut_client.h harness/sut/talon_sut.h | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,so  )
	$(Q)$(CC) $(ALL_CFLAGS) -Idocs/examples -fPIC -shared $(LDFLAGS) -o $@ $(EXAMPLE) -ljansson

# The adapter of libibverbs (docs/verbs-adapter.md); it knows Talon by sut_client.h alone.
VERBS_ADAPTER := $(wildcard adapters/verbs/*.c) harness/sut/sut_client.c
$(BUILD)/verbs_adapter: $(VERBS_ADAPTER) $(wildcard adapters/verbs/*.h) harness/sut/sut_client.h | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,link)
	$(Q)$(CC) $(ALL_CFLAGS) -iquote harness/sut $(LDFLAGS) -o $@ $(VERBS_ADAPTER) -ljansson -libverbs
.PHONY: adapters
adapters: $(BUILD)/verbs_adapter ## build the adapters of real APIs: build/verbs_adapter (needs libibverbs-dev)

# The same adapter on a provider of Talon's own (tests/verbs_mock/mock.h), for tests/verbs_adapter.sh. Without
# libibverbs-dev it is not made, and the test is skipped.
VERBS_MOCK := $(filter-out adapters/verbs/vendor.c,$(wildcard adapters/verbs/*.c)) $(wildcard tests/verbs_mock/*.c)
$(BUILD)/verbs_mock: $(VERBS_MOCK) $(wildcard adapters/verbs/*.h tests/verbs_mock/*.h) $(LIB_harness)
	@mkdir -p $(@D)
	@$(call say,link)
	$(Q)! pkg-config --exists libibverbs || $(CC) $(ALL_CFLAGS) -iquote harness/sut $(LDFLAGS) -Wl,--wrap=poll,--wrap=read -o $@ $(VERBS_MOCK) $(LIB_harness) $(LDLIBS)

$(BUILD)/suts/%.so: tests/suts/%.c harness/sut/talon_sut.h | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,so  )
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $<

.PHONY: tests test check checks nightly
tests: $(TESTS) $(PROGRAMS) $(BUILD)/verbs_mock $(FUZZ_PROGRAMS) $(BUILD)/fuzz/mutator.so $(BUILD)/talon $(BUILD)/examples/lite_sut.so $(BUILD)/suts/hostile_lib.so $(BUILD)/falcon.lua $(BUILD)/man/.made $(if $(SANITIZE),,lib)
test: $(BUILD)/.deps-test tests ## run every test; ends with "N passed, M failed"
	@BUILD=$(BUILD) tests/run-tests $(TESTS)

check: $(BUILD)/.deps-test $(BUILD)/talon ## in a minute: format, layers, unit tests of what changed, a smoke of the suite
	@BUILD=$(BUILD) MAKE="$(MAKE)" tests/check $(QUICK)

checks: $(BUILD)/.deps-test tests ## run every test and write tests/checks.txt anew
	@BUILD=$(BUILD) tests/run-tests --write tests/checks.txt $(TESTS)

nightly: ## what takes too long for .ci/run: docs/testing.md says what
	@BUILD=$(BUILD) MAKE="$(MAKE)" tests/nightly

# Worlds whose seeds decide all: the ends' freedoms, the network, who looks on.
SEED ?= 1
COUNT ?= 100000
JOBS ?= $(shell nproc)
.PHONY: soak
soak: $(BUILD)/tests/soak ## judge COUNT worlds of random traffic from SEED on by JOBS processes: no rule may fail
	@$(BUILD)/tests/soak --twins random --views --go-on --seed $(SEED) --count $(COUNT) --jobs $(JOBS) \
	    --commit "$$(git describe --always --dirty 2>/dev/null || echo unknown)" --log $(BUILD)/soak.log; \
	    status=$$?; cat $(BUILD)/soak.log; exit $$status

.PHONY: soak-verbs
soak-verbs: $(BUILD)/tests/soak ## judge COUNT worlds of random programs of RDMA verbs from SEED on by JOBS processes: no rule may fail
	@$(BUILD)/tests/soak --verbs --twins random --go-on --seed $(SEED) --count $(COUNT) --jobs $(JOBS) \
	    --commit "$$(git describe --always --dirty 2>/dev/null || echo unknown)" --log $(BUILD)/soak-verbs.log; \
	    status=$$?; cat $(BUILD)/soak-verbs.log; exit $$status

.PHONY: soak-nvme
soak-nvme: $(BUILD)/tests/soak ## judge COUNT worlds of random programs of NVMe commands from SEED on by JOBS processes: no rule may fail
	@$(BUILD)/tests/soak --nvme --twins random --go-on --seed $(SEED) --count $(COUNT) --jobs $(JOBS) \
	    --commit "$$(git describe --always --dirty 2>/dev/null || echo unknown)" --log $(BUILD)/soak-nvme.log; \
	    status=$$?; cat $(BUILD)/soak-nvme.log; exit $$status

.PHONY: soak-live
soak-live: COUNT = 50
soak-live: $(BUILD)/talon ## run the live suite COUNT times (50) over sockets while all processors are busy; goes on where it left off
	@BUILD=$(BUILD) COUNT=$(COUNT) tests/live/soak-live

.PHONY: kill-matrix
kill-matrix: $(BUILD)/talon $(BUILD)/tests/matrix/kill_matrix ## write which rule sees which fault, from where and in which form
	@BUILD=$(BUILD) tests/matrix/kills

.PHONY: mutants
mutants: $(BUILD)/talon ## write which scenario tells which fault, oracles/catalogue/suite-kills.txt, show it as a table; write the signatures, too
	@rm -rf $(BUILD)/signs && mkdir $(BUILD)/signs
	@BUILD=$(BUILD) tests/matrix/mutants --signs $(BUILD)/signs >$(BUILD)/suite-kills.txt && mv $(BUILD)/suite-kills.txt oracles/catalogue/suite-kills.txt
	@python3 tests/diagnosis/signatures.py --write --from $(BUILD)/signs $(BUILD)/talon
	@BUILD=$(BUILD) tests/matrix/mutants --matrix oracles/catalogue/suite-kills.txt

# Mutants of the endpoint as SUTs: SEED (the date), COUNT, FUZZ seconds for each survivor, MUTATION=--all
.PHONY: mutation
mutation: COUNT = 100
mutation: FUZZ ?= 60
mutation: $(BUILD)/talon ## run COUNT mutants of the endpoint (100, drawn by SEED) as the SUT; print what suite and fuzzer notice, and the holes
	@python3 tests/mutation/mutation.py --build $(BUILD) --count $(COUNT) --jobs $(JOBS) --fuzz $(FUZZ) \
	    $(if $(filter command environment,$(firstword $(origin SEED))),--seed $(SEED)) $(MUTATION)

.PHONY: cc-mutants
cc-mutants: COUNT = 200
cc-mutants: $(BUILD)/talon ## run COUNT mutants of Swift and PLB (200, drawn by SEED) as engines; print what `talon cc judge` misses
	@python3 tests/mutation/cc_mutants.py --build $(BUILD) --count $(COUNT) $(if $(filter command environment,$(firstword $(origin SEED))),--seed $(SEED))

.PHONY: blame
blame: $(BUILD)/talon ## run the suite against each planted fault: is the first cause the requirement that the fault violates?
	@python3 tests/blame.py --jobs $(JOBS) $(BLAME) $(BUILD)/talon

.PHONY: signatures diagnosis
signatures: $(BUILD)/talon ## run the suite against each planted fault: write how it shows itself, reports/diagnosis/signatures.txt
	@python3 tests/diagnosis/signatures.py --jobs $(JOBS) --write $(BUILD)/talon
diagnosis: $(BUILD)/talon ## how often `talon diagnose` is right, with faults, variants and mutants drawn by SEED
	@python3 tests/diagnosis/diagnosis.py --jobs $(JOBS) --seed $(SEED) --build $(BUILD) $(DIAGNOSIS)

.PHONY: bench
bench: $(BUILD)/talon $(PROGRAMS) ## print performance as ratios with the aims beside them; STRICT=1: fail where one is missed
	@BUILD=$(BUILD) tests/bench/run-bench $(if $(STRICT),--strict)
	@if command -v afl-fuzz afl-clang-fast >/dev/null; then $(MAKE) --no-print-directory fuzz-bench; \
	    else echo "fuzz targets: there is no AFL++ to measure them with"; fi
.PHONY: bench-links
bench-links: $(BUILD)/talon $(BUILD)/tests/bench/bench_link ## of it, what links in real time cost against bare calls
	@BUILD=$(BUILD) tests/bench/bench-links | tr '|' '\t'

# Its own build: gcc, counters in every object. FOLDER=oracles/endpoint LEAST=95
.PHONY: coverage
FOLDER ?= oracles/endpoint
coverage: ## line and branch coverage of oracles/endpoint; fails below 95 % of the lines
	@$(MAKE) BUILD=$(BUILD)-coverage CC=gcc OPT="-O1 -g" CFLAGS=--coverage LDFLAGS=--coverage \
	    $(patsubst %.c,$(BUILD)-coverage/%,$(wildcard $(FOLDER)/*_test.c $(FOLDER)/*/*_test.c))
	@BUILD=$(BUILD)-coverage FOLDER=$(FOLDER) tests/run-coverage
