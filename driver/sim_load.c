/*
 * The module level of PTX: directives, variables, kernels' heads. What the
 * machine does not model but need not (debug information, pragmas, launch
 * bounds) is skipped; what it cannot do is an error with its line.
 */
#include "sim_load.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MODULE_MAX (64u << 20)
#define VARIABLE_MAX (1u << 30)

bool
load_fail(struct loader *l, enum err_code code, const char *format, ...)
{
	va_list args;

	l->err->code = code;
	l->err->loc = l->loc;
	va_start(args, format);
	vsnprintf(l->err->message, sizeof(l->err->message), format, args);
	va_end(args);
	return false;
}

/* Lists double at the powers of two. */
void *
load_grow(struct arena *a, void *list, size_t n, size_t size)
{
	if (n & (n - 1))
		return list;
	return arena_grow(a, list, n * size, (n ? 2 * n : 1) * size);
}

void
load_advance(struct loader *l, size_t n)
{
	for (; n > 0 && *l->s; n--, l->s++) {
		if (*l->s == '\n') {
			l->loc.line++;
			l->loc.column = 1;
		} else {
			l->loc.column++;
		}
	}
}

void
load_skip(struct loader *l)
{
	for (;;) {
		const char *end;

		if (isspace((unsigned char)*l->s)) {
			load_advance(l, 1);
		} else if (l->s[0] == '/' && l->s[1] == '/') {
			load_advance(l, strcspn(l->s, "\n"));
		} else if (l->s[0] == '/' && l->s[1] == '*') {
			end = strstr(l->s + 2, "*/");
			load_advance(l, end ? (size_t)(end + 2 - l->s) :
			    strlen(l->s));
		} else {
			return;
		}
	}
}

static bool
is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

size_t
load_word(struct loader *l)
{
	size_t n = 0;

	load_skip(l);
	if (l->s[n] == '.')
		n++;
	while (is_name(l->s[n]))
		n++;
	return n;
}

bool
load_is(struct loader *l, const char *word)
{
	size_t n = strlen(word);

	load_skip(l);
	if (is_name(word[n - 1]) ? load_word(l) != n ||
	    memcmp(l->s, word, n) != 0 : strncmp(l->s, word, n) != 0)
		return false;
	load_advance(l, n);
	return true;
}

bool
load_expect(struct loader *l, const char *word)
{
	size_t n;

	if (load_is(l, word))
		return true;
	n = load_word(l);
	if (n == 0)
		n = *l->s ? 1 : 0;
	return n ? load_fail(l, ERR_INPUT, "expected '%s', found '%.*s'",
	    word, n < 40 ? (int)n : 40, l->s) :
	    load_fail(l, ERR_INPUT, "expected '%s', found the end", word);
}

bool
load_number(struct loader *l, uint64_t *value)
{
	char *end;
	size_t n;

	load_skip(l);
	if (!isdigit((unsigned char)*l->s) && *l->s != '-')
		return load_fail(l, ERR_INPUT, "expected a number");
	*value = strtoull(l->s, &end, 0);
	n = (size_t)(end - l->s);
	if (*end == 'U')
		n++;
	load_advance(l, n);
	return true;
}

bool
load_to(struct loader *l, const char *end)
{
	size_t n = strcspn(l->s, end);

	if (!l->s[n])
		return load_fail(l, ERR_INPUT, "expected '%s', found the end",
		    end);
	load_advance(l, n + 1);
	return true;
}

/* ---- variables ---------------------------------------------------------- */

static bool
type_find(const char *s, size_t n, enum type *type)
{
	int t;

	for (t = TYPE_PRED; t <= TYPE_F64; t++)
		if (strlen(type_name((enum type)t)) == n &&
		    memcmp(type_name((enum type)t), s, n) == 0) {
			*type = (enum type)t;
			return true;
		}
	return false;
}

bool
load_add_variable(struct loader *l, const struct sim_var *var)
{
	LOAD_GROW(l->scratch, l->vars, l->nvars);
	l->vars[l->nvars++] = *var;
	l->lower.vars = l->vars;
	return true;
}

/* [N], possibly several, possibly the empty [] */
static bool
dimensions(struct loader *l, struct sim_var *var)
{
	uint64_t n;

	while (load_is(l, "[")) {
		if (load_is(l, "]")) {
			var->size = 0;
			continue;
		}
		if (!load_number(l, &n) || !load_expect(l, "]"))
			return false;
		if (n > VARIABLE_MAX || n * var->size > VARIABLE_MAX)
			return load_fail(l, ERR_LIMIT,
			    "a variable of more than %u bytes", VARIABLE_MAX);
		var->size *= n;
	}
	return true;
}

