# fencepost. make help lists the targets.
BUILD ?= build
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' $(1) $(2))

CC ?= cc
OPT ?= -O2 -g
SAN ?=
WERROR ?=
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

all: $(BUILD)/fencepost

-include Makefile.kernels

$(BUILD)/fencepost: $(OBJ) $(KERNEL_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(OBJ) $(KERNEL_OBJ) $(LIBS)

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

$(BUILD)/check: $(TEST_OBJ) $(BUILD)/libfencepost.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $(TEST_OBJ) $(BUILD)/libfencepost.a \
	    \
	    $(shell pkg-config --libs check) $(LIBS)

check: $(BUILD)/check $(BUILD)/fencepost
	$(Q)FENCEPOST=$(BUILD)/fencepost $(BUILD)/check

clean:
	$(Q)rm -rf $(BUILD)

.PHONY: all check clean
-include $(OBJ:.o=.d) $(TEST_OBJ:.o=.d)
