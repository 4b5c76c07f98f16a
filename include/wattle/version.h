/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The version of libwattle: of the headers that a program was compiled with, and of the library
 * that it runs with. A compiled program runs with every later version of the same major version:
 * minor versions only add, patch versions change nothing visible here.
 */
#ifndef WATTLE_VERSION_H
#define WATTLE_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define WATTLE_VERSION_MAJOR 0
#define WATTLE_VERSION_MINOR 1
#define WATTLE_VERSION_PATCH 0

/* Version of these headers, for "#if" and for comparison with wattle_version(): 10203 is 1.2.3. */
#define WATTLE_VERSION_NUMBER \
    (WATTLE_VERSION_MAJOR * 10000 + WATTLE_VERSION_MINOR * 100 + WATTLE_VERSION_PATCH)

/* Version of the library at run time, in the form of WATTLE_VERSION_NUMBER. Safe from any thread
 * and from signal handlers. Since 0.1. */
int wattle_version(void);

/* The same as text: "0.1.0". Static storage. Safe from any thread. Since 0.1. */
const char *wattle_version_text(void);

#ifdef __cplusplus
}
#endif
#endif
