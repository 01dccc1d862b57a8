/*
 * An mbarrier object (PTX ISA, mbarrier) as a word of 64 bits: arrivals that
 * are missing, arrivals that a phase expects, bytes that asynchronous copies
 * have yet to bring (a signed number: they may come before they are
 * expected), and phases complete. What a GPU has there is its own affair;
 * nothing but mbarrier instructions looks at it.
 */
#include "gen.h"

#define COUNT_BITS 20
#define COUNT_MASK (((uint64_t)1 << COUNT_BITS) - 1)
#define TX_SHIFT (2 * COUNT_BITS)
#define TX_BITS 21
#define TX_MASK (((uint64_t)1 << TX_BITS) - 1)
#define PHASE_SHIFT (TX_SHIFT + TX_BITS)

static uint64_t
word_make(uint64_t missing, uint64_t expected, uint64_t tx, uint64_t phase)
{
	return missing | expected << COUNT_BITS | (tx & TX_MASK) << TX_SHIFT |
	    phase << PHASE_SHIFT;
}

static uint64_t
expected_of(uint64_t word)
{
	return word >> COUNT_BITS & COUNT_MASK;
}

uint64_t
mbarrier_word(uint64_t count)
{
	return word_make(count & COUNT_MASK, count & COUNT_MASK, 0, 0);
}

bool
mbarrier_valid(uint64_t word)
{
	return expected_of(word) != 0;
}

uint64_t
mbarrier_add(uint64_t word, uint64_t arrivals, int64_t bytes)
{
	uint64_t missing = word & COUNT_MASK, expected = expected_of(word);
	uint64_t tx = (word >> TX_SHIFT) + (uint64_t)bytes;
	uint64_t phase = word >> PHASE_SHIFT;

	if (!mbarrier_valid(word))
		return word;
	missing = arrivals < missing ? missing - arrivals : 0;
	if (missing == 0 && (tx & TX_MASK) == 0)
		return word_make(expected, expected, 0, phase + 1);
	return word_make(missing, expected, tx, phase);
}

uint64_t
mbarrier_apply(const struct insn *insn, uint64_t word, uint64_t n)
{
	switch (insn->op->id) {
	case OP_MBARRIER_ARRIVE:
		return mbarrier_add(word, n, 0);
	case OP_MBARRIER_ARRIVE_TX:
		return mbarrier_add(word, 1, (int64_t)n);
	case OP_MBARRIER_EXPECT_TX:
		return mbarrier_add(word, 0, (int64_t)n);
	case OP_CP_ARRIVE:
		return mbarrier_add(word, 1, 0);
	case OP_BULK: /* the implicit complete-tx */
		return mbarrier_add(word, 0, -(int64_t)n);
	default:
		return word;
	}
}

bool
mbarrier_done(uint64_t word, uint64_t state, bool parity)
{
	uint64_t phase = word >> PHASE_SHIFT;

	if (!mbarrier_valid(word))
		return false;
	return parity ? (phase & 1) != (state & 1) :
	    phase != state >> PHASE_SHIFT;
}

void
mbarrier_print(struct text *t, uint64_t word)
{
	uint64_t missing = word & COUNT_MASK, tx = word >> TX_SHIFT & TX_MASK;
	int64_t bytes = (int64_t)(tx << (64 - TX_BITS)) >> (64 - TX_BITS);

	if (!mbarrier_valid(word)) {
		text_printf(t, "no mbarrier");
		return;
	}
	text_printf(t, "phase %llu (%llu of %llu arrivals",
	    (unsigned long long)(word >> PHASE_SHIFT),
	    (unsigned long long)(expected_of(word) - missing),
	    (unsigned long long)expected_of(word));
	if (bytes)
		text_printf(t, ", %lld bytes to come", (long long)bytes);
	text_printf(t, ")");
}
