#ifndef HELP_CUDA_H
#define HELP_CUDA_H

#include "fake_cuda.h"

/* Loads the fake driver; from then on it answers to the driver's name in
   this process and those forked from it. */
struct fake *fake_driver(void);

#endif