bool
load_variable(struct loader *l, enum space space, struct sim_var *var)
{
	enum type type = TYPE_NONE;
	uint64_t align = 0, n;
	size_t length;

	*var = (struct sim_var){.space = space};
	while (load_word(l) > 0 && *l->s == '.') {
		length = load_word(l);
		if (load_is(l, ".align")) {
			if (!load_number(l, &align))
				return false;
		} else if (load_is(l, ".ptr") || load_is(l, ".global") ||
		    load_is(l, ".shared") || load_is(l, ".const") ||
		    load_is(l, ".local") || load_is(l, ".generic")) {
			continue; /* attributes of a pointer parameter */
		} else if (type_find(l->s + 1, length - 1, &type)) {
			load_advance(l, length);
		} else {
			return load_fail(l, ERR_INPUT,
			    "unknown type or attribute '%.*s'", (int)length,
			    l->s);
		}
	}
	if (type == TYPE_NONE)
		return load_fail(l, ERR_INPUT, "expected a type");
	length = load_word(l);
	if (length == 0)
		return load_fail(l, ERR_INPUT, "expected a name");
	var->name = arena_strndup(l->scratch, l->s, length);
	load_advance(l, length);
	n = (uint64_t)type_size(type);
	if (align == 0)
		align = n;
	if ((align & (align - 1)) || align > 1024)
		return load_fail(l, ERR_INPUT,
		    "an alignment is a power of two up to 1024");
	var->align = (uint32_t)align;
	var->element = (uint32_t)n;
	var->size = n;
	return dimensions(l, var);
}

/* = 5 or = {1, 2, 3}, elements of the declared type's size */
static bool
initial(struct loader *l, uint8_t *to, size_t size, size_t element)
{
	bool braces = load_is(l, "{");
	uint64_t value;
	size_t at = 0;

	do {
		if (braces && load_is(l, "}"))
			return true;
		if (!load_number(l, &value))
			return false;
		if (at + element > size)
			return load_fail(l, ERR_INPUT,
			    "more initial values than elements");
		memcpy(to + at, &value, element); /* little-endian host */
		at += element;
	} while (braces && load_is(l, ","));
	return !braces || load_expect(l, "}");
}

static bool
global_variable(struct loader *l, enum space space)
{
	struct sim_var var;
	uint8_t *bytes;

	if (!load_variable(l, space, &var))
		return false;
	if (var.size == 0)
		return load_fail(l, ERR_UNSUPPORTED,
		    "'%s' has no size", var.name);
	if (!sim_ops.alloc(l->device, var.size, &var.value, l->err))
		return false;
	LOAD_GROW(l->arena, l->module->globals, l->module->nglobals);
	l->module->globals[l->module->nglobals++] = (struct sim_global){
	    arena_strdup(l->arena, var.name), var.value, var.size};
	bytes = sim_address(l->device, var.value, var.size);
	memset(bytes, 0, var.size);
	if (load_is(l, "=") && !initial(l, bytes, var.size,
	    var.element))
		return false;
	return load_add_variable(l, &var) && load_expect(l, ";");
}

/* Outside kernels: each kernel that names it has one of its own, placed at
   the first use. */
static bool
shared_variable(struct loader *l, bool external)
{
	struct sim_var var;

	if (!load_variable(l, SPACE_SHARED, &var))
		return false;
	var.external = external;
	var.module = !external;
	if (!external && var.size == 0)
		return load_fail(l, ERR_INPUT, "'%s' has no size", var.name);
	return load_add_variable(l, &var) && load_expect(l, ";");
}

/* ---- kernels ------------------------------------------------------------- */

static bool
parameters(struct loader *l)
{
	size_t end = 0;
	struct sim_var var;

	if (!load_is(l, "(") || load_is(l, ")"))
		return true;
	do {
		if (!load_expect(l, ".param") ||
		    !load_variable(l, SPACE_PARAM, &var))
			return false;
		end = (end + var.align - 1) & ~((size_t)var.align - 1);
		var.value = end;
		end += var.size;
		if (!load_add_variable(l, &var))
			return false;
	} while (load_is(l, ","));
	l->kernel->params_size = end;
	return load_expect(l, ")");
}

/* Up to three numbers; their product. */
static bool
bounds(struct loader *l, uint32_t *product)
{
	uint64_t n, all = 1;

	do {
		if (!load_number(l, &n))
			return false;
		all *= n;
	} while (load_is(l, ","));
	if (all > UINT32_MAX)
		return load_fail(l, ERR_INPUT, "too large");
	*product = (uint32_t)all;
	return true;
}

