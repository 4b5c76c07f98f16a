/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be run here, and what stands against the rest: wattle-load --list. */
#ifndef WTL_LOAD_LOAD_LIST_H
#define WTL_LOAD_LOAD_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include <wattle/error.h>

/* As text or as a document wattle.load-list/1. 0; -ENOMEM. Failed writes stay in the stream. */
int wtl_load_list(bool json, FILE *out, struct wattle_error *err);

#endif
