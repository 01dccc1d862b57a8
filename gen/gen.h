/*
 * gen: from text to a checked program, and from a program to PTX.
 *
 * Ownership: everything here is allocated in the arena handed in and lives
 * as long as it; nothing is freed singly. Functions that can fail return
 * bool, fill *err (or *errs) and leave their outputs untouched.
 */
#ifndef GEN_H
#define GEN_H

#include "base.h"
#include "insn.h"
#include "program.h"
#include "kernel.h"

#endif
