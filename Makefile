# fencepost. `make help` lists the targets.
BUILD ?= build
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' $(1) $(2))

CC ?= cc
OPT ?= -O2 -g
SAN ?=
WERROR ?=
CUDA_HOME ?= /usr/local/cuda
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := $(shell sed -n 's/^\#define VERSION "\(.*\)"/\1/p' driver/driver.h)
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla
CFLAGS := -std=c17 -D_GNU_SOURCE $(OPT) $(WARN) $(if $(WERROR),-Werror) \
	$(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer \
	-fno-sanitize-recover=undefined)
# everything but libc is linked statically: the program is carried to GPU
# hosts that have only libc and the driver
LIBS := -Wl,-Bstatic -lyaml -ljansson -lsqlite3 -lmxml -Wl,-Bdynamic \
	-lm -lpthread -ldl

SRC := $(sort $(wildcard gen/*.c model/*.c driver/*.c reports/*.c))
LIB_SRC := $(filter-out driver/main.c,$(SRC))
OBJ := $(SRC:%.c=$(BUILD)/%.o)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
TEST_SRC := $(sort $(wildcard tests/test_*.c))
TEST_HELP := tests/run.c $(sort $(wildcard tests/help_*.c))
TEST_OBJ := $(TEST_SRC:%.c=$(BUILD)/%.o) $(TEST_HELP:%.c=$(BUILD)/%.o)

all: $(BUILD)/fencepost ## build the program

-include Makefile.kernels

run: deps ## install what is missing, build, run the core suite
	$(Q)$(MAKE) --no-print-directory all
	$(BUILD)/fencepost run --quiet --json $(BUILD)/results.json $(ARGS)

test: deps ## install what is missing, build, run the tests
	$(Q)$(MAKE) --no-print-directory check

deps: ## install what building and testing need, if it is missing
	$(Q)CC='$(CC)' sh contrib/deps.sh
deps-all: ## and all that tests and checks can make use of
	$(Q)CC='$(CC)' sh contrib/deps.sh all

$(BUILD)/fencepost: $(OBJ) $(KERNEL_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(OBJ) $(KERNEL_OBJ) $(LIBS)
	$(if $(NVCC),,@echo 'SKIPPED: no nvcc: $@ has no primitives built in')

$(BUILD)/libfencepost.a: $(LIB_OBJ) $(KERNEL_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# the suites, one a test_*.c file: test_err.c defines suite_err()
$(BUILD)/tests/suites.inc: $(TEST_SRC)
	$(Q)mkdir -p $(@D)
	$(Q)printf 'SUITE(%s)\n' $(TEST_SRC:tests/test_%.c=%) >$@
$(BUILD)/tests/run.o: $(BUILD)/tests/suites.inc
$(BUILD)/tests/run.o: CFLAGS += -I$(BUILD)/tests
# our declarations of the CUDA driver are compared with cuda.h, if any
$(BUILD)/tests/test_cuda.o: CFLAGS += \
	$(addprefix -isystem ,$(wildcard $(CUDA_HOME)/include))

# a CUDA driver that does as the tests tell it, and its management library
FAKES := $(BUILD)/tests/libcuda.so.1 $(BUILD)/tests/libnvidia-ml.so.1
$(BUILD)/tests/libcuda.so.1: tests/fake_cuda.c driver/cuda_abi.h
$(BUILD)/tests/libnvidia-ml.so.1: tests/fake_nvml.c
$(FAKES):
	$(call say,FAKE,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -shared -fPIC -Wl,-soname,$(@F) -o $@ $<

$(BUILD)/check: $(TEST_OBJ) $(BUILD)/libfencepost.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $(TEST_OBJ) $(BUILD)/libfencepost.a \
	    $(shell pkg-config --libs check) $(LIBS)

check: $(BUILD)/check $(BUILD)/fencepost $(FAKES)
	$(Q)FENCEPOST=$(BUILD)/fencepost FAKE_CUDA=$(word 1,$(FAKES)) \
	    FAKE_NVML=$(word 2,$(FAKES)) CUDA_HOME=$(CUDA_HOME) \
	    CK_TIMEOUT_MULTIPLIER=$${CK_TIMEOUT_MULTIPLIER:-5} \
	    $(BUILD)/check $(SUITES)

slurm: $(BUILD)/fencepost ## contrib/slurm on a Slurm of this machine's own
	$(Q)FENCEPOST=$(BUILD)/fencepost bash tests/slurm.sh

# the long searches, which run much the same code many times
SOAKS := browser oracle primitive_run scripts sim_fault sim_weak
asan: ## run the tests under the address and undefined sanitizers
	$(Q)CK_TIMEOUT_MULTIPLIER=20 \
	    $(MAKE) --no-print-directory BUILD=$(BUILD)-asan \
	    SAN=address,undefined OPT='-O1 -g' \
	    SUITES='$(filter-out $(SOAKS),$(TEST_SRC:tests/test_%.c=%))' check

# libFuzzer comes with clang; the corpus grows from the tests' files
FUZZ_TIME ?= 60
FUZZERS := $(patsubst tests/%.c,%,$(sort $(wildcard tests/fuzz_*.c)))
$(BUILD)/fuzz_%: tests/fuzz_%.c $(wildcard gen/*.c gen/*.h gen/*.def)
	$(call say,FUZZ,$@)
	$(Q)mkdir -p $(@D)
	$(Q)clang -std=c17 -D_GNU_SOURCE -O1 -g \
	    -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=undefined -o $@ $< gen/*.c -lyaml -lm
fuzz: $(FUZZERS:%=$(BUILD)/%) ## FUZZ_TIME seconds of each fuzz target
	$(Q)for f in $(FUZZERS); do mkdir -p $(BUILD)/corpus/$$f && \
	    $(BUILD)/$$f -max_total_time=$(FUZZ_TIME) -timeout=10 \
	    -max_len=4096 -verbosity=0 -print_final_stats=1 \
	    -artifact_prefix=$(BUILD)/$$f- $(BUILD)/corpus/$$f \
	    tests/good tests/bad tests/bad_litmus || exit 1; done

tools: ## nvdisasm from NVIDIA's Python packages, into $(BUILD)/tools
	$(Q)mkdir -p $(BUILD)/tools
	python3 -m pip install -q --no-deps --target $(BUILD)/tools/python \
	    nvidia-cuda-nvdisasm
	cp "$$(find $(BUILD)/tools/python -name nvdisasm -type f)" \
	    $(BUILD)/tools/
	$(Q)rm -r $(BUILD)/tools/python

hw: ## on a GPU: all that is measured there; builds nothing
	$(Q)BUILD=$(BUILD) sh contrib/hw.sh

golden: $(BUILD)/check $(BUILD)/fencepost ## write golden files anew, to be looked at
	$(Q)BLESS=1 FENCEPOST=$(BUILD)/fencepost $(BUILD)/check emit sim_fault

bench-hw: ## on a GPU: rates, and the share of its limit that they reach
	$(Q)BUILD=$(BUILD) sh contrib/hw.sh bench

# times the model
$(BUILD)/bench_model: $(BUILD)/tests/bench_model.o \
    $(BUILD)/tests/help_external.o $(BUILD)/libfencepost.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

bench: $(BUILD)/fencepost $(BUILD)/bench_model ## the same on the software machine; the model
	$(Q)$(BUILD)/bench_model litmus
	$(Q)BUILD=$(BUILD) sh contrib/bench.sh

# cppcheck 2.10 is wrong about structs that calls fill, pointers into arenas,
# 128-bit shifts, and a variable called `not`
LINT := -q --std=c11 --inline-suppr --error-exitcode=1 \
	--enable=warning,performance --library=posix -Djson_array_foreach= \
	--suppress=missingIncludeSystem --suppress=uninitvar \
	--suppress=ctuuninitvar --suppress=returnDanglingLifetime \
	--suppress=shiftTooManyBits:gen/alu.c \
	--suppress=internalAstError:gen/cond.c
lint: ## static checks, those that are installed
	$(Q)if command -v cppcheck >/dev/null; then \
	    cppcheck $(LINT) gen model driver reports; \
	    else echo 'SKIPPED: no cppcheck'; fi
	$(Q)if command -v shellcheck >/dev/null; then \
	    shellcheck .ci/run $$(git ls-files '*.sh'); \
	    else echo 'SKIPPED: no shellcheck'; fi

format: ## clang-format every source
	clang-format -i $$(git ls-files '*.c' '*.h')

install: $(BUILD)/fencepost ## to PREFIX, below DESTDIR
	install -D -m 755 $(BUILD)/fencepost $(DESTDIR)$(PREFIX)/bin/fencepost
	install -d $(DESTDIR)$(PREFIX)/share/fencepost
	cp -R litmus profiles $(DESTDIR)$(PREFIX)/share/fencepost/
	install -D -m 644 man/fencepost.1 \
	    $(DESTDIR)$(PREFIX)/share/man/man1/fencepost.1

dist: $(BUILD)/fencepost ## the program and its tests, for a GPU host
	$(Q)mkdir -p $(BUILD)/dist
	$(Q)$(MAKE) --no-print-directory install PREFIX=/ \
	    DESTDIR=$(BUILD)/dist/fencepost-$(VERSION)
	tar -C $(BUILD)/dist -czf $(BUILD)/fencepost-$(VERSION).tar.gz \
	    fencepost-$(VERSION)

clean: ## remove what was built
	$(Q)rm -rf $(BUILD) $(BUILD)-asan

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16

.PHONY: all run test deps deps-all check slurm asan fuzz tools hw golden bench-hw \
	bench lint format install dist clean help
-include $(OBJ:.o=.d) $(TEST_OBJ:.o=.d)
