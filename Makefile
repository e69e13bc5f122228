# The task runner: `make help` lists what there is. CMake and Ninja do the building, in build/.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
BIN := build/bin
# What `make soak` runs: schedules for each lock and differential steps, and the seed of both.
N ?= 1000000
SEED ?= 1
# How long `make soak` runs each target of libFuzzer.
FUZZ_SECONDS ?= 1800
# What `make fuzz` runs.
LOCK ?= set-nx-px
PORT ?= 6380

INSTALL := cmake/install_packages.sh
# No test talks to the terminal; one that hangs is stopped. The label soak never runs under ctest.
CTEST := ctest --output-on-failure --no-tests=error --timeout 600 -j $(JOBS)

# $(call configure_and_build,<preset>,<build directory>): configures once; later Ninja does so by itself.
define configure_and_build
	@if [ ! -f $(2)/build.ninja ]; then echo "== Configuring $(2)"; cmake --preset $(1); fi
	@echo "== Building $(2)"
	@cmake --build $(2) -j $(JOBS)
endef

.PHONY: help demo build test test-all clients redis-tests soak tuned bench serve fuzz sanitize format lint packages

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z-]+):.*## /\1\t/' | \
	  while IFS=$$'\t' read -r name text; do printf '  make %-10s %s\n' "$$name" "$$text"; done

demo: build ## show the main job end to end: a lock test, an expiry to the millisecond, a race found
	@$(BIN)/picklock-demo

build: packages ## install what is missing, configure and build everything into build/
	$(call configure_and_build,default,build)

test: build ## run the tests of the first tier (minutes; no sanitizers)
	@echo "== Testing build"
	@cd build && $(CTEST) -LE '^(all|soak)$$'

test-all: test ## run every test: the first tier, the long ones, under ASan + UBSan, the first with clang, and -O0
	@$(INSTALL) clang browser clients spin docs
	@echo "== Testing build: the long tests"
	@cd build && $(CTEST) -L '^all$$'
	@tests/clients/table.py build/clients
	@$(MAKE) sanitize
	$(call configure_and_build,clang,build-clang)
	@echo "== Testing build-clang"
	@cd build-clang && $(CTEST) -LE '^(all|soak)$$'
	@if [ ! -f build-debug/build.ninja ]; then cmake --preset debug; fi
	@echo "== Testing build-debug: the schedules recorded, without optimisation"
	@cmake --build build-debug -j $(JOBS) --target test_recorded
	@cd build-debug && $(CTEST) -R '^recorded'
	@tests/race/same_bytes.sh build/bin build-sanitize/bin build-clang/bin

clients: build ## run real clients against picklock-server and redis-server, and print what passed
	@$(INSTALL) clients
	@cd build && $(CTEST) -R '^clients_' || status=$$?; ../tests/clients/table.py clients; exit $${status:-0}

redis-tests: build ## run Redis's own tests against picklock-server; their source comes with apt-get
	@$(INSTALL) redis-tests
	@tests/redis_suite/run.sh $(BIN)/picklock-server build/redis-tests

sanitize: packages ## build with ASan + UBSan into build-sanitize/ and run the tests there
	@$(INSTALL) clients docs
	$(call configure_and_build,sanitize,build-sanitize)
	@echo "== Testing build-sanitize"
	@cd build-sanitize && UBSAN_OPTIONS=print_stacktrace=1 $(CTEST) -LE '^soak$$'

soak: build ## run the long campaigns: N= schedules a lock and differential steps, SEED=, FUZZ_SECONDS=
	@$(INSTALL) clang afl
	$(call configure_and_build,fuzzers,build-fuzzers)
	$(call configure_and_build,afl,build-afl)
	@tests/soak.sh $(BIN) $(N) $(SEED) build-fuzzers/bin build-afl/bin $(FUZZ_SECONDS)

tuned: packages ## build the programs into build-tuned/ once more, quicker: laid out by what was seen to run
	@$(INSTALL) tuned
	@tests/bench/tuned.sh $(JOBS)

bench: tuned ## run the benchmarks: the server beside Redis, Spin beside the exhaustive search
	@$(INSTALL) spin
	@bin=build-tuned/bin; status=0; $$bin/picklock-bench || status=1; \
	 tests/bench/sockets.py $$bin/picklock-server || status=1; \
	 tests/bench/start.py $$bin/picklock-server || status=1; \
	 tests/bench/lock_client.py $$bin/picklock-lock-bench || status=1; \
	 tests/bench/memory.py $$bin/picklock-server || status=1; \
	 tests/bench/growth.py $$bin/picklock-server || status=1; \
	 tests/promela/compare.sh $$bin/reached-states --large || status=1; exit $$status

serve: build ## serve an emulator for redis-cli and other clients on PORT=6380
	@$(BIN)/picklock-server --port $(PORT)

fuzz: build ## list the locks and search LOCK=set-nx-px for races with SEED=1
	@$(BIN)/picklock-fuzz list
	@$(BIN)/picklock-fuzz run $(LOCK) --seed $(SEED)

format: ## format the tracked C++ sources in place
	@$(INSTALL) format
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

lint: build ## check the layers, and the sources with clang-tidy
	@tests/check_layers/check_layers.sh .
	@$(INSTALL) lint
	@git ls-files '*.cpp' | while read -r file; do \
	   if grep -q "/$$file\"" build/compile_commands.json; then echo "$$file"; fi; done | \
	   xargs -P $(JOBS) -n 2 clang-tidy -p build --quiet

packages:
	@$(INSTALL) base
