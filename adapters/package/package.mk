# What `make install` installs, man pages, and packages: a part of the Makefile (docs/install.md).
#
# From outside: DESTDIR=, PREFIX=/usr/local, ZSHDIR=share/zsh/site-functions,
# SETCAP=1 (the program may use raw frames, whoever starts it). A part of Talon with files of its own to
# install adds its target to INSTALL_ALSO.

# Headers for the users' own code: an adapter, a RUE, an algorithm of an event pipeline, a transport's
# logic. The latter needs three more, which keep their paths.
HEADERS       := harness/sut/talon_sut.h harness/sut/sut_client.h harness/cc/talon_rue.h \
                 harness/eventpipe/talon_event_algorithm.h harness/logic/talon_logic.h
HEADERS_LOGIC := oracles/logic/logic.h oracles/logic/bitmap.h oracles/beyond/dcqcn.h

ZSHDIR       ?= share/zsh/site-functions
INSTALL_ALSO ?=
to           := $(DESTDIR)$(PREFIX)
VERSION      := $(shell sed -n 's/^\#define TL_VERSION "\(.*\)"/\1/p' harness/doc/version.h)

# ---- man pages ----

$(BUILD)/man_gen: $(BUILD)/harness/cli/shell/man_gen.o $(BUILD)/harness/cli/shell/roff.o
	@$(call say,link)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The verbs print their pages from their usage texts and option tables; formats come from the documents.
$(BUILD)/man/.made: $(BUILD)/talon $(BUILD)/man_gen docs/formats.md docs/scenarios.md docs/sut-protocol.md adapters/package/package.mk
	@rm -rf $(@D) && mkdir -p $(@D)
	@$(call say,man )
	$(Q)$(BUILD)/talon help man >$(@D)/talon.1
	$(Q)for page in $$($(BUILD)/talon help man pages); do \
	    $(BUILD)/talon help man $$page >$(@D)/talon-$$page.1 || exit 1; done
	$(Q)$(BUILD)/man_gen talon-formats 'files and words that Talon reads and writes' docs/formats.md >$(@D)/talon-formats.5
	$(Q)$(BUILD)/man_gen talon-scenario 'scenario files: the test cases of Talon' docs/scenarios.md >$(@D)/talon-scenario.5
	$(Q)$(BUILD)/man_gen talon-sut-protocol 'control protocol between Talon and an adapter' docs/sut-protocol.md >$(@D)/talon-sut-protocol.5
	$(Q)$(BUILD)/man_gen talon-timeline 'timelines: packets and events of a case' docs/formats.md Timeline 'Events of the upper layer' >$(@D)/talon-timeline.5
	$(Q)$(BUILD)/man_gen talon-results 'results, reports and evidence of a run' docs/formats.md Results Reports Evidence >$(@D)/talon-results.5
	$(Q)$(BUILD)/man_gen talon-capture 'captures, their connections, keys and verdicts' docs/formats.md 'Packet JSON' Captures 'Connections of a capture' 'Verdicts on a capture' 'Key files' >$(@D)/talon-capture.5
	$(Q)touch $@
.PHONY: man
man: $(BUILD)/man/.made ## write the man pages: build/man

# ---- install ----

.PHONY: install install-headers uninstall
install-headers: ## install the headers for your own code to $(DESTDIR)$(PREFIX)/include/talon
	install -d $(to)/include/talon/oracles/logic $(to)/include/talon/oracles/beyond
	install -m 644 $(HEADERS) $(to)/include/talon
	for f in $(HEADERS_LOGIC); do install -m 644 $$f $(to)/include/talon/$$f || exit 1; done

install: $(BUILD)/talon $(BUILD)/falcon.lua $(BUILD)/man/.made install-headers $(INSTALL_ALSO) ## install to $(DESTDIR)$(PREFIX)
	install -d $(to)/bin $(to)/share/talon $(to)/share/man/man1 $(to)/share/man/man5 \
	    $(to)/share/doc/talon/docs $(to)/share/doc/talon/harness/sut \
	    $(to)/share/bash-completion/completions $(to)/$(ZSHDIR) $(to)/share/fish/vendor_completions.d
	install -m 755 $(BUILD)/talon $(to)/bin/talon
	$(if $(SETCAP),setcap cap_net_raw+ep $(to)/bin/talon)
	cp -r --no-preserve=ownership scenarios $(to)/share/talon/
	cp -r --no-preserve=ownership adapters/editors $(to)/share/talon/
	cp -r --no-preserve=ownership scenarios/schema/. $(to)/share/talon/editors/vscode/schemas
	install -m 644 $(BUILD)/falcon.lua $(to)/share/talon/falcon.lua
	install -m 644 $(BUILD)/man/*.1 $(to)/share/man/man1
	install -m 644 $(BUILD)/man/*.5 $(to)/share/man/man5
	install -m 644 harness/cli/shell/talon.bash $(to)/share/bash-completion/completions/talon
	install -m 644 harness/cli/shell/talon.zsh $(to)/$(ZSHDIR)/_talon
	install -m 644 harness/cli/shell/talon.fish $(to)/share/fish/vendor_completions.d/talon.fish
	install -m 644 README.md CHANGELOG.md $(to)/share/doc/talon
	cp -r --no-preserve=ownership docs/*.md docs/images docs/ci docs/examples $(to)/share/doc/talon/docs/
	find $(to)/share/doc/talon $(to)/share/talon -name __pycache__ -prune -exec rm -r {} +
	install -m 644 harness/sut/sut_client.c harness/sut/sut_client.h $(to)/share/doc/talon/harness/sut

# The list of files is that of an installation into a folder of its own. Folders of Talon that are empty then are removed.
uninstall: ## remove what `make install` installed to $(DESTDIR)$(PREFIX)
	@rm -rf $(BUILD)/installed
	@$(MAKE) -s install DESTDIR=$(abspath $(BUILD)/installed)
	@cd $(BUILD)/installed/$(PREFIX) && find . ! -type d >$(abspath $(BUILD))/installed.files && \
	    find . -depth -type d -path '*talon*' >$(abspath $(BUILD))/installed.folders
	@! cd $(to)/ 2>/dev/null || { xargs -d '\n' -a $(abspath $(BUILD))/installed.files rm -f -- && \
	    xargs -d '\n' -a $(abspath $(BUILD))/installed.folders rmdir --ignore-fail-on-non-empty -- 2>/dev/null; true; }
	@rm -rf $(BUILD)/installed

# ---- Debian packages ----

# What git knows of, with debian/ where dpkg-buildpackage looks for it. The packages are then in $(BUILD)/deb.
DEB_TREE := $(BUILD)/deb/talon-$(VERSION)
.PHONY: deb
deb: DEB_OPTIONS ?= -b
deb: | $(BUILD)/.deps-package ## build the Debian packages talon, libtalon0, libtalon-dev and talon-fuzz: build/deb
	@rm -rf $(BUILD)/deb && mkdir -p $(DEB_TREE)
	@git ls-files -z | grep -zv '^adapters/package/debian/' | xargs -0 cp --parents -pt $(DEB_TREE)
	@cp -r adapters/package/debian $(DEB_TREE)/debian
	@cd $(DEB_TREE) && dpkg-buildpackage -us -uc $(DEB_OPTIONS)

.PHONY: package-test container
package-test: deb ## install the packages in bare roots of Debian 12 and 13, use and remove them (root, mmdebstrap, minutes)
	@tests/package-test $(BUILD)/deb

container: deb ## build the container image talon by buildah, play the smoke profile in it (root, mmdebstrap, minutes)
	@adapters/package/container $(BUILD)/deb