static bool
kernel_head(struct loader *l)
{
	uint32_t ignored;

	for (;;) {
		uint32_t *to = &ignored;

		if (load_is(l, "{"))
			return true;
		if (load_is(l, ".reqntid"))
			to = &l->kernel->reqntid;
		else if (load_is(l, ".reqnctapercluster"))
			to = &l->kernel->reqcluster;
		else if (load_is(l, ".explicitcluster") ||
		    load_is(l, ".noreturn"))
			continue;
		else if (!load_is(l, ".maxntid") &&
		    !load_is(l, ".minnctapersm") && !load_is(l, ".maxnreg") &&
		    !load_is(l, ".maxclusterrank"))
			return load_expect(l, "{");
		if (!bounds(l, to))
			return false;
	}
}

static bool
kernel(struct loader *l)
{
	int nvars = l->nvars, i;
	size_t n = load_word(l);
	struct sim_kernel *k;

	if (n == 0)
		return load_fail(l, ERR_INPUT, "expected a kernel's name");
	LOAD_GROW(l->arena, l->module->kernels, l->module->nkernels);
	k = &l->module->kernels[l->module->nkernels++];
	*k = (struct sim_kernel){.name = arena_strndup(l->arena, l->s, n)};
	load_advance(l, n);
	l->kernel = k;
	l->nregs = l->nlabels = l->nuses = 0;
	l->ntypes = 0;
	for (i = 0; i < nvars; i++)
		l->vars[i].placed = false;
	l->lower = (struct sim_lower){.arena = l->arena,
	    .scratch = l->scratch, .kernel = k, .vars = l->vars};
	if (!parameters(l) || !kernel_head(l) || !load_body(l))
		return false;
	l->nvars = nvars;
	l->kernel = NULL;
	return true;
}

/* ---- the module ---------------------------------------------------------- */

static bool
version(struct loader *l)
{
	uint64_t major, minor;

	if (!load_number(l, &major) || !load_expect(l, ".") ||
	    !load_number(l, &minor))
		return false;
	if (10 * major + minor > SIM_PTX)
		return load_fail(l, ERR_UNSUPPORTED,
		    "PTX %d.%d: the software machine knows up to %d.%d",
		    (int)major, (int)minor, SIM_PTX / 10, SIM_PTX % 10);
	return true;
}

static bool
target(struct loader *l)
{
	size_t n = load_word(l);
	int sm = n > 3 ? atoi(l->s + 3) : 0;

	if (n <= 3 || memcmp(l->s, "sm_", 3) != 0)
		return load_fail(l, ERR_INPUT, "expected a target, as sm_90");
	if (sm > SIM_SM)
		return load_fail(l, ERR_UNSUPPORTED,
		    "target sm_%d: the software machine is an sm_%d", sm,
		    SIM_SM);
	load_advance(l, strcspn(l->s, "\n"));
	return true;
}

/* Debug sections: { ... } without nesting. */
static bool
section(struct loader *l)
{
	return load_to(l, "{") && load_to(l, "}");
}

static bool
directive(struct loader *l)
{
	uint64_t bits;
	bool external = false;

	while (load_is(l, ".visible") || load_is(l, ".weak") ||
	    load_is(l, ".common"))
		continue;
	if (load_is(l, ".extern"))
		external = true;
	if (load_is(l, ".version"))
		return version(l);
	if (load_is(l, ".target"))
		return target(l);
	if (load_is(l, ".address_size"))
		return load_number(l, &bits) && (bits == 64 || load_fail(l,
		    ERR_UNSUPPORTED, "addresses of other than 64 bits"));
	if (load_is(l, ".file") || load_is(l, ".loc")) {
		load_advance(l, strcspn(l->s, "\n"));
		return true;
	}
	if (load_is(l, ".pragma") || (external && load_is(l, ".func")))
		return load_to(l, ";");
	if (load_is(l, ".section"))
		return section(l);
	if (load_is(l, ".shared"))
		return shared_variable(l, external);
	if (load_is(l, ".global"))
		return global_variable(l, SPACE_GLOBAL);
	if (load_is(l, ".const"))
		return global_variable(l, SPACE_CONST);
	if (load_is(l, ".entry"))
		return kernel(l);
	return load_fail(l, ERR_UNSUPPORTED, "unknown directive '%.*s'",
	    (int)(load_word(l) ? load_word(l) : 1), l->s);
}

bool
sim_load(struct device *d, const char *ptx, struct module *m,
    struct err *err)
{
	struct loader l = {.s = ptx, .loc = {"ptx", 1, 1},
	    .arena = m->arena, .scratch = arena_new(), .device = d,
	    .module = m, .err = err};
	bool ok = true;

	if (strlen(ptx) > MODULE_MAX)
		ok = load_fail(&l, ERR_LIMIT, "a module of more than %u bytes",
		    MODULE_MAX);
	for (load_skip(&l); ok && *l.s; load_skip(&l))
		ok = directive(&l);
	if (ok && m->nkernels == 0)
		ok = load_fail(&l, ERR_INPUT, "no kernel");
	arena_free(l.scratch);
	return ok;
}
