# SPDX-License-Identifier: BSD-3-Clause
# For people: CMake and Ninja do the work (CMakePresets.json). `make help` lists the targets.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DEMO_TRACE = build/demo/cholesky.wtl

.DEFAULT_GOAL = help
.PHONY: help setup build demo test check-all check-long analyse check-releases check-vendors bench docs messages install uninstall package check-packages tarball

## help: this list
help:
	@awk -F ': ' '/^## / { printf "  make %-14s %s\n", substr($$1, 4), $$2 }' $(MAKEFILE_LIST)

## setup: install the Debian packages that building and testing need
setup:
	scripts/setup build test

## build: build everything into build/
build:
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

## demo: measure a blocked Cholesky factorization of some 10 s, make a page of it; without sensors also on a simulated node
demo:
	scripts/setup build
	$(MAKE) --no-print-directory build
	@scripts/demo $(DEMO_TRACE)

## test: build and run the tests (under 8 minutes on 2 cores)
test:
	scripts/setup build test
	$(MAKE) --no-print-directory build
	ctest --test-dir build --output-on-failure -j $$(($(JOBS) * 2)) -LE 'slow|hardware|machine'

## check-all: what CI runs - compilers, sanitizers, slow tests, fuzz corpora, checks
check-all:
	scripts/check-all

## check-long: what CI does not run - many more repetitions, programs with assertions, libFuzzer, all sources analysed
check-long:
	scripts/check-all setup long asan-long assertions libfuzzer analyse

## analyse: run the analyser on all sources; if all pass, commit scripts/tidy-passed
analyse:
	scripts/check-all setup analyse

## check-releases: build and test on Debian trixie and sid, with their Slurm, each in a folder of its own (root, network, 7 GB)
check-releases: build
	@failed=0; for release in trixie sid; do RELEASE=$$release scripts/check-new-machine release || failed=1; \
	    scripts/check-slurm $$release || failed=1; done; exit $$failed

## bench: measure wattle's own cost and accuracy
bench: build
	scripts/bench

## check-vendors: compare prototypes, numbers and structures of the GPU libraries with the vendors' headers (network, 0.3 GB)
check-vendors: build
	scripts/check-vendors

## docs: check the documentation, render the man pages to build/docs
docs:
	scripts/check-docs
	scripts/render-man build/docs

## messages: list every sentence that the programs can print
messages:
	@scripts/messages

## install: install what is built to PREFIX (default /usr/local; DESTDIR is honoured)
install:
	@DESTDIR='$(DESTDIR)' scripts/install build '$(PREFIX)'

## uninstall: remove what install put into PREFIX, and nothing else (DESTDIR is honoured)
uninstall:
	@DESTDIR='$(DESTDIR)' scripts/install --remove '$(PREFIX)'

## package: install what is needed, build the Debian packages into build-package/deb, checked by lintian
package:
	scripts/setup build package
	scripts/package

## check-packages: install, run, upgrade and purge the packages in a bare Debian (root, network, some minutes)
check-packages:
	scripts/check-packages

## tarball: build a relocatable archive for any Linux with glibc 2.34 or newer into build-package
tarball:
	scripts/tarball
