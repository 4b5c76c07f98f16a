/* SPDX-License-Identifier: BSD-3-Clause */
/* The other programs of wattle, which are installed together. */
#ifndef WTL_BASE_OWN_PROGRAM_H
#define WTL_BASE_OWN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* The folder of the running program; "" = unknown. */
void wtl_own_folder(char *buf, size_t n);

/* The path of any program by PATH. false: not there. */
bool wtl_program_in_path(const char *name, char *buf, size_t n);

/* The path of a program ("wattle-load"): beside this one, in ../libexec/wattle, or in PATH. false: nowhere. */
bool wtl_own_program_find(const char *name, char *buf, size_t n);

#endif
