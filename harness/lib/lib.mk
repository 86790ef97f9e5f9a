# libtalon, shared and static (docs/libtalon.md), a part of the Makefile.
#
# From outside: LIBDIR=/usr/local/lib.

LIBDIR          ?= $(PREFIX)/lib
LIBTALON        := harness/lib
LIBTALON_SO     := libtalon.so.0
LIBTALON_OBJS   := $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_test.c,$(wildcard $(LIBTALON)/*.c)))
LIBTALON_NEEDS  := -ljansson -lpcap -lcrypto -lz -lzstd -lpthread -lm
TALON_VERSION   := $(shell sed -n 's/^#define TL_VERSION "\(.*\)"/\1/p' harness/doc/version.h)

# `talon check` judges by the library alone: no other header of Talon can be found.
$(BUILD)/harness/cli/check/check_judge.o: INCLUDES := -I$(BUILD)/alone
$(BUILD)/harness/cli/check/check_judge.o: $(BUILD)/alone/harness/lib/talon.h $(BUILD)/alone/harness/cli/check/check_judge.h
$(BUILD)/alone/%: %
	@mkdir -p $(@D)
	@cp $< $@

# .ci/check-abi reads the types of the interface from what debuggers are told.
$(LIBTALON_OBJS): override OPT += -g

# What the library needs of Talon as one object, in which nothing but its interface can be seen.
$(BUILD)/lib/libtalon.o: $(LIBTALON_OBJS) $(LIB_harness)
	@mkdir -p $(@D)
	@$(call say,ld  )
	$(Q)$(CC) -r -nostdlib $(LDFLAGS) -o $@.tmp $^
	$(Q)objcopy --wildcard --keep-global-symbol='talon_*' $@.tmp $@ && rm -f $@.tmp
$(BUILD)/lib/libtalon.a: $(BUILD)/lib/libtalon.o
	@rm -f $@
	@$(call say,ar  )
	$(Q)ar rcs $@ $^
$(BUILD)/lib/$(LIBTALON_SO): $(BUILD)/lib/libtalon.o $(LIBTALON)/libtalon.map
	@$(call say,so  )
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-z,defs,-soname,$(LIBTALON_SO),--version-script,$(LIBTALON)/libtalon.map -o $@ $< $(LIBTALON_NEEDS)
	@ln -sf $(LIBTALON_SO) $(BUILD)/lib/libtalon.so
$(BUILD)/lib/talon.pc: $(LIBTALON)/talon.pc.in harness/doc/version.h FORCE
	@mkdir -p $(@D)
	@sed 's|@prefix@|$(PREFIX)|; s|@libdir@|$(LIBDIR)|; s|@version@|$(TALON_VERSION)|' $< >$@.new
	@cmp -s $@.new $@ && rm -f $@.new || mv $@.new $@

INSTALL_ALSO += install-lib
.PHONY: lib install-lib FORCE
FORCE:
lib: $(BUILD)/lib/$(LIBTALON_SO) $(BUILD)/lib/libtalon.a $(BUILD)/lib/talon.pc ## build libtalon, the judge and the codecs for your own programs: build/lib

install-lib: lib ## install libtalon, its header, talon.pc and the examples to $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include/talon $(DESTDIR)$(PREFIX)/share/talon/examples/libtalon
	install -m 644 $(BUILD)/lib/$(LIBTALON_SO) $(BUILD)/lib/libtalon.a $(DESTDIR)$(LIBDIR)
	ln -sf $(LIBTALON_SO) $(DESTDIR)$(LIBDIR)/libtalon.so
	install -m 644 $(BUILD)/lib/talon.pc $(DESTDIR)$(LIBDIR)/pkgconfig/talon.pc
	install -m 644 $(LIBTALON)/talon.h $(DESTDIR)$(PREFIX)/include/talon/talon.h
	install -m 644 $(wildcard docs/examples/libtalon/*.*) $(DESTDIR)$(PREFIX)/share/talon/examples/libtalon
