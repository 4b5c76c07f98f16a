/* SPDX-License-Identifier: BSD-3-Clause */
/* The name under which programs include MonEQ's errors. */
#ifndef WATTLE_BGQ_ERR_H
#define WATTLE_BGQ_ERR_H
#include <moneq.h>
#endif
