/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kernels can run here, and why the others cannot: wattle-load --list. */
#ifndef WTL_LOAD_LOAD_LIST_H
#define WTL_LOAD_LOAD_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include <wattle/error.h>

/* As text or as a document wattle.load-list/1. 0; -ENOMEM. Write errors stay in the stream. */
int wtl_load_list(bool json, FILE *out, struct wattle_error *err);

#endif
