/* The .litmus reader's tokens, and what it says of them. */
#include "litmus.h"

#include <ctype.h>
#include <string.h>

static void
advance(struct litmus *l)
{
	if (*l->s == '\n') {
		l->loc.line++;
		l->loc.column = 1;
	} else {
		l->loc.column++;
	}
	l->s++;
}

static bool
starts(const struct litmus *l, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(l->end - l->s) >= n && memcmp(l->s, text, n) == 0;
}

/* Past spaces and the comments of litmus files, (* ... *) and // ... */
static void
skip_space(struct litmus *l)
{
	while (l->s < l->end) {
		if (isspace((unsigned char)*l->s)) {
			advance(l);
		} else if (starts(l, "//")) {
			while (l->s < l->end && *l->s != '\n')
				advance(l);
		} else if (starts(l, "(*")) {
			while (l->s < l->end && !starts(l, "*)"))
				advance(l);
			if (l->s < l->end) {
				advance(l);
				advance(l);
			}
		} else {
			return;
		}
	}
}

static bool
word_char(int c)
{
	return isalnum(c) || c == '_';
}

static void
take_string(struct litmus *l)
{
	struct token *t = &l->token;

	t->kind = TOKEN_STRING;
	advance(l);
	t->s = l->s;
	while (l->s < l->end && *l->s != '"')
		advance(l);
	t->n = (size_t)(l->s - t->s);
	if (l->s < l->end)
		advance(l);
	else
		litmus_error(l, ERR_INPUT, t->loc,
		    "this string has no closing '\"'");
}

void
litmus_next(struct litmus *l)
{
	struct token *t = &l->token;

	skip_space(l);
	*t = (struct token){TOKEN_END, l->s, 0, l->loc};
	if (l->s == l->end)
		return;
	if (*l->s == '"') {
		take_string(l);
		return;
	}
	if (!word_char((unsigned char)*l->s)) {
		t->kind = TOKEN_PUNCT;
		advance(l);
	} else {
		t->kind = isdigit((unsigned char)*l->s) ? TOKEN_NUMBER :
		    TOKEN_WORD;
		while (l->s < l->end && word_char((unsigned char)*l->s))
			advance(l);
	}
	t->n = (size_t)(l->s - t->s);
}

bool
token_is(const struct token *t, const char *text)
{
	return t->kind != TOKEN_STRING && t->n == strlen(text) &&
	    memcmp(t->s, text, t->n) == 0;
}

bool
token_is_register(const struct token *t)
{
	size_t i;

	if (t->kind != TOKEN_WORD || t->n < 2 || t->s[0] != 'r')
		return false;
	for (i = 1; i < t->n; i++)
		if (!isdigit((unsigned char)t->s[i]))
			return false;
	return true;
}

bool
litmus_is(const struct litmus *l, const char *text)
{
	return token_is(&l->token, text);
}

bool
litmus_take(struct litmus *l, const char *text)
{
	if (!litmus_is(l, text))
		return false;
	litmus_next(l);
	return true;
}

bool
litmus_error(struct litmus *l, enum err_code code, struct loc loc,
    const char *message)
{
	struct err err;

	err_set(&err, code, loc, "%s", message);
	errs_add(l->errs, &err);
	return false;
}

#define FOUND_MAX 40 /* characters of a token shown in an error */

bool
litmus_expected(struct litmus *l, const char *what)
{
	const struct token *t = &l->token;
	const char *found = text_clean(l->arena, t->s,
	    t->n < FOUND_MAX ? t->n : FOUND_MAX);
	char *message;

	if (t->kind == TOKEN_END)
		message = arena_printf(l->arena,
		    "expected %s, found the end of the file", what);
	else if (t->kind == TOKEN_STRING)
		message = arena_printf(l->arena,
		    "expected %s, found a string", what);
	else
		message = arena_printf(l->arena, "expected %s, found '%s'",
		    what, found);
	return litmus_error(l, ERR_INPUT, t->loc, message);
}

/* A decimal or hexadecimal number token. */
static bool
token_number(const struct token *t, uint64_t *value)
{
	uint64_t base = 10, v = 0;
	size_t i = 0;

	if (t->n > 2 && t->s[0] == '0' && (t->s[1] | 0x20) == 'x')
		base = 16, i = 2;
	for (; i < t->n; i++) {
		int c = t->s[i] | 0x20;
		uint64_t digit = isdigit((unsigned char)t->s[i]) ?
		    (uint64_t)(t->s[i] - '0') :
		    c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a' + 10) : 99;

		if (digit >= base)
			return false;
		v = v > UINT64_MAX / 32 ? UINT64_MAX : v * base + digit;
	}
	*value = v;
	return true;
}

bool
litmus_value(struct litmus *l, int64_t *value)
{
	bool negative = litmus_take(l, "-");
	uint64_t v;

	if (l->token.kind != TOKEN_NUMBER || !token_number(&l->token, &v))
		return litmus_expected(l, "a number");
	if (v > (negative ? (uint64_t)1 << 31 : UINT32_MAX))
		return litmus_error(l, ERR_LIMIT, l->token.loc,
		    "this value does not fit in 32 bits");
	*value = negative ? -(int64_t)v : (int64_t)v;
	litmus_next(l);
	return true;
}

#define THREAD_LIMIT 0xffff /* far beyond any */

/* "P12" or, in conditions, "12": the thread's number. */
bool
token_thread(const struct token *t, int *thread)
{
	struct token digits = *t;
	uint64_t v;

	if (digits.n > 1 && digits.s[0] == 'P' &&
	    digits.kind == TOKEN_WORD) {
		digits.s++;
		digits.n--;
	} else if (digits.kind != TOKEN_NUMBER) {
		return false;
	}
	if (!isdigit((unsigned char)digits.s[0]) ||
	    !token_number(&digits, &v) || v > THREAD_LIMIT)
		return false;
	*thread = (int)v;
	return true;
}

/* A small number: a thread, CTA or GPU id. */
bool
litmus_id(struct litmus *l, const char *what, int *id)
{
	uint64_t v;

	if (l->token.kind != TOKEN_NUMBER || !token_number(&l->token, &v))
		return litmus_expected(l, what);
	if (v > 0xffff)
		return litmus_error(l, ERR_LIMIT, l->token.loc,
		    "this number is too large (at most 65535)");
	*id = (int)v;
	litmus_next(l);
	return true;
}

/* Leaves the token at one of the characters, or at the end. */
void
litmus_recover(struct litmus *l, const char *stops)
{
	/* a zero byte is none of them */
	while (l->token.kind != TOKEN_END && !(l->token.kind == TOKEN_PUNCT &&
	    *l->token.s && strchr(stops, *l->token.s)))
		litmus_next(l);
}

const char *
litmus_line(struct litmus *l)
{
	const char *from, *to;

	while (l->s < l->end && (*l->s == ' ' || *l->s == '\t'))
		advance(l);
	from = l->s;
	while (l->s < l->end && (!*l->s || !strchr("\n{\"", *l->s)))
		advance(l);
	for (to = l->s; to > from && isspace((unsigned char)to[-1]); to--)
		;
	litmus_next(l);
	return text_clean(l->arena, from, (size_t)(to - from));
}
