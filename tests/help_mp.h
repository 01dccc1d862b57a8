/* Message passing between CTAs, in YAML, up to its variants: each gives
   {write} and {read}, what is done to the flag. */
#ifndef HELP_MP_H
#define HELP_MP_H

#define MP_VARIANTS                                                            \
	"name: MP\n"                                                           \
	"about: Message passing.\n"                                            \
	"locations: {data: 0, flag: 0}\n"                                      \
	"threads:\n"                                                           \
	"  - cta: 0\n"                                                         \
	"    code: |\n"                                                        \
	"      st.weak.global.u32 [data], 1;\n"                                \
	"      {write} [flag], 1;\n"                                           \
	"  - cta: 1\n"                                                         \
	"    code: |\n"                                                        \
	"      {read} r0, [flag];\n"                                           \
	"      ld.weak.global.u32 r1, [data];\n"                               \
	"exists: 1:r0 == 1 && 1:r1 == 0\n"                                     \
	"variants:\n"

#endif
