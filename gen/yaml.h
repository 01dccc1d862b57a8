/*
 * Private to gen: a YAML file as a tree in which everything has a place.
 * The subset that our files use: maps, sequences and scalars; no anchors,
 * aliases or tags, no key twice.
 */
#ifndef YAML_TREE_H
#define YAML_TREE_H

#include "gen.h"

enum node_kind { NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING };
enum node_style { STYLE_PLAIN, STYLE_QUOTED, STYLE_LITERAL, STYLE_FOLDED };

struct node {
	enum node_kind kind;
	struct loc loc;
	/* scalar */
	enum node_style style;
	const char *text; /* zero-terminated */
	size_t size;
	bool one_line; /* in the file */
	int indent; /* literal: blanks taken off each line */
	/* sequence: items; mapping: items under keys, in the file's order */
	int count;
	struct node *keys, *items;
};

#define YAML_SIZE_MAX ((size_t)1 << 20)
#define YAML_SCALAR_MAX ((size_t)64 << 10)
#define YAML_DEPTH_MAX 16
#define YAML_NODES_MAX 65536

/* The documents of a file. False if there is an error, all in errs. */
bool yaml_documents(const struct source *source, struct arena *a,
    struct node **documents, int *count, struct errs *errs);
const char *node_kind_name(enum node_kind kind); /* "a map" */
const struct node *node_get(const struct node *map, const char *key);
/* The place of a scalar's byte; of the scalar where that is not known. */
struct loc node_place(const struct node *scalar, size_t offset);
/* Adds an error for each key that is not in the NULL-ended list. */
bool node_keys_known(const struct node *map, const char *const *known,
    struct errs *errs);
bool node_is(const struct node *n, enum node_kind kind, const char *what,
    struct errs *errs);
bool node_int(const struct node *n, int64_t *value); /* 12, -1, 0x1f */
bool text_int(const char *s, int64_t *value);

#endif
