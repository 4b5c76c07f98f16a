/* SPDX-License-Identifier: BSD-3-Clause */
/* What the store and its engines agree on: the version of the tables, and what a connection is for. */
#ifndef WTL_JOBS_STORE_ACCESS_H
#define WTL_JOBS_STORE_ACCESS_H

enum { WTL_STORE_SCHEMA_VERSION = 8 };

enum wtl_store_access {
    WTL_STORE_READ,  /* what exists; a database of another version is refused */
    WTL_STORE_WRITE, /* put; SQLite: created if the file does not exist */
    WTL_STORE_ADMIN  /* also migrate, purge, anonymise */
};

#endif
