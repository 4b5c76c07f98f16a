/* SPDX-License-Identifier: BSD-3-Clause */
/* The database that an action reads: of --database, of the site, or of the user; and the factors of its costs. */
#ifndef WTL_CLI_JOBS_DATABASE_H
#define WTL_CLI_JOBS_DATABASE_H

#include "cli/settings.h"
#include "jobs/factors.h"
#include "jobs/store.h"

/* The url of the user's own database, malloc'ed: setting user-database, else ~/.local/share/wattle/jobs.db ($XDG_DATA_HOME). Its folder
 * is created with `create`. 0; -ENOENT: there is no HOME; -ENOMEM; the errno of mkdir(2). */
int wtl_jobs_user_url(const struct wtl_config *config,
                      bool create,
                      char **ret_url,
                      struct wattle_error *err);

/* Open it: `named` (NULL = not given), else the setting [jobs] database, else the user's own. 0 or as wtl_store_open(). */
int wtl_jobs_database_open(const struct wtl_config *config,
                           const char *named,
                           enum wtl_store_access access,
                           struct wtl_store **ret_store,
                           struct wattle_error *err);

/* Prices and CO2 of the settings. wtl_factors_fini() in any case. */
int wtl_jobs_factors(const struct wtl_config *config,
                     struct wtl_factors *ret_factors,
                     struct wattle_error *err);

/* NULL = not set. */
const char *wtl_jobs_currency(const struct wtl_config *config);

#endif
