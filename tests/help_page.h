/* A check of pages: tags in balance, nothing that runs, links that lead. */
#ifndef HELP_PAGE_H
#define HELP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The first thing wrong, in why; true: nothing. */
bool page_check(const char *html, char *why, size_t size);

#endif
