/* SPDX-License-Identifier: BSD-3-Clause */
/* The name under which programs include MonEQ. */
#ifndef WATTLE_POWERMON_BGQ_H
#define WATTLE_POWERMON_BGQ_H
#include <moneq.h>
#endif
