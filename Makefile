# Talon: conformance tester for the Falcon transport. `make help` lists the targets.
#
# Sources are found by wildcard: a new file, test or scenario needs no entry here.
# From outside: BUILD=dir, CC=clang, OPT="-O1 -g", SANITIZE=address,undefined, PREFIX=/usr/local, DESTDIR=.
#
# This file builds the program and what is installed. tests/tests.mk builds and runs the tests,
# fuzz/fuzz.mk the fuzzers.

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
LIBS_NEEDED := jansson libpcap libcrypto zlib libzstd sqlite3
INCLUDES   = -I.
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE $(INCLUDES) $(OPT) $(WARN) -ffp-contract=off $(CFLAGS)
LDLIBS     = -ldl -ljansson -lnet -lpcap -lcrypto -lz -lzstd -lsqlite3 -lpthread -lm
# lld links the test programs in a third of the time.
ifneq ($(shell command -v ld.lld),)
LDFLAGS += -fuse-ld=lld
endif
ifneq ($(SANITIZE),)
ALL_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS    += -fsanitize=$(SANITIZE)
endif

# A folder may use itself and those before it (docs/architecture.md; `make layers`).
FOLDERS := codecs oracles reports harness
sources  = $(filter-out %_test.c %_gen.c harness/talon.c,$(wildcard $(addprefix $(1)/,*.c */*.c */*/*.c)))
objects  = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))

LIB_codecs  := $(BUILD)/libcodecs.a
LIB_oracles := $(BUILD)/liboracles.a $(LIB_codecs)
LIB_reports := $(BUILD)/libreports.a $(LIB_oracles)
LIB_harness := $(BUILD)/libharness.a $(LIB_reports)
LIB_fuzz    := $(BUILD)/libfuzz.a $(BUILD)/libhunt.a $(LIB_harness)
LIB_tests   := $(BUILD)/libtests.a $(LIB_harness)

.PHONY: all
all: $(BUILD)/talon ## build the program: build/talon

# What the build needs; installed once, where that is allowed.
$(BUILD)/.deps-%: .ci/install-deps
	@.ci/install-deps $*
	@mkdir -p $(BUILD) && touch $@

DEPS := $(BUILD)/.deps-build

# The stateful fuzzer, of `talon fuzz` and `talon shrink`, `talon explore`, and `talon capture`.
LIB_hunt := $(BUILD)/libhunt.a $(LIB_harness)
$(BUILD)/libhunt.a: $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_test.c,$(wildcard fuzz/hunt/*.c fuzz/explore/*.c fuzz/field/*.c)))
	@rm -f $@
	@$(call say,ar  )
	$(Q)ar rcs $@ $^

$(BUILD)/talon: $(BUILD)/harness/talon.o $(LIB_hunt)
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The endpoint is many small functions for each packet: -O3 joins more of them.
$(filter $(BUILD)/oracles/endpoint/%,$(call objects,oracles)): OPT := $(patsubst -O2,-O3,$(OPT))

# The objects also make the library (harness/lib/lib.mk).
PIC := -fPIC -fvisibility=hidden
# Objects that were compiled before without these options are compiled again.
$(BUILD)/.pic:
	@mkdir -p $(@D) && touch $@
$(BUILD)/%.o: %.c $(BUILD)/.pic | $(DEPS)
	@mkdir -p $(@D)
	@$(call say,cc  )
	$(Q)$(CC) $(ALL_CFLAGS) $(PIC) -MMD -MP -c -o $@ $<

# A sanitizer takes most of the time of the build, and the code of the tests needs no speed: TEST_OPT=-O0 (.ci/run).
ifneq ($(TEST_OPT),)
$(BUILD)/%_test.o: OPT := $(TEST_OPT)
endif

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
$(eval $(call embed,reports,reports/diagnosis/signatures.txt,tl_diagnosis_signatures))
$(eval $(call embed,hunt,fuzz/flows/flows.json,hunt_flows))
$(eval $(call embed,hunt,fuzz/hunt/promises.jsonl,hunt_promises))
$(eval $(call embed,hunt,fuzz/hunt/alive.json,hunt_alive_steps))
$(eval $(call embed,hunt,fuzz/hunt/seeds.json,hunt_seeds))
$(eval $(call embed,hunt,fuzz/hunt/verbs.json,hunt_verbs_parts))
$(eval $(call embed,hunt,fuzz/hunt/nvme.json,hunt_nvme_parts))
$(eval $(call embed,hunt,fuzz/explore/alphabet.json,explore_alphabet))
# The help of each verb: usage/VERB.txt as tl_usage_VERB, or hunt_usage_VERB.
$(foreach f,$(wildcard harness/cli/usage/*.txt),$(eval $(call embed,harness,$(f),tl_usage_$(subst -,_,$(basename $(notdir $(f)))))))
$(foreach f,$(wildcard fuzz/hunt/usage/*.txt fuzz/explore/usage/*.txt fuzz/field/usage/*.txt),$(eval $(call embed,hunt,$(f),hunt_usage_$(subst -,_,$(basename $(notdir $(f)))))))

# What `talon new` writes (harness/cli/author/templates.h).
$(eval $(call embed,harness,harness/cli/author/templates/scenario.json,tl_new_scenario))
$(eval $(call embed,harness,harness/cli/author/templates/profile.json,tl_new_profile))
$(eval $(call embed,harness,harness/cli/author/templates/adapter.mk,tl_new_adapter_mk))
$(eval $(call embed,harness,docs/examples/l1/l1_adapter.py,tl_new_adapter_py))
$(eval $(call embed,harness,docs/examples/l1/l1_adapter.c,tl_new_adapter_c))
$(eval $(call embed,harness,harness/sut/sut_client.c,tl_new_sut_client_c))
$(eval $(call embed,harness,harness/sut/sut_client.h,tl_new_sut_client_h))

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

.PHONY: demo
demo: $(BUILD)/talon ## decode a capture, certify the built-in SUT and a process, catch a broken one
	@BUILD=$(BUILD) tests/demo

include harness/lib/lib.mk
include fuzz/fuzz.mk
include adapters/rtl/rtl.mk
include tests/tests.mk

.PHONY: layers
layers: ## check that folders include only what they may
	@.ci/check-layers

.PHONY: fmt fmt-check
FORMATTED = $(shell git ls-files -co --exclude-standard '*.c' '*.h')
fmt: ## format all sources in place
	@clang-format -i $(FORMATTED)
fmt-check:
	@clang-format --dry-run -Werror $(FORMATTED)

.PHONY: schemas
schemas: $(BUILD)/talon ## the JSON Schemas of all formats, from their tables (tests/schema_test.c compares them)
	@for f in scenarios/schema/*.json; do \
		$(BUILD)/talon help schema "$$(basename "$$f" .json)" >"$$f.new" && mv "$$f.new" "$$f" || exit 1; \
	done

include adapters/package/package.mk

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BUILD)

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

-include $(shell find $(BUILD) -path $(BUILD)/deb -prune -o -type f -name '*.d' -print 2>/dev/null)
