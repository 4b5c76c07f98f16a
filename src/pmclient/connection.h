/* SPDX-License-Identifier: BSD-3-Clause */
/* A connection of the client library to a pmlib server. Every wait has a limit: PMLIB_TIMEOUT seconds, 10 by default. All
 * calls return 0 or -1 after one sentence on stderr. */
#ifndef WTL_PMCLIENT_CONNECTION_H
#define WTL_PMCLIENT_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pm/pmlib.h>

#include "pmlib/wire.h"

/* Print "pmlib: sentence" on stderr; returns -1. */
int wtl_pm_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A descriptor, or -1. The caller closes it. */
int wtl_pm_connect(const server_t *server);

/* Send a request. If bytes of an earlier reply are still unread, the server is of another dialect: -1. */
int wtl_pm_send(int fd, const struct wtl_pm_request *request);

/* Receive exactly n bytes, or, with ret_got, up to n bytes until the server closes. */
int wtl_pm_receive(int fd, void *bytes, size_t n, size_t *ret_got);

/* Send a request, and receive its reply up to the end of the connection, into bytes[n]. */
int wtl_pm_ask(const server_t *server,
               const struct wtl_pm_request *request,
               uint8_t *bytes,
               size_t n,
               size_t *ret_got);

/* The server's dialect: PMLIB_DIALECT (g2, g1, cpp), g2 by default; "auto" asks the server, which costs two connections
 * and two samples of the device. */
int wtl_pm_dialect_of(const server_t *server, const char *device, enum wtl_pm_dialect *ret);

#endif
