#include "gen.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 * 1024)
#define ALIGNMENT ((size_t)16)

struct block {
	struct block *next;
	size_t size, used;
	_Alignas(16) unsigned char data[];
};

struct arena {
	struct block *blocks;
};

static _Noreturn void
out_of_memory(size_t size)
{
	fprintf(stderr, "fencepost: out of memory (%zu bytes asked for)\n",
	    size);
	exit(2);
}

static struct block *
block_new(size_t size, struct block *next)
{
	struct block *b;

	if (size > SIZE_MAX - sizeof(*b))
		out_of_memory(size);
	b = malloc(sizeof(*b) + size);
	if (!b)
		out_of_memory(size);
	b->next = next;
	b->size = size;
	b->used = 0;
	return b;
}

struct arena *
arena_new(void)
{
	struct arena *a = malloc(sizeof(*a));

	if (!a)
		out_of_memory(sizeof(*a));
	a->blocks = NULL;
	return a;
}

static void
blocks_free(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		free(b);
		b = next;
	}
}

/* Keeps the newest block if it is of the common size. */
void
arena_reset(struct arena *a)
{
	struct block *keep = a->blocks;

	if (!keep)
		return;
	if (keep->size != BLOCK_SIZE) {
		blocks_free(keep);
		a->blocks = NULL;
		return;
	}
	blocks_free(keep->next);
	keep->next = NULL;
	keep->used = 0;
}

void
arena_free(struct arena *a)
{
	if (!a)
		return;
	blocks_free(a->blocks);
	free(a);
}

void *
arena_alloc(struct arena *a, size_t size)
{
	struct block *b = a->blocks;
	void *p;

	if (size > SIZE_MAX - ALIGNMENT)
		out_of_memory(size);
	size = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (!b || b->size - b->used < size) {
		/* a large piece gets a block of its own, below the newest,
		   so that the room left there is not lost */
		if (b && size > BLOCK_SIZE / 4) {
			b->next = block_new(size, b->next);
			b = b->next;
		} else {
			b = block_new(size > BLOCK_SIZE ? size : BLOCK_SIZE,
			    b);
			a->blocks = b;
		}
	}
	p = b->data + b->used;
	b->used += size;
	return memset(p, 0, size);
}

void *
arena_grow(struct arena *a, void *old, size_t old_size, size_t size)
{
	void *p = arena_alloc(a, size);

	if (old_size)
		memcpy(p, old, old_size < size ? old_size : size);
	return p;
}

char *
arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	if (n)
		memcpy(p, s, n);
	return p;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *
arena_printf(struct arena *a, const char *format, ...)
{
	va_list args;
	char *p;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0)
		n = 0;
	p = arena_alloc(a, (size_t)n + 1);
	va_start(args, format);
	vsnprintf(p, (size_t)n + 1, format, args);
	va_end(args);
	return p;
}
