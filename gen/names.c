#include "gen.h"

#define NAMES(function, type)                   \
	const char *function##_name(type v)     \
	{                                       \
		static const char *const names[] = {
#define NAME(enumerator, spelling) [enumerator] = (spelling),
#define NAMES_END             \
	}                     \
	;                     \
	return names[v];      \
	}
#include "names.def"
#undef NAMES
#undef NAME
#undef NAMES_END

static const struct {
	signed char size;
	bool is_signed;
} types[] = {
	[TYPE_NONE] = {0, false}, [TYPE_PRED] = {1, false},
	[TYPE_B8] = {1, false}, [TYPE_U8] = {1, false}, [TYPE_S8] = {1, true},
	[TYPE_B16] = {2, false}, [TYPE_U16] = {2, false},
	[TYPE_S16] = {2, true}, [TYPE_B32] = {4, false},
	[TYPE_U32] = {4, false}, [TYPE_S32] = {4, true},
	[TYPE_F32] = {4, true}, [TYPE_B64] = {8, false},
	[TYPE_U64] = {8, false}, [TYPE_S64] = {8, true},
	[TYPE_F64] = {8, true},
};

int
type_size(enum type t)
{
	return types[t].size;
}

bool
type_signed(enum type t)
{
	return types[t].is_signed;
}
