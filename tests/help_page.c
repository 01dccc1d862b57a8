#include "help_page.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define IDS_MAX 100000

struct page {
	const char *html, *s;
	char *why;
	size_t size;
	const char *open[DEPTH_MAX]; /* names of open elements */
	size_t length[DEPTH_MAX];
	int depth;
	const char *ids[IDS_MAX], *links[IDS_MAX];
	int nids, nlinks;
};

static bool
wrong(struct page *p, const char *at, const char *what)
{
	snprintf(p->why, p->size, "%s at \"%.60s\"", what, at);
	return false;
}

/* What a page of ours may hold; "!" closes itself or has no content. */
static const char *const elements[] = {
	"html", "head", "meta!", "title", "link!", "style", "body", "header",
	"h1", "h2", "h3", "h4", "p", "ul", "li", "b", "span", "nav", "a",
	"section", "details", "summary", "div", "table", "thead", "tbody",
	"tr", "th", "td", "pre", "code", "dl", "dt", "dd", "br!", "footer",
	"svg", "defs", "symbol", "use!", "rect!", "path!", "circle!", "text",
	NULL,
};

static const char *const attributes[] = {
	"lang", "charset", "name", "content", "rel", "href", "class", "id",
	"title", "role", "aria-label", "aria-hidden", "width", "height",
	"viewBox", "scope", "open", "colspan", "x", "y", "cx", "cy", "r",
	"rx", "d", "fill", "fill-opacity", "stroke", "stroke-width",
	"stroke-opacity", "stroke-dasharray", "text-anchor", "font-family",
	"font-size", "font-weight", "cellpadding", NULL,
};

/* 0: not in the list; 1: in it; 2: in it with "!". */
static int
listed(const char *const *list, const char *s, size_t n)
{
	int i;

	for (i = 0; list[i]; i++)
		if (strncmp(list[i], s, n) == 0 &&
		    (!list[i][n] || list[i][n] == '!'))
			return list[i][n] ? 2 : 1;
	return 0;
}

static bool
check_attribute(struct page *p, const char *name, size_t n,
    const char *value, size_t size)
{
	if (!listed(attributes, name, n))
		return wrong(p, name, "an attribute that is not ours");
	if (n == 2 && strncmp(name, "id", 2) == 0 && p->nids < IDS_MAX)
		p->ids[p->nids++] = value;
	if (n != 4 || strncmp(name, "href", 4) != 0)
		return true;
	if (*value == '#' && p->nlinks < IDS_MAX)
		p->links[p->nlinks++] = value + 1;
	else if (memchr(value, ':', size))
		return wrong(p, value, "a link that leads out");
	return true;
}

/* The attributes of the tag at p->s, up to its '>'. */
static bool
check_attributes(struct page *p)
{
	while (*p->s && *p->s != '>') {
		const char *name, *value = "";
		size_t n, size = 0;
		char quote;

		if (isspace((unsigned char)*p->s) || *p->s == '/') {
			p->s++;
			continue;
		}
		name = p->s;
		n = strcspn(name, "=> /\n");
		p->s += n;
		if (*p->s == '=') {
			quote = p->s[1];
			if (quote != '"' && quote != '\'')
				return wrong(p, name, "no quotes");
			value = p->s + 2;
			size = strcspn(value, quote == '"' ? "\"" : "'");
			p->s = value + size + 1;
		}
		if (!check_attribute(p, name, n, value, size))
			return false;
	}
	p->s += *p->s == '>';
	return true;
}

static bool
close_tag(struct page *p, const char *name, size_t n)
{
	int top = p->depth - 1;

	if (top < 0 || p->length[top] != n ||
	    strncmp(p->open[top], name, n) != 0)
		return wrong(p, name, "closes what is not open");
	p->depth--;
	p->s = name + n + 1;
	return true;
}

static bool
check_tag(struct page *p)
{
	const char *name = p->s + 1;
	bool closing = *name == '/';
	size_t n;
	int kind;

	name += closing;
	n = strcspn(name, " >/\n");
	kind = listed(elements, name, n);
	if (!kind)
		return wrong(p, p->s, "a tag that is not ours");
	if (closing)
		return close_tag(p, name, n);
	p->s = name + n;
	if (!check_attributes(p))
		return false;
	if (kind == 2)
		return true;
	if (p->depth == DEPTH_MAX)
		return wrong(p, name, "too deep");
	p->open[p->depth] = name;
	p->length[p->depth++] = n;
	if (n == 5 && strncmp(name, "style", 5) == 0)
		p->s = strstr(p->s, "</style>");
	return true;
}

static int
by_value(const void *a, const void *b)
{
	const char *s = *(const char *const *)a, *t = *(const char *const *)b;

	while (*s == *t && *s != '"')
		s++, t++;
	return (*s == '"' ? 0 : *s) - (*t == '"' ? 0 : *t);
}

static bool
check_links(struct page *p)
{
	int i;

	qsort(p->ids, (size_t)p->nids, sizeof(*p->ids), by_value);
	for (i = 1; i < p->nids; i++)
		if (by_value(&p->ids[i - 1], &p->ids[i]) == 0)
			return wrong(p, p->ids[i], "an id that is there "
			    "twice");
	for (i = 0; i < p->nlinks; i++)
		if (!bsearch(&p->links[i], p->ids, (size_t)p->nids,
		    sizeof(*p->ids), by_value))
			return wrong(p, p->links[i], "a link to nothing");
	return true;
}

static bool
check_all(struct page *p)
{
	static const char doctype[] = "<!doctype html>\n";

	if (strncmp(p->s, doctype, sizeof(doctype) - 1) != 0)
		return wrong(p, p->s, "no doctype");
	p->s += sizeof(doctype) - 1;
	while (*p->s) {
		if (*p->s != '<')
			p->s++;
		else if (!check_tag(p))
			return false;
	}
	if (p->depth)
		return wrong(p, p->open[p->depth - 1], "never closed");
	return check_links(p);
}

bool
page_check(const char *html, char *why, size_t size)
{
	struct page *p = calloc(1, sizeof(*p));
	bool good;

	p->html = p->s = html;
	p->why = why;
	p->size = size;
	good = check_all(p);
	free(p);
	return good;
}
