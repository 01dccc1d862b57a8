/*
 * driver: running programs on devices, and judging what came back.
 */
#ifndef DRIVER_H
#define DRIVER_H

#define VERSION "0.1.0"

#include "device.h"
#include "result.h"
#include "running.h"
#include "work.h"
#include "command.h"

#endif
