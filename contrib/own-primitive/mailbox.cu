/* A primitive of one's own: a message of one CTA to another, told by a
   ticket in the flag. The harness does the rest. */
#include "message.cuh"

template <enum order SET, enum order GET>
struct mailbox : message {
	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		*words<message>(c, round, c->from, threadIdx.x) =
		    stamp(round, 0);
		__syncthreads();
		if (threadIdx.x == 0)
			exchange<SET, GPU>(flag(c, 0), round);
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		if (threadIdx.x == 0)
			WAIT(p, round, load<GET, GPU>(flag(c, 0)) >= round);
		__syncthreads();
		got[0] = *words<message>(c, round, from, c->other);
	}
};

MESSAGE(mailbox, mailbox<RELEASE, ACQUIRE>)
BROKEN_MESSAGE(mailbox_no_release, mailbox<RELAXED, ACQUIRE>)
BROKEN_MESSAGE(mailbox_no_acquire, mailbox<RELEASE, RELAXED>)
